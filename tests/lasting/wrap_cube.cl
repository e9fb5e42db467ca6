__kernel void wrap_cube(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x >= n || y >= n)
        return;
    float sum = 0;

    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++)
                if (abs(a) + abs(b) + abs(c) < 3)
                    sum += in[((z + c + n) % n * n + (y + b + n) % n) * n + (x + a + n) % n];
    out[(z * n + y) * n + x] = sum / 19;
}
