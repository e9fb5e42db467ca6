#define DIMS 6
#define CENTRES 12

/* The nearest centre of each point, centres in local memory. */
__kernel void cluster_assign(__global const float *point, __global const float *centre,
                             __global int *nearest, int n)
{
    __local float c[CENTRES * DIMS];
    int l = get_local_id(0);
    int i = get_global_id(0);

    if (l < CENTRES * DIMS)
        c[l] = centre[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        float best = 1.0e30f;
        int which = 0;

        for (int k = 0; k < CENTRES; k++) {
            float far = 0.0f;

            for (int d = 0; d < DIMS; d++) {
                float x = point[d * n + i] - c[k * DIMS + d];

                far += x * x;
            }
            which = far < best ? k : which;
            best = fmin(best, far);
        }
        nearest[i] = which;
    }
}
