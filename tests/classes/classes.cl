/* Kernels whose counts are hard to take from their source: private arrays, hashes, look-ups, images.
 * They were timed once, by LAUNCHES, and nothing was tuned on them before.
 */
kernel void insertion16(global const float *in, global float *out, int n)
{
    int g = get_global_id(0); float v[16];
    for (int i = 0; i < 16; i++) v[i] = in[i * n + g];
    for (int i = 1; i < 16; i++) {
        float k = v[i]; int j = i - 1;
        for (int s = 0; s < i; s++) { bool m = j >= 0 && v[j] > k; v[j + 1 < 16 ? j + 1 : 15] = m ? v[j < 0 ? 0 : j] : v[j + 1]; j = m ? j - 1 : j; }
        v[j + 1] = k;
    }
    out[g] = v[8];
}
kernel void delay32(global const float *in, global const float *tap, global float *out, int n, int steps)
{
    int g = get_global_id(0); float line[32]; float acc = 0;
    for (int i = 0; i < 32; i++) line[i] = 0;
    for (int t = 0; t < steps; t++) {
        line[t & 31] = in[t * n + g]; float s = 0;
        for (int k = 0; k < 32; k++) s += tap[k] * line[(t - k) & 31];
        acc += s;
    }
    out[g] = acc;
}
kernel void rowdp(global const uchar *a, global const uchar *b, global int *out, int n)
{
    int g = get_global_id(0); int row[65];
    for (int j = 0; j <= 64; j++) row[j] = j;
    for (int i = 0; i < 64; i++) {
        int diag = row[0]; row[0] = i + 1; uchar c = a[i * n + g];
        for (int j = 1; j <= 64; j++) {
            int up = row[j]; int best = min(min(up, row[j - 1]) + 1, diag + (c != b[j - 1]));
            diag = up; row[j] = best;
        }
    }
    out[g] = row[64];
}
kernel void lu8(global const float *in, global float *out, int n)
{
    int g = get_global_id(0); float m[8][8];
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) m[i][j] = in[(i * 8 + j) * n + g] + (i == j ? 8.0f : 0.0f);
    for (int k = 0; k < 8; k++) for (int i = k + 1; i < 8; i++) {
        float f = m[i][k] / m[k][k]; m[i][k] = f;
        for (int j = k + 1; j < 8; j++) m[i][j] -= f * m[k][j];
    }
    float d = 1; for (int i = 0; i < 8; i++) d *= m[i][i];
    out[g] = d;
}
kernel void bins32(global const uchar *in, global uint *out, int n, int steps)
{
    int g = get_global_id(0); uint h[32]; for (int i = 0; i < 32; i++) h[i] = 0;
    for (int t = 0; t < steps; t++) h[in[t * n + g] & 31]++;
    uint best = 0; for (int i = 0; i < 32; i++) best = max(best, h[i]);
    out[g] = best;
}
kernel void window9(global const float *in, global float *out, int n, int steps)
{
    int g = get_global_id(0); float w[9]; float s = 0;
    for (int i = 0; i < 9; i++) w[i] = in[i * n + g];
    for (int t = 9; t < steps; t++) {
        float lo = w[0], hi = w[0];
        for (int i = 1; i < 9; i++) { lo = fmin(lo, w[i]); hi = fmax(hi, w[i]); }
        s += hi - lo;
        for (int i = 0; i < 8; i++) w[i] = w[i + 1];
        w[8] = in[t * n + g];
    }
    out[g] = s;
}
kernel void spread256(global const uint *in, global uint *out, int n)
{
    int g = get_global_id(0); uchar s[256]; for (int i = 0; i < 256; i++) s[i] = i;
    uint key = in[g], j = 0;
    for (int i = 0; i < 256; i++) { j = (j + s[i] + ((key >> ((i & 3) * 8)) & 255)) & 255; uchar t = s[i]; s[i] = s[j]; s[j] = t; }
    uint r = 0; for (int i = 0; i < 16; i++) r = r * 31 + s[i];
    out[g] = r;
}
kernel void horner24(global const float *c, global const float *x, global float *out, int n)
{
    int g = get_global_id(0); float k[24]; for (int i = 0; i < 24; i++) k[i] = c[i] * 1.5f;
    float v = x[g], s = 0; for (int r = 0; r < 20; r++) { float p = 0; for (int i = 0; i < 24; i++) p = p * v + k[i]; s += p; v *= 0.99f; }
    out[g] = s;
}
kernel void fnv(global const uchar *in, global uint *out, int n, int bytes)
{ int g = get_global_id(0); uint h = 2166136261u; for (int i = 0; i < bytes; i++) h = (h ^ in[i * n + g]) * 16777619u; out[g] = h; }
kernel void finalise(global const uint *in, global const uint *t, global uint *out, int n, int rounds)
{ int g = get_global_id(0); uint h = in[g]; for (int i = 0; i < rounds; i++) { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16; } out[g] = t[h & 1023]; }
kernel void ttable(global const uint *in, global const uint *t, global uint *out, int n, int rounds)
{
    local uint s[256]; int g = get_global_id(0), l = get_local_id(0); s[l & 255] = t[l & 255]; barrier(CLK_LOCAL_MEM_FENCE);
    uint a = in[g], b = a * 3u, c = a ^ 77u, d = ~a;
    for (int r = 0; r < rounds; r++) {
        uint x = s[a & 255] ^ rotate(s[(b >> 8) & 255], 8u) ^ rotate(s[(c >> 16) & 255], 16u) ^ rotate(s[d >> 24], 24u) ^ r;
        a = b; b = c; c = d; d = x;
    }
    out[g] = a ^ b ^ c ^ d;
}
kernel void shalike(global const uint *in, global uint *out, int n, int rounds)
{
    int g = get_global_id(0); uint w[16]; for (int i = 0; i < 16; i++) w[i] = in[i * n + g];
    uint a = 1, b = 2, c = 3, d = 4;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < 16; i++) { uint f = (a & b) | (~a & c); uint t = rotate(a, 5u) + f + d + w[i]; w[i] = rotate(w[i] ^ w[(i + 13) & 15] ^ w[(i + 8) & 15], 1u); d = c; c = rotate(b, 30u); b = a; a = t; }
    }
    out[g] = a + b + c + d;
}
kernel void lookup(global const ushort *in, global const float *t, global float *out, int n)
{ int g = get_global_id(0); float s = 0; for (int k = 0; k < 4; k++) s += t[in[k * n + g]]; out[g] = s; }
constant sampler_t near_ = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void box3(read_only image2d_t a, global float4 *out, int w)
{ int x = get_global_id(0), y = get_global_id(1); float4 s = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += read_imagef(a, near_, (int2)(x + i, y + j)); out[y * w + x] = s; }
kernel void mirrored(read_only image2d_t a, global float4 *out, int w)
{ int x = get_global_id(0), y = get_global_id(1); out[y * w + x] = read_imagef(a, near_, (int2)(w - 1 - x, y)); }
kernel void moved(read_only image2d_t a, global const int *q, global float4 *out, int w)
{ int x = get_global_id(0), y = get_global_id(1); out[y * w + x] = read_imagef(a, near_, (int2)(x + (q[y * w + x] & 3), y)); }
kernel void banks(global const uint *in, global uint *out, int n)
{ local uint s[1024]; int g = get_global_id(0), l = get_local_id(0); for (int i = l; i < 1024; i += 256) s[i] = i * 7; barrier(CLK_LOCAL_MEM_FENCE); uint v = in[g]; for (int r = 0; r < 32; r++) v = v * 1664525u + s[v >> 22]; out[g] = v; }
