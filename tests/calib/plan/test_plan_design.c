/* test_plan_design.c - kernels chosen by their information gain, on a device with known
 * costs
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

#include "calib/base/buf.h"
#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/base/random.h"
#include "calib/config/config.h"
#include "calib/model/binding.h"
#include "calib/model/profile.h"
#include "calib/plan/plan.h"
#include "fit/fit.h"
#include "tests/facts.h"

#define MAX_KERNELS 200
#define CHECK_N     32
#define N_OPS       4

/* ---- the device: a launch and four operations, and what no model explains ---- */

static const char *const ops_of_it[N_OPS] = { "mul", "add", "madd", "div" };
static const double cost_s[N_OPS] = { 2.385e-9, 1.7e-9, 3.31e-9, 13.7e-9 };
static const double launch_s = 7.13e-6;

#define MODEL                                                                            \
    "p_launch * f_sync_kernel_launch + p_mul * f_op_float32_mul"                         \
    " + p_add * f_op_float32_add + p_madd * f_op_float32_madd"                           \
    " + p_div * f_op_float32_div"

struct made {
    double time_s; /* true, with its own deviation from the model */
    bool dies;     /* when it is measured */
};

static struct gcal_kernel_list list;
static struct made made[MAX_KERNELS];
static uint64_t random_state;

static double uniform(void)
{
    return ldexp((double)(gcal_random_next(&random_state) >> 11), -53);
}

static struct gcal_size *one_size(double value)
{
    struct gcal_size *size = calloc(1, sizeof(*size));

    size->name = strdup("n");
    size->value = value;
    return size;
}

static void add_entry(struct gcal_profile *profile, const char *op, double per_n)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    entry->feature = gcal_buf_format("f_op_float32_%s", op);
    entry->kind = GCAL_FEATURE_OP;
    entry->count = gcal_buf_format("%.17g*n", per_n);
    entry->dtype = strdup("float32");
    entry->op = strdup(op);
}

static struct gcal_profile *make_profile(const double *per_n)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));
    struct gcal_profile_entry *launch = gcal_profile_add(profile, NULL);

    launch->feature = strdup("f_sync_kernel_launch");
    launch->kind = GCAL_FEATURE_KERNEL_LAUNCH;
    launch->count = strdup("1");

    profile->kernel = strdup("k");
    profile->n_parameters = 1;
    profile->parameters = calloc(1, sizeof(char *));
    profile->parameters[0] = strdup("n");
    profile->n_dims = 1;
    profile->local_size[0] = 1;
    profile->groups[0] = strdup("n");
    for (size_t i = 0; i < N_OPS; i++)
        if (per_n[i] > 0)
            add_entry(profile, ops_of_it[i], per_n[i]);
    return profile;
}

/* 'misfit': the largest relative deviation of its time from the model. */
static void add_kernel(const char *generator, const char *family, double n, bool sweep,
                       const double *per_n, double misfit)
{
    struct gcal_kernel *k = calloc(1, sizeof(*k));
    double time_s = launch_s;

    k->name = gcal_buf_format("%s n:%.0f", family, n);
    k->id = strdup(k->name);
    k->generator = strdup(generator);
    k->family = strdup(family);
    k->variant = strdup(family);
    k->source = strdup("kernel void k(global float *c) { c[get_global_id(0)] = 2; }");
    k->entry = strdup("k");
    k->n_dims = 1;
    k->local_size[0] = 1;
    k->global_size[0] = strdup("n");
    k->n_sizes = k->n_check_sizes = 1;
    k->sizes = one_size(n);
    k->check_sizes = one_size(CHECK_N);
    k->n_args = 1;
    k->args = calloc(1, sizeof(*k->args));
    k->args[0] = (struct gcal_arg){ .name = strdup("c"),
                                    .kind = GCAL_ARG_BUFFER,
                                    .dtype = strdup("float32"),
                                    .value = strdup("n"),
                                    .output = true };
    k->reference = strdup("void reference(float *c)"
                          "{ for (int i = 0; i < 32; i++) c[i] = 2; }");
    k->tolerance = 1e-6;
    k->sweep = sweep;
    set_use(&k->uses, "m", GCAL_KERNEL_FITTED);
    k->profile = make_profile(per_n);
    for (size_t i = 0; i < N_OPS; i++)
        time_s += cost_s[i] * per_n[i] * n;
    time_s *= 1 + misfit * (2 * uniform() - 1);
    if (!list.kernels)
        list.kernels = calloc(MAX_KERNELS, sizeof(*list.kernels));
    made[list.n_kernels] = (struct made){ .time_s = time_s };
    list.kernels[list.n_kernels++] = k;
}

