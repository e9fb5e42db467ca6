/* One operation of integers at a high rate, or a minimum, selection or conversion of any type: eight
 * values per work-item, each updated eight times per iteration.
 *
 * Compilers know the algebra of integers: powers, sums and masks of one value are computed at
 * once.  So an update takes the right neighbour's value, which has changed since, or mixes two
 * operations, of which the other is an addition.  Factors are odd, so that no product becomes 0,
 * and divisors are at least 1.
 */
#define PASTE(a, b) a##b

/* v: the value, w: its neighbour's, b: the base */
#define NEXT_add(v, w, b)     ((v) + (w))
#define NEXT_logic(v, w, b)   (((v) + (w)) ^ (b))
#define NEXT_logic3(v, w, b)  (((v) & (w)) ^ (b)) /* one instruction on GPUs */
#define NEXT_shift(v, w, b)   (((v) >> 3) + (w))
#define NEXT_mul(v, w, b)     ((v) * (w))
#define NEXT_div(v, w, b)     ((b) / (v))
#define NEXT_rem(v, w, b)     ((b) % (v) + 4097)
#define NEXT_min(v, w, b)     (MIN(v, w) + (b))
#define NEXT_select(v, w, b)  ((b) - ((v) > (w) ? (v) : (T)1))
#define NEXT_convert(v, w, b) ((b) - (T)(OTHER)(v))

#define ALL_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define START(i)                                                                         \
    v[i] = (T)(((l * 2654435 + i * 1013904 + 69069) & 0xffff) | 1);                      \
    b[i] = (T)(((l * 1664525 + i * 2891336 + 12345) & 0xffffff) | 0x10001);
#define UPDATE(i) v[i] = NEXT(v[i], v[(i + 1) % 8], b[i]);
#define SUM(i)    sum = sum + v[i];

__kernel void int_ops(__global T *result, int m)
{
    int l = get_local_id(0);
    T v[8], b[8], sum = (T)0;

    ALL_8(START)
    for (int it = 0; it < m; ++it) {
        for (int k = 0; k < 8; ++k) {
            ALL_8(UPDATE)
        }
    }
    ALL_8(SUM)
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
