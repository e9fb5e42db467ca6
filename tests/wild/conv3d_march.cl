/* A 3-D stencil: work-items over a plane march through the third dimension and keep the
 * planes behind, here and ahead in private variables.
 */
__kernel void march(__global const float *in, __global float *out, const int nx,
                    const int ny, const int nz)
{
    const int ix = get_global_id(0);
    const int iy = get_global_id(1);

    if (ix < 1 || iy < 1 || ix >= nx - 1 || iy >= ny - 1)
        return;

    const int stride = nx * ny;
    int idx = iy * nx + ix;
    float behind;
    float current = in[idx];
    float ahead = in[idx + stride];

    for (int iz = 1; iz < nz - 1; iz++) {
        idx += stride;
        behind = current;
        current = ahead;
        ahead = in[idx + stride];
        out[idx] = 0.4f * current
                 + 0.1f * (behind + ahead)
                 + 0.1f * (in[idx - 1] + in[idx + 1] + in[idx - nx] + in[idx + nx]);
    }
}
