/* Gaussian elimination of 'ab', the matrix with the right-hand side as its last column:
 * step t finds the factors of the rows below row t, then takes multiples of it from them.
 */
struct system {
    int n;     /* unknowns */
    int width; /* n + 1 */
};

__kernel void elimination_factors(__global float *factor, __global const float *ab,
                                  const int n, const int t)
{
    const int below = n - t - 1;
    int row = get_global_id(0);

    if (row < below) {
        row += t + 1;
        *(factor + row) = *(ab + row * (n + 1) + t) / *(ab + t * (n + 1) + t);
    }
}

__kernel void elimination_rows(__global const float *factor, __global float *ab,
                               const int n, const int t)
{
    struct system s;
    int row = get_global_id(0), column = get_global_id(1);

    s.n = n;
    s.width = n + 1;
    if (row >= s.n - t - 1 || column > s.n - t)
        return;
    row += t + 1;
    column += t;
    if (column == t)
        ab[row * s.width + column] = 0.0f;
    else
        ab[row * s.width + column] -= factor[row] * ab[t * s.width + column];
}
