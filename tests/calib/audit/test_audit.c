/* test_audit.c - audits of a store of nodes with an H200 each, made of real calibrations
 * (noise.h); one node changes
 */
#include <fnmatch.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/arena.h"
#include "calib/audit/private.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "tests/calib/audit/noise.h"
#include "tests/unit.h"

/* From tests/data/h200-repeats/params.yaml, whose models show the categories of costs. */
#define UID "uuid:8d2036b0-563b-d9b4-ac5d-876118b9c302"

enum { NODES = 8, RUNS = 14, CHANGE = 11 };

static const struct gcal_audit_policy policy = {
    .warn = 0.02, .fail = 0.1, .false_alarms = 0.001, .confirm = 2, .of = 3
};

static struct gcal_arena *arena; /* of all summaries */
static char site[] = "/tmp/gcal-audit.XXXXXX";
static struct noise noise;
static char *params; /* the parameter file, without its first lines */

/* ---- the site ---- */

static int make_site(void **state)
{
    char *path = gcal_buf_format("%s/h200-repeats/params.yaml", TEST_DATA);

    (void)state;
    noise_load("default", &noise);
    params = gcal_file_read(path, 1 << 24, NULL, NULL);
    free(path);
    return params && mkdtemp(site) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static int remove_site(void **state)
{
    (void)state;
    free(params);
    noise_clear(&noise);
    return nftw(site, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *folder, const char *node, const char *end,
                       const char *text)
{
    char *path = gcal_buf_format("%s/%s", site, folder);
    FILE *file;

    mkdir(path, 0755);
    free(path);
    path = gcal_buf_format("%s/%s/%s%s", site, folder, node, end);
    assert_non_null(file = fopen(path, "w"));
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(path);
}

static void write_node(const char *node, const struct gcal_track *track)
{
    char *text = noise_text(track), *rest = strstr(params, "\ndevices:"), *yaml;

    write_file("tracks", node, ".tsv", text);
    free(text);
    assert_non_null(rest);
    yaml = gcal_buf_format("gpucal_params: 7\nnode: %s%s", node, rest);
    write_file("nodes", node, ".yaml", yaml);
    free(yaml);
}

/* Nodes n0 .. n7, all unchanged; returns n3 for the caller to change, write and free.
 */
static struct gcal_track *fresh_site(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_track *changing = NULL;

    for (size_t i = 0; i < NODES; i++) {
        struct gcal_track *track = noise_device(&noise, rng, RUNS, UID, "580.1");
        char node[8];

        snprintf(node, sizeof(node), "n%zu", i);
        write_node(node, track);
        if (i == 3)
            changing = track;
        else
            noise_device_free(track);
    }
    gsl_rng_free(rng);
    return changing;
}

/* Costs whose MODEL/PARAMETER matches; 'patterns' between blanks. */
static size_t change(struct gcal_track *track, const char *patterns, size_t from,
                     double factor)
{
    char *copy = strdup(patterns), *rest = copy, *pattern;
    size_t n = 0;

    while ((pattern = strsep(&rest, " ")))
        for (size_t i = 0; i < noise.columns->n; i++) {
            const struct gcal_track_column *c = &noise.columns->column[i];
            char *name = gcal_buf_format("%s/%s", c->model, c->parameter);

            if (strcmp(c->unit, "s") == 0 && fnmatch(pattern, name, 0) == 0) {
                noise_change(track, i, from, factor);
                n++;
            }
            free(name);
        }
    free(copy);
    return n;
}

/* ---- the findings on n3 ---- */

struct seen {
    size_t n_devices, n_alarms;
    enum gcal_audit_verdict verdict;
    size_t n_findings;
    char code[64], what[600], next[600], since[64];
    enum gcal_audit_verdict finding;
    double size, low, high, false_alarm, epoch_change;
    struct gcal_audit_summary summary;
    char order[200];
};

static int look(void *context, const struct gcal_audit_device *d, struct gcal_error *err)
{
    struct seen *s = context;
    const struct gcal_audit_finding *f = d->findings;

    (void)err;
    s->n_devices++;
    strcat(s->order, d->node);
    s->n_alarms += d->verdict == GCAL_AUDIT_WARN || d->verdict == GCAL_AUDIT_FAIL;
    if (strcmp(d->node, "n3") != 0)
        return 0;
    s->verdict = d->verdict;
    s->epoch_change = d->series[0].driver_change;
    if (!(s->n_findings = d->n_findings))
        return 0;
    snprintf(s->code, sizeof(s->code), "%s", f->code);
    snprintf(s->what, sizeof(s->what), "%s", f->what);
    snprintf(s->next, sizeof(s->next), "%s", f->next);
    if (f->since < d->n_runs)
        snprintf(s->since, sizeof(s->since), "%s", d->run[f->since]->run_id);
    s->finding = f->verdict;
    s->size = f->change;
    s->low = f->change_low;
    s->high = f->change_high;
    s->false_alarm = f->false_alarm;
    return 0;
}

static struct seen audit(void)
{
    struct gcal_error err = { 0 };
    struct gcal_store *store = gcal_store_open(site, &err);
    struct seen seen = { 0 };

    assert_non_null(store);
    if (gcal_audit_store(arena, store, NULL, &policy, look, &seen, &seen.summary, &err) <
        0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    return seen;
}

static struct seen audit_changed(const char *patterns, double factor)
{
    struct gcal_track *track = fresh_site();
    struct seen seen;

    assert_true(change(track, patterns, CHANGE, factor) > 0);
    write_node("n3", track);
    noise_device_free(track);
    seen = audit();
    assert_int_equal(seen.n_devices, NODES);
    return seen;
}

static void says(const char *patterns, double factor, enum gcal_audit_verdict verdict,
                 const char *code, const char *words)
{
    struct seen s = audit_changed(patterns, factor);

    if (s.verdict != verdict || strcmp(s.code, code) != 0 || !strstr(s.what, words) ||
        s.n_findings != 1)
        fail_msg("%s * %g: %s, %zu findings, %s: %s", patterns, factor,
                 gcal_audit_verdict_name(s.verdict), s.n_findings, s.code, s.what);
    assert_int_equal(s.n_alarms,
                     verdict == GCAL_AUDIT_WARN || verdict == GCAL_AUDIT_FAIL);
    assert_string_equal(s.since, "20261121T000011Z-0a0b0c0d");
    if (fabs(s.size - (factor - 1)) > 0.25 * fabs(factor - 1))
        fail_msg("%s * %g: %g", patterns, factor, s.size);
    assert_true(s.low <= s.size && s.size <= s.high);
    assert_true(s.false_alarm < policy.false_alarms);
}

static void causes_are_distinguished(void **state)
{
    (void)state;
    says("*/p_stream */p_*_memory */p_sum", 1.05, GCAL_AUDIT_WARN,
         "GPUCAL-MEMORY-BANDWIDTH", "all access patterns alike) slower by 5");
    says("rates/p_madd rates/p_add rates/p_local rates/p_broadcast */p_*_onchip", 1.05,
         GCAL_AUDIT_WARN, "GPUCAL-CLOCK", "all on-chip work");
    says("*/p_mixColumnsM64_memory", 1.05, GCAL_AUDIT_WARN, "GPUCAL-ACCESS-PATTERN",
         "(p_mixColumnsM64_memory) slower by ");
    says("rates/p_local rates/p_broadcast", 1.05, GCAL_AUDIT_WARN, "GPUCAL-LOCAL-MEMORY",
         "p_local, p_broadcast");
    says("rates/p_barrier", 1.05, GCAL_AUDIT_WARN, "GPUCAL-BARRIER", "barriers");
    says("*/p_launch", 2, GCAL_AUDIT_FAIL, "GPUCAL-LAUNCH", "launch of kernels");
    says("*/p_group", 1.15, GCAL_AUDIT_FAIL, "GPUCAL-WORK-GROUPS", "p_group");
    says("*", 1.2, GCAL_AUDIT_FAIL, "GPUCAL-EVERYTHING", "everything");
    says("*/p_mixColumnsM64_memory", 0.9, GCAL_AUDIT_PASS, "GPUCAL-FASTER",
         "faster by 10");
}

static void next_steps_are_commands(void **state)
{
    struct seen s = audit_changed("*/p_stream */p_*_memory */p_sum", 1.2);

    (void)state;
    assert_int_equal(s.verdict, GCAL_AUDIT_FAIL);
    assert_non_null(strstr(s.next, "gpucal kernels gmem_copy_pattern --run"));
    assert_non_null(strstr(s.next, "nvidia-smi"));
    assert_non_null(strstr(s.next, "drain"));
}

static void an_outlier_is_not_an_alarm(void **state)
{
    static const double factors[] = { 400, 1.1, 0.9 };
    struct seen s;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t run = 0; run < RUNS; run += 6) {
            struct gcal_track *track = fresh_site();

            change(track, "*", run, factors[i]);
            change(track, "*", run + 1, 1 / factors[i]);
            write_node("n3", track);
            noise_device_free(track);
            s = audit();
            if (s.n_alarms || s.verdict != GCAL_AUDIT_PASS)
                fail_msg("%g at %zu: %s: %s: %s", factors[i], run,
                         gcal_audit_verdict_name(s.verdict), s.code, s.what);
        }
}

/* The level since it began is less than the device takes now. */
static void a_change_that_goes_on_is_said_as_it_is_now(void **state)
{
    struct gcal_track *track = fresh_site();
    struct seen s;

    (void)state;
    change(track, "*/*", RUNS - 4, 1.03);
    change(track, "*/*", RUNS - 3, 1.02);
    change(track, "*/*", RUNS - 2, 1.05);
    change(track, "*/*", RUNS - 1, 1.18);
    write_node("n3", track);
    noise_device_free(track);
    s = audit();
    assert_true(s.size < 0.2);
    if (!strstr(s.what, " since the change began; by 3") &&
        !strstr(s.what, " since the change began; by 29"))
        fail_msg("%s", s.what);
}

/* The last calibration alone: reported, but not a warning. */
static void an_unconfirmed_change_is_suspect(void **state)
{
    struct gcal_track *track = fresh_site();
    struct seen s;

    (void)state;
    change(track, "*/p_*_memory", RUNS - 1, 1.3);
    write_node("n3", track);
    noise_device_free(track);
    s = audit();
    assert_int_equal(s.verdict, GCAL_AUDIT_SUSPECT);
    assert_int_equal(s.summary.worst, GCAL_AUDIT_SUSPECT);
    assert_int_equal(s.n_alarms, 0);
    assert_non_null(strstr(s.next, "calibrate n3 again"));
}

static void a_new_driver_is_not_drift(void **state)
{
    struct gcal_track *track = fresh_site();
    struct seen s;

    (void)state;
    for (size_t i = 8; i < RUNS; i++)
        track->runs[i].driver = "590.2";
    change(track, "*", 8, 1.3);
    write_node("n3", track);
    noise_device_free(track);
    s = audit();
    assert_int_equal(s.verdict, GCAL_AUDIT_PASS);
    assert_int_equal(s.n_alarms, 0);
    assert_string_equal(s.code, "GPUCAL-EPOCH");
    assert_non_null(strstr(s.what, "driver 580.1 became 590.2"));
    assert_string_equal(s.since, "20261121T000008Z-0a0b0c0d");
    assert_true(fabs(s.size - 0.3) < 0.01);
}

/* A device that is slow from its first calibration on, such as a GPU at a third of its
 * arithmetic rate that passed a vendor's tests.
 */
static void a_slow_device_is_found_among_its_type(void **state)
{
    struct gcal_track *track = fresh_site();
    struct seen s;

    (void)state;
    change(track, "rates/p_madd rates/p_add", 0, 3);
    track->n_runs = 2;
    write_node("n3", track);
    s = audit();
    assert_int_equal(s.verdict, GCAL_AUDIT_FAIL);
    assert_int_equal(s.n_alarms, 1);
    assert_string_equal(s.code, "GPUCAL-TYPE-ARITHMETIC");
    assert_non_null(
        strstr(s.what, "slower by a factor of 3.00 than other devices of its type"));
    track->n_runs = 1;
    write_node("n3", track);
    assert_int_equal(audit().verdict, GCAL_AUDIT_SUSPECT);
    track->n_runs = RUNS;
    noise_device_free(track);
}

/* Slower than its type by its change and a little more, which alone would make it a
 * failure: one warning.
 */
static void a_change_explains_the_distance_to_the_type(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_track *track = noise_device(&noise, rng, RUNS, UID, "580.1");
    struct gcal_audit_norm *norms = calloc(noise.columns->n, sizeof(*norms));
    struct gcal_audit_device *d;
    size_t n, by_type = 0;

    (void)state;
    assert_true(change(track, "*/p_*_memory", CHANGE, 1.09) > 0);
    gcal_audit_histories(gcal_arena_create(), "n3", track, &d, &n);
    for (size_t i = 0; i < noise.columns->n; i++)
        norms[i] = (struct gcal_audit_norm){ .repeatability = 0.001,
                                             .n = 200,
                                             .median = noise.level[i] - 0.08 };
    gcal_audit_judge(d, norms, &policy);
    for (size_t i = 0; i < d->n_series; i++)
        by_type += d->series[i].by_type && d->series[i].verdict == GCAL_AUDIT_FAIL;
    assert_true(by_type > 50); /* 8 % are significant as well */
    for (size_t i = 0; i < d->n_series; i++) {
        norms[i].median = noise.level[i] - 0.03; /* chance */
        d->series[i].by_type = false;
    }
    gcal_audit_judge(d, norms, &policy);
    for (size_t i = 0; i < d->n_series; i++)
        assert_true(!d->series[i].by_type || d->series[i].change < policy.warn);
    free(norms);
    gcal_arena_destroy(d->arena);
    noise_device_free(track);
    gsl_rng_free(rng);
}

/* A change ends when it is repaired. */
static void a_repaired_device_passes(void **state)
{
    struct gcal_track *track = fresh_site();
    struct seen s;

    (void)state;
    change(track, "*/p_*_memory", 5, 1.08);
    change(track, "*/p_*_memory", 10, 1 / 1.08);
    write_node("n3", track);
    noise_device_free(track);
    s = audit();
    assert_int_equal(s.n_alarms, 0);
    assert_int_equal(s.verdict, GCAL_AUDIT_PASS);
}

static void one_calibration_is_too_few(void **state)
{
    struct gcal_track *track = fresh_site();
    struct gcal_error err = { 0 };
    struct gcal_store *store;
    struct seen seen = { 0 };

    (void)state;
    track->n_runs = 1;
    track->runs[0].type = "its-own-type";
    write_node("n3", track);
    track->n_runs = RUNS;
    noise_device_free(track);
    assert_non_null(store = gcal_store_open(site, &err));
    assert_int_equal(gcal_audit_store(arena, store, "n[34]", &policy, look, &seen,
                                      &seen.summary, &err),
                     0);
    assert_int_equal(seen.verdict, GCAL_AUDIT_UNKNOWN);
    assert_int_equal(seen.summary.n_nodes, 2);
    assert_int_equal(seen.summary.n_runs, 1 + RUNS);
    assert_int_equal(seen.summary.n_verdicts[GCAL_AUDIT_UNKNOWN], 1);
    assert_int_equal(seen.summary.n_verdicts[GCAL_AUDIT_PASS], 1);
    assert_string_equal(seen.order, "n3n4");
    assert_int_equal(
        gcal_audit_store(arena, store, "m*", &policy, look, &seen, &seen.summary, &err),
        -1);
    assert_non_null(strstr(err.text, "m*"));
    gcal_store_close(store);
}

static void bad_input_is_refused(void **state)
{
    struct gcal_audit_policy wrong[] = { policy, policy, policy, policy };
    struct gcal_error err = { 0 };
    struct gcal_store *store;
    struct seen seen = { 0 };

    (void)state;
    noise_device_free(fresh_site());
    wrong[0].fail = 0.01;
    wrong[1].confirm = 4;
    wrong[2].false_alarms = 1;
    wrong[3].warn = NAN;
    assert_non_null(store = gcal_store_open(site, &err));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gcal_audit_store(arena, store, NULL, &wrong[i], look, &seen,
                                          &seen.summary, &err),
                         -1);
        assert_non_null(strstr(err.text, "audit: "));
    }
    gcal_store_close(store);
}

