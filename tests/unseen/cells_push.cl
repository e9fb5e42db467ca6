/* The cell is data; the particle is put back into [0, 1). */
__kernel void cells_push(__global float *x, __global float *v, __global const float *field, int n,
                         int cells)
{
    int i = get_global_id(0);

    if (i < n) {
        float at = x[i] * cells;
        int c = clamp((int)at, 0, cells - 1);
        float w = at - c, e = (1.0f - w) * field[c] + w * field[c + 1];
        float speed = v[i] + 0.01f * (e - 0.75f), to = x[i] + 0.01f * speed;

        v[i] = speed;
        x[i] = to - floor(to);
    }
}
