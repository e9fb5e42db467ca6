/* Vectors turned by quaternions, one of each for each work-item. */
__kernel void motion_turn(__global const float4 *turn, __global float4 *place, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        float4 q = turn[i];
        float4 p = place[i];
        float scale = rsqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);

        q.x *= scale;
        q.y *= scale;
        q.z *= scale;
        q.w *= scale;
        float tx = 2.0f * (q.y * p.z - q.z * p.y);
        float ty = 2.0f * (q.z * p.x - q.x * p.z);
        float tz = 2.0f * (q.x * p.y - q.y * p.x);

        place[i] = (float4)(p.x + q.w * tx + q.y * tz - q.z * ty, p.y + q.w * ty + q.z * tx - q.x * tz,
                            p.z + q.w * tz + q.x * ty - q.y * tx, p.w);
    }
}
