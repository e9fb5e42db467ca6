/* synthetic.c - records of kernels whose times follow a formula */
#include "kernels/base/arena.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "calib/results/results.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/profile.h"
#include "tests/folder.h"
#include "tests/calib/results/named_kernel.h"
#include "tests/facts.h"

#define N_SAMPLES 20
#define NOISE     0.003

/* ---- a kernel ---- */

double add_up(double adds, double muls)
{
    return true_add_s * adds + true_mul_s * muls + true_launch_s;
}

double hide(double adds, double muls)
{
    double a = true_add_s * adds, m = true_mul_s * muls;

    return fmax(a, m) + 0.3 * fmin(a, m) + true_launch_s;
}

static void add_entry(struct gcal_profile *profile, enum gcal_feature_kind kind,
                      const char *op, const char *count)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    entry->feature =
        op ? gcal_buf_format("f_op_float32_%s", op) : strdup("f_sync_kernel_launch");
    entry->kind = kind;
    entry->granularity = GCAL_FEATURE_PER_KERNEL;
    entry->count = strdup(count);
    entry->dtype = op ? strdup("float32") : NULL;
    entry->op = op ? strdup(op) : NULL;
}

char *make_profile(void)
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

static const char *record_path(void)
{
    static char path[80];

    snprintf(path, sizeof(path), "%s/record.h5", folder);
    return path;
}

static struct maker make(const char *device_type, size_t n_devices,
                         const double *slowness, const uint64_t *sub_groups)
{
    struct maker m = { .random = 713, .n_devices = n_devices };

    m.writer = gcal_record_create(record_path(), NULL);
    assert_non_null(m.writer);
    m.sink = gcal_record_sink(m.writer);
    for (size_t i = 0; i < n_devices; i++) {
        char uid[20];
        struct gcal_run_device device = {
            .node = "n1",
            .info = { .uid = uid,
                      .type = "test-cpu",
                      .platform = "Test",
                      .vendor = "Test",
                      .name = "CPU",
                      .driver = "1",
                      .version = "OpenCL 3.0",
                      .device_type = (char *)device_type,
                      .pci = "",
                      .sub_group_size = sub_groups ? sub_groups[i] : 1 },
        };

        snprintf(uid, sizeof(uid), "uuid:%zu", i);
        m.slowness[i] = slowness ? slowness[i] : 1;
        m.mul_slowness[i] = 1;
        assert_int_equal(m.sink.device(m.sink.context, &device, NULL), 0);
    }
    return m;
}

struct maker make_start(size_t n_devices, const double *slowness)
{
    return make("cpu", n_devices, slowness, NULL);
}

struct maker make_start_of(const char *device_type, size_t n_devices,
                           const double *slowness)
{
    return make(device_type, n_devices, slowness, NULL);
}

struct maker make_start_with_sub_groups(size_t n_devices, const double *slowness,
                                        const uint64_t *sub_groups)
{
    return make("cpu", n_devices, slowness, sub_groups);
}

static double noisy(struct maker *m, double time_s)
{
    double u = (double)(gcal_random_next(&m->random) >> 11) * 0x1p-53;
    double v = (double)(gcal_random_next(&m->random) >> 11) * 0x1p-53;

    return time_s * (1 + NOISE * (u + v - 1));
}

enum { VISIT = 5, MOST_KERNELS = 10000 };

uint64_t round_start(uint64_t round)
{
    return round * VISIT * MOST_KERNELS;
}

/* Of sample k of the kernel that is measured now. */
static uint64_t order_of(const struct maker *m, size_t k)
{
    return round_start(k / VISIT) + VISIT * m->n_measured + k % VISIT;
}

static bool is_late(const struct maker *m, size_t device, uint64_t order)
{
    return m->late > 0 && device == m->late_device && order >= m->late_since;
}

static void measure(struct maker *m, const char *id, const struct kernel *kernel)
{
    for (size_t i = m->from; i < (m->to ? m->to : m->n_devices); i++) {
        struct gcal_measurement_sample samples[N_SAMPLES] = { 0 };
        char uid[40];
        double more_s = (m->mul_slowness[i] - 1) * true_mul_s * kernel->muls;
        double time_s = m->slowness[i] * (kernel->time_s + more_s);
        struct gcal_measurement measurement = { .node = "n1",
                                                .device_uid = uid,
                                                .kernel_id = (char *)id,
                                                .status = GCAL_MEASUREMENT_GOOD,
                                                .stop = GCAL_MEASUREMENT_STOP_NOISE,
                                                .n_samples = N_SAMPLES,
                                                .samples = samples };

        if (m->strange)
            time_s = m->strange(i, kernel, time_s);
        if (isnan(time_s))
            continue;
        snprintf(uid, sizeof(uid), "uuid:%zu", i);
        if (isinf(time_s)) {
            measurement.status = GCAL_MEASUREMENT_CRASHED;
            measurement.n_samples = 0;
        }
        for (size_t k = 0; k < measurement.n_samples; k++) {
            samples[k].order = order_of(m, k);
            samples[k].time_s = noisy(m, time_s);
            if (is_late(m, i, samples[k].order))
                samples[k].time_s *= m->late;
            if (m->state && samples[k].order < MAX_LAUNCHES)
                samples[k].time_s *= exp(m->state[samples[k].order]);
            if (m->host_rate > 0)
                samples[k].host_s = m->host_rate * samples[k].time_s + 20e-6;
        }
        assert_int_equal(m->sink.measurement(m->sink.context, &measurement, NULL), 0);
    }
    m->n_measured++;
}

