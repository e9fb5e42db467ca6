/* test_general.c - the general model has a cost for all work that counting knows, once */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/feature.h"
#include "kernels/model/model.h"
#include "calib/select/select.h"
#include "tests/kernels/count/operators/operators.h"

enum { MOST_NAMES = 256 };

static struct gcal_config config;
static const struct gcal_model *general;

static int read_model(void **state)
{
    struct gcal_error err = { 0 };
    int rc = gcal_select_read(SOURCE_DIR "/models.yaml", NULL, &config, &err);

    (void)state;
    if (rc < 0)
        print_error("%s\n", err.text);
    else
        general = config.models[0].forms[0].model;
    return rc;
}

static int clear_model(void **state)
{
    (void)state;
    gcal_config_clear(&config);
    return 0;
}

/* ---- names of operations ---- */

/* As counting names operators, and functions that no row has. */
static const char *const operators[] = {
    "add",
    "mul",
    "madd",
    "div",
    "rem",
    "shl",
    "shr",
    "and",
    "or",
    "xor",
    "not",
    "ctz",
    "fast_length",
    "work_group_reduce_add",
    "sub_group_broadcast",
    "sub_group_shuffle_xor",
    "to_global",
    "a_function_of_next_year",
};
/* A sign is changed by the operation that takes the value. */
static const char *const auxiliary[] = { "cmp", "select", "convert" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct names {
    size_t n;
    char all[MOST_NAMES][40];
};

static void add_name(struct names *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->n; i++)
        if (strlen(names->all[i]) == length && strncmp(names->all[i], name, length) == 0)
            return;
    assert_true(names->n < MOST_NAMES && length < sizeof(names->all[0]));
    snprintf(names->all[names->n++], sizeof(names->all[0]), "%.*s", (int)length, name);
}

/* The words before '(': all built-in functions, and some keywords. */
static void add_calls(struct names *names, const char *text)
{
    for (const char *at = text; *at; at++) {
        size_t length = 0;

        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (length && at[length] == '(')
            add_name(names, at, length);
        at += length ? length - 1 : 0;
    }
}

static void find_names(struct names *names)
{
    names->n = 0;
    for (size_t i = 0; i < COUNT(operators); i++)
        add_name(names, operators[i], strlen(operators[i]));
    for (size_t i = 0; operators_rows[i].text; i++)
        add_calls(names, operators_rows[i].text);
    assert_true(names->n > 150);
}

/* ---- their costs ---- */

/* Whether the model's feature has the operation. */
static bool has_operation(const char *feature, enum gcal_feature_kind kind,
                          const char *dtype, const char *op)
{
    struct gcal_feature f;
    bool has;

    assert_int_equal(gcal_feature_parse(feature, &f, NULL), 0);
    has = f.kind == kind && gcal_feature_field_has(f.dtype, dtype) &&
          gcal_feature_field_has(f.op, op);
    gcal_feature_clear(&f);
    return has;
}

/* 10^9 executions of an operation, all else once. */
static void repeat(enum gcal_feature_kind kind, const char *dtype, const char *op,
                   double *features)
{
    assert_true(general->n_features <= MOST_NAMES);
    for (size_t i = 0; i < general->n_features; i++)
        features[i] = has_operation(general->features[i], kind, dtype, op) ? 1e9 : 1;
}

/* One parameter, a time, prices it, however many sums of the model have it. */
static void has_one_cost(enum gcal_feature_kind kind, const char *dtype, const char *op)
{
    double parameters[MOST_NAMES], features[MOST_NAMES];
    const char *found = NULL;

    assert_true(general->n_parameters <= MOST_NAMES);
    repeat(kind, dtype, op, features);
    for (size_t i = 0; i < general->n_parameters; i++) {
        if (strcmp(general->parameters[i].unit, "s") != 0)
            continue;
        for (size_t k = 0; k < general->n_parameters; k++)
            parameters[k] = strcmp(general->parameters[k].unit, "s") != 0
                                ? general->parameters[k].initial
                                : 1e-12 + (k == i);
        if (gcal_model_eval(general, parameters, features, NULL) < 1e6)
            continue;
        if (found)
            fail_msg("%s %s of %s costs %s and %s", gcal_feature_info(kind)->name, op,
                     dtype, found, general->parameters[i].name);
        found = general->parameters[i].name;
    }
    if (!found)
        fail_msg("%s %s of %s has no cost", gcal_feature_info(kind)->name, op, dtype);
}

