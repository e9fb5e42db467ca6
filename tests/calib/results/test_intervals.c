/* test_intervals.c - intervals of predictions, from record to parameter file */
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
#include "kernels/base/random.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "calib/results/results.h"
#include "store/predict/predictor.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

/* A standard normal deviate, nearly: the sum of 12. */
static double normal(uint64_t *random)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(gcal_random_next(random) >> 11) * 0x1p-53;
    return sum;
}

/* Kernels of 12 generators that differ in their mixture and miss the model by 7 % each.
 */
static struct gcal_record *make_misfits(uint64_t *random)
{
    struct maker m = make_start(1, NULL);

    for (int g = 0; g < 12; g++)
        for (int i = 0; i < 4; i++) {
            double n = 4099e4 * pow(3, i), adds = n * (1 + g % 5), muls = n * (g % 4);
            char generator[20], arguments[20];

            snprintf(generator, sizeof(generator), "mix%d", g);
            snprintf(arguments, sizeof(arguments), "n:%d", i);
            put_kernel(&m, (struct kernel){ .generator = generator,
                                            .arguments = arguments,
                                            .models = "m",
                                            .adds = adds,
                                            .muls = muls,
                                            .time_s = add_up(adds, muls) *
                                                      exp(0.07 * normal(random)) });
        }
    return make_end(&m);
}

static struct gcal_predictor *bind(const struct gcal_params_device *device)
{
    struct gcal_error err = { 0 };
    char *text = make_profile();
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "k", &err);
    struct gcal_profile *profile = gcal_profile_decode(root, &err);
    struct gcal_predictor *predictor = gcal_predictor_create(device, NULL, profile, &err);

    if (!predictor)
        fail_msg("%s", err.text);
    gcal_profile_destroy(profile);
    gcal_yaml_destroy(root);
    free(text);
    return predictor;
}

/* How many of 'n' kernels that nothing was fitted to lie in their intervals. */
static int count_covered(const struct gcal_params_device *device, int n, uint64_t *random)
{
    struct gcal_predictor *predictor = bind(device);
    int covered = 0;

    for (int i = 0; i < n; i++) {
        double sizes[] = { 4099e5 * (1 + i % 7), 4099e5 * (1 + i % 3) };
        double time_s = add_up(sizes[0], sizes[1]) * exp(0.07 * normal(random));
        struct gcal_prediction p;

        assert_int_equal(gcal_predictor_eval(predictor, sizes, &p, NULL, NULL), 0);
        covered += p.low_s < time_s && time_s < p.high_s;
    }
    gcal_predictor_destroy(predictor);
    return covered;
}

/* Over runs, as the width of an interval is estimated from each. */
static void intervals_hold_nine_of_ten_unseen_kernels(void **state)
{
    uint64_t random = 713;
    int covered = 0;

    (void)state;
    for (int run = 0; run < 3; run++) {
        struct gcal_record *record = make_misfits(&random);
        struct gcal_config config = one_form();
        struct gcal_results results = { 0 };
        struct gcal_params *params;
        size_t count;

        fit(record, &config, &results);
        assert_int_equal(
            gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
        assert_int_equal(count, 1);
        covered += count_covered(params->devices, 300, &random);
        finish(&results, &config, record);
    }
    within(covered, 810, 45); /* of 900 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_nine_of_ten_unseen_kernels),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
