__kernel void deposit(__global const float *x, __global const float *y, __global int *rho,
                      int n, int side)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float u = fabs(x[i]) * (side - 1), v = fabs(y[i]) * (side - 1);
    int a = min((int)u, side - 1), b = min((int)v, side - 1), at = b * (side + 1) + a;
    float p = u - a, q = v - b;

    atomic_add(&rho[at], (int)((1.0f - p) * (1.0f - q) * 4096.0f));
    atomic_add(&rho[at + 1], (int)(p * (1.0f - q) * 4096.0f));
    atomic_add(&rho[at + side + 1], (int)((1.0f - p) * q * 4096.0f));
    atomic_add(&rho[at + side + 2], (int)(p * q * 4096.0f));
}
