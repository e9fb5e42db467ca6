/* A permutation by multiplication: the place read follows from the work-item's number. */
__kernel void gather_modular(__global const float *in, __global float *out, int n, uint factor)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = in[(uint)i * factor % (uint)n];
}
