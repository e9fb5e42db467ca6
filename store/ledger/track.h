/* track.h - the parameters of a node's devices over its calibrations, for audits
 *
 * STORE/tracks/NODE.tsv is text, one line for each calibration of a device, appended when
 * it is published.  Fields are separated by tabs:
 *
 *   gpucal_track 1                                 the first line: format and version
 *   columns ID NAME..                              names of values, when they are new
 *   run RUN UTC UID TYPE NAME DRIVER CONFIGURATION CATALOGUE VERSION ID VALUE ERROR..
 *
 * NAME is MODEL/FORM/PARAMETER/UNIT; VALUE and ERROR are the per-device estimate and its
 * standard error ("-": not determined).  A last line without its newline was cut by a
 * crash: readers skip it, and the next calibration is appended after it.
 */
#ifndef GCAL_STORE_LEDGER_TRACK_H
#define GCAL_STORE_LEDGER_TRACK_H

#include <stddef.h>

#define GCAL_TRACK_HEADER "gpucal_track 1"

struct gcal_error;
struct gcal_params;
struct gcal_store;

struct gcal_track_column {
    const char *model, *form, *parameter, *unit;
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
};

struct gcal_track {
    size_t n_runs; /* in the order of publication, devices mixed */
    struct gcal_track_run *runs;
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

#endif