static void damaged_tracks_are_left_out(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_store *store;
    struct seen seen = { 0 };

    (void)state;
    noise_device_free(fresh_site());
    write_file("tracks", "n5", ".tsv", "gpucal_track 2\nnonsense\n");
    seen = audit();
    assert_null(strstr(seen.order, "n5"));
    assert_non_null(strstr(seen.order, "n4n6"));
    assert_int_equal(seen.summary.n_unread, 1);
    assert_int_equal(seen.summary.n_nodes, seen.summary.n_devices + 1);
    assert_string_equal(seen.summary.unread[0].node, "n5");
    assert_non_null(strstr(seen.summary.unread[0].why, "tracks/n5.tsv:2"));

    assert_non_null(store = gcal_store_open(site, &err));
    seen = (struct seen){ 0 };
    assert_int_equal(
        gcal_audit_store(arena, store, "n3", &policy, look, &seen, &seen.summary, &err),
        0);
    assert_int_equal(seen.summary.n_unread, 0);
    gcal_store_close(store);
}

/* ---- models that are measured by different runs ---- */

#define RUN_OF(run, driver, configuration)                                               \
    "run\t" run "\t2026-11-21T04:27:51Z\tu\tt\tGPU\t" driver "\t" configuration          \
    "\tk\t0.1.0"

