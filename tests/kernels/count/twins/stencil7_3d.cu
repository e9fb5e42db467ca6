/* kernel: stencil7
 *
 * The box as a class, whose operator() gives places in it.
 */
namespace box {
class View
{
  public:
    __device__ View(float *values, int nx, int ny) : values(values), nx(nx), ny(ny)
    {
    }
    __device__ float &operator()(int i, int j, int k) const
    {
        return values[i + nx * (j + ny * k)];
    }

  private:
    float *values;
    int nx, ny;
};
} // namespace box

__global__ void stencil7(float c0, float c1, float *now, float *next, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
    box::View from(now, nx, ny), to{next, nx, ny};

    if (i < nx - 1 && j < ny - 1 && k < nz - 1)
        to(i, j, k) = (from(i, j, k + 1) + from(i, j, k - 1) + from(i, j + 1, k) +
                       from(i, j - 1, k) + from(i + 1, j, k) + from(i - 1, j, k)) *
                          c1 -
                      from(i, j, k) * c0;
}
