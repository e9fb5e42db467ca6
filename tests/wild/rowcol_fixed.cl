/* The same idea with sides that are macros: channels of an image put apart. */
#define SIDE 32
#define CHANNELS 3

__kernel void split_channels(__global float *planes, __global const uchar *image)
{
    uint idx = get_global_id(0);
    uint image_id = idx / (SIDE * SIDE * CHANNELS);
    uint c = idx % CHANNELS;
    uint x = idx / CHANNELS % SIDE;
    uint y = idx / (CHANNELS * SIDE) % SIDE;

    planes[((image_id * CHANNELS + c) * SIDE + y) * SIDE + x] = image[idx] / 255.0f;
}
