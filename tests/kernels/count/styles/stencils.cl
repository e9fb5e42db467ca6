/* stencils.cl - finite differences, lattice Boltzmann, solvers along lines */

//: kernel heat_7point
//: local 16,4,2
//: global 16*ceil(nx/16),4*ceil(ny/4),2*ceil(nz/2)
//: at nx=20 ny=9 nz=5
//: at nx=16 ny=8 nz=4
kernel void heat_7point(global const float *a, global float *b, float c, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int plane = nx * ny, at = z * plane + y * nx + x;

    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        b[at] = a[at] + c * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - plane] +
                             a[at + plane] - 6.0f * a[at]);
}

//: kernel march_z
//: local 16,8
//: global 16*gx,8*gy
//: at gx=1 gy=2 nz=6
//: at gx=2 gy=1 nz=9
//: assume nz >= 3
kernel void march_z(global const float *in, global float *out, int nz)
{
    local float tile[10][18];
    int nx = get_global_size(0) + 2, ny = get_global_size(1) + 2;
    int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, at = y * nx + x;
    float below = in[at], here = in[at + nx * ny], above;

    for (int z = 1; z < nz - 1; z++) {
        int centre = z * nx * ny + at;
        above = in[centre + nx * ny];
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[ly][lx] = here;
        if (lx == 1)
            tile[ly][0] = in[centre - 1];
        if (lx == 16)
            tile[ly][17] = in[centre + 1];
        if (ly == 1)
            tile[0][lx] = in[centre - nx];
        if (ly == 8)
            tile[9][lx] = in[centre + nx];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[centre] = below + above + tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] +
                      tile[ly + 1][lx] - 6.0f * here;
        below = here;
        here = above;
    }
}

//: kernel wave_order_8
//: local 32
//: global 32*ceil(n/32)
//: at n=50
//: at n=64
//: assume n >= 8
kernel void wave_order_8(global const float *now, global float *next, constant float *c, int n)
{
    int i = get_global_id(0);

    if (i < 4 || i >= n - 4)
        return;
    float sum = c[0] * now[i];
#pragma unroll
    for (int k = 1; k <= 4; k++)
        sum += c[k] * (now[i - k] + now[i + k]);
    next[i] = 2.0f * now[i] - next[i] + sum;
}

//: kernel red_black
//: local 8,8
//: global 8*ceil(w/16),8*ceil(h/8)
//: at w=20 h=10 colour=0
//: at w=33 h=17 colour=1
//: buffer u w*h
kernel void red_black(global float *u, int w, int h, int colour)
{
    int y = get_global_id(1), x = 2 * get_global_id(0) + (y + colour) % 2;

    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] +
                                u[(y + 1) * w + x]);
}

//: kernel maxwell_e
//: local 16,16
//: global 16*ceil(n/16),16*ceil(m/16)
//: at n=20 m=18
//: at n=32 m=16
kernel void maxwell_e(global float *ez, global const float *hx, global const float *hy, float dt,
                      int n, int m)
{
    int i = get_global_id(0), j = get_global_id(1);

    if (i >= 1 && j >= 1 && i < n && j < m)
        ez[j * n + i] += dt * (hy[j * n + i] - hy[j * n + i - 1] -
                               (hx[j * n + i] - hx[(j - 1) * n + i]));
}

//: kernel d2q9_stream
//: buffer f 9*16*gx*4*gy
//: local 16,4
//: global 16*gx,4*gy
//: at gx=1 gy=2
//: at gx=2 gy=3
kernel void d2q9_stream(global const float *f, global float *g)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    int x = get_global_id(0), y = get_global_id(1);
    int w = get_global_size(0), h = get_global_size(1);

    for (int q = 0; q < 9; q++) {
        int xx = (x - cx[q] + w) % w, yy = (y - cy[q] + h) % h;
        g[(q * h + y) * w + x] = f[(q * h + yy) * w + xx];
    }
}