static struct gcal_audit_device *histories(char *text, struct gcal_track *track)
{
    struct gcal_audit_device *devices = NULL;
    struct gcal_error err;
    size_t n = 0;

    if (gcal_track_decode(text, strlen(text), "t", track, &err) < 0)
        fail_msg("%s", err.text);
    gcal_audit_histories(gcal_arena_create(), "n1", track, &devices, &n);
    assert_int_equal(n, 1);
    return devices;
}

/* Two configurations by turns are one epoch: each model is followed by itself. */
static void models_have_their_own_histories(void **state)
{
    char text[] = "gpucal_track 2\n"
                  "columns\t0\t=c1\ta/f/p/s\n"
                  "columns\t1\t=c2\tb/f/q/s\n" //
        RUN_OF("r1", "1", "A") "\t0\t1\t0.1\n" //
        RUN_OF("r2", "1", "B") "\t1\t2\t0.1\n" //
        RUN_OF("r3", "1", "A") "\t0\t3\t0.1\n" //
        RUN_OF("r4", "1", "B") "\t1\t4\t0.1\n" //
        RUN_OF("r5", "2", "B") "\t1\t5\t0.1\n";
    struct gcal_track track;
    struct gcal_audit_device *d = histories(text, &track);
    const struct gcal_audit_series *b = d->series, *a = &d->series[1];

    (void)state;
    assert_int_equal(d->n_runs, 5);
    assert_int_equal(d->n_series, 2);
    assert_string_equal(b->column.model, "b");
    assert_string_equal(a->column.model, "a");
    assert_true(a->value[0] == 1 && isnan(a->value[1]) && a->value[2] == 3);
    assert_true(isnan(b->value[2]) && b->value[3] == 4 && b->value[4] == 5);
    assert_int_equal(a->newest, 2);
    assert_int_equal(b->newest, 4);
    assert_int_equal(d->epoch[3], 0);
    assert_int_equal(d->epoch[4], 1);
    assert_string_equal(d->epoch_description[1], "driver 1 became 2");
    gcal_arena_destroy(d->arena);
    gcal_track_clear(&track);
}

