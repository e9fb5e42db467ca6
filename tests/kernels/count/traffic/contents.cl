/* contents.cl - places that buffers with known contents have: sorted, shuffled and skewed ones of
 * the same range; the format is that of styles/README.md
 */

//: kernel gather_sorted
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents column
//: buffer column n = i
//: buffer x n
//: buffer y n
kernel void gather_sorted(global const int *column, global const float *x, global float *y,
                          int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = x[column[i]];
}

//: kernel gather_shuffled
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents column
//: buffer column n = i*7919-n*floor(i*7919/n)
//: buffer x n
//: buffer y n
kernel void gather_shuffled(global const int *column, global const float *x, global float *y,
                            int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = x[column[i]];
}

//: kernel gather_near
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents column
//: buffer column n = max(0,min(n-1,i+floor(40*(i*0.618-floor(i*0.618)))-20))
//: buffer x n
//: buffer y n
kernel void gather_near(global const int *column, global const float *x, global float *y,
                        int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = x[column[i]];
}

//: kernel scatter_shuffled
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents column
//: buffer column n = i*7919-n*floor(i*7919/n)
//: buffer x n
//: buffer y n
kernel void scatter_shuffled(global const int *column, global const float *x,
                             global float *y, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[column[i]] = x[i];
}

//: kernel neighbours
//: local 64
//: global n
//: at-sizes
//: at n=8192
//: at n=640
//: contents column
//: buffer column 8*n = floor(i/8)
//: buffer x n
//: buffer y n
kernel void neighbours(global const int *column, global const float *x, global float *y,
                       int n)
{
    int i = get_global_id(0);
    float sum = 0;

    for (int k = 0; k < 8; k++)
        sum += x[column[8 * i + k]];
    y[i] = sum;
}

//: kernel histogram_even
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents key
//: buffer key n = i*7919-256*floor(i*7919/256)
//: buffer bins 256
kernel void histogram_even(global const int *key, global int *bins, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&bins[key[i]]);
}

//: kernel histogram_skewed
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents key
//: buffer key n = floor(256*((i*0.618-floor(i*0.618))^8))
//: buffer bins 256
kernel void histogram_skewed(global const int *key, global int *bins, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&bins[key[i]]);
}

//: kernel histogram_local
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=40000
//: at n=30011
//: contents key
//: buffer key n = floor(256*((i*0.618-floor(i*0.618))^8))
//: buffer bins 256
kernel void histogram_local(global const uint *key, global int *bins, int n)
{
    int i = get_global_id(0), l = get_local_id(0);
    local int own[256];

    for (int k = l; k < 256; k += 64)
        own[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        atomic_inc(&own[key[i] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 256; k += 64)
        atomic_add(&bins[k], own[k]);
}
