/* test_order.c - probabilities of an order: those of libgpucal for the same pairs */
#include "kernels/base/error.h"
#include "mpi/commands/predict/order.h"
#include "store/predict/ratio.h"
#include "tests/unit.h"

#define PARAMS  TEST_DATA "/rates/h200.yaml"
#define PROFILE TEST_DATA "/mm.profile.yaml"

enum { N = 3 };

static const char *const sizes[N] = { "n=256", "n=272", "n=4096" };

static void add_variants(struct gcal_order *order)
{
    for (int i = 0; i < N; i++) {
        struct gcal_option_list at = { .n = 1, .items = (const char **)&sizes[i] };
        struct gcal_order_variant *v = gcal_order_add(order, NULL);
        struct gcal_error err;

        if (gcal_predict_target_read(&v->target, PROFILE, NULL, &at, &err) < 0)
            fail_msg("%s", err.text);
    }
}

static double faster(const struct gcal_params_device *device,
                     const struct gcal_order_variant *a,
                     const struct gcal_order_variant *b)
{
    struct gcal_predictor *p =
        gcal_predictor_create(device, "rates", a->target.profile, NULL);
    struct gcal_ratio ratio;

    assert_non_null(p);
    assert_int_equal(
        gcal_ratio_predict(p, a->target.sizes, p, b->target.sizes, &ratio, NULL), 0);
    gcal_predictor_destroy(p);
    return ratio.faster;
}

static void pairs_are_compared_as_by_the_library(void **state)
{
    struct gcal_order order = { .model = "rates" };
    struct gcal_params params = { 0 };
    const struct gcal_order_variant *v;
    const struct gcal_params_device *device;
    struct gcal_params_model *model;
    struct gcal_error err;

    (void)state;
    assert_int_equal(gcal_predict_params_read(PARAMS, &params, &err), 0);
    device = &params.devices[0];
    model = &params.devices[0].models[0];
    assert_string_equal(model->name, "rates");
    model->absolute_error_90_s = 1e-6; /* less of a long launch */
    add_variants(&order);
    assert_int_equal(gcal_order_variants(&order, device, &err), 0);
    v = order.variants;
    assert_int_equal(order.n_covered, N);
    assert_true(v[0].prediction.misfit > 2 * v[2].prediction.misfit);
    for (int i = 0; i < N; i++)
        assert_true(v[i].faster_than_first == faster(device, &v[i], &v[0]));
    gcal_order_clear(&order);
    gcal_params_clear(&params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_compared_as_by_the_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
