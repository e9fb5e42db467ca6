/* test_remove_counts.c - counts of kernels after work removal
 *
 * For all kernels of the built-in catalogue and of tests/wild: kept loads have the
 * strides, counts and footprints of the original, and so have kept stores and barriers;
 * on-chip work equals the original's, without any global load.
 */
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
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"
#include "kernels/count/count.h"
#include "kernels/generate/generate.h"
#include "kernels/remove/remove.h"
#include "tests/kernels/generate/variants.h"

enum { LOADS, LOADS_OF_FOUR, ONCHIP, MEMORY, MEMORY_FREE, N_FORMS };

static const struct gcal_remove_options forms[] = {
    [LOADS] = { .form = GCAL_REMOVE_KEEP_LOADS },
    [LOADS_OF_FOUR] = { .form = GCAL_REMOVE_KEEP_LOADS, .n_accumulators = 4 },
    [ONCHIP] = { .form = GCAL_REMOVE_KEEP_ONCHIP },
    [MEMORY] = { .form = GCAL_REMOVE_KEEP_MEMORY },
    [MEMORY_FREE] = { .form = GCAL_REMOVE_KEEP_MEMORY,
                      .n_accumulators = 4,
                      .drop_barriers = true },
};

/* Refusals, besides those of kernels without loads or stores; all else must succeed. */
static const struct {
    const char *generator;
    enum gcal_remove_form form;
    const char *why;
} refused[] = {
    { "async_copy", GCAL_REMOVE_KEEP_LOADS, "write it as a loop" },
    { "async_copy", GCAL_REMOVE_KEEP_ONCHIP, "write it as a loop" },
    { "async_copy", GCAL_REMOVE_KEEP_MEMORY, "write it as a loop" },
    { "bfs", GCAL_REMOVE_KEEP_ONCHIP,
      "the trip count of this loop depends on loaded data" },
    { "gmem_chase", GCAL_REMOVE_KEEP_LOADS, "no global load to keep" },
    { "histogram", GCAL_REMOVE_KEEP_ONCHIP, "this address depends on loaded data" },
    { "histogram_local", GCAL_REMOVE_KEEP_ONCHIP, "this address depends on loaded data" },
    { "lmem_chase", GCAL_REMOVE_KEEP_ONCHIP, "this address depends on loaded data" },
    { "lmem_random", GCAL_REMOVE_KEEP_ONCHIP, "this address depends on loaded data" },
    { "occupancy_local", GCAL_REMOVE_KEEP_LOADS,
      "depends on this load, which is not of an integer" },
    { "occupancy_registers", GCAL_REMOVE_KEEP_LOADS,
      "depends on this load, which is not of an integer" },
    { "particles_centre", GCAL_REMOVE_KEEP_ONCHIP, "members of a struct one by one" },
    { "particles_drift", GCAL_REMOVE_KEEP_LOADS, "members of a struct one by one" },
    { "particles_drift", GCAL_REMOVE_KEEP_ONCHIP, "members of a struct one by one" },
    { "spmv_csr", GCAL_REMOVE_KEEP_ONCHIP,
      "the trip count of this loop depends on loaded data" },
    { "spmv_ell", GCAL_REMOVE_KEEP_LOADS,
      "depends on this load, which is not of an integer" },
    { "helper_pointers", GCAL_REMOVE_KEEP_MEMORY, "a store in a function" },
    { "histogram", GCAL_REMOVE_KEEP_MEMORY,
      "depends on this load, which is not of an integer" },
    { "occupancy_local", GCAL_REMOVE_KEEP_MEMORY,
      "depends on this load, which is not of an integer" },
    { "occupancy_registers", GCAL_REMOVE_KEEP_MEMORY,
      "depends on this load, which is not of an integer" },
    { "particles_centre", GCAL_REMOVE_KEEP_MEMORY, "members of a struct one by one" },
    { "particles_drift", GCAL_REMOVE_KEEP_MEMORY, "members of a struct one by one" },
    { "spmv_ell", GCAL_REMOVE_KEEP_MEMORY,
      "depends on this load, which is not of an integer" },
};

