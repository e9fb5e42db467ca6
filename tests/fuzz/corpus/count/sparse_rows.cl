// local=64; global=rows; kernel=sparse_rows; sub=32;
kernel void sparse_rows(global const int *start, global const int *column, global const float *v,
                        global const float *x, global float *y, int rows)
{
    int r = get_global_id(0);
    float sum = 0;
    if (r < rows) {
#pragma gpucal trips per_row
        for (int j = start[r]; j < start[r + 1]; j++)
            sum += v[j] * x[column[j]];
        y[r] = sum;
    }
}
