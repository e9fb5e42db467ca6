/* sparse.cl - sparse matrices and graphs: trips that are data, indirect subscripts */

//: kernel csr_scalar
//: local 32
//: global 32*ceil(rows/32)
//: at rows=40 per_row=3
//: at rows=64 per_row=5
//: refused depends on data
//: advice trips 25:per_row
//: buffer start rows+1 = per_row*i
//: buffer column rows*per_row = i-rows*floor(i/rows)
//: buffer value rows*per_row
//: buffer x rows
//: no-lanes trips are averages
kernel void csr_scalar(global const int *start, global const int *column,
                       global const float *value, global const float *x, global float *y,
                       int rows)
{
    int row = get_global_id(0);
    float sum = 0.0f;

    if (row >= rows)
        return;
    /* between two entries of the row's starts */
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

//: kernel ell
//: local 64
//: global 64*ceil(rows/64)
//: at rows=100 width=4
//: at rows=64 width=7
//: buffer column rows*width = i-rows*floor(i/rows)
//: buffer x rows
kernel void ell(global const float *value, global const int *column, global const float *x,
                global float *y, int rows, int width)
{
    int row = get_global_id(0);
    float sum = 0.0f;

    if (row < rows) {
        for (int k = 0; k < width; k++)
            sum += value[k * rows + row] * x[column[k * rows + row]];
        y[row] = sum;
    }
}

//: kernel ell_skip_padding
//: local 64
//: global 64*ceil(rows/64)
//: at rows=100 width=4
//: at rows=64 width=3
//: buffer column rows*width = 0
//: buffer x rows
//: marked float32 madd, global load
kernel void ell_skip_padding(global const float *value, global const int *column,
                             global const float *x, global float *y, int rows, int width)
{
    int row = get_global_id(0);
    float sum = 0.0f;

    if (row >= rows)
        return;
    for (int k = 0; k < width; k++) {
        int c = column[row * width + k];
        if (c >= 0)
            sum += value[row * width + k] * x[c];
    }
    y[row] = sum;
}

//: kernel diagonals
//: local 32
//: global 32*ceil(n/32)
//: at n=40
//: at n=64
//: buffer x n
kernel void diagonals(global const float *value, global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    float sum = 0.0f;

    if (row >= n)
        return;
    for (int d = 0; d < 5; d++) {
        int c = row + d - 2;
        if (c >= 0 && c < n)
            sum += value[d * n + row] * x[c];
    }
    y[row] = sum;
}

//: kernel coo_atomic
//: local 64
//: global 64*ceil(nnz/64)
//: at nnz=100 rows=10
//: at nnz=128 rows=20
//: buffer row nnz = i-rows*floor(i/rows)
//: buffer y rows
kernel void coo_atomic(global const int *row, global const int *value, global int *y, int nnz,
                       int rows)
{
    int k = get_global_id(0);

    if (k < nnz)
        atomic_add(&y[row[k]], value[k]);
}

//: kernel bsr_2x2
//: local 32
//: global 32*ceil(blocks/32)
//: at blocks=20 width=3
//: at blocks=32 width=2
//: buffer column blocks*width = i-blocks*floor(i/blocks)
//: buffer x 2*blocks
kernel void bsr_2x2(global const float4 *value, global const int *column,
                    global const float2 *x, global float2 *y, int blocks, int width)
{
    int b = get_global_id(0);
    float2 sum = (float2)(0.0f);

    if (b < blocks) {
        for (int k = 0; k < width; k++) {
            float4 v = value[k * blocks + b];
            float2 part = x[column[k * blocks + b]];
            sum.x += v.x * part.x + v.y * part.y;
            sum.y += v.z * part.x + v.w * part.y;
        }
        y[b] = sum;
    }
}

//: kernel gather_neighbours
//: local 32
//: global 32*ceil(n/32)
//: at n=50 k=4
//: at n=64 k=6
//: buffer list n*k = i-n*floor(i/n)
//: buffer rank n
kernel void gather_neighbours(global const int *list, global const float *rank,
                              global float *next, float damping, int n, int k)
{
    int v = get_global_id(0);
    float sum = 0.0f;

    if (v >= n)
        return;
    for (int j = 0; j < k; j++)
        sum += rank[list[v * k + j]];
    next[v] = (1.0f - damping) / n + damping * sum;
}

//: kernel relax_edges
//: local 64
//: global 64*g
//: at g=1 edges=50
//: at g=2 edges=128
//: buffer from edges = i
//: buffer to edges = i
//: buffer distance edges = 1000
//: marked global load, global atomic min
kernel void relax_edges(global const int *from, global const int *to, global const int *weight,
                        global int *distance, int edges)
{
    int e = get_global_id(0);

    if (e < edges) {
        int d = distance[from[e]] + weight[e];
        if (d < 100000)
            atomic_min(&distance[to[e]], d);
    }
}

//: kernel floyd_step
//: local 16,16
//: global 16*ceil(n/16),16*ceil(n/16)
//: at n=20 k=3
//: at n=32 k=9
//: assume k >= 0 and k < n
kernel void floyd_step(global int *d, int n, int k)
{
    int i = get_global_id(1), j = get_global_id(0);

    if (i < n && j < n)
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

//: kernel sell_sigma
//: local 32
//: global 32*slices
//: at slices=2 width=4
//: at slices=3 width=6
//: buffer column 32*slices*width = 0
//: buffer x 32*slices
kernel void sell_sigma(global const double *value, global const int *column,
                       global const double *x, global double *y, int width)
{
    int l = get_local_id(0), slice = get_group_id(0);
    double sum = 0;
    global const double *v = value + slice * width * 32 + l;
    global const int *c = column + slice * width * 32 + l;

    for (int k = 0; k < width; k++) {
        sum += *v * x[*c];
        v += 32;
        c += 32;
    }
    y[slice * 32 + l] = sum;
}
