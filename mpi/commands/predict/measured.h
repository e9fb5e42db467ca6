/* measured.h - kernels with their measured times, gathered from a run or from its record
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_MEASURED_H
#define GCAL_MPI_COMMANDS_PREDICT_MEASURED_H

#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"
#include "store/record/record.h"

struct gcal_error;
struct gcal_profile;

struct gcal_measured_kernel {
    struct gcal_run_kernel kernel;
    bool measured; /* the rest is filled */
    enum gcal_measurement_status status;
    char *detail; /* why it is not good; NULL when there is nothing to say */
    size_t n_samples;
    double time_s, spread; /* median; its relative standard error */
    struct gcal_built built;
    char *uncounted; /* why 'kernel' has names only; NULL: it has its counts */
};

struct gcal_measured_kernels {
    const char *uid; /* of the device whose measurements count */
    const char *node;
    size_t first; /* of the kernels that these measurements are of */
    size_t n, capacity;
    struct gcal_measured_kernel *kernels;
    size_t n_left_out; /* that could not be counted */
};

/* An empty kernel, to be filled; NULL with 'err'. */
struct gcal_measured_kernel *
gcal_measured_kernels_add(struct gcal_measured_kernels *measured, struct gcal_error *err);
/* Gathers what goes to a run's sink. */
struct gcal_run_sink gcal_measured_kernels_sink(struct gcal_measured_kernels *measured);
/* Appends all that a record has of its device 'device'. */
int gcal_measured_kernels_read(struct gcal_measured_kernels *measured,
                               const struct gcal_record *record, size_t device,
                               struct gcal_error *err);
/* Its counts, with what the driver of a device of 'type' said of it; the caller's to
 * destroy.
 */
struct gcal_profile *gcal_measured_kernel_profile(const struct gcal_measured_kernel *k,
                                                  const char *type,
                                                  struct gcal_error *err);
/* Whether any is a target of 'model'. */
bool gcal_measured_kernels_have_target(const struct gcal_measured_kernels *measured,
                                       const char *model);
/* Whether a kernel was left out or failed; one that the device has no room for did not. */
bool gcal_measured_kernels_lack_some(const struct gcal_measured_kernels *measured);
void gcal_measured_kernels_clear(struct gcal_measured_kernels *measured);

#endif
