/* oracle.h - counts against Oclgrind, which runs a kernel and counts its instructions
 *
 * Both sides are brought to the same named quantities:
 *
 *   "global load", "global load bytes", ... local, constant; store
 *   "float32 madd"                  llvm.fmuladd, fma() and mad(), lane by lane
 *   "add", "mul", "div"             floating point; Oclgrind pools the dtypes
 *   "sqrt", "native_sin", ...       built-ins of floating point, lane by lane
 *   "global atomic add", ...        by space and operation
 *   "barrier"                       met by all work-items together
 *   "work-items", "work-groups"     returns from the kernel
 *   "memcpy p0 p1"                  copies of structs, by address space: never counted
 *
 * Oclgrind counts work-items, so that sub-groups of one work-item are counted.
 */
#ifndef GCAL_TESTS_KERNELS_COUNT_ORACLE_H
#define GCAL_TESTS_KERNELS_COUNT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/generate/generate.h"

struct gcal_error;
struct gcal_profile;

/* ---- quantities ---- */

struct oracle_quantity {
    char name[60];
    double value;
    size_t n_entries;   /* of the profile that it sums */
    size_t n_estimated; /* of these, inexact ones */
};

struct oracle_counts {
    size_t n, capacity;
    struct oracle_quantity *items;
};

/* The quantity 'name', added with value 0 when it is new. */
struct oracle_quantity *oracle_counts_get(struct oracle_counts *counts, const char *name);
double oracle_counts_value(const struct oracle_counts *counts, const char *name);
void oracle_counts_clear(struct oracle_counts *counts);

/* The value of an expression in sizes; the sub-group size is 1. */
int oracle_value(const char *text, size_t n_sizes, const struct gcal_size *sizes,
                 double *value, struct gcal_error *err);

/* The quantities in Oclgrind's histogram, for work-groups of 'work_group' items. */
void oracle_read_histogram(const char *text, size_t work_group,
                           struct oracle_counts *seen);

/* The quantities of a profile at these sizes, which include parameters that are not
 * arguments, such as a user's trip counts.
 */
int oracle_read_profile(const struct gcal_profile *profile, size_t n_sizes,
                        const struct gcal_size *sizes, struct oracle_counts *counted,
                        struct gcal_error *err);

/* ---- tables by kernel (explained.c) ---- */

/* A difference that compilation makes: the counted quantity is 'factor' times Oclgrind's,
 * plus 'difference'.
 */
struct oracle_explained {
    const char *generator;
    const char *variant; /* part of the kernel's name, or NULL: all */
    const char *quantity;
    double factor;
    const char *difference; /* expression in sizes */
    const char *reason;
};

/* The value of a scalar or buffer where counts depend on data: an expression in sizes
 * and, for a buffer, 'i', the element's number.  A name that is not an argument of the
 * kernel is a parameter of the profile, such as a user's trip count.
 */
struct oracle_input {
    const char *generator, *argument, *value;
};

/* Kernels that are refused even with estimates, and words of the message. */
struct oracle_refused {
    const char *generator, *words;
};

/* Counts known to be wrong.  A fault that no longer appears fails, so that its line is
 * removed.
 */
struct oracle_fault {
    const char *generator, *quantity, *what;
};

extern const struct oracle_explained oracle_explained[]; /* ends with generator NULL */
extern const struct oracle_input oracle_inputs[];
extern const struct oracle_refused oracle_refused[];
extern const struct oracle_fault oracle_faults[];

/* ---- running ---- */

/* A kernel at one set of sizes. */
struct oracle_job {
    const struct gcal_kernel *kernel; /* its own profile is not used */
    const char *assume;               /* or NULL */
    size_t n_sizes;
    const struct gcal_size *sizes;
};

bool oracle_is_there(void);

/* Runs them, as many at once as there are processors, and compares; one line per job on
 * stdout, and one for each difference.  Returns how many jobs failed.
 */
size_t oracle_check(size_t n_jobs, const struct oracle_job *jobs);

/* In run.c: the kernel's files in 'folder', and the process that runs them with
 * its output in 'folder'/out; -1 with 'err'.
 */
int oracle_write_simulation(const struct oracle_job *job, const char *folder,
                            struct gcal_error *err);
int oracle_start(const struct oracle_job *job, const char *folder, int *pid,
                 struct gcal_error *err);

#endif
