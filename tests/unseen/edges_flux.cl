__kernel void edges_flux(__global const int2 *node, __global const float4 *state,
                         __global const float2 *normal, __global float4 *flux, int edges)
{
    int e = get_global_id(0);

    if (e < edges) {
        float4 l = state[node[e].x], r = state[node[e].y];
        float2 n = normal[e];
        float ul = (l.y * n.x + l.z * n.y) / l.x, ur = (r.y * n.x + r.z * n.y) / r.x;
        float fast = fmax(fabs(ul), fabs(ur)) + 1.2f;

        flux[e] = 0.5f * (l * ul + r * ur - (r - l) * fast);
    }
}