static void every_operation_has_one_cost(void **state)
{
    struct names names;

    (void)state;
    find_names(&names);
    for (size_t t = 0; gcal_dtype_name(t); t++) {
        const char *dtype = gcal_dtype_name(t);

        for (size_t i = 0; i < names.n; i++)
            has_one_cost(GCAL_FEATURE_OP, dtype, names.all[i]);
        for (size_t i = 0; i < COUNT(auxiliary); i++)
            has_one_cost(GCAL_FEATURE_AUXILIARY_OP, dtype, auxiliary[i]);
    }
}

/* By feature, with parameters of 2; until the next call. */
static const bool *find_costs(const struct gcal_model *model)
{
    static bool has_cost[MOST_NAMES];
    double parameters[MOST_NAMES];

    assert_true(model->n_parameters <= MOST_NAMES && model->n_features <= MOST_NAMES);
    for (size_t i = 0; i < model->n_parameters; i++)
        parameters[i] = 2;
    assert_int_equal(gcal_model_find_costs(model, parameters, has_cost, NULL), 0);
    return has_cost;
}

/* In the model of CPUs: a class besides the sum of all. */
static void has_a_cost_on_cpus(const struct gcal_model *cpu, const char *dtype,
                               const char *op)
{
    const bool *has_cost = find_costs(cpu);
    bool found = false;

    for (size_t i = 0; i < cpu->n_features && !found; i++) {
        struct gcal_feature f;

        assert_int_equal(gcal_feature_parse(cpu->features[i], &f, NULL), 0);
        found = f.kind == GCAL_FEATURE_OP && f.op && gcal_feature_field_has(f.op, op) &&
                gcal_feature_field_has(f.dtype, dtype) && has_cost[i];
        gcal_feature_clear(&f);
    }
    if (!found)
        fail_msg("%s of %s has no cost on CPUs", op, dtype);
}

static void every_operation_has_a_cost_on_cpus(void **state)
{
    const struct gcal_model *cpu = config.models[1].forms[0].model;
    struct names names;

    (void)state;
    assert_string_equal(config.models[1].kinds[0], "cpu");
    find_names(&names);
    for (size_t t = 0; gcal_dtype_name(t); t++)
        for (size_t i = 0; i < names.n; i++)
            has_a_cost_on_cpus(cpu, gcal_dtype_name(t), names.all[i]);
}

static void integers_of_64_bits_cost_several(void **state)
{
    static const char *const ops[] = { "add", "mul", "div", "rotate" };
    static const double several[] = { 2, 3.5, 2, 2 };
    double parameters[MOST_NAMES], features[MOST_NAMES], one, wide;

    (void)state;
    for (size_t i = 0; i < general->n_parameters; i++)
        parameters[i] = general->parameters[i].initial;
    for (size_t i = 0; i < COUNT(ops); i++) {
        repeat(GCAL_FEATURE_OP, "int32", ops[i], features);
        one = gcal_model_eval(general, parameters, features, NULL);
        repeat(GCAL_FEATURE_OP, "uint64", ops[i], features);
        wide = gcal_model_eval(general, parameters, features, NULL);
        if (wide < 0.99 * several[i] * one || wide > 1.01 * several[i] * one)
            fail_msg("%s: %g s and %g s", ops[i], one, wide);
    }
}

/* ---- all other work ---- */

static void all_other_work_has_a_cost(void **state)
{
    static const char *const work[] = {
        "f_sector_global_float32_load",
        "f_sector_global_uint8_store",
        "f_local_pass_float64_load",
        "f_line_constant_float32_load",
        "f_mem_access_image_load",
        "f_mem_access_private_float32_store",
        "f_atomic_sector_pass_global_int32_add",
        "f_atomic_pass_local_uint64_max",
        "f_divergent_branch",
        "f_sync_barrier_local",
        "f_sync_kernel_launch",
    };
    const bool *has_cost = find_costs(general);

    (void)state;
    for (size_t i = 0; i < COUNT(work); i++) {
        struct gcal_feature wanted, f;
        bool found = false;

        assert_int_equal(gcal_feature_parse(work[i], &wanted, NULL), 0);
        for (size_t k = 0; k < general->n_features; k++) {
            assert_int_equal(gcal_feature_parse(general->features[k], &f, NULL), 0);
            found = found ||
                    (f.kind == wanted.kind && (!f.space || f.space == wanted.space) &&
                     (!f.direction || f.direction == wanted.direction) &&
                     gcal_feature_field_has(f.dtype, wanted.dtype) && has_cost[k]);
            gcal_feature_clear(&f);
        }
        if (!found)
            fail_msg("%s has no cost", work[i]);
        gcal_feature_clear(&wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_one_cost),
        cmocka_unit_test(every_operation_has_a_cost_on_cpus),
        cmocka_unit_test(integers_of_64_bits_cost_several),
        cmocka_unit_test(all_other_work_has_a_cost),
    };

    return cmocka_run_group_tests(tests, read_model, clear_model);
}
