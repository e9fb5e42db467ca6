__kernel void bound_lower(__global const float *row, __global const float *x,
                          __global int *place, int length, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i];
    int lo = 0, hi = length;

    for (int size = length; size > 0; size /= 2) {
        int mid = (lo + hi) / 2;

        if (row[min(mid, length - 1)] < v)
            lo = mid;
        else
            hi = mid;
    }
    place[i] = lo;
}
