/* Calls and puts in closed form, by erf, log and sqrt. */
__kernel void option_closed(__global const float *price, __global const float *strike,
                            __global const float *years, __global float *call, __global float *put,
                            int n, float rate, float spread)
{
    int i = get_global_id(0);

    if (i < n) {
        float s = price[i];
        float k = strike[i];
        float t = years[i];
        float root = spread * sqrt(t);
        float d1 = (log(s / k) + (rate + 0.5f * spread * spread) * t) / root;
        float d2 = d1 - root;
        float now = k * exp(-rate * t);
        float up = s * 0.5f * (1.0f + erf(d1 * 0.70710678f)) - now * 0.5f * (1.0f + erf(d2 * 0.70710678f));

        call[i] = up;
        put[i] = up - s + now;
    }
}
