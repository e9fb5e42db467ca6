/* kernel: black_scholes
 *
 * Functions of the device, with CUDA's names of functions.
 */
__device__ __forceinline__ float normal_cdf(float x)
{
    const float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float tail = t * (0.31938153f +
                      t * (-0.356563782f +
                           t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));

    tail *= 0.39894228f * __expf(-0.5f * x * x);
    if (x > 0)
        tail = 1.0f - tail;
    return tail;
}

__global__ void black_scholes(float *call, float *put, const float *price,
                              const float *strike, const float *years, float rate,
                              float volatility, unsigned int n)
{
    for (unsigned int i = blockDim.x * blockIdx.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        float s = __ldg(&price[i]), k = __ldg(strike + i), t = years[i];
        float width = volatility * sqrtf(t);
        float up = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / width;
        float down = up - width;
        float due = k * expf(-rate * t);

        call[i] = s * normal_cdf(up) - due * normal_cdf(down);
        put[i] = due * normal_cdf(-down) - s * normal_cdf(-up);
    }
}
