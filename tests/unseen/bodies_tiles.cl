__kernel void bodies_tiles(__global const float4 *body, __global float4 *force, int tiles)
{
    __local float4 tile[128];
    float4 me = body[get_global_id(0)];
    float4 sum = 0.0f;

    for (int t = 0; t < tiles; t++) {
        tile[get_local_id(0)] = body[t * 128 + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 128; k++) {
            float4 d = tile[k] - me;
            float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1.0e-3f);

            sum += d * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[get_global_id(0)] = sum;
}
