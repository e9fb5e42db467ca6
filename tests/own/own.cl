/* own.cl - kernels in the styles that people write */
#include "own.h"

/* ---- the five that a performance engineer starts with ---- */

__kernel void saxpy(__global const float *x, __global float *y, const float a, const int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void conv5x5(__global const float *in, __global float *out,
                      __constant float *weights, const int width, const int height)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2)
        return;
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += weights[(dy + 2) * 5 + dx + 2] * in[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}

__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void transpose(__global const float *in, __global float *out, const int n)
{
    __local float tile[16][17];
    int x = get_group_id(0) * 16 + get_local_id(0);
    int y = get_group_id(1) * 16 + get_local_id(1);

    tile[get_local_id(1)][get_local_id(0)] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 16 + get_local_id(0);
    y = get_group_id(0) * 16 + get_local_id(1);
    out[y * n + x] = tile[get_local_id(0)][get_local_id(1)];
}

__kernel void nbody(__global const float4 *bodies, __global float4 *acceleration,
                    const int n)
{
    int i = get_global_id(0);
    float4 me = bodies[i];
    float4 a = (float4)(0.0f);

    for (int j = 0; j < n; j++)
        a.xyz += attraction(me, bodies[j]);
    acceleration[i] = a;
}

__kernel void reduce(__global const float *in, __global float *partial,
                     __local float *scratch, const int n)
{
    float sum = 0.0f;

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    scratch[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (get_local_id(0) < s)
            scratch[get_local_id(0)] += scratch[get_local_id(0) + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = scratch[0];
}

/* ---- structs, vectors, conversions ---- */

__kernel void drift(__global particle *p, const float dt, const uint n)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    p[i].position.xyz += dt * p[i].velocity.xyz;
}

__kernel void heat_materials(__global const float *t, __global float *next,
                             __constant struct material *materials, const float dt,
                             const int nx, const int ny)
{
    int x = get_global_id(0), y = get_global_id(1);
    int p = y * nx + x;

    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
        next[p] = t[p];
    } else {
        struct material m = materials[0];
        next[p] = t[p] + dt * m.conductivity / m.capacity * laplace(t, p, nx);
    }
}

__kernel void triad4(__global const float4 *b, __global const float4 *c,
                     __global float4 *a, const float s, const int n4)
{
    for (int i = get_global_id(0); i < n4; i += get_global_size(0))
        a[i] = b[i] + s * c[i];
}

__kernel void grey(__global const uchar4 *rgba, __global uchar *luma, const int pixels)
{
    int i = get_global_id(0);
    if (i < pixels) {
        float4 c = convert_float4(rgba[i]);
        luma[i] = convert_uchar_sat_rte(0.299f * c.x + 0.587f * c.y + 0.114f * c.z);
    }
}

__kernel void halves(__global const half *x, __global float *y, const int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = vload_half(i, x) * 2.0f;
}

/* ---- dense and sparse algebra ---- */

__kernel void matmul(__global const real *a, __global const real *b, __global real *c,
                     const int n)
{
    __local real as[TILE][TILE], bs[TILE][TILE];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;

    for (int t = 0; t < n / TILE; ++t) {
        as[ly][lx] = a[row * n + t * TILE + lx];
        bs[ly][lx] = b[(t * TILE + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum = mad(as[ly][k], bs[k][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

__kernel void matvec(__global const double *a, __global const double *x,
                     __global double *y, const int rows, const int cols)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    double sum = 0.0;
    for (int k = 0; k < cols; k++)
        sum += a[(size_t)row * cols + k] * x[k];
    y[row] = sum;
}

__kernel void dot_groups(__global const float *x, __global const float *y,
                         __global float *partial, __local float *scratch, const int n)
{
    const int lid = get_local_id(0), size = get_local_size(0);
    int i = get_group_id(0) * (size * 2) + lid;
    float mine = 0.0f;

    if (i < n)
        mine = x[i] * y[i];
    if (i + size < n)
        mine += x[i + size] * y[i + size];
    scratch[lid] = mine;
    for (int s = size >> 1; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    }
    if (!lid)
        partial[get_group_id(0)] = scratch[0];
}

/* A row has at most 'width' entries; the columns are stored one after another. */
__kernel void spmv_ell(__global const float *values, __global const int *columns,
                       __global const float *x, __global float *y, const int rows,
                       const int width)
{
    int row = get_global_id(0);
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < width; k++)
            sum += values[k * rows + row] * x[columns[k * rows + row]];
        y[row] = sum;
    }
}

__kernel void spmv_csr(__global const int *first, __global const int *columns,
                       __global const float *values, __global const float *x,
                       __global float *y, const int rows)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

/* ---- grids ---- */

__kernel void stencil7(__global const float *u, __global float *v, const int nx,
                       const int ny, const int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int p = (z * ny + y) * nx + x;

    if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)
        v[p] = (u[p - 1] + u[p + 1] + u[p - nx] + u[p + nx] + u[p - nx * ny] +
                u[p + nx * ny] - 6.0f * u[p]) * 0.1f + u[p];
}

__kernel void blur_rows(__global const float *in, __global float *out, const int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;

    for (int k = -2; k <= 2; k++)
        sum += gauss5[(k + 2) * 5 + 2] * in[y * width + CLAMP(x + k, 0, width - 1)];
    out[y * width + x] = sum;
}

__kernel void smooth1d(__global const float *in, __global float *out,
                       __local float *line, const int n)
{
    const int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);

    line[l + 1] = in[i];
    if (l == 0)
        line[0] = i > 0 ? in[i - 1] : 0.0f;
    if (l == size - 1)
        line[size + 1] = i < n - 1 ? in[i + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = 0.25f * line[l] + 0.5f * line[l + 1] + 0.25f * line[l + 2];
}

/* ---- integers, atomics, scans ---- */

__kernel void histogram(__global const uchar *data, __global uint *bins,
                        __local uint *mine, const uint n)
{
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        atomic_add(&bins[b], mine[b]);
}

__kernel void scan_step(__global const int *in, __global int *out, const int offset,
                        const int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = i >= offset ? in[i] + in[i - offset] : in[i];
}

__kernel void lcg(__global uint *state, const int steps)
{
    uint s = state[get_global_id(0)];

    for (int k = 0; k < steps; k++)
        s = s * 1664525u + 1013904223u;
    state[get_global_id(0)] = s;
}

/* ---- much arithmetic ---- */

__kernel void black_scholes(__global const float *price, __global float *call,
                            const float strike, const float rate, const int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float s = price[i];
    float d1 = (log(s / strike) + (rate + 0.045f)) / 0.3f;
    float d2 = d1 - 0.3f;
    call[i] = s * 0.5f * erfc(-d1 * M_SQRT1_2_F) -
              strike * exp(-rate) * 0.5f * erfc(-d2 * M_SQRT1_2_F);
}

__kernel void mandelbrot(__global uchar *image, const int width, const int height,
                         const int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = 3.0f * px / width - 2.0f, cy = 2.0f * py / height - 1.0f;
    float x = 0.0f, y = 0.0f;
    int k = 0;

    while (x * x + y * y < 4.0f && k < limit) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        k++;
    }
    image[py * width + px] = (uchar)(k & 255);
}
