/* order.c - variants of a kernel, predicted and sorted by time */
#include "mpi/predict/order.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/error.h"
#include "calib/base/threads.h"
#include "store/predict/rivals.h"

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
    grown[r->n] = (struct gcal_order_variant){ .index = r->n,
                                               .faster_than_next = NAN,
                                               .faster_than_first = NAN };
    return &grown[r->n++];
}

void gcal_order_clear(struct gcal_order *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->variants[i].name);
        gcal_predict_target_clear(&r->variants[i].target);
        free(r->variants[i].log_gradient);
        free(r->variants[i].refusal);
        free(r->variants[i].roofs);
    }
    free(r->variants);
    *r = (struct gcal_order){ 0 };
}

/* Properties of the model that all variants share. */
struct common {
    size_t n_parameters;
    double *covariance; /* of the parameters */
    double misfit;      /* the largest of the variants' */
};

/* The predictions of all variants, by several threads. */
struct predicting {
    struct gcal_order *order;
    const struct gcal_params_device *device;
    struct common *common;
    pthread_mutex_t lock; /* of 'common' and of the order's number of roofs */
};

static int keep_common(struct common *c, const struct gcal_predictor *p,
                       struct gcal_error *err)
{
    size_t n = c->n_parameters = gcal_predictor_parameter_count(p);

    if (c->covariance)
        return 0;
    if (!(c->covariance = calloc(n * n + 1, sizeof(double))))
        return gcal_error_memory(err);
    gcal_predictor_covariance(p, c->covariance);
    return 0;
}

static int keep_roofs(struct gcal_order *r, const struct gcal_predictor *p,
                      struct gcal_order_variant *v, struct gcal_error *err)
{
    size_t n = gcal_predictor_roof_count(p);

    if (!r->wants_roofs || !n)
        return 0;
    if (!(v->roofs = calloc(n, sizeof(*v->roofs))))
        return gcal_error_memory(err);
    return gcal_predictor_roofs(p, v->target.sizes, v->roofs, err);
}

static int eval(struct predicting *all, const struct gcal_predictor *p,
                struct gcal_order_variant *v, struct gcal_error *err)
{
    size_t n = gcal_predictor_parameter_count(p);
    int rc;

    if (!(v->log_gradient = calloc(n + 1, sizeof(double))))
        return gcal_error_memory(err);
    if (gcal_predictor_eval(p, v->target.sizes, &v->prediction, v->log_gradient, err) < 0)
        return -1;
    pthread_mutex_lock(&all->lock);
    if (all->order->wants_roofs)
        all->order->n_roofs = gcal_predictor_roof_count(p);
    all->common->misfit = fmax(all->common->misfit, v->prediction.misfit);
    rc = keep_common(all->common, p, err);
    pthread_mutex_unlock(&all->lock);
    return rc == 0 ? keep_roofs(all->order, p, v, err) : -1;
}

/* What cannot be predicted says why. */
static int predict(void *context, size_t i, struct gcal_error *err)
{
    struct predicting *all = context;
    struct gcal_order_variant *v = &all->order->variants[i];
    struct gcal_error why = { 0 };
    struct gcal_predictor *p =
        gcal_predictor_create(all->device, all->order->model, v->target.profile, &why);
    int rc = p ? eval(all, p, v, &why) : -1;

    v->prediction.outside = v->prediction.gap = NULL; /* owned by the predictor */
    v->prediction.roof = v->prediction.class = NULL;
    gcal_predictor_destroy(p);
    if (rc < 0 && !(v->refusal = strdup(why.text)))
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

/* C g: the parameters' covariance times the gradient of a logarithm of time. */
static void spread_gradient(const struct common *c, const double *gradient,
                            double *spread)
{
    for (size_t i = 0; i < c->n_parameters; i++) {
        spread[i] = 0;
        for (size_t j = 0; j < c->n_parameters; j++)
            spread[i] += c->covariance[i * c->n_parameters + j] * gradient[j];
    }
}

/* g' C h, of 'spread' = C h. */
static double covariance_of(const struct common *c, const double *gradient,
                            const double *spread)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_parameters; i++)
        sum += gradient[i] * spread[i];
    return sum;
}

/* Of the first n: logarithms of times, and their covariances.  The device factor is common
 * to all variants and cannot change their order.
 */
static void fill_candidates(const struct gcal_order *r, const struct common *c, size_t n,
                            double *spread, double *log_time, double *covariance)
{
    for (size_t i = 0; i < n; i++) {
        log_time[i] = log(r->variants[i].prediction.time_s);
        spread_gradient(c, r->variants[i].log_gradient, spread);
        for (size_t j = 0; j < n; j++)
            covariance[i * n + j] = covariance_of(c, r->variants[j].log_gradient, spread);
    }
}

/* The probability that 'a' is faster than 'b'. */
static double compare_pair(const struct gcal_order_variant *a,
                           const struct gcal_order_variant *b, const struct common *c,
                           double *spread)
{
    double log_time[2] = { log(a->prediction.time_s), log(b->prediction.time_s) };
    double covariance[4], misfit[2] = { c->misfit, c->misfit };
    const struct gcal_rivals pair = {
        .n = 2, .log_time = log_time, .covariance = covariance, .misfit = misfit
    };

    spread_gradient(c, a->log_gradient, spread);
    covariance[0] = covariance_of(c, a->log_gradient, spread);
    covariance[1] = covariance[2] = covariance_of(c, b->log_gradient, spread);
    spread_gradient(c, b->log_gradient, spread);
    covariance[3] = covariance_of(c, b->log_gradient, spread);
    return gcal_rivals_faster(&pair, 0, 1);
}

static void compare_pairs(struct gcal_order *r, const struct common *c, double *spread)
{
    for (size_t i = 0; i < r->n_covered; i++) {
        struct gcal_order_variant *v = &r->variants[i];

        v->faster_than_first = compare_pair(v, &r->variants[0], c, spread);
        if (i + 1 < r->n_covered)
            v->faster_than_next = compare_pair(v, v + 1, c, spread);
    }
}

static int compare(struct gcal_order *r, const struct common *c, struct gcal_error *err)
{
    size_t n = r->n_covered < MOST_RIVALS ? r->n_covered : MOST_RIVALS;
    double *log_time = calloc(n * (n + 2) + 1, sizeof(*log_time));
    double *spread = calloc(c->n_parameters + 1, sizeof(*spread));
    struct gcal_rivals candidates = { .n = n, .log_time = log_time };
    int rc = log_time && spread ? 0 : gcal_error_memory(err);

    if (rc == 0) {
        double *misfit = log_time + n, *covariance = misfit + n;

        candidates.misfit = misfit;
        candidates.covariance = covariance;
        for (size_t i = 0; i < n; i++)
            misfit[i] = c->misfit;
        compare_pairs(r, c, spread);
        fill_candidates(r, c, n, spread, log_time, covariance);
        rc = gcal_rivals_fastest(&candidates, 0, &r->fastest, err);
    }
    free(log_time);
    free(spread);
    return rc;
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
    struct common c = { 0 };
    struct predicting all = {
        .order = r, .device = device, .common = &c, .lock = PTHREAD_MUTEX_INITIALIZER
    };
    int rc = choose_model(r, device, err);

    if (rc == 0)
        rc = gcal_threads_run(r->n, gcal_threads_processors(), predict, &all, err);
    if (rc == 0)
        rc = sort(r, err);
    if (rc == 0 && r->n_covered)
        rc = compare(r, &c, err);
    free(c.covariance);
    return rc;
}
