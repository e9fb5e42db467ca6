// local=61,1; global=61*gx,gy; kernel=sad; sub=2; budget=8;
kernel void sad(global const int *cur, global const int *ref, global int *out, int w, int h)
{
    int gx = get_group_id(0), gy = get_group_id(1), first = get_local_id(0) * 18;
    if ((gx >> 2) >= w || (gy >> 2) >= h)
        return;
    for (int p = first; p < first + 18 && p < 1089; p++) {
        int sum = 0;
        for (int y = 0; y < 4; y++) {
            int q = ((gx >> 2) << 4) + ((gx & 3) << 2) - 16 + p % 33 + y;
            int s = ((gy >> 2) << 4) + ((gy & 3) << 2) - 16 + p / 33;
            q = q < 0 ? 0 : q >= w * 16 ? w * 16 - 1 : q;
            s = clamp(s, 0, h * 16 - 1);
            sum += abs(cur[s * w * 16 + q] - ref[y]);
        }
        out[p] = sum;
    }
}
