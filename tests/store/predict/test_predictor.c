/* test_predictor.c - which model predicts a kernel, and what is refused */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

#define HEAD                                                                             \
    "gpucal_params: 7\n"                                                                 \
    "node: n1\n"                                                                         \
    "devices:\n"                                                                         \
    "- {uid: u, type: t, name: Test, vendor: V, platform: P, driver: D, version: O,\n"   \
    "   device_type: gpu, pci: '', compute_units: 1, max_work_group_size: 256,\n"        \
    "   sub_group_size: 32, max_clock_hz: 1, global_memory_bytes: 1,\n"                  \
    "   max_alloc_bytes: 1, local_memory_bytes: 1, cache_bytes: 1,\n"                    \
    "   timer_resolution_s: 1, fp16: false, fp64: true, run_id: r,\n"                    \
    "   calibrated_utc: t, gpucal_version: v, configuration: c, catalogue: k,\n"         \
    "   fitted: 1, models: [%s]}\n"

#define MODEL(name, expression, parameters, covariance, features, more)                  \
    "---\n"                                                                              \
    "device: u\nmodel: " name "\noutput: f_cl_wall_time\nexpression: '" expression       \
    "'\nform: linear\nfactor: 1\nfactor_error: 0\nparameters:\n" parameters              \
    "covariance: |\n" covariance "features:\n" features                                  \
    "kernels: 1\nsamples: 1\nresidual: 0.01\nmean_error: 0.01\nworst_error: 0.01\n"      \
    "held_out: 1\nheld_out_rms: 0.01\nerror_90: 0.02\n" more

#define PARAMETER(name, value)                                                           \
    "- {name: " name ", value: " value ", unit: s, standard_error: 1e-15}\n"
#define FEATURE(name) "- {name: '" name "', min: 0, max: 1e9}\n"

/* 1 ns for each addition of a work-item. */
#define GENERAL                                                                          \
    MODEL("general", "p_add * f_op_float32_add", PARAMETER("p_add", "3.2e-8"),           \
          "  1e-15 1\n", FEATURE("f_op_float32_add"), "")
/* 1 ns for each unit of either component. */
#define MADE                                                                             \
    MODEL("made", "p_m * f_memory_tag:kGenerated + p_o * f_onchip_tag:kGenerated",       \
          PARAMETER("p_m", "1e-9") PARAMETER("p_o", "1e-9"), "  1e-15 1\n  1e-15 0 1\n", \
          FEATURE("f_memory_tag:kGenerated") FEATURE("f_onchip_tag:kGenerated"),         \
          "known: |\n  01 kGenerated k_generated target\n  02 - mix known\n")
/* No kernel is one, although it has no targets. */
#define TRANSFER                                                                         \
    MODEL("transfer", "p_byte * f_transfer_bytes_to_device_pinned",                      \
          PARAMETER("p_byte", "2e-11"), "  1e-15 1\n",                                   \
          FEATURE("f_transfer_bytes_to_device_pinned"), "")
/* Its error is a hundred times its value. */
#define VAGUE                                                                            \
    MODEL("vague", "p_add * f_op_float32_add", PARAMETER("p_add", "1e-9"), "  1e-7 1\n", \
          FEATURE("f_op_float32_add"), "")

#define PROFILE(name, fingerprint, multiplications)                                      \
    "gpucal_profile: 6\n"                                                                \
    "kernel: " name "\n" fingerprint "parameters: [n]\nlocal_size: [64]\n"               \
    "groups: [1/64*n]\nentries:\n"                                                       \
    "- {feature: f_op_float32_add, count: n/sub_group_size, per: sub-group,\n"           \
    "   dtype: float32, op: add}\n"                                                      \
    "- {feature: f_op_float32_mul, count: " multiplications                              \
    "/sub_group_size, per: sub-group, dtype: float32, op: mul}\n"                        \
    "- {feature: f_work_items, count: n, per: kernel}\n"                                 \
    "- {feature: f_memory_tag:" name ", count: n, per: kernel, tag: " name "}\n"         \
    "- {feature: f_onchip_tag:" name ", count: n, per: kernel, tag: " name "}\n"

