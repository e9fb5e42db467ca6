// local=64; global=n; sub=32; banks=32; index=1;
#define M(e) ((e) * 2)
void h(__global float *x, int i) { x[i] = i; }
int h2(int i) { return i > 3 ? i - 1 : i * i; }
__constant float c[16] = { 1 };
__kernel void f(__global float *x, __global float *y,
                __global int *z, __local float *l, int n, int m)
{
    int i = get_global_id(0), a = 0, b = n;
    uint u = m;
    long w = n;
    float s = 0, p[8];
    float4 v = 0;
    __global float *q = x;
    do { for (int k = 0; k < min(sizeof(long), sizeof(int)); k++) { m = min((int)dot(vload4(M(sizeof(float)), x), (float4)((((((((s * ((float)(float)(float)i != 1 ? ((float)(float)(float)(float)(float)(float)(int)i != 1 ? ((float)(float)(float)(float)(float)(int)i != 1 ? ((float)(float)(float)(float)(int)i != 1 ? ((float)(size_t)--i != 1 ? native_exp(native_exp(native_exp(native_exp(native_exp(1.0f))))) : native_exp(native_exp(native_exp(native_exp(native_exp(1.0f)))))) : native_exp(native_exp(native_exp(((int)i != 1 ? (i != 1 ? (i < n ? 1.0f : 1.0f) : (i < n ? 1.0f : 1.0f)) : (i != 1 ? (i < n ? 1.0f : 1.0f) : (i < n ? 1.0f : 1.0f))))))) : ((float)(float)(float)(float)(int)i != 1 ? ((float)(float)(float)(int)i != 1 ? ((float)(float)(int)i != 1 ? ((float)(int)i != 1 ? (z[i] != 3 ? dot(vload4(i, x), (float4)(1.0f)) / 1.0f / 1.0f : sqrt(s)) : y[sizeof(short)]) : y[i]) : 1.0f) : 1.0f)) : 1.0f) : 1.0f)) * 1.0f) * 1.0f) * 1.0f) * 1.0f) * 1.0f) * 1.0f))) / 1, i); x[i] = 1.0f; } a++; } while (i < n);
    y[i] = s;
}

// 29599
// 16132
// 18158
