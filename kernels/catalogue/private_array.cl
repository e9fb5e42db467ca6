/* A private array at subscripts that are known at run time only, so that it cannot be in
 * registers: an element is loaded and stored in each iteration, by neighbours at different
 * subscripts.
 */
__kernel void private_array(__global float *result, int m)
{
    float a[ENTRIES];
    int l = get_local_id(0);
    int at = l;
    float sum = 0.0f;

    for (int i = 0; i < ENTRIES; ++i)
        a[i] = (float)((l + i) & 0xff);
    for (int it = 0; it < m; ++it) {
        at = (5 * at + 1) & (ENTRIES - 1);
        a[at] = a[at] * 0.5f + 1.0f;
    }
    for (int i = 0; i < ENTRIES; ++i)
        sum = sum + a[i];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
