/* One pass of a transform by factors of four over global memory, real and imaginary part apart. */
__kernel void radix_four(__global const float *re, __global const float *im, __global float *out_re,
                         __global float *out_im, int quarter, float turn)
{
    int i = get_global_id(0);

    if (i >= quarter)
        return;
    float angle = turn * (float)i;
    float c1 = cos(angle);
    float s1 = sin(angle);
    float c2 = c1 * c1 - s1 * s1;
    float s2 = 2.0f * c1 * s1;
    float c3 = c1 * c2 - s1 * s2;
    float s3 = c1 * s2 + s1 * c2;
    float a0 = re[i];
    float b0 = im[i];
    float a1 = re[i + quarter] * c1 - im[i + quarter] * s1;
    float b1 = re[i + quarter] * s1 + im[i + quarter] * c1;
    float a2 = re[i + 2 * quarter] * c2 - im[i + 2 * quarter] * s2;
    float b2 = re[i + 2 * quarter] * s2 + im[i + 2 * quarter] * c2;
    float a3 = re[i + 3 * quarter] * c3 - im[i + 3 * quarter] * s3;
    float b3 = re[i + 3 * quarter] * s3 + im[i + 3 * quarter] * c3;

    out_re[4 * i] = a0 + a1 + a2 + a3;
    out_im[4 * i] = b0 + b1 + b2 + b3;
    out_re[4 * i + 1] = a0 + b1 - a2 - b3;
    out_im[4 * i + 1] = b0 - a1 - b2 + a3;
    out_re[4 * i + 2] = a0 - a1 + a2 - a3;
    out_im[4 * i + 2] = b0 - b1 + b2 - b3;
    out_re[4 * i + 3] = a0 - b1 - a2 + b3;
    out_im[4 * i + 3] = b0 + a1 - b2 - a3;
}
