// local=64; global=n; kernel=search_exit; sub=32; estimates=1;
kernel void search_exit(global const float *a, global int *found, int n, int m)
{
    int i = get_global_id(0);
    for (int j = 0; j < m; j++) {
        if (j == i / 2)
            continue;
        if (a[j] > 3)
            break;
        if (i + j > n)
            return;
        found[min(i, j)] = j;
    }
}
