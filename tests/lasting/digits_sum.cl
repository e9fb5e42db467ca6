__kernel void digits_sum(__global const uint *x, __global uint *sum, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint v = x[i] * 2654435761u, s = 0;

    for (int k = 0; k < 10; k++) {
        s += v % 10 * (k + 1);
        v /= 10;
    }
    sum[i] = s;
}
