/* Matrices lie apart: element k of all, then the next. */
__kernel void smallmat(__global const float *a, __global const float *b,
                       __global float *c, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    for (int r = 0; r < 8; r++) {
        float s[8] = { 0 };

        for (int k = 0; k < 8; k++) {
            float v = a[(r * 8 + k) * n + i];

            for (int q = 0; q < 8; q++)
                s[q] += v * b[(k * 8 + q) * n + i];
        }
        for (int q = 0; q < 8; q++)
            c[(r * 8 + q) * n + i] = s[q];
    }
}
