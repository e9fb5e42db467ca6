/* Colours of measured pairs, from a map. */
__kernel void texture_lookup(__read_only image2d_t map, __global const ushort *u,
                             __global const ushort *v, __global float4 *colours, int n)
{
    const sampler_t inside =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int i = get_global_id(0);

    if (i < n)
        colours[i] = read_imagef(map, inside, (int2)(u[i], v[i]));
}
