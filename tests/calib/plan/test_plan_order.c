/* test_plan_order.c - which families are prepared first */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit.h"

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/plan/sweep.h"
#include "tests/facts.h"

#define N_OPS 4
#define EACH  6

static const char *const ops[N_OPS] = { "mul", "add", "madd", "div" };

#define LAUNCH "p_launch * f_sync_kernel_launch"
#define COSTS                                                                            \
    "p_mul * f_op_float32_mul + p_add * f_op_float32_add + p_madd * f_op_float32_madd"   \
    " + p_div * f_op_float32_div"

static struct gcal_kernel_list list;
static struct gcal_config_form forms[2];
static struct gcal_config_model model;
static struct gcal_arena *arena;
static struct gcal_plan_families families;

static void add_entry(struct gcal_profile *profile, const char *feature,
                      enum gcal_feature_kind kind, const char *op, double count)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    entry->feature = strdup(feature);
    entry->kind = kind;
    entry->count = gcal_buf_format("%.17g", count);
    if (op) {
        entry->op = strdup(op);
        entry->dtype = strdup("float32");
    }
}

/* A family of its own; 'counts': by operation. */
static void add_kernel(const char *generator, const double *counts)
{
    struct gcal_arena *a = gcal_arena_create();
    struct gcal_kernel *k = gcal_arena_alloc(a, 1, sizeof(*k));

    k->arena = a;
    k->name = gcal_arena_format(a, "%s %zu", generator, list.n_kernels);
    k->id = gcal_arena_strdup(a, k->name);
    k->family = gcal_arena_strdup(a, k->name);
    k->generator = gcal_arena_strdup(a, generator);
    set_use(&k->uses, "m", GCAL_KERNEL_FITTED);
    k->profile = calloc(1, sizeof(*k->profile));
    k->profile->kernel = strdup("k");
    k->profile->n_dims = 1;
    k->profile->local_size[0] = 1;
    k->profile->groups[0] = strdup("1");
    add_entry(k->profile, "f_sync_kernel_launch", GCAL_FEATURE_KERNEL_LAUNCH, NULL, 1);
    for (size_t i = 0; i < N_OPS; i++)
        if (counts[i] > 0) {
            char *feature = gcal_buf_format("f_op_float32_%s", ops[i]);

            add_entry(k->profile, feature, GCAL_FEATURE_OP, ops[i], counts[i]);
            free(feature);
        }
    list.kernels[list.n_kernels++] = k;
}

static void add_form(const char *expression)
{
    struct gcal_error err = { 0 };
    struct gcal_config_form *form = &forms[model.n_forms++];

    form->model = gcal_model_create("m", "f_cl_wall_time", expression, &err);
    assert_non_null(form->model);
    model.model = forms[0].model;
}

static int set_up(void **state)
{
    (void)state;
    arena = gcal_arena_create();
    list = (struct gcal_kernel_list){ .kernels = calloc(100, sizeof(*list.kernels)) };
    model = (struct gcal_config_model){ .forms = forms };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_arena_destroy(arena);
    gcal_kernel_list_clear(&list);
    for (size_t i = 0; i < model.n_forms; i++)
        gcal_model_destroy(forms[i].model);
    return 0;
}

static void order(bool backwards)
{
    static const struct gcal_config_measure_options options = { .sizes = 3 };
    const struct gcal_config config = { .n_models = 1, .models = &model };
    const struct gcal_plan_hooks hooks = { .config = &config, .backwards = backwards };
    const struct gcal_device_info info = { .name = (char *)"device",
                                           .sub_group_size = 1 };
    struct gcal_error err = { 0 };
    struct gcal_plan plan = {
        .arena = arena, .options = &options, .hooks = &hooks, .info = &info, .err = &err
    };

    families = gcal_plan_families_make(&plan, &list);
    gcal_plan_families_order(&families);
}

static size_t count_first(void)
{
    size_t n = 0;

    for (size_t i = 0; i < families.n; i++)
        n += families.families[i].comes_first;
    return n;
}

/* Launches, and six families of each operation, of one generator. */
static void add_operations(void)
{
    add_kernel("empty", (const double[N_OPS]){ 0 });
    for (size_t i = 0; i < EACH * N_OPS; i++) {
        double counts[N_OPS] = { 0 };

        counts[i / EACH] = 3e5;
        add_kernel("ops", counts);
    }
}

/* If the budget ends early, no cost lacks its kernels. */
static void parameters_come_first(void **state)
{
    (void)state;
    add_form(LAUNCH " + " COSTS);
    add_operations();
    for (int backwards = 0; backwards < 2; backwards++) {
        size_t n_seen[N_OPS + 1] = { 0 };

        order(backwards);
        assert_int_equal(count_first(), N_OPS + 1);
        for (size_t i = 0; i < N_OPS + 1; i++)
            n_seen[(families.order[i] + EACH - 1) / EACH]++;
        for (size_t op = 0; op <= N_OPS; op++)
            assert_int_equal(n_seen[op], 1);
    }
}

/* An exponent of a second form takes kernels that mix costs; the others serve both forms. */
static void all_forms_are_to_be_known(void **state)
{
    struct gcal_model_parameter *overlap;

    (void)state;
    add_form(LAUNCH " + " COSTS);
    add_form("pnorm(p_overlap, p_mul * f_op_float32_mul + p_add * f_op_float32_add, "
             "p_madd * f_op_float32_madd + p_div * f_op_float32_div) + " LAUNCH);
    overlap = gcal_model_parameter_find(forms[1].model, "p_overlap");
    overlap->unit[0] = '1';
    overlap->initial = 1.3;
    overlap->min = 0.5;
    overlap->max = 16;
    add_operations();
    for (size_t i = 0; i < EACH; i++)
        add_kernel("mixed", (const double[N_OPS]){ 1e5, 0, 2e5 + (double)i, 0 });
    order(false);
    assert_int_equal(count_first(), N_OPS + 2);
    assert_true(families.families[1 + N_OPS * EACH].comes_first);
    assert_int_equal(families.order[N_OPS + 1], 1 + N_OPS * EACH);
}

/* What no kernel has costs nothing, and what two costs share is one of them. */
static void parameters_without_kernels_wait_for_none(void **state)
{
    (void)state;
    add_form(LAUNCH
             " + p_exp * f_op_float32_exp + p_half * 0.5 * f_op_float32_mul + " COSTS);
    add_operations();
    order(false);
    assert_int_equal(count_first(), N_OPS + 1);
    for (size_t i = 0; i < list.n_kernels; i++)
        assert_in_range(families.order[i], 0, list.n_kernels - 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_come_first),
        TEST(all_forms_are_to_be_known),
        TEST(parameters_without_kernels_wait_for_none),
    };

    return cmocka_run_group_tests_name("plan_order", tests, NULL, NULL);
}
