/* test_staleness.c - whether a device is to be calibrated again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "mpi/ranks/staleness.h"
#include "store/params/params.h"

/* 2026-11-21T04:27:51Z, and 2.5 days later. */
static const double calibrated_s = 1795235271;
static const double now_s = 1795235271 + 2.5 * 86400;

struct setting {
    struct gcal_params_model published[2];
    struct gcal_params_device device;
    struct gcal_params params;
    struct gcal_staleness_model models[2];
    size_t n;
    struct gcal_device_info info;
    struct gcal_staleness_policy policy;
};

static void set_up(struct setting *s)
{
    s->info = (struct gcal_device_info){ .uid = "uuid:0b6f",
                                         .type = "test-gpu-7cu",
                                         .name = "Test GPU",
                                         .vendor = "Test",
                                         .platform = "Test Platform",
                                         .driver = "580.1",
                                         .version = "OpenCL 3.0",
                                         .pci = "0000:01:00.0",
                                         .max_clock_hz = 1e9,
                                         .compute_units = 7 };
    s->device = (struct gcal_params_device){ .info = s->info,
                                             .run_id = "run",
                                             .calibrated_utc = "2026-11-21T04:27:51Z",
                                             .gpucal_version = "0.1.0",
                                             .configuration = "c1",
                                             .catalogue = "k1",
                                             .n_models = 1,
                                             .models = s->published };
    s->published[0] = s->published[1] = (struct gcal_params_model){ .name = "a" };
    s->published[1].name = "b";
    s->models[0] = (struct gcal_staleness_model){ .name = "a", .configuration = "c1" };
    s->models[1] = (struct gcal_staleness_model){ .name = "b", .configuration = "c2" };
    s->n = 1;
    s->params =
        (struct gcal_params){ .node = "n0", .n_devices = 1, .devices = &s->device };
    s->policy = (struct gcal_staleness_policy){ .catalogue = "k1",
                                                .gpucal_version = "0.1.0",
                                                .max_age_s = INFINITY,
                                                .now_s = now_s };
}

static void assert_due(struct setting *s, const char *expected)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char *reason;
    double age_s = NAN;

    reason = gcal_staleness_check(arena, &s->params, &s->info, &s->policy, s->models,
                                  s->n, &age_s);
    assert_non_null(reason);
    assert_string_equal(reason, expected);
    gcal_arena_destroy(arena);
}

static void holds_while_nothing_changes(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct setting s;
    double age_s = NAN;

    (void)state;
    set_up(&s);
    s.info.max_clock_hz = 2e9; /* the current one, on some */
    s.policy.max_age_s = 2.6 * 86400;
    assert_null(gcal_staleness_check(arena, &s.params, &s.info, &s.policy, s.models, s.n,
                                     &age_s));
    gcal_arena_destroy(arena);
    assert_true(fabs(age_s - (now_s - calibrated_s)) < 1e-6);
}

static void tells_what_changed(void **state)
{
    struct setting s;

    (void)state;
    set_up(&s);
    s.info.driver = "590.2";
    assert_due(&s, "driver 580.1 became 590.2");
    set_up(&s);
    s.info.pci = "";
    s.info.version = "OpenCL 3.1";
    assert_due(&s,
               "OpenCL version OpenCL 3.0 became OpenCL 3.1, PCI address 0000:01:00.0 "
               "became (none)");
    set_up(&s);
    s.info.type = "test-gpu-8cu";
    assert_due(&s, "type test-gpu-7cu became test-gpu-8cu");
    set_up(&s);
    s.models[0].configuration = "c2";
    assert_due(&s, "the configuration changed");
    set_up(&s);
    s.policy.catalogue = "k2";
    assert_due(&s, "the catalogue of measurement kernels changed");
    set_up(&s);
    s.policy.gpucal_version = "0.2.0";
    assert_due(&s, "gpucal 0.1.0 became 0.2.0");
}

static void what_old_files_do_not_tell_is_due(void **state)
{
    struct setting s;

    (void)state;
    set_up(&s);
    s.device.configuration = s.device.catalogue = "";
    assert_due(&s,
               "the configuration changed, the catalogue of measurement kernels changed");
}

static void grows_old(void **state)
{
    struct setting s;

    (void)state;
    set_up(&s);
    s.policy.max_age_s = 2.4 * 86400;
    assert_due(&s, "its calibration is 2.5 days old");
    s.device.calibrated_utc = "never";
    assert_due(&s, "its calibration is inf days old");
}

static void another_device_is_new(void **state)
{
    struct setting s;

    (void)state;
    set_up(&s);
    s.info.uid = "uuid:ffff";
    assert_due(&s, "nothing is published for it on this node");
    set_up(&s);
    s.params.n_devices = 0;
    assert_due(&s, "nothing is published for it on this node");
}

/* Two models: the second is decided by itself. */
static void decides_model_by_model(void **state)
{
    struct setting s;

    (void)state;
    set_up(&s);
    s.n = 2;
    assert_due(&s, "it is not published (model b)");
    assert_true(!s.models[0].stale && s.models[1].stale);
    s.device.n_models = 2;
    assert_due(&s, "the configuration changed (model b)");
    s.published[1].origin.configuration = "c2";
    s.published[1].origin.driver = "570.9";
    assert_due(&s, "driver 570.9 became 580.1 (model b)");
    s.published[0].origin.calibrated_utc = "2026-11-20T04:27:51Z";
    s.policy.max_age_s = 3 * 86400;
    assert_due(&s, "its calibration is 3.5 days old (model a); driver 570.9 became 580.1 "
                   "(model b)");
    s.info.pci = "";
    s.published[0].origin.calibrated_utc = "2026-11-21T04:27:51Z";
    s.published[1].origin.driver = "580.1";
    assert_due(&s, "PCI address 0000:01:00.0 became (none)");
    assert_true(s.models[0].stale && s.models[1].stale);
}

/* The age is that of the oldest model. */
static void other_models_do_not_matter(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct setting s;
    double age_s = NAN;

    (void)state;
    set_up(&s);
    s.device.n_models = 2;
    s.published[1].origin.driver = "570.9";
    s.published[0].origin.run_id = "older";
    s.published[0].origin.calibrated_utc = "2026-11-20T04:27:51Z";
    assert_null(gcal_staleness_check(arena, &s.params, &s.info, &s.policy, s.models, s.n,
                                     &age_s));
    gcal_arena_destroy(arena);
    assert_true(fabs(age_s - 3.5 * 86400) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_while_nothing_changes),
        cmocka_unit_test(tells_what_changed),
        cmocka_unit_test(what_old_files_do_not_tell_is_due),
        cmocka_unit_test(grows_old),
        cmocka_unit_test(another_device_is_new),
        cmocka_unit_test(decides_model_by_model),
        cmocka_unit_test(other_models_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
