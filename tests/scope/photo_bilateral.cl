#define R 2

/* Neighbours weighted by distance and by how alike they are; coordinates end at the sides. */
__kernel void bilateral(__global const float *in, __global float *out, int w, int h, float near,
                        float alike)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float here = in[y * w + x];
    float sum = 0.0f;
    float weights = 0.0f;

    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int sx = clamp(x + dx, 0, w - 1);
            int sy = clamp(y + dy, 0, h - 1);
            float there = in[sy * w + sx];
            float differs = there - here;
            float weight = exp(-near * (float)(dx * dx + dy * dy) - alike * differs * differs);

            sum += weight * there;
            weights += weight;
        }
    out[y * w + x] = sum / weights;
}
