/* members.c - what a kernel takes on each device of a type that it was timed on
 *
 * The logarithm of a time over the model's is what the model misses at these sizes, on all devices, and
 * what the device differs by, and noise.  The first two are normal about 0, as the model is of the mean of
 * these devices, so each is its mean given the other (best linear unbiased prediction, by Gauss and
 * Seidel's iteration).
 */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/learn/kernel.h"
#include "calib/learn/private.h"
#include "store/predict/predictor.h"

/* The iteration halves the distance at least every few turns. */
#define TURNS 100

/* A time by its place among the sizes and among the members; n: unknown. */
struct entry {
    size_t size, member;
    double off, weight; /* log(time / model), 1 / variance of its noise */
};

static void list_members(struct gcal_learned *d, struct entry *entries)
{
    for (size_t i = 0; i < d->n_kept; i++) {
        size_t k = 0;

        while (d->kept[i].device && k < d->n_members &&
               strcmp(d->members[k].device, d->kept[i].device) != 0)
            k++;
        if (d->kept[i].device && k == d->n_members)
            d->members[d->n_members++] =
                (struct gcal_params_member){ d->kept[i].device, 1, 0 };
        entries[i].member = d->kept[i].device ? k : d->n_kept;
    }
}

static int compare_with_model(const struct gcal_learned *d, struct entry *entries,
                              struct gcal_error *err)
{
    struct gcal_params_device alone = *d->device;
    struct gcal_params_model model = d->model;
    int rc = 0;

    alone.n_models = 1;
    alone.models = &model;
    for (size_t i = 0; i < d->n && rc == 0; i++) {
        struct gcal_predictor *p =
            gcal_predictor_create(&alone, d->name, d->times[i].profile, err);
        double predicted_s;

        rc = p ? gcal_predictor_time(p, d->times[i].sizes, &predicted_s, err) : -1;
        for (size_t k = i; k < d->n_kept && rc == 0; k++)
            if (strcmp(d->kept[k].sizes, d->kept[i].sizes) == 0) {
                entries[k].size = i;
                entries[k].off =
                    log(d->kept[k].time_s * d->general->factor / predicted_s);
                entries[k].weight = 1 / gcal_learned_noise(d->general, &d->kept[k]);
            }
        gcal_predictor_destroy(p);
    }
    return rc;
}

int gcal_learn_find_members(struct gcal_learned *d, struct gcal_error *err)
{
    size_t n = d->n_kept;
    struct entry *entries = gcal_arena_alloc(d->arena, n, sizeof(*entries));
    double *miss = gcal_arena_alloc(d->arena, d->n, sizeof(double)); /* by size */
    double *off = gcal_arena_alloc(d->arena, n, sizeof(double));     /* by member */
    double missed, between, error = d->model.error_90 / GCAL_PARAMS_NORMAL_90;

    d->between_devices = gcal_learned_devices(
        &d->spreads, d->general,
        &(const struct gcal_params_model){ .n_times = n, .times = d->kept });
    if (!(d->between_devices > 0))
        return 0;
    d->members = gcal_arena_alloc(d->arena, n, sizeof(*d->members));
    list_members(d, entries);
    if (d->n_members < 2)
        return 0; /* the type's model is of the one */
    if (compare_with_model(d, entries, err) < 0)
        return -1;
    missed = 1 / (error * error + GCAL_LEARNED_WITHIN * GCAL_LEARNED_WITHIN);
    between = 1 / (d->between_devices * d->between_devices);
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t s = 0; s < d->n; s++) {
            double sum = 0, weight = missed;

            for (size_t i = 0; i < n; i++)
                if (entries[i].size == s && entries[i].member < n) {
                    sum += entries[i].weight * (entries[i].off - off[entries[i].member]);
                    weight += entries[i].weight;
                }
            miss[s] = sum / weight;
        }
        for (size_t m = 0; m < d->n_members; m++) {
            double sum = 0, weight = between;

            for (size_t i = 0; i < n; i++)
                if (entries[i].member == m) {
                    sum += entries[i].weight * (entries[i].off - miss[entries[i].size]);
                    weight += entries[i].weight;
                }
            off[m] = sum / weight;
        }
    }
    for (size_t m = 0; m < d->n_members; m++) {
        double known = between;

        /* What a time says, less what it has to say of the model at its sizes. */
        for (size_t i = 0; i < n; i++)
            if (entries[i].member == m) {
                double all = missed;

                for (size_t k = 0; k < n; k++)
                    if (entries[k].member < n && entries[k].size == entries[i].size)
                        all += entries[k].weight;
                known += entries[i].weight * (1 - entries[i].weight / all);
            }
        d->members[m].factor = exp(off[m]);
        d->members[m].error = 1 / sqrt(known);
    }
    return 0;
}
