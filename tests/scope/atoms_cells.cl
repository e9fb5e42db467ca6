#define PER_CELL 16

/* Forces of short range: each cell holds 16 atoms, and meets itself and its two neighbours on
 * a ring of cells. */
__kernel void cell_forces(__global const float4 *atom, __global float4 *force, int cells)
{
    __local float4 other[PER_CELL * 4];
    int l = get_local_id(0);
    int slot = l / PER_CELL; /* four cells in a work-group */
    int cell = get_group_id(0) * 4 + slot;
    float4 me = atom[cell * PER_CELL + l % PER_CELL];
    float4 sum = (float4)(0.0f);

    for (int d = -1; d <= 1; d++) {
        int from = cell + d;

        if (from < 0)
            from = cells - 1;
        if (from >= cells)
            from = 0;
        other[l] = atom[from * PER_CELL + l % PER_CELL];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < PER_CELL; k++) {
            float4 v = other[slot * PER_CELL + k];
            float dx = v.x - me.x;
            float dy = v.y - me.y;
            float dz = v.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.2f;
            float r6 = 1.0f / (r2 * r2 * r2);
            float pull = r6 * (2.0f * r6 - 1.0f) / r2;

            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
            sum.w += r6 * (r6 - 1.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[cell * PER_CELL + l % PER_CELL] = sum;
}
