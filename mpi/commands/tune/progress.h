/* progress.h - how far a search is, on standard error */
#ifndef GCAL_MPI_COMMANDS_TUNE_PROGRESS_H
#define GCAL_MPI_COMMANDS_TUNE_PROGRESS_H

#include "mpi/commands/tune/search.h"

/* One line on a terminal, which is rewritten; otherwise a line now and then. */
struct gcal_tune_progress_line {
    bool terminal, drawn;
    double shown_s;
};

void gcal_tune_progress_begin(struct gcal_tune_progress_line *line);
void gcal_tune_progress_show(struct gcal_tune_progress_line *line,
                             const struct gcal_tune_space *space,
                             const struct gcal_tune_progress *progress);
void gcal_tune_progress_end(struct gcal_tune_progress_line *line);

#endif
