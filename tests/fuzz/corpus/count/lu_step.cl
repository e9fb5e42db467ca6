// local=16,16; global=n,n; kernel=lu_step; assume=n > k; sub=32;
kernel void lu_step(global float *a, int n, int k)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i > k && j > k && i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    else if (i == k)
        for (int o = k; o < n; o++)
            a[i * n + o] /= a[k * n + k];
}
