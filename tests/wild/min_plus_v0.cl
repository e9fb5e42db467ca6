/* r[i][j] = min over k of d[i][k] + d[k][j], one work-item an element, the way a C
 * programmer writes it first: dimension 0 runs over rows, so a row of work-items reads
 * and writes with stride n.
 */
__kernel void min_plus_v0(__global float *r, __global const float *d, int n)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    if (i >= n || j >= n)
        return;
    float best = HUGE_VALF;
    for (int k = 0; k < n; ++k) {
        float first = d[n * i + k];
        float second = d[n * k + j];
        float both = first + second;
        best = min(best, both);
    }
    r[n * i + j] = best;
}