static struct gcal_profile *read_profile(const char *text)
{
    struct gcal_error err;
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "profile", &err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, &err) : NULL;

    gcal_yaml_destroy(root);
    if (!profile)
        fail_msg("%s", err.text);
    return profile;
}

static void read_params(const char *names, const char *models, struct gcal_params *params)
{
    struct gcal_error err = { 0 };
    char *head = gcal_buf_format(HEAD, names);
    char *text = gcal_buf_format("%s%s...\n", head, models);

    if (gcal_params_decode(text, strlen(text), "n1.yaml", params, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
    free(head);
}

/* 0 with the prediction for n = 1000 and the model's name, or -1 with 'err'. */
static int predict(const char *names, const char *models, const char *model,
                   const char *profile_text, struct gcal_prediction *prediction,
                   char name[32], struct gcal_error *err)
{
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(profile_text);
    struct gcal_predictor *p;
    const double n = 1000;
    double time_s;
    int rc = -1;

    read_params(names, models, &params);
    if ((p = gcal_predictor_create(params.devices, model, profile, err))) {
        rc = gcal_predictor_eval(p, &n, prediction, NULL, err);
        snprintf(name, 32, "%s", gcal_predictor_model(p));
        if (rc == 0) {
            assert_int_equal(gcal_predictor_time(p, &n, &time_s, err), 0);
            assert_true(time_s == prediction->time_s);
        }
    }
    prediction->gap = prediction->outside = NULL; /* were the predictor's */
    gcal_predictor_destroy(p);
    gcal_profile_destroy(profile);
    gcal_params_clear(&params);
    return rc;
}

#define BOTH     "{name: general}, {name: made}", GENERAL MADE
#define NO_MUL   "0"
#define OWN      "fingerprint: '01'\n"
#define OTHER    "fingerprint: '03'\n"
#define DERIVED  "fingerprint: '03'\norigin: '01'\n"
#define NO_PRINT ""

static void the_model_made_for_a_kernel_predicts_it(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    /* whatever the kernel's name is */
    assert_int_equal(predict(BOTH, NULL, PROFILE("renamed", OWN, "n"), &p, name, &err),
                     0);
    assert_string_equal(name, "made");
    assert_true(fabs(p.time_s - 2e-6) < 1e-12);
    assert_true(p.not_covered == 0);
    assert_int_equal(predict(BOTH, NULL, PROFILE("d", DERIVED, "n"), &p, name, &err), 0);
    assert_string_equal(name, "made");
}

static void other_kernels_get_the_general_model(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    /* even one of the same name */
    assert_int_equal(
        predict(BOTH, NULL, PROFILE("kGenerated", OTHER, NO_MUL), &p, name, &err), 0);
    assert_string_equal(name, "general");
    assert_true(fabs(p.time_s - 1e-6) < 1e-12);
    assert_true(p.not_covered == 0 && p.high_s < 1.1e-6);
}

static void a_model_of_sweeps_is_not_general(void **state)
{
    static const char sweeps[] =
        MODEL("sweeps", "p_banks * f_mem_access_global", PARAMETER("p_banks", "1e-9"),
              "  1e-15 1\n", FEATURE("f_mem_access_global"), "");
    char *both = gcal_buf_format("%s%s", sweeps, GENERAL);
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict("{name: sweeps}, {name: general}", both, NULL,
                             PROFILE("k", OTHER, NO_MUL), &p, name, &err),
                     0);
    assert_string_equal(name, "general");
    free(both);
}

static void a_model_of_transfers_is_not_general(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict("{name: transfer}, {name: general}", TRANSFER GENERAL, NULL,
                             PROFILE("k", OTHER, NO_MUL), &p, name, &err),
                     0);
    assert_string_equal(name, "general");
    assert_int_equal(predict("{name: transfer}, {name: made}", TRANSFER MADE, NULL,
                             PROFILE("k", OTHER, NO_MUL), &p, name, &err),
                     -1);
    assert_non_null(strstr(err.text, "no model was made for kernel k"));
}

static const char *changed(const char *profile_text)
{
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(profile_text);
    const char *model;
    static char name[32];

    read_params(BOTH, &params);
    model = gcal_predictor_find_changed(params.devices, profile);
    snprintf(name, sizeof(name), "%s", model ? model : "none");
    gcal_profile_destroy(profile);
    gcal_params_clear(&params);
    return name;
}

