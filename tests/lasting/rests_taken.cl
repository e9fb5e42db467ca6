__kernel void rests_taken(__global const float *x, __global int *out, int n, int a, int b)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint v = i;
    int sum = 0;

    for (int k = 0; k < 24; k++) {
        uint q = v / a, r = v % a;

        sum += q ^ r;
        v = v * 5 + b % (r + 1);
    }
    out[i] = sum + (int)x[i];
}
