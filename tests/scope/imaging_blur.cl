/* A picture of four channels, each pixel the mean of its neighbourhood of 3 x 3. */
__kernel void imaging_blur(__read_only image2d_t picture, __write_only image2d_t blurred,
                           int width, int height)
{
    const sampler_t edge =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = (float4)(0.0f);

    if (x >= width || y >= height)
        return;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
            sum += read_imagef(picture, edge, (int2)(x + i, y + j));
    write_imagef(blurred, (int2)(x, y), sum * (1.0f / 9.0f));
}