static void a_changed_kernel_is_found(void **state)
{
    (void)state;
    assert_string_equal(changed(PROFILE("kGenerated", OTHER, NO_MUL)), "made");
    assert_string_equal(changed(PROFILE("kGenerated", OWN, NO_MUL)), "none");
    assert_string_equal(changed(PROFILE("k", OTHER, NO_MUL)), "none");
}

static void a_model_is_refused_for_other_kernels(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict(BOTH, "made", PROFILE("k", OTHER, NO_MUL), &p, name, &err),
                     -1);
    assert_non_null(strstr(err.text, "made has no cost for 100 % of the work of kernel k "
                                     "(f_op_float32_add 1e+02 %); the model is for "
                                     "k_generated"));
    assert_null(strstr(err.text, "of this name"));
    assert_int_equal(
        predict(BOTH, "made", PROFILE("kGenerated", OTHER, NO_MUL), &p, name, &err), -1);
    assert_non_null(strstr(err.text, "the kernel of this name that was calibrated has "
                                     "another source, defines or launch"));
    /* a profile without fingerprint names no kernel */
    assert_int_equal(
        predict(BOTH, "made", PROFILE("kGenerated", NO_PRINT, NO_MUL), &p, name, &err),
        -1);
}

/* As figure 2 of Stevens and Kloeckner (2020): the part of a product's time that multiply-adds take. */
static void a_refusal_has_the_time_of_the_work_with_costs(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict(BOTH, NULL, PROFILE("k", OTHER, "3*n"), &p, name, &err), -1);
    assert_non_null(strstr(err.text,
                           "general has no cost for 75 % of the work of kernel k "
                           "(f_op_float32_mul 75 %), and the rest takes 1e-06 s"));
}

/* 1 of 5 executions has no cost. */
static void intervals_hold_work_without_a_cost(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict(BOTH, NULL, PROFILE("k", OTHER, "0.25*n"), &p, name, &err),
                     0);
    assert_true(fabs(p.not_covered - 0.2) < 1e-12);
    assert_true(fabs(p.time_s - 1e-6) < 1e-12);
    assert_true(p.low_s < 1e-6 && p.low_s > 0.9e-6);
    assert_true(p.high_s > 250e-6 && p.high_s < 260e-6);
}

static void too_much_work_without_a_cost_is_refused(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict(BOTH, NULL, PROFILE("k", OTHER, "n"), &p, name, &err), 0);
    assert_int_equal(predict(BOTH, NULL, PROFILE("k", OTHER, "1.01*n"), &p, name, &err),
                     -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_non_null(strstr(err.text, "no cost for 50.2 % of the work"));
}

static void no_prediction_is_0_s(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict("{name: general}", GENERAL, NULL,
                             "gpucal_profile: 6\nkernel: k\nparameters: [n]\n"
                             "local_size: [64]\ngroups: [n]\nentries: []\n",
                             &p, name, &err),
                     -1);
    assert_non_null(strstr(err.text, "predicts 0 s"));
}

static void parameters_must_tell_something(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict("{name: vague}", VAGUE, NULL, PROFILE("k", OTHER, NO_MUL),
                             &p, name, &err),
                     -1);
    assert_non_null(strstr(err.text, "too uncertain"));
}

static void models_are_listed_with_their_kernels(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_prediction p;
    char name[32];

    (void)state;
    assert_int_equal(predict(BOTH, "none", PROFILE("k", OWN, "n"), &p, name, &err), -1);
    assert_non_null(
        strstr(err.text, "no model none; models: general, made (for k_generated)"));
}

/* The additions of GENERAL and half of them, of 1000 work-items: 1 us and 0.5 us. */
#define ROOFS                                                                            \
    "roofs: {half: p_add * f_op_float32_add / 2, adds: p_add * f_op_float32_add}\n"

