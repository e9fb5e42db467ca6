/* test_results_collect.c - the records of several runs are fitted as that of one big run */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "store/publish/publish.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

static struct gcal_arena *arena;

#define N_DEVICES 7

static const double slowness[N_DEVICES] = { 1, 1.02, 0.99, 1.5, 1.01, 0.98, 1.03 };

/* A device of a run: its place in the record of all, its node, and what it kept. */
struct part {
    size_t device;
    const char *node, *kept;
    double factor; /* of its times */
};

struct run {
    const char *id, *utc;
    size_t n;
    struct part parts[N_DEVICES];
};

static void put_devices(const struct gcal_run_sink *sink, const struct gcal_record *from,
                        const struct run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        struct gcal_run_device device = from->devices[run->parts[i].device];

        device.node = (char *)run->parts[i].node;
        device.kept = (char *)run->parts[i].kept;
        assert_int_equal(sink->device(sink->context, &device, NULL), 0);
    }
}

static void put_measurement(const struct gcal_run_sink *sink,
                            const struct gcal_record *from, size_t i,
                            const struct part *part)
{
    struct gcal_measurement m;
    size_t device;

    assert_int_equal(gcal_record_measurement(from, i, &m, &device, NULL, NULL), 0);
    if (device == part->device && !part->kept) {
        free(m.node);
        m.node = strdup(part->node);
        for (size_t k = 0; k < m.n_samples; k++)
            m.samples[k].time_s *= part->factor;
        assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
    }
    gcal_measurement_clear(&m);
}

/* What that run would have recorded. */
static struct gcal_record *record_of(const struct gcal_record *from,
                                     const struct run *run)
{
    char *path = gcal_buf_format("%s/%s.h5", folder, run->id);
    struct gcal_record_writer *writer = gcal_record_create(path, NULL);
    struct gcal_run_sink sink = gcal_record_sink(writer);
    struct gcal_record_header header = *from->header;
    struct gcal_record *made;

    header.run_id = (char *)run->id;
    header.started_utc = header.finished_utc = (char *)run->utc;
    put_devices(&sink, from, run);
    for (size_t i = 0; i < from->n_kernels; i++)
        assert_int_equal(sink.kernel(sink.context, &from->kernels[i], NULL), 0);
    for (size_t k = 0; k < run->n; k++)
        for (size_t i = 0; i < from->n_measurements; i++)
            put_measurement(&sink, from, i, &run->parts[k]);
    assert_int_equal(gcal_record_finish(writer, &header, NULL), 0);
    assert_non_null(made = gcal_record_open(path, NULL));
    free(path);
    return made;
}

static void add(struct gcal_record *all, const struct gcal_record *from,
                const struct run *run, const struct gcal_config *config,
                struct gcal_strings *said)
{
    struct gcal_record *record = record_of(from, run);
    struct gcal_error err = { 0 };

    if (gcal_results_collect(all, record, run->id, config, said, &err) < 0)
        fail_msg("%s", err.text);
    gcal_record_close(record);
}

static struct gcal_results fit_record(const struct gcal_record *record,
                                      const struct gcal_config *config)
{
    struct gcal_results results = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_results_fit(record, config, &results, &err) < 0)
        fail_msg("%s", err.text);
    return results;
}

static struct gcal_record *one_big_run(void)
{
    struct maker m = make_start(N_DEVICES, slowness);

    put_microbenchmarks(&m, hide);
    return make_end(&m);
}

/* The factor of a device of the record 'all', by its uid. */
static double factor_of(const struct gcal_results *results,
                        const struct gcal_record *record, const char *uid)
{
    for (size_t i = 0; i < results->n_fits; i++)
        for (size_t k = 0; k < results->fits[i].n_devices; k++)
            if (strcmp(record->devices[results->fits[i].device[k]].info.uid, uid) == 0)
                return results->fits[i].factor[k];
    return NAN;
}

