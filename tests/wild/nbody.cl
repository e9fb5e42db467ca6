/* All pairs of bodies, place and mass in a float4, a tile of them at a time in local
 * memory that the host provides.
 */
__kernel void nbody(__global const float4 *body, __global float4 *moved,
                    __global float4 *velocity, int n, float dt, float softening,
                    __local float4 *tile)
{
    unsigned int l = get_local_id(0);
    unsigned int me = get_global_id(0);
    unsigned int width = get_local_size(0);
    unsigned int tiles = n / width;

    float4 here = body[me];
    float4 pull = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

    for (int t = 0; t < tiles; ++t) {
        tile[l] = body[t * width + l];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int j = 0; j < width; ++j) {
            float4 d = tile[j] - here;
            d.w = 0.0f;
            float inverse = rsqrt(dot(d.xyz, d.xyz) + softening);
            pull += tile[j].w * inverse * inverse * inverse * d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 v = velocity[me] + dt * pull;
    moved[me] = here + dt * (float4)(v.xyz, 0.0f);
    velocity[me] = v;
}
