/* track.h - the parameters of a node's devices over its calibrations, for audits
 *
 * STORE/tracks/NODE.tsv is text, one line for each calibration of a device, appended when
 * it is published.  Fields are separated by tabs:
 *
 *   gpucal_track 2                                 the first line: format and version
 *   columns ID =FINGERPRINT NAME..                 names of values, when they are new
 *   run RUN UTC UID TYPE NAME DRIVER CONFIGURATION CATALOGUE VERSION ID VALUE ERROR..
 *   forget UTC UID MODEL                           the model is no longer published
 *
 * A run has the values of the models that it measured; others stay published.  NAME is
 * MODEL/FORM/PARAMETER/UNIT; FINGERPRINT is that of a model's own part of the
 * configuration, for the columns after it.  VALUE and ERROR are the per-device estimate and its
 * standard error ("-": not determined).  A last line without its newline was cut by a
 * crash: readers skip it, and the next calibration is appended after it.
 */
#ifndef GCAL_STORE_LEDGER_TRACK_H
#define GCAL_STORE_LEDGER_TRACK_H

#include <stddef.h>

#define GCAL_TRACK_HEADER "gpucal_track 2"

struct gcal_error;
struct gcal_params;
struct gcal_store;

struct gcal_track_column {
    const char *model, *form, *parameter, *unit;
    const char *configuration; /* fingerprint of the model's part */
};

struct gcal_track_columns {
    size_t n;
    struct gcal_track_column *column;
};

/* One calibration of one device. */
struct gcal_track_run {
    const char *run_id, *utc, *uid, *type, *name, *driver;
    const char *configuration, *catalogue; /* fingerprints, "" when unknown */
    const char *gpucal_version;
    const struct gcal_track_columns *columns;
    double *value, *error; /* columns->n; NaN: not determined */
    size_t n_devices;      /* of a type's fit, which no track has; else 0 */
};

/* A model that was removed from what is published for a device. */
struct gcal_track_forgotten {
    const char *uid, *model;
    size_t n_runs; /* of the track before it */
};

struct gcal_track {
    size_t n_runs; /* in the order of publication, devices mixed */
    struct gcal_track_run *runs;
    size_t n_forgotten;
    struct gcal_track_forgotten *forgotten;
    void *memory; /* of all of the above */
};

/* The track of a node; without runs when there is none yet.  GCAL_EINPUT with file and
 * line when it is damaged.  Clear it with gcal_track_clear().
 */
int gcal_track_load(const struct gcal_store *store, const char *node,
                    struct gcal_track *track, struct gcal_error *err);
/* The same from memory; changes 'text', which must outlive 'track'; 'name': the file in
 * messages.
 */
int gcal_track_decode(char *text, size_t size, const char *name, struct gcal_track *track,
                      struct gcal_error *err);
void gcal_track_clear(struct gcal_track *track);

/* The lines to append to the track 'before' (NULL: empty) for the devices of 'params'
 * that run 'run_id' calibrated; for the caller to free.
 */
char *gcal_track_encode(const struct gcal_params *params, const char *run_id,
                        const struct gcal_track *before, size_t *size,
                        struct gcal_error *err);
/* The lines to append when 'model' is forgotten on the devices 'uids', or, NULL, all models of the
 * track on all its devices; for the caller to free.
 */
char *gcal_track_encode_forgotten(char *const *uids, size_t n, const char *model,
                                  const struct gcal_track *before, size_t *size,
                                  struct gcal_error *err);

#endif
