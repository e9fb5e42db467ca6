/* test_results_forms.c - which form of a model is published, and why */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/base/yaml.h"
#include "calib/model/profile.h"
#include "calib/results.h"
#include "store/predictor.h"
#include "tests/folder.h"

/* No round relation between these, so a lost factor shows. */
static const double true_add_s = 2.385e-12, true_mul_s = 3.71e-12,
                    true_launch_s = 7.19e-6;

#define N_SAMPLES 20
#define NOISE     0.003

/* ---- a synthetic kernel: so many adds, so many muls ---- */

struct kernel {
    const char *generator;
    const char *arguments; /* behind the generator in its name */
    const char *models;
    double adds, muls;
    double time_s;
};

static double add_up(double adds, double muls)
{
    return true_add_s * adds + true_mul_s * muls + true_launch_s;
}

/* The shorter work hides but for 0.3 of it. */
static double hide(double adds, double muls)
{
    double a = true_add_s * adds, m = true_mul_s * muls;

    return fmax(a, m) + 0.3 * fmin(a, m) + true_launch_s;
}

static void add_entry(struct gcal_profile *profile, enum gcal_feature_kind kind,
                      const char *op, const char *count)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    entry->feature =
        op ? gcal_format("f_op_float32_%s", op) : strdup("f_sync_kernel_launch");
    entry->kind = kind;
    entry->granularity = GCAL_PER_KERNEL;
    entry->count = strdup(count);
    entry->dtype = op ? strdup("float32") : NULL;
    entry->op = op ? strdup(op) : NULL;
}

static char *make_profile(void)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));
    char *text;

    profile->kernel = strdup("k");
    profile->n_parameters = 2;
    profile->parameters = calloc(2, sizeof(char *));
    profile->parameters[0] = strdup("a");
    profile->parameters[1] = strdup("m");
    profile->n_dims = 1;
    profile->local_size[0] = 1;
    profile->groups[0] = strdup("a");
    add_entry(profile, GCAL_FEATURE_OP, "add", "a");
    add_entry(profile, GCAL_FEATURE_OP, "mul", "m");
    add_entry(profile, GCAL_FEATURE_KERNEL_LAUNCH, NULL, "1");
    text = gcal_profile_encode(profile, NULL);
    gcal_profile_destroy(profile);
    return text;
}

/* ---- a synthetic record ---- */

struct maker {
    struct gcal_record_writer *writer;
    struct gcal_run_sink sink;
    uint64_t random;
    size_t n_devices;
    double slowness[3]; /* of each device against its type */
};

static const char *record_path(void)
{
    static char path[80];

    snprintf(path, sizeof(path), "%s/record.h5", folder);
    return path;
}

static struct maker make_start(size_t n_devices, const double *slowness)
{
    struct maker m = { .random = 713, .n_devices = n_devices };

    m.writer = gcal_record_create(record_path(), NULL);
    assert_non_null(m.writer);
    m.sink = gcal_record_sink(m.writer);
    for (size_t i = 0; i < n_devices; i++) {
        char uid[] = "uuid:0";
        struct gcal_run_device device = {
            .node = "n1",
            .info = { .uid = uid,
                      .type = "test-cpu",
                      .platform = "Test",
                      .vendor = "Test",
                      .name = "CPU",
                      .driver = "1",
                      .version = "OpenCL 3.0",
                      .device_type = "cpu",
                      .pci = "",
                      .sub_group_size = 1 },
        };

        uid[5] += (char)i;
        m.slowness[i] = slowness ? slowness[i] : 1;
        assert_int_equal(m.sink.device(m.sink.context, &device, NULL), 0);
    }
    return m;
}

static double noisy(struct maker *m, double time_s)
{
    double u = (double)(gcal_random_next(&m->random) >> 11) * 0x1p-53;
    double v = (double)(gcal_random_next(&m->random) >> 11) * 0x1p-53;

    return time_s * (1 + NOISE * (u + v - 1));
}

