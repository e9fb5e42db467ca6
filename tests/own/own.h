/* own.h - what the kernels of own.cl share: types, constants, helper functions */
#ifndef OWN_H
#define OWN_H

#ifndef TILE
#define TILE 16
#endif

#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

typedef float real;

typedef struct {
    float4 position; /* w: mass */
    float4 velocity;
} particle;

struct material {
    float conductivity;
    float capacity;
};

__constant float gauss5[25] = {
    1 / 256.0f, 4 / 256.0f,  6 / 256.0f,  4 / 256.0f,  1 / 256.0f,
    4 / 256.0f, 16 / 256.0f, 24 / 256.0f, 16 / 256.0f, 4 / 256.0f,
    6 / 256.0f, 24 / 256.0f, 36 / 256.0f, 24 / 256.0f, 6 / 256.0f,
    4 / 256.0f, 16 / 256.0f, 24 / 256.0f, 16 / 256.0f, 4 / 256.0f,
    1 / 256.0f, 4 / 256.0f,  6 / 256.0f,  4 / 256.0f,  1 / 256.0f,
};

static inline float3 attraction(float4 from, float4 to)
{
    float3 d = to.xyz - from.xyz;
    float r2 = dot(d, d) + 1e-6f;
    float inverse = rsqrt(r2);

    return d * (to.w * inverse * inverse * inverse);
}

static inline float laplace(__global const float *u, int p, int row)
{
    return u[p - 1] + u[p + 1] + u[p - row] + u[p + row] - 4.0f * u[p];
}

#endif