/* A model whose own part of the configuration changed begins an epoch; one that is added
 * does not.
 */
static void a_changed_model_begins_an_epoch(void **state)
{
    char text[] = "gpucal_track 2\n"
                  "columns\t0\t=c1\ta/f/p/s\n"
                  "columns\t1\t=c1\ta/f/p/s\t=c2\tb/f/q/s\n"
                  "columns\t2\t=c3\tb/f/q/s\n"         //
        RUN_OF("r1", "1", "A") "\t0\t1\t0.1\n"         //
        RUN_OF("r2", "1", "B") "\t1\t2\t0.1\t5\t0.1\n" //
        RUN_OF("r3", "1", "A") "\t0\t3\t0.1\n"         //
        RUN_OF("r4", "1", "C") "\t2\t4\t0.1\n";
    struct gcal_track track;
    struct gcal_audit_device *d = histories(text, &track);

    (void)state;
    assert_int_equal(d->epoch[2], 0);
    assert_int_equal(d->epoch[3], 1);
    assert_string_equal(d->epoch_description[1], "another configuration");
    gcal_arena_destroy(d->arena);
    gcal_track_clear(&track);
}

/* Forgotten models, and those that a run without fingerprints replaced, are gone. */
static void forgotten_models_are_not_followed(void **state)
{
    char text[] = "gpucal_track 2\n"
                  "columns\t0\told/f/p/s\n"
                  "columns\t1\ta/f/p/s\tb/f/p/s\n" //
        RUN_OF("r1", "1", "A") "\t0\t1\t0.1\n"     //
        RUN_OF("r2", "1", "B") "\t1\t2\t0.1\t5\t0.1\n"
                               "columns\t2\t=c3\tc/f/q/s\n" //
        RUN_OF("r3", "1", "C") "\t2\t3\t0.1\n"
                               "forget\tU\tu\ta\n"
                               "forget\tU\tother\tb\n";
    struct gcal_track track;
    struct gcal_audit_device *d = histories(text, &track);

    (void)state;
    assert_int_equal(d->n_series, 2);
    assert_string_equal(d->series[0].column.model, "c");
    assert_string_equal(d->series[1].column.model, "b");
    /* Columns without fingerprints: the whole configuration changed. */
    assert_int_equal(d->epoch[1], 1);
    assert_int_equal(d->epoch[2], 1);
    gcal_arena_destroy(d->arena);
    gcal_track_clear(&track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_are_distinguished),
        cmocka_unit_test(next_steps_are_commands),
        cmocka_unit_test(an_outlier_is_not_an_alarm),
        cmocka_unit_test(an_unconfirmed_change_is_suspect),
        cmocka_unit_test(a_change_that_goes_on_is_said_as_it_is_now),
        cmocka_unit_test(a_new_driver_is_not_drift),
        cmocka_unit_test(a_slow_device_is_found_among_its_type),
        cmocka_unit_test(a_change_explains_the_distance_to_the_type),
        cmocka_unit_test(a_repaired_device_passes),
        cmocka_unit_test(one_calibration_is_too_few),
        cmocka_unit_test(models_have_their_own_histories),
        cmocka_unit_test(a_changed_model_begins_an_epoch),
        cmocka_unit_test(forgotten_models_are_not_followed),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(damaged_tracks_are_left_out),
    };
    int failed;

    arena = gcal_arena_create();
    failed = cmocka_run_group_tests(tests, make_site, remove_site);
    gcal_arena_destroy(arena);
    return failed;
}
