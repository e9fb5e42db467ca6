/* predictor.c - predicted times and their intervals */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/model.h"
#include "kernels/model/roofs/roofs.h"
#include "store/params/params.h"
#include "store/predict/private.h"

/* Features without a cost that a message lists. */
#define MAX_LISTED 4

/* A feature may leave the calibrated range by this factor without extrapolation. */
#define RANGE_SLACK 1.05

const char *gcal_predictor_model(const struct gcal_predictor *p)
{
    return p->shared->model->name;
}

bool gcal_predictor_share_fit(const struct gcal_predictor *a,
                              const struct gcal_predictor *b)
{
    return gcal_predictor_model_is_same(a->shared, b->shared);
}

struct gcal_predictor_inside gcal_predictor_inside(const struct gcal_predictor *p)
{
    return (struct gcal_predictor_inside){ p->shared->model,
                                           p->refreshed ? p->refreshed : p->shared->value,
                                           p->factor };
}

int gcal_predictor_features(const struct gcal_predictor *p, const double *sizes,
                            double *values, struct gcal_error *err)
{
    return gcal_binding_eval(p->binding, sizes, values, err);
}

void gcal_predictor_disregard_gaps(struct gcal_predictor *p)
{
    p->disregards_gaps = true;
}

/* ---- prediction ---- */

/* A count of zero adds no time, so it is never below the range. */
static bool is_outside(const struct gcal_predictor_model *m, size_t i, double value)
{
    return value > m->feature_max[i] * RANGE_SLACK ||
           (value < m->feature_min[i] / RANGE_SLACK && value > 0);
}

/* 'features': of the program. */
static void find_outside(const struct gcal_predictor *p, const double *features,
                         struct gcal_prediction *prediction)
{
    const struct gcal_predictor_model *m = p->shared;
    double farthest = 1;

    prediction->outside = NULL;
    prediction->outside_by = 1;
    for (size_t k = 0; k < gcal_binding_program_feature_count(p->program); k++) {
        size_t i = gcal_binding_program_feature(p->program, k);
        double by;

        if (!is_outside(m, i, features[k]))
            continue;
        by = features[k] /
             (features[k] > m->feature_max[i] ? m->feature_max[i] : m->feature_min[i]);
        if (fmax(by, 1 / by) > farthest) {
            farthest = fmax(by, 1 / by);
            prediction->outside = m->model->features[i];
            prediction->outside_by = by;
        }
    }
    prediction->extrapolates = prediction->outside;
}

