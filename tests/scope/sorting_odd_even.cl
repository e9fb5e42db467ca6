#define N 128

/* 128 integers of each work-group in order, by exchanges of neighbours in turns. */
__kernel void sorting_odd_even(__global int *key)
{
    __local int v[N];
    int l = get_local_id(0);
    int first = get_group_id(0) * N;

    v[l] = key[first + l];
    v[l + N / 2] = key[first + l + N / 2];
    for (int turn = 0; turn < N; turn++) {
        int at = 2 * l + turn % 2;

        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < N - 1) {
            int a = v[at];
            int b = v[at + 1];

            v[at] = min(a, b);
            v[at + 1] = max(a, b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    key[first + l] = v[l];
    key[first + l + N / 2] = v[l + N / 2];
}
