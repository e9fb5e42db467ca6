/* The same law over lists of neighbours: entry k of all atoms lies together. */
__kernel void list_forces(__global const float4 *atom, __global const int *neighbour,
                          __global float *energy, int n, int near)
{
    int i = get_global_id(0);

    if (i < n) {
        float4 me = atom[i];
        float sum = 0.0f;

        for (int k = 0; k < near; k++) {
            float4 v = atom[neighbour[k * n + i]];
            float dx = v.x - me.x;
            float dy = v.y - me.y;
            float dz = v.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.5f;
            float inverse = native_recip(r2 * r2 * r2);

            sum += r2 < 1.2f ? inverse * (inverse - 1.0f) : 0.0f;
        }
        energy[i] = sum;
    }
}
