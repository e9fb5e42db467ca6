// local=64; global=n; kernel=triangle_max; sub=1; budget=50;
kernel void triangle_max(global float *a, int n, int m)
{
    for (int i = get_global_id(0); i < n; i++)
        for (int j = i; j < min(n, 2 * i); j++)
            for (int k = max(j, 2); k < min(m, n); k++)
                a[k] += a[i] * a[j];
}
