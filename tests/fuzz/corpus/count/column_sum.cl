// local=128; global=floor((cols+127)/128)*128; kernel=column_sum; index=1;
kernel void column_sum(global const double *a, global double *s, int rows, int cols, int ld)
{
    int c = get_global_id(0);
    double sum = 0;
    if (c >= cols)
        return;
    for (int r = 0; r + 3 < rows; r += 4) {
        int o = min(r, rows - 4) * ld + c;
        sum += a[o] + a[o + ld] + a[o + 2 * ld] + a[o + 3 * ld];
    }
    for (int r = rows & ~3; r < rows; r++)
        sum += a[r * ld + c];
    s[c] = sum;
}
