/* predictor.c - predicted times and their intervals */
#include "store/predict/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/binding.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "store/params/params.h"

/* A prediction keeps its arrays on the stack. */
#define MAX_FEATURES   512
#define MAX_PARAMETERS 256

/* Features without a cost that a message lists. */
#define MAX_LISTED 4

/* A feature may leave the calibrated range by this factor without extrapolation. */
#define RANGE_SLACK 1.05

struct gcal_predictor {
    struct gcal_model *model;
    struct gcal_binding *binding;
    double *value, *feature_min, *feature_max;
    double *root;     /* of the covariance: a row of n_columns for each parameter */
    size_t *n_row;    /* by parameter: length of the row without trailing zeros */
    size_t n_columns; /* parameters in the file */
    double factor;
    double misfit;       /* relative */
    double short_misfit; /* of predictions below short_s */
    double short_s;
    double factor_error; /* relative */
    /* If the model may lack costs: for the message. */
    char *kernel, *hint;
};

/* ---- binding ---- */

static size_t find_name(char *const *names, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Whether a feature of the model ends in "_tag:NAME" of the component. */
static bool has_component(const struct gcal_params_model *from, const char *tag)
{
    for (size_t i = 0; i < from->n_features && tag; i++) {
        const char *at = strstr(from->feature[i], "_tag:");

        if (at && strcmp(at + strlen("_tag:"), tag) == 0)
            return true;
    }
    return false;
}

static int missing(const struct gcal_params_model *from, const char *name,
                   struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "model %s: its expression has %s, which is missing in the "
                          "parameter file",
                          from->name, name);
}

static int set_unit(struct gcal_model_parameter *parameter, const char *unit,
                    struct gcal_error *err)
{
    char *copy = strdup(unit);

    if (!copy)
        return gcal_error_memory(err);
    free(parameter->unit);
    parameter->unit = copy;
    return 0;
}

/* Values and rows of the root in the order of the expression's parameters. */
static int take_parameters(struct gcal_predictor *p, const struct gcal_params_model *from,
                           struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_parameters; i++) {
        const char *name = p->model->parameters[i].name;
        size_t at = find_name(from->parameter, from->n_parameters, name);

        if (at == from->n_parameters)
            return missing(from, name, err);
        if (set_unit(&p->model->parameters[i], from->unit[at], err) < 0)
            return -1;
        p->value[i] = from->value[at];
        p->n_row[i] = at + 1;
        memcpy(&p->root[i * p->n_columns], &from->root[GCAL_PARAMS_ROOT(at, 0)],
               (at + 1) * sizeof(double));
    }
    return 0;
}

static int take_ranges(struct gcal_predictor *p, const struct gcal_params_model *from,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_features; i++) {
        const char *name = p->model->features[i];
        size_t at = find_name(from->feature, from->n_features, name);

        if (at == from->n_features)
            return missing(from, name, err);
        p->feature_min[i] = from->feature_min[at];
        p->feature_max[i] = from->feature_max[at];
    }
    return 0;
}

/* The kernel, if the model knows it.  Files and profiles of earlier versions have no
 * fingerprints: their components have names alone.
 */
static struct gcal_binding_subject find_subject(const struct gcal_predictor *p,
                                                const struct gcal_params_model *from,
                                                const struct gcal_profile *profile)
{
    const char *identity = gcal_profile_identity(profile);
    const struct gcal_params_kernel *k = gcal_params_find_kernel(from, identity);
    struct gcal_binding_subject subject = { p->model, p->value, k ? k->component : NULL,
                                            k };

    if (identity || from->n_known)
        return subject;
    subject.component = gcal_profile_component(profile);
    subject.measured = has_component(from, subject.component);
    return subject;
}

/* Whether a kernel of that name was calibrated, which must be another one. */
static bool knows_name(const struct gcal_params_model *from, const char *component)
{
    for (size_t i = 0; i < from->n_known && component; i++)
        if (from->known[i].component && strcmp(from->known[i].component, component) == 0)
            return true;
    return !from->n_known && has_component(from, component);
}

