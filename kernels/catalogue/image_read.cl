/* Each work-item reads EACH texels of a column of the image, or of a row, so that neighbours
 * read texels of one row, or of one column.  'again': of a square of 64 texels, which caches
 * hold.  'random': anywhere.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)

#define READ_float4(c) read_imagef(in, sampler, c).x
#define READ_float1(c) read_imagef(in, sampler, c).x
#define READ_uchar4(c) (float)read_imageui(in, sampler, c).x

#define AT_row(k)    (int2)(a, b + (k))
#define AT_column(k) (int2)(b + (k), a)
#define AT_again(k)  (int2)((a + (k)) & 63, (b + ((k) >> 3)) & 63)
#define AT_random(k) (int2)((next >> 4) % n, (next >> 16) % n)

__kernel void image_read(__read_only image2d_t in, __global float *result, int n)
{
    const sampler_t sampler =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int a = get_global_id(0), b = EACH * get_global_id(1);
    float sum = 0.0f;
#if RANDOM
    uint next = 2654435761u * (a + n * b);
#endif

    for (int k = 0; k < EACH; ++k) {
#if RANDOM
        next = next * 1664525u + 1013904223u;
#endif
        sum = sum + JOIN(READ_, FORMAT)(JOIN(AT_, ORDER)(k));
    }
    GPUCAL_TAG(out, result[n * get_global_id(1) + a]) = sum;
}