static void measure(struct maker *m, const char *id, double time_s)
{
    for (size_t i = 0; i < m->n_devices; i++) {
        struct gcal_sample samples[N_SAMPLES] = { 0 };
        char uid[] = "uuid:0";
        struct gcal_measurement measurement = { .node = "n1",
                                                .device_uid = uid,
                                                .kernel_id = (char *)id,
                                                .status = GCAL_ROW_GOOD,
                                                .stop = GCAL_STOP_NOISE,
                                                .n_samples = N_SAMPLES,
                                                .samples = samples };

        uid[5] += (char)i;
        for (size_t k = 0; k < N_SAMPLES; k++)
            samples[k].time_s = noisy(m, m->slowness[i] * time_s);
        assert_int_equal(m->sink.measurement(m->sink.context, &measurement, NULL), 0);
    }
}

static void put_kernel(struct maker *m, struct kernel k)
{
    static char *names[] = { "a", "m" };
    double sizes[] = { k.adds, k.muls };
    char *name = gcal_format("%s %s", k.generator, k.arguments), *text = make_profile();
    struct gcal_run_kernel kernel = {
        .id = name,
        .name = name,
        .generator = (char *)k.generator,
        .family = (char *)k.generator,
        .source = "",
        .entry = "k",
        .build_options = "",
        .launch = "",
        .profile = text,
        .models = (char *)k.models,
        .n_sizes = 2,
        .size_names = names,
        .size_values = sizes,
    };

    assert_int_equal(m->sink.kernel(m->sink.context, &kernel, NULL), 0);
    measure(m, name, k.time_s);
    free(name);
    free(text);
}

/* A ladder of sizes n of kernels with adds*n adds and muls*n muls. */
static void put_ladder(struct maker *m, const char *generator, const char *models,
                       double adds, double muls, double (*time)(double, double),
                       double factor)
{
    for (size_t i = 0; i < 4; i++) {
        double n = 4099e3 * pow(3, (double)i);
        char arguments[40];

        snprintf(arguments, sizeof(arguments), "dtype:float32 n:%.0f", n);
        put_kernel(m, (struct kernel){ .generator = generator,
                                       .arguments = arguments,
                                       .models = models,
                                       .adds = adds * n,
                                       .muls = muls * n,
                                       .time_s = factor * time(adds * n, muls * n) });
    }
}

/* What a model would be fitted to on any device: each cost alone, and mixtures. */
static void put_microbenchmarks(struct maker *m, double (*time)(double, double))
{
    put_ladder(m, "adds", "m", 1, 0, time, 1);
    put_ladder(m, "muls", "m", 0, 1, time, 1);
    put_ladder(m, "even", "m", 1, 1, time, 1);
    put_ladder(m, "more_adds", "m", 3, 1, time, 1);
    put_ladder(m, "more_muls", "m", 1, 2, time, 1);
}

static struct gcal_record *make_end(struct maker *m)
{
    struct gcal_run_header header = { .run_id = "20261121T041705Z-1a2b3c4d",
                                      .started_utc = "2026-11-21T04:17:05Z",
                                      .finished_utc = "2026-11-21T04:19:06Z",
                                      .gpucal_version = "0.1.0",
                                      .launcher = "none",
                                      .config = "",
                                      .config_file = "models.yaml",
                                      .n_ranks = 1 };
    struct gcal_record *record;

    assert_int_equal(gcal_record_finish(m->writer, &header, NULL), 0);
    record = gcal_record_open(record_path(), NULL);
    assert_non_null(record);
    return record;
}

/* ---- a model of several forms ---- */

#define ADDS     "p_add * f_op_float32_add"
#define MULS     "p_mul * f_op_float32_mul"
#define LAUNCHES "p_launch * f_sync_kernel_launch"

static void add_form(struct gcal_config *config, const char *name, const char *expression,
                     bool tailored)
{
    struct gcal_model_config *m = config->models;
    struct gcal_error err = { 0 };
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", expression, &err);

    if (!model)
        fail_msg("%s", err.text);
    m->forms = realloc(m->forms, (m->n_forms + 1) * sizeof(*m->forms));
    m->forms[m->n_forms++] = (struct gcal_model_form){ .name = strdup(name),
                                                       .model = model,
                                                       .tailored = tailored };
    m->model = m->forms[0].model;
}

