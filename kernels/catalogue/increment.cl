/* a = a + 1 (Haigh and McCreath 2015, section 3).  A work-group has N work-items with F
 * elements each, dealt out in turn: what it works on in one round lies side by side.
 */
__kernel void increment(__global T *a, int M)
{
    int first = N * F * get_group_id(0) + get_local_id(0);

    for (int f = 0; f < F; ++f)
        if (first + N * f < M)
            a[first + N * f] = a[first + N * f] + (T)1;
}
