__kernel void branches_kinds(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i], sum = 0;

    for (int k = 0; k < 64; k++) {
        switch ((i / 1024 + k) % 4) {
        case 0:
            sum += v * 2 + 1;
            break;
        case 1:
            sum += exp(-v);
            break;
        case 2:
            sum += sqrt(v + k);
            break;
        default:
            sum += 1 / (v + 1);
        }
        v += 0.01f;
    }
    out[i] = sum;
}
