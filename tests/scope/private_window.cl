/* The running mean of a series for each work-item, over a window that is known when it runs. */
__kernel void private_window(__global const float *series, __global float *means, int steps,
                             int window)
{
    float last[256];
    int item = get_global_id(0), items = get_global_size(0), at = 0;
    float sum = 0.0f;

    for (int k = 0; k < window; ++k)
        last[k] = 0.0f;
    for (int k = 0; k < steps; ++k) {
        float value = series[item + k * items];

        sum = sum + value - last[at];
        last[at] = value;
        at = at + 1 < window ? at + 1 : 0;
        means[item + k * items] = sum / (float)window;
    }
}
