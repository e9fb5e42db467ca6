/* Each work-group loads a set of its own, PER_ITEM elements per work-item, in several passes: from
 * the first-level cache where the sets of all work-groups of a multiprocessor fit there, and else
 * from the next level.  The work-group has its set to itself, so that no other brings its data.
 *
 *   adjacent   neighbours load adjacent elements
 *   rows       each work-item walks along a row of its own
 *   uniform    all load the same element, one after another
 *
 * 'per_item' must stay an argument: were it known, a compiler could keep a set in registers.
 */
#define adjacent(k) (LSIZE_0 * (k) + get_local_id(0))
#define rows(k)     (per_item * get_local_id(0) + (k))
#define uniform(k)  (k)

__kernel void gmem_private(__global float *result, __global const float *in, int per_item,
                           int passes)
{
    int set = LSIZE_0 * per_item * get_group_id(0);
    float sum = 0.0f;

    for (int pass = 0; pass < passes; ++pass)
        for (int k = 0; k < per_item; ++k)
            sum = sum + GPUCAL_TAG(set, in[set + PATTERN(k)]);
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
