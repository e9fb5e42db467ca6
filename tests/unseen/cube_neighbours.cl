/* Corners, edges and faces with weights of their own; the frame stays as it is. */
__kernel void cube_neighbours(__global const float *a, __global float *b, int w, int h)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    int row = w + 2, plane = row * (h + 2), at = z * plane + y * row + x;

    if (x <= w && y <= h) {
        float sum = 0.0f;

        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int far = dx * dx + dy * dy + dz * dz;
                    float weight = far == 0 ? 0.5f : far == 1 ? 0.05f : far == 2 ? 0.01f : 0.01f / 3.0f;

                    sum += weight * a[at + dz * plane + dy * row + dx];
                }
        b[at] = sum;
    }
}
