/* particles.cl - particles, clusters and random numbers */

//: kernel gravity_tiles
//: local 32
//: global 32*g
//: at g=1
//: at g=2
kernel void gravity_tiles(global const float *x, global const float *y, global const float *m,
                          global float *ax, global float *ay)
{
    local float tx[32], ty[32], tm[32];
    int l = get_local_id(0), i = get_global_id(0);
    float px = x[i], py = y[i], sx = 0.0f, sy = 0.0f;

    for (int t = 0; t < get_num_groups(0); t++) {
        tx[l] = x[t * 32 + l];
        ty[l] = y[t * 32 + l];
        tm[l] = m[t * 32 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 32; j++) {
            float dx = tx[j] - px, dy = ty[j] - py;
            float r2 = dx * dx + dy * dy + 0.01f;
            float f = tm[j] * rsqrt(r2 * r2 * r2);
            sx += f * dx;
            sy += f * dy;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ax[i] = sx;
    ay[i] = sy;
}

//: kernel lennard_jones
//: local 32
//: global 32*ceil(n/32)
//: at n=20
//: at n=32
//: marked float32 madd, add, mul, div
kernel void lennard_jones(global const float *x, global float *force, float cutoff, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        float d = x[i] - x[j], r2 = d * d;
        if (r2 < cutoff && r2 > 0.0f) {
            float s6 = 1.0f / (r2 * r2 * r2);
            sum += d * s6 * (s6 - 0.5f) / r2;
        }
    }
    force[i] = sum;
}

//: kernel pairs_once
//: local 32
//: global 32*ceil(n/32)
//: at n=20
//: at n=40
kernel void pairs_once(global const float *x, global float *energy, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    for (int j = i + 1; j < n; j++)
        sum += 1.0f / (1.0f + fabs(x[i] - x[j]));
    if (i < n)
        energy[i] = sum;
}

//: kernel verlet
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=64 g=1
kernel void verlet(global float *x, global float *old, global const float *a, float dt, int n)
{
    int i = get_global_id(0);

    if (i < 3 * n) {
        float next = 2.0f * x[i] - old[i] + a[i] * dt * dt;
        old[i] = x[i];
        x[i] = next;
    }
}

//: kernel charge_deposit
//: local 64
//: global 64*g
//: at g=1 cells=10
//: at g=2 cells=20
//: buffer grid cells
kernel void charge_deposit(global const int *cell, global int *grid, int cells)
{
    local int bins[32];
    int l = get_local_id(0);

    for (int i = l; i < 32; i += get_local_size(0))
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[cell[get_global_id(0)] & 31], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < cells; i += get_local_size(0))
        atomic_add(&grid[i], bins[i & 31]);
}

//: kernel nearest_centre
//: lanes-marked divergent branch
//: local 64
//: global 64*g
//: at g=1 n=50 k=3 d=2
//: at g=2 n=128 k=4 d=3
kernel void nearest_centre(global const float *points, global const float *centres,
                           global int *label, int n, int k, int d)
{
    int i = get_global_id(0), best = 0;
    float least = FLT_MAX;

    if (i >= n)
        return;
    for (int c = 0; c < k; c++) {
        float sum = 0.0f;
        for (int j = 0; j < d; j++) {
            float diff = points[j * n + i] - centres[c * d + j];
            sum += diff * diff;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    label[i] = best;
}

//: kernel monte_carlo_pi
//: local 64
//: global 64*g
//: at g=1 rounds=10
//: at g=2 rounds=7
kernel void monte_carlo_pi(global uint *seed, global int *hits, int rounds)
{
    uint s = seed[get_global_id(0)];
    int inside = 0;

    for (int i = 0; i < rounds; i++) {
        s = s * 1664525u + 1013904223u;
        float x = (s >> 8) * (1.0f / 16777216.0f);
        s = s * 1664525u + 1013904223u;
        float y = (s >> 8) * (1.0f / 16777216.0f);
        inside += x * x + y * y < 1.0f;
    }
    seed[get_global_id(0)] = s;
    hits[get_global_id(0)] = inside;
}

//: kernel binomial_option
//: local 64
//: global 64*g
//: options -DSTEPS=16
//: at g=1
//: at g=2
kernel void binomial_option(global const float *price, global const float *strike,
                            global float *value, float up, float p)
{
    local float v[STEPS + 1];
    int l = get_local_id(0), g = get_group_id(0);

    if (l <= STEPS)
        v[l] = fmax(price[g] * pow(up, (float)(2 * l - STEPS)) - strike[g], 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = STEPS; t > 0; t--) {
        float next = 0.0f;
        if (l < t)
            next = p * v[l + 1] + (1.0f - p) * v[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < t)
            v[l] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        value[g] = v[0];
}

//: kernel black_scholes
//: local 64
//: global 64*g
//: at g=1 n=50
//: at g=2 n=100
kernel void black_scholes(global const float *spot, global const float *strike,
                          global const float *years, global float *call, float rate,
                          float volatility, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float s = spot[i], x = strike[i], t = years[i], root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    call[i] = s * 0.5f * erfc(-d1 * M_SQRT1_2_F) - x * exp(-rate * t) * 0.5f *
              erfc(-d2 * M_SQRT1_2_F);
}
