__kernel void hex_flux(__global const int *left, __global const int *right,
                       __global const float4 *u, __global const float *area,
                       __global float4 *flux, int faces)
{
    int f = get_global_id(0);

    if (f >= faces)
        return;
    float4 a = u[left[f]], b = u[right[f]];
    float va = a.y / a.x, vb = b.y / b.x;
    float pa = 0.4f * (a.w - 0.5f * (a.y * va + a.z * a.z / a.x));
    float pb = 0.4f * (b.w - 0.5f * (b.y * vb + b.z * b.z / b.x));
    float c = fmax(fabs(va) + sqrt(fabs(1.4f * pa / a.x)),
                   fabs(vb) + sqrt(fabs(1.4f * pb / b.x)));
    float4 fa = (float4)(a.y, a.y * va + pa, a.z * va, (a.w + pa) * va);
    float4 fb = (float4)(b.y, b.y * vb + pb, b.z * vb, (b.w + pb) * vb);

    flux[f] = 0.5f * area[f] * (fa + fb - c * (b - a));
}
