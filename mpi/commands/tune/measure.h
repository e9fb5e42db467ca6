/* measure.h - the options of gpucal tune that time configurations, or replay times */
#ifndef GCAL_MPI_COMMANDS_TUNE_MEASURE_H
#define GCAL_MPI_COMMANDS_TUNE_MEASURE_H

#include <argp.h>
#include <jansson.h>

#include "mpi/commands/tune/search.h"

struct gcal_device_info;

struct gcal_tune_measure_options {
    bool measures;   /* --measure above 0 */
    size_t most;     /* SIZE_MAX: as many as are worth it */
    bool all;        /* --measure all */
    double budget_s; /* 0: none */
    const char *times, *t4;
};

/* --measure, --budget, --times, --t4; for argp's 'children'. */
extern const struct argp gcal_tune_measure_argp;

/* What was measured or replayed.  All zero: nothing. */
struct gcal_tune_measured {
    struct gcal_tune_times times;
    bool is_measured, is_replayed;
    struct gcal_tune_progress progress; /* of a measurement */
    struct gcal_tune_replay replay;
};

/* Times configurations of 'space' on this machine's device 'info', or another of its type, or
 * replays the times of a file; does nothing without such options.  Progress is shown on
 * standard error; an interrupt (SIGINT) ends the search, and what was timed stays.
 */
int gcal_tune_measure(struct gcal_arena *arena,
                      const struct gcal_tune_measure_options *options,
                      const struct gcal_tune_space *space,
                      const struct gcal_device_info *info,
                      struct gcal_tune_measured *measured, struct gcal_error *err);

/* ---- measure_print.c ---- */

/* How far a search is, on standard error: one line on a terminal, which is rewritten; otherwise a
 * line now and then.
 */
struct gcal_tune_progress_line {
    const struct gcal_tune_space *space;
    bool terminal, drawn;
    double shown_s;
};

void gcal_tune_progress_begin(struct gcal_tune_progress_line *line,
                              const struct gcal_tune_space *space);
void gcal_tune_progress_show(struct gcal_tune_progress_line *line,
                             const struct gcal_tune_progress *progress);
void gcal_tune_progress_end(struct gcal_tune_progress_line *line);

/* Prints what was measured after the ranking. */
void gcal_tune_measured_print(const struct gcal_tune_measured *measured,
                              const struct gcal_tune_space *space);
/* Adds the keys "measured" or "replay" to the ranking's object. */
void gcal_tune_measured_put_json(const struct gcal_tune_measured *measured,
                                 const struct gcal_tune_space *space, json_t *object);

#endif
