/* Largest magnitude and sum of squares of a part for each of a fixed number of groups. */
__kernel void norms(__global const float *x, __global float *largest, __global float *squares, int n)
{
    __local float high[128], square[128];
    int l = get_local_id(0);
    float top = 0.0f;
    float sum = 0.0f;

    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        float v = x[i];

        top = fmax(top, fabs(v));
        sum += v * v;
    }
    high[l] = top;
    square[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 64; d > 0; d >>= 1) {
        if (l < d) {
            high[l] = fmax(high[l], high[l + d]);
            square[l] += square[l + d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        largest[get_group_id(0)] = high[0];
        squares[get_group_id(0)] = square[0];
    }
}
