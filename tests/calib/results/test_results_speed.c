/* test_results_speed.c - a device that changes its speed while it is measured */
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
#include "calib/results/results.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

struct run {
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results;
};

/* No kernel is too short to show a change. */
static void put_kernels(struct maker *m, double sizes)
{
    m->sizes = sizes;
    put_microbenchmarks(m, add_up);
    put_ladder(m, "others", "another", 1, 1, add_up, 1);
}

static void end_and_fit(struct maker *m, struct run *r)
{
    struct gcal_error err = { 0 };

    r->record = make_end(m);
    if (gcal_results_fit(r->record, &r->config, &r->results, &err) < 0)
        fail_msg("%s", err.text);
}

/* Device 0 of 'n' takes 'late' times as long from that launch on, for kernels or copies. */
static struct run make_run_of(const char *device_type, bool copies, size_t n, double late,
                              uint64_t since)
{
    struct run r = { .config = one_form() };
    struct maker m = make_start_of(device_type, n, NULL);

    m.copies = copies;
    m.late = late;
    m.late_since = since;
    put_kernels(&m, 4);
    end_and_fit(&m, &r);
    return r;
}

static struct run make_run(size_t n, double late, uint64_t since)
{
    return make_run_of("gpu", false, n, late, since);
}

static void end_run(struct run *r)
{
    finish(&r->results, &r->config, r->record);
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %s", part, text);
}

/* The other speed is within the 90 % interval of the device's factor, and that of its costs. */
static void has_both_speeds(const struct run *r)
{
    const struct gcal_result_type_fit *t = r->results.fits;
    const struct gcal_fit *f = &t->forms[0].fit;

    assert_true(exp(1.645 * t->factor_error[0]) >= 1.299);
    assert_true(t->factor_error[0] < 0.2);
    for (size_t j = 0; j < 2; j++) {
        assert_true(f->standard_error[j] >= 0.159 * f->value[j]);
        assert_true(t->estimate_error[j] >= 0.159 * t->estimate[j]);
    }
}

/* Without the samples of before; the other half of them would be their median's. */
static void early_rows_do_not_count(void **state)
{
    struct run r = make_run(1, 1.3, round_start(2));
    const struct gcal_fit *f = &r.results.fits->forms[0].fit;
    char *table = gcal_results_format(&r.results, r.record, &r.config, NULL);

    (void)state;
    assert_true(r.results.fits->good);
    within(f->value[0], 1.3 * true_add_s, 0.003 * true_add_s);
    within(f->value[1], 1.3 * true_mul_s, 0.003 * true_mul_s);
    assert_true(f->worst_error < 0.01);
    assert_int_equal(r.results.speeds.n, 1);
    within(r.results.speeds.items->ratio, 1.3, 0.01);
    /* The first kernel is the shortest, so the point is within two visits. */
    assert_in_range(r.results.speeds.items->since, round_start(2), round_start(2) + 10);
    contains(r.results.speeds.items->text, "n1 uuid:0 became 1.3 times as slow while");
    within(r.results.speeds.items->after_s / r.results.speeds.items->before_s, 1.3, 0.01);
    contains(table, "warning: n1 uuid:0 became 1.3 times as slow");
    has_both_speeds(&r);
    free(table);
    end_run(&r);
}

/* The others of its type are as without it, and it is one that deviates. */
static void others_are_not_harmed(void **state)
{
    struct run r = make_run(4, 1.6, round_start(1) + 30);
    const struct gcal_fit *f = &r.results.fits->forms[0].fit;

    (void)state;
    assert_int_equal(r.results.n_fits, 2);
    within(f->value[0], true_add_s, 0.002 * true_add_s);
    assert_int_equal(r.results.n_outliers, 1);
    within(r.results.outliers->ratio, 1.6, 0.01);
    assert_true(r.results.fits[1].is_outlier);
    within(r.results.fits[1].forms[0].fit.value[0], 1.6 * true_add_s, 0.005 * true_add_s);
    end_run(&r);
}

/* What is left of the model's kernels is nothing. */
static void too_late(void **state)
{
    struct run r = make_run(3, 2, round_start(3) + 100);
    struct gcal_result_unmeasured *unmeasured;
    size_t n;

    (void)state;
    assert_int_equal(r.results.speeds.n, 1);
    assert_true(r.results.fits->good);
    assert_int_equal(
        gcal_results_unmeasured(&r.results, r.record, &r.config, &unmeasured, &n, NULL),
        0);
    assert_int_equal(n, 1);
    assert_int_equal(unmeasured->device, 0);
    contains(unmeasured->reason, "after the device's speed had changed");
    end_run(&r);
}

