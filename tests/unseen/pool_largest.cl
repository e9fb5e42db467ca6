/* Pooling that keeps where the largest was. */
__kernel void pool_largest(__global const float *from, __global float *to, __global int *which, int n,
                           int side)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        int px = i % side, py = (i / side) % side, plane = i / side / side;
        int first = (plane * 2 * side + 2 * py) * 2 * side + 2 * px;
        int at = first;
        float most = from[first];

        for (int dy = 0; dy < 2; dy++)
            for (int dx = 0; dx < 2; dx++) {
                int j = first + dy * 2 * side + dx;

                if (from[j] > most) {
                    most = from[j];
                    at = j;
                }
            }
        to[i] = most;
        which[i] = at;
    }
}
