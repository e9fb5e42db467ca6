/* The lower partner of two exchanges both. */
__kernel void bitonic_step(__global int *x, int far, int block)
{
    int i = get_global_id(0);
    int j = i ^ far;

    if (j > i) {
        int a = x[i], b = x[j];
        int rising = (i & block) == 0;

        if ((a > b) == rising) {
            x[i] = b;
            x[j] = a;
        }
    }
}
