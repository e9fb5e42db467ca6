/* evaluation_print.h - an evaluation as tables and as CSV */
#ifndef GCAL_MPI_COMMANDS_PREDICT_EVALUATION_PRINT_H
#define GCAL_MPI_COMMANDS_PREDICT_EVALUATION_PRINT_H

#include <stdio.h>

#include "mpi/commands/predict/evaluation.h"
#include "store/params/params.h"

struct gcal_baselines;
struct gcal_error;

/* An evaluation with its sets and its device. */
struct gcal_evaluation_report {
    const struct gcal_evaluation *evaluation;
    size_t n_sets;
    const struct gcal_evaluation_set *sets;
    const char *node;
    const struct gcal_params_device *device; /* whose parameters predict */
    const char *missing;                     /* models that are not published, or "" */
    const struct gcal_baselines *baselines;  /* that 'evaluation' has rows of */
};

/* The form of the costs of a model or baseline that was published; "" for one that was not.
 */
const char *gcal_evaluation_form(const struct gcal_evaluation_report *report,
                                 const char *model);

/* Prints tables to standard output: each kernel by the evaluated models, then the figures of
 * all models side by side.
 */
int gcal_evaluation_print(const struct gcal_evaluation_report *report,
                          struct gcal_error *err);
/* The figures alone; nothing for one model of one application and one band. */
int gcal_evaluation_print_table(const struct gcal_evaluation_report *report,
                                struct gcal_error *err);

/* A header line that names columns and units, then a line for each kernel, set of variants,
 * variant, application, band of measured times and model, and one for all.
 */
int gcal_evaluation_csv(FILE *file, const struct gcal_evaluation_report *report,
                        struct gcal_error *err);

#endif
