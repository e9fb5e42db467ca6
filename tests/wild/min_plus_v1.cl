/* The same with the roles of i and j exchanged: neighbours along dimension 0 now read
 * neighbouring elements.
 */
__kernel void min_plus_v1(__global float *r, __global const float *d, int n)
{
    int i = get_local_id(0) + get_group_id(0) * get_local_size(0);
    int j = get_local_id(1) + get_group_id(1) * get_local_size(1);
    if (i >= n || j >= n)
        return;
    float best = HUGE_VALF;
    for (int k = 0; k < n; ++k) {
        float first = d[n * j + k];
        float second = d[n * k + i];
        float both = first + second;
        best = min(best, both);
    }
    r[n * j + i] = best;
}
