/* Each work-item writes one texel. */
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)

#define WRITE_float4 write_imagef(out, (int2)(x, y), (float4)(x, y, 1, 2))
#define WRITE_uchar4 write_imageui(out, (int2)(x, y), (uint4)(x & 255, y & 255, 1, 2))

__kernel void image_write(__write_only image2d_t out)
{
    int x = get_global_id(0), y = get_global_id(1);

    JOIN(WRITE_, FORMAT);
}
