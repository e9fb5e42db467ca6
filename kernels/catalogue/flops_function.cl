/* One function at a high rate: eight chains per work-item, in each of which the function
 * is applied to its last result, eight times per iteration.
 *
 * Each chain has a base, a number with a full mantissa that differs between chains and
 * work-items.  A quotient of the base goes back and forth between two values; the other
 * functions draw values together, so the base is added once per iteration, which sets
 * them apart again: an eighth of an addition per function.  Everything stays between
 * 0.1 and 2.5, where no function has a shorter way.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define PASTE(a, b) a##b

#define NEXT_div(v, b) ((b) / (v))
#define NEXT_sqrt(v, b) sqrt(v)
#define NEXT_exp(v, b) exp(-(v))
#define NEXT_sin(v, b) sin(v)
#define NEXT_cos(v, b) cos(v)
#define NEXT_log(v, b) log((v) + 3)
#define NEXT_pow(v, b) pow(v, b)
#define NEXT_rsqrt(v, b) rsqrt(v)
#define NEXT_native_divide(v, b) native_divide(b, v)
#define NEXT_native_recip(v, b) native_recip(v)
#define NEXT_native_sqrt(v, b) native_sqrt(v)
#define NEXT_native_exp(v, b) native_exp(-(v))
#define NEXT_native_sin(v, b) native_sin(v)
#define NEXT_native_cos(v, b) native_cos(v)
#define NEXT_native_log(v, b) native_log((v) + 3)
#define NEXT_native_powr(v, b) native_powr(v, b)
#define NEXT_native_rsqrt(v, b) native_rsqrt(v)

#define APART_div(v, b)
#define APART_sqrt(v, b) v = v + b;
#define APART_exp(v, b) v = v + b;
#define APART_sin(v, b) v = v + b;
#define APART_cos(v, b) v = v + b;
#define APART_log(v, b) v = v + b;
#define APART_pow(v, b) v = v + b;
#define APART_rsqrt(v, b) v = v + b;
#define APART_native_divide(v, b)
#define APART_native_recip(v, b)
#define APART_native_sqrt(v, b) v = v + b;
#define APART_native_exp(v, b) v = v + b;
#define APART_native_sin(v, b) v = v + b;
#define APART_native_cos(v, b) v = v + b;
#define APART_native_log(v, b) v = v + b;
#define APART_native_powr(v, b) v = v + b;
#define APART_native_rsqrt(v, b) v = v + b;

#define ALL_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define START(i)                                                                         \
    v[i] = (T)(((l * 2654435 + i * 1013904 + 69069) & 0x3ff) + 1024) * (T)0.00093f;      \
    base[i] = (T)(((l * 1664525 + i * 2891336 + 12345) & 0x3ff) + 1024) * (T)0.00047f;
#define UPDATE(i) v[i] = NEXT(v[i], base[i]);
#define SET_APART(i) APART(v[i], base[i])
#define SUM(i) sum = sum + v[i];

__kernel void flops_function(__global T *result, int m)
{
    int l = get_local_id(0);
    T v[8], base[8], sum = (T)0;

    ALL_8(START)
    for (int it = 0; it < m; ++it) {
        for (int k = 0; k < 8; ++k) {
            ALL_8(UPDATE)
        }
        ALL_8(SET_APART)
    }
    ALL_8(SUM)
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