/* Linear, and 'partial' with a share that does not hide. */
static struct gcal_config two_forms(void)
{
    struct gcal_config config = { .n_models = 1,
                                  .models = calloc(1, sizeof(*config.models)) };
    struct gcal_model_parameter *hidden;

    add_form(&config, "linear", ADDS " + " MULS " + " LAUNCHES, false);
    add_form(&config, "partial",
             "max(" ADDS ", " MULS ") + p_hidden * (" ADDS " + " MULS " - max(" ADDS
             ", " MULS ")) + " LAUNCHES,
             false);
    hidden = gcal_model_parameter_find(config.models->forms[1].model, "p_hidden");
    free(hidden->unit);
    hidden->unit = strdup("1");
    hidden->initial = 0.5;
    hidden->max = 1.5;
    return config;
}

static const struct gcal_type_fit *fit(const struct gcal_record *record,
                                       const struct gcal_config *config,
                                       struct gcal_results *results)
{
    struct gcal_error err = { 0 };

    if (gcal_results_fit(record, config, results, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(results->n_fits, 1);
    return results->fits;
}

static void finish(struct gcal_results *results, struct gcal_config *config,
                   struct gcal_record *record)
{
    gcal_results_clear(results);
    gcal_config_clear(config);
    gcal_record_close(record);
}

static void within(double value, double truth, double margin)
{
    if (!(fabs(value - truth) <= margin))
        fail_msg("%g is not within %g of %g", value, margin, truth);
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not stand in: %s", part, text);
}

/* ---- the tests ---- */

static void the_form_that_predicts_is_chosen(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_params *params;
    struct gcal_record *record;
    size_t count;
    char *table;

    (void)state;
    put_microbenchmarks(&m, hide);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good && !t->by_whole);
    assert_int_equal(t->best, 1);
    assert_int_equal(t->forms[0].fit.status, GCAL_FIT_GOOD);
    within(t->forms[1].fit.value[2], 0.3, 0.02); /* p_hidden */
    assert_true(t->forms[1].judged.rms < 0.005 && t->forms[0].judged.rms > 0.05);
    assert_int_equal(t->forms[0].judged.n, t->forms[1].judged.n);
    contains(t->reason, "partial: ");
    contains(t->reason, "held-out measurements, against linear ");

    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_string_equal(params->devices[0].models[0].form, "partial");
    contains(params->devices[0].models[0].expression, "p_hidden");
    assert_int_equal(params->devices[0].models[0].n_held_out, t->forms[1].judged.n);
    assert_true(params->devices[0].models[0].error_90 == t->forms[1].judged.error_90);
    gcal_params_clear(params);
    free(params);

    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    contains(table, "model m: good\n  partial: ");
    contains(table, "\n  * partial ");
    contains(table, "\n    linear ");
    contains(table, "VIF");
    free(table);
    finish(&results, &config, record);
}

static void the_simpler_of_equals_is_chosen(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, add_up);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good);
    assert_int_equal(t->best, 0);
    within(t->forms[1].fit.value[2], 1, 0.02);
    finish(&results, &config, record);
}

/* Without its only mixture 'partial' has no share that hides: it is judged there by other
 * sizes of the mixture, and so is 'linear'.
 */
