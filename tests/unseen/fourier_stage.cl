/* Butterflies of four points a quarter of n apart; twiddles are computed. */
__kernel void fourier_stage(__global const float2 *from, __global float2 *to, int n, int step)
{
    int i = get_global_id(0), quarter = n / 4;
    int k = i % step, block = i / step;
    float angle = -1.5707964f * (float)k / (float)step;
    float2 x[4];

    for (int q = 0; q < 4; q++) {
        float2 v = from[i + q * quarter];
        float s = native_sin(angle * q), c = native_cos(angle * q);

        x[q] = (float2)(v.x * c - v.y * s, v.x * s + v.y * c);
    }
    {
        float2 a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
        int at = block * step * 4 + k;

        to[at] = a + c;
        to[at + step] = (float2)(b.x + d.y, b.y - d.x);
        to[at + 2 * step] = a - c;
        to[at + 3 * step] = (float2)(b.x - d.y, b.y + d.x);
    }
}
