/* A 1-D gradient with the treatment of the ends as an argument, and local work divided
 * among the work-items by number.
 */
enum { PERIODIC, FIXED, MIRROR };

__kernel void gradient(__global const float *u, __global float *g, int n, int mode)
{
    int i = get_global_id(0);
    int l = i - 1, r = i + 1;

    if (i >= n)
        return;
    if (i == 0 || i == n - 1)
        switch (mode) {
        case PERIODIC:
            l = (i + n - 1) % n;
            r = (i + 1) % n;
            break;
        case FIXED:
            g[i] = 0.0f;
            return;
        case MIRROR:
        default:
            l = max(l, 0);
            r = min(r, n - 1);
        }
    g[i] = 0.5f * (u[r] - u[l]);
}

__kernel void moments(__global const float *u, __global float *out, int n)
{
    __local float part[4];
    const float inv = 1.0f / n;

    switch (get_local_id(0)) {
    case 0: {
        float s = 0.0f;
        for (int i = 0; i < n; i++)
            s += u[i];
        part[0] = s * inv;
        break;
    }
    case 1: {
        float s = 0.0f;
        for (int i = 0; i < n; i++)
            s += u[i] * u[i];
        part[1] = s * inv;
        break;
    }
    case 2:
    case 3:
        part[get_local_id(0)] = u[get_local_id(0)];
        break;
    default:
        break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[get_local_id(0) & 3];
}
