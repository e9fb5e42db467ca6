/* Fluxes of a gas over the faces of cells: five values of each cell, its four neighbours from
 * a list. */
__kernel void flow_flux(__global const float *state, __global const int *beside,
                        __global const float *normal, __global float *flux, int cells)
{
    int i = get_global_id(0);

    if (i >= cells)
        return;
    float mass = state[i];
    float u = state[cells + i] / mass;
    float v = state[2 * cells + i] / mass;
    float energy = state[3 * cells + i];
    float pressure = 0.4f * (energy - 0.5f * mass * (u * u + v * v));
    float s0 = 0.0f;
    float s1 = 0.0f;
    float s2 = 0.0f;
    float s3 = 0.0f;

    for (int k = 0; k < 4; k++) {
        int j = beside[k * cells + i];
        float nx = normal[2 * k * cells + i];
        float ny = normal[(2 * k + 1) * cells + i];
        float m = state[j];
        float uj = state[cells + j] / m;
        float vj = state[2 * cells + j] / m;
        float e = state[3 * cells + j];
        float p = 0.4f * (e - 0.5f * m * (uj * uj + vj * vj));
        float across = 0.5f * ((u + uj) * nx + (v + vj) * ny);
        float wave = fabs(across) + sqrt(1.4f * fabs(p + pressure) / (m + mass));

        s0 += 0.5f * across * (m + mass) - wave * (m - mass);
        s1 += 0.5f * across * (m * uj + mass * u) + 0.5f * (p + pressure) * nx - wave * (m * uj - mass * u);
        s2 += 0.5f * across * (m * vj + mass * v) + 0.5f * (p + pressure) * ny - wave * (m * vj - mass * v);
        s3 += 0.5f * across * (e + energy + p + pressure) - wave * (e - energy);
    }
    flux[i] = s0;
    flux[cells + i] = s1;
    flux[2 * cells + i] = s2;
    flux[3 * cells + i] = s3;
}