static void what_one_generator_tells_is_judged_by_its_other_sizes(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_form_fit *linear, *partial;
    const struct gcal_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_ladder(&m, "adds", "m", 1, 0, hide, 1);
    put_ladder(&m, "muls", "m", 0, 1, hide, 1);
    put_ladder(&m, "even", "m", 1, 1, hide, 1);
    record = make_end(&m);
    t = fit(record, &config, &results);
    linear = &t->forms[0];
    partial = &t->forms[1];
    for (size_t i = 0; i < t->n_rows; i++) {
        bool mixed =
            strcmp(gcal_record_kernel(record, t->row_kernel[i])->generator, "even") == 0;

        assert_true(isnan(partial->held_out_s[i]) || !mixed);
        assert_false(isnan(linear->held_out_s[i]) || isnan(partial->fold_out_s[i]));
    }
    assert_int_equal(t->best, 1);
    assert_int_equal(partial->judged.n, 12);
    assert_int_equal(linear->judged.n, 12);
    assert_true(partial->judged.rms < 0.01 && linear->judged.rms > 0.05);
    finish(&results, &config, record);
}

/* No form has a cost for what these do, and all miss them by far. */
static void what_all_forms_miss_decides_nothing(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, hide);
    put_ladder(&m, "strange", "m", 1, 0, hide, 40);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_int_equal(t->best, 1);
    assert_true(t->forms[1].judged.rms > 0.1);
    finish(&results, &config, record);
}

/* Microbenchmarks hide their shorter work; the kernel that the model is for does not. */
static void whole_kernels_judge(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, hide);
    put_ladder(&m, "app", "m:whole,n", 5, 3, add_up, 1.1);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good && t->by_whole);
    assert_int_equal(t->best, 0);
    /* Not fitted to them. */
    assert_int_equal(t->n_rows, 24);
    assert_int_equal(t->forms[0].n_kernels, 20);
    assert_int_equal(t->forms[1].n_rows, 20);
    within(t->forms[1].fit.value[2], 0.3, 0.02);
    /* Judged by them alone. */
    assert_int_equal(t->forms[0].judged.n, 4);
    assert_true(t->forms[1].judged.rms > 0.2);
    contains(t->reason, "linear: ");
    contains(t->reason, "over 4 measurements of predicted kernels, against partial ");
    finish(&results, &config, record);
}

/* A CPU: compilers make other code of what is left when work is removed. */
static void tailored_wins_where_parts_lie(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;
    char *table;

    (void)state;
    add_form(&config, "tailored", "p_app * f_op_float32_add + " LAUNCHES, true);
    put_microbenchmarks(&m, hide);
    put_ladder(&m, "app", "m:whole", 5, 3, hide, 0.7);
    put_ladder(&m, "app_memory", "m", 5, 0, hide, 1.13);
    put_ladder(&m, "app_onchip", "m", 0, 3, hide, 0.6);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good);
    assert_int_equal(t->best, 2);
    assert_int_equal(t->forms[2].n_kernels, 4);
    assert_int_equal(t->forms[2].judged.n, 4);
    assert_true(t->forms[2].judged.rms < 0.01);
    assert_true(t->forms[0].judged.rms > 0.1 && t->forms[1].judged.rms > 0.1);
    within(t->forms[2].fit.value[0], 0.7 * (true_add_s + 0.3 * 0.6 * true_mul_s),
           0.01 * true_add_s);
    contains(t->reason, "tailored: ");
    /* Of the parts one is slower than the whole. */
    assert_int_equal(t->n_slow, 1);
    contains(t->slow[0], "app: its accesses to memory alone takes 1.");
    contains(t->slow[0], "app_memory dtype:float32 n:");
    contains(t->slow[0], "predicted by what the whole kernel takes at other sizes");
    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    contains(table, "app: its accesses to memory alone takes");
    free(table);
    finish(&results, &config, record);
}

static void a_load_slower_than_all_is_told(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, add_up);
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:aPF accumulators:4 n:4099", "m",
                                    4e8, 0, 1.5 * add_up(4e8, 0) });
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:bPF accumulators:4 n:4099", "m",
                                    3e8, 0, add_up(3e8, 0) });
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:aPF accumulators:4 n:713", "m",
                                    4e8, 0, 9 * add_up(4e8, 0) });
    put_kernel(&m, (struct kernel){ "app_memory", "dtype:float32 n:4099", "m", 4e8, 0,
                                    add_up(4e8, 0) });
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_int_equal(t->n_slow, 1);
    contains(t->slow[0], "app: a single load of it takes 1.5 times");
    contains(t->slow[0], "keep:aPF accumulators:4 n:4099)");
    finish(&results, &config, record);
}

