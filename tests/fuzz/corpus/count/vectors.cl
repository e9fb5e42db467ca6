// local=32; global=n; kernel=vectors; sub=32; index=1;
kernel void vectors(global const float4 *a, global float *b, int n)
{
    int2 at = (int2)(get_global_id(0), get_local_id(0));
    float4 sum = 0;
    for (at.y = 0; at.y < 4; at.y++)
        sum += a[min(at.x + at.y, n - 1)];
    vstore4(sum, at.x, b);
    b[at.x] = dot(vload4(at.x, b), sum.wzyx);
}
