/* Partial sums of n numbers, one for each work-group of WG work-items, which add up ITEMS
 * vectors of WIDTH each: every WG-th (STRIDED) or ITEMS in a row.  The work-items' sums are
 * added in local memory: pairwise with a barrier after each step (TREE 0), by the first
 * sub-group after one barrier (TREE 1), or by the first work-item (TREE 2).
 */
#if WIDTH == 1
#define VECTOR     float
#define TOTAL(v)   (v)
#elif WIDTH == 2
#define VECTOR     float2
#define TOTAL(v)   ((v).x + (v).y)
#else
#define VECTOR     float4
#define TOTAL(v)   (((v).x + (v).y) + ((v).z + (v).w))
#endif

__kernel void reduce(__global const VECTOR *in, __global float *sums, int n)
{
    const int l = get_local_id(0), first = WG * ITEMS * get_group_id(0);
    __local float part[WG];
    VECTOR sum = (VECTOR)(0.0f);

    for (int i = 0; i < ITEMS; i++) {
#if STRIDED
        const int at = first + WG * i + l;
#else
        const int at = first + ITEMS * l + i;
#endif
        if (at < n / WIDTH)
            sum += in[at];
    }
    part[l] = TOTAL(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
#if TREE == 0
    for (int stride = WG / 2; stride > 0; stride /= 2) {
        if (l < stride)
            part[l] += part[l + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = part[0];
#elif TREE == 1
    if (l < 32) {
        float mine = 0.0f;

        for (int i = l; i < WG; i += 32)
            mine += part[i];
        part[l] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float all = 0.0f;

        for (int i = 0; i < 32; i++)
            all += part[i];
        sums[get_group_id(0)] = all;
    }
#else
    if (l == 0) {
        float all = 0.0f;

        for (int i = 0; i < WG; i++)
            all += part[i];
        sums[get_group_id(0)] = all;
    }
#endif
}