/* What a refusal adds to the list of work without a cost. */
static int explain(struct gcal_predictor *p, const struct gcal_params_model *from,
                   const struct gcal_profile *profile, struct gcal_error *err)
{
    char *targets = gcal_params_model_targets(from);
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    if (targets)
        gcal_buf_printf(&buf, "; the model is for %.300s", targets);
    if (knows_name(from, gcal_profile_component(profile)))
        gcal_buf_puts(
            &buf, from->n_known
                      ? "; the kernel of this name that was calibrated has another "
                        "source, defines or launch: 'gpucal learn' calibrates this one"
                      : "; an earlier gpucal calibrated it, by the names of kernels "
                        "alone: calibrate again");
    free(targets);
    p->kernel = strdup(profile->kernel);
    p->hint = gcal_buf_take(&buf, err);
    return p->kernel && p->hint ? 0 : gcal_error_memory(err);
}

static int bind(struct gcal_predictor *p, const struct gcal_params_model *from,
                const struct gcal_device_info *info, const struct gcal_profile *profile,
                struct gcal_error *err)
{
    struct gcal_binding_subject subject;
    size_t np, nf;

    if (!(p->model = gcal_model_create(from->name, from->output, from->expression, err)))
        return -1;
    np = p->model->n_parameters;
    nf = p->model->n_features;
    p->n_columns = from->n_parameters;
    if (np > MAX_PARAMETERS || p->n_columns > MAX_PARAMETERS || nf > MAX_FEATURES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, at most %d and "
                              "%d are supported",
                              from->name, np > p->n_columns ? np : p->n_columns, nf,
                              MAX_PARAMETERS, MAX_FEATURES);
    p->value = calloc(np + 1, sizeof(double));
    p->root = calloc(np * p->n_columns + 1, sizeof(double));
    p->n_row = calloc(np + 1, sizeof(*p->n_row));
    p->feature_min = calloc(nf + 1, sizeof(double));
    p->feature_max = calloc(nf + 1, sizeof(double));
    if (!p->value || !p->root || !p->n_row || !p->feature_min || !p->feature_max)
        return gcal_error_memory(err);
    if (take_parameters(p, from, err) < 0 || take_ranges(p, from, err) < 0)
        return -1;
    p->factor = from->factor;
    p->misfit = from->error_90 / GCAL_PARAMS_NORMAL_90;
    p->short_misfit = from->short_error_90 / GCAL_PARAMS_NORMAL_90;
    p->short_s = from->short_s;
    p->factor_error = from->factor_error / from->factor;
    subject = find_subject(p, from, profile);
    p->binding =
        gcal_binding_create_for(profile, &subject, (double)info->sub_group_size, err);
    if (!p->binding)
        return -1;
    return gcal_binding_gap_count(p->binding) ? explain(p, from, profile, err) : 0;
}

struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err)
{
    const struct gcal_params_model *from =
        gcal_predictor_choose(device, model, 1, &profile, err);
    struct gcal_predictor *p;

    if (!from)
        return NULL;
    if (!(p = calloc(1, sizeof(*p))))
        gcal_error_memory(err);
    else if (bind(p, from, &device->info, profile, err) < 0) {
        gcal_predictor_destroy(p);
        p = NULL;
    }
    return p;
}

void gcal_predictor_destroy(struct gcal_predictor *p)
{
    if (!p)
        return;
    gcal_binding_destroy(p->binding);
    gcal_model_destroy(p->model);
    free(p->value);
    free(p->root);
    free(p->n_row);
    free(p->feature_min);
    free(p->feature_max);
    free(p->kernel);
    free(p->hint);
    free(p);
}

const char *gcal_predictor_model(const struct gcal_predictor *p)
{
    return p->model->name;
}

size_t gcal_predictor_parameter_count(const struct gcal_predictor *p)
{
    return p->model->n_parameters;
}

