/* y = a x + y on vectors that need not fill the last work-group. */
kernel void saxpy(const uint n, const float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = a * x[i] + y[i];
}
