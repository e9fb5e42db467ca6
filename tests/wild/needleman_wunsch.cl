/* Sequence alignment scores, one anti-diagonal of the table in a launch: row r and column
 * d - r for the work-items on it.
 */
int best_of(int match, int del, int ins)
{
    int k = match > del ? match : del;
    return k > ins ? k : ins;
}

__kernel void nw_diagonal(__global int *score, __global const int *similarity, int d,
                          int n, int penalty)
{
    int r = get_global_id(0) + 1;
    int c = d - r;

    if (r < n && c >= 1 && c < n) {
        int at = r * n + c;
        score[at] = best_of(score[at - n - 1] + similarity[at], score[at - n] - penalty,
                            score[at - 1] - penalty);
    }
}
