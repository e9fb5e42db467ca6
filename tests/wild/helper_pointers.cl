/* An explicit heat step; the stencil and the boundary in functions of their own. */
static float laplacian(__global const float *u, int at, int stride)
{
    return u[at - 1] + u[at + 1] + u[at - stride] + u[at + stride] - 4.0f * u[at];
}

static inline void set(__global float *where, int index, float value)
{
    where[index] = value;
}

void bounds(int i, int n, int *low, int *high)
{
    *low = i - 1;
    *high = n - 1;
    if (*low < 0)
        *low = 0;
}

float row_sum(__global const float *row, int from, int to)
{
    float sum = 0.0f;
    for (int i = from; i < to; i++)
        sum += row[i];
    return sum;
}

__kernel void heat(__global const float *u, __global float *v, __global float *sums,
                   int n, float k)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        set(v, y * n + x, u[y * n + x] + k * laplacian(u, y * n + x, n));
    if (x == 0 && y < n)
        sums[y] = row_sum(u + y * n, 1, n - 1);
}

__kernel void smooth(__global const float *u, __global float *v, int n)
{
    int i = get_global_id(0), low, high;

    if (i >= n)
        return;
    bounds(i, n, &low, &high);
    v[i] = (u[low] + u[i] + u[high]) / 3.0f;
}
