/* work.h - rows of a matrix product on one OpenCL device
 *
 * C = A B with B a square matrix.  The device gets some rows of A, and all of B, once; a
 * step then makes the same rows of C.  Elements are random numbers in [0.5, 1) that
 * follow from their positions, so that ranks need not exchange them.
 */
#ifndef BALANCE_WORK_H
#define BALANCE_WORK_H

#include <stddef.h>

/* As the kernel is built, and as its profile must be counted (README.md): a work-item
 * makes WORK_BLOCK rows of WORK_WIDTH columns, and rows are divided in multiples of
 * WORK_GRANULARITY, a work-group's.
 */
#define WORK_BLOCK       8
#define WORK_WIDTH       16
#define WORK_LOCAL_0     16
#define WORK_LOCAL_1     2
#define WORK_GRANULARITY (WORK_BLOCK * WORK_LOCAL_1)

struct work_options {
    const char *device_name; /* CL_DEVICE_NAME */
    const char *kernel_path;
    size_t first_row, rows; /* 0 rows: nothing to do */
    size_t width;           /* of both matrices */
};

struct work; /* opaque */

/* NULL with a message on stderr. */
struct work *work_create(const struct work_options *options);
void work_destroy(struct work *work);
/* A step: 0 with the seconds it took by the host's clock, or -1 with a message. */
int work_step(struct work *work, double *busy_s);
/* Compares 'rows' rows of the last step with the host's.  Returns the number of wrong
 * rows, or -1 with a message.
 */
int work_check(struct work *work, size_t rows);

double work_now_s(void);

#endif
