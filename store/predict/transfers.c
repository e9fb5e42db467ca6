/* transfers.c - predicted times of copies between host and device */
#include "store/predict/transfers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "store/params/params.h"

/* Parameters of the model. */
#define EXPOSED      "p_exposed"
#define EXPOSED_BOTH "p_exposed_both"

/* A share with this standard error is unknown. */
#define UNKNOWN_SHARE 0.25

enum { WAYS = GCAL_FEATURE_FROM_DEVICE + 1, HOSTS = GCAL_FEATURE_MAPPED + 1 };

struct gcal_transfers {
    char *device, *model;
    double exposed, exposed_both;                   /* NaN: the model has none */
    struct gcal_predictor *predictors[WAYS][HOSTS]; /* NULL: copies without a cost */
    struct gcal_predictor *both[HOSTS];             /* of both directions at once */
};

const struct gcal_params_model *
gcal_transfers_find(const struct gcal_params_device *device)
{
    for (size_t i = 0; i < device->n_models; i++)
        if (gcal_params_model_is_of_transfers(&device->models[i]))
            return &device->models[i];
    return NULL;
}

/* ---- profiles of copies, whose parameters are bytes and copies ---- */

static int add_entry(struct gcal_profile *profile, enum gcal_feature_kind kind,
                     const char *count, enum gcal_feature_copy_direction way,
                     enum gcal_feature_host_memory host, struct gcal_error *err)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, err);

    if (!entry)
        return -1;
    entry->kind = kind;
    entry->granularity = GCAL_FEATURE_PER_KERNEL;
    entry->way = way;
    entry->host = host;
    entry->count = strdup(count);
    entry->feature = gcal_buf_format("%s_%s_%s", gcal_feature_info(kind)->name,
                                     gcal_feature_copy_direction_names[way],
                                     gcal_feature_host_memory_names[host]);
    return entry->count && entry->feature ? 0 : gcal_error_memory(err);
}

static int add_parameter(struct gcal_profile *profile, const char *name,
                         struct gcal_error *err)
{
    if (!(profile->parameters[profile->n_parameters] = strdup(name)))
        return gcal_error_memory(err);
    profile->n_parameters++;
    return 0;
}

static int add_entries(struct gcal_profile *profile, enum gcal_feature_copy_direction way,
                       enum gcal_feature_host_memory host, struct gcal_error *err)
{
    return add_entry(profile, GCAL_FEATURE_TRANSFER_BYTES, "bytes", way, host, err) < 0 ||
                   add_entry(profile, GCAL_FEATURE_TRANSFER_COPIES, "copies", way, host,
                             err) < 0
               ? -1
               : 0;
}

/* 'way' GCAL_FEATURE_COPY_ANY: both. */
static struct gcal_profile *make_profile(enum gcal_feature_copy_direction way,
                                         enum gcal_feature_host_memory host,
                                         struct gcal_error *err)
{
    bool both = way == GCAL_FEATURE_COPY_ANY;
    struct gcal_profile *profile = calloc(1, sizeof(*profile));

    if (!profile || !(profile->parameters = calloc(2, sizeof(char *))) ||
        !(profile->kernel = gcal_buf_format(
              "copy %s", both ? "both ways" : gcal_feature_copy_direction_names[way])))
        gcal_error_memory(err);
    else if (add_parameter(profile, "bytes", err) == 0 &&
             add_parameter(profile, "copies", err) == 0 &&
             add_entries(profile, both ? GCAL_FEATURE_TO_DEVICE : way, host, err) == 0 &&
             (!both || add_entries(profile, GCAL_FEATURE_FROM_DEVICE, host, err) == 0))
        return profile;
    gcal_profile_destroy(profile);
    return NULL;
}

/* ---- predictors ---- */

/* One that predicts nothing is left out: the model has no cost of such copies.  One that is too
 * uncertain says so where it is used.
 */
