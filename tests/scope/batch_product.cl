#define N 8

/* A work-group of 64 work-items for each pair of matrices. */
__kernel void multiply_small(__global const float *a, __global const float *b, __global float *c)
{
    __local float left[N * N], right[N * N];
    int l = get_local_id(0);
    int i = l / N;
    int j = l % N;
    int first = get_group_id(0) * (N * N);
    float sum = 0.0f;

    left[l] = a[first + l];
    right[l] = b[first + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < N; k++)
        sum += left[i * N + k] * right[k * N + j];
    c[first + l] = sum;
}
