/* test_traffic.c - sectors, lines, passes and footprints against lane-by-lane enumeration */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/expr.h"
#include "kernels/model/feature.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "tests/kernels/count/traffic/both.h"

/* ---- kernels ---- */

BOTH(copy, LD(A, i); ST(B, i);)
BOTH(
    copy_guarded, if (i < n) {
        LD(A, i);
        ST(B, i);
    })
BOTH(
    neighbours, if (i >= 1 && i < n - 1) {
        LD(A, i - 1);
        LD(A, i + 1);
        ST(B, i);
    })
BOTH(strided, LD(A, 2 * i); LD(B, 3 * i + 1); ST(C, 8 * i);)
BOTH(reversed, LD(A, n - 1 - i); ST(B, i);)
BOTH(
    doubles, if (i < n) {
        LD(D, i);
        ST(D, i);
    })
BOTH(vectors, LD(V, i); ST(V, 3 * i);)
BOTH(
    bytes, if (i < n) {
        LD(U, i);
        ST(U, i + 5);
    })
BOTH(
    structs, FOR(0, k, 0, 6) { LD(A, 6 * i + k); } ST(B, 6 * i + 2);)
BOTH(transpose, LD(A, j *n + i); ST(B, i *n + j);)
BOTH(
    column_walk, FOR(0, k, 0, n) { LD(A, k * n + i); } ST(B, i);)
BOTH(
    row_walk, FOR(0, k, 0, n) { LD(A, i * n + k); } ST(B, i);)
BOTH(
    stencil, if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1) {
        LD(A, j * n + i - 1);
        LD(A, j * n + i + 1);
        LD(A, (j - 1) * n + i);
        LD(A, (j + 1) * n + i);
        ST(B, j * n + i);
    })
BOTH(
    convolution, if (i < n) {
        FOR(0, k, 0, m)
        {
            LD(A, i + k);
            LD(K, k);
        }
        ST(B, i);
    })
BOTH(
    tile, FOR(0, k, 0, n / 16) {
        LD(A, j * n + k * 16 + lx);
        LD(B, (k * 16 + ly) * n + i);
        ST(L, ly * 16 + lx);
        BARRIER;
        FOR(1, t, 0, 16)
        {
            LD(L, ly * 16 + t);
            LD(L, t * 16 + lx);
        }
    } ST(C, j *n + i);)
BOTH(
    tree, ST(L, lx); HALVE(0, s, 64) {
        if (lx < s) {
            LD(L, lx + s);
            ST(L, lx);
        }
    } if (lx == 0) { ST(B, gx); })
BOTH(
    interleaved, HALVE(0, s, 64) {
        if (lx % (2 * s) == 0) {
            LD(L, lx + s);
        }
    } ST(B, i);)
BOTH(
    local_columns, if (lx < 20) {
        LD(L, 32 * lx);
        LD(L, 33 * lx);
    } ST(B, i);)
BOTH(
    triangle, FOR(0, k, 0, lx + 1) {
        LD(A, 64 * gx + k);
        LD(B, 64 * k + lx);
    } ST(C, i);)
BOTH(
    odd_lanes, if (lx % 2 == 1) { ST(B, i); } else { LD(A, i); })
BOTH(
    partly, if (lx < 19) { ST(B, 32 * gx + lx); } ST(C, 2 * i); ST(C, 2 * i + 1);)
BOTH(broadcast, LD(A, gx); LD(B, lx / 4); LD(K, gx + 3); ST(C, i);)
BOTH(rows_of_16, LD(A, 64 * ly + lx); ST(B, 16 * ly + lx + 256 * gx);)
BOTH(planes, LD(A, 3 * n * m + j * n + i); ST(B, j *n + i);)
BOTH(
    phases, FOR(0, k, 0, m) { LD(A, lx + k); } ST(B, i);)
BOTH(
    shifted_rows, FOR(0, k, 0, 5) { LD(A, j * n + i + k); } ST(B, j *n + i);)
BOTH(random_line, LD(A, C0 + C1 * lx + C2 * gx); ST(B, C3 + C4 * (lx / C5) + C6 * gx);)
BOTH(
    random_guard, if (C0 * lx + 8 * gx < n + C1) {
        LD(A, C2 * i + C3);
        ST(B, i + C4);
        FOR(0, k, 0, C5)
        {
            LD(C, i + C6 * k);
        }
    })
BOTH(
    random_plane, if (i < n - C0 && j >= C1) {
        LD(A, j * n + C2 * i + C3);
        ST(B, (j + C4) * n + i);
    })

