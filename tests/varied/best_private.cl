__kernel void best_private(__global const float2 *q, __global const float2 *p,
                           __global int4 *out, int n)
{
    int i = get_global_id(0);
    float d[4] = { 1e30f, 1e30f, 1e30f, 1e30f };
    int at[4] = { 0, 0, 0, 0 };

    if (i >= n)
        return;
    float2 me = q[i];

    for (int k = 0; k < 256; k++) {
        float2 v = p[k] - me;
        float r = v.x * v.x + v.y * v.y;

        if (r < d[3]) {
            d[3] = r;
            at[3] = k;
            for (int j = 3; j > 0; j--)
                if (d[j] < d[j - 1]) {
                    float t = d[j];
                    int u = at[j];

                    d[j] = d[j - 1];
                    d[j - 1] = t;
                    at[j] = at[j - 1];
                    at[j - 1] = u;
                }
        }
    }
    out[i] = (int4)(at[0], at[1], at[2], at[3]);
}
