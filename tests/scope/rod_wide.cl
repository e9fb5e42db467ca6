#define R 6

/* A wide symmetric filter in double, straight from global memory. */
__kernel void rod_wide(__global const double *in, __constant double *weight, __global double *out,
                       int n)
{
    int i = get_global_id(0) + R;

    if (i < n - R) {
        double sum = weight[0] * in[i];

        for (int k = 1; k <= R; k++)
            sum += weight[k] * (in[i - k] + in[i + k]);
        out[i] = sum;
    }
}