struct kernel {
    const char *name, *text;
    void (*run)(void);
    int local[2];
    const char *global[2]; /* the second NULL: one dimension */
    const char *assume;
    int sizes[3][2]; /* n, m; 0: none */
};

#define K(name) #name, name##_text, name##_run
static const struct kernel kernels[] = {
    { K(copy), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 }, { 192, 1 } } },
    { K(copy_guarded),
      { 64, 1 },
      { "(n+63)/64*64", NULL },
      NULL,
      { { 1, 1 }, { 100, 1 }, { 300, 1 } } },
    { K(neighbours),
      { 64, 1 },
      { "(n+63)/64*64", NULL },
      "n >= 8",
      { { 9, 1 }, { 128, 1 }, { 203, 1 } } },
    { K(strided), { 128, 1 }, { "n", NULL }, NULL, { { 256, 1 }, { 1024, 1 } } },
    { K(reversed), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(doubles), { 64, 1 }, { "(n+63)/64*64", NULL }, NULL, { { 77, 1 }, { 200, 1 } } },
    { K(vectors), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(bytes), { 64, 1 }, { "(n+63)/64*64", NULL }, NULL, { { 77, 1 }, { 200, 1 } } },
    { K(structs), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(transpose), { 16, 16 }, { "n", "n" }, NULL, { { 32, 1 }, { 64, 1 } } },
    { K(transpose), { 32, 8 }, { "n", "n" }, "n % 32 = 0", { { 32, 1 }, { 64, 1 } } },
    { K(column_walk), { 64, 1 }, { "n", NULL }, NULL, { { 64, 1 }, { 128, 1 } } },
    { K(row_walk), { 64, 1 }, { "n", NULL }, NULL, { { 64, 1 }, { 128, 1 } } },
    { K(stencil),
      { 32, 4 },
      { "n", "n" },
      "n % 32 = 0 and n >= 64",
      { { 64, 1 }, { 96, 1 } } },
    { K(convolution),
      { 64, 1 },
      { "(n+63)/64*64", NULL },
      NULL,
      { { 100, 5 }, { 130, 3 } } },
    { K(tile), { 16, 16 }, { "n", "n" }, "n % 32 = 0", { { 32, 1 }, { 64, 1 } } },
    { K(tree), { 128, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(interleaved), { 128, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(local_columns), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(triangle), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(odd_lanes), { 64, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(partly), { 32, 1 }, { "n", NULL }, NULL, { { 256, 1 } } },
    { K(broadcast), { 48, 1 }, { "n", NULL }, NULL, { { 240, 1 } } },
    { K(rows_of_16), { 16, 16 }, { "n", "16" }, NULL, { { 64, 1 } } },
    { K(planes), { 32, 2 }, { "n", "m" }, NULL, { { 64, 6 } } },
    { K(phases), { 64, 1 }, { "n", NULL }, NULL, { { 128, 7 }, { 64, 40 } } },
    { K(shifted_rows), { 32, 4 }, { "n", "n" }, "n >= 64", { { 64, 1 }, { 128, 1 } } },
};

/* ---- counting ---- */

static int wave; /* work-groups */

static struct gcal_profile *count(const struct kernel *k, int sub_group, int sector,
                                  const char *options)
{
    struct gcal_error err = { 0 };
    char *source = malloc(strlen(both_start) + strlen(k->text) + strlen(both_end) + 1);
    struct gcal_count_request r = { .source = source,
                                    .file = k->name,
                                    .build_options = options,
                                    .n_dims = k->global[1] ? 2 : 1,
                                    .assume = k->assume,
                                    .sub_group_size = (size_t)sub_group,
                                    .n_banks = 32,
                                    .sector_bytes = (size_t)sector };
    struct gcal_profile *p;

    sprintf(source, "%s%s%s", both_start, k->text, both_end);
    for (size_t d = 0; d < r.n_dims; d++) {
        r.local_size[d] = (size_t)k->local[d];
        r.global_size[d] = k->global[d];
    }
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s: %s", k->name, err.text);
    free(source);
    return p;
}

static double value_of(const struct gcal_profile *p, const char *text)
{
    const char *names[8];
    double values[8], value;
    struct gcal_error err = { 0 };
    struct gcal_expr *e;
    size_t count = p->n_parameters;

    names[count] = GCAL_WAVE_GROUPS;
    values[count] = wave;

    for (size_t k = 0; k < count; k++) {
        names[k] = p->parameters[k];
        values[k] = strcmp(names[k], "n") == 0 ? n : m;
    }
    if (!(e = gcal_expr_parse_in(text, count + 1, names, &err)))
        fail_msg("%s: %s", text, err.text);
    value = gcal_expr_eval(e, values);
    gcal_expr_destroy(e);
    return value;
}

struct found {
    double value;
    bool estimated;
    const char *text;
};

/* The sum over entries of an array; the last access of both_end is left out. */
static struct found find(const struct gcal_profile *p, enum gcal_feature_kind kind,
                         int array, int is_store)
{
    struct found found = { 0, false, "" };
    char name[2] = { "ABCDVUKL"[array], '\0' };
    int last = 0;

    for (size_t k = 0; k < p->n_entries; k++)
        last = p->entries[k].line > last ? p->entries[k].line : last;
    for (size_t k = 0; k < p->n_entries; k++) {
        const struct gcal_profile_entry *e = &p->entries[k];

        if (e->kind != kind || strcmp(e->array, name) != 0 || e->line == last ||
            (e->direction == GCAL_FEATURE_STORE) != is_store)
            continue;
        found.value += value_of(p, e->count);
        found.estimated = found.estimated || e->estimated;
        found.text = e->count;
    }
    return found;
}

static int failures, compared, exact;

static void compare(const struct kernel *k, const struct gcal_profile *p,
                    const char *what, enum gcal_feature_kind kind, int array,
                    int is_store, int64_t wanted)
{
    struct found found = find(p, kind, array, is_store);
    bool bound = kind != GCAL_FEATURE_SECTOR && kind != GCAL_FEATURE_LINE;
    bool near =
        (kind == GCAL_FEATURE_PARTIAL_SECTOR || found.value >= 0.4 * (double)wanted) &&
        (bound || found.value <= 2.5 * (double)wanted);

    compared++;
    exact += !found.estimated;
    if (found.estimated ? near : fabs(found.value - (double)wanted) < 1e-6)
        return;
    failures++;
    printf(
        "%s at n %d, m %d (C %d %d %d %d %d %d %d): %s of %c, %s: %g%s, not %lld: %s\n",
        k->name, n, m, C0, C1, C2, C3, C4, C5, C6, what, "ABCDVUKL"[array],
        is_store ? "store" : "load", found.value, found.estimated ? " (estimated)" : "",
        (long long)wanted, found.text);
}

/* In loops, estimated: hardly more than all sectors, and at least those of the groups. */
static void compare_in_loops(const struct kernel *k, const struct gcal_profile *p,
                             int array, int is_store, const struct both_traffic *t)
{
    struct found found = find(p, GCAL_FEATURE_LOOP_SECTOR, array, is_store);
    struct found all = find(p, GCAL_FEATURE_SECTOR, array, is_store);

    compared++;
    if (found.value <= 1.5 * all.value + 1e-6 &&
        found.value >= 0.4 * (double)t->group[array][is_store])
        return;
    failures++;
    printf("%s at n %d, m %d: sectors in loops of %c: %g, not from %lld to %g: %s\n",
           k->name, n, m, "ABCDVUKL"[array], found.value,
           (long long)t->group[array][is_store], all.value, found.text);
}

static int groups_of(const char *text, int local)
{
    struct gcal_profile sizes = { .n_parameters = 2,
                                  .parameters = (char *[]){ "n", "m" } };
    char exact_text[80];

    if (!text)
        return 1;
    if (strncmp(text, "(n+63)/64*64", 12) == 0)
        return (n + 63) / 64 * 64 / local;
    snprintf(exact_text, sizeof(exact_text), "%s", text);
    return (int)value_of(&sizes, exact_text) / local;
}

/* Some groups of the first row, or some rows. */
static int waves(const int *groups)
{
    static int turn;
    int of_row = groups[0] > 2 ? 2 : 1, rows = groups[1] > 2 ? 2 : 1;

    return ++turn % 2 ? of_row : groups[0] * rows;
}

static void check_at(const struct kernel *k, const struct gcal_profile *p, int sub_group,
                     int sector)
{
    struct both_launch launch = { .run = k->run,
                                  .sub_group = sub_group,
                                  .sector = sector,
                                  .banks = 32,
                                  .local = { k->local[0], k->local[1] } };
    struct both_traffic t;

    for (int d = 0; d < 2; d++)
        launch.groups[d] = groups_of(k->global[d], k->local[d]);
    launch.wave = wave = waves(launch.groups);
    both_enumerate(&launch, &t);
    for (int array = 0; array < N_ARRAYS; array++)
        for (int store = 0; store < 2; store++) {
            if (array == L) {
                compare(k, p, "passes", GCAL_FEATURE_LOCAL_PASS, array, store,
                        t.passes[array][store]);
                continue;
            }
            compare(k, p, "sectors", GCAL_FEATURE_SECTOR, array, store,
                    t.sectors[array][store]);
            compare(k, p, "lines", GCAL_FEATURE_LINE, array, store,
                    t.lines[array][store]);
            if (array != A || !store) {
                compare_in_loops(k, p, array, store, &t);
                compare(k, p, "footprint of groups", GCAL_FEATURE_FOOTPRINT_GROUP, array,
                        store, t.group[array][store]);
                compare(k, p, "footprint of a wave", GCAL_FEATURE_FOOTPRINT_WAVE, array,
                        store, t.wave[array][store]);
                compare(k, p, "footprint of the launch", GCAL_FEATURE_FOOTPRINT_LAUNCH,
                        array, store, t.launch[array][store]);
            }
            if (store)
                compare(k, p, "partial sectors", GCAL_FEATURE_PARTIAL_SECTOR, array, 1,
                        t.partial[array]);
        }
}

static void check(const struct kernel *k, int sub_group, int sector, const char *options)
{
    struct gcal_profile *p = count(k, sub_group, sector, options);

    for (int s = 0; s < 3 && k->sizes[s][0]; s++) {
        n = k->sizes[s][0];
        m = k->sizes[s][1];
        check_at(k, p, sub_group, sector);
    }
    gcal_profile_destroy(p);
}

static void equal_enumeration(void **state)
{
    (void)state;
    failures = compared = exact = 0;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
        check(&kernels[k], 32, 32, NULL);
        check(&kernels[k], 16, 64, NULL);
    }
    printf("%d compared, %d exact\n", compared, exact);
    assert_int_equal(failures, 0);
}

/* ---- random numbers ---- */

static unsigned random_state = 1;

static int any(int low, int high)
{
    random_state = random_state * 1103515245u + 12345u;
    return low + (int)(random_state >> 8) % (high - low + 1);
}

static void randomly(const struct kernel *k, int times)
{
    char options[200];

    for (int x = 0; x < times; x++) {
        struct kernel one = *k;

        C0 = any(1, 4);
        C1 = any(-3, 9);
        C2 = any(0, 9);
        C3 = any(0, 40);
        C4 = any(0, 12);
        C5 = any(1, 9);
        C6 = any(0, 5);
        one.sizes[0][0] = one.global[1] ? 64 : any(65, 200);
        if (strcmp(k->name, "random_line") == 0)
            one.sizes[0][0] = 192;
        snprintf(options, sizeof(options),
                 "-DC0=%d -DC1=%d -DC2=%d -DC3=%d -DC4=%d -DC5=%d -DC6=%d", C0, C1, C2,
                 C3, C4, C5, C6);
        check(&one, x % 2 ? 32 : 64, x % 3 ? 32 : 64, options);
    }
}

/* Exact counts of thousands of terms, or characters, are estimated, and refuse nothing. */
static void long_counts_are_estimated(void **state)
{
    static const char quarters[] =
        "kernel void f(global const float *x, global float *y, int n) {\n"
        "int l = get_local_id(0); float s = 0, t = 0, u = 0, v = 0;\n"
        "for (int i = l; i < n / 4; i += 256) { s += x[i]; t += x[i + n / 4];\n"
        "u += x[i + n / 2]; v += x[i + 3 * (n / 4)]; }\n"
        "y[l] = s + t + u + v; }";
    static const char windows[] =
        "kernel void f(global const float *x, global float *y, int w, int h, int k,\n"
        "int pad, int stride) { int i = get_global_id(0), j = get_global_id(1);\n"
        "float s = 0; for (int a = 0; a < k; a++) for (int b = 0; b < k; b++) {\n"
        "int c = i * stride - pad + a, d = j * stride - pad + b;\n"
        "if (c >= 0 && c < w && d >= 0 && d < h) s += x[d * w + c]; }\n"
        "y[j * get_global_size(0) + i] = s; }";
    const struct gcal_count_request requests[] = { { .source = quarters,
                                                     .n_dims = 1,
                                                     .local_size = { 256 },
                                                     .global_size = { "256" } },
                                                   { .source = windows,
                                                     .n_dims = 2,
                                                     .local_size = { 8, 8 },
                                                     .global_size = { "8*g", "8*r" },
                                                     .assume = "stride = 2" } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct gcal_error err = { 0 };
        struct gcal_count_request r = requests[i];
        struct gcal_profile *p;

        r.file = "f.cl";
        r.sub_group_size = r.sector_bytes = 32;
        if (!(p = gcal_count(&r, &err)))
            fail_msg("%s", err.text);
        assert_true(p->estimated);
        for (size_t k = 0; k < p->n_entries; k++)
            assert_true(strlen(p->entries[k].count) < 60000);
        gcal_profile_destroy(p);
    }
}

static void equal_enumeration_of_random_kernels(void **state)
{
    static const struct kernel line = {
        K(random_line), { 48, 1 }, { "n", NULL }, NULL, { { 192, 1 } }
    };
    static const struct kernel guard = {
        K(random_guard), { 64, 1 }, { "(n+63)/64*64", NULL }, "n >= 65", { { 192, 1 } }
    };
    static const struct kernel plane = {
        K(random_plane), { 16, 8 }, { "n", "n" }, "n >= 64", { { 64, 1 } }
    };

    (void)state;
    failures = compared = exact = 0;
    randomly(&line, 10);
    randomly(&guard, 5);
    randomly(&plane, 5);
    printf("%d compared, %d exact\n", compared, exact);
    assert_int_equal(failures, 0);
}

/* ---- models ---- */

static struct gcal_profile *decode(const char *text)
{
    struct gcal_error err = { 0 };
    struct gcal_yaml *yaml = gcal_yaml_parse(text, strlen(text), "x.yaml", &err);
    struct gcal_profile *p = yaml ? gcal_profile_decode(yaml, &err) : NULL;

    if (!p)
        fail_msg("%s", err.text);
    gcal_yaml_destroy(yaml);
    return p;
}

static double bound_value(const struct gcal_profile *p, const char *feature,
                          double groups, struct gcal_error *err)
{
    struct gcal_binding *binding = gcal_binding_create(p, 1, &feature, 32, err);
    double sizes[2] = { 256, 1 }, value = -1;

    if (!binding)
        return -1;
    if (groups > 0)
        gcal_binding_set_wave(binding, groups);
    if (gcal_binding_eval(binding, sizes, &value, err) < 0)
        value = -1;
    gcal_binding_destroy(binding);
    return value;
}

static void models_have_traffic(void **state)
{
    static const char wave_load[] = "f_footprint_wave_global_float32_load";
    struct gcal_profile *p = count(&kernels[0], 32, 32, NULL);
    struct gcal_error err = { 0 };

    (void)state;
    assert_float_equal(bound_value(p, "f_sector_global_float32_load", 0, &err), 32, 0);
    assert_float_equal(bound_value(p, "f_line_load", 0, &err), 8, 0);
    assert_float_equal(bound_value(p, wave_load, 2, &err), 16, 0);
    assert_float_equal(bound_value(p, wave_load, 100, &err), 32, 0);
    assert_float_equal(bound_value(p, wave_load, 0, &err), -1, 0);
    assert_non_null(strstr(err.text, "f_footprint_wave"));
    gcal_profile_destroy(p);
    p = count(&kernels[0], 32, 0, NULL);
    assert_float_equal(bound_value(p, "f_sector", 0, &err), -1, 0);
    assert_non_null(strstr(err.text, "it was not counted"));
    gcal_profile_destroy(p);
}

static bool is_traffic(const struct gcal_profile_entry *e)
{
    return gcal_feature_info(e->kind)->counted == GCAL_FEATURE_COUNTED_WITH_TRAFFIC;
}

/* Other entries are the same as without traffic, and the profile is read as written. */
static void other_entries_stay(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k += 4) {
        struct gcal_profile *with = count(&kernels[k], 32, 32, NULL),
                            *without = count(&kernels[k], 32, 0, NULL);
        struct gcal_error err = { 0 };
        char *text;
        size_t at = 0;

        for (size_t i = 0; i < with->n_entries; i++) {
            if (is_traffic(&with->entries[i]))
                continue;
            assert_string_equal(with->entries[i].feature, without->entries[at].feature);
            assert_string_equal(with->entries[i].count, without->entries[at++].count);
        }
        assert_int_equal(at, without->n_entries);
        text = gcal_profile_encode(with, &err);
        gcal_profile_destroy(without);
        without = decode(text);
        assert_int_equal(without->sector_bytes, 32);
        assert_int_equal(without->n_entries, with->n_entries);
        free(text);
        gcal_profile_destroy(with);
        gcal_profile_destroy(without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_enumeration),
        cmocka_unit_test(long_counts_are_estimated),
        cmocka_unit_test(equal_enumeration_of_random_kernels),
        cmocka_unit_test(models_have_traffic),
        cmocka_unit_test(other_entries_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
