/* both.h - kernels that are OpenCL C, as text, and C, which runs them lane by lane
 *
 * BOTH(name, body) defines the text of a body and a function of the same.  The function
 * records what each work-item accesses, so that traffic can be enumerated without any of
 * gpucal's code.  Bodies use lx ly gx gy (local and group ids), i j (global ids), n m (the
 * sizes), C0 .. C9 (numbers, macros in OpenCL) and
 *
 *   LD(array, index)  ST(array, index)    a load, a store
 *   FOR(depth, k, from, to)               k = from .. to-1; depth: 0, 1, .. of nested loops
 *   HALVE(depth, k, from)                 k = from, from/2, .. 1
 *
 * Arrays: a b c (float), d (double), v (float4), u (uchar), k (constant float), all global
 * but k, and l (local float).
 */
#ifndef GCAL_TESTS_TRAFFIC_BOTH_H
#define GCAL_TESTS_TRAFFIC_BOTH_H

#include <stddef.h>
#include <stdint.h>

enum both_array { A, B, C, D, V, U, K, L, N_ARRAYS };

extern int lx, ly, gx, gy, i, j, n, m, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9;
extern int both_iteration[4];

/* Records an access of the current work-item; the value loaded. */
int both_touch(enum both_array array, int64_t index, int is_store, int site);

#define LD(array, index) both_touch(array, index, 0, __COUNTER__)
#define ST(array, index) both_touch(array, index, 1, __COUNTER__)
#define FOR(depth, k, from, to)                                                          \
    for (int k = (from); k < (to) ? (both_iteration[depth] = k - (from), 1)              \
                                  : (both_iteration[depth] = -1, 0);                     \
         k++)
#define HALVE(depth, k, from)                                                            \
    for (int k = (from);                                                                 \
         k > 0 ? (both_iteration[depth] = k, 1) : (both_iteration[depth] = -1, 0);       \
         k /= 2)
#define BARRIER (void)0
#define BOTH(name, ...)                                                                  \
    static const char name##_text[] = #__VA_ARGS__;                                      \
    static void name##_run(void)                                                         \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }

/* Before and after each body. */
extern const char both_start[], both_end[];

struct both_launch {
    void (*run)(void);
    int sub_group, sector, banks;
    int local[2], groups[2]; /* of two dimensions */
    int wave;                /* work-groups */
};

/* By array and direction (0 load, 1 store). */
struct both_traffic {
    int64_t sectors[N_ARRAYS][2], lines[N_ARRAYS][2], partial[N_ARRAYS];
    int64_t passes[N_ARRAYS][2];
    /* distinct sectors: sum over groups, of the first groups, of all */
    int64_t group[N_ARRAYS][2], wave[N_ARRAYS][2], launch[N_ARRAYS][2];
};

void both_enumerate(const struct both_launch *launch, struct both_traffic *traffic);

#endif
