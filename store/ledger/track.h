/* track.h - how a node's devices went from calibration to calibration: what audits read
 *
 * STORE/tracks/NODE.tsv is text, a line for every calibration of a device, appended when
 * it is published.  Fields stand between tabs:
 *
 *   gpucal_track 1                                 the first line: format and version
 *   columns ID NAME..                              names of values, when they are new
 *   run RUN UTC UID TYPE NAME DRIVER CONFIGURATION CATALOGUE VERSION ID VALUE ERROR..
 *
 * A NAME is MODEL/FORM/PARAMETER/UNIT; VALUE and ERROR are those that the device's own
 * rows tell ("-" where they do not).  A last line without its end was cut by a crash:
 * readers leave it out, and the next calibration goes on after it.
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
    const char *configuration, *catalogue; /* fingerprints, "" where not known */
    const char *gpucal_version;
    const struct gcal_track_columns *columns;
    double *value, *error; /* columns->n; NaN where not told */
};

struct gcal_track {
    size_t n_runs; /* in the order of publication, devices mixed */
    struct gcal_track_run *runs;
    void *memory; /* that all of the above lies in */
};

/* The whole track of a node; without runs where there is none yet.  GCAL_EINPUT with file
 * and line when it is not a track.
 */
int gcal_track_load(const struct gcal_store *store, const char *node,
                    struct gcal_track *track, struct gcal_error *err);
/* The same from memory; 'text' is changed and must outlive 'track'; 'name' stands in
 * messages.
 */
int gcal_track_decode(char *text, size_t size, const char *name, struct gcal_track *track,
                      struct gcal_error *err);
void gcal_track_clear(struct gcal_track *track);

/* The lines that the devices of 'params' calibrated by run 'run_id' add to a track that
 * so far is 'before' (NULL: empty); the caller's to free.
 */
char *gcal_track_encode(const struct gcal_params *params, const char *run_id,
                        const struct gcal_track *before, size_t *size,
                        struct gcal_error *err);

#endif
