/* table.h - what single OpenCL implementations are known not to do (table_known.c) */
#ifndef TESTS_KERNELS_TABLE_H
#define TESTS_KERNELS_TABLE_H

/* A kernel that fails there, and a part of what is said then.  One that is right after
 * all fails the test, so that its line goes.
 */
struct table_known {
    const char *platform;  /* part of its name */
    const char *generator; /* its name, or NULL: all */
    const char *variant;   /* part of the kernel's name, or NULL: all of them */
    const char *words;
    const char *reason;
};

extern const struct table_known table_known[]; /* ends with platform NULL */

#endif