void gcal_predictor_covariance(const struct gcal_predictor *p, double *covariance)
{
    size_t n = p->model->n_parameters;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double *a = &p->root[i * p->n_columns], *b = &p->root[j * p->n_columns];
            double sum = 0;

            for (size_t k = 0; k < p->n_columns; k++)
                sum += a[k] * b[k];
            covariance[i * n + j] = sum;
        }
}

double gcal_predictor_misfit(const struct gcal_predictor *p, double time_s)
{
    return time_s < p->short_s ? p->short_misfit : p->misfit;
}

/* ---- prediction ---- */

/* A count of zero adds no time, so it is never below the range. */
static bool is_outside(const struct gcal_predictor *p, size_t i, double value)
{
    return value > p->feature_max[i] * RANGE_SLACK ||
           (value < p->feature_min[i] / RANGE_SLACK && value > 0);
}

static void find_outside(const struct gcal_predictor *p, const double *features,
                         struct gcal_prediction *prediction)
{
    double farthest = 1;

    prediction->outside = NULL;
    prediction->outside_by = 1;
    for (size_t i = 0; i < p->model->n_features; i++) {
        double by;

        if (!is_outside(p, i, features[i]))
            continue;
        by = features[i] /
             (features[i] > p->feature_max[i] ? p->feature_max[i] : p->feature_min[i]);
        if (fmax(by, 1 / by) > farthest) {
            farthest = fmax(by, 1 / by);
            prediction->outside = p->model->features[i];
            prediction->outside_by = by;
        }
    }
    prediction->extrapolates = prediction->outside;
}

/* |R'g|^2 of the root R and the gradient g. */
static double variance(const struct gcal_predictor *p, const double *gradient)
{
    double image[MAX_PARAMETERS], sum = 0;

    memset(image, 0, p->n_columns * sizeof(*image));
    for (size_t i = 0; i < p->model->n_parameters; i++) {
        const double *row = &p->root[i * p->n_columns];

        for (size_t k = 0; gradient[i] != 0 && k < p->n_row[i]; k++)
            image[k] += gradient[i] * row[k];
    }
    for (size_t k = 0; k < p->n_columns; k++)
        sum += image[k] * image[k];
    return sum;
}

/* The misfit of held-out predictions includes the errors of their parameters: the larger
 * of the two counts, not their sum.
 */
static double error_of(const struct gcal_predictor *p, double time_s,
                       double of_parameters)
{
    return hypot(fmax(of_parameters, gcal_predictor_misfit(p, time_s)), p->factor_error);
}

/* ---- work without a cost ---- */

size_t gcal_predictor_gap_count(const struct gcal_predictor *p)
{
    return gcal_binding_gap_count(p->binding);
}

static int by_share(const void *a, const void *b)
{
    const struct gcal_binding_gap *x = a, *y = b;

    return (x->share < y->share) - (x->share > y->share);
}

size_t gcal_predictor_gaps(const struct gcal_predictor *p, const double *sizes,
                           struct gcal_binding_gap *gaps)
{
    size_t n = gcal_binding_gap_count(p->binding), n_work = 0;
    const char *largest;

    gcal_binding_gaps(p->binding, sizes, gaps, &largest);
    qsort(gaps, n, sizeof(*gaps), by_share);
    while (n_work < n && gaps[n_work].share > 0)
        n_work++;
    return n_work;
}

/* "model rates has no cost for 74 % of the work of kernel nbody: f_op_.. 50 %, .." */
static int refuse(const struct gcal_predictor *p, const double *sizes, double share,
                  struct gcal_error *err)
{
    size_t n = gcal_binding_gap_count(p->binding);
    struct gcal_binding_gap *gaps = calloc(n, sizeof(*gaps));
    struct gcal_buf list = { 0 };

