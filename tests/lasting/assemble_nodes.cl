__kernel void assemble_nodes(__global const int *node, __global const int *load,
                             __global int *sum, int n)
{
    int e = get_global_id(0);

    if (e >= n)
        return;
    int f = load[e] / 8;

    for (int k = 0; k < 8; k++)
        atomic_add(&sum[node[8 * e + k]], f + k);
}