static int add_predictor(struct gcal_transfers *t,
                         const struct gcal_params_device *device,
                         enum gcal_feature_copy_direction way,
                         enum gcal_feature_host_memory host,
                         struct gcal_predictor **predictor, struct gcal_error *err)
{
    struct gcal_profile *profile = make_profile(way, host, err);
    const double one[] = { 1, 1 };
    struct gcal_predictor *p;
    struct gcal_prediction prediction;
    struct gcal_error why = { 0 };

    if (!profile)
        return -1;
    p = gcal_predictor_create(device, t->model, profile, err);
    gcal_profile_destroy(profile);
    if (!p)
        return -1;
    if (gcal_predictor_eval(p, one, &prediction, NULL, &why) == 0
            ? prediction.not_covered == 0
            : why.reason == GCAL_REASON_UNCERTAIN)
        *predictor = p;
    else
        gcal_predictor_destroy(p);
    return 0;
}

/* A parameter that is a share.  One of which no kernel tells anything is published with the
 * error of a share that may be any, 1/sqrt(12).
 */
static double share_of(const struct gcal_params_model *model, const char *parameter)
{
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameter[i], parameter) == 0)
            return model->standard_error[i] < UNKNOWN_SHARE
                       ? fmin(fmax(model->value[i], 0), 1)
                       : NAN;
    return NAN;
}

/* Copies of one memory of the host. */
static int add_host(struct gcal_transfers *t, const struct gcal_params_device *device,
                    enum gcal_feature_host_memory host, struct gcal_error *err)
{
    for (int way = GCAL_FEATURE_TO_DEVICE; way < WAYS; way++)
        if (add_predictor(t, device, (enum gcal_feature_copy_direction)way, host,
                          &t->predictors[way][host], err) < 0)
            return -1;
    return isnan(t->exposed_both) ? 0
                                  : add_predictor(t, device, GCAL_FEATURE_COPY_ANY, host,
                                                  &t->both[host], err);
}

static int fill(struct gcal_transfers *t, const struct gcal_params_device *device,
                const struct gcal_params_model *model, struct gcal_error *err)
{
    if (!(t->device = strdup(device->info.uid)) || !(t->model = strdup(model->name)))
        return gcal_error_memory(err);
    t->exposed = share_of(model, EXPOSED);
    t->exposed_both = share_of(model, EXPOSED_BOTH);
    for (int host = GCAL_FEATURE_PAGEABLE; host < HOSTS; host++)
        if (add_host(t, device, (enum gcal_feature_host_memory)host, err) < 0)
            return -1;
    return 0;
}

struct gcal_transfers *gcal_transfers_create(const struct gcal_params_device *device,
                                             struct gcal_error *err)
{
    const struct gcal_params_model *model = gcal_transfers_find(device);
    struct gcal_transfers *t;

    if (!model) {
        gcal_error_set(
            err, GCAL_EINPUT,
            "device %s: no model of transfers is published: calibrate with the "
            "default configuration, which has one",
            device->info.uid);
        return NULL;
    }
    if (!(t = calloc(1, sizeof(*t))))
        gcal_error_memory(err);
    else if (fill(t, device, model, err) < 0) {
        gcal_transfers_destroy(t);
        t = NULL;
    }
    return t;
}

void gcal_transfers_destroy(struct gcal_transfers *t)
{
    if (!t)
        return;
    for (int way = 0; way < WAYS; way++)
        for (int host = 0; host < HOSTS; host++)
            gcal_predictor_destroy(t->predictors[way][host]);
    for (int host = 0; host < HOSTS; host++)
        gcal_predictor_destroy(t->both[host]);
    free(t->device);
    free(t->model);
    free(t);
}

const char *gcal_transfers_model(const struct gcal_transfers *t)
{
    return t->model;
}

double gcal_transfers_exposed(const struct gcal_transfers *t)
{
    return t->exposed;
}

double gcal_transfers_exposed_both(const struct gcal_transfers *t)
{
    return t->exposed_both;
}

int gcal_transfers_eval(const struct gcal_transfers *t,
                        const struct gcal_transfers_copy *copy,
                        struct gcal_prediction *prediction, struct gcal_error *err)
{
    const double sizes[] = { copy->bytes, copy->copies };
    const struct gcal_predictor *p = t->predictors[copy->way][copy->host];

