/* results.h - from a record to fits to what is published
 *
 * Everything here follows from the record alone: 'gpucal fit --record' gives the same
 * numbers, to the byte, as the run that made it.  Which kernels a model is fitted to
 * stands in the record too: each kernel names the models that asked for it.  Rows are
 * the medians of good measurements on devices that were not given up.
 */
#ifndef GCAL_CALIB_RESULTS_H
#define GCAL_CALIB_RESULTS_H

#include "calib/config.h"
#include "fit/fit.h"
#include "store/store.h"

struct gcal_error;

/* One model fitted for one device type, pooled over its devices. */
struct gcal_type_fit {
    char *type;   /* of the devices */
    size_t model; /* index in the configuration */
    struct gcal_fit fit;
    size_t n_kernels, n_samples;
    size_t n_rows;                 /* rows of the fit: a kernel on a device each */
    size_t *row_device;            /* n_rows: index in the record */
    size_t *row_kernel;            /* n_rows: index in the record */
    double *row_time_s;            /* n_rows: medians */
    size_t n_devices;              /* devices of the type with rows */
    size_t *device;                /* n_devices: index in the record */
    double *factor, *factor_error; /* n_devices; NaN when the fit is not good */
};

struct gcal_results {
    size_t n_fits;
    struct gcal_type_fit *fits;
    size_t n_rejected; /* fits that are not good */
};

/* Fits every model of 'config' for every device type of 'record'.  -1 only when the
 * record cannot be read or memory ran out; a fit that is not good is a result.
 */
int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err);
void gcal_results_clear(struct gcal_results *results);

/* Parameter files: one per node that has a device with a good fit; array of 'count', the
 * caller's to clear and free.  Models whose fit was rejected are left out.
 */
int gcal_results_params(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, struct gcal_params **params,
                        size_t *count, struct gcal_error *err);

/* Publishes all of it, types too; 'published' counts nodes.  A simulated record is
 * refused.
 */
int gcal_results_publish(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         size_t *published, struct gcal_error *err);

/* A table for people: per type and model parameters with units and errors, residuals,
 * reasons for rejection; the caller's to free.
 */
char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err);

#endif
