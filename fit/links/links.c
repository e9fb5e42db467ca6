/* links.c - the links of a class: their curve, each pair's factors, and outliers */
#include "fit/links/links.h"

#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "fit/fit.h"

/* An outlier is as many robust scales from the median, and at least this far (log). */
#define FAR_SCALES   4.0
#define FAR_AT_LEAST 0.2
/* Of a factor: few sizes may agree by chance. */
#define LEAST_ERROR 0.005
/* Of two, nobody knows which one is right. */
#define LEAST_PAIRS 3

struct fitting {
    struct gcal_arena *arena;
    size_t n_sizes, n_pairs;
    const double *bytes;
    double *time_s;               /* as given; without the outliers */
    double *common_s;             /* n_sizes: what most pairs take */
    double *predicted, *measured; /* n_sizes: of one pair */
    double *values;               /* n_pairs */
};

/* A pair's factor in a regime, to what most take: what the lines miss is the same for all. */
static void find_factor(struct fitting *f, const struct gcal_link_curve *curve,
                        size_t regime, size_t pair, double *factor, double *error)
{
    size_t n = 0;

    for (size_t k = 0; k < f->n_sizes; k++) {
        double time_s = f->time_s[k * f->n_pairs + pair];

        if (isnan(time_s) || isnan(f->common_s[k]) ||
            gcal_link_regime_of(curve, f->bytes[k]) != regime)
            continue;
        f->predicted[n] = f->common_s[k];
        f->measured[n++] = time_s;
    }
    gcal_fit_deviation(f->predicted, f->measured, n, factor, error);
    *error = fmax(*error, LEAST_ERROR * *factor);
}

/* Of all pairs of a regime. */
static void find_outliers(struct fitting *f, const struct gcal_link_curve *curve,
                          size_t regime, struct gcal_link_fit_pair *pairs)
{
    double *logs = gcal_arena_alloc(f->arena, f->n_pairs, sizeof(*logs)), middle, scale;

    for (size_t i = 0; i < f->n_pairs; i++) {
        double factor, error;

        find_factor(f, curve, regime, i, &factor, &error);
        logs[i] = f->values[i] = log(factor);
    }
    middle = gcal_median(f->values, f->n_pairs);
    for (size_t i = 0; i < f->n_pairs; i++)
        f->values[i] = fabs(logs[i] - middle);
    scale = 1.4826 * gcal_median(f->values, f->n_pairs);
    for (size_t i = 0; i < f->n_pairs && f->n_pairs >= LEAST_PAIRS; i++) {
        double distance = logs[i] - middle;

        if (fabs(distance) <= fmax(FAR_SCALES * scale, FAR_AT_LEAST))
            continue;
        pairs[i].is_outlier = true;
        if (fabs(distance) > fabs(log(pairs[i].ratio)))
            pairs[i].ratio = exp(distance);
    }
}

static void find_factors(struct fitting *f, struct gcal_link_curve *curve, size_t regime,
                         struct gcal_link_fit_pair *pairs)
{
    double *factor = gcal_arena_alloc(f->arena, f->n_pairs, sizeof(*factor));
    double *error = gcal_arena_alloc(f->arena, f->n_pairs, sizeof(*error));
    double *shrunk = gcal_arena_alloc(f->arena, f->n_pairs, sizeof(*shrunk));
    double *shrunk_error = gcal_arena_alloc(f->arena, f->n_pairs, sizeof(*shrunk_error));
    double between;

    for (size_t i = 0; i < f->n_pairs; i++)
        find_factor(f, curve, regime, i, &factor[i], &error[i]);
    gcal_fit_shrink(f->n_pairs, factor, error, shrunk, shrunk_error, &between);
    curve->regimes[regime].between = isnan(between) ? 0 : between;
    for (size_t i = 0; i < f->n_pairs; i++) {
        pairs[i].factor[regime] = shrunk[i];
        /* Of a pair without times in this regime nothing is known but that of the class. */
        pairs[i].error[regime] = isfinite(shrunk_error[i])
                                     ? shrunk_error[i] / shrunk[i]
                                     : curve->regimes[regime].between;
    }
}

int gcal_link_fit_class(struct gcal_arena *arena, size_t n_sizes, size_t n_pairs,
                        const double *bytes, const double *time_s,
                        struct gcal_link_curve *curve, struct gcal_link_fit_pair *pairs)
{
    struct fitting f = {
        .arena = arena,
        .n_sizes = n_sizes,
        .n_pairs = n_pairs,
        .bytes = bytes,
        .time_s = gcal_arena_alloc(arena, n_sizes * n_pairs, sizeof(double)),
        .common_s = gcal_arena_alloc(arena, n_sizes, sizeof(double)),
        .predicted = gcal_arena_alloc(arena, n_sizes, sizeof(double)),
        .measured = gcal_arena_alloc(arena, n_sizes, sizeof(double)),
        .values = gcal_arena_alloc(arena, n_pairs, sizeof(double)),
    };
    size_t n_outliers = 0;

    memcpy(f.time_s, time_s, n_sizes * n_pairs * sizeof(double));
    for (size_t i = 0; i < n_pairs; i++)
        pairs[i] = (struct gcal_link_fit_pair){ .ratio = 1 };
    /* Slow links have no times of long messages: of sizes that fewer than half have reached, those that have
     * tell nothing of the others.
     */
    for (size_t k = 0; k < f.n_sizes; k++) {
        size_t n = 0;

        for (size_t i = 0; i < f.n_pairs; i++)
            if (!isnan(f.time_s[k * f.n_pairs + i]))
                f.values[n++] = f.time_s[k * f.n_pairs + i];
        f.common_s[k] = n && 2 * n >= f.n_pairs ? gcal_median(f.values, n) : NAN;
    }
    if (gcal_link_fit_curve(n_sizes, bytes, f.common_s, curve) < 0)
        return -1;
    for (size_t r = 0; r < curve->n; r++)
        find_outliers(&f, curve, r, pairs);
    for (size_t i = 0; i < n_pairs; i++)
        if (pairs[i].is_outlier) {
            /* Its own curve, and no times any more. */
            for (size_t k = 0; k < f.n_sizes; k++) {
                f.measured[k] = f.time_s[k * f.n_pairs + i];
                f.time_s[k * f.n_pairs + i] = NAN;
            }
            pairs[i].is_outlier =
                gcal_link_fit_curve(f.n_sizes, f.bytes, f.measured, &pairs[i].curve) == 0;
            n_outliers += pairs[i].is_outlier;
        }
    if (n_pairs - n_outliers > 1) {
        double *mean_s = gcal_arena_alloc(arena, n_sizes, sizeof(*mean_s));

        gcal_fit_common_times(f.time_s, n_sizes, n_pairs, mean_s);
        for (size_t k = 0; k < n_sizes; k++)
            if (!isnan(f.common_s[k]) && !isnan(mean_s[k]))
                f.common_s[k] = mean_s[k];
        gcal_link_fit_curve(n_sizes, bytes, f.common_s, curve);
    }
    for (size_t r = 0; r < curve->n; r++)
        find_factors(&f, curve, r, pairs);
    return 0;
}
