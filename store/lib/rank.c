/* rank.c - the fastest of several kernels, for programs that choose a variant at run time, and
 * two of them compared
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "store/lib/private.h"
#include "store/predict/predictor.h"
#include "store/predict/ratio.h"

/* A variant as it is ordered. */
struct place {
    size_t index;
    int class; /* 0: covered; 1: some work has no cost; 2: not predicted */
    double time_s;
    struct gcal_ratio_side *side; /* NULL: not predicted */
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

static void places_free(struct place *places, size_t count)
{
    for (size_t i = 0; places && i < count; i++)
        gcal_ratio_side_destroy(places[i].side);
    free(places);
}

/* The variants in their order; 'why' gets the reason of the first that is not predicted.  NULL
 * without memory.
 */
static struct place *predict_all(const struct gpucal_variant *variants, size_t count,
                                 struct gcal_error *why)
{
    struct place *places = calloc(count + 1, sizeof(*places));
    struct gcal_error e = { 0 };

    if (!places)
        gcal_error_memory(why);
    for (size_t i = 0; places && i < count; i++) {
        struct gcal_prediction p = { .time_s = INFINITY };
        struct gcal_ratio_side *side = gcal_ratio_side_create(
            variants[i].model->predictor, variants[i].sizes, &p, &e);
        places[i] =
            (struct place){ .index = i,
                            .class = side ? p.not_covered > GCAL_PREDICTOR_COVERED : 2,
                            .time_s = side ? p.time_s : INFINITY,
                            .side = side };
        if (places[i].side)
            continue;
        if (!why->code || e.reason == GCAL_REASON_MEMORY)
            *why = e;
        if (e.reason == GCAL_REASON_MEMORY) {
            places_free(places, count);
            places = NULL;
        }
    }
    return places;
}

static bool check_variants(const struct gpucal_variant *variants, size_t count,
                           const char *function, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };

    if (!gpucal_can_count(err, function, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const void *const pointers[] = { variants[i].model, variants[i].sizes };
        bool has_sizes = !variants[i].model || variants[i].model->n_sizes;

        if (GPUCAL_CHECK_RESERVED(&variants[i], "variant", i, &e) < 0) {
            gpucal_error_from(err, &e);
            return false;
        }
        if (!gpucal_are_given(err, function, pointers, has_sizes ? 2 : 1))
            return false;
    }
    return true;
}

API int gpucal_rank(struct gpucal_variant *variants, size_t count, size_t *order,
                    struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    struct place *places;
    int rc = 0;

    if ((count && !GIVEN(err, variants, order)) ||
        !check_variants(variants, count, __func__, err))
        return -1;
    if (!(places = predict_all(variants, count, &e)))
        return gpucal_error_from(err, &e);
    qsort(places, count, sizeof(*places), compare);
    for (size_t i = 0; i < count; i++) {
        struct gpucal_variant *v = &variants[places[i].index];

        order[i] = places[i].index;
        v->time_s = places[i].time_s;
        v->is_covered = !places[i].class;
        v->faster = places[i].side && places[0].side
                        ? gcal_ratio_of(places[i].side, places[0].side).faster
                        : NAN;
    }
    if (!count)
        gcal_error_set(&e, GCAL_EINPUT, "there is no variant to rank");
    if (!count || places[0].class == 2)
        rc = gpucal_error_from(err, &e);
    places_free(places, count);
    return rc;
}

API int gpucal_compare(const struct gpucal_model *a, const double *a_sizes,
                       const struct gpucal_model *b, const double *b_sizes,
                       struct gpucal_ratio *ratio, struct gpucal_error *err)
{
    struct gcal_ratio r;
    struct gcal_error e;

    if (!GIVEN(err, a, b, ratio) || (a->n_sizes && !GIVEN(err, a_sizes)) ||
        (b->n_sizes && !GIVEN(err, b_sizes)))
        return -1;
    if (gcal_ratio_predict(a->predictor, a_sizes, b->predictor, b_sizes, &r, &e) < 0)
        return gpucal_error_from(err, &e);
    *ratio = (struct gpucal_ratio){ .ratio = r.ratio,
                                    .low = r.low,
                                    .high = r.high,
                                    .correlation = r.correlation,
                                    .faster = r.faster };
    return 0;
}

/* NULL for variants that are not predicted, but for 'which', which must be. */
static int make_sides(const struct gpucal_variant *variants, size_t count, size_t which,
                      struct gcal_ratio_side **sides, struct gcal_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct gpucal_variant *v = &variants[i];
        struct gcal_prediction p;
        struct gcal_error why = { 0 };

        sides[i] = gcal_ratio_side_create(v->model->predictor, v->sizes, &p, &why);
        if (sides[i] || (i != which && why.reason != GCAL_REASON_MEMORY))
            continue;
        *err = why;
        return -1;
    }
    return 0;
}

API int gpucal_fastest(const struct gpucal_variant *variants, size_t count, size_t which,
                       double *probability, struct gpucal_error *err)
{
    struct gcal_ratio_side **sides;
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, probability) || (count && !GIVEN(err, variants)) ||
        !check_variants(variants, count, __func__, err))
        return -1;
    sides = calloc(count + 1, sizeof(*sides));
    rc = sides ? 0 : gcal_error_memory(&e);
    if (rc == 0 && which >= count)
        rc = gcal_error_set(&e, GCAL_EINPUT, "there is no variant %zu of %zu", which,
                            count);
    if (rc == 0 && (rc = make_sides(variants, count, which, sides, &e)) == 0)
        rc = gcal_ratio_fastest((const struct gcal_ratio_side *const *)sides, count,
                                which, probability, &e);
    for (size_t i = 0; i < count && sides; i++)
        gcal_ratio_side_destroy(sides[i]);
    free(sides);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}
