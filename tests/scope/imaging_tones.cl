/* Bytes of red, green, blue and opacity: brighter, and exchanged where blue leads. */
__kernel void imaging_tones(__read_only image2d_t picture, __write_only image2d_t toned,
                            uint gain)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 pixel = read_imageui(picture, at);
    uint4 bright = min((pixel * gain) >> 4, (uint4)(255));

    write_imageui(toned, at, pixel.z > pixel.x ? bright.zyxw : bright);
}
