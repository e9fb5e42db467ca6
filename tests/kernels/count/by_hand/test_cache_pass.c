/* test_cache_pass.c - passes over the banks of a first-level cache, and footprints of
 * sub-groups, in kernels counted by hand
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand/by_hand.h"

enum { SUB_GROUP = 32, GROUPS = 10, GROUP_SIZE = 64 };

/* 20 sub-groups; values per execution of the load by one of them, at n. */
static const struct access {
    const char *index;
    int n;
    double passes, lines;
    double footprint; /* sectors of a sub-group; 0: not compared */
} accesses[] = {
    { "i", 8, 1, 1, 4 },
    { "2 * i", 8, 2, 2, 8 },
    { "32 * i", 8, 32, 32, 32 },
    { "33 * i", 8, 1, 32, 32 },
    { "n - n + 5", 8, 1, 1, 1 },
    /* rows of symbolic length: by the power of two that divides it */
    { "i * n", 1024, 32, 32, 32 },
    { "i * n", 1000, 8, 32, 32 },
    { "i * n", 1001, 1, 32, 32 },
    { "i * n + 3", 48, 16, 32, 32 },
    /* where in a line a row begins is unknown: the mean, unless rows are whole lines */
    { "(i / 16) * n + i % 16", 1024, 2, 2, 0 },
    { "(i / 16) * n + i % 16", 1000, 1, 2 * (1 + 15.0 / 32), 0 },
    /* the distance of neighbours in rows counts as well */
    { "8 * i * n", 3, 8, 24, 32 },
    /* rows that are short share lines */
    { "i * n", 8, 8, 8, 32 },
};

static struct gcal_profile *count(const struct access *a)
{
    char source[500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { GROUP_SIZE },
                                    .global_size = { "640" },
                                    .sub_group_size = SUB_GROUP,
                                    .n_banks = 32,
                                    .sector_bytes = 32,
                                    .allow_estimates = true };

    snprintf(source, sizeof(source),
             "kernel void f(global float *a, global float *b, int n)\n"
             "{ int i = get_global_id(0); b[i] = a[%s]; }",
             a->index);
    return by_hand_count(&r, a->index);
}

static double value_of(const struct gcal_profile *p, const char *feature, double n)
{
    return by_hand_value(p, feature, &n);
}

static void expect(const struct access *a, const struct gcal_profile *p,
                   const char *feature, double wanted)
{
    double value = value_of(p, feature, a->n) / (GROUPS * GROUP_SIZE / SUB_GROUP);

    if (value < 0.999 * wanted || value > 1.001 * wanted)
        fail_msg("a[%s], n = %d: %s is %g for each sub-group, not %g", a->index, a->n,
                 feature, value, wanted);
}

static void check_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++) {
        const struct access *a = &accesses[i];
        struct gcal_profile *p = count(a);

        expect(a, p, "f_cache_pass_global_load", a->passes);
        expect(a, p, "f_line_global_load", a->lines);
        if (a->footprint > 0)
            expect(a, p, "f_footprint_sub_group_global_load", a->footprint);
        expect(a, p, "f_cache_pass_global_store", 1);
        gcal_profile_destroy(p);
    }
}

/* ---- kernels whose work-items are enumerated ---- */

enum { N_BANKS = 32 };

/* Where lane (x, y) of the launch loads, in the k-th of its loads; -1: it does not. */
struct enumerated {
    const char *name, *source, *global_size, *assume; /* NULL: of 'global', nothing */
    size_t n_dims, local[2], global[2];
    int64_t bytes, loads;
    int64_t (*at)(int64_t x, int64_t y, int64_t k, int64_t n);
    const char *feature;
    bool exact;
    int n[4]; /* up to a 0 */
};

static int64_t at_rod(int64_t x, int64_t y, int64_t k, int64_t n)
{
    const int64_t i = x + 6;

    (void)y;
    return i >= n - 6 ? -1 : k % 2 ? i + (k + 1) / 2 : i - k / 2;
}

static int64_t at_inner(int64_t x, int64_t y, int64_t k, int64_t n)
{
    (void)y;
    return x < 1 || x >= n - 1 ? -1 : x + (k ? 1 : -1);
}

