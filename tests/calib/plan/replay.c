/* replay.c - a plan on a recorded device */
#include "tests/calib/plan/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "calib/select/select.h"
#include "fit/fit.h"

_Noreturn void fail_with(const struct gcal_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* As the catalogue has it, but for what only a device needs. */
static struct gcal_kernel *make_kernel(const struct gcal_run_kernel *from)
{
    struct gcal_kernel *k = calloc(1, sizeof(*k));
    struct gcal_error err = { 0 };

    k->id = copy(from->id);
    k->name = copy(from->name);
    k->generator = copy(from->generator);
    k->family = copy(from->family);
    k->variant = copy(from->variant);
    k->source = copy(from->source);
    k->entry = copy(from->entry);
    k->build_options = copy(from->build_options);
    k->unchecked = true;
    k->counting.sub_group_size = (size_t)from->sub_group_size;
    k->n_sizes = from->n_sizes;
    k->sizes = calloc(from->n_sizes + 1, sizeof(*k->sizes));
    for (size_t i = 0; i < from->n_sizes; i++)
        k->sizes[i] = (struct gcal_size){ .name = copy(from->size_names[i]),
                                          .value = from->size_values[i] };
    if (!(k->profile = gcal_run_kernel_profile(from, &err)) ||
        gcal_kernel_uses_copy(&k->uses, &from->uses, &err) < 0)
        fail_with(&err);
    return k;
}

static void add_measured(struct replay *r, const struct gcal_run_kernel *kernel,
                         const struct gcal_measurement *m)
{
    size_t i = r->list.n_kernels++;
    struct gcal_error err = { 0 };

    r->list.kernels[i] = make_kernel(kernel);
    r->measured[i] = *m;
    if (gcal_fit_median_time(m->samples, m->n_samples, &r->time_s[i], &r->spread[i],
                             &err) < 0)
        fail_with(&err);
    r->time_s[i] *= r->scale;
}

/* What is expected of such a device. */
static void scale_models(struct replay *r)
{
    for (size_t i = 0; i < r->config.n_models; i++) {
        const struct gcal_model *model = r->config.models[i].model;

        for (size_t j = 0; j < model->n_parameters; j++)
            if (strcmp(model->parameters[j].unit, "s") == 0)
                model->parameters[j].initial *= r->scale;
    }
}

void replay_open(struct replay *r, const char *path, double scale)
{
    struct gcal_error err = { 0 };
    const struct gcal_record_header *h;
    size_t n;

    *r = (struct replay){ .record = gcal_record_open(path, &err), .scale = scale };
    if (!r->record)
        fail_with(&err);
    h = gcal_record_header(r->record);
    r->info = &gcal_record_device(r->record, 0)->info;
    if (gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, &r->config,
                          &err) < 0)
        fail_with(&err);
    scale_models(r);
    n = gcal_record_measurement_count(r->record);
    r->list.kernels = calloc(n + 1, sizeof(*r->list.kernels));
    r->measured = calloc(n + 1, sizeof(*r->measured));
    r->time_s = calloc(n + 1, sizeof(*r->time_s));
    r->spread = calloc(n + 1, sizeof(*r->spread));
    r->n_taken = calloc(n + 1, sizeof(*r->n_taken));
    r->is_chosen = calloc(n + 1, sizeof(*r->is_chosen));
    for (size_t i = 0; i < n; i++) {
        struct gcal_measurement m;
        size_t device, kernel;

        if (gcal_record_measurement(r->record, i, &m, &device, &kernel, &err) < 0)
            fail_with(&err);
        if (device == 0 && m.status == GCAL_MEASUREMENT_GOOD && m.n_samples)
            add_measured(r, gcal_record_kernel(r->record, kernel), &m);
        else
            gcal_measurement_clear(&m);
    }
}

void replay_close(struct replay *r)
{
    for (size_t i = 0; i < r->list.n_kernels; i++)
        gcal_measurement_clear(&r->measured[i]);
    gcal_kernel_list_clear(&r->list);
    gcal_config_clear(&r->config);
    gcal_record_close(r->record);
    free(r->measured);
    free(r->time_s);
    free(r->spread);
    free(r->n_taken);
    free(r->is_chosen);
}

/* ---- the device ---- */

static size_t index_of(const struct replay *r, const struct gcal_kernel *kernel)
{
    size_t i = 0;

    while (r->list.kernels[i] != kernel)
        i++;
    return i;
}

