/* Dot products of columns, loops as a C programmer may write them who avoids 'for'. */
__kernel void while_dot(__global const float *a, __global const float *b,
                        __global float *r, const int n, const int cols)
{
    const int c = get_global_id(0);
    int i = 0, left = n;
    float even = 0.0f, odd = 0.0f;

    if (c < cols) {
        while (i + 1 < n) {
            even += a[i * cols + c] * b[i * cols + c];
            ++i;
            odd += a[i * cols + c] * b[i * cols + c];
            ++i;
        }
        if (n % 2 == 1)
            even += a[(n - 1) * cols + c] * b[(n - 1) * cols + c];
        while (left) {
            --left;
            odd += b[left * cols + c];
        }
        r[c] = even + odd;
    }
}
