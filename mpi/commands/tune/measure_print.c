/* measure_print.c - how far a search is and what it found, for people and as JSON */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/units.h"
#include "mpi/cli/display.h"
#include "mpi/cli/json.h"
#include "mpi/commands/tune/measure.h"
#include "mpi/commands/tune/private.h"

#define REDRAW_EVERY_S 0.1
#define LINE_EVERY_S   10.0

/* Rows of the table, and reasons of failures. */
#define MOST_ROWS    10
#define MOST_REASONS 5

/* ---- progress ---- */

static void clear_line(void *context)
{
    struct gcal_tune_progress_line *line = context;

    if (line->drawn)
        fputs("\r\033[2K", stderr);
    line->drawn = false;
}

void gcal_tune_progress_begin(struct gcal_tune_progress_line *line,
                              const struct gcal_tune_space *space)
{
    *line = (struct gcal_tune_progress_line){ .space = space,
                                              .terminal =
                                                  gcal_display_is_terminal(STDERR_FILENO),
                                              .shown_s = gcal_clock_now_s() };
    gcal_log_set_hook(clear_line, line);
}

void gcal_tune_progress_end(struct gcal_tune_progress_line *line)
{
    clear_line(line);
    gcal_log_set_hook(NULL, NULL);
}

void gcal_tune_progress_show(struct gcal_tune_progress_line *line,
                             const struct gcal_tune_progress *p)
{
    const struct gcal_tune_space *space = line->space;
    double now_s = gcal_clock_now_s();
    size_t n_bad = p->n_failed + p->n_wrong;
    char best[GCAL_UNITS_SIZE];
    struct gcal_buf text = { 0 };

    if (now_s - line->shown_s < (line->terminal ? REDRAW_EVERY_S : LINE_EVERY_S))
        return;
    line->shown_s = now_s;
    clear_line(line);
    gcal_buf_printf(&text, "%zu of %zu timed", p->n_timed + p->n_abandoned,
                    space->n_configs);
    if (n_bad)
        gcal_buf_printf(&text, ", %zu failed or wrong", n_bad);
    if (p->best < space->n_configs)
        gcal_buf_printf(&text, "; best: %s, %s", gcal_units(p->best_s, "s", best),
                        space->configs[p->best].name);
    if (line->terminal) /* what is wrapped could not be cleared */
        fprintf(stderr, "%.*s", (int)gcal_display_size(STDERR_FILENO).columns - 1,
                text.data ? text.data : "");
    else
        fprintf(stderr, "%s\n", text.data ? text.data : "");
    line->drawn = line->terminal;
    gcal_buf_free(&text);
}

/* ---- for people ---- */

static int compare_times(const void *a, const void *b, void *context)
{
    const struct gcal_tune_times *times = context;
    double x = times->times[*(const size_t *)a].seconds;
    double y = times->times[*(const size_t *)b].seconds;

    return (x > y) - (x < y);
}

/* Those that were timed to the end, the fastest first. */
static void print_times(const struct gcal_tune_space *space,
                        const struct gcal_tune_times *times, double best_s)
{
    size_t n = 0, *order = gcal_arena_alloc(times->arena, times->n, sizeof(*order));

    for (size_t i = 0; i < times->n; i++)
        if (times->asked[i] && times->times[i].outcome == GCAL_TUNE_TIMED)
            order[n++] = i;
    qsort_r(order, n, sizeof(*order), compare_times, (void *)times);
    if (n)
        printf("%10s %8s %9s %10s  %s\n", "measured", "ratio", "launches", "predicted",
               "configuration");
    for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
        const struct gcal_tune_config *c = &space->configs[order[i]];
        const struct gcal_tune_time *t = &times->times[order[i]];
        char measured[GCAL_UNITS_SIZE], predicted[GCAL_UNITS_SIZE];

        printf("%10s %8.3f %9zu %10s  %s\n", gcal_units(t->seconds, "s", measured),
               t->seconds / best_s, t->launches,
               c->predicted_s > 0 ? gcal_units(c->predicted_s, "s", predicted) : "-",
               c->name);
    }
}

