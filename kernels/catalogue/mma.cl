/* Products of matrices by a sub-group, in CHAINS sums at a time, of which each waits for the one before: in
 * inline assembly of NVIDIA's PTX, for OpenCL C has no function for them.
 *
 * A work-item has words of a row of the first matrix and of a column of the second, PER elements each.  These
 * have full mantissas, different ones in each row, so that the units toggle as with real data.
 */
#define IS_f16 1
#define IS_bf16 2
#define IS_tf32 3
#define IS_f64 4
#define IS_s8 5
#define PASTE(a, b) a##b
#define IS(type) PASTE(IS_, type)
#define MIXED(row, k) ((row) * 37 + (k) * 101 + (row) * (k) * 13)

#if IS(TYPE) == IS_f64
#define T double
#define WORD double
#define N_A 1
#define N_B 1
#define N_C 2
#define PER 1
#define ELEMENT(row, k) (0.5 + (MIXED(row, k) & 0x3ff) / 2048.0)
#define MULTIPLY(c)                                                                      \
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "                  \
                     "{%0, %1}, {%2}, {%3}, {%0, %1};"                                   \
                     : "+d"((c)[0]), "+d"((c)[1])                                        \
                     : "d"(a[0]), "d"(b[0]));
#else
#define WORD uint
#define N_A 4
#define N_B 2
#define N_C 4
#if IS(TYPE) == IS_f16
#define T float
#define PER 2
#define ELEMENT(row, k) (0x3800 | (MIXED(row, k) & 0x3ff))
#define MULTIPLY(c)                                                                      \
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                     : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])            \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif IS(TYPE) == IS_bf16
#define T float
#define PER 2
#define ELEMENT(row, k) (0x3f00 | (MIXED(row, k) & 0x7f))
#define MULTIPLY(c)                                                                      \
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "              \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                     : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])            \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif IS(TYPE) == IS_tf32
#define T float
#define PER 1
#define ELEMENT(row, k) (0x3f000000 | (MIXED(row, k) & 0x3ff) << 13)
#define MULTIPLY(c)                                                                      \
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "               \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                     : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])            \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#define T int
#define PER 4
#define ELEMENT(row, k) (MIXED(row, k) & 0x7f)
#define MULTIPLY(c)                                                                      \
    __asm__ volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "                  \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                     : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])            \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
#endif

/* PER elements of a row. */
WORD word_at(int row, int k)
{
#if PER == 1
    return ELEMENT(row, k);
#else
    WORD word = 0;

    for (int i = 0; i < PER; i++)
        word |= (WORD)ELEMENT(row, k + i) << (32 / PER) * i;
    return word;
#endif
}

__kernel void mma(__global T *result, int m)
{
    int lane = get_local_id(0) % 32, row = lane / 4, k = lane % 4 * PER;
    WORD a[N_A], b[N_B];
    T c[CHAINS][N_C], sum = 0;

    for (int i = 0; i < N_A; i++)
        a[i] = word_at(row + i % 2 * 8, k + i / 2 * 4 * PER);
    for (int i = 0; i < N_B; i++)
        b[i] = word_at(row, k + i * 4 * PER);
    for (int i = 0; i < CHAINS; i++)
        for (int j = 0; j < N_C; j++)
            c[i][j] = i;
    for (int it = 0; it < m; it++) {
        for (int i = 0; i < CHAINS; i++)
            MULTIPLY(c[i])
        for (int i = 0; i < CHAINS; i++)
            MULTIPLY(c[i])
    }
    for (int i = 0; i < CHAINS; i++)
        for (int j = 0; j < N_C; j++)
            sum += c[i][j];
    result[get_global_id(0)] = sum;
}
