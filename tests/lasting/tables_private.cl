__kernel void tables_private(__global const float *x, __global int *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    const int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
    uint v = (uint)(x[i] * 16777216.0f);
    int sum = 0;

    for (int k = 0; k < 64; k++) {
        sum += table[v >> 28] * k;
        v = v * 69069u + 12345u;
    }
    out[i] = sum;
}