/* Four generators of one operation, one of launches, one of mixtures: fixed sizes. */
static void add_fixed_kernels(size_t n_mixed, double misfit)
{
    static const double none[N_OPS] = { 0 };

    for (size_t i = 0; i < 5; i++)
        add_kernel("empty", "empty", 713 + (double)i, false, none, misfit);
    for (size_t op = 0; op < N_OPS; op++)
        for (size_t i = 1; i <= 6; i++) {
            double per_n[N_OPS] = { 0 };

            per_n[op] = 3 * (double)i;
            add_kernel(ops_of_it[op], ops_of_it[op], 1e5 + (double)i, false, per_n,
                       misfit);
        }
    for (size_t i = 0; i < n_mixed; i++) {
        double per_n[N_OPS];

        for (size_t op = 0; op < N_OPS; op++)
            per_n[op] = 1 + floor(9 * uniform());
        add_kernel("mixed", "mixed", 2e5 + (double)i, false, per_n, misfit);
    }
}

/* ---- how the plan reaches it ---- */

static struct scripted_device {
    int starts;
    size_t n_prepared, n_measured;
    size_t n_announced;
    size_t announced[4 * MAX_KERNELS];
    bool prepared[MAX_KERNELS];
    bool is_complete; /* all are prepared */
    double sleep_s;   /* a measurement really takes */
    size_t dead_from; /* measurement from which on every one kills the worker */
} device;

static size_t index_of(const struct gcal_kernel *kernel)
{
    size_t i = 0;

    while (list.kernels[i] != kernel)
        i++;
    return i;
}

static int scripted_restart(void *context, struct gcal_error *err)
{
    (void)context;
    (void)err;
    device.starts++;
    return 0;
}

static enum gcal_worker_outcome scripted_prepare(void *context,
                                                 const struct gcal_kernel *kernel,
                                                 double limit_s, double *first_s,
                                                 enum gcal_measurement_status *status,
                                                 struct gcal_error *err)
{
    (void)context;
    (void)limit_s;
    (void)status;
    (void)err;
    device.n_prepared++;
    device.prepared[index_of(kernel)] = true;
    *first_s = made[index_of(kernel)].time_s;
    return GCAL_WORKER_DONE;
}

static enum gcal_worker_outcome
scripted_measure(void *context, const struct gcal_kernel *kernel, size_t n,
                 double limit_s, struct gcal_measurement_sample *samples,
                 enum gcal_measurement_status *status, struct gcal_error *err)
{
    const struct made *k = &made[index_of(kernel)];

    (void)context;
    (void)limit_s;
    (void)status;
    device.n_measured++;
    if (k->dies || (device.dead_from && device.n_measured >= device.dead_from)) {
        gcal_error_set(err, GCAL_EDEVICE, "the worker died of signal 9");
        return GCAL_WORKER_DIED;
    }
    gcal_clock_sleep_s(device.sleep_s);
    for (size_t i = 0; i < n; i++)
        samples[i] = (struct gcal_measurement_sample){
            .time_s = k->time_s * (1 + 2e-3 * (2 * uniform() - 1)),
        };
    return GCAL_WORKER_DONE;
}

static enum gcal_worker_outcome
scripted_check(void *context, const struct gcal_kernel *kernel, uint64_t seed,
               double limit_s, void **outputs, enum gcal_measurement_status *status,
               struct gcal_error *err)
{
    float *c = calloc(CHECK_N, sizeof(*c));

