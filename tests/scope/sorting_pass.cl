/* One pass of a network: elements 'span' apart are put in order, upwards or downwards by block. */
__kernel void sorting_pass(__global float *key, int runs, int span, int block)
{
    int i = get_global_id(0);

    if (i < runs * span) {
        int low = i / span * 2 * span + i % span;
        float a = key[low];
        float b = key[low + span];
        float small = fmin(a, b);
        float large = fmax(a, b);
        int down = low / block % 2;

        key[low] = down ? large : small;
        key[low + span] = down ? small : large;
    }
}
