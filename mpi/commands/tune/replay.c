/* replay.c - searches on known times, and other ways to choose beside them */
#include "mpi/commands/tune/replay.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/base/random.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/tune/private.h"

#define N_ORDERS    1000
#define RANDOM_SEED 20261123u

const size_t gcal_tune_replay_after[GCAL_TUNE_REPLAY_N] = { 0, 1, 5, 10, 20, 50 };

/* ---- what is known ---- */

static bool has_time(const struct gcal_tune_times *times, size_t config)
{
    return times->asked[config] && times->times[config].outcome == GCAL_TUNE_TIMED;
}

double gcal_tune_replay_share(const struct gcal_tune_replay *r,
                              const struct gcal_tune_space *space,
                              const struct gcal_tune_times *times, size_t choice)
{
    return choice < space->n_configs && has_time(times, choice)
               ? r->best_s / times->times[choice].seconds
               : 0;
}

static int find_best(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                     struct gcal_error *err)
{
    *r = (struct gcal_tune_replay){ .best = space->n_configs, .best_s = INFINITY };
    for (size_t i = 0; i < space->n_configs; i++) {
        r->n += has_time(times, i);
        r->n_failed += times->asked[i] && !has_time(times, i);
        if (has_time(times, i) && times->times[i].seconds < r->best_s) {
            r->best = i;
            r->best_s = times->times[i].seconds;
        }
    }
    return r->n ? 0
                : gcal_error_set(err, GCAL_EINPUT, "no configuration of %s has a time",
                                 space->kernel);
}

/* ---- one order of measurements ---- */

/* Shares after so many measurements; the choice without any is the first of the order. */
struct trace {
    struct gcal_tune_replay *replay;
    size_t n;
    double best_s, *shares; /* GCAL_TUNE_REPLAY_N */
};

static void trace_begin(struct trace *t, struct gcal_tune_replay *replay, double *shares)
{
    *t = (struct trace){ replay, 0, INFINITY, shares };
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        shares[k] = 0;
}

static void trace_add(struct trace *t, const struct gcal_tune_time *time)
{
    if (time->outcome == GCAL_TUNE_TIMED)
        t->best_s = fmin(t->best_s, time->seconds);
    t->n++;
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        if (t->n <= (gcal_tune_replay_after[k] ? gcal_tune_replay_after[k] : 1))
            t->shares[k] = t->replay->best_s / t->best_s;
}

static void on_timed(void *context, size_t config, const struct gcal_tune_time *time,
                     const struct gcal_tune_progress *progress)
{
    (void)config;
    (void)progress;
    trace_add(context, time);
}

/* ---- searches ---- */

/* Configurations without a time in the file are as if they had failed before. */
static int make_unknown(const struct gcal_tune_space *space,
                        const struct gcal_tune_times *times,
                        struct gcal_tune_times *found, struct gcal_error *err)
{
    if (gcal_tune_times_create(found, space, err) < 0)
        return -1;
    for (size_t i = 0; i < space->n_configs; i++)
        if (!times->asked[i]) {
            found->asked[i] = true;
            found->times[i].outcome = GCAL_TUNE_FAILED;
        }
    return 0;
}

static size_t count_unknown(const struct gcal_tune_times *times)
{
    size_t n = 0;

    for (size_t i = 0; i < times->n; i++)
        n += !times->asked[i];
    return n;
}

static int search(const struct gcal_tune_space *space,
                  const struct gcal_tune_times *times,
                  const struct gcal_tune_search_options *options,
                  const struct gcal_tune_search_hooks *hooks,
                  struct gcal_tune_progress *progress, struct gcal_error *err)
{
    struct gcal_tune_source source = gcal_tune_times_source(times);
    struct gcal_tune_times found;
    int rc = make_unknown(space, times, &found, err);

    if (rc == 0)
        rc = gcal_tune_search(space, &source, options, hooks, &found, progress, err);
    gcal_tune_times_clear(&found);
    return rc;
}

/* To the last number of measurements that is judged. */
static int replay_search(const struct gcal_tune_space *space,
                         const struct gcal_tune_times *times, bool in_order,
                         struct gcal_tune_replay *r, double *shares,
                         struct gcal_error *err)
{
    struct gcal_tune_search_options options = gcal_tune_search_defaults;
    struct trace trace;
    const struct gcal_tune_search_hooks hooks = { on_timed, &trace };
    struct gcal_tune_progress progress;

    options.chance = 0;
    options.in_order = in_order;
    options.most = gcal_tune_replay_after[GCAL_TUNE_REPLAY_N - 1] + count_unknown(times);
    trace_begin(&trace, r, shares);
    return search(space, times, &options, &hooks, &progress, err);
}

