/* Additions, which are what the model of the runs here has costs for. */
__kernel void adds(__global float *y, float a, int n)
{
    int i = get_global_id(0);
    float s = a;

    for (int k = 0; k < 1000; k++)
        s = s + a;
    y[i] = s;
}
