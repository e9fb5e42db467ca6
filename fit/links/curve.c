/* curve.c - lines through times of messages by size */
#include <gsl/gsl_fit.h>
#include <math.h>

#include "kernels/base/arena.h"
#include "fit/links/links.h"

/* A range of fewer sizes would be a line through what happens to be there. */
#define LEAST_SIZES 3

/* Errors below this are no reason for another range. */
#define ERROR_FLOOR 0.01

struct points {
    size_t n;
    double *bytes, *time_s, *weight; /* 1/time^2: relative errors */
};

/* The sum of squares of the relative errors of a line through points 'from' to 'to'. */
static double fit_line(const struct points *p, size_t from, size_t to,
                       struct gcal_link_regime *r)
{
    const double *x = &p->bytes[from], *w = &p->weight[from], *y = &p->time_s[from];
    double start_s, byte_s, c00, c01, c11, squares, weights = 0, sum = 0;
    double first = from ? x[0] : 0; /* of the range, which begins with no bytes at all */
    size_t n = to - from;

    gsl_fit_wlinear(x, 1, w, 1, y, 1, n, &start_s, &byte_s, &c00, &c01, &c11, &squares);
    if (start_s + byte_s * first <= 0) { /* steeper than it can be */
        start_s = 0;
        gsl_fit_wmul(x, 1, w, 1, y, 1, n, &byte_s, &c11, &squares);
    } else if (byte_s < 0) { /* a longer message takes no less time */
        for (size_t i = 0; i < n; i++) {
            weights += w[i];
            sum += w[i] * y[i];
        }
        start_s = sum / weights;
        byte_s = squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += w[i] * (y[i] - start_s) * (y[i] - start_s);
    }
    *r = (struct gcal_link_regime){
        .from_bytes = first,
        .from_s = start_s + byte_s * first,
        .byte_s = byte_s,
        .error = sqrt(squares / fmax((double)n - 2, 1)),
    };
    return squares;
}

/* Lines between the first points 'at' of n ranges; the sum of squares. */
static double fit_lines(const struct points *p, size_t n, const size_t *at,
                        struct gcal_link_curve *curve)
{
    double squares = 0;

    curve->n = n;
    for (size_t i = 0; i < n; i++)
        squares += fit_line(p, at[i], i + 1 < n ? at[i + 1] : p->n, &curve->regimes[i]);
    return squares;
}

/* The search for the best way to divide the points. */
struct search {
    const struct points *p;
    size_t at[GCAL_LINK_MAX_REGIMES]; /* the first points of ranges */
    double information;               /* of the best one so far */
    struct gcal_link_curve *curve;
};

/* Tries n ranges, and all that divide the last one. */
static void try_ranges(struct search *s, size_t n)
{
    const struct points *p = s->p;
    struct gcal_link_curve tried;
    double squares = fit_lines(p, n, s->at, &tried), points = (double)p->n;
    double information = points * log(squares / points + ERROR_FLOOR * ERROR_FLOOR) +
                         (double)(3 * n - 1) * log(points);

    if (information < s->information) {
        s->information = information;
        *s->curve = tried;
    }
    for (size_t next = s->at[n - 1] + LEAST_SIZES;
         n < GCAL_LINK_MAX_REGIMES && next + LEAST_SIZES <= p->n; next++) {
        s->at[n] = next;
        try_ranges(s, n + 1);
    }
}

int gcal_link_fit_curve(size_t n, const double *bytes, const double *time_s,
                        struct gcal_link_curve *curve)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct points p = { .bytes = gcal_arena_alloc(arena, n, sizeof(double)),
                        .time_s = gcal_arena_alloc(arena, n, sizeof(double)),
                        .weight = gcal_arena_alloc(arena, n, sizeof(double)) };
    struct search search = { .p = &p, .information = INFINITY, .curve = curve };

    for (size_t i = 0; i < n; i++)
        if (time_s[i] > 0) {
            p.bytes[p.n] = bytes[i];
            p.time_s[p.n] = time_s[i];
            p.weight[p.n++] = 1 / (time_s[i] * time_s[i]);
        }
    if (p.n >= 2)
        try_ranges(&search, 1);
    gcal_arena_destroy(arena);
    if (p.n < 2)
        return -1;
    if (curve->n == 1 && curve->regimes[0].from_s > 0 && curve->regimes[0].byte_s > 0) {
        struct gcal_link_regime *r = curve->regimes;

        /* One line all the same is two ranges, as pairs may deviate in either: of messages that
         * take their latency above all, and of those that take their bytes.
         */
        r[1] = r[0];
        r[1].from_bytes = r[0].from_s / r[0].byte_s;
        r[1].from_s = 2 * r[0].from_s;
        curve->n = 2;
    }
    return 0;
}
