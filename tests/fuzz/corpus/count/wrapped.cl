// local=64; global=64*g; kernel=wrapped; sub=64;
kernel void wrapped(global float *a, uint n, int m)
{
    uint i = get_global_id(0);
    for (uint j = i - 1; j < n; j++)
        a[j] += 1;
    for (int j = -3; j < m; j++)
        if ((uint)j < n)
            a[j] += 2;
    for (uint j = n - 1; j < n; j--)
        a[j] += 3;
}