static void same_fits(const struct gcal_results *a, const struct gcal_record *of_a,
                      const struct gcal_results *b, const struct gcal_record *of_b)
{
    assert_int_equal(a->n_fits, b->n_fits);
    assert_int_equal(a->n_outliers, b->n_outliers);
    for (size_t i = 0; i < a->n_fits; i++) {
        const struct gcal_result_type_fit *x = &a->fits[i], *y = &b->fits[i];
        const struct gcal_fit *f = &x->forms[x->best].fit, *g = &y->forms[y->best].fit;

        assert_true(x->good && y->good);
        assert_int_equal(x->best, y->best);
        assert_int_equal(x->n_devices, y->n_devices);
        assert_int_equal(x->is_outlier, y->is_outlier);
        for (size_t j = 0; j < f->n_parameters; j++) {
            within(f->value[j], g->value[j], 1e-9 * fabs(f->value[j]));
            within(f->standard_error[j], g->standard_error[j],
                   1e-6 * f->standard_error[j] + 1e-30);
        }
        for (size_t k = 0; k < y->n_devices; k++) {
            const char *uid = of_b->devices[y->device[k]].info.uid;

            within(factor_of(a, of_a, uid), y->factor[k], 1e-12);
        }
    }
}

/* An array of jobs, in another order than the devices of the big run; one is an outlier. */
static void many_runs_are_one(void **state)
{
    static const struct run runs[] = {
        { "20261121T050000Z-b",
          "2026-11-21T05:00:00Z",
          2,
          { { 5, "n1", NULL, 1 }, { 2, "n1", NULL, 1 } } },
        { "20261121T040000Z-a", "2026-11-21T04:00:00Z", 1, { { 0, "n1", NULL, 1 } } },
        { "20261121T060000Z-c",
          "2026-11-21T06:00:00Z",
          3,
          { { 3, "n1", NULL, 1 }, { 1, "n1", NULL, 1 }, { 4, "n1", NULL, 1 } } },
        { "20261121T070000Z-d", "2026-11-21T07:00:00Z", 1, { { 6, "n1", NULL, 1 } } },
    };
    struct gcal_record *big = one_big_run(), *all = gcal_record_collect();
    struct gcal_config config = two_forms();
    struct gcal_strings said = { 0 };
    struct gcal_results of_big, of_all;

    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
        add(all, big, &runs[i], &config, &said);
    of_big = fit_record(big, &config);
    of_all = fit_record(all, &config);
    assert_int_equal(of_big.n_outliers, 1);
    assert_int_equal(said.n, 0);
    assert_string_equal(all->header->run_id, runs[3].id);
    same_fits(&of_all, all, &of_big, big);
    gcal_results_clear(&of_all);
    gcal_record_close(all);
    finish(&of_big, &config, big);
}

/* A device counts with its newest run, in whatever order the records come. */
static void the_newest_run_counts(void **state)
{
    static const struct run older = { "20261121T040000Z-a",
                                      "2026-11-21T04:00:00Z",
                                      2,
                                      { { 0, "n1", NULL, 3 }, { 1, "n1", NULL, 1 } } },
                            newer = { "20261121T050000Z-b",
                                      "2026-11-21T05:00:00Z",
                                      2,
                                      { { 0, "n1", NULL, 1 }, { 2, "n2", NULL, 1 } } };
    struct gcal_record *big = one_big_run();
    struct gcal_config config = two_forms();

    (void)state;
    for (int order = 0; order < 2; order++) {
        struct gcal_record *all = gcal_record_collect();
        struct gcal_strings said = { 0 };
        struct gcal_results results;

        add(all, big, order ? &newer : &older, &config, &said);
        add(all, big, order ? &older : &newer, &config, &said);
        results = fit_record(all, &config);
        assert_int_equal(results.n_fits, 1);
        assert_int_equal(results.fits->n_devices, 3);
        assert_true(fabs(factor_of(&results, all, "uuid:0") - 1) < 0.02);
        assert_int_equal(said.n, 1);
        assert_string_equal(said.items[0],
                            "n1 uuid:0: run 20261121T050000Z-b counts, the older run "
                            "20261121T040000Z-a does not");
        gcal_strings_clear(&said);
        gcal_results_clear(&results);
        gcal_record_close(all);
    }
    gcal_config_clear(&config);
    gcal_record_close(big);
}

