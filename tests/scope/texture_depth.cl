/* The brightest value along each ray through a volume of single values. */
__kernel void texture_depth(__read_only image3d_t volume, __global float *brightest, int depth)
{
    const sampler_t edge =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    float most = 0.0f;

    for (int z = 0; z < depth; ++z)
        most = max(most, read_imagef(volume, edge,
                                     (float4)(x + 0.5f, y + 0.5f, z + 0.5f, 0.0f)).x);
    brightest[x + get_global_size(0) * y] = most;
}
