/* Channel c of three groups comes from group c % 3. */
__kernel void halves_shuffle(__global const float *from, __global float *to, int n, int channels, int plane)
{
    int i = get_global_id(0);

    if (i < n) {
        int p = i % plane, c = i / plane % channels, b = i / (plane * channels);
        int source = c % 3 * (channels / 3) + c / 3;

        to[i] = from[(b * channels + source) * plane + p];
    }
}
