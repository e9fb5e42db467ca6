/* publish.h - changes of a store: publishing, pruning, signing; and the check of all of
 * it */
#ifndef GCAL_STORE_PUBLISH_H
#define GCAL_STORE_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_params;
struct gcal_store;

/* Opens for publishing: makes the sub-folders and tries a write, so that a run learns
 * before it measures that it could not publish (GCAL_ESTORE).  The folder itself must
 * exist: one that is missing is more often a mount that failed than a new store.
 */
struct gcal_store *gcal_store_open_writable(const char *path, struct gcal_error *err);

/* Publishes the file of 'params->node', and the history's, with a line in the node's
 * track and in the ledger.  Devices that the published file has and 'params' has not stay
 * in it.
 */
int gcal_store_publish(struct gcal_store *store, const struct gcal_params *params,
                       const char *run_id, struct gcal_error *err);
/* The same for several nodes, some at a time: 10000 would wait for the disk one after the
 * other for minutes.  'published' counts those that were; -1 with the first one's error
 * when some were not.
 */
int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           size_t count, const char *run_id, size_t *published,
                           struct gcal_error *err);
/* The file of a type is not replaced by the fit of fewer devices (n_fitted) with the same
 * configuration, catalogue and driver.  1 when it was published, 0 when it was not.
 */
int gcal_store_publish_type(struct gcal_store *store, const struct gcal_params *params,
                            const char *type, const char *run_id, struct gcal_error *err);

/* Removes files from the histories: of each node all but the newest 'keep' and those
 * younger than 'max_age_s' (NAN: whatever the age); what holds now, tracks and ledger
 * stay.  'removed' counts files; with 'dry_run' they are only counted.
 */
int gcal_store_prune(struct gcal_store *store, size_t keep, double max_age_s,
                     bool dry_run, size_t *removed, struct gcal_error *err);

/* Signs every parameter file that is not signed with that key yet, the history's, too;
 * 'n_signed': how many.  What it is that is signed is for gcal_store_verify() to say
 * before.
 */
int gcal_store_sign(struct gcal_store *store, size_t *n_signed, struct gcal_error *err);

/* ---- the check ---- */

struct gcal_verify_result {
    size_t n_lines, n_files, n_signed;
    size_t n_damaged;     /* files or lines that are not what the ledger says */
    size_t n_interrupted; /* publications that a crash or a full disk ended half-way: the
                             file before still holds; publishing again mends it */
    char *text;           /* a line about each, NULL when there is none */
};

/* Takes no lock: what is published meanwhile may count as interrupted, never as damaged.
 */
int gcal_store_verify(const struct gcal_store *store, struct gcal_verify_result *verify,
                      struct gcal_error *err);
void gcal_verify_result_clear(struct gcal_verify_result *verify);

#endif