static int replay_to_stop(const struct gcal_tune_space *space,
                          const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                          struct gcal_error *err)
{
    struct gcal_tune_progress progress;

    if (search(space, times, &gcal_tune_search_defaults, NULL, &progress, err) < 0)
        return -1;
    r->stopped_after = progress.n_asked - count_unknown(times);
    r->stopped_at = r->best_s / progress.best_s;
    return 0;
}

/* ---- random orders ---- */

static int replay_random(const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                         struct gcal_error *err)
{
    size_t n = r->n + r->n_failed, at = 0;
    size_t *configs = calloc(n + 1, sizeof(*configs));
    double *shares = calloc((size_t)N_ORDERS * GCAL_TUNE_REPLAY_N, sizeof(*shares));
    double column[N_ORDERS], one[GCAL_TUNE_REPLAY_N];
    size_t *order = calloc(n + 1, sizeof(*order));
    uint64_t state = RANDOM_SEED;
    struct trace trace;

    for (size_t i = 0; configs && i < times->n; i++)
        if (times->asked[i])
            configs[at++] = i;
    for (size_t o = 0; configs && shares && order && o < N_ORDERS; o++) {
        gcal_random_shuffle(&state, order, n);
        trace_begin(&trace, r, one);
        for (size_t i = 0; i < n; i++)
            trace_add(&trace, &times->times[configs[order[i]]]);
        memcpy(shares + o * GCAL_TUNE_REPLAY_N, one, sizeof(one));
    }
    for (size_t k = 0; shares && k < GCAL_TUNE_REPLAY_N; k++) {
        for (size_t o = 0; o < N_ORDERS; o++)
            column[o] = shares[o * GCAL_TUNE_REPLAY_N + k];
        r->random[k] = gcal_median(column, N_ORDERS);
    }
    at = configs && shares && order;
    free(configs);
    free(shares);
    free(order);
    return at ? 0 : gcal_error_memory(err);
}

int gcal_tune_replay(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                     struct gcal_error *err)
{
    if (find_best(space, times, r, err) < 0 ||
        replay_search(space, times, false, r, r->search, err) < 0 ||
        replay_search(space, times, true, r, r->in_order, err) < 0 ||
        replay_to_stop(space, times, r, err) < 0)
        return -1;
    return replay_random(times, r, err);
}

/* ---- output ---- */

static void print_shares(const char *name, const double *shares)
{
    printf("%-22s", name);
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        printf(" %6.3f", shares[k]);
    printf("\n");
}

void gcal_tune_replay_print(const struct gcal_tune_replay *r,
                            const struct gcal_tune_space *space,
                            const struct gcal_tune_times *times, size_t n_policies,
                            const struct gcal_tune_policy *policies)
{
    char best[GCAL_UNITS_SIZE];

    printf("%zu configurations with a time, %zu without; the best takes %s: %s\n", r->n,
           r->n_failed, gcal_units(r->best_s, "s", best), space->configs[r->best].name);
    printf("share of the best speed after so many measurements\n%-22s", "");
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        printf(" %6zu", gcal_tune_replay_after[k]);
    printf("\n");
    print_shares("search", r->search);
    print_shares("order of predictions", r->in_order);
    print_shares("random, median", r->random);
    for (size_t i = 0; i < n_policies; i++)
        printf("%-22s %6.3f\n", policies[i].name,
               gcal_tune_replay_share(r, space, times, policies[i].choice));
    printf("the search would stop after %zu measurements, at %.3f\n", r->stopped_after,
           r->stopped_at);
}

static json_t *shares_json(const double *shares)
{
    json_t *array = json_array();

    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        json_array_append_new(array, gcal_json_number(shares[k]));
    return array;
}

json_t *gcal_tune_replay_json(const struct gcal_tune_replay *r,
                              const struct gcal_tune_space *space,
                              const struct gcal_tune_times *times, size_t n_policies,
                              const struct gcal_tune_policy *policies)
{
    json_t *after = json_array(), *chosen = json_object();

    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        json_array_append_new(after, json_integer((json_int_t)gcal_tune_replay_after[k]));
    for (size_t i = 0; i < n_policies; i++)
        json_object_set_new(chosen, policies[i].name,
                            gcal_json_number(gcal_tune_replay_share(r, space, times,
                                                                    policies[i].choice)));
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "timed",
                     (json_int_t)r->n, "failed", (json_int_t)r->n_failed, "best",
                     gcal_tune_config_json(space, r->best), "best_s",
                     gcal_json_number(r->best_s), "measurements", after, "search",
                     shares_json(r->search), "order_of_predictions",
                     shares_json(r->in_order), "random", shares_json(r->random),
                     "policies", chosen, "stopped_after", (json_int_t)r->stopped_after,
                     "stopped_at", gcal_json_number(r->stopped_at));
}