    n = gaps ? gcal_predictor_gaps(p, sizes, gaps) : 0;
    for (size_t i = 0; i < n && i < MAX_LISTED; i++)
        gcal_buf_printf(&list, "%s%.80s %.2g %%", i ? ", " : "", gaps[i].feature,
                        100 * gaps[i].share);
    gcal_error_set(
        err, GCAL_EINPUT,
        "model %s has no cost for %.3g %% of the work of kernel %.60s (%s%s)%s",
        p->model->name, 100 * share, p->kernel, list.data ? (const char *)list.data : "",
        n > MAX_LISTED ? ", ..." : "", p->hint);
    gcal_buf_free(&list);
    free(gaps);
    return -1;
}

/* Work without a cost: its share of all work, and the feature with most of it. */
struct gap {
    double share;
    const char *feature;
};

/* -1 if there is too much of it. */
static int check_cover(const struct gcal_predictor *p, const double *sizes,
                       struct gap *gap, struct gcal_error *err)
{
    *gap = (struct gap){ 0 };
    if (p->hint)
        gap->share = gcal_binding_gaps(p->binding, sizes, NULL, &gap->feature);
    return gap->share > GCAL_PREDICTOR_MAX_NOT_COVERED ? refuse(p, sizes, gap->share, err)
                                                       : 0;
}

/* ---- the time and its interval ---- */

/* The time before the device factor; 'gradient' may be NULL. */
static int eval_raw(const struct gcal_predictor *p, const double *sizes, double *features,
                    double *gradient, double *raw_s, struct gap *gap,
                    struct gcal_error *err)
{
    double time_s;

    if (gcal_binding_eval(p->binding, sizes, features, err) < 0 ||
        check_cover(p, sizes, gap, err) < 0)
        return -1;
    *raw_s = gcal_model_eval(p->model, p->value, features, gradient);
    time_s = p->factor * *raw_s;
    if (isfinite(time_s) && time_s > 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "model %s predicts %g s for these sizes%s",
                          p->model->name, time_s, p->hint ? p->hint : "");
}

int gcal_predictor_time(const struct gcal_predictor *p, const double *sizes,
                        double *time_s, struct gcal_error *err)
{
    double features[MAX_FEATURES], raw_s;
    struct gap gap;

    if (eval_raw(p, sizes, features, NULL, &raw_s, &gap, err) < 0)
        return -1;
    *time_s = p->factor * raw_s;
    return 0;
}

static int set_interval(const struct gcal_predictor *p, double relative_error,
                        struct gcal_prediction *prediction, struct gcal_error *err)
{
    double spread = exp(GCAL_PARAMS_NORMAL_90 * relative_error);
    double u = prediction->not_covered;

    if (!(spread <= GCAL_PREDICTOR_MAX_SPREAD))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "model %s: its parameters are too uncertain to predict this "
            "kernel (90 %% interval: a factor of %.3g either way): "
            "calibrate it with more kernels",
            p->model->name, spread);
    prediction->standard_error_s = relative_error * prediction->time_s;
    prediction->low_s = prediction->time_s * exp(-GCAL_PARAMS_NORMAL_90 * relative_error);
    prediction->high_s =
        prediction->time_s * spread * (1 + GCAL_PREDICTOR_COST_RATIO * u / (1 - u));
    return 0;
}

int gcal_predictor_eval(const struct gcal_predictor *p, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err)
{
    double features[MAX_FEATURES], gradient[MAX_PARAMETERS], raw_s;
    struct gap gap;

    if (eval_raw(p, sizes, features, gradient, &raw_s, &gap, err) < 0)
        return -1;
    prediction->time_s = p->factor * raw_s;
    prediction->not_covered = gap.share;
    prediction->gap = gap.feature;
    if (set_interval(p,
                     error_of(p, prediction->time_s, sqrt(variance(p, gradient)) / raw_s),
                     prediction, err) < 0)
        return -1;
    find_outside(p, features, prediction);
    for (size_t i = 0; log_gradient && i < p->model->n_parameters; i++)
        log_gradient[i] = gradient[i] / raw_s;
    return 0;
}
