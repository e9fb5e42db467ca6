/* async.cl - asynchronous copies between global and local memory; linear ids
 *
 * Oclgrind runs a copy as one call, so its loads and stores are missing from what it sees.
 */

//: kernel moving_sum
//: local 32
//: global 32*g
//: at g=2
//: at g=5
//: buffer in 32*g+8
//: seen global load = seen+40*g : the copy is one call
//: seen global load bytes = seen+160*g : the copy is one call
//: seen local store = seen+40*g : the copy is one call
//: seen local store bytes = seen+160*g : the copy is one call
//: no-lanes the interpreter does not run copies
kernel void moving_sum(global const float *in, global float *out)
{
    local float tile[40];
    event_t copied = async_work_group_copy(tile, in + get_group_id(0) * 32, 40, 0);
    float sum = 0.0f;

    wait_group_events(1, &copied);
    for (int k = 0; k <= 8; k++)
        sum += tile[get_local_id(0) + k];
    out[get_global_id(0)] = sum;
}

//: kernel transposed_tiles
//: local 8,8
//: global w,h
//: at w=16 h=24
//: at w=32 h=8
//: assume w % 8 = 0 and h % 8 = 0 and w >= 8 and h >= 8
//: seen global load = seen+w*h : the copy is one call
//: seen global load bytes = seen+4*w*h : the copy is one call
//: seen local store = seen+w*h : the copy is one call
//: seen local store bytes = seen+4*w*h : the copy is one call
//: no-lanes the interpreter does not run copies
kernel void transposed_tiles(global const float *in, global float *out, int w, int h)
{
    local float tile[8 * 9];
    int left = 8 * get_group_id(0), top = 8 * get_group_id(1);
    event_t copied = 0;

    for (int row = 0; row < 8; row++)
        copied =
            async_work_group_copy(tile + row * 9, in + (top + row) * w + left, 8, copied);
    wait_group_events(1, &copied);
    out[(left + get_local_id(1)) * h + top + get_local_id(0)] =
        tile[get_local_id(0) * 9 + get_local_id(1)];
}

//: kernel strided_columns
//: local 64
//: global 64*g
//: at g=1
//: at g=4
//: buffer a 256*g
//: buffer columns 128*g
//: seen global load = seen+128*g : the copy is one call
//: seen global load bytes = seen+512*g : the copy is one call
//: seen global store = seen+128*g : the copy is one call
//: seen global store bytes = seen+512*g : the copy is one call
//: seen local load = seen+128*g : the copy is one call
//: seen local load bytes = seen+512*g : the copy is one call
//: seen local store = seen+128*g : the copy is one call
//: seen local store bytes = seen+512*g : the copy is one call
//: no-lanes the interpreter does not run copies
kernel void strided_columns(global const float *a, global float *columns)
{
    local float even[128];
    size_t g = get_group_id(0);
    event_t copied = async_work_group_strided_copy(even, a + g * 256, 128, 2, 0);

    wait_group_events(1, &copied);
    even[get_local_id(0)] += even[get_local_id(0) + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    copied = async_work_group_copy(columns + g * 128, even, 128, 0);
    wait_group_events(1, &copied);
}

//: kernel vectors_at_the_edge
//: local 16
//: global 16*ceil(n/16)
//: at n=40
//: at n=64
//: assume n >= 1
//: buffer in 4*n
//: buffer out 4*n
//: seen global load = seen+n : the copy is one call
//: seen global load bytes = seen+16*n : the copy is one call
//: seen local store = seen+n : the copy is one call
//: seen local store bytes = seen+16*n : the copy is one call
//: seen mul = 4*seen : an fmul is of four lanes
//: no-lanes the interpreter does not run copies
kernel void vectors_at_the_edge(global const float4 *in, global float4 *out, int n)
{
    local float4 tile[16];
    int first = get_group_id(0) * 16, i = get_global_id(0);
    event_t copied = async_work_group_copy(tile, in + first, min(16, n - first), 0);

    wait_group_events(1, &copied);
    if (i < n)
        out[i] = tile[get_local_id(0)] * 2.0f;
}

//: kernel data_length
//: local 16
//: global 16
//: at n=1
//: at n=2
//: options -cl-std=CL1.2
//: refused the number of elements is unknown
kernel void data_length(global const int *lengths, global const float *in,
                        global float *out, int n)
{
    local float tile[64];
    event_t copied = async_work_group_copy(tile, in, lengths[n], 0);

    wait_group_events(1, &copied);
    out[get_local_id(0)] = tile[get_local_id(0)];
}
