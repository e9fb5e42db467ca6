/* spectral.cl - Fourier and related transforms, image reconstruction */

//: kernel dft_naive
//: local 32
//: global 32*ceil(n/32)
//: at n=20
//: at n=32
kernel void dft_naive(global const float2 *in, global float2 *out, int n)
{
    int k = get_global_id(0);
    float2 sum = (float2)(0.0f, 0.0f);

    if (k >= n)
        return;
    for (int j = 0; j < n; j++) {
        float angle = -2.0f * M_PI_F * (float)(j * k) / n, c, s;
        float2 x = in[j];
        s = sincos(angle, &c);
        sum.x += x.x * c - x.y * s;
        sum.y += x.x * s + x.y * c;
    }
    out[k] = sum;
}

//: kernel radix2_stage
//: seen add = 2*seen : an fadd is of two lanes
//: local 64
//: global n/2
//: at n=256 half_=4
//: at n=128 half_=64
//: assume n % 128 = 0 and half_ >= 1
//: buffer in 2*n
//: buffer out 2*n
kernel void radix2_stage(global const float2 *in, global float2 *out, int n, int half_)
{
    int i = get_global_id(0), k = i & (half_ - 1), j = ((i - k) << 1) + k;
    float angle = -M_PI_F * (float)k / (float)half_;
    float2 a = in[i], b = in[i + n / 2], t;

    t.x = b.x * native_cos(angle) - b.y * native_sin(angle);
    t.y = b.x * native_sin(angle) + b.y * native_cos(angle);
    out[j] = a + t;
    out[j + half_] = a - t;
}

//: kernel fft_local_64
//: local 32
//: global 32*g
//: at g=1
//: at g=3
kernel void fft_local_64(global float *re, global float *im)
{
    local float lr[64], li[64];
    int l = get_local_id(0), base = get_group_id(0) * 64;

    lr[l] = re[base + l];
    li[l] = im[base + l];
    lr[l + 32] = re[base + l + 32];
    li[l + 32] = im[base + l + 32];
    for (int span = 32; span >= 1; span >>= 1) {
        int j = l / span * 2 * span + l % span;
        float angle = -M_PI_F * (l % span) / span, c = cos(angle), s = sin(angle);
        barrier(CLK_LOCAL_MEM_FENCE);
        float ar = lr[j], ai = li[j], br = lr[j + span], bi = li[j + span];
        lr[j] = ar + br;
        li[j] = ai + bi;
        lr[j + span] = (ar - br) * c - (ai - bi) * s;
        li[j + span] = (ar - br) * s + (ai - bi) * c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    re[base + l] = lr[l];
    im[base + l] = li[l];
    re[base + l + 32] = lr[l + 32];
    im[base + l + 32] = li[l + 32];
}

//: kernel bit_reverse_64
//: local 64
//: global 64*g
//: at g=1
//: at g=2
//: buffer out 64*g
kernel void bit_reverse_64(global const float *in, global float *out)
{
    uint i = get_local_id(0), r = 0;

    for (int b = 0; b < 6; b++)
        r |= (i >> b & 1) << (5 - b);
    out[get_group_id(0) * 64 + r] = in[get_global_id(0)];
}

//: kernel dct_8x8
//: local 8,8
//: global 8*gx,8*gy
//: at gx=2 gy=1
//: at gx=1 gy=3
kernel void dct_8x8(global const float *in, global float *out, constant float *basis)
{
    local float block[64], half_done[64];
    int x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    float sum = 0.0f;

    block[y * 8 + x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++)
        sum += basis[x * 8 + k] * block[y * 8 + k];
    half_done[y * 8 + x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += basis[y * 8 + k] * half_done[k * 8 + x];
    out[get_global_id(1) * w + get_global_id(0)] = sum;
}

//: kernel haar_step
//: local 64
//: global 64*g
//: at g=2 n=200
//: at g=1 n=128
//: assume n % 2 = 0
kernel void haar_step(global const float *in, global float *low, global float *high, int n)
{
    int i = get_global_id(0);

    if (i < n / 2) {
        float a = in[2 * i], b = in[2 * i + 1];
        low[i] = (a + b) * M_SQRT1_2_F;
        high[i] = (a - b) * M_SQRT1_2_F;
    }
}

//: kernel mri_fhd
//: local 64
//: global 64*ceil(voxels/64)
//: at voxels=70 samples=9
//: at voxels=64 samples=20
kernel void mri_fhd(global const float4 *k, global const float *x, global const float *y,
                    global const float *z, global float2 *f, int samples, int voxels)
{
    int v = get_global_id(0);

    if (v >= voxels)
        return;
    float px = x[v], py = y[v], pz = z[v];
    float2 sum = f[v];
    for (int s = 0; s < samples; s++) {
        float4 sample = k[s];
        float arg = 6.2831853f * (sample.x * px + sample.y * py + sample.z * pz);
        sum.x += sample.w * native_cos(arg);
        sum.y += sample.w * native_sin(arg);
    }
    f[v] = sum;
}

//: kernel polyphase
//: local 32
//: global 32*ceil(frames*8/32)
//: at frames=5 taps=4
//: at frames=8 taps=6
kernel void polyphase(global const float *in, constant float *h, global float *out, int frames,
                      int taps)
{
    int i = get_global_id(0), channel = i % 8, frame = i / 8;
    float sum = 0.0f;

    if (frame < frames) {
        for (int t = 0; t < taps; t++)
            sum += h[t * 8 + channel] * in[(frame + t) * 8 + channel];
        out[frame * 8 + channel] = sum;
    }
}

//: kernel back_project
//: no-lanes operations are counted before the loop
//: seen float32 madd = 2*n*n*(1+angles) : it is the same in each iteration
//: local 8,8
//: global 8*ceil(n/8),8*ceil(n/8)
//: at n=10 angles=4 bins=16
//: at n=16 angles=3 bins=24
//: marked add, mix, global load
//: buffer sinogram angles*bins
kernel void back_project(global const float *sinogram, global const float2 *direction,
                         global float *image, int n, int angles, int bins)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;

    if (x >= n || y >= n)
        return;
    for (int a = 0; a < angles; a++) {
        float2 d = direction[a];
        float t = (x - n * 0.5f) * d.x + (y - n * 0.5f) * d.y + bins * 0.5f;
        int bin = (int)floor(t);
        if (bin >= 0 && bin < bins - 1)
            sum += mix(sinogram[a * bins + bin], sinogram[a * bins + bin + 1], t - bin);
    }
    image[y * n + x] = sum;
}
