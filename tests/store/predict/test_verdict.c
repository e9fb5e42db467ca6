/* test_verdict.c - poor models, which predict where there is no other */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"
#include "tests/unit.h"

enum { N = 4 };

static char *parameters[N] = { "p_a", "p_b", "p_c", "p_d" },
            *units[N] = { "s", "s", "s", "1" };
static double values[N] = { 2.385e-12, 1e-9, 3e-12, 2 };

struct numbers {
    size_t held_out;
    double rms, error_90, factor_error, errors[N];
    const char *why; /* a part of it; NULL: it is good */
};

static struct gcal_params_model make_model(const struct numbers *n, double *errors,
                                           bool *at_bound)
{
    for (size_t i = 0; i < N; i++)
        errors[i] = n->errors[i] * values[i];
    return (struct gcal_params_model){ .name = "m",
                                       .n_parameters = N,
                                       .parameter = parameters,
                                       .unit = units,
                                       .value = values,
                                       .standard_error = errors,
                                       .at_bound = at_bound,
                                       .n_held_out = n->held_out,
                                       .held_out_rms = n->rms,
                                       .error_90 = n->error_90,
                                       .factor = 1,
                                       .factor_error = n->factor_error };
}

static void errors_make_a_model_poor(void **state)
{
    static const struct numbers cases[] = {
        { 12, 0.03, 0.05, 0, { 0.01, 0.01, 0.01, 0.01 }, NULL },
        { 141, 0.324, 0.683, 0.03, { 0.1, 0.2, 150, 0.3 }, NULL },
        { 12, 0.45, 0.6, 0, { 0.01 }, "held-out errors are above 50 %" },
        { 0, 0.9, 1.5, 0, { 0.01 }, "own errors are above 50 %" },
        { 18, 0.28, 9.86, 0, { 0.01 }, "within 986 %" },
        { 18, 0.28, 0.7, 0.4, { 0.01 }, "more than a factor of 5" },
        { 5, 0.02, 0.04, 0, { 0.01, 62.23, 3, 1.2 }, "3 of its 4 parameters" },
        { 5, 0.02, 0.04, 0, { 0.01, 62.23, 0.01, 1.2 }, NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool at_bound[N] = { false };
        double errors[N];
        struct gcal_params_model m = make_model(&cases[i], errors, at_bound);
        char why[GCAL_PARAMS_WHY_SIZE];

        if (gcal_params_model_is_poor(&m, why) != (cases[i].why != NULL) ||
            (cases[i].why && !strstr(why, cases[i].why)))
            fail_msg("case %zu: '%s'", i, why);
    }
}

/* A parameter at its bound is known as well as it needs to be. */
static void bounds_do_not_count(void **state)
{
    const struct numbers n = { 5, 0.02, 0.04, 0, { 0.01, 62.23, 3, 1.2 }, NULL };
    bool at_bound[N] = { false, true, true, false };
    double errors[N];
    struct gcal_params_model m = make_model(&n, errors, at_bound);
    char why[GCAL_PARAMS_WHY_SIZE];

    (void)state;
    assert_false(gcal_params_model_is_poor(&m, why));
}

static void a_poor_model_is_chosen_only_by_name(void **state)
{
    const struct numbers n = { 12, 0.45, 0.6, 0, { 0.01 }, NULL };
    static char *features[] = { "f_op_float32_add" };
    bool at_bound[N] = { false };
    double errors[N], range[] = { 1 };
    struct gcal_params_model m = make_model(&n, errors, at_bound), models[2];
    struct gcal_params_device device = { .info = { .uid = "uuid:1" },
                                         .n_models = 2,
                                         .models = models };
    struct gcal_error err = { 0 };

    (void)state;
    m.n_features = 1;
    m.feature = features;
    m.feature_min = m.feature_max = range;
    models[0] = models[1] = m;
    models[1].name = "good";
    models[1].held_out_rms = 0.02;
    assert_ptr_equal(gcal_predictor_choose(&device, "m", 0, NULL, &err), &models[0]);
    device.n_models = 1;
    assert_null(gcal_predictor_choose(&device, NULL, 0, NULL, &err));
    assert_string_equal(
        err.text, "device uuid:1: only model m could predict this, and it is poor: its "
                  "held-out errors are above 50 % (rms); ask for it by name (--model m) "
                  "to have its predictions all the same");
    assert_int_equal(err.reason, GCAL_REASON_MODEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_make_a_model_poor),
        cmocka_unit_test(bounds_do_not_count),
        cmocka_unit_test(a_poor_model_is_chosen_only_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
