/* One step of a bitonic sort: the lower work-item of each pair puts it in order. */
__kernel void bitonic_step(__global int *key, int distance, int run)
{
    uint me = get_global_id(0);
    uint partner = me ^ distance;

    if (partner > me) {
        int mine = key[me], other = key[partner];
        bool ascending = (me & run) == 0;

        if (ascending && mine > other) {
            key[me] = other;
            key[partner] = mine;
        }
        if (!ascending && mine < other) {
            key[me] = other;
            key[partner] = mine;
        }
    }
}
