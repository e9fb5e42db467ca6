__kernel void bits_turned(__global const float2 *in, __global float2 *out, int n)
{
    uint i = get_global_id(0), at = 0, x = i;

    for (int k = 1; k < n; k *= 2) {
        at = (at << 1) | (x & 1);
        x >>= 1;
    }
    out[at] = in[i];
}