    (void)context;
    (void)kernel;
    (void)seed;
    (void)limit_s;
    (void)status;
    (void)err;
    for (size_t i = 0; i < CHECK_N; i++)
        c[i] = 2;
    outputs[0] = c;
    return GCAL_WORKER_DONE;
}

/* ---- what comes of it ---- */

struct sunk {
    char *id, *detail;
    enum gcal_measurement_status status;
    enum gcal_measurement_stop stop;
    double time_s; /* median, 0 without samples */
};

static size_t n_sunk;
static struct sunk sunk[2 * MAX_KERNELS];
static struct gcal_plan_selection choice;
static int n_choices;

static int keep_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    (void)context;
    (void)kernel;
    (void)err;
    return 0;
}

static int keep_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct sunk *kept = &sunk[n_sunk++];
    double times_s[64], spread;

    (void)context;
    *kept = (struct sunk){ .id = strdup(m->kernel_id),
                           .detail = m->detail ? strdup(m->detail) : NULL,
                           .status = m->status,
                           .stop = m->stop };
    for (size_t i = 0; i < m->n_samples; i++)
        times_s[i] = m->samples[i].time_s;
    return m->n_samples
               ? gcal_fit_median(times_s, m->n_samples, &kept->time_s, &spread, err)
               : 0;
}

static void keep_choice(void *context, const struct gcal_plan_selection *c)
{
    (void)context;
    choice = *c;
    n_choices++;
}

static const struct sunk *row(const char *id)
{
    const struct sunk *found = NULL;

    for (size_t i = 0; i < n_sunk; i++)
        if (strcmp(sunk[i].id, id) == 0) {
            assert_null(found); /* no kernel is recorded twice */
            found = &sunk[i];
        }
    return found;
}

static size_t count(enum gcal_measurement_status status)
{
    size_t n = 0;

    for (size_t i = 0; i < n_sunk; i++)
        n += sunk[i].status == status;
    return n;
}

/* ---- running ---- */

static struct gcal_config_measure_options options;
static struct gcal_config_form forms[2];
static struct gcal_config_model model;
static struct gcal_config config;
static size_t n_done;
static struct gcal_plan_done done[MAX_KERNELS];

static void forget_rows(void)
{
    for (size_t i = 0; i < n_sunk; i++) {
        free(sunk[i].id);
        free(sunk[i].detail);
    }
    n_sunk = 0;
    n_choices = 0;
    device = (struct scripted_device){ 0 };
}

static void add_form(const char *name, const char *expression)
{
    struct gcal_error err = { 0 };
    struct gcal_config_form *form = &forms[model.n_forms++];

    form->name = (char *)name;
    form->model = gcal_model_create("m", "f_cl_wall_time", expression, &err);
    assert_non_null(form->model);
    model.model = forms[0].model;
}

