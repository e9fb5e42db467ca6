/* test_drift.c - drift is found and chance is not, with the noise of real calibrations
 *
 * tests/data/h200-repeats has consecutive calibrations of an unchanged H200: some of the
 * configuration of the applications, and more of its model 'rates' alone.  Thousands of devices are
 * made of them (noise.h) and audited after each of their calibrations.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "kernels/base/arena.h"
#include "calib/audit/private.h"
#include "tests/calib/audit/noise.h"
#include "tests/unit.h"

/* Calibrations of a device, and those for the repeatability of its type. */
enum { RUNS = 24, FLEET = 20 };

/* A loss of 3 % of the rate. */
#define LOSS (1 / 0.97)

static const struct gcal_audit_policy policy = {
    .warn = 0.02, .fail = 0.1, .false_alarms = 0.001, .confirm = 2, .of = 3
};

/* The statistics of a site: 'n' other devices of the type. */
static struct gcal_audit_types *learn(const struct noise *noise, gsl_rng *rng, size_t n)
{
    struct gcal_audit_types *types = gcal_audit_types_create(true);
    struct gcal_audit_device *device;
    size_t n_devices;
    char node[32];

    for (size_t i = 0; i < n; i++) {
        struct gcal_track *track = noise_device(noise, rng, RUNS, "uuid:0", "580.1");

        snprintf(node, sizeof(node), "fleet%zu", i);
        gcal_audit_histories(gcal_arena_create(), node, track, &device, &n_devices);
        gcal_audit_types_add(types, device, policy.of);
        gcal_arena_destroy(device->arena);
        noise_device_free(track);
    }
    return types;
}

/* The device after its first 'n_runs' calibrations, judged; freed with
 * gcal_arena_destroy(..->arena).  'types' NULL: the site's only device.
 */
static struct gcal_audit_device *judge(struct gcal_track *track, size_t n_runs,
                                       const struct gcal_audit_types *types)
{
    struct gcal_track part = { .n_runs = n_runs, .runs = track->runs };
    struct gcal_audit_types *alone = NULL;
    struct gcal_audit_norm *norms;
    struct gcal_audit_device *device;
    size_t n;

    gcal_audit_histories(gcal_arena_create(), "node", &part, &device, &n);
    if (!types) {
        alone = gcal_audit_types_create(true);
        gcal_audit_types_add(alone, device, policy.of);
        gcal_audit_types_pool(alone);
    }
    norms = calloc(device->n_series, sizeof(*norms));
    gcal_audit_types_norms(types ? types : alone, device, norms);
    gcal_audit_judge(device, norms, &policy);
    free(norms);
    gcal_audit_types_destroy(alone);
    return device;
}

static bool alarms(enum gcal_audit_verdict verdict)
{
    return verdict == GCAL_AUDIT_WARN || verdict == GCAL_AUDIT_FAIL;
}

/* ---- chance ---- */

struct tally {
    size_t audits, alarms, suspects, devices;
};

static void audit_unchanged(const struct noise *noise, gsl_rng *rng,
                            const struct gcal_audit_types *types, struct tally *tally)
{
    struct gcal_track *track = noise_device(noise, rng, RUNS, "uuid:1", "580.1");
    bool alarmed = false;

    for (size_t n = 2; n <= RUNS; n++) {
        struct gcal_audit_device *d = judge(track, n, types);

        tally->audits++;
        tally->alarms += alarms(d->verdict);
        tally->suspects += d->verdict == GCAL_AUDIT_SUSPECT;
        alarmed |= alarms(d->verdict);
        gcal_arena_destroy(d->arena);
    }
    tally->devices += alarmed;
    noise_device_free(track);
}

/* The smallest rate for which this many alarms are plausible (1 in 20). */
static double lower_bound(size_t alarms, size_t audits)
{
    return alarms ? gsl_cdf_chisq_Pinv(0.05, 2 * (double)alarms) / 2 / (double)audits : 0;
}

/* The largest rate for which this few alarms are plausible. */
static double upper_bound(size_t alarms, size_t audits)
{
    return gsl_cdf_chisq_Pinv(0.95, 2 * (double)(alarms + 1)) / 2 / (double)audits;
}

static void false_alarms(const char *name, size_t devices, bool alone, struct tally *all)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_audit_types *types = NULL;
    struct tally tally = { 0 };
    struct noise noise;

    noise_load(name, &noise);
    if (!alone) {
        types = learn(&noise, rng, FLEET);
        gcal_audit_types_pool(types);
    }
    for (size_t i = 0; i < devices; i++)
        audit_unchanged(&noise, rng, types, &tally);
    print_message("%s%s: %zu of %zu audits of unchanged devices alarm (95 %%: fewer than "
                  "%.2g), %zu suspect; %zu of %zu devices ever alarmed\n",
                  name, alone ? ", alone" : "", tally.alarms, tally.audits,
                  upper_bound(tally.alarms, tally.audits), tally.suspects, tally.devices,
                  devices);
    assert_true(lower_bound(tally.alarms, tally.audits) < policy.false_alarms);
    all->audits += tally.audits;
    all->alarms += tally.alarms;
    gcal_audit_types_destroy(types);
    noise_clear(&noise);
    gsl_rng_free(rng);
}

static void chance_is_not_drift(void **state)
{
    struct tally all = { 0 };

    (void)state;
    false_alarms("rates", 500, false, &all);
    false_alarms("rates", 300, true, &all);
    false_alarms("default", 400, false, &all);
    false_alarms("default", 300, true, &all);
    print_message(
        "in all %zu of %zu audits of unchanged devices alarm (95 %%: fewer than "
        "%.2g)\n",
        all.alarms, all.audits, upper_bound(all.alarms, all.audits));
    assert_true(all.audits >= 20000);
    assert_true(upper_bound(all.alarms, all.audits) < policy.false_alarms);
}

