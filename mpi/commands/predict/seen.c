/* seen.c - predictions that times of other launches of the same kernel correct */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/profile.h"
#include "calib/learn/corrections.h"
#include "mpi/commands/predict/evaluate.h"
#include "store/predict/predictor.h"

GCAL_ARENA_DESTROYER(destroy_profile, gcal_profile_destroy)

/* Complete rows of the same kernel by the same model, in an order that depends on the row. */
static size_t find_others(const struct gcal_evaluation *e, size_t row,
                          const struct gcal_evaluation_row **others)
{
    const struct gcal_evaluation_row *of = &e->rows[row];
    uint64_t random = row;
    size_t n = 0;

    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *r = &e->rows[i];

        if (r != of && !r->baseline && strcmp(r->model, of->model) == 0 &&
            strcmp(r->variant, of->variant) == 0 && gcal_evaluation_row_is_complete(r))
            others[n++] = r;
    }
    /* A shuffle (Fisher and Yates). */
    for (size_t i = n; i > 1; i--) {
        const struct gcal_evaluation_row *moved = others[i - 1];
        size_t k = gcal_random_next(&random) % i;

        others[i - 1] = others[k];
        others[k] = moved;
    }
    return n;
}

static void clear_prediction(struct gcal_evaluation_row *row, const char *why)
{
    row->predicted_s = row->low_s = row->high_s = NAN;
    row->detail = why;
}

static int correct_row(const struct gcal_evaluation_targets *t,
                       const struct gcal_evaluation_row **others,
                       struct gcal_evaluation_row *row, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_kernel_time *times = gcal_arena_alloc(arena, t->seen, sizeof(*times));
    struct gcal_params_device alone = *t->published;
    struct gcal_params_model model;
    struct gcal_predictor *p = NULL;
    struct gcal_prediction prediction;
    struct gcal_profile *profile =
        gcal_measured_kernel_profile(row->of, t->published->info.type, err);
    int rc = profile ? 0 : -1;

    for (size_t i = 0; i < t->seen && rc == 0; i++) {
        const struct gcal_measured_kernel *k = others[i]->of;
        struct gcal_profile *counts =
            gcal_measured_kernel_profile(k, t->published->info.type, err);

        gcal_arena_own(arena, counts, destroy_profile);
        times[i] = (struct gcal_kernel_time){ counts, k->kernel.size_values, k->time_s,
                                              k->spread };
        rc = counts ? 0 : -1;
    }
    alone.n_models = 1;
    alone.models = &model;
    if (rc == 0 && (rc = gcal_learn_correct(arena, t->published, row->model, profile,
                                            NULL, 0, t->seen, times, &model, err)) == 0)
        rc = (p = gcal_predictor_create(&alone, row->model, profile, err)) &&
                     gcal_predictor_eval(p, row->of->kernel.size_values, &prediction,
                                         NULL, err) == 0
                 ? 0
                 : -1;
    if (rc == 0) {
        row->predicted_s = prediction.time_s;
        row->low_s = prediction.low_s;
        row->high_s = prediction.high_s;
    }
    gcal_predictor_destroy(p);
    gcal_profile_destroy(profile);
    gcal_arena_destroy(arena);
    return rc;
}

int gcal_evaluation_correct(const struct gcal_evaluation_targets *t,
                            struct gcal_evaluation *e, struct gcal_error *err)
{
    const struct gcal_evaluation_row **others =
        gcal_arena_alloc(e->arena, e->n, sizeof(*others));
    struct gcal_evaluation_row *corrected =
        gcal_arena_alloc(e->arena, e->n, sizeof(*corrected));

    for (size_t i = 0; i < e->n; i++) {
        corrected[i] = e->rows[i];
        if (corrected[i].baseline || !corrected[i].general ||
            !gcal_evaluation_row_is_complete(&corrected[i]))
            continue;
        if (find_others(e, i, others) < t->seen)
            clear_prediction(&corrected[i], "fewer launches of this kernel were seen");
        else if (correct_row(t, others, &corrected[i], err) < 0)
            return -1;
    }
    if (e->n)
        memcpy(e->rows, corrected, e->n * sizeof(*corrected));
    return 0;
}
