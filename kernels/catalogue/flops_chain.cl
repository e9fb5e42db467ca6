/* Multiply-adds or other operations of which each waits for the one before: CHAINS chains per
 * work-item, so that few work-items are limited by the latency of the operation.
 * The numbers stay between 0.5 and 4.
 */
#define PASTE(a, b) a##b

#define NEXT_add(v, b)        ((b) - (v))
#define NEXT_madd(v, b)       ((b) + (v) * (T)0.37f)
#define NEXT_native_exp(v, b) native_exp(-(v))
#define NEXT_div(v, b)        ((b) / (v))

__kernel void flops_chain(__global T *result, int m)
{
    int l = get_local_id(0);
    T v[CHAINS], base[CHAINS], sum = (T)0;

    for (int i = 0; i < CHAINS; ++i) {
        v[i] = (T)(((l * 2654435 + i * 1013904 + 69069) & 0x3ff) + 1024) * (T)0.00093f;
        base[i] = (T)(((l * 1664525 + i * 2891336 + 12345) & 0x3ff) + 1024) * (T)0.00188f;
    }
    for (int it = 0; it < m; ++it)
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < CHAINS; ++i)
                v[i] = NEXT(v[i], base[i]);
    for (int i = 0; i < CHAINS; ++i)
        sum = sum + v[i];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
