/* evaluation.h - predicted against measured times, and error summaries
 *
 * Errors are |predicted / measured - 1|, and their mean is the geometric one (Stevens and
 * Kloeckner 2020, section 8).  An error of 0 counts as 1e-16, so that one exact row does
 * not make the mean 0.
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_EVALUATION_H
#define GCAL_MPI_COMMANDS_PREDICT_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"

struct gcal_measured_kernel;

/* Measured times that differ by less are a tie. */
#define GCAL_EVALUATION_TIE 0.02

/* Launches are judged by bands of their measured time: much of a short one's is the launch
 * itself, and long ones are what jobs consist of.
 */
enum gcal_evaluation_band {
    GCAL_EVALUATION_ALL_TIMES,
    GCAL_EVALUATION_BELOW_50_US,
    GCAL_EVALUATION_50_US_TO_1_MS,
    GCAL_EVALUATION_ABOVE_1_MS,
    GCAL_EVALUATION_N_BANDS
};

/* The band of a measured time; all times for one that is NaN. */
enum gcal_evaluation_band gcal_evaluation_band_of(double measured_s);
/* "below_50_us"; "" for all times. */
const char *gcal_evaluation_band_name(enum gcal_evaluation_band band);

/* A kernel, measured, and predicted by a model. */
struct gcal_evaluation_row {
    const struct gcal_measured_kernel *of; /* which outlives the row */
    const char *model, *kernel, *generator;
    const char *application; /* the generator's name up to its first underscore */
    bool baseline;           /* by a model that is printed beside the evaluated ones */
    bool general;            /* by a model that was made for no kernel */
    const char *variant;     /* the kernel's name without its sizes */
    const char *sizes;       /* "n:2048" */
    double predicted_s, low_s, high_s; /* NaN: could not be predicted */
    double measured_s;                 /* median; NaN: could not be measured */
    double spread;                     /* its relative standard error */
    size_t n_samples;
    bool extrapolates;
    double
        estimated; /* how much of the time follows from estimates: see gcal_prediction */
    const char *roof;   /* the limit that binds the kernel; NULL: the model has none */
    const char *class;  /* of its interval; NULL: not predicted */
    double not_covered; /* share of its work that the model has no cost for */
    const char *status; /* "good", or why it was not measured */
    const char *detail; /* why a time is missing; NULL */
};

/* Variants of one model at the same sizes, two or more of them; of a general model,
 * variants of one application.
 */
struct gcal_evaluation_set {
    const char *model, *sizes;
    bool baseline;
    size_t n;
    size_t fastest, chosen; /* rows: the fastest measured, the fastest predicted */
    double lead;            /* of the fastest over the second fastest, relative */
    double loss;            /* of the chosen one against the fastest, relative */
    bool tie;               /* the lead is smaller than GCAL_EVALUATION_TIE */
    bool found;             /* the loss is smaller than that */
    size_t n_pairs;         /* pairs that differ by more than that */
    size_t n_ordered;       /* pairs of these that are predicted in this order */
    double correlation;     /* of the ranks of predicted and measured times (Spearman) */
};

/* Rows by model, variant and size, once sorted; those of baselines come last. */
struct gcal_evaluation {
    struct gcal_arena *arena;
    size_t n, capacity;
    struct gcal_evaluation_row *rows;
    size_t n_sets;
    struct gcal_evaluation_set *sets;
};

/* An empty row with times of NaN, to be filled. */
struct gcal_evaluation_row *gcal_evaluation_add(struct gcal_evaluation *evaluation);
void gcal_evaluation_sort(struct gcal_evaluation *evaluation);
/* Fills the sets of a sorted evaluation. */
void gcal_evaluation_find_sets(struct gcal_evaluation *evaluation);

/* The row has both times. */
bool gcal_evaluation_row_is_complete(const struct gcal_evaluation_row *row);
/* predicted / measured - 1 */
double gcal_evaluation_row_error(const struct gcal_evaluation_row *row);
/* The measured time lies in the predicted interval. */
bool gcal_evaluation_row_inside(const struct gcal_evaluation_row *row);
/* Row 'i' is the first of its model. */
bool gcal_evaluation_starts_model(const struct gcal_evaluation *evaluation, size_t i);

/* ---- of several rows ---- */

/* Rows of a model, a variant, an application and a band; NULL: of all, baselines not
 * counted.
 */
struct gcal_evaluation_filter {
    const char *model, *variant, *application;
    enum gcal_evaluation_band band;
};

enum { GCAL_EVALUATION_N_FACTORS = 3 };
/* 1.25, 1.5, 2 */
extern const double gcal_evaluation_factors[GCAL_EVALUATION_N_FACTORS];

/* Errors are NaN where n is 0. */
struct gcal_evaluation_summary {
    size_t n; /* rows that count */
    size_t n_inside;
    size_t n_missing; /* rows with a measured time and without a prediction */
    double mean_error, worst_error;
    double median_error, average_error; /* the average is the MAPE */
    double time_error; /* by time: sum of |predicted - measured| over that of measured */
    double factor;     /* typical: exp of the mean of |log(predicted / measured)| */
    double factor_90;  /* within which, either way, 90 % of the rows are */
    double width;      /* median of high / low of the intervals */
    size_t n_within[GCAL_EVALUATION_N_FACTORS]; /* of these factors, either way */
    const struct gcal_evaluation_row *worst;    /* by that factor; NULL where n is 0 */
};

struct gcal_evaluation_summary
gcal_evaluation_summarize(const struct gcal_evaluation *evaluation,
                          const struct gcal_evaluation_filter *filter);

struct gcal_evaluation_ordering {
    size_t n_sets, n_found, n_ties, n_pairs, n_ordered;
    double correlation; /* the mean of the sets'; NaN without sets */
};

/* Of a model's sets; NULL: of all, baselines not counted. */
struct gcal_evaluation_ordering
gcal_evaluation_ordering(const struct gcal_evaluation *evaluation, const char *model);

#endif