static int set_up(void **state)
{
    (void)state;
    forget_rows();
    gcal_log_set_level(GCAL_LOG_ERROR);
    random_state = 2385;
    n_done = 0;
    model = (struct gcal_config_model){ .forms = forms };
    config = (struct gcal_config){ .n_models = 1, .models = &model };
    options = (struct gcal_config_measure_options){
        .budget_s = 20,
        .min_time_s = 1e-3,
        .max_time_s = 0.2,
        .noise = 0.005,
        .kernel_limit_s = 20,
        .min_samples = 8,
        .max_samples = 60,
        .sizes = 3,
        .seed = 977,
        .precision = 0.02,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    forget_rows();
    gcal_kernel_list_clear(&list);
    for (size_t i = 0; i < model.n_forms; i++)
        gcal_model_destroy(forms[i].model);
    for (size_t i = 0; i < n_done; i++)
        free(done[i].kernel_id);
    return 0;
}

static void scripted_announce(void *context, const struct gcal_kernel *kernel)
{
    (void)context;
    assert_true(!device.is_complete && device.n_announced < 4 * MAX_KERNELS);
    device.announced[device.n_announced++] = index_of(kernel);
}

static void scripted_prepared_all(void *context)
{
    (void)context;
    device.is_complete = true;
}

static bool is_family_prepared(const char *family)
{
    for (size_t i = 0; i < list.n_kernels; i++)
        if (device.prepared[i] && strcmp(list.kernels[i]->family, family) == 0)
            return true;
    return false;
}

static bool is_family_announced(const char *family)
{
    for (size_t i = 0; i < device.n_announced; i++)
        if (strcmp(list.kernels[device.announced[i]]->family, family) == 0)
            return true;
    return false;
}

/* What is built ahead is what is measured: families, as each is built once. */
static void check_announced(void)
{
    assert_true(device.is_complete);
    for (size_t i = 0; i < list.n_kernels; i++)
        assert_int_equal(is_family_announced(list.kernels[i]->family),
                         is_family_prepared(list.kernels[i]->family));
}

static bool backwards;

static int run(struct gcal_error *err)
{
    struct gcal_plan_device_ops ops = { .restart = scripted_restart,
                                        .prepare = scripted_prepare,
                                        .measure = scripted_measure,
                                        .check = scripted_check,
                                        .announce = scripted_announce,
                                        .prepared_all = scripted_prepared_all };
    struct gcal_plan_hooks hooks = { .sink = { .kernel = keep_kernel,
                                               .measurement = keep_measurement },
                                     .chosen = keep_choice,
                                     .n_done = n_done,
                                     .done = done,
                                     .backwards = backwards,
                                     .config = &config };
    struct gcal_device_info info = { .uid = (char *)"uuid:1",
                                     .name = (char *)"scripted",
                                     .platform = (char *)"p",
                                     .sub_group_size = 1 };

    return gcal_plan_measure(&ops, "n1", &info, &list, &options, &hooks, err);
}

static double find_parameter(const struct gcal_fit *fit, const char *name, size_t *j)
{
    for (*j = 0; strcmp(forms[0].model->parameters[*j].name, name) != 0; ++*j)
        ;
    return fit->value[*j];
}

/* Fits the first form to what was recorded, as the end of a run does. */
static void fit_rows(struct gcal_fit *fit)
{
    const struct gcal_model *m = forms[0].model;
    double features[MAX_KERNELS * 8], time_s[MAX_KERNELS];
    struct gcal_fit_rows rows = { .n_features = m->n_features,
                                  .features = features,
                                  .time_s = time_s };
    struct gcal_error err = { 0 };

    for (size_t i = 0; i < list.n_kernels; i++) {
        const struct sunk *kept = row(list.kernels[i]->id);
        struct gcal_binding *binding;

        if (!kept || kept->status != GCAL_MEASUREMENT_GOOD)
            continue;
        binding = gcal_binding_create(list.kernels[i]->profile, m->n_features,
                                      (const char *const *)m->features, 1, &err);
        assert_non_null(binding);
        assert_int_equal(gcal_binding_eval(binding, &list.kernels[i]->sizes[0].value,
                                           &features[rows.n_rows * m->n_features], &err),
                         0);
        gcal_binding_destroy(binding);
        time_s[rows.n_rows++] = kept->time_s;
    }
    assert_int_equal(gcal_fit_solve(m, &rows, fit, &err), 0);
    assert_int_equal(fit->status, GCAL_FIT_GOOD);
}

/* ---- tests ---- */

/* Rows deviate from the model by up to 3 %: a fifth of them determines all costs to 2 %.
 */
static void precision_takes_a_part_of_the_kernels(void **state)
{
    static const char *const names[] = { "p_mul", "p_add", "p_madd", "p_div" };
    struct gcal_error err = { 0 };
    struct gcal_fit fit;
    size_t j;

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.03);
    assert_int_equal(run(&err), 0);
    assert_int_equal(n_choices, 1);
    assert_true(choice.reached && choice.worst_error <= 0.02);
    assert_int_equal(choice.n_kernels, 120);
    assert_int_equal(choice.n_measured, count(GCAL_MEASUREMENT_GOOD));
    assert_true(choice.n_measured >= 7 && choice.n_measured < 60);
    assert_true(choice.full_s > choice.took_s);
    assert_int_equal(n_sunk, 120);
    assert_int_equal(count(GCAL_MEASUREMENT_GOOD) + count(GCAL_MEASUREMENT_SKIPPED), 120);
    check_announced();
    fit_rows(&fit);
    for (size_t i = 0; i < N_OPS; i++) {
        double value = find_parameter(&fit, names[i], &j);

        assert_true(fit.standard_error[j] <= 0.025 * value);
        assert_true(fabs(value - cost_s[i]) <= 3 * fit.standard_error[j]);
    }
    gcal_fit_clear(&fit);
}

