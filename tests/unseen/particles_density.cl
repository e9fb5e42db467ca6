typedef struct {
    float x, y, z, mass;
} particle_t;

/* The neighbours of a particle lie in a row. */
__kernel void particles_density(__global const particle_t *particle, __global const int *list,
                                __global float *density, int n, int near)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    particle_t me;

    if (i >= n)
        return;
    me = particle[i];
    for (int k = 0; k < near; k++) {
        particle_t other = particle[list[i * near + k]];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float d = 1.0f - (dx * dx + dy * dy + dz * dz);

        sum += other.mass * (d > 0.0f ? d * d * d : 0.0f);
    }
    density[i] = sum;
}
