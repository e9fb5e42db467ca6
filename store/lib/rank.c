/* rank.c - the fastest of several kernels, for programs that choose a variant at run time */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "store/lib/private.h"
#include "store/predict/predictor.h"

/* A variant as it is ordered. */
struct place {
    size_t index;
    int class; /* 0: covered; 1: some work has no cost; 2: not predicted */
    double time_s, misfit;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->class != y->class)
        return x->class - y->class;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The first failure's reason goes to 'why'. */
static struct place predict(const struct gpucal_variant *v, size_t index,
                            struct gcal_error *why)
{
    struct place place = { .index = index, .class = 2, .time_s = INFINITY };
    struct gcal_error e = { 0 };
    struct gcal_prediction p;

    if (gcal_predictor_eval(v->model->predictor, v->sizes, &p, NULL, &e) < 0) {
        if (!why->code)
            *why = e;
        return place;
    }
    place.class = p.not_covered > GCAL_PREDICTOR_COVERED;
    place.time_s = p.time_s;
    place.misfit = p.misfit;
    return place;
}

/* The probability that 'a' takes less time than 'b': errors of logarithms of times are
 * normally distributed and independent.
 */
static double probability(const struct place *a, const struct place *b)
{
    double spread = hypot(a->misfit, b->misfit);
    double lead = log(b->time_s / a->time_s);

    if (a->class || b->class)
        return NAN;
    if (!(spread > 0))
        return lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
    return 0.5 * erfc(-lead / spread * M_SQRT1_2);
}

API int gpucal_rank(struct gpucal_variant *variants, size_t count, size_t *order,
                    struct gpucal_error *err)
{
    struct place *places = calloc(count + 1, sizeof(*places));
    struct gcal_error e = { 0 };
    int rc = 0;

    if (!places) {
        gcal_error_memory(&e);
        return gpucal_error_from(err, &e);
    }
    for (size_t i = 0; i < count; i++)
        places[i] = predict(&variants[i], i, &e);
    qsort(places, count, sizeof(*places), compare);
    for (size_t i = 0; i < count; i++) {
        struct gpucal_variant *v = &variants[places[i].index];

        order[i] = places[i].index;
        v->time_s = places[i].time_s;
        v->is_covered = !places[i].class;
        v->faster = probability(&places[i], &places[0]);
    }
    if (!count)
        gcal_error_set(&e, GCAL_EINPUT, "there is no variant to rank");
    if (!count || places[0].class == 2)
        rc = gpucal_error_from(err, &e);
    free(places);
    return rc;
}
