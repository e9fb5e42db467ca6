/* Pointers in private and local memory, in arrays and structures; generic pointers. */
typedef global float *row;
//: kernel kept_in_local
//: local 16
//: global 16*g
//: at g=2 n=3
//: at g=3 n=1
//: buffer a 16*g
//: buffer out 16*g
//: no-lanes the array that a pointer in local memory points to is unknown
kernel void kept_in_local(global float *a, global float *out, int n)
{
    local row kept;
    int i = get_global_id(0);

    if (get_local_id(0) == 0)
        kept = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int k = 0; k < n; k++)
        s += kept[i];
    out[i] = s;
}
//: kernel row_pointers
//: local 8
//: global 8*g
//: at g=2
//: at g=3
//: seen memcpy p0 p2 = 0 : initialisers are copied
kernel void row_pointers(global float *a, global float *b, global float *c)
{
    row rows[3] = { a, b, c };
    int i = get_global_id(0);

    for (int k = 1; k < 3; k++)
        rows[0][i] += rows[k][i] * 0.5f;
}
//: kernel local_tables
//: local 16
//: global 16*g
//: at g=2 n=5
//: at g=1 n=8
//: buffer t 32
kernel void local_tables(global float *a, local float *t, int n)
{
    local float *part[2];
    int l = get_local_id(0);

    part[0] = t;
    part[1] = t + 16;
    for (int k = 0; k < 2; k++)
        part[k][l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int k = 0; k < n; k++)
        s += part[0][l] * part[1][15 - l];
    a[get_global_id(0)] = s;
}
//: kernel swapped
//: local 8
//: global 8*g
//: at g=2 n=4
//: at g=1 n=6
//: buffer a 8*g*n
struct span { row from; int step; };
struct span advance(struct span s, int by) { s.from += by * s.step; return s; }
kernel void swapped(global float *a, global float *out, int n)
{
    struct span s = { a + get_global_id(0), get_global_size(0) };
    float sum = 0.0f;

    for (int k = 0; k < n; k++) {
        sum += *advance(s, 0).from;
        s.from += s.step;
    }
    out[get_global_id(0)] = sum;
}
//: kernel array_parameters
//: local 16
//: global 16*g
//: at g=2 n=3
//: at g=1 n=9
//: buffer t 16*n
//: seen memcpy p0 p2 = 0 : initialisers are copied
float dot_row(local float t[], const int n, global const int ix[4])
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += t[i] * ix[i % 4];
    return s;
}
float second(const float v[3]) { return v[1] + v[2]; }
kernel void array_parameters(global float *a, global int index[], local float *t, int n)
{
    float v[3] = { 1.0f, 2.0f, 3.0f };
    int l = get_local_id(0);

    for (int i = 0; i < n; i++)
        t[l * n + i] = a[get_global_id(0)];
    a[get_global_id(0)] = dot_row(t + l * n, n, index + 1) + second(v);
}
