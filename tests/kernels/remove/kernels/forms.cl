/* What work removal must keep the way of: jumps, choices, pointers, helpers, vectors. */

/* do, while, && and ?: around loads; an early end after a store. */
__kernel void steps(__global const float *a, __global const float *b, __global float *c,
                    int n)
{
    int i = get_global_id(0), k = 0;
    float s = 0;

    if (i >= n)
        return;
    s = i % 3 ? a[i + 1] : a[i];
    do {
        s = s * 0.5f + b[k];
        k += 3;
    } while (k < n);
    while (k > 0) {
        if (k == 4)
            break;
        s += i < 5 ? a[k] : b[k] * 1.5f;
        k--;
    }
    for (int j = 0; j < 100; j++) {
        s = s * 0.5f;
        if (s > 1000.0f)
            break;
    }
    if (i > 4 && a[3 * i] > 0.25f)
        s += 1.0f;
    c[i] = s;
    if (i % 2)
        return;
    c[i] += b[i] + b[n];
}

/* A switch that falls through, in a loop that goes on from inside of it. */
__kernel void chosen(__global const float *a, __global const float *b, __global float *c,
                     int n)
{
    int i = get_global_id(0);
    float s = 0;

    for (int k = 0; k < n; k++) {
        switch ((i + k) % 4) {
        case 0:
            s += a[i] * 2.5f;
            break;
        case 1: {
            float t = b[k];
            s -= t;
        }
        case 2:
            s += a[k + 1];
            continue;
        default:
            s *= 0.5f;
        }
        switch (n) {
        case 3:
            s = 1.5f;
            break;
        }
        s += b[i];
    }
    c[i] = s;
}

/* Vectors next to scalars, by type and by vload, and pointers that move. */
__kernel void vectors(__global const float4 *a, __global const float *b, __global float *c,
                      int n)
{
    int i = get_global_id(0);
    __global const float *p = b + 2 * i;
    float4 v = a[i] * 2.0f;
    float s = 0;

    for (int k = 0; k < n; k++) {
        v += a[k + i];
        s += *p++ * v.y;
        p += 2;
    }
    vstore4(v, i, c);
    c[i] = s;
}

/* Helpers with loads, one in the other, a loop and an early return inside. */
static float row_sum(__global const float *row, int from, int to)
{
    float sum = 0;

    if (to <= from)
        return row[0];
    for (int i = from; i < to; i++)
        sum += row[i];
    return sum;
}

static void bounds(int i, int n, int *low, int *high)
{
    *low = max(i - 1, 0);
    *high = min(i + 3, n);
}

static float both(__global const float *x, __global const float *y, int i, int n, float z)
{
    int low, high;

    bounds(i, n, &low, &high);
    return row_sum(x, low, high) * y[i] + z;
}

static void put(__global float *where, int at, float value)
{
    where[at] = value;
}

__kernel void helped(__global const float *a, __global const float *b, __global float *c,
                     int n)
{
    int i = get_global_id(0);

    if (i < n)
        put(c, i, both(a, b, i, n, b[i + 1]) - both(b, a, i, n, 0.5f));
}

/* An index from memory. */
__kernel void gathered(__global const int *ix, __global const float *b, __global float *c,
                       int n)
{
    int i = get_global_id(0);
    int at = ix[i] & 15;

    for (int k = 0; k < n; k++) {
        at = ix[k] & 7;
        c[i] += b[at] * b[ix[i] & 3];
    }
}
