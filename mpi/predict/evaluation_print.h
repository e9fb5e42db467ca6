/* evaluation_print.h - an evaluation as tables and as CSV */
#ifndef GCAL_MPI_PREDICT_EVALUATION_PRINT_H
#define GCAL_MPI_PREDICT_EVALUATION_PRINT_H

#include <stdio.h>

#include "mpi/predict/evaluation.h"
#include "store/params/params.h"

struct gcal_error;

/* An evaluation with its sets and its device. */
struct gcal_evaluation_report {
    const struct gcal_evaluation *evaluation;
    size_t n_sets;
    const struct gcal_evaluation_set *sets;
    const char *node;
    const struct gcal_params_device *device; /* whose parameters predict */
    const char *missing;                     /* models that are not published, or "" */
};

/* The form of a model's costs that was published; "" for a model that was not. */
const char *gcal_evaluation_form(const struct gcal_evaluation_report *report,
                                 const char *model);

/* Prints tables to standard output. */
void gcal_evaluation_print(const struct gcal_evaluation_report *report);

/* A header line that names columns and units, then a line for each kernel, variant,
 * model and set of variants, and one for all.
 */
void gcal_evaluation_csv(FILE *file, const struct gcal_evaluation_report *report);

#endif
