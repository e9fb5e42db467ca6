/* Speckle-reducing anisotropic diffusion, first half of a step: the differences to the
 * four neighbours (the edge is its own neighbour) and how much may diffuse.
 */
__kernel void diffusivity(__global const float *image, __global float *factor,
                          __global float *up, __global float *down, __global float *left,
                          __global float *right, int rows, int cols, float speckle)
{
    int pixel = get_global_id(0);
    if (pixel >= rows * cols)
        return;

    int y = pixel / cols;
    int x = pixel % cols;

    float here = image[pixel];
    float u = image[max(y - 1, 0) * cols + x] - here;
    float d = image[min(y + 1, rows - 1) * cols + x] - here;
    float l = image[y * cols + max(x - 1, 0)] - here;
    float r = image[y * cols + min(x + 1, cols - 1)] - here;

    float gradient2 = (u * u + d * d + l * l + r * r) / (here * here);
    float laplace = (u + d + l + r) / here;
    float scale = 1.0f + 0.25f * laplace;
    float q = (0.5f * gradient2 - laplace * laplace / 16.0f) / (scale * scale);
    float f = 1.0f / (1.0f + (q - speckle) / (speckle * (1.0f + speckle)));

    if (f < 0.0f)
        f = 0.0f;
    else if (f > 1.0f)
        f = 1.0f;

    factor[pixel] = f;
    up[pixel] = u;
    down[pixel] = d;
    left[pixel] = l;
    right[pixel] = r;
}
