/* Distance on a sphere between pairs of places, by sines and an arcus. */
__kernel void special_angles(__global const float2 *from, __global const float2 *to,
                             __global float *far, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        float2 a = from[i];
        float2 b = to[i];
        float s = sin(0.5f * (b.x - a.x));
        float t = sin(0.5f * (b.y - a.y));
        float h = s * s + cos(a.x) * cos(b.x) * t * t;

        far[i] = 12742.0f * asin(sqrt(fmin(h, 1.0f)));
    }
}