static void all_forms_rejected_give_their_reasons(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_type_fit *t;
    struct gcal_record *record;
    struct gcal_params *params;
    size_t count;
    char *table;

    (void)state;
    add_form(&config, "tailored", "p_app * f_op_float32_add", true);
    put_ladder(&m, "adds", "m", 1, 0, add_up, 1);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_false(t->good);
    assert_int_equal(results.n_rejected, 1);
    contains(t->reason, "linear: ");
    contains(t->reason, "; partial: ");
    contains(t->reason, "p_mul");
    /* That no whole kernel was measured here is no fault of the form's. */
    assert_null(strstr(t->reason, "tailored"));
    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    contains(table, "model m: rejected\n  reason: linear: ");
    contains(table, "needs the predicted kernels");
    free(table);
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 0);
    free(params);
    finish(&results, &config, record);
}

/* ---- intervals ---- */

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
        struct gcal_config config = two_forms();
        struct gcal_results results = { 0 };
        struct gcal_params *params;
        size_t count;

        config.models->n_forms = 1;
        fit(record, &config, &results);
        assert_int_equal(
            gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
        assert_int_equal(count, 1);
        covered += count_covered(params->devices, 300, &random);
        gcal_params_clear(params);
        free(params);
        config.models->n_forms = 2;
        finish(&results, &config, record);
    }
    within(covered, 810, 45); /* of 900 */
}

/* ---- devices of one type ---- */

static struct gcal_results devices(const double *slowness, struct gcal_config *config,
                                   struct gcal_record **record)
{
    struct maker m = make_start(3, slowness);
    struct gcal_results results = { 0 };

    /* Far off the model, but on all devices alike. */
    put_microbenchmarks(&m, hide);
    *record = make_end(&m);
    *config = two_forms();
    gcal_model_destroy(config->models->forms[1].model);
    free(config->models->forms[1].name);
    config->models->n_forms = 1;
    fit(*record, config, &results);
    return results;
}

static void devices_that_differ_keep_their_factors(void **state)
{
    static const double slowness[] = { 1.03, 1 / 1.01, 1 / 1.02 };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = devices(slowness, &config, &record);
    const struct gcal_type_fit *t = results.fits;

    (void)state;
    assert_int_equal(t->n_devices, 3);
    for (size_t i = 0; i < 3; i++) {
        within(t->factor[i], slowness[i], 0.0015);
        /* The model's misfit, 10 %, is the same on all: it is no device's error. */
        assert_true(t->factor_error[i] > 0 && t->factor_error[i] < 0.001);
    }
    within(t->between, 0.022, 0.008);
    finish(&results, &config, record);
}

/* What is left of differences that are noise alone is less than the noise. */
static void devices_that_are_alike_shrink_together(void **state)
{
    static const double slowness[] = { 1, 1, 1 };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = devices(slowness, &config, &record);
    const struct gcal_type_fit *t = results.fits;

    (void)state;
    assert_true(t->between < 0.0005);
    for (size_t i = 0; i < 3; i++)
        within(t->factor[i], 1, 0.0003);
    finish(&results, &config, record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_that_predicts_is_chosen),
        cmocka_unit_test(the_simpler_of_equals_is_chosen),
        cmocka_unit_test(what_one_generator_tells_is_judged_by_its_other_sizes),
        cmocka_unit_test(what_all_forms_miss_decides_nothing),
        cmocka_unit_test(whole_kernels_judge),
        cmocka_unit_test(tailored_wins_where_parts_lie),
        cmocka_unit_test(a_load_slower_than_all_is_told),
        cmocka_unit_test(all_forms_rejected_give_their_reasons),
        cmocka_unit_test(intervals_hold_nine_of_ten_unseen_kernels),
        cmocka_unit_test(devices_that_differ_keep_their_factors),
        cmocka_unit_test(devices_that_are_alike_shrink_together),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