    if (!p)
        return gcal_error_set(
            err, GCAL_EINPUT, "device %s: model %s has no cost of copies %s, %s memory",
            t->device, t->model,
            copy->way == GCAL_FEATURE_TO_DEVICE ? "to the device" : "from the device",
            gcal_feature_host_memory_names[copy->host]);
    return gcal_predictor_eval(p, sizes, prediction, NULL, err);
}

int gcal_transfers_eval_both(const struct gcal_transfers *t,
                             enum gcal_feature_host_memory host, double bytes,
                             double copies, struct gcal_prediction *prediction,
                             struct gcal_error *err)
{
    const double sizes[] = { bytes, copies };

    if (!t->both[host])
        return gcal_error_set(err, GCAL_EINPUT,
                              "device %s: model %s does not know copies in both "
                              "directions at once, %s memory",
                              t->device, t->model, gcal_feature_host_memory_names[host]);
    return gcal_predictor_eval(t->both[host], sizes, prediction, NULL, err);
}

/* Far enough apart that the difference is that of the bytes. */
#define FEW_BYTES  1.0
#define MANY_BYTES 0x1p24

int gcal_transfers_rate(const struct gcal_transfers *t,
                        enum gcal_feature_copy_direction way,
                        enum gcal_feature_host_memory host,
                        struct gcal_transfers_rate *rate, struct gcal_error *err)
{
    const struct gcal_transfers_copy few = { way, host, FEW_BYTES, 1 },
                                     many = { way, host, MANY_BYTES, 1 };
    struct gcal_prediction a, b;

    if (gcal_transfers_eval(t, &few, &a, err) < 0 ||
        gcal_transfers_eval(t, &many, &b, err) < 0)
        return -1;
    rate->byte_s = (b.time_s - a.time_s) / (MANY_BYTES - FEW_BYTES);
    rate->start_s = fmax(0, a.time_s - FEW_BYTES * rate->byte_s);
    return 0;
}

/* ---- a step ---- */

/* The longer of two times, and the share of the shorter that it does not hide. */
static double beside(double a_s, double b_s, double exposed)
{
    return fmax(a_s, b_s) + exposed * fmin(a_s, b_s);
}

/* Squares of the distances to the ends of the interval. */
struct spread {
    double below, above;
};

static void add_part(struct gcal_step *step, struct spread *spread, double *part_s,
                     const struct gcal_prediction *p)
{
    *part_s += p->time_s;
    step->time_s += p->time_s;
    spread->below += (p->time_s - p->low_s) * (p->time_s - p->low_s);
    spread->above += (p->high_s - p->time_s) * (p->high_s - p->time_s);
    step->extrapolates = step->extrapolates || p->extrapolates;
}

int gcal_step_predict(const struct gcal_transfers *transfers,
                      const struct gcal_prediction *kernel, size_t n_copies,
                      const struct gcal_transfers_copy *copies, struct gcal_step *step,
                      struct gcal_error *err)
{
    struct spread spread = { 0, 0 };
    struct gcal_prediction p;

    *step = (struct gcal_step){ 0 };
    if (kernel)
        add_part(step, &spread, &step->kernel_s, kernel);
    for (size_t i = 0; i < n_copies; i++) {
        if (gcal_transfers_eval(transfers, &copies[i], &p, err) < 0)
            return -1;
        add_part(step, &spread,
                 copies[i].way == GCAL_FEATURE_TO_DEVICE ? &step->in_s : &step->out_s,
                 &p);
    }
    step->low_s = step->time_s - sqrt(spread.below);
    step->high_s = step->time_s + sqrt(spread.above);
    step->copies_s = isnan(transfers->exposed_both)
                         ? step->in_s + step->out_s
                         : beside(step->in_s, step->out_s, transfers->exposed_both);
    step->overlapped_s = beside(step->copies_s, step->kernel_s, transfers->exposed);
    return 0;
}
