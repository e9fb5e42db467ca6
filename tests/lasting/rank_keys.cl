__kernel void rank_keys(__global const uint *key, __global uint *count, __global uint *rank,
                        int n, uint mask)
{
    int i = get_global_id(0);

    if (i < n)
        rank[i] = atomic_add(&count[(key[i] * 2654435761u >> 7) & mask], 1u);
}