void gcal_tune_measured_print(const struct gcal_tune_measured *m,
                              const struct gcal_tune_space *space)
{
    if (m->is_measured) {
        const struct gcal_tune_progress *p = &m->progress;
        printf("\n%zu configurations measured in %.1f s", p->n_asked, p->spent_s);
        if (p->n_abandoned)
            printf(", %zu of them abandoned as too slow", p->n_abandoned);
        if (p->n_failed)
            printf(", %zu failed", p->n_failed);
        if (p->n_wrong)
            printf(", %zu with wrong results", p->n_wrong);
        printf("; %s\n", gcal_tune_stop_text(p->stop));
        print_times(space, &m->times, m->progress.best_s);
        size_t n = 0;
        for (size_t i = 0; i < m->times.n; i++) {
            const struct gcal_tune_time *t = &m->times.times[i];

            if (!m->times.asked[i] || t->outcome < GCAL_TUNE_FAILED ||
                n++ >= MOST_REASONS)
                continue;
            printf("%s: %s: %.200s\n",
                   t->outcome == GCAL_TUNE_WRONG ? "wrong result" : "failed",
                   space->configs[i].name, t->why ? t->why : "");
        }
        if (n > MOST_REASONS)
            printf("and %zu more\n", n - MOST_REASONS);
    }
    if (m->is_replayed) {
        const struct gcal_tune_replay *r = &m->replay;
        char best[GCAL_UNITS_SIZE];

        printf("\n%zu configurations with a time, %zu without; the best takes %s: %s\n",
               r->n, r->n_failed, gcal_units(r->best_s, "s", best),
               space->configs[r->best].name);
        printf("share of the best speed after so many measurements\n%-22s", "");
        for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
            printf(" %6zu", gcal_tune_replay_after[k]);
        printf("\n%-22s", "search");
        for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
            printf(" %6.3f", r->search[k]);
        printf("\nthe search would stop after %zu measurements, at %.3f\n",
               r->stopped_after, r->stopped_at);
    }
}

/* ---- JSON ---- */

void gcal_tune_measured_put_json(const struct gcal_tune_measured *m,
                                 const struct gcal_tune_space *space, json_t *object)
{
    const struct gcal_tune_replay *r = &m->replay;
    json_t *after = json_array(), *shares = json_array();

    if (m->is_measured) {
        const struct gcal_tune_progress *p = &m->progress;
        json_t *times = json_array();

        for (size_t i = 0; i < space->n_configs; i++)
            if (m->times.asked[i]) {
                const struct gcal_tune_time *t = &m->times.times[i];
                bool has_time = t->outcome <= GCAL_TUNE_ABANDONED;
                json_t *one =
                    json_pack("{s:o, s:s, s:o, s:I, s:o}", "configuration",
                              gcal_tune_config_json(space, i), "outcome",
                              gcal_tune_outcome_name(t->outcome), "time_s",
                              gcal_json_number(has_time ? t->seconds : NAN), "launches",
                              (json_int_t)t->launches, "build_s",
                              gcal_json_number(t->build_s > 0 ? t->build_s : NAN));

                if (t->why && *t->why)
                    json_object_set_new(one, "why", json_string(t->why));
                json_array_append_new(times, one);
            }
        json_object_set_new(object, "measured",
                            json_pack("{s:o, s:o, s:s, s:o, s:o}", "best",
                                      p->best < space->n_configs
                                          ? gcal_tune_config_json(space, p->best)
                                          : json_null(),
                                      "best_s", gcal_json_number(p->best_s), "stop",
                                      gcal_tune_stop_text(p->stop), "spent_s",
                                      gcal_json_number(p->spent_s), "times", times));
    }
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++) {
        json_array_append_new(after, json_integer((json_int_t)gcal_tune_replay_after[k]));
        json_array_append_new(shares, gcal_json_number(r->search[k]));
    }
    if (m->is_replayed)
        json_object_set_new(object, "replay",
                            json_pack("{s:I, s:I, s:o, s:o, s:O, s:O, s:I, s:o}", "timed",
                                      (json_int_t)r->n, "failed", (json_int_t)r->n_failed,
                                      "best", gcal_tune_config_json(space, r->best),
                                      "best_s", gcal_json_number(r->best_s),
                                      "measurements", after, "search", shares,
                                      "stopped_after", (json_int_t)r->stopped_after,
                                      "stopped_at", gcal_json_number(r->stopped_at)));
    json_decref(after);
    json_decref(shares);
}