static int restart(void *context, struct gcal_error *err)
{
    (void)context;
    (void)err;
    return 0;
}

static enum gcal_worker_outcome prepare(void *context, const struct gcal_kernel *kernel,
                                        double limit_s, double *first_s,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    struct replay *r = context;

    (void)limit_s;
    (void)status;
    (void)err;
    if (kernel->launches) /* for the clock alone */
        return GCAL_WORKER_REFUSED;
    r->prepared = index_of(r, kernel);
    *first_s = r->time_s[r->prepared];
    r->n_prepared++;
    return GCAL_WORKER_DONE;
}

static struct gcal_built built(void *context)
{
    const struct replay *r = context;

    return r->measured[r->prepared].built;
}

/* The recorded median, and samples around it that have its standard error, unless a device
 * would seem to be disturbed.
 */
static enum gcal_worker_outcome measure(void *context, const struct gcal_kernel *kernel,
                                        size_t n, double limit_s,
                                        struct gcal_measurement_sample *samples,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    struct replay *r = context;
    size_t which = index_of(r, kernel);
    double n_recorded = (double)r->measured[which].n_samples;
    double scatter = fmin(r->spread[which] * sqrt(n_recorded) / 1.86, 0.01);

    (void)limit_s;
    (void)status;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        double deviation = scatter * ((double)(r->n_taken[which]++ % 3) - 1);

        samples[i] = (struct gcal_measurement_sample){ .time_s = r->time_s[which] *
                                                                 (1 + deviation) };
        samples[i].host_s = samples[i].time_s;
        r->launches_s += samples[i].time_s / r->scale;
    }
    return GCAL_WORKER_DONE;
}

static enum gcal_worker_outcome check(void *context, const struct gcal_kernel *kernel,
                                      uint64_t seed, double limit_s, void **outputs,
                                      enum gcal_measurement_status *status,
                                      struct gcal_error *err)
{
    (void)context;
    (void)kernel;
    (void)seed;
    (void)limit_s;
    (void)outputs;
    (void)status;
    (void)err;
    return GCAL_WORKER_DONE;
}

/* ---- the run ---- */

static int keep_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    struct replay *r = context;
    struct gcal_run_sink sink;

    if (!r->writer)
        return 0;
    sink = gcal_record_sink(r->writer);
    return sink.kernel(sink.context, kernel, err);
}

/* As the recorded device took it. */
static int write_measurement(const struct replay *r, const struct gcal_measurement *m,
                             struct gcal_error *err)
{
    struct gcal_run_sink sink = gcal_record_sink(r->writer);
    struct gcal_measurement unscaled = *m;
    int rc;

    unscaled.samples = calloc(m->n_samples + 1, sizeof(*m->samples));
    for (size_t i = 0; i < m->n_samples; i++) {
        unscaled.samples[i] = m->samples[i];
        unscaled.samples[i].time_s /= r->scale;
        unscaled.samples[i].host_s /= r->scale;
    }
    rc = sink.measurement(sink.context, &unscaled, err);
    free(unscaled.samples);
    return rc;
}

static int keep_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct replay *r = context;

    for (size_t i = 0; i < r->list.n_kernels; i++)
        if (strcmp(r->list.kernels[i]->id, m->kernel_id) == 0)
            r->is_chosen[i] = m->status == GCAL_MEASUREMENT_GOOD;
    return r->writer ? write_measurement(r, m, err) : 0;
}

static void keep_selection(void *context, const struct gcal_plan_selection *selection)
{
    ((struct replay *)context)->selection = *selection;
}

void replay_run(struct replay *r, double precision)
{
    struct gcal_plan_device_ops ops = { .context = r,
                                        .restart = restart,
                                        .prepare = prepare,
                                        .built = built,
                                        .measure = measure,
                                        .check = check };
    struct gcal_plan_hooks hooks = {
        .sink = { .context = r, .kernel = keep_kernel, .measurement = keep_measurement },
        .chosen = keep_selection,
        .progress_context = r,
        .config = &r->config
    };
    struct gcal_config_measure_options options = r->config.measure;
    double start_s = cpu_s();
    struct gcal_error err = { 0 };

    options.precision = precision;
    options.budget_s = INFINITY;
    if (gcal_plan_measure(&ops, gcal_record_device(r->record, 0)->node, r->info, &r->list,
                          &options, &hooks, &err) < 0)
        fail_with(&err);
    r->choosing_s = cpu_s() - start_s;
}
