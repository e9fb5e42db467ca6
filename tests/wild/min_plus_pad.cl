/* What goes before V2 to V4: copies d into a matrix of padded width and its transpose.
 * One work-group a row, its work-items loop over the columns.
 */
__kernel void min_plus_pad(__global const float *r, __global float *d, __global float *t,
                           int n, int nn)
{
    int ja = get_local_id(0);
    int i = get_group_id(1);

    for (int jb = 0; jb < nn; jb += 64) {
        int j = jb + ja;
        float v = (i < n && j < n) ? r[n * i + j] : HUGE_VALF;
        d[nn * i + j] = v;
        t[nn * j + i] = v;
    }
}