static void the_longest_roof_binds(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(PROFILE("k", NO_PRINT, "0"));
    struct gcal_prediction prediction;
    struct gcal_predictor *p;
    const double n = 1000;
    double seconds[2];

    (void)state;
    read_params("{name: general}", GENERAL ROOFS, &params);
    p = gcal_predictor_create(params.devices, NULL, profile, &err);
    assert_non_null(p);
    assert_int_equal(gcal_predictor_eval(p, &n, &prediction, NULL, &err), 0);
    assert_string_equal(prediction.roof, "adds");
    assert_true(fabs(prediction.roof_s - 1e-6) < 1e-12);
    assert_int_equal(gcal_predictor_roof_count(p), 2);
    assert_string_equal(gcal_predictor_roof(p, 0), "half");
    assert_int_equal(gcal_predictor_roofs(p, &n, seconds, &err), 0);
    assert_true(fabs(seconds[0] - 5e-7) < 1e-12 && seconds[1] == prediction.roof_s);
    gcal_predictor_destroy(p);
    gcal_params_clear(&params);

    read_params("{name: general}", GENERAL "roofs: {none: p_mul}\n", &params);
    assert_null(gcal_predictor_create(params.devices, NULL, profile, &err));
    assert_non_null(strstr(err.text, "model general: roof 'none': "));
    gcal_params_clear(&params);
    gcal_profile_destroy(profile);
}

/* Two kernels share what follows from the model, which the parameter file need not outlive. */
static void predictors_share_a_model(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(PROFILE("k", NO_PRINT, "0"));
    struct gcal_predictor *p[2];
    const double n = 1000;
    double first_s, second_s;

    (void)state;
    read_params("{name: general}", GENERAL ROOFS, &params);
    for (size_t i = 0; i < 2; i++)
        if (!(p[i] = gcal_predictor_create(params.devices, NULL, profile, &err)))
            fail_msg("%s", err.text);
    assert_ptr_equal(gcal_predictor_inside(p[0]).model,
                     gcal_predictor_inside(p[1]).model);
    gcal_params_clear(&params);
    assert_int_equal(gcal_predictor_time(p[0], &n, &first_s, &err), 0);
    gcal_predictor_destroy(p[0]);
    assert_int_equal(gcal_predictor_time(p[1], &n, &second_s, &err), 0);
    gcal_predictor_destroy(p[1]);
    assert_true(first_s > 0 && first_s == second_s);
    gcal_profile_destroy(profile);
}

