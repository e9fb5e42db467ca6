// local=64; global=n; kernel=gridding; sub=3; estimates=1;
kernel void gridding(global const float4 *samples, global float *grid, int n, int size, float cut)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 s = samples[i];
    int low = max(0, (int)(s.x - cut)), high = min(size - 1, (int)(s.x + cut));
    for (int x = low; x <= high; x++)
        grid[x] += s.w * (1 - fabs(s.x - x) / cut);
    for (int d = 0; d < 3; d++) {
        int o = min(i + d, size - 1);
        grid[o * size] += s.y;
    }
}
