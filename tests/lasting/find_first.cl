__kernel void find_first(__global const uint *word, __global int *at, int n, int length)
{
    int i = get_global_id(0), found = -1;

    if (i >= n)
        return;
    for (int k = 0; k < length; k++)
        if (word[k * n + i] & 64) {
            found = k;
            break;
        }
    at[i] = found;
}
