/* outliers.c - devices that do not behave as most devices of their type
 *
 * No model is needed: devices of a type have run the same kernels.  Centres and scales are
 * medians over devices, so that fewer than half of them, whatever they do, move neither
 * (breakdown point 1/2: P. J. Rousseeuw and C. Croux, J. of the American Statistical
 * Association 88, 1993).
 */
#include <math.h>

#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "fit/fit.h"
#include "fit/private.h"

/* A device is an outlier from this many scales on, and not below the floor: devices of a type do
 * differ.  Two devices have no majority and no scale, so which one is wrong nobody knows: only a
 * large factor (1.75, as a logarithm) tells that one of them is, as what disturbs a device makes it slower.
 */
#define SCALES    4
#define FLOOR     0.05
#define FLOOR_TWO 0.56

/* Rows of a group that deviate alike: one cost alone. */
#define LEAST_ROWS  2
#define LEAST_SHARE 0.25
/* Of two devices. */
#define LEAST_SHARE_TWO 0.75

/* And rows of several groups: short launches alone. */
#define LEAST_GROUPS    3
#define LEAST_SHARE_ALL 0.125

struct search {
    const struct gcal_fit_devices *d;
    double *x;        /* n_kernels x n_devices: log(time / centre), NaN: none */
    double *location; /* n_devices: medians of x */
    double *error;    /* n_devices: standard errors of the locations */
    double *limit;    /* n_kernels: how far a row may be from its device's location */
    double *middle;   /* n_kernels: medians over devices of x - location */
    double *sorted;   /* as many as kernels or devices */
};

/* ---- medians ---- */

/* Collects the values that are not NaN in o->sorted, and returns their number. */
static size_t take(const struct search *o, const double *values, size_t n, size_t step)
{
    size_t taken = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i * step]))
            o->sorted[taken++] = values[i * step];
    return taken;
}

/* A robust standard deviation of the taken values about 'middle'. */
static double scale_of_taken(const struct search *o, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        o->sorted[i] = fabs(o->sorted[i] - middle);
    return 1.4826 * gcal_fit_small_distance_factor(n) * gcal_median(o->sorted, n);
}

/* ---- centres ---- */

/* Of two devices the faster: what disturbs a device makes it slower. */
static double centre(const struct search *o, const double *row)
{
    size_t n = take(o, row, o->d->n_devices, 1);

    if (o->d->n_devices == 2)
        return n == 2 ? fmin(row[0], row[1]) : NAN;
    return n > 2 ? gcal_median(o->sorted, n) : NAN;
}

static void find_locations(struct search *o)
{
    for (size_t i = 0; i < o->d->n_devices; i++) {
        size_t n = take(o, &o->x[i], o->d->n_kernels, o->d->n_devices);

        o->location[i] = gcal_median(o->sorted, n);
        o->error[i] = 1.2533 * scale_of_taken(o, n, o->location[i]) / sqrt((double)n);
    }
}

static void find_limits(struct search *o)
{
    size_t n = o->d->n_devices;

    for (size_t k = 0; k < o->d->n_kernels; k++) {
        double *row = &o->x[k * n];
        size_t taken = 0;

        for (size_t i = 0; i < n; i++)
            if (!isnan(row[i]))
                o->sorted[taken++] = row[i] - o->location[i];
        if (n == 2) {
            o->middle[k] = 0;
            o->limit[k] = FLOOR_TWO;
            continue;
        }
        o->middle[k] = gcal_median(o->sorted, taken);
        o->limit[k] = fmax(FLOOR, SCALES * scale_of_taken(o, taken, o->middle[k]));
    }
}

/* ---- verdicts ---- */

static double shared_error(const struct search *o, size_t i)
{
    return o->d->error ? o->d->error[i] : 0;
}

static bool is_far(const struct search *o, size_t i)
{
    double middle, scale;
    size_t n = take(o, o->location, o->d->n_devices, 1);

    if (o->d->n_devices == 2)
        return o->location[i] - o->location[!i] >
               fmax(FLOOR_TWO, SCALES * hypot(shared_error(o, 0), shared_error(o, 1)));
    middle = gcal_median(o->sorted, n);
    scale = fmax(scale_of_taken(o, n, middle), hypot(o->error[i], shared_error(o, i)));
    return fabs(o->location[i] - middle) > fmax(FLOOR, SCALES * scale);
}

/* -1, 0 or 1: whether kernel k takes less or more time than the device's others tell. */
static int sign_of(const struct search *o, size_t i, size_t k)
{
    size_t at = k * o->d->n_devices + i;
    double away = o->x[at] - o->location[i] - o->middle[k];

    if (!(fabs(away) >
          fmax(o->limit[k], SCALES * hypot(o->d->spread[at], shared_error(o, i)))))
        return 0;
    return away < 0 ? -1 : 1;
}

/* Rows that deviate in one direction. */
struct far {
    size_t n, less, more;
};

static size_t most_alike(const struct far *f)
{
    return f->less > f->more ? f->less : f->more;
}

static struct far count_far(const struct search *o, size_t i, size_t group)
{
    struct far f = { 0 };

