/* The norm of each row: which one, in which type and how is decided when compiling. */
#if defined(USE_DOUBLE)
typedef double real;
#else
typedef float real;
#endif

#if NORM == 1
#define TERM(x) fabs(x)
#define FINISH(x) (x)
#elif NORM == 2
#define TERM(x) ((x) * (x))
#define FINISH(x) sqrt(x)
#else
#error "NORM must be 1 or 2"
#endif

__kernel void norms(__global const real *a, __global real *r, int rows, int cols)
{
    int i = get_global_id(0);
    real acc = 0;

    if (i >= rows)
        return;
#ifdef STRIDED
    for (int j = 0; j < cols; j++)
        acc += TERM(a[j * rows + i]);
#else
    for (int j = 0; j < cols; j++)
        acc += TERM(a[i * cols + j]);
#endif
    r[i] = FINISH(acc);
}
