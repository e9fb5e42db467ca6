/* out[k][i][j] = in[i][j][k], three dimensions of work-items, vectors of four along k. */
__kernel void tensor_permute(__global const float4 *in, __global float *out, uint ni,
                             uint nj, uint nk)
{
    const uint k4 = get_global_id(0), j = get_global_id(1), i = get_global_id(2);

    if (k4 >= nk / 4 || j >= nj || i >= ni)
        return;
    const float4 v = in[(i * nj + j) * (nk / 4) + k4];
    __global float *o = out + (4 * k4 * ni + i) * nj + j;
    const uint plane = ni * nj;

    o[0] = v.s0;
    o[plane] = v.s1;
    o[2 * plane] = v.s2;
    o[3 * plane] = v.s3;
}
