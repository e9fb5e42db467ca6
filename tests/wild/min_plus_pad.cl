/* What goes before V2 to V4: copies d into a matrix of padded width and its transpose.
 * One work-group a row, its work-items loop over the columns.
 */
__kernel void min_plus_pad(__global const float *r, __global float *d, __global float *t,
                           int n, int nn)
{
    int lj = get_local_id(0);
    int i = get_group_id(1);

    for (int block = 0; block < nn; block += 64) {
        int j = block + lj;
        float value = (i < n && j < n) ? r[n * i + j] : HUGE_VALF;
        d[nn * i + j] = value;
        t[nn * j + i] = value;
    }
}
