/* A step of the heat equation on rows of a grid: each cell becomes the mean of its four neighbours.
 * Around the cells are a row and a column more on every side.
 */
__kernel void heat(__global float *out, __global const float *in, int width)
{
    int w = width + 2;
    int at = w * ((int)get_global_id(1) + 1) + (int)get_global_id(0) + 1;

    out[at] = 0.25f * (in[at - w] + in[at - 1] + in[at + 1] + in[at + w]);
}
