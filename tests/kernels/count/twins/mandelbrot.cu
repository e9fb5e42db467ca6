/* kernel: mandelbrot
 *
 * Complex numbers as a class of a template, with a function of it that is a constant of the compiler.
 */
template <typename T> struct complex {
    T re, im;

    __device__ constexpr complex(T a, T b = T()) : re(a), im(b)
    {
    }
    __device__ T norm() const
    {
        return re * re + im * im;
    }
};

__device__ constexpr int cells(int a, int b)
{
    return a * b;
}

__global__ void mandelbrot(int *out, const int width, const int height, const float x0,
                           const float y0, const float scale, const int max_iter)
{
    static_assert(cells(3, 4) == 12);
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;

    if (px >= width || py >= height)
        return;
    const complex<float> c(x0 + px * scale, y0 + py * scale);
    complex<float> z(0.0f);
    int iter = 0;
#pragma gpucal trips escape
    while (z.norm() <= 4.0f && iter < max_iter) {
        const float t = z.re * z.re - z.im * z.im + c.re;
        z.im = 2.0f * z.re * z.im + c.im;
        z.re = t;
        iter++;
    }
    out[py * width + px] = iter;
}
