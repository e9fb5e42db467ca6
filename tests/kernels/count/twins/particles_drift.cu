/* kernel: drift
 *
 * A class with methods, an instance of it by value, and one in memory.
 */
struct Particle {
    float x, y, z;
    float m;

    __device__ void reflect(float wall)
    {
        if (this->x > wall)
            x = 2.0f - x;
    }
    __device__ float energy(float v) const
    {
        return 0.5f * m * v * v;
    }
};

__global__ void drift(Particle *p, const float *vx, float *energy, const float dt, const int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        Particle q = p[i];
        const float v = vx[i];

        q.x += dt * v;
        q.reflect(1.0f);
        p[i].x = q.x;
        energy[i] = q.energy(v);
    }
}