static void what_was_not_needed_says_so(void **state)
{
    struct gcal_error err = { 0 };
    size_t n = 0;

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(40, 0.01);
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++)
        if (sunk[i].status == GCAL_MEASUREMENT_SKIPPED) {
            assert_non_null(strstr(sunk[i].detail, "not needed"));
            assert_int_equal(sunk[i].stop, GCAL_MEASUREMENT_STOP_NONE);
            n++;
        }
    assert_true(n > 20);
    assert_int_equal(device.n_prepared, count(GCAL_MEASUREMENT_GOOD));
}

static void without_precision_all_are_measured(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(20, 0.01);
    options.precision = 0;
    assert_int_equal(run(&err), 0);
    assert_int_equal(count(GCAL_MEASUREMENT_GOOD), 49);
    assert_int_equal(n_choices, 0);
}

/* The target is beyond all kernels together: they are not all measured for it. */
/* Without a choice, too, the first families give all parameters a value: if the budget ends early,
 * no cost lacks its kernels.
 */
static void parameters_come_first(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    options.precision = 0;
    add_form("sum", MODEL);
    add_kernel("empty", "empty", 713, false, (const double[N_OPS]){ 0 }, 0);
    for (size_t i = 0; i < 6 * N_OPS; i++) {
        double per_n[N_OPS] = { 0 };
        char family[20];

        per_n[i / 6] = 3;
        snprintf(family, sizeof(family), "%s %zu", ops_of_it[i / 6], i);
        add_kernel("ops", family, 1e5, false, per_n, 0);
    }
    for (int k = 0; k < 2; k++) {
        size_t n_seen[N_OPS + 1] = { 0 };

        forget_rows();
        backwards = k;
        assert_int_equal(run(&err), 0);
        assert_int_equal(device.n_announced, 1 + 6 * N_OPS);
        for (size_t i = 0; i < 10; i++)
            n_seen[(device.announced[i] + 5) / 6]++;
        for (size_t op = 0; op <= N_OPS; op++)
            assert_true(n_seen[op]);
    }
    backwards = false;
}

static void a_precision_out_of_reach_is_not_sought_forever(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.2);
    options.precision = 1e-4;
    assert_int_equal(run(&err), 0);
    assert_false(choice.reached);
    assert_true(choice.worst_error > 1e-4 && isfinite(choice.worst_error));
    assert_true(choice.n_measured < 110);
}

static void a_parameter_without_kernels_is_told(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL " + p_exp * f_op_float32_exp");
    add_fixed_kernels(40, 0.01);
    assert_int_equal(run(&err), 0);
    assert_false(choice.reached);
    assert_true(isinf(choice.worst_error));
    assert_string_equal(choice.worst_parameter, "p_exp");
    assert_true(choice.n_measured < 69);
}

/* A second form has an exponent, which kernels that mix costs identify. */
static void all_forms_are_to_be_known(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_form("pnorm",
             "pnorm(p_overlap, p_mul * f_op_float32_mul + p_add * f_op_float32_add, "
             "p_madd * f_op_float32_madd + p_div * f_op_float32_div) + p_launch * "
             "f_sync_kernel_launch");
    gcal_model_parameter_find(forms[1].model, "p_overlap")->unit[0] = '1';
    gcal_model_parameter_find(forms[1].model, "p_overlap")->initial = 1.3;
    gcal_model_parameter_find(forms[1].model, "p_overlap")->min = 0.5;
    gcal_model_parameter_find(forms[1].model, "p_overlap")->max = 16;
    add_fixed_kernels(40, 0.01);
    options.precision = 0.03;
    assert_int_equal(run(&err), 0);
    assert_true(choice.reached);
    assert_true(count(GCAL_MEASUREMENT_GOOD) >= 8 && count(GCAL_MEASUREMENT_GOOD) < 50);
}

