/* bad.cl - kernels that cannot be learned, or only with options */
union pair { float a; int b; };

__kernel void beyond(__global float *y, int n)
{
    int i = get_global_id(0);

    y[i] = 1;
    if (i == 0)
        y[n + 3] = 2;
}

__kernel void gather(__global const float *x, __global const int *at, __global float *y,
                     int n)
{
    int i = get_global_id(0);

    y[i] = x[at[i]];
}

__kernel void scatter(__global const int *at, __global float *y, int n)
{
    y[at[get_global_id(0)]] = 1;
}

__kernel void root(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = sqrt(a - 2 * x[i]);
}

__kernel void spin(__global volatile int *flag, __global float *y, int n)
{
    int i = get_global_id(0);

#pragma gpucal trips spins
    while (flag[0] < 5000)
        y[i] += 1;
}

__kernel void before(__global float *y, int n)
{
    y[get_global_id(0) - 1] = 1;
}

__kernel void tickets(__global float *order, __global int *next, int n)
{
    order[get_global_id(0)] = atomic_inc(next);
}

__kernel void by_value(__global float *y, union pair p, int n)
{
    y[get_global_id(0)] = p.a;
}

__kernel void image(__read_only image2d_t picture, __global float *y, sampler_t s, int n)
{
    y[get_global_id(0)] = 1;
}

__kernel void huge(__global float *y, ulong n)
{
    y[get_global_id(0) * 100000000] = 1;
}

__kernel void no_size(__global float *y)
{
    y[get_global_id(0)] = 1;
}

__kernel void data_loop(__global const int *length, __global float *y, int n)
{
    int i = get_global_id(0);

    for (int k = 0; k < length[i]; k++)
        y[i] += k;
}

__kernel void wide(__read_only image2d_t picture, __global float *y, int n)
{
    for (int i = 0; i < get_image_width(picture); i++)
        y[get_global_id(0)] = i;
}
