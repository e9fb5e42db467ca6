/* (a, b, c, d) becomes (a, c, d, b). */
__kernel void permute_four(__global const float *from, __global float *to, int n, int b, int c, int d)
{
    int i = get_global_id(0);

    if (i < n) {
        int ib = i % b;
        int id = i / b % d;
        int ic = i / b / d % c;
        int ia = i / (b * c * d);

        to[i] = from[((ia * b + ib) * c + ic) * d + id];
    }
}