//: kernel d2q9_collide
//: no-lanes operations are counted before the loop
//: seen add = 21*n : 1 - usq is the same in each iteration
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=64 g=1
kernel void d2q9_collide(global float *f, global const int *solid, float omega, int n)
{
    int i = get_global_id(0);
    float d[9], rho = 0.0f, ux, uy;

    if (i >= n)
        return;
    for (int q = 0; q < 9; q++) {
        d[q] = f[q * n + i];
        rho += d[q];
    }
    ux = (d[1] + d[5] + d[8] - d[3] - d[6] - d[7]) / rho;
    uy = (d[2] + d[5] + d[6] - d[4] - d[7] - d[8]) / rho;
    float usq = 1.5f * (ux * ux + uy * uy);
    f[i] = d[0] + omega * (4.0f / 9.0f * rho * (1.0f - usq) - d[0]);
    for (int q = 1; q < 9; q++) {
        float w = q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
        f[q * n + i] = d[q] + omega * (w * rho * (1.0f - usq) - d[q]);
    }
}

//: kernel tridiagonal_lines
//: local 32
//: global 32*ceil(lines/32)
//: at n=8 lines=40
//: at n=13 lines=32
//: assume n >= 2
kernel void tridiagonal_lines(global const float *a, global const float *b, global float *c,
                              global float *d, int n, int lines)
{
    int l = get_global_id(0);

    if (l >= lines)
        return;
    c[l] /= b[l];
    d[l] /= b[l];
    for (int i = 1; i < n; i++) {
        int at = i * lines + l;
        float m = 1.0f / (b[at] - a[at] * c[at - lines]);
        c[at] *= m;
        d[at] = (d[at] - a[at] * d[at - lines]) * m;
    }
    for (int i = n - 2; i >= 0; i--)
        d[i * lines + l] -= c[i * lines + l] * d[(i + 1) * lines + l];
}

//: kernel upwind_velocity
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=128 g=2
//: assume n >= 3
//: marked add, mul, global load, float32 madd
kernel void upwind_velocity(global const float *u, global const float *v, global float *out,
                            float c, int n)
{
    int i = get_global_id(0);

    if (i > 0 && i < n - 1) {
        float flux;
        if (v[i] > 0)
            flux = u[i] - u[i - 1];
        else
            flux = u[i + 1] - u[i];
        out[i] = u[i] - c * v[i] * flux;
    }
}

//: kernel twenty_seven_points
//: local 8,4,2
//: global 8*gx,4*gy,2*gz
//: at gx=1 gy=1 gz=2
//: at gx=2 gy=1 gz=1
kernel void twenty_seven_points(global const double *in, global double *out)
{
    int nx = get_global_size(0) + 2, ny = get_global_size(1) + 2;
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    double sum = 0;

    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                sum += in[((z + k) * ny + y + j) * nx + x + i];
    out[(z * ny + y) * nx + x] = sum / 27;
}

//: kernel dirichlet_faces
//: local 16,16
//: global 16*ceil(n/16),16*ceil(n/16)
//: at n=20
//: at n=32
//: assume n >= 2
kernel void dirichlet_faces(global float *u, int n)
{
    int i = get_global_id(0), j = get_global_id(1);

    if (i < n && j < n && (i == 0 || j == 0 || i == n - 1 || j == n - 1))
        u[j * n + i] = 0.0f;
}

//: kernel time_tile
//: local 32
//: global 32*g
//: options -DSTEPS=3
//: at g=2 n=52
//: at g=3 n=60
kernel void time_tile(global const float *in, global float *out, int n)
{
    local float line[32];
    int l = get_local_id(0), i = get_group_id(0) * (32 - 2 * STEPS) + l - STEPS;
    float v = i >= 0 && i < n ? in[i] : 0.0f;

    for (int t = 0; t < STEPS; t++) {
        line[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > t && l < 31 - t && i > 0 && i < n - 1)
            v = 0.5f * line[l] + 0.25f * (line[l - 1] + line[l + 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l >= STEPS && l < 32 - STEPS && i < n)
        out[i] = v;
}

//: kernel life_wrapped
//: marked global load
//: local 16,16
//: global 16*ceil(w/16),16*ceil(h/16)
//: at w=20 h=17
//: at w=16 h=32
//: buffer now w*h = floor(i/3)-2*floor(i/6)
kernel void life_wrapped(global const uchar *now, global uchar *next, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), alive = 0;

    if (x >= w || y >= h)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += now[(y + dy + h) % h * w + (x + dx + w) % w];
    next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}