    for (size_t k = group; k < o->d->n_kernels; k++) {
        if (o->d->group[k] != group || isnan(o->x[k * o->d->n_devices + i]))
            continue;
        f.n++;
        f.less += sign_of(o, i, k) < 0;
        f.more += sign_of(o, i, k) > 0;
    }
    return f;
}

/* Returns whether some group deviates from the device's other groups, or some rows of several
 * groups.
 */
static bool has_far_rows(const struct search *o, size_t i)
{
    struct far all = { 0 }, groups = { 0 };
    bool two = o->d->n_devices == 2;

    for (size_t group = 0; group < o->d->n_kernels; group++) {
        struct far f;

        if (o->d->group[group] != group)
            continue;
        f = count_far(o, i, group);
        if (most_alike(&f) >= LEAST_ROWS &&
            (double)most_alike(&f) >= (two ? LEAST_SHARE_TWO : LEAST_SHARE) * (double)f.n)
            return true;
        all.n += f.n;
        all.less += f.less;
        all.more += f.more;
        groups.less += f.less > 0;
        groups.more += f.more > 0;
    }
    if (two)
        return false;
    return (groups.less >= LEAST_GROUPS &&
            (double)all.less >= LEAST_SHARE_ALL * (double)all.n) ||
           (groups.more >= LEAST_GROUPS &&
            (double)all.more >= LEAST_SHARE_ALL * (double)all.n);
}

/* The group that is furthest from the other devices. */
static void find_worst(const struct search *o, size_t i, struct gcal_fit_outlier *found)
{
    size_t n_devices = o->d->n_devices;
    double worst = 0;

    for (size_t group = 0; group < o->d->n_kernels; group++) {
        size_t n = 0;
        double middle;

        for (size_t k = group; k < o->d->n_kernels; k++)
            if (o->d->group[k] == group && !isnan(o->x[k * n_devices + i]))
                o->sorted[n++] = o->x[k * n_devices + i];
        middle = gcal_median(o->sorted, n);
        if (fabs(middle) > fabs(worst)) {
            worst = middle;
            found->worst = group;
        }
    }
    found->ratio = exp(o->location[i]);
    found->worst_ratio = exp(worst);
}

/* The rows that do not follow the device's location: their number and median. */
static void find_far(const struct search *o, size_t i, struct gcal_fit_outlier *found)
{
    size_t n = 0;

    for (size_t k = 0; k < o->d->n_kernels; k++)
        if (!isnan(o->x[k * o->d->n_devices + i]) && sign_of(o, i, k))
            o->sorted[n++] = o->x[k * o->d->n_devices + i];
    found->n_far = n;
    found->far_ratio = n ? exp(gcal_median(o->sorted, n)) : 1;
}

/* The slower of two: by all of its rows. */
static bool may_be_outlier(const struct search *o, size_t i)
{
    double sum = 0;

    for (size_t k = 0; o->d->n_devices == 2 && k < o->d->n_kernels; k++)
        if (!isnan(o->x[2 * k]))
            sum += o->x[2 * k + i] - o->x[2 * k + !i];
    return o->d->n_devices > 2 || sum > 0;
}

void gcal_fit_find_outliers(const struct gcal_fit_devices *d,
                            struct gcal_fit_outlier *found)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = d->n_devices, n_kernels = d->n_kernels, n_outliers = 0;
    struct search o = { .d = d,
                        .x = gcal_arena_alloc(arena, n_kernels * n, sizeof(double)),
                        .location = gcal_arena_alloc(arena, n, sizeof(double)),
                        .error = gcal_arena_alloc(arena, n, sizeof(double)),
                        .limit = gcal_arena_alloc(arena, n_kernels, sizeof(double)),
                        .middle = gcal_arena_alloc(arena, n_kernels, sizeof(double)),
                        .sorted =
                            gcal_arena_alloc(arena, n + n_kernels, sizeof(double)) };

    for (size_t i = 0; i < n; i++)
        found[i] =
            (struct gcal_fit_outlier){ .ratio = 1, .worst_ratio = 1, .far_ratio = 1 };
    if (n > 1) {
        for (size_t k = 0; k < n_kernels; k++) {
            double *row = &o.x[k * n], middle;

            for (size_t i = 0; i < n; i++)
                row[i] = log(d->time_s[k * n + i]);
            middle = centre(&o, row);
            for (size_t i = 0; i < n; i++)
                row[i] -= middle;
        }
        find_locations(&o);
        find_limits(&o);
        for (size_t i = 0; i < n; i++) {
            if (isnan(o.location[i]) || !may_be_outlier(&o, i) ||
                !(is_far(&o, i) || has_far_rows(&o, i)))
                continue;
            found[i].is_outlier = true;
            n_outliers++;
            find_worst(&o, i, &found[i]);
            find_far(&o, i, &found[i]);
        }
    }
    /* Without a majority, nothing says which ones deviate. */
    for (size_t i = 0; i < n && n > 2 && 2 * n_outliers >= n; i++)
        found[i].is_outlier = false;
    gcal_arena_destroy(arena);
}
