/* European options after Black and Scholes: the cumulative normal distribution by a
 * rational approximation (Abramowitz and Stegun 26.2.17) in a helper, then both prices.
 */
float normal_cdf(float x)
{
    const float t = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float tail = t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f +
                 t * (-1.821255978f + t * 1.330274429f))));

    tail *= 0.39894228f * native_exp(-0.5f * x * x);
    if (x > 0)
        tail = 1.0f - tail;
    return tail;
}

__kernel void black_scholes(__global float *call, __global float *put,
                            __global const float *price, __global const float *strike,
                            __global const float *years, float rate, float volatility,
                            unsigned int n)
{
    for (unsigned int i = get_global_id(0); i < n; i += get_global_size(0)) {
        float s = price[i], k = strike[i], t = years[i];

        float width = volatility * sqrt(t);
        float up = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / width;
        float down = up - width;
        float due = k * exp(-rate * t);

        call[i] = s * normal_cdf(up) - due * normal_cdf(down);
        put[i] = due * normal_cdf(-down) - s * normal_cdf(-up);
    }
}
