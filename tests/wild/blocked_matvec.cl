/* y = A x with x in blocks through local memory, the last block perhaps shorter. */
#define BLOCK 16
#define min2(a, b) ((a) < (b) ? (a) : (b))

__kernel void blocked_matvec(__global const float *a, __global const float *x,
                             __global float *y, int rows, int cols)
{
    __local float part[BLOCK];
    int row = get_global_id(0);
    int lid = get_local_id(0);
    float sum = 0.0f;

    for (int first = 0; first < cols; first += BLOCK) {
        int last = min2(first + BLOCK, cols);

        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + lid < last)
            part[lid] = x[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < rows)
            for (int j = first; j < last; j++)
                sum = fma(a[row * cols + j], part[j - first], sum);
    }
    if (row < rows)
        y[row] = sum;
}
