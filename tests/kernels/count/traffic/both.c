/* both.c - lane-by-lane enumeration of memory traffic */
#include "tests/kernels/count/traffic/both.h"

#include <stdlib.h>
#include <string.h>

int lx, ly, gx, gy, i, j, n, m, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9;
int both_iteration[4] = { -1, -1, -1, -1 };

const char both_start[] =
    "#define LD(array, index) t_##array += array[index]\n"
    "#define ST(array, index) array[index] = t_##array\n"
    "#define FOR(depth, k, from, to) for (int k = (from); k < (to); k++)\n"
    "#define HALVE(depth, k, from) for (int k = (from); k > 0; k /= 2)\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "kernel void f(global float *A, global float *B, global float *C, global double *D,\n"
    "              global float4 *V, global uchar *U, constant float *K, int n, int m)\n"
    "{\n"
    "local float L[4096];\n"
    "float t_A = 0, t_B = 0, t_C = 0, t_K = 0, t_L = 0; double t_D = 0; float4 t_V = 0;\n"
    "uchar t_U = 0;\n"
    "int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0);\n"
    "int gy = get_group_id(1), i = get_global_id(0), j = get_global_id(1);\n";
const char both_end[] =
    "\nA[0] = t_A + t_B + t_C + t_K + t_L + (float)t_D + t_V.x + t_U;\n}";

static const int element_bytes[N_ARRAYS] = { 4, 4, 4, 8, 16, 1, 4, 4 };

struct touch {
    int site, sub_group, iteration[4], array, is_store, group, bytes;
    int64_t offset;
};

static struct touch *touches;
static size_t n_touches, capacity;
static int sub_group, group, unit;

int both_touch(enum both_array array, int64_t index, int is_store, int site)
{
    struct touch *t;

    if (n_touches == capacity) {
        capacity = capacity ? 2 * capacity : 1024;
        if (!(touches = realloc(touches, capacity * sizeof(*touches))))
            abort();
    }
    t = &touches[n_touches++];
    *t = (struct touch){ .site = site,
                         .sub_group = sub_group,
                         .array = (int)array,
                         .is_store = is_store,
                         .group = group,
                         .bytes = element_bytes[array],
                         .offset = index * element_bytes[array] };
    memcpy(t->iteration, both_iteration, sizeof(t->iteration));
    return 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By execution of a sub-group. */
static int compare_executions(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int order = compare_numbers(x->site, y->site);

    if (!order)
        order = compare_numbers(x->sub_group, y->sub_group);
    for (int k = 0; k < 4 && !order; k++)
        order = compare_numbers(x->iteration[k], y->iteration[k]);
    return order;
}

static int compare_groups(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int order = compare_numbers(x->array, y->array);

    if (!order)
        order = compare_numbers(x->is_store, y->is_store);
    return order ? order : compare_numbers(x->group, y->group);
}

static int compare_arrays(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int order = compare_numbers(x->array, y->array);

    return order ? order : compare_numbers(x->is_store, y->is_store);
}

static int compare_int64(const void *a, const void *b)
{
    return compare_numbers(*(const int64_t *)a, *(const int64_t *)b);
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* The distinct blocks of 'size' bytes among touches, '*partial' of them not complete. */
static int64_t count_blocks(const struct touch *t, size_t count, int64_t size,
                            int64_t *partial)
{
    size_t total = 0, at = 0;
    int64_t *bytes, blocks = 0;

    for (size_t k = 0; k < count; k++)
        total += (size_t)t[k].bytes;
    bytes = malloc((total + 1) * sizeof(*bytes));
    for (size_t k = 0; k < count; k++)
        for (int b = 0; b < t[k].bytes; b++)
            bytes[at++] = t[k].offset + b;
    qsort(bytes, total, sizeof(*bytes), compare_int64);
    *partial = 0;
    for (size_t k = 0; k < total;) {
        int64_t block = floor_of(bytes[k], size), covered = 0;

        for (; k < total && floor_of(bytes[k], size) == block; k++)
            covered += k == 0 || bytes[k] != bytes[k - 1];
        blocks++;
        *partial += covered < size;
    }
    free(bytes);
    return blocks;
}

static int64_t count_passes(const struct touch *t, size_t count, int banks)
{
    int64_t worst = 0;

    for (int bank = 0; bank < banks; bank++) {
        int64_t words[1024];
        int64_t distinct = 0;

        for (size_t k = 0; k < count; k++)
            for (int64_t w = floor_of(t[k].offset, 4);
                 w <= floor_of(t[k].offset + t[k].bytes - 1, 4); w++) {
                int seen = 0;

                if (w % banks != bank)
                    continue;
                for (int64_t x = 0; x < distinct; x++)
                    seen |= words[x] == w;
                if (!seen)
                    words[distinct++] = w;
            }
        worst = distinct > worst ? distinct : worst;
    }
    return worst;
}

static void run_all(const struct both_launch *launch)
{
    int items = launch->local[0] * launch->local[1];
    int per_group = (items + launch->sub_group - 1) / launch->sub_group;

    n_touches = 0;
    for (gy = 0; gy < launch->groups[1]; gy++)
        for (gx = 0; gx < launch->groups[0]; gx++) {
            group = gy * launch->groups[0] + gx;
            for (ly = 0; ly < launch->local[1]; ly++)
                for (lx = 0; lx < launch->local[0]; lx++) {
                    sub_group = group * per_group +
                                (ly * launch->local[0] + lx) / launch->sub_group;
                    i = gx * launch->local[0] + lx;
                    j = gy * launch->local[1] + ly;
                    launch->run();
                }
        }
}

static void add_executions(const struct both_launch *launch, struct both_traffic *traffic)
{
    qsort(touches, n_touches, sizeof(*touches), compare_executions);
    for (size_t k = 0, end; k < n_touches; k = end) {
        const struct touch *t = &touches[k];
        int64_t partial, ignored;

        for (end = k; end < n_touches && !compare_executions(t, &touches[end]);)
            end++;
        traffic->lines[t->array][t->is_store] += count_blocks(t, end - k, 128, &ignored);
        traffic->sectors[t->array][t->is_store] +=
            count_blocks(t, end - k, launch->sector, &partial);
        traffic->partial[t->array] += t->is_store ? partial : 0;
        if (t->array == L)
            traffic->passes[L][t->is_store] += count_passes(t, end - k, launch->banks);
    }
}

void both_enumerate(const struct both_launch *launch, struct both_traffic *traffic)
{
    int64_t ignored;

    *traffic = (struct both_traffic){ 0 };
    unit = launch->sector;
    run_all(launch);
    add_executions(launch, traffic);
    qsort(touches, n_touches, sizeof(*touches), compare_groups);
    for (size_t k = 0, end; k < n_touches; k = end) {
        for (end = k; end < n_touches && !compare_groups(&touches[k], &touches[end]);)
            end++;
        traffic->group[touches[k].array][touches[k].is_store] +=
            count_blocks(&touches[k], end - k, unit, &ignored);
    }
    for (size_t k = 0, end; k < n_touches; k = end) {
        for (end = k; end < n_touches && !compare_arrays(&touches[k], &touches[end]);)
            end++;
        traffic->launch[touches[k].array][touches[k].is_store] +=
            count_blocks(&touches[k], end - k, unit, &ignored);
        for (size_t w = k; w <= end; w++) /* sorted by group */
            if (w == end || touches[w].group >= launch->wave) {
                traffic->wave[touches[k].array][touches[k].is_store] =
                    count_blocks(&touches[k], w - k, unit, &ignored);
                break;
            }
    }
}
