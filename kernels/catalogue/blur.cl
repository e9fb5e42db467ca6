/* out[i] is the mean of in[i] to in[i + 2 R], so that its M elements need no border (Haigh
 * and McCreath 2015, section 3).  A work-group has N work-items with F elements each, dealt
 * out in turn.  Of 'in', which is padded to a multiple of work-groups, it fetches into local
 * memory nothing (IN_LOCAL 0), the elements at its own positions, leaving the others to
 * caches (1), or all that it needs (2).  'share' is 1 / (2 R + 1).
 */
#define OWN (N * F)
#if IN_LOCAL == 0
#define NEAR(i) in[first + (i)]
#elif IN_LOCAL == 1
#define NEAR(i)                                                                          \
    ((i) >= R && (i) < OWN + R ? in_s[(i)-R] : GPUCAL_TAG(inBeside, in[first + (i)]))
#else
#define NEAR(i) in_s[i]
#endif
#if OUT_LOCAL
#define RESULT(i) out_s[i]
#else
#define RESULT(i) out[first + (i)]
#endif

__kernel void blur(__global const T *in, __global T *out, T share, int M)
{
    int l = get_local_id(0);
    int first = OWN * get_group_id(0);
#if OUT_LOCAL
    __local T out_s[OWN];
#endif
#if IN_LOCAL == 1
    __local T in_s[OWN];

    for (int i = l; i < OWN; i += N)
        in_s[i] = GPUCAL_TAG(inOwn, in[first + R + i]);
    barrier(CLK_LOCAL_MEM_FENCE);
#elif IN_LOCAL == 2
    __local T in_s[OWN + 2 * R];

    for (int i = l; i < OWN + 2 * R; i += N)
        in_s[i] = in[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    for (int f = 0; f < F; ++f) {
        int i = N * f + l;
        T sum = (T)0;

        for (int j = 0; j <= 2 * R; ++j)
            sum = sum + NEAR(i + j);
#if !OUT_LOCAL
        if (first + i < M)
#endif
            RESULT(i) = sum * share;
    }
#if OUT_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < OWN; i += N)
        if (first + i < M)
            out[first + i] = out_s[i];
#endif
}
