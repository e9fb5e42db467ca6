/* Operations without a loop: four values per work-item, each updated eight times in straight
 * code, between a load and a store.  Devices without lanes run such work-items side by side
 * only if their compiler can vectorise over work-items, which loops may keep it from.
 *
 * Compilers know the algebra of integers, so an update takes the right neighbour's value, which
 * has changed since.  Floating-point values stay between 0.1 and 4.
 */
#define PASTE(a, b) a##b

/* v: the value, w: its neighbour's, b: the base */
#define NEXT_madd(v, w, b) ((v) * (T)0.37f + (b))
#define NEXT_min(v, w, b) (fmin(v, w) + (b))
#define NEXT_select(v, w, b) ((v) > (w) ? (v) - (T)0.3f : (w) + (b))
#define NEXT_div(v, w, b) ((b) / (v))
#define NEXT_sqrt(v, w, b) (sqrt(v) + (b))
#define NEXT_exp(v, w, b) exp(-(v))
#define NEXT_log(v, w, b) log((v) + 3)
#define NEXT_sin(v, w, b) (sin(v) + (b))
#define NEXT_native_exp(v, w, b) native_exp(-(v))
#define NEXT_native_sin(v, w, b) (native_sin(v) + (b))
#define NEXT_pow(v, w, b) pow(v, b)
#define NEXT_logic(v, w, b) (((v) + (w)) ^ (b))
#define NEXT_mul(v, w, b) ((v) * (w) + (b))
#define NEXT_quotient(v, w, b) ((b) / ((w) | 1))

#define UPDATE(v, w) v = NEXT(v, w, base);
#define ALL_4 UPDATE(v0, v1) UPDATE(v1, v2) UPDATE(v2, v3) UPDATE(v3, v0)

__kernel void flops_straight(__global T *result, __global const T *in0)
{
    size_t i = get_global_id(0);
    T base = GPUCAL_TAG(flopsStraight, in0[i]);
    T v0 = base + (T)1, v1 = base + (T)2, v2 = base + (T)3, v3 = base + (T)4;

    ALL_4 ALL_4 ALL_4 ALL_4 ALL_4 ALL_4 ALL_4 ALL_4
    GPUCAL_TAG(out, result[i]) = v0 + v1 + v2 + v3;
}