/* The interval's ends over the time, as logarithms, of a kernel with 'additions'. */
static struct gcal_prediction spread_of(const char *more, const char *kernel,
                                        double additions, const char *class)
{
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(kernel);
    char *models = gcal_buf_format(GENERAL "%s", more);
    struct gcal_prediction prediction;
    struct gcal_predictor *p;

    read_params("{name: general}", models, &params);
    free(models);
    if (!(p = gcal_predictor_create(params.devices, NULL, profile, &err)) ||
        gcal_predictor_eval(p, &additions, &prediction, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(prediction.class, class);
    prediction.roof = prediction.class = NULL; /* were the predictor's */
    gcal_predictor_destroy(p);
    gcal_params_clear(&params);
    gcal_profile_destroy(profile);
    prediction.low_s = log(prediction.low_s / prediction.time_s);
    prediction.high_s = log(prediction.high_s / prediction.time_s);
    return prediction;
}

static void is_between(const struct gcal_prediction *p, double below, double above)
{
    if (fabs(p->low_s + below) > 1e-9 || fabs(p->high_s - above) > 1e-9)
        fail_msg("%g to %g, not %g to %g", p->low_s, p->high_s, -below, above);
    assert_true(fabs(p->standard_error_s / p->time_s * 2 * GCAL_PARAMS_NORMAL_90 - below -
                     above) < 1e-9);
    assert_true(fabs(p->misfit * 2 * GCAL_PARAMS_NORMAL_90 - below - above) < 1e-9);
}

/* An estimate of the additions, exactly as many. */
#define ESTIMATED                                                                        \
    "gpucal_profile: 6\n"                                                                \
    "kernel: e\nparameters: [n]\nlocal_size: [64]\ngroups: [1/64*n]\n"                   \
    "estimated: true\nentries:\n"                                                        \
    "- {feature: f_op_float32_add, count: n/sub_group_size, per: sub-group,\n"           \
    "   dtype: float32, op: add, estimated: true}\n"

#define SPREAD ROOFS "spread: {adds: [0.3, 0.7], small: 0.1, estimated: [1, 2]%s}\n"

static void intervals_are_those_of_the_class(void **state)
{
    const char *other = PROFILE("k", NO_PRINT, "0");
    char *spread = gcal_buf_format(SPREAD, "");
    struct gcal_prediction p;

    (void)state;
    p = spread_of(spread, other, 1e6, "adds"); /* 1 ms */
    is_between(&p, 0.3, 0.7);
    assert_true(p.estimated == 0);
    p = spread_of(spread, other, 49000, "small");
    is_between(&p, 0.1, 0.1);
    p = spread_of(spread, ESTIMATED, 1e6, "estimated");
    is_between(&p, 1, 2);
    assert_true(fabs(p.estimated - 1) < 1e-9); /* twice the time */
    p = spread_of("", ESTIMATED, 1e6, "estimated");
    is_between(&p, 0.02, 0.02); /* no spread: error_90 */
    p = spread_of("spread: {other: 0.4}\n", other, 1e6, "other");
    is_between(&p, 0.4, 0.4);
    p = spread_of(ROOFS "spread: {small: 0.4}\n", other, 1e6, "adds");
    is_between(&p, 0.02, 0.02);
    free(spread);
}

/* Of a fit of absolute errors, as many microseconds at 2 us as at 1 ms, but no time below 0. */
static void absolute_errors_have_absolute_intervals(void **state)
{
    const char *other = PROFILE("k", NO_PRINT, "0"),
               *more = ROOFS "absolute_error_90_s: 5e-6\n";
    struct gcal_prediction p;

    (void)state;
    p = spread_of(more, other, 1e6, "adds"); /* 1 ms */
    assert_float_equal(p.high_s, log(1.005), 1e-9);
    assert_float_equal(p.low_s, log(0.995), 1e-9);
    assert_float_equal(p.standard_error_s, 5e-6 / GCAL_PARAMS_NORMAL_90, 1e-12);
    p = spread_of(more, other, 2000, "small"); /* 2 us */
    assert_float_equal(p.high_s, log(3.5), 1e-9);
    assert_true(isinf(p.low_s) && p.misfit > 0.5);
    p = spread_of(ROOFS "spread: {adds: 0.4}\nabsolute_error_90_s: 5e-6\n", other, 1e6,
                  "adds");
    assert_float_equal(p.high_s, log(1.005), 1e-9);
}

/* The microbenchmarks' errors are 0.01 here. */
static void devices_with_larger_errors_have_wider_intervals(void **state)
{
    const char *other = PROFILE("k", NO_PRINT, "0");
    char *better = gcal_buf_format(SPREAD, ", microbenchmarks: 0.03");
    char *worse = gcal_buf_format(SPREAD, ", microbenchmarks: 0.005");
    struct gcal_prediction p;

    (void)state;
    p = spread_of(better, other, 1e6, "adds");
    is_between(&p, 0.3, 0.7);
    p = spread_of(worse, other, 1e6, "adds");
    is_between(&p, 0.6, 1.4);
    free(better);
    free(worse);
}

/* Its interval is that of such kernels. */
static void the_spread_is_not_for_fitted_kernels(void **state)
{
    char *spread = gcal_buf_format(SPREAD "known: |\n  01 - k known\n", "");
    struct gcal_prediction p;

    (void)state;
    p = spread_of(spread, PROFILE("k", OWN, "0"), 1e6, "adds");
    is_between(&p, 0.02, 0.02);
    p = spread_of(spread, PROFILE("k", OTHER, "0"), 1e6, "adds");
    is_between(&p, 0.3, 0.7);
    free(spread);
}

/* Parts that a program of one kernel folds: a feature that the kernel lacks, in a norm, a maximum
 * and a derivative; common parts of counts; and a name of the device.
 */
#define WHOLE                                                                            \
    MODEL(                                                                               \
        "whole",                                                                         \
        "max(p_a*f_op_float32_add, p_d*f_op_float32_div/max(1, f_work_items))"           \
        " + pnorm(3, p_a*f_op_float32_add, p_m*f_op_float32_mul, p_d*f_op_float32_div)"  \
        " + p_d*f_op_float32_div^2 + min(p_m, p_a)*f_work_items/(3 + f_op_float32_add)"  \
        " + p_a*f_op_float32_sqrt/(1 + f_op_float32_add)^0.5",                           \
        PARAMETER("p_a", "1e-9") PARAMETER("p_m", "3.7e-9") PARAMETER("p_d", "5e-8"),    \
        "  1e-15 1\n  1e-15 0 1\n  1e-15 0 0 1\n",                                       \
        FEATURE("f_op_float32_add") FEATURE("f_op_float32_mul")                          \
            FEATURE("f_op_float32_div") FEATURE("f_op_float32_sqrt")                     \
                FEATURE("f_work_items"),                                                 \
        "")

#define COUNTED                                                                          \
    "gpucal_profile: 6\n"                                                                \
    "kernel: e\nparameters: [n, m]\nlocal_size: [64]\ngroups: [1/64*n]\n"                \
    "estimated: true\nentries:\n"                                                        \
    "- {feature: f_op_float32_add, count: 3*n^2*ceil(m/7)/sub_group_size,\n"             \
    "   per: sub-group, dtype: float32, op: add, estimated: true}\n"                     \
    "- {feature: f_op_float32_mul, count: (n^2*ceil(m/7) + n)/sub_group_size,\n"         \
    "   per: sub-group, dtype: float32, op: mul}\n"                                      \
    "- {feature: f_op_float32_sqrt, count: \"max(n - 100*m/2, 0)\", per: sub-group,\n"   \
    "   dtype: float32, op: sqrt}\n"                                                     \
    "- {feature: f_work_items, count: n, per: kernel}\n"

static void one_program_gives_what_counts_and_model_give(void **state)
{
    static const double points[][2] = { { 64, 1 }, { 1000, 3 }, { 12345, 700.5 } };
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(COUNTED);
    struct gcal_predictor_inside inside;
    struct gcal_predictor *p;

    (void)state;
    read_params("{name: whole}", WHOLE, &params);
    if (!(p = gcal_predictor_create(params.devices, NULL, profile, &err)))
        fail_msg("%s", err.text);
    inside = gcal_predictor_inside(p);
    for (size_t i = 0; i < 3; i++) {
        double features[8], gradient[8], of_log[8], raw_s;
        struct gcal_prediction prediction;

        if (gcal_predictor_eval(p, points[i], &prediction, of_log, &err) < 0 ||
            gcal_predictor_features(p, points[i], features, &err) < 0)
            fail_msg("%s", err.text);
        raw_s = gcal_model_eval(inside.model, inside.parameters, features, gradient);
        assert_true(prediction.time_s == raw_s);
        for (size_t k = 0; k < inside.model->n_parameters; k++)
            assert_true(fabs(of_log[k] - gradient[k] / raw_s) <= 1e-12 * fabs(of_log[k]));
        for (size_t k = 0; k < inside.model->n_features; k++)
            if (strcmp(inside.model->features[k], "f_op_float32_add") == 0)
                features[k] *= 2;
        assert_true(fabs(prediction.estimated -
                         fabs(log2(gcal_model_eval(inside.model, inside.parameters,
                                                   features, NULL) /
                                   raw_s))) < 1e-12);
    }
    gcal_predictor_destroy(p);
    gcal_params_clear(&params);
    gcal_profile_destroy(profile);
}

/* 5 us for a launch, and 1 ns for each addition of a work-item. */
#define LAUNCHED                                                                         \
    MODEL("general", "p_add * f_op_float32_add + p_launch * f_sync_kernel_launch",       \
          PARAMETER("p_add", "3.2e-8") PARAMETER("p_launch", "5e-6"),                    \
          "  1e-15 1\n  1e-15 0 1\n",                                                    \
          FEATURE("f_op_float32_add") FEATURE("f_sync_kernel_launch"), ROOFS)
#define LAUNCH "- {feature: f_sync_kernel_launch, count: 1, per: kernel}\n"

static void a_launch_costs_what_explains_a_time(void **state)
{
    static const struct {
        double n, measured_s, launch_s;
        const char *says;
    } cases[] = {
        { 1000, 6.8e-6, 5.8e-6, NULL },
        { 1000, 3.6e-6, 2.6e-6, NULL },
        { 1000, 11.1e-6, 0, "the device is busy, or another one" },
        { 1000, 1e-6, 0, "the device is busy, or another one" },
        { 1000, -1, 0, "nothing is refreshed" },
        { 1000, NAN, 0, "nothing is refreshed" },
        { 1000, INFINITY, 0, "nothing is refreshed" },
        { 6000, 11e-6, 0, "a launch is 45 % of the predicted time" },
    };
    struct gcal_error err = { 0 };
    struct gcal_params params = { 0 };
    struct gcal_profile *profile = read_profile(PROFILE("k", NO_PRINT, "0") LAUNCH);
    struct gcal_predictor *p, *other;
    const double n = 1000;
    double launch_s, time_s, seconds[2];

    (void)state;
    read_params("{name: general}", LAUNCHED, &params);
    p = gcal_predictor_create(params.devices, NULL, profile, &err);
    other = gcal_predictor_create(params.devices, NULL, profile, &err);
    assert_true(p && other);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int rc = gcal_predictor_find_launch(p, &cases[i].n, cases[i].measured_s,
                                            &launch_s, &err);

        assert_int_equal(rc, cases[i].says ? -1 : 0);
        if (cases[i].says && !strstr(err.text, cases[i].says))
            fail_msg("%s", err.text);
        if (rc == 0)
            assert_true(fabs(launch_s - cases[i].launch_s) < 1e-12);
    }
    /* Twice: each time from what is predicted now; of this predictor alone. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gcal_predictor_find_launch(p, &n, 6.8e-6, &launch_s, &err), 0);
        assert_int_equal(gcal_predictor_set_launch(p, launch_s, &err), 0);
        assert_int_equal(gcal_predictor_time(p, &n, &time_s, &err), 0);
        assert_true(fabs(time_s - 6.8e-6) < 1e-12);
    }
    assert_int_equal(gcal_predictor_roofs(p, &n, seconds, &err), 0);
    assert_true(fabs(seconds[1] - 1e-6) < 1e-12);
    assert_int_equal(gcal_predictor_time(other, &n, &time_s, &err), 0);
    assert_true(fabs(time_s - 6e-6) < 1e-12);
    gcal_predictor_destroy(p);
    gcal_predictor_destroy(other);
    gcal_params_clear(&params);

    read_params("{name: general}", GENERAL, &params);
    p = gcal_predictor_create(params.devices, NULL, profile, &err);
    assert_non_null(p);
    assert_int_equal(gcal_predictor_find_launch(p, &n, 1e-6, &launch_s, &err), -1);
    assert_non_null(strstr(err.text, "model general has no cost of a launch"));
    gcal_predictor_destroy(p);
    gcal_params_clear(&params);
    gcal_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_made_for_a_kernel_predicts_it),
        cmocka_unit_test(other_kernels_get_the_general_model),
        cmocka_unit_test(a_model_of_transfers_is_not_general),
        cmocka_unit_test(a_model_of_sweeps_is_not_general),
        cmocka_unit_test(a_changed_kernel_is_found),
        cmocka_unit_test(a_model_is_refused_for_other_kernels),
        cmocka_unit_test(a_refusal_has_the_time_of_the_work_with_costs),
        cmocka_unit_test(intervals_hold_work_without_a_cost),
        cmocka_unit_test(too_much_work_without_a_cost_is_refused),
        cmocka_unit_test(no_prediction_is_0_s),
        cmocka_unit_test(parameters_must_tell_something),
        cmocka_unit_test(models_are_listed_with_their_kernels),
        cmocka_unit_test(the_longest_roof_binds),
        cmocka_unit_test(predictors_share_a_model),
        cmocka_unit_test(intervals_are_those_of_the_class),
        cmocka_unit_test(absolute_errors_have_absolute_intervals),
        cmocka_unit_test(devices_with_larger_errors_have_wider_intervals),
        cmocka_unit_test(the_spread_is_not_for_fitted_kernels),
        cmocka_unit_test(one_program_gives_what_counts_and_model_give),
        cmocka_unit_test(a_launch_costs_what_explains_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