void put_kernel(struct maker *m, struct kernel k)
{
    static char *names[] = { "a", "m" };
    double sizes[] = { k.adds, k.muls };
    char *name = gcal_buf_format("%s %s", k.generator, k.arguments);
    char *text = make_profile();
    struct gcal_run_kernel kernel = {
        .id = name,
        .name = name,
        .generator = (char *)k.generator,
        .family = (char *)k.generator,
        .source = "",
        .entry = m->copies ? "" : "k",
        .build_options = "",
        .launch = "",
        .profile = text,
        .n_sizes = 2,
        .size_names = names,
        .size_values = sizes,
    };

    sink_kernel(&m->sink, &kernel, k.models);
    measure(m, name, &k);
    free(name);
    free(text);
}

void put_ladder(struct maker *m, const char *generator, const char *models, double adds,
                double muls, double (*time)(double, double), double factor)
{
    for (size_t i = 0; i < 4; i++) {
        double n = 4099e3 * pow(3, (double)i) * (m->sizes > 0 ? m->sizes : 1);
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

void put_microbenchmarks(struct maker *m, double (*time)(double, double))
{
    put_ladder(m, "adds", "m", 1, 0, time, 1);
    put_ladder(m, "muls", "m", 0, 1, time, 1);
    put_ladder(m, "even", "m", 1, 1, time, 1);
    put_ladder(m, "more_adds", "m", 3, 1, time, 1);
    put_ladder(m, "more_muls", "m", 1, 2, time, 1);
}

struct gcal_record *make_end(struct maker *m)
{
    struct gcal_record_header header = { .run_id = "20261121T041705Z-1a2b3c4d",
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

void add_form(struct gcal_config *config, const char *name, const char *expression)
{
    struct gcal_config_model *m = config->models;
    struct gcal_error err = { 0 };
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", expression, &err);
    struct gcal_config_form *grown;

    if (!model)
        fail_msg("%s", err.text);
    if (!m->name)
        m->name = gcal_arena_strdup(m->arena, "m");
    grown = gcal_arena_alloc(m->arena, m->n_forms + 1, sizeof(*grown));
    for (size_t k = 0; k < m->n_forms; k++)
        grown[k] = m->forms[k];
    grown[m->n_forms++] =
        (struct gcal_config_form){ .name = gcal_arena_strdup(m->arena, name),
                                   .model = gcal_config_own(m, model) };
    m->forms = grown;
    m->model = m->forms[0].model;
}

struct gcal_config empty_config(void)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_config config = { .arena = arena,
                                  .n_models = 1,
                                  .models = gcal_arena_alloc(arena, 1,
                                                             sizeof(*config.models)) };

    config.models->arena = arena;
    return config;
}

struct gcal_config one_form(void)
{
    struct gcal_config config = empty_config();

    add_form(&config, "linear", ADDS " + " MULS " + " LAUNCHES);
    return config;
}

struct gcal_config two_forms(void)
{
    struct gcal_config config = one_form();
    struct gcal_model_parameter *hidden;

    add_form(&config, "partial",
             "max(" ADDS ", " MULS ") + p_hidden * (" ADDS " + " MULS " - max(" ADDS
             ", " MULS ")) + " LAUNCHES);
    hidden = gcal_model_parameter_find(config.models->forms[1].model, "p_hidden");
    free(hidden->unit);
    hidden->unit = strdup("1");
    hidden->initial = 0.5;
    hidden->max = 1.5;
    return config;
}

const struct gcal_result_type_fit *fit(const struct gcal_record *record,
                                       const struct gcal_config *config,
                                       struct gcal_results *results)
{
    struct gcal_error err = { 0 };

    if (gcal_results_fit(record, config, results, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(results->n_fits, 1);
    return results->fits;
}

void finish(struct gcal_results *results, struct gcal_config *config,
            struct gcal_record *record)
{
    gcal_results_clear(results);
    gcal_config_clear(config);
    gcal_record_close(record);
}

void within(double value, double truth, double margin)
{
    if (!(fabs(value - truth) <= margin))
        fail_msg("%g is not within %g of %g", value, margin, truth);
}