static int64_t at_pair(int64_t x, int64_t y, int64_t k, int64_t n)
{
    (void)y;
    (void)k;
    return x >= n ? -1 : 2 * x + 1;
}

static int64_t at_image(int64_t x, int64_t y, int64_t k, int64_t n)
{
    (void)k;
    return x >= n ? -1 : y * n + x;
}

static int64_t at_planes(int64_t x, int64_t y, int64_t k, int64_t n)
{
    (void)k;
    return x * n + y * n * n;
}

static int64_t at_triangle(int64_t x, int64_t y, int64_t k, int64_t n)
{
    (void)y;
    return k > x % 32 ? -1 : k * n + x;
}

#define IDS "{ int x = get_global_id(0), y = get_global_id(1); "

static const struct enumerated enumerated[] = {
    { .name = "a filter of doubles with a guard",
      .source =
          "kernel void f(global double *a, constant double *w,\n"
          "global double *b, int n)\n"
          "{ int i = get_global_id(0) + 6; if (i < n - 6) { double s = w[0] * a[i];\n"
          "for (int k = 1; k <= 6; k++) s += w[k] * (a[i - k] + a[i + k]);\n"
          "b[i] = s; } }",
      .global_size = "128*ceil(n/128)",
      .assume = "n >= 16",
      .n_dims = 1,
      .local = { 128 },
      .global = { 640 },
      .bytes = 8,
      .loads = 13,
      .at = at_rod,
      .feature = "f_cache_pass_global_float64_load",
      .exact = true,
      .n = { 640, 333, 29 } },
    { .name = "an interior of bytes",
      .source = "kernel void f(global uchar *a, global uchar *b, int n)\n"
                "{ int i = get_global_id(0);\n"
                "if (i >= 1 && i < n - 1) b[i] = a[i - 1] + a[i + 1]; }",
      .n_dims = 1,
      .local = { 64 },
      .global = { 640 },
      .bytes = 1,
      .loads = 2,
      .at = at_inner,
      .feature = "f_cache_pass_global_uint8_load",
      .exact = true,
      .n = { 640, 200, 3 } },
    { .name = "pairs with a guard",
      .source = "kernel void f(global float *a, global float *b, int n)\n"
                "{ int i = get_global_id(0); if (i < n) b[i] = a[2 * i + 1]; }",
      .n_dims = 1,
      .local = { 64 },
      .global = { 640 },
      .bytes = 4,
      .loads = 1,
      .at = at_pair,
      .feature = "f_cache_pass_global_float32_load",
      .exact = true,
      .n = { 640, 340, 17 } },
    { .name = "an image, a row to each sub-group",
      .source = "kernel void f(global double *a, global double *b, int n)\n" IDS
                "if (x < n) b[0] = a[y * n + x]; }",
      .n_dims = 2,
      .local = { 32, 4 },
      .global = { 256, 8 },
      .bytes = 8,
      .loads = 1,
      .at = at_image,
      .feature = "f_cache_pass_global_float64_load",
      .exact = true,
      .n = { 256, 250, 33 } },
    { .name = "rows of two lengths, the longer of other sub-groups",
      .source = "kernel void f(global float *a, global float *b, int n)\n" IDS
                "b[0] = a[x * n + y * n * n]; }",
      .n_dims = 2,
      .local = { 32, 4 },
      .global = { 256, 8 },
      .bytes = 4,
      .loads = 1,
      .at = at_planes,
      .feature = "f_cache_pass_global_float32_load",
      .assume = "n >= 14",
      .n = { 1001, 1024, 1000 } },
    { .name = "rows of two lengths in one sub-group",
      .source = "kernel void f(global float *a, global float *b, int n)\n" IDS
                "b[0] = a[x * n + y * n * n]; }",
      .n_dims = 2,
      .local = { 8, 16 },
      .global = { 256, 16 },
      .bytes = 4,
      .loads = 1,
      .at = at_planes,
      .feature = "f_cache_pass_global_float32_load",
      .n = { 1024, 2048 } },
    { .name = "rows that loops take to the lane's number",
      .source = "kernel void f(global double *a, global double *b, int n)\n"
                "{ int x = get_global_id(0), t = get_local_id(0); double s = 0;\n"
                "for (int k = 0; k <= t; k++) s += a[k * n + x]; b[x] = s; }",
      .n_dims = 1,
      .local = { 32 },
      .global = { 256 },
      .bytes = 8,
      .loads = 32,
      .at = at_triangle,
      .feature = "f_cache_pass_global_float64_load",
      .exact = true,
      .n = { 256, 300 } },
};

