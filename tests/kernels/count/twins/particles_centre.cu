/* kernel: centre
 *
 * Members with initialisers, a constructor, and an operator that changes the object.
 */
struct particle {
    float x, y, z, m;
};

class Sum
{
  public:
    __device__ Sum() = default;
    __device__ Sum &operator+=(const particle &p)
    {
        x += p.m * p.x;
        y += p.m * p.y;
        z += p.m * p.z;
        m += p.m;
        return *this;
    }
    __device__ operator particle() const
    {
        return {x, y, z, m};
    }

  private:
    float x = 0, y = 0, z = 0, m = 0;
};

__global__ void centre(const particle *p, particle *c, const int n)
{
    Sum sum;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += p[i];
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