static struct gcal_error err;
static size_t n_compared;

static bool is_load(const struct gcal_profile_entry *e)
{
    return e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == GCAL_FEATURE_SPACE_GLOBAL &&
           e->direction == GCAL_FEATURE_LOAD;
}

static bool is_store(const struct gcal_profile_entry *e)
{
    return e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == GCAL_FEATURE_SPACE_GLOBAL &&
           e->direction == GCAL_FEATURE_STORE;
}

static bool is_global_atomic(const struct gcal_profile_entry *e)
{
    return e->kind == GCAL_FEATURE_ATOMIC && e->space == GCAL_FEATURE_SPACE_GLOBAL;
}

static bool has_any(const struct gcal_profile *p,
                    bool (*is_one)(const struct gcal_profile_entry *))
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_one(&p->entries[i]))
            return true;
    return false;
}

static void check_refusal(const struct gcal_kernel *kernel,
                          const struct gcal_profile *profile, enum gcal_remove_form form)
{
    bool onchip = form == GCAL_REMOVE_KEEP_ONCHIP;
    const char *nothing =
        onchip ? "stores nothing in global memory" : "no global load to keep";

    if (!has_any(profile, onchip ? is_store : is_load) && strstr(err.text, nothing))
        return;
    if (strstr(kernel->source, "image2d_t") && strstr(err.text, "kernel with images"))
        return;
    if (strstr(kernel->source, "__asm__") && strstr(err.text, "inline assembly"))
        return;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (strcmp(refused[i].generator, kernel->generator) == 0 &&
            refused[i].form == form && strstr(err.text, refused[i].why))
            return;
    fail_msg("%s, form %d: %s", kernel->generator, (int)form, err.text);
}

/* ---- counts ---- */

/* On the chip: local accesses and barriers. */
static bool is_local(const struct gcal_profile_entry *e)
{
    return (e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == GCAL_FEATURE_SPACE_LOCAL) ||
           e->kind == GCAL_FEATURE_BARRIER_LOCAL;
}

static bool is_barrier(const struct gcal_profile_entry *e)
{
    return e->kind == GCAL_FEATURE_BARRIER_LOCAL;
}

static bool is_local_access(const struct gcal_profile_entry *e)
{
    return is_local(e) && !is_barrier(e);
}

