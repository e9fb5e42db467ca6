/* square.h - one step of shortest paths: r[i][j] = min over k of d[i][k] + d[k][j], in
 * OpenCL and in C, for matrices of distances that are symmetric
 */
#ifndef SQUARE_H
#define SQUARE_H

#include <starpu.h>

/* n must be a multiple: rows and columns of a work-group. */
#define SQUARE_BLOCK 64

/* A codelet's argument. */
struct square_arg {
    int n; /* first: costs_us() reads it */
};

extern struct starpu_codelet square_codelet; /* buffers: d (R), r (W) */

/* Builds the kernel for all OpenCL workers and runs it once on each at every size up to
 * 'n_max', as some drivers compile when a kernel is first launched.  0, or -1 with the
 * reason on standard error.
 */
int square_load(const char *kernel_file, int n_max);
void square_unload(void);

void square_in_c(float *r, const float *d, int n);

#endif
