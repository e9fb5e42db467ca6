// local=64; global=n; kernel=residues; sub=32;
kernel void residues(global float *a, int n)
{
    int i = get_global_id(0);
    if (i < n && i % 2 == 1)
        a[i] = 1;
    if (i % 3 == 0)
        a[i] += 2;
    switch (i % 5) {
    case 0: a[i] = 0; break;
    case 2:
    case 3: a[i] *= 2; break;
    default: if (i & 1) a[i] = 5;
    }
    for (int o = i % 7; o < 7; o++)
        a[o] += 1;
}
