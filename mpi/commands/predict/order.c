/* order.c - variants of a kernel, predicted and sorted by time */
#include "mpi/commands/predict/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "store/predict/ratio.h"

/* For the probability that the first is the fastest: the time of the integral grows by the
 * square of the rivals' number.
 */
enum { MOST_RIVALS = 256 };

struct gcal_order_variant *gcal_order_add(struct gcal_order *r, struct gcal_error *err)
{
    struct gcal_order_variant *grown =
        gcal_array_grow(r->variants, r->n, &r->capacity, sizeof(*grown), err);

    if (!grown)
        return NULL;
    r->variants = grown;
    grown[r->n] = (struct gcal_order_variant){ .index = r->n, .faster_than_first = NAN };
    return &grown[r->n++];
}

void gcal_order_clear(struct gcal_order *r)
{
    for (size_t i = 0; i < r->n; i++) {
        gcal_predict_target_clear(&r->variants[i].target);
        gcal_ratio_side_destroy(r->variants[i].side);
        free(r->variants[i].refusal);
    }
    free(r->variants);
    *r = (struct gcal_order){ 0 };
}

/* The predictions of all variants, by several threads. */
struct predicting {
    struct gcal_order *order;
    const struct gcal_params_device *device;
};

/* What cannot be predicted says why. */
static int predict(void *context, size_t i, struct gcal_error *err)
{
    struct predicting *all = context;
    struct gcal_order_variant *v = &all->order->variants[i];
    struct gcal_error why = { 0 };
    struct gcal_predictor *p =
        gcal_predictor_create(all->device, all->order->model, v->target.profile, &why);

    if (p)
        v->side = gcal_ratio_side_create(p, v->target.sizes, &v->prediction, &why);
    v->prediction.outside = v->prediction.gap = NULL; /* owned by the predictor */
    v->prediction.roof = v->prediction.class = NULL;
    gcal_predictor_destroy(p);
    if (!v->side && !(v->refusal = strdup(why.text)))
        return gcal_error_memory(err);
    return 0;
}

/* 0: covered; 1: some work has no cost; 2: not predicted. */
static int rank_class(const struct gcal_order_variant *v)
{
    return v->refusal ? 2 : v->prediction.not_covered > GCAL_PREDICTOR_COVERED;
}

static int by_class_and_time(const void *a, const void *b)
{
    const struct gcal_order_variant *x = a, *y = b;
    int order = rank_class(x) - rank_class(y);
    double x_s = x->prediction.time_s, y_s = y->prediction.time_s;

    return order || x->refusal ? order : (x_s > y_s) - (x_s < y_s);
}

static int compare(struct gcal_order *r, struct gcal_error *err)
{
    size_t n = r->n_covered < MOST_RIVALS ? r->n_covered : MOST_RIVALS;
    const struct gcal_ratio_side *sides[MOST_RIVALS];

    for (size_t i = 0; i < r->n_covered; i++)
        r->variants[i].faster_than_first =
            gcal_ratio_of(r->variants[i].side, r->variants[0].side).faster;
    for (size_t i = 0; i < n; i++)
        sides[i] = r->variants[i].side;
    return gcal_ratio_fastest(sides, n, 0, &r->fastest, err);
}

static int choose_model(struct gcal_order *r, const struct gcal_params_device *device,
                        struct gcal_error *err)
{
    const struct gcal_profile **profiles = calloc(r->n + 1, sizeof(*profiles));
    const struct gcal_params_model *model;

    if (!profiles)
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        profiles[i] = r->variants[i].target.profile;
    model = gcal_predictor_choose(device, r->model, r->n, profiles, err);
    free(profiles);
    r->model = model ? model->name : NULL;
    return model ? 0 : -1;
}

static int sort(struct gcal_order *r, struct gcal_error *err)
{
    qsort(r->variants, r->n, sizeof(*r->variants), by_class_and_time);
    if (r->variants[0].refusal)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %s", r->variants[0].name,
                              r->variants[0].refusal);
    for (r->n_covered = 0;
         r->n_covered < r->n && rank_class(&r->variants[r->n_covered]) == 0;)
        r->n_covered++;
    return 0;
}

int gcal_order_variants(struct gcal_order *r, const struct gcal_params_device *device,
                        struct gcal_error *err)
{
    struct predicting all = { r, device };
    int rc = choose_model(r, device, err);

    if (rc == 0)
        rc = gcal_threads_run(r->n, gcal_threads_processors(), predict, &all, err);
    if (rc == 0)
        rc = sort(r, err);
    if (rc == 0 && r->n_covered)
        rc = compare(r, err);
    return rc;
}
