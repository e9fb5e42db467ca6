/* wrap.cl - neighbours at the other end of a grid, whose places are one of two by a condition; the
 * format is that of styles/README.md
 */

//: kernel ghost
//: local 16,16
//: global nx,ny
//: assume nx % 16 = 0 and ny % 16 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost(global float *out, global const float *t, int nx, int ny)
{
    size_t x = get_global_id(0);
    size_t bd = get_group_id(1) == 0 ? get_num_groups(1) - 1 : get_group_id(1) - 1;

    out[get_global_id(1) * nx + x] =
        t[nx * (get_local_size(1) * (uint)bd + get_local_size(1) - 1) + x];
}

//: kernel ghost_literal
//: local 16,16
//: global nx,ny
//: assume nx % 32 = 0 and ny % 16 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_literal(global float *out, global const float *t, int nx, int ny)
{
    size_t x = get_global_id(0);
    size_t bd = get_group_id(1) == 0 ? get_num_groups(1) - 1 : get_group_id(1) - 1;

    out[get_global_id(1) * nx + x] = t[nx * (16 * (uint)bd + 16 - 1) + x];
}

//: kernel ghost_int
//: local 32,8
//: global nx,ny
//: assume nx % 32 = 0 and ny % 8 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_int(global float *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), b = get_group_id(1), n = get_num_groups(1);
    int up = b > 0 ? b - 1 : n - 1, down = b == n - 1 ? 0 : b + 1;

    out[get_global_id(1) * nx + x] = t[nx * (8 * up + 7) + x] + t[nx * (8 * down) + x];
}

//: kernel ghost_min
//: local 16,16
//: global nx,ny
//: assume nx % 32 = 0 and ny % 16 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_min(global float *out, global const float *t, int nx, int ny)
{
    uint x = get_global_id(0), b = get_group_id(1), up = max(b, 1u) - 1,
         down = min(b + 1, (uint)get_num_groups(1) - 1);

    out[get_global_id(1) * nx + x] = t[nx * (16 * up + 15) + x] + t[nx * (16 * down) + x];
}

//: kernel ghost_select
//: local 16,16
//: global nx,ny
//: assume nx % 32 = 0 and ny % 16 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_select(global float *out, global const float *t, int nx, int ny)
{
    uint x = get_global_id(0), b = get_group_id(1),
         up = select(b - 1, (uint)get_num_groups(1) - 1, (uint)(b == 0));

    out[get_global_id(1) * nx + x] = t[nx * (16 * up + 15) + x];
}

//: kernel ghost_left
//: local 16,16
//: global nx,ny
//: assume nx % 32 = 0 and ny % 16 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_left(global float *out, global const float *t, int nx, int ny)
{
    ulong y = get_global_id(1), b = get_group_id(0);
    ulong left = b == 0 ? get_num_groups(0) - 1 : b - 1;

    out[y * nx + get_global_id(0)] = t[y * nx + left * 16 + 15];
}

//: kernel ghost_nested
//: local 16,16
//: global nx,ny
//: assume nx % 32 = 0 and ny % 16 = 0 and ny >= 64
//: at nx=64 ny=64
//: at nx=128 ny=128
//: buffer t nx*ny
//: buffer out nx*ny
kernel void ghost_nested(global float *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), b = get_group_id(1), n = get_num_groups(1);
    int up = b == 0 ? n - 2 : b == 1 ? n - 1 : b - 2;

    out[get_global_id(1) * nx + x] = t[nx * (16 * up + 15) + x];
}

//: kernel wrap
//: local 32,4
//: global nx,ny
//: assume nx % 32 = 0 and ny % 4 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void wrap(global float *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1);
    int left = x == 0 ? nx - 1 : x - 1, right = x == nx - 1 ? 0 : x + 1;
    int up = y == 0 ? ny - 1 : y - 1, down = y == ny - 1 ? 0 : y + 1;

    out[y * nx + x] = t[y * nx + left] + t[y * nx + right] + t[up * nx + x] +
                      t[down * nx + x];
}

//: kernel wrap_corner
//: local 64,1
//: global nx,ny
//: assume nx % 64 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void wrap_corner(global float *out, global const float *t, int nx, int ny)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint left = x > 0 ? x - 1 : nx - 1, up = y > 0 ? y - 1 : ny - 1;

    out[y * nx + x] = t[up * nx + left];
}

//: kernel wrap_pointer
//: local 64,1
//: global nx,ny
//: assume nx % 64 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void wrap_pointer(global float *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1);
    global const float *row = y > 0 ? t + (y - 1) * nx : t + (ny - 1) * nx;

    out[y * nx + x] = row[x];
}

//: kernel wrap_if
//: local 64,1
//: global nx,ny
//: assume nx % 64 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t nx*ny
//: buffer out nx*ny
kernel void wrap_if(global float *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1), up = y - 1;

    if (up < 0)
        up += ny;
    out[y * nx + x] = t[up * nx + x];
}

//: kernel wrap_vector
//: local 64,1
//: global nx,ny
//: assume nx % 64 = 0
//: at nx=64 ny=64
//: at nx=128 ny=48
//: buffer t 4*nx*ny
//: buffer out 4*nx*ny
kernel void wrap_vector(global float4 *out, global const float *t, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1), up = y == 0 ? ny - 1 : y - 1;

    out[y * nx + x] = vload4(up * nx + x, t);
}

//: kernel wrap_given
//: local 64,1
//: global 256,64
//: at run=1
//: at run=2
//: buffer t 16384
//: buffer out 16384
kernel void wrap_given(global float *out, global const float *t)
{
    int x = get_global_id(0), y = get_global_id(1), up = y == 0 ? 63 : y - 1,
        left = x == 0 ? 255 : x - 1;

    out[y * 256 + x] = t[up * 256 + left];
}