/* ---- noise for which the constants were not tuned ---- */

struct made {
    const char *what;
    enum noise_kind kind;
    double scale, spread;
    double allowed; /* alarms of audits */
};

static void audit_made(const struct made *made)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_audit_types *types;
    struct tally tally = { 0 };
    struct noise noise;

    noise_load("rates", &noise);
    noise_make(&noise, made->kind, made->scale, rng);
    noise.spread = made->spread;
    types = learn(&noise, rng, FLEET);
    gcal_audit_types_pool(types);
    for (size_t i = 0; i < 300; i++)
        audit_unchanged(&noise, rng, types, &tally);
    print_message("%s: %zu of %zu audits alarm (95 %%: fewer than %.2g)\n", made->what,
                  tally.alarms, tally.audits, upper_bound(tally.alarms, tally.audits));
    assert_true(upper_bound(tally.alarms, tally.audits) < made->allowed);
    gcal_audit_types_destroy(types);
    noise_clear(&noise);
    gsl_rng_free(rng);
}

/* The audit assumes independent calibrations, as the recorded ones are.  Correlated ones
 * look like changes: the last case shows how often.
 */
static void other_noise_is_not_drift(void **state)
{
    static const struct made made[] = {
        { "normal, 0.1 %", NOISE_NORMAL, 0.001, 0, 0.001 },
        { "normal, 0.5 %", NOISE_NORMAL, 0.005, 0, 0.001 },
        { "normal, 2 %", NOISE_NORMAL, 0.02, 0, 0.001 },
        { "tails, 0.1 %", NOISE_TAILS, 0.001, 0, 0.001 },
        { "tails, 0.3 %", NOISE_TAILS, 0.003, 0, 0.001 },
        { "tails, 1 %", NOISE_TAILS, 0.01, 0, 0.001 },
        { "normal, 0.3 %, devices differ by 1 %", NOISE_NORMAL, 0.003, 0.01, 0.001 },
        { "wanders, 0.3 %", NOISE_WANDERS, 0.003, 0, 0.001 },
        { "wanders, 1 %", NOISE_WANDERS, 0.01, 0, 0.3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
        audit_made(&made[i]);
}

/* ---- losses ---- */

/* Of 'devices' that lose 3 % of one parameter after their tenth calibration, the number
 * found by the third after that.
 */
static size_t found(const struct noise *noise, gsl_rng *rng,
                    const struct gcal_audit_types *types, size_t column, size_t devices)
{
    size_t n = 0;

    for (size_t i = 0; i < devices; i++) {
        struct gcal_track *track = noise_device(noise, rng, 13, "uuid:2", "580.1");
        struct gcal_audit_device *d;

        noise_change(track, column, 10, LOSS);
        d = judge(track, 13, types);
        n += alarms(d->series[column].verdict);
        gcal_arena_destroy(d->arena);
        noise_device_free(track);
    }
    return n;
}

/* Of a column, in all recorded calibrations. */
static double largest(const struct noise *noise, size_t column)
{
    double most = 0;

    for (size_t i = 0; i < noise->n_rows; i++)
        most = fmax(most, fabs(noise->residual[i * noise->columns->n + column]));
    return most;
}

/* A parameter is precise enough when six of its scales are at most the loss. */
static void losses(const char *name, size_t devices, size_t least_known)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_audit_device *d;
    struct gcal_audit_types *types;
    struct gcal_track *track;
    struct noise noise;
    size_t known = 0, costs = 0, tries = 0, hits = 0, reliable = 0;

    noise_load(name, &noise);
    types = learn(&noise, rng, FLEET);
    gcal_audit_types_pool(types);
    track = noise_device(&noise, rng, 10, "uuid:3", "580.1");
    d = judge(track, 10, types);
    for (size_t i = 0; i < noise.columns->n; i++) {
        const struct gcal_track_column *c = &noise.columns->column[i];
        double scale = d->series[i].repeatability;
        size_t n;

        if (!gcal_audit_is_cost(c->unit) || isnan(noise.level[i]))
            continue;
        costs++;
        if (!(6 * scale < log(LOSS))) {
            print_message("%s: %s %s repeats within %.2g %%: a loss of 3 %% is not to be "
                          "found in 3 runs\n",
                          name, c->model, c->parameter, 100 * scale);
            continue;
        }
        known++;
        n = found(&noise, rng, types, i, devices);
        tries += devices;
        hits += n;
        reliable += (double)n >= 0.95 * (double)devices;
        if ((double)n < 0.95 * (double)devices)
            print_message("%s: %s %s: %zu of %zu found, as one in %zu calibrations of an "
                          "unchanged device differs by %.1f %%\n",
                          name, c->model, c->parameter, n, devices, noise.track.n_runs,
                          100 * largest(&noise, i));
    }
    print_message(
        "%s: %zu of %zu costs are known well enough; of %zu losses of 3 %%, %zu "
        "were found by the third run, 95 %% or more for %zu of these costs\n",
        name, known, costs, tries, hits, reliable);
    assert_true(known >= least_known);
    assert_true((double)hits >= 0.95 * (double)tries);
    assert_true((double)reliable >= 0.95 * (double)known);
    gcal_arena_destroy(d->arena);
    noise_device_free(track);
    gcal_audit_types_destroy(types);
    noise_clear(&noise);
    gsl_rng_free(rng);
}

static void a_loss_of_3_percent_is_found_in_3_runs(void **state)
{
    (void)state;
    losses("rates", 100, 6);
    losses("default", 20, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_is_not_drift),
        cmocka_unit_test(other_noise_is_not_drift),
        cmocka_unit_test(a_loss_of_3_percent_is_found_in_3_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
