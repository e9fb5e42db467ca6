/* measure_print.c - what a search found, for people and as JSON */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/tune/measure.h"
#include "mpi/commands/tune/private.h"

/* Rows of the table, and reasons of failures. */
#define MOST_ROWS    10
#define MOST_REASONS 5

/* ---- the configurations by time ---- */

static int compare_times(const void *a, const void *b, void *context)
{
    const struct gcal_tune_times *times = context;
    double x = times->times[*(const size_t *)a].seconds;
    double y = times->times[*(const size_t *)b].seconds;

    return (x > y) - (x < y);
}

/* Those that were timed to the end, the fastest first; the caller's to free. */
static size_t *sort_timed(const struct gcal_tune_times *times, size_t *n)
{
    size_t *order = calloc(times->n + 1, sizeof(*order));

    *n = 0;
    for (size_t i = 0; order && i < times->n; i++)
        if (times->asked[i] && times->times[i].outcome == GCAL_TUNE_TIMED)
            order[(*n)++] = i;
    if (order)
        qsort_r(order, *n, sizeof(*order), compare_times, (void *)times);
    return order;
}

/* ---- for people ---- */

static void print_row(const struct gcal_tune_space *space,
                      const struct gcal_tune_times *times, size_t config, double best_s)
{
    const struct gcal_tune_config *c = &space->configs[config];
    const struct gcal_tune_time *t = &times->times[config];
    char measured[GCAL_UNITS_SIZE], predicted[GCAL_UNITS_SIZE];

    printf("%10s %8.3f %9zu %10s  %s\n", gcal_units(t->seconds, "s", measured),
           t->seconds / best_s, t->launches,
           c->predicted_s > 0 ? gcal_units(c->predicted_s, "s", predicted) : "-",
           c->name);
}

static void print_reasons(const struct gcal_tune_space *space,
                          const struct gcal_tune_times *times)
{
    size_t n = 0;

    for (size_t i = 0; i < times->n; i++) {
        const struct gcal_tune_time *t = &times->times[i];

        if (!times->asked[i] || t->outcome < GCAL_TUNE_FAILED || n++ >= MOST_REASONS)
            continue;
        printf("%s: %s: %.200s\n",
               t->outcome == GCAL_TUNE_WRONG ? "wrong result" : "failed",
               space->configs[i].name, t->why ? t->why : "");
    }
    if (n > MOST_REASONS)
        printf("and %zu more\n", n - MOST_REASONS);
}

static void print_counts(const struct gcal_tune_progress *p)
{
    printf("\n%zu configurations measured in %.1f s", p->n_asked, p->spent_s);
    if (p->n_abandoned)
        printf(", %zu of them abandoned as too slow", p->n_abandoned);
    if (p->n_failed)
        printf(", %zu failed", p->n_failed);
    if (p->n_wrong)
        printf(", %zu with wrong results", p->n_wrong);
    printf("; %s", gcal_tune_stop_text(p->stop));
    if (!isnan(p->chance))
        printf(" (chance of one that is 2 %% faster: %.0f %%)", 100 * p->chance);
    printf("\n");
}

static void print_measured(const struct gcal_tune_measured *m,
                           const struct gcal_tune_space *space)
{
    size_t n, *order = sort_timed(&m->times, &n);

    print_counts(&m->progress);
    if (n)
        printf("%10s %8s %9s %10s  %s\n", "measured", "ratio", "launches", "predicted",
               "configuration");
    for (size_t i = 0; order && i < n && i < MOST_ROWS; i++)
        print_row(space, &m->times, order[i], m->progress.best_s);
    print_reasons(space, &m->times);
    free(order);
}

void gcal_tune_measured_print(const struct gcal_tune_measured *m,
                              const struct gcal_tune_space *space, size_t n_policies,
                              const struct gcal_tune_policy *policies)
{
    if (m->is_measured)
        print_measured(m, space);
    if (!m->is_replayed)
        return;
    printf("\n");
    gcal_tune_replay_print(&m->replay, space, &m->times, n_policies, policies);
}

/* ---- JSON ---- */

static json_t *time_json(const struct gcal_tune_space *space, size_t config,
                         const struct gcal_tune_time *t)
{
    bool has_time = t->outcome <= GCAL_TUNE_ABANDONED;
    json_t *object = json_pack("{s:o, s:s, s:o, s:I, s:o}", "configuration",
                               gcal_tune_config_json(space, config), "outcome",
                               gcal_tune_outcome_name(t->outcome), "time_s",
                               gcal_json_number(has_time ? t->seconds : NAN), "launches",
                               (json_int_t)t->launches, "build_s",
                               gcal_json_number(t->build_s > 0 ? t->build_s : NAN));

    if (t->why && *t->why)
        json_object_set_new(object, "why", json_string(t->why));
    return object;
}

static json_t *measured_json(const struct gcal_tune_measured *m,
                             const struct gcal_tune_space *space)
{
    const struct gcal_tune_progress *p = &m->progress;
    json_t *times = json_array();

    for (size_t i = 0; i < space->n_configs; i++)
        if (m->times.asked[i])
            json_array_append_new(times, time_json(space, i, &m->times.times[i]));
    return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "best",
                     p->best < space->n_configs ? gcal_tune_config_json(space, p->best)
                                                : json_null(),
                     "best_s", gcal_json_number(p->best_s), "chance_of_better",
                     gcal_json_number(p->chance), "stop", gcal_tune_stop_text(p->stop),
                     "spent_s", gcal_json_number(p->spent_s), "times", times);
}

int gcal_tune_measured_put_json(const struct gcal_tune_measured *m,
                                const struct gcal_tune_space *space, size_t n_policies,
                                const struct gcal_tune_policy *policies, json_t *object)
{
    if (m->is_measured &&
        json_object_set_new(object, "measured", measured_json(m, space)) < 0)
        return -1;
    if (!m->is_replayed)
        return 0;
    return json_object_set_new(
        object, "replay",
        gcal_tune_replay_json(&m->replay, space, &m->times, n_policies, policies));
}