/* A run that kept the model did not measure it: the older one counts. */
static void a_kept_model_counts_with_the_run_that_measured_it(void **state)
{
    static const struct run older = { "20261121T040000Z-a",
                                      "2026-11-21T04:00:00Z",
                                      1,
                                      { { 0, "n1", NULL, 1 } } },
                            newer = { "20261121T050000Z-b",
                                      "2026-11-21T05:00:00Z",
                                      2,
                                      { { 0, "n1", "m", 1 }, { 1, "n1", NULL, 1 } } };
    struct gcal_record *big = one_big_run(), *all = gcal_record_collect();
    struct gcal_config config = two_forms();
    struct gcal_strings said = { 0 };
    struct gcal_params *params;
    struct gcal_results results;
    size_t count;

    (void)state;
    add(all, big, &older, &config, &said);
    add(all, big, &newer, &config, &said);
    results = fit_record(all, &config);
    assert_int_equal(said.n, 0);
    assert_int_equal(results.fits->n_devices, 2);
    assert_int_equal(gcal_results_params(&results, all, &config, &params, &count, NULL),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(params->n_devices, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        bool first = strcmp(d->info.uid, "uuid:0") == 0;

        assert_string_equal(gcal_params_model_origin(d, d->models).run_id,
                            first ? older.id : newer.id);
    }
    gcal_record_close(all);
    finish(&results, &config, big);
}

/* Each node's file is that of its own run, with its own time, and so are its tracks. */
static void each_run_is_published(void **state)
{
    static const struct run runs[] = {
        { "20261121T050000Z-b", "2026-11-21T05:00:00Z", 1, { { 1, "n1", NULL, 1 } } },
        { "20261121T040000Z-a",
          "2026-11-21T04:00:00Z",
          2,
          { { 0, "n1", NULL, 1 }, { 2, "n2", NULL, 1 } } },
    };
    struct gcal_record *big = one_big_run(), *all = gcal_record_collect();
    struct gcal_config config = two_forms();
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_strings said = { 0 };
    struct gcal_results results;
    struct gcal_error err = { 0 };
    struct gcal_params params;
    char **names;
    size_t n;

    (void)state;
    assert_non_null(store);
    for (size_t i = 0; i < 2; i++)
        add(all, big, &runs[i], &config, &said);
    results = fit_record(all, &config);
    if (gcal_results_publish(&results, all, &config, store, NULL, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, 2);
    assert_int_equal(gcal_store_history(store, "nodes/n1", &names, &n, NULL), 0);
    assert_int_equal(n, 2);
    gcal_strings_free(names, n);
    assert_int_equal(gcal_store_load(store, "n2", NULL, &params, NULL), 0);
    assert_int_equal(params.n_devices, 1);
    assert_string_equal(params.devices->run_id, runs[1].id);
    assert_string_equal(params.devices->calibrated_utc, runs[1].utc);
    assert_int_equal(params.devices->n_fitted, 3);
    gcal_params_clear(&params);
    assert_int_equal(gcal_store_load(store, "n1", NULL, &params, NULL), 0);
    assert_int_equal(params.n_devices, 2);
    gcal_params_clear(&params);
    gcal_store_close(store);
    gcal_record_close(all);
    finish(&results, &config, big);
}

/* ---- by a store ---- */

/* What a run does at its end. */
static struct gcal_results end_run(struct gcal_record **record,
                                   const struct gcal_config *config)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_strings warnings = { 0 };
    struct gcal_result_speeds speeds = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_results results;
    size_t published = 0;

    assert_non_null(store);
    if (gcal_results_pool(arena, record, config, store, &speeds, &warnings, &err) < 0)
        fail_msg("%s", err.text);
    if (warnings.n)
        fail_msg("%s", warnings.items[0]);
    if (gcal_results_fit_with(*record, config, &speeds, NULL, &results, &err) < 0 ||
        gcal_results_publish(&results, *record, config, store, NULL, &published, &err) <
            0)
        fail_msg("%s", err.text);
    assert_int_equal(published, 1);
    gcal_store_close(store);
    return results;
}

static size_t count_lines(const char *file)
{
    char *path = gcal_buf_format("%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    size_t n = 0;
    int c;

    assert_non_null(f);
    while ((c = getc(f)) != EOF)
        n += c == '\n';
    fclose(f);
    free(path);
    return n;
}

/* Each of them agrees with itself.  What they differ by is in the error from the second one on that
 * shows it, of the device and of its costs, and nothing where they do not differ; a fit of the same
 * run again says the same.
 */
static void runs_that_differ_are_in_the_error(void **state)
{
    /* of its times; the least and the most that the other speed is of the half width */
    static const struct {
        double factor, least, most;
    } runs[] = { { 1, 0, 0 },       { 1, 0, 0 },       { 1.3, 0.7, 1.2 },
                 { 1.3, 0.8, 1.3 }, { 1.3, 0.8, 1.3 }, { 1, 0.8, 1.3 } };
    enum { N = sizeof(runs) / sizeof(*runs) };
    struct gcal_config config = one_form();
    struct gcal_record *big = one_big_run();
    char id[N][40], utc[N][40];

    (void)state;
    for (size_t i = 0; i < N + 1; i++) {
        size_t k = i < N ? i : N - 1;
        struct run run = { id[k], utc[k], 1, { { 0, "between", NULL, runs[k].factor } } };
        struct gcal_record *record;
        struct gcal_results results;
        const struct gcal_result_type_fit *t;
        double width, relative;

        snprintf(id[k], sizeof(id[k]), "20261122T0%zu0000Z-a", k);
        snprintf(utc[k], sizeof(utc[k]), "2026-11-22T0%zu:00:00Z", k);
        record = record_of(big, &run);
        results = end_run(&record, &config);
        t = results.fits;
        width = 1.645 * t->factor_error[0];
        if (!(width >= runs[k].least * log(1.3) && width <= runs[k].most * log(1.3)))
            fail_msg("run %zu: half width %g", i, width);
        relative = t->forms[0].fit.standard_error[0] / t->forms[0].fit.value[0];
        assert_true(relative >= t->factor_error[0]);
        gcal_results_clear(&results);
        gcal_record_close(record);
    }
    gcal_config_clear(&config);
    gcal_record_close(big);
}

static const struct run jobs[] = {
    { "20261121T050000Z-b", "2026-11-21T05:00:00Z", 1, { { 5, "n5", NULL, 1 } } },
    { "20261121T040000Z-a",
      "2026-11-21T04:00:00Z",
      2,
      { { 0, "n0", NULL, 1 }, { 1, "n0", NULL, 1 } } },
    { "20261121T060000Z-c",
      "2026-11-21T06:00:00Z",
      2,
      { { 3, "n3", NULL, 1 }, { 4, "n3", NULL, 1 } } },
    { "20261121T070000Z-d", "2026-11-21T07:00:00Z", 1, { { 6, "n6", NULL, 1 } } },
    { "20261121T080000Z-e", "2026-11-21T08:00:00Z", 1, { { 2, "n2", NULL, 1 } } },
};

#define N_JOBS (sizeof(jobs) / sizeof(*jobs))

static struct gcal_record *run_jobs(const struct gcal_record *big,
                                    const struct gcal_config *config,
                                    struct gcal_results *last)
{
    struct gcal_record *record = NULL;

    for (size_t i = 0; i < N_JOBS; i++) {
        if (i) {
            gcal_results_clear(last);
            gcal_record_close(record);
        }
        record = record_of(big, &jobs[i]);
        *last = end_run(&record, config);
    }
    return record;
}

/* Jobs without each other's records: the last one has the fit of the big run, and publishes
 * its own node alone.
 */
static void check_last_job(const struct gcal_record *big,
                           const struct gcal_config *config, struct gcal_results *of_big)
{
    struct gcal_results of_last;
    struct gcal_record *last = run_jobs(big, config, &of_last);

    assert_int_equal(of_last.fits->n_devices, N_DEVICES - 1);
    assert_int_equal(of_last.n_outliers, 1);
    assert_true(of_last.outliers[0].in_store);
    of_big->n_fits = 1; /* the outlier's own is that of its job */
    same_fits(&of_last, last, of_big, big);
    of_big->n_fits = 2;
    assert_int_equal(count_lines("tracks/n0.tsv"), 1 + 1 + 2);
    gcal_results_clear(&of_last);
    gcal_record_close(last);
}

/* All nodes get the fit of all, and keep the times of their runs. */
static void check_fit_of_store(const struct gcal_record *big,
                               const struct gcal_config *config,
                               const struct gcal_results *of_big)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_strings warnings = { 0 };
    struct gcal_results of_all;
    struct gcal_params params;
    struct gcal_record *all;
    size_t n;

    assert_null(gcal_results_read_store(store, config, "other kernels", &warnings, NULL));
    all = gcal_results_read_store(store, config, "", &warnings, NULL);
    assert_non_null(all);
    of_all = fit_record(all, config);
    same_fits(&of_all, all, of_big, big);
    assert_int_equal(
        gcal_results_publish(&of_all, all, config, store, "20261122T000000Z-f", &n, NULL),
        0);
    assert_int_equal(n, N_JOBS);
    assert_int_equal(gcal_store_load(store, "n0", NULL, &params, NULL), 0);
    assert_int_equal(params.n_devices, 2);
    assert_string_equal(params.devices->run_id, jobs[1].id);
    assert_string_equal(params.devices->calibrated_utc, jobs[1].utc);
    assert_int_equal(params.devices->n_fitted, N_DEVICES - 1);
    assert_int_equal(count_lines("tracks/n0.tsv"), 1 + 1 + 2);
    gcal_params_clear(&params);
    gcal_store_close(store);
    gcal_results_clear(&of_all);
    gcal_record_close(all);
}

static void damage(const char *file)
{
    char *path = gcal_buf_format("%s/%s", folder, file);
    FILE *f = fopen(path, "r+");

    assert_non_null(f);
    fseek(f, -3, SEEK_END);
    putc('#', f);
    fclose(f);
    free(path);
}

/* A device that comes again counts once; damaged medians are left out and named; a device
 * with another driver is not pooled.
 */
static void check_what_is_pooled(struct gcal_record *big,
                                 const struct gcal_config *config)
{
    static const struct run again = {
        "20261121T090000Z-g", "2026-11-21T09:00:00Z", 1, { { 5, "n5", NULL, 1.01 } }
    };
    struct gcal_record *record = record_of(big, &again);
    struct gcal_results results = end_run(&record, config);
    struct gcal_strings warnings = { 0 };
    struct gcal_result_speeds speeds = { 0 };
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);

    assert_int_equal(results.fits->n_devices, N_DEVICES - 1);
    gcal_results_clear(&results);
    gcal_record_close(record);

    damage("medians/n0.tsv");
    record = record_of(big, &again);
    assert_int_equal(
        gcal_results_pool(arena, &record, config, store, &speeds, &warnings, NULL), 0);
    assert_int_equal(warnings.n, 1);
    assert_non_null(strstr(warnings.items[0], "node n0"));
    assert_non_null(strstr(warnings.items[0], "medians/n0.tsv is damaged"));
    gcal_strings_clear(&warnings);
    results = fit_record(record, config);
    assert_int_equal(results.fits->n_devices, N_DEVICES - 3);
    gcal_results_clear(&results);
    gcal_record_close(record);

    strcpy(big->devices[5].info.driver, "2");
    record = record_of(big, &again);
    assert_int_equal(
        gcal_results_pool(arena, &record, config, store, &speeds, &warnings, NULL), 0);
    assert_int_equal(record->n_devices, 1);
    gcal_strings_clear(&warnings);
    gcal_store_close(store);
    gcal_record_close(record);
}

static void a_store_has_what_later_runs_need(void **state)
{
    struct gcal_record *big = one_big_run();
    struct gcal_config config = two_forms();
    struct gcal_results of_big = fit_record(big, &config);

    (void)state;
    check_last_job(big, &config, &of_big);
    check_fit_of_store(big, &config, &of_big);
    check_what_is_pooled(big, &config);
    finish(&of_big, &config, big);
}

/* The store has folders. */
static int remove_all(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_runs_are_one, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(the_newest_run_counts, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_kept_model_counts_with_the_run_that_measured_it,
                                        folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(each_run_is_published, folder_make, remove_all),
        cmocka_unit_test_setup_teardown(runs_that_differ_are_in_the_error, folder_make,
                                        remove_all),
        cmocka_unit_test_setup_teardown(a_store_has_what_later_runs_need, folder_make,
                                        remove_all),
    };

    int failed;

    arena = gcal_arena_create();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    gcal_arena_destroy(arena);
    return failed;
}
