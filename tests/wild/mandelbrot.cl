/* Iterations until a point leaves the circle of radius 2; their average over the picture
 * is the parameter 'escape'.
 */
__kernel void mandelbrot(__global int *out, const int width, const int height,
                         const float x0, const float y0, const float scale,
                         const int max_iter)
{
    const int px = get_global_id(0);
    const int py = get_global_id(1);

    if (px >= width || py >= height)
        return;
    const float cr = x0 + px * scale;
    const float ci = y0 + py * scale;
    float zr = 0.0f, zi = 0.0f;
    int iter = 0;
#pragma gpucal trips escape
    while (zr * zr + zi * zi <= 4.0f && iter < max_iter) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        iter++;
    }
    out[py * width + px] = iter;
}