static bool is_float_op(const struct gcal_profile_entry *e)
{
    return e->op && e->dtype && strncmp(e->dtype, "float", 5) == 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A count with all sizes equal to 'size', and sub-groups of 32. */
static double value_at(const char *count, double size)
{
    struct gcal_expr *expr = gcal_expr_parse(count, &err);
    double values[64], value;

    assert_non_null(expr);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        values[i] =
            strcmp(gcal_expr_symbol(expr, i), GCAL_SUB_GROUP_SIZE) == 0 ? 32 : size;
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

/* Whether these are the same accesses: a loop, and its pattern, may have been split. */
static bool same_pattern(const struct gcal_profile_entry *a,
                         const struct gcal_profile_entry *b)
{
    const char *afr = strstr(a->feature, "_afr:");
    size_t length = afr ? (size_t)(afr - a->feature) : strlen(a->feature);

    return strncmp(a->feature, b->feature, length) == 0 &&
           (!b->feature[length] || strncmp(b->feature + length, "_afr:", 5) == 0) &&
           a->granularity == b->granularity && same_text(a->array, b->array);
}

/* The count of accesses with e's pattern in 'p', all sizes equal to 'size'. */
static double count_pattern(const struct gcal_profile *p,
                            const struct gcal_profile_entry *e, double size)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        if (same_pattern(e, &p->entries[i]))
            sum += value_at(p->entries[i].count, size);
    return sum;
}

/* The only entry of e's pattern; NULL when there are several. */
static const struct gcal_profile_entry *only_entry(const struct gcal_profile *p,
                                                   const struct gcal_profile_entry *e)
{
    const struct gcal_profile_entry *only = NULL;

    for (size_t i = 0; i < p->n_entries; i++)
        if (same_pattern(e, &p->entries[i])) {
            if (only)
                return NULL;
            only = &p->entries[i];
        }
    return only;
}

static void expect_same_afr(const char *what, const struct gcal_profile *a,
                            const struct gcal_profile *b,
                            const struct gcal_profile_entry *e, double size)
{
    const struct gcal_profile_entry *x = only_entry(a, e), *y = only_entry(b, e);
    double before, after;

    if (!x || !y || !x->afr || !y->afr) /* not known for all accesses */
        return;
    before = value_at(x->afr, size);
    after = value_at(y->afr, size);
    if (isnan(before) && isnan(after)) /* there are none at this size */
        return;
    if (!(fabs(before - after) <= 1e-9 * fabs(before)))
        fail_msg("%s: the afr of %s was %g and is %g", what, e->feature, before, after);
}

/* All entries of 'a' of one sort are in 'b', with the same counts. */
static void expect_in(const char *what, const struct gcal_profile *a,
                      const struct gcal_profile *b,
                      bool (*is_one)(const struct gcal_profile_entry *))
{
    static const double sizes[] = { 48, 96, 240, 720 };

    for (size_t i = 0; i < a->n_entries; i++)
        for (size_t j = 0; is_one(&a->entries[i]) && j < 4; j++) {
            double x = count_pattern(a, &a->entries[i], sizes[j]);
            double y = count_pattern(b, &a->entries[i], sizes[j]);

            if (fabs(x - y) > 1e-9 * fabs(x))
                fail_msg("%s: %s of %s: %g and %g at %g", what, a->entries[i].feature,
                         a->entries[i].array ? a->entries[i].array : "", x, y, sizes[j]);
            expect_same_afr(what, a, b, &a->entries[i], sizes[j]);
        }
}

static void expect_same(const char *what, const struct gcal_profile *before,
                        const struct gcal_profile *after,
                        bool (*is_one)(const struct gcal_profile_entry *))
{
    expect_in(what, before, after, is_one);
    expect_in(what, after, before, is_one);
}

static double count_ops(const struct gcal_profile *p, const char *op)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        if (is_float_op(&p->entries[i]) && strcmp(p->entries[i].op, op) == 0)
            sum += value_at(p->entries[i].count, 48);
    return sum;
}

/* Stores become further additions. */
static void expect_all_ops(const char *what, const struct gcal_profile *before,
                           const struct gcal_profile *after)
{
    for (size_t i = 0; i < before->n_entries; i++) {
        const struct gcal_profile_entry *e = &before->entries[i];
        double is, was;

        if (!is_float_op(e))
            continue;
        was = count_ops(before, e->op);
        is = count_ops(after, e->op);
        if (strcmp(e->op, "add") == 0 ? is < was : fabs(is - was) > 1e-6 * fabs(was))
            fail_msg("%s: %g times %s became %g", what, was, e->op, is);
    }
}

/* Only read_tgt_dest is written. */
static void expect_one_store(const char *what, const struct gcal_profile *p)
{
    double stores = 0;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if (e->kind != GCAL_FEATURE_MEM_ACCESS || e->space != GCAL_FEATURE_SPACE_GLOBAL ||
            e->direction != GCAL_FEATURE_STORE)
            continue;
        if (strcmp(e->array, "read_tgt_dest") != 0)
            fail_msg("%s: it stores in %s", what, e->array);
        stores++;
    }
    if (!stores)
        fail_msg("%s: it stores nothing", what);
}

static void expect_none(const char *what, const struct gcal_profile *p,
                        bool (*is_one)(const struct gcal_profile_entry *))
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_one(&p->entries[i]))
            fail_msg("%s: %s", what, p->entries[i].feature);
}