static void a_steady_device_is_not_named(void **state)
{
    struct run r = make_run(3, 0, 0);

    (void)state;
    assert_int_equal(r.results.speeds.n, 0);
    assert_int_equal(r.results.fits->n_rows, 3 * 20);
    end_run(&r);
}

/* They depend on the host, and what else it does. */
static void copies_show_no_change(void **state)
{
    struct run r = make_run_of("gpu", true, 1, 1.3, round_start(2));

    (void)state;
    assert_int_equal(r.results.speeds.n, 0);
    end_run(&r);
}

/* Other programs of the host do that to a CPU; which of both speeds it has nobody knows. */
static void a_cpu_keeps_all_samples(void **state)
{
    struct run r = make_run_of("cpu", false, 1, 1.3, round_start(3));
    const struct gcal_fit *f = &r.results.fits->forms[0].fit;

    (void)state;
    assert_int_equal(r.results.speeds.n, 1);
    assert_false(r.results.speeds.items->drops);
    contains(r.results.speeds.items->text, "n1 uuid:0 became 1.3 times as slow");
    contains(r.results.speeds.items->text, "all of it counts");
    has_both_speeds(&r);
    assert_true(r.results.fits->good);
    within(f->value[0], true_add_s, 0.01 * true_add_s); /* three rounds of four */
    end_run(&r);
}

/* Beyond 2 % it is named, and within the 90 % interval. */
static void a_clock_that_is_off_widens(void **state)
{
    static const double rates[] = { 1.003, 1.05 };

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        struct run r = { .config = one_form() };
        struct maker m = make_start_of("gpu", 1, NULL);
        bool off = fabs(rates[i] - 1) > 0.02;
        double least = off ? fabs(log(rates[i])) / 1.645 : 0;

        m.host_rate = rates[i];
        put_kernels(&m, 100);
        end_and_fit(&m, &r);
        assert_int_equal(r.results.speeds.n, off);
        within(r.results.fits->factor_error[0], least, 0.002);
        if (off) {
            assert_true(r.results.speeds.items->is_clock);
            assert_false(r.results.speeds.items->drops);
            within(r.results.speeds.items->ratio, rates[i], 0.002);
            contains(r.results.speeds.items->text, "n1 uuid:0 has a clock that is not");
        }
        end_run(&r);
    }
}

static uint64_t random_state = 5;

static double normal(void)
{
    double sum = 0;

    for (int i = 0; i < 12; i++)
        sum += (double)(gcal_random_next(&random_state) >> 11) * 0x1p-53;
    return sum - 6;
}

/* Noise of which a hundred launches resemble each other: no kernel's scatter tells. */
static void costs_have_the_error_of_noise_that_lasts(void **state)
{
    enum { RUNS = 6 };
    static double noise[MAX_LAUNCHES];
    double z = 0;

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        struct run r = { .config = one_form() };
        struct maker m = make_start_of("gpu", 1, NULL);
        const struct gcal_fit *f;

        noise[0] = 0.05 * normal();
        for (size_t i = 1; i < MAX_LAUNCHES; i++)
            noise[i] = 0.99 * noise[i - 1] + 0.05 * sqrt(1 - 0.99 * 0.99) * normal();
        m.state = noise;
        put_kernels(&m, 4);
        end_and_fit(&m, &r);
        f = &r.results.fits->forms[0].fit;
        z += pow((f->value[0] - true_add_s) / f->standard_error[0], 2) / (2 * RUNS);
        z += pow((f->value[1] - true_mul_s) / f->standard_error[1], 2) / (2 * RUNS);
        end_run(&r);
    }
    if (!(sqrt(z) < 1.3 && sqrt(z) > 0.3))
        fail_msg("costs are off by %g standard errors", sqrt(z));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(early_rows_do_not_count),
        cmocka_unit_test(others_are_not_harmed),
        cmocka_unit_test(too_late),
        cmocka_unit_test(copies_show_no_change),
        cmocka_unit_test(a_cpu_keeps_all_samples),
        cmocka_unit_test(a_steady_device_is_not_named),
        cmocka_unit_test(a_clock_that_is_off_widens),
        cmocka_unit_test(costs_have_the_error_of_noise_that_lasts),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