/* The passes of some lanes' words: most distinct ones in a bank. */
static int64_t passes_of(const int64_t *at, size_t n, int64_t bytes)
{
    int64_t most = 0;

    for (int64_t bank = 0; bank < N_BANKS; bank++) {
        int64_t words[2 * SUB_GROUP], n_words = 0;

        for (size_t lane = 0; lane < n; lane++)
            for (int64_t word = at[lane] * bytes / 4;
                 word <= (at[lane] * bytes + bytes - 1) / 4; word++) {
                bool new = word % N_BANKS == bank;

                for (int64_t i = 0; i < n_words && new; i++)
                    new = words[i] != word;
                if (new)
                    words[n_words++] = word;
            }
        most = n_words > most ? n_words : most;
    }
    return most;
}

/* Of one sub-group's k-th load: 'first' is its first work-item in the group at (gx, gy). */
static int64_t passes_of_sub_group(const struct enumerated *e, int64_t gx, int64_t gy,
                                   int64_t first, int64_t k, int64_t n)
{
    int64_t at[SUB_GROUP], width = (int64_t)e->local[0];
    size_t lanes = 0;

    for (int64_t item = first; item < first + SUB_GROUP; item++) {
        int64_t place = e->at(gx * width + item % width,
                              gy * (int64_t)e->local[1] + item / width, k, n);

        if (place >= 0)
            at[lanes++] = place;
    }
    return passes_of(at, lanes, e->bytes);
}

static double enumerate(const struct enumerated *e, int n)
{
    int64_t sum = 0, size = (int64_t)(e->local[0] * e->local[1]);

    for (int64_t gy = 0; gy < (int64_t)(e->global[1] / e->local[1]); gy++)
        for (int64_t gx = 0; gx < (int64_t)(e->global[0] / e->local[0]); gx++)
            for (int64_t first = 0; first < size; first += SUB_GROUP)
                for (int64_t k = 0; k < e->loads; k++)
                    sum += passes_of_sub_group(e, gx, gy, first, k, n);
    return (double)sum;
}

static bool is_estimated(const struct gcal_profile *p, const char *feature)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (strcmp(p->entries[i].feature, feature) == 0 && p->entries[i].estimated)
            return true;
    return false;
}

static void check_one(const struct enumerated *e)
{
    char global[2][20];
    struct gcal_count_request r = {
        .source = e->source,
        .file = "x.cl",
        .n_dims = e->n_dims,
        .local_size = { e->local[0], e->local[1] },
        .global_size = { e->global_size ? e->global_size : global[0], global[1] },
        .assume = e->assume,
        .sub_group_size = SUB_GROUP,
        .n_banks = N_BANKS,
        .sector_bytes = 32,
        .allow_estimates = true
    };
    struct enumerated all = *e;
    struct gcal_profile *p;

    for (int d = 0; d < 2; d++) {
        all.local[d] += all.local[d] == 0;
        all.global[d] += all.global[d] == 0;
        snprintf(global[d], sizeof(global[d]), "%zu", all.global[d]);
    }
    p = by_hand_count(&r, e->name);
    if (e->exact && is_estimated(p, e->feature))
        fail_msg("%s: %s is an estimate", e->name, e->feature);
    for (int i = 0; i < 4 && e->n[i]; i++) {
        double wanted = enumerate(&all, e->n[i]),
               value = value_of(p, e->feature, e->n[i]);

        if (value != wanted)
            fail_msg("%s: %s is %g at n = %d, not %g", e->name, e->feature, value,
                     e->n[i], wanted);
    }
    gcal_profile_destroy(p);
}

static void check_enumerated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(enumerated) / sizeof(*enumerated); i++)
        check_one(&enumerated[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_all),
                                        cmocka_unit_test(check_enumerated) };

    return cmocka_run_group_tests_name("cache_pass", tests, NULL, NULL);
}