/* |R'g|^2 of the root R and the gradient g. */
static double variance(const struct gcal_predictor *p, const double *gradient)
{
    double image[GCAL_PREDICTOR_MAX_PARAMETERS], sum = 0;

    memset(image, 0, p->shared->n_columns * sizeof(*image));
    for (size_t i = 0; i < p->shared->model->n_parameters; i++) {
        const double *row = &p->shared->root[i * p->shared->n_columns];

        for (size_t k = 0; gradient[i] != 0 && k < p->shared->n_row[i]; k++)
            image[k] += gradient[i] * row[k];
    }
    for (size_t k = 0; k < p->shared->n_columns; k++)
        sum += image[k] * image[k];
    return sum;
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

double gcal_predictor_lack(const struct gcal_predictor *p, const double *sizes,
                           const char **largest)
{
    return gcal_binding_lack(p->binding, sizes, largest);
}

/* Work without a cost, and work that the costs stand for and the kernel lacks: shares of all
 * work, and the feature with most of the larger.
 */
struct gap {
    double share, lack;
    const char *feature;
};

static int refuse_lack(const struct gcal_predictor *p, const struct gap *gap,
                       struct gcal_error *err)
{
    gcal_error_set(
        err, GCAL_EINPUT,
        "model %s: all kernels that it was fitted to had work without a cost of its own, "
        "for which its costs stand; kernel %.60s lacks most of that, %.3g %% of all work "
        "(mostly %.100s): fit a model to kernels like it%s",
        p->shared->model->name, p->kernel, 100 * gap->lack, gap->feature, p->hint);
    return gcal_error_because(err, GCAL_REASON_NOT_COVERED);
}

/* -1 if there is too much of either.  'time_s' is that of the work with costs. */
static int check_cover(const struct gcal_predictor *p, const double *sizes, double time_s,
                       struct gap *gap, struct gcal_error *err)
{
    const char *lacking;

    *gap = (struct gap){ 0 };
    if (!p->hint)
        return 0;
    gap->share = gcal_binding_gaps(p->binding, sizes, NULL, &gap->feature);
    gap->lack = gcal_binding_lack(p->binding, sizes, &lacking);
    if (gap->lack > gap->share)
        gap->feature = lacking;
    if (p->disregards_gaps)
        return 0;
    if (gap->share > GCAL_PREDICTOR_MAX_NOT_COVERED) {
        size_t n = gcal_binding_gap_count(p->binding);
        struct gcal_binding_gap *gaps = calloc(n, sizeof(*gaps));
        struct gcal_buf list = { 0 };

        /* "model rates has no cost for 74 % of the work of kernel nbody: f_op_.. 50 %, .." */
        n = gaps ? gcal_predictor_gaps(p, sizes, gaps) : 0;
        for (size_t i = 0; i < n && i < MAX_LISTED; i++)
            gcal_buf_printf(&list, "%s%.*s%s %.2g %%", i ? ", " : "",
                            GCAL_ERROR_CUT(gaps[i].feature, 100), 100 * gaps[i].share);
        gcal_buf_printf(&list, n > MAX_LISTED ? ", ...)" : ")");
        if (isfinite(time_s) && time_s > 0)
            gcal_buf_printf(&list, ", and the rest takes %.4g s", time_s);
        gcal_error_set(
            err, GCAL_EINPUT,
            "model %s has no cost for %.3g %% of the work of kernel %.60s (%s%s",
            p->shared->model->name, 100 * gap->share, p->kernel,
            list.data ? (const char *)list.data : ")", p->hint);
        gcal_buf_free(&list);
        free(gaps);
        return gcal_error_because(err, GCAL_REASON_NOT_COVERED);
    }
    return gap->lack > GCAL_PREDICTOR_MAX_NOT_COVERED ? refuse_lack(p, gap, err) : 0;
}

/* ---- the time ---- */

/* The time before the device factor, and what it is made of; 'more' may be NULL. */
static int eval_raw(const struct gcal_predictor *p, const double *sizes, double *features,
                    const struct gcal_binding_more *more, double *raw_s, struct gap *gap,
                    struct gcal_error *err)
{
    double time_s;

    if (gcal_binding_program_eval(p->program, sizes, features, raw_s, more, err) < 0)
        return gcal_error_because(err, GCAL_REASON_SIZES);
    if (gcal_binding_check_limits(p->binding, sizes, &p->limits, err) < 0)
        return -1;
    time_s = p->factor * *raw_s;
    if (check_cover(p, sizes, time_s, gap, err) < 0)
        return -1;
    if (isfinite(time_s) && time_s > 0)
        return 0;
    if (isnan(time_s)) /* 0 work-groups per 0 compute units, mostly */
        gcal_error_set(
            err, GCAL_EINPUT,
            "model %s has no time for these sizes: a launch needs at least one "
            "work-group",
            p->shared->model->name);
    else
        gcal_error_set(err, GCAL_EINPUT, "model %s predicts %g s for these sizes%s",
                       p->shared->model->name, time_s, p->hint ? p->hint : "");
    return gcal_error_because(err,
                              time_s == 0 ? GCAL_REASON_NOT_COVERED : GCAL_REASON_SIZES);
}

int gcal_predictor_time(const struct gcal_predictor *p, const double *sizes,
                        double *time_s, struct gcal_error *err)
{
    double features[GCAL_PREDICTOR_MAX_FEATURES], raw_s;
    struct gap gap;

    if (eval_raw(p, sizes, features, NULL, &raw_s, &gap, err) < 0)
        return -1;
    *time_s = p->factor * raw_s;
    return 0;
}

/* ---- roofs ---- */

size_t gcal_predictor_roof_count(const struct gcal_predictor *p)
{
    return gcal_roofs_count(p->shared->roofs);
}

const char *gcal_predictor_roof(const struct gcal_predictor *p, size_t i)
{
    return gcal_roofs_name(p->shared->roofs, i);
}

/* What a prediction is made of beside its time. */
struct insides {
    double features[GCAL_PREDICTOR_MAX_FEATURES], gradient[GCAL_PREDICTOR_MAX_PARAMETERS],
        roofs[GCAL_ROOFS_MAX], doubled_s, raw_s;
    struct gap gap;
};

static int eval_insides(const struct gcal_predictor *p, const double *sizes,
                        struct insides *in, struct gcal_error *err)
{
    const struct gcal_binding_more more = { in->gradient, in->roofs, &in->doubled_s };

    return eval_raw(p, sizes, in->features, &more, &in->raw_s, &in->gap, err);
}

int gcal_predictor_roofs(const struct gcal_predictor *p, const double *sizes,
                         double *seconds, struct gcal_error *err)
{
    struct insides in;

    if (eval_insides(p, sizes, &in, err) < 0)
        return -1;
    gcal_roofs_longest(p->shared->roofs, in.roofs);
    for (size_t i = 0; i < gcal_roofs_count(p->shared->roofs); i++)
        seconds[i] = p->factor * in.roofs[i];
    return 0;
}

static void find_roof(const struct gcal_predictor *p, double *seconds,
                      struct gcal_prediction *prediction)
{
    size_t i = gcal_roofs_longest(p->shared->roofs, seconds);

    prediction->roof = NULL;
    prediction->roof_s = 0;
    if (i == gcal_roofs_count(p->shared->roofs))
        return;
    prediction->roof = gcal_roofs_name(p->shared->roofs, i);
    prediction->roof_s = p->factor * seconds[i];
}

/* ---- the interval ---- */

static const char *class_of(const struct gcal_prediction *prediction)
{
    const char *roof = prediction->roof;

    if (prediction->time_s < GCAL_PREDICTOR_SMALL_S ||
        (roof && strcmp(roof, GCAL_PREDICTOR_LAUNCH_ROOF) == 0))
        return GCAL_SPREAD_SMALL;
    if (prediction->estimated >= GCAL_PREDICTOR_ESTIMATED)
        return GCAL_SPREAD_ESTIMATED;
    return roof ? roof : GCAL_SPREAD_OTHER;
}

/* Bounds of |log(measured / predicted)|, in which 90 % are. */
struct width {
    double below, above;
};

/* Of kernels like this one. */
static struct width usual_width(const struct gcal_predictor *p,
                                const struct gcal_prediction *prediction)
{
    const struct gcal_spread *spread = gcal_spreads_find(&p->spreads, prediction->class);
    double width = p->absolute_s > 0 ? log1p(p->absolute_s / prediction->time_s)
                                     : GCAL_PARAMS_NORMAL_90 * p->misfit;

    if (!spread)
        return (struct width){ width, width };
    return (struct width){ p->spread_scale * spread->below,
                           p->spread_scale * spread->above };
}

/* Errors of held-out kernels include those of parameters: the larger of the two counts, not
 * their sum.
 */
static double widen(const struct gcal_predictor *p, double usual, double of_parameters)
{
    return hypot(fmax(usual, GCAL_PARAMS_NORMAL_90 * of_parameters),
                 GCAL_PARAMS_NORMAL_90 * p->factor_error);
}

static double deviation(struct width width)
{
    return (width.below + width.above) / (2 * GCAL_PARAMS_NORMAL_90);
}

/* The factor by which work of this share moves an end of the interval. */
static double weigh_share(double share)
{
    return 1 + GCAL_PREDICTOR_COST_RATIO * share / (1 - share);
}

static int set_interval(const struct gcal_predictor *p, double of_parameters,
                        const struct gap *gap, struct gcal_prediction *prediction,
                        struct gcal_error *err)
{
    const struct width usual = usual_width(p, prediction);
    const struct width width = { widen(p, usual.below, of_parameters),
                                 widen(p, usual.above, of_parameters) };
    double spread = exp(p->absolute_s > 0 ? widen(p, 0, of_parameters)
                                          : fmax(width.below, width.above));

    if (!(spread <= GCAL_PREDICTOR_MAX_SPREAD) && !p->disregards_gaps) {
        gcal_error_set(err, GCAL_EINPUT,
                       "model %s: its parameters are too uncertain to predict this "
                       "kernel (90 %% interval: a factor of %.3g either way): "
                       "calibrate it with more kernels",
                       p->shared->model->name, spread);
        return gcal_error_because(err, GCAL_REASON_UNCERTAIN);
    }
    prediction->misfit = deviation(usual);
    prediction->standard_error_s = deviation(width) * prediction->time_s;
    prediction->low_s = prediction->time_s * exp(-width.below);
    prediction->high_s = prediction->time_s * exp(width.above);
    if (p->absolute_s > 0) {
        double within_s = prediction->time_s *
                          widen(p, p->absolute_s / prediction->time_s, of_parameters);

        prediction->standard_error_s = within_s / GCAL_PARAMS_NORMAL_90;
        prediction->low_s = fmax(prediction->time_s - within_s, 0);
        prediction->high_s = prediction->time_s + within_s;
    }
    if (p->disregards_gaps)
        return 0;
    prediction->low_s /= weigh_share(gap->lack);
    prediction->high_s *= weigh_share(gap->share);
    return 0;
}

int gcal_predictor_eval(const struct gcal_predictor *p, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err)
{
    struct insides in;

    if (eval_insides(p, sizes, &in, err) < 0)
        return -1;
    prediction->time_s = p->factor * in.raw_s;
    prediction->not_covered = fmax(in.gap.share, in.gap.lack);
    prediction->lack = in.gap.lack;
    prediction->gap = in.gap.feature;
    find_outside(p, in.features, prediction);
    find_roof(p, in.roofs, prediction);
    prediction->estimated = in.doubled_s > 0 ? fabs(log2(in.doubled_s / in.raw_s)) : 0;
    prediction->class = class_of(prediction);
    if (set_interval(p, sqrt(variance(p, in.gradient)) / in.raw_s, &in.gap, prediction,
                     err) < 0)
        return -1;
    for (size_t i = 0; log_gradient && i < p->shared->model->n_parameters; i++)
        log_gradient[i] = in.gradient[i] / in.raw_s;
    return 0;
}
