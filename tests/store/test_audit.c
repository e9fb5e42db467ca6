#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/base/error.h"
#include "tests/store/sample.h"

static const struct gcal_audit_limits limits = { 0.05, 0.15 };

/* The first parameter's change from 2.385e-12, with that standard error on both sides. */
static enum gcal_drift drift(double change, double error, struct gcal_audit_change *seen)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n1", "uuid:7f", 2.385e-12 * (1 + change));
    struct gcal_audit audit;
    enum gcal_drift worst;

    before.devices[0].models[0].standard_error[0] = error;
    after.devices[0].models[0].standard_error[0] = error;
    assert_int_equal(gcal_audit_compare(&before, &after, &limits, &audit, NULL), 0);
    assert_int_equal(audit.n_changes, 3); /* the factor and two parameters */
    assert_string_equal(audit.changes[0].parameter, "factor");
    assert_string_equal(audit.changes[1].parameter, "p_madd");
    assert_string_equal(audit.changes[1].unit, "s");
    assert_int_equal(audit.changes[2].drift, GCAL_DRIFT_NONE);
    assert_null(audit.notes);
    *seen = audit.changes[1];
    worst = audit.drift;
    gcal_audit_clear(&audit);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
    return worst;
}

static void judges_by_limit_and_noise(void **state)
{
    struct gcal_audit_change c;

    (void)state;
    assert_int_equal(drift(0.049, 1e-15, &c), GCAL_DRIFT_NONE);
    assert_int_equal(drift(0.051, 1e-15, &c), GCAL_DRIFT_WARN);
    assert_true(fabs(c.change - 0.051) < 1e-12);
    assert_true(fabs(c.sigmas - 0.051 * 2.385e-12 / (1e-15 * 1.4142135623730951)) < 1e-6);
    assert_int_equal(drift(-0.149, 1e-15, &c), GCAL_DRIFT_WARN);
    assert_int_equal(drift(-0.151, 1e-15, &c), GCAL_DRIFT_FAIL);
    assert_true(fabs(c.change + 0.151) < 1e-12);
    /* Beyond the limit, but within the noise: 0.2 / (0.05 sqrt 2) is 2.83 sigmas. */
    assert_int_equal(drift(0.2, 0.05 * 2.385e-12, &c), GCAL_DRIFT_NONE);
    assert_int_equal(drift(0.2, 0.047 * 2.385e-12, &c), GCAL_DRIFT_FAIL);
    /* No standard error at all (held at a bound). */
    assert_int_equal(drift(0.2, 0, &c), GCAL_DRIFT_FAIL);
    assert_int_equal(drift(0, 0, &c), GCAL_DRIFT_NONE);
}

static void notes_what_cannot_be_compared(void **state)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params other = sample_params("n1", "uuid:80", 2.385e-12);
    struct gcal_audit audit;

    (void)state;
    free(after.devices[0].info.driver);
    after.devices[0].info.driver = strdup("590.3");
    free(after.devices[0].models[0].expression);
    after.devices[0].models[0].expression = strdup("p_madd*f_op_float32_madd");
    assert_int_equal(gcal_audit_compare(&before, &after, &limits, &audit, NULL), 0);
    assert_non_null(strstr(audit.notes, "driver 580.17 became 590.3\n"));
    assert_non_null(strstr(audit.notes, "model matmul is another now"));
    assert_int_equal(audit.n_changes, 0);
    gcal_audit_clear(&audit);
    assert_int_equal(gcal_audit_compare(&before, &other, &limits, &audit, NULL), 0);
    assert_non_null(strstr(audit.notes, "uuid:7f (Test GPU) is gone\n"));
    assert_non_null(strstr(audit.notes, "uuid:80 (Test GPU) is new\n"));
    gcal_audit_clear(&audit);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
    gcal_params_clear(&other);
}

static void refuses_limits_in_the_wrong_order(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_audit_limits wrong = { 0.2, 0.1 };
    struct gcal_audit audit;
    struct gcal_error err;

    (void)state;
    assert_int_equal(gcal_audit_compare(&params, &params, &wrong, &audit, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    gcal_params_clear(&params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_by_limit_and_noise),
        cmocka_unit_test(notes_what_cannot_be_compared),
        cmocka_unit_test(refuses_limits_in_the_wrong_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
