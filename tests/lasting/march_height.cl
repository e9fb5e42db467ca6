__kernel void march_height(__global const float *height, __global float *out, int side, int w,
                           int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float px = 2.0f, pz = 1.2f, py = (float)y / h * (side - 4), dx = 1.0f, dz = -0.7f * x / w / side;
    float hit = -1;

    for (int k = 0; k < 300; k++) {
        int a = (int)px, b = (int)py;

        if (a >= side - 1 || pz < height[b * side + a]) {
            hit = px;
            break;
        }
        px += dx;
        pz += dz;
    }
    out[y * w + x] = hit;
}
