/* A group for each word. */
__kernel void words_embed(__global const int *word, __global const float *table,
                          __global const float *place, __global float *out, int width)
{
    int t = get_group_id(0);
    int at = word[t];

    for (int i = get_local_id(0); i < width; i += get_local_size(0))
        out[t * width + i] = table[at * width + i] * 11.3f + place[(t % 512) * width + i];
}