static void the_budget_ends_a_choice(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.1);
    options.precision = 1e-3;
    options.budget_s = 0.4;
    device.sleep_s = 12e-3;
    assert_int_equal(run(&err), 0);
    assert_false(choice.reached);
    assert_int_equal(n_sunk, 120);
    assert_true(count(GCAL_MEASUREMENT_GOOD) >= 3 && count(GCAL_MEASUREMENT_GOOD) < 40);
    for (size_t i = 0; i < n_sunk; i++)
        if (sunk[i].status == GCAL_MEASUREMENT_SKIPPED) {
            assert_non_null(strstr(sunk[i].detail, "budget"));
            assert_int_equal(sunk[i].stop, GCAL_MEASUREMENT_STOP_BUDGET);
        }
}

static void kernels_to_be_predicted_are_measured_whole(void **state)
{
    static const double per_n[N_OPS] = { 3, 1, 0, 2 };
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(40, 0.01);
    for (size_t i = 0; i < 6; i++) {
        add_kernel("whole", "whole", 1e5 + (double)i, false, per_n, 0.01);
        set_use(&list.kernels[list.n_kernels - 1]->uses, "m", GCAL_KERNEL_TARGET);
    }
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < 6; i++) {
        char id[40];

        snprintf(id, sizeof(id), "whole n:%.0f", 1e5 + (double)i);
        assert_int_equal(row(id)->status, GCAL_MEASUREMENT_GOOD);
    }
    assert_true(choice.reached && choice.n_measured < 50);
    check_announced();
}

/* One size of their sweep, the longest up to 200 ms, at any cost. */
static void kernels_that_check_are_measured_once(void **state)
{
    static const double per_n[N_OPS] = { 3, 1, 0, 2 };
    struct gcal_error err = { 0 };
    size_t n = 0;

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(40, 0.01);
    for (double size = 1e4; size < 1e6; size *= 3) {
        add_kernel("whole", "whole", size, true, per_n, 0.01);
        set_use(&list.kernels[list.n_kernels - 1]->uses, "m", GCAL_KERNEL_CHECK);
    }
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++)
        n += strncmp(sunk[i].id, "whole ", 6) == 0;
    assert_int_equal(n, 1);
    assert_int_equal(row("whole n:810000")->status, GCAL_MEASUREMENT_GOOD);
    assert_true(choice.reached && choice.n_measured < 50);
}

/* Twelve sweeps of twelve sizes: those of chosen kernels go to the first size that runs 1
 * ms, and no longer size is prepared unless it is measured.
 */
static void sweeps_go_no_further_than_needed(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    for (size_t f = 0; f < 12; f++) {
        double per_n[N_OPS] = { 0 };
        char name[20];

        per_n[f % N_OPS] = 1 + (double)(f / N_OPS);
        per_n[(f + 1) % N_OPS] = f < N_OPS ? 0 : 2;
        snprintf(name, sizeof(name), "swept%zu", f);
        for (double n = 1000; n < 5e6; n *= 2)
            add_kernel(f % 2 ? "odd" : "even", name, n, true, per_n, 0.005);
    }
    options.precision = 0.05;
    assert_int_equal(run(&err), 0);
    assert_true(count(GCAL_MEASUREMENT_GOOD) >= 6 && count(GCAL_MEASUREMENT_GOOD) < 36);
    assert_true(device.n_prepared < 100);
    for (size_t i = 0; i < n_sunk; i++)
        if (sunk[i].status == GCAL_MEASUREMENT_GOOD)
            assert_true(sunk[i].time_s > 0.99e-3 && sunk[i].time_s < 0.202);
    forget_rows();
    options.precision = 0;
    assert_int_equal(run(&err), 0);
    assert_int_equal(choice.n_kernels, count(GCAL_MEASUREMENT_GOOD));
    check_announced();
}

