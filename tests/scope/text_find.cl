#define LONG 12

/* Where a word of twelve bytes begins: all of it is compared at every place. */
__kernel void text_find(__global const uchar *text, __constant uchar *word, __global uchar *hit,
                        int n)
{
    int i = get_global_id(0);

    if (i <= n - LONG) {
        int same = 0;

        for (int k = 0; k < LONG; k++)
            same += text[i + k] == word[k] ? 1 : 0;
        hit[i] = same == LONG;
    }
}
