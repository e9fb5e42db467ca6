/* Each place names the next one: a chain of loads for each work-item. */
__kernel void serial_chase(__global const int *next, __global int *end, int hops)
{
    int i = get_global_id(0);
    int at = next[i];

    for (int h = 0; h < hops; h++)
        at = next[at];
    end[i] = at;
}
