/* private.h - the copies of a step */
#ifndef GCAL_MPI_COMMANDS_PREDICT_STEP_PRIVATE_H
#define GCAL_MPI_COMMANDS_PREDICT_STEP_PRIVATE_H

#include "mpi/commands/predict/step/step.h"

struct gcal_expr;

struct gcal_step_planned {
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    struct gcal_expr *bytes; /* in the profile's sizes */
    const char *buffer;      /* its name; NULL: not of a buffer */
};

struct gcal_step_plan {
    struct gcal_arena *arena;
    struct gcal_transfers *transfers;
    size_t n, capacity;
    struct gcal_step_planned *copies;
};

#endif
