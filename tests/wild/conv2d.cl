/* 3 x 3 convolution of the inner elements, weights in the code. */
__kernel void conv3x3(__global float *image, __global float *result, int height,
                      int width)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    float nw, n, ne, w, c, e, sw, s, se;
    nw = 0.1f;  n = 0.35f;  ne = -0.2f;
    w = 0.45f;  c = -0.6f;  e = 0.25f;
    sw = -0.7f; s = 0.8f;   se = 0.15f;

    if ((y > 0) && (y < height - 1) && (x > 0) && (x < width - 1))
    {
        result[y * width + x] =
            nw * image[(y - 1) * width + (x - 1)] + n * image[(y - 1) * width + x] +
            ne * image[(y - 1) * width + (x + 1)] + w * image[y * width + (x - 1)] +
            c * image[y * width + x]              + e * image[y * width + (x + 1)] +
            sw * image[(y + 1) * width + (x - 1)] + s * image[(y + 1) * width + x] +
            se * image[(y + 1) * width + (x + 1)];
    }
}