static void compare(int form, const char *what, const struct gcal_profile *before,
                    const struct gcal_profile *after)
{
    switch (form) {
    case ONCHIP:
        expect_one_store(what, after);
        expect_none(what, after, is_load);
        expect_same(what, before, after, is_local);
        expect_all_ops(what, before, after);
        break;
    case MEMORY:
        expect_same(what, before, after, is_barrier);
        expect_none(what, after, is_local_access);
        break;
    case MEMORY_FREE:
        expect_none(what, after, is_local);
        break;
    default:
        expect_one_store(what, after);
        expect_none(what, after, is_local);
    }
    if (form == MEMORY || form == MEMORY_FREE) {
        if (has_any(before, is_store) || has_any(before, is_global_atomic))
            expect_same(what, before, after, is_store);
        else
            expect_one_store(what, after);
        expect_same(what, before, after, is_global_atomic);
    }
    if (form != ONCHIP)
        expect_same(what, before, after, is_load);
    n_compared++;
}

/* ---- kernels ---- */

/* Every third form from 'first' on: all of them would take long. */
static void check_kernel(const struct gcal_kernel *kernel, size_t first)
{
    const struct gcal_count_request request = gcal_kernel_request(kernel);
    struct gcal_profile *before; /* of one launch; kernel->profile is of a run */

    if (!(before = gcal_count(&request, &err))) {
        print_message("%s\n", err.text); /* other tests cover this */
        return;
    }
    for (int form = (int)first; form < N_FORMS; form += 3) {
        struct gcal_count_request again = request;
        char *text = gcal_remove_work(&request, &forms[form], NULL, &err), what[200];
        struct gcal_profile *after;

        if (form == MEMORY_FREE && !has_any(before, is_barrier)) {
            free(text); /* the same as MEMORY */
            continue;
        }
        if (!text) {
            check_refusal(kernel, before, forms[form].form);
            continue;
        }
        snprintf(what, sizeof(what), "%s, form %d", kernel->generator, form);
        again.source = text;
        again.build_options = NULL;
        if (!(after = gcal_count(&again, &err)))
            fail_msg("%s: %s\n%s", what, err.text, text);
        compare(form, what, before, after);
        gcal_profile_destroy(after);
        free(text);
    }
    gcal_profile_destroy(before);
}

/* The first variant with a kernel: the others differ in sizes and types. */
static struct gcal_kernel *make_first(const struct gcal_generator *g)
{
    struct gcal_kernel *kernel = NULL;
    struct variants variants = { 0 };

    if (variants_choose(g, false, &variants, &err) < 0)
        fail_msg("%s: %s", g->name, err.text);
    for (size_t i = 0; i < variants.n && !kernel; i++) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[i] };

        if (!(kernel = gcal_kernel_create(&setting, &err)))
            fail_msg("%s: %s", g->name, err.text);
        if (gcal_kernel_is_transfer(kernel)) {
            gcal_kernel_destroy(kernel);
            kernel = NULL;
        }
    }
    variants_clear(&variants);
    return kernel;
}

static void check_folder(const char *folder, size_t at_least)
{
    struct gcal_catalogue *catalogue = gcal_catalogue_open(folder, &err);

    if (!catalogue)
        fail_msg("%s", err.text);
    n_compared = 0;
    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];
        struct gcal_kernel *kernel = g->origin ? NULL : make_first(g);

        if (kernel)
            check_kernel(kernel, i % 3);
        gcal_kernel_destroy(kernel);
    }
    gcal_catalogue_close(catalogue);
    print_message("%s: %zu compared\n", folder ? folder : "built in", n_compared);
    assert_true(n_compared >= at_least);
}

static void built_in_kernels(void **state)
{
    (void)state;
    check_folder(NULL, 60);
}

static void kernels_people_write(void **state)
{
    (void)state;
    check_folder(SOURCE_DIR "/tests/wild", 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_kernels),
        cmocka_unit_test(kernels_people_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
