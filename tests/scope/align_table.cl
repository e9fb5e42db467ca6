#define N 64

/* The best local alignment of two sequences of 64 letters for each work-group: diagonals of the
 * table one after the other, in local memory. */
__kernel void align_table(__global const uchar *left, __global const uchar *right, __global int *best)
{
    __local int table[(N + 1) * (N + 1)], top[N];
    int l = get_local_id(0);
    int first = get_group_id(0) * N;
    int mine = left[first + l];
    int most = 0;

    table[l] = 0;
    table[(l + 1) * (N + 1)] = 0;
    if (l == 0)
        table[N] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 2 * N - 1; d++) {
        int j = d - l;

        if (j >= 0 && j < N) {
            int at = (l + 1) * (N + 1) + j + 1;
            int same = mine == right[first + j] ? 3 : -1;
            int score = max(0, table[at - N - 2] + same);

            score = max(score, max(table[at - 1], table[at - N - 1]) - 2);
            table[at] = score;
            most = max(most, score);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top[l] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 1; k < N; k++)
            most = max(most, top[k]);
        best[get_group_id(0)] = most;
    }
}