/* What the first half of a run measured is not measured again, and counts. */
static void a_resumed_choice_goes_on(void **state)
{
    struct gcal_error err = { 0 };
    size_t n_first;

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.03);
    assert_int_equal(run(&err), 0);
    n_first = count(GCAL_MEASUREMENT_GOOD);
    for (size_t i = 0; i < n_sunk && n_done < n_first / 2; i++)
        if (sunk[i].status == GCAL_MEASUREMENT_GOOD)
            done[n_done++] = (struct gcal_plan_done){ .kernel_id = strdup(sunk[i].id),
                                                      .time_s = sunk[i].time_s };
    forget_rows();
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_done; i++)
        assert_null(row(done[i].kernel_id));
    assert_true(choice.reached);
    assert_int_equal(choice.n_measured, n_done + count(GCAL_MEASUREMENT_GOOD));
    assert_int_equal(choice.n_kernels, 120);
    assert_int_equal(n_sunk, 120 - n_done);
    assert_true(count(GCAL_MEASUREMENT_GOOD) < n_first);
}

static void a_finished_choice_needs_nothing_more(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(40, 0.01);
    assert_int_equal(run(&err), 0);
    for (size_t i = 0; i < n_sunk; i++)
        if (sunk[i].status == GCAL_MEASUREMENT_GOOD)
            done[n_done++] = (struct gcal_plan_done){ .kernel_id = strdup(sunk[i].id),
                                                      .time_s = sunk[i].time_s };
    forget_rows();
    assert_int_equal(run(&err), 0);
    assert_int_equal(count(GCAL_MEASUREMENT_GOOD), 0);
    assert_true(choice.reached);
    assert_int_equal(choice.n_measured, n_done);
}

/* Every other mixture crashes its worker: the others suffice. */
static void deaths_among_the_chosen_cost_their_rows(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.03);
    for (size_t i = 0; i < list.n_kernels; i += 2)
        made[i].dies = strcmp(list.kernels[i]->generator, "mixed") == 0;
    for (size_t i = 5; i < 29; i += 5)
        made[i].dies = true;
    assert_int_equal(run(&err), 0);
    assert_true(choice.reached);
    assert_true(count(GCAL_MEASUREMENT_CRASHED) > 0);
    assert_int_equal(device.starts, 1 + count(GCAL_MEASUREMENT_CRASHED));
    assert_int_equal(n_sunk, 120);
}

/* From the 30th measurement on, which is past the first kernels. */
static void a_device_that_dies_keeps_what_was_measured(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    add_form("linear", MODEL);
    add_fixed_kernels(91, 0.1);
    options.precision = 1e-3;
    device.dead_from = 30;
    assert_int_equal(run(&err), -1);
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_int_equal(count(GCAL_MEASUREMENT_CRASHED), 3);
    assert_true(count(GCAL_MEASUREMENT_GOOD) >= 6);
    assert_int_equal(n_choices, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(precision_takes_a_part_of_the_kernels),
        TEST(what_was_not_needed_says_so),
        TEST(without_precision_all_are_measured),
        TEST(parameters_come_first),
        TEST(a_precision_out_of_reach_is_not_sought_forever),
        TEST(a_parameter_without_kernels_is_told),
        TEST(all_forms_are_to_be_known),
        TEST(the_budget_ends_a_choice),
        TEST(kernels_to_be_predicted_are_measured_whole),
        TEST(kernels_that_check_are_measured_once),
        TEST(sweeps_go_no_further_than_needed),
        TEST(a_resumed_choice_goes_on),
        TEST(a_finished_choice_needs_nothing_more),
        TEST(deaths_among_the_chosen_cost_their_rows),
        TEST(a_device_that_dies_keeps_what_was_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
