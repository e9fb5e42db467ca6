/* publish.h - changes of a store: publishing, pruning and signing; and its verification
 */
#ifndef GCAL_STORE_PUBLISH_H
#define GCAL_STORE_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_device_info;
struct gcal_error;
struct gcal_links;
struct gcal_strings;
struct gcal_params;
struct gcal_store;

/* Opens for publishing: makes the sub-folders and tries a write, so that a run that could
 * not publish fails before it measures (GCAL_ESTORE).  The folder itself must exist: a
 * missing one is more often a failed mount than a new store.
 */
struct gcal_store *gcal_store_open_writable(const char *path, struct gcal_error *err);

/* Makes the folder, which everyone may read, unless it exists ('*made': false), and opens it so.
 * GCAL_EINPUT if it has other things than a store.
 */
struct gcal_store *gcal_store_init(const char *path, bool *made, struct gcal_error *err);

/* Returns whether what a driver says of a device can be published: a name that is too long, or a
 * number beyond all limits, is found before it is measured (GCAL_EDEVICE).  'store' NULL: in any
 * store, else in this one, which takes simulated devices or others. /
 */
int gcal_store_check_device(const struct gcal_store *store,
                            const struct gcal_device_info *info, struct gcal_error *err);

/* Publishes the file of 'params->node' and its copy in the history, with a line in the
 * node's track and one in the ledger.  Keeps the devices of the published file that
 * 'params' lacks, and the models of other names on its devices.  -1 (GCAL_ESTORE).
 */
int gcal_store_publish(struct gcal_store *store, const struct gcal_params *params,
                       const char *run_id, struct gcal_error *err);
/* The same for several nodes in parallel: one by one, 10000 would wait for the disk for
 * minutes.  'run_ids': of each of 'params'; those of one node follow each other, the oldest
 * run first.  'published': the number of published nodes; -1 with the errors when some
 * failed.
 */
int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           const char *const *run_ids, size_t count, size_t *published,
                           struct gcal_error *err);
/* Publishes the file of a type and its copy in the history.  Keeps the published models of other names, and those of
 * the same name that are fits of more devices (n_fitted) with the same configuration,
 * catalogue and driver.  1 when it was published, 0 when no model of it is new, -1.
 */
int gcal_store_publish_type(struct gcal_store *store, const struct gcal_params *params,
                            const char *type, const char *run_id, struct gcal_error *err);

/* Publishes what is known of a kernel, whose fingerprint is 'params->node', by its devices, one of
 * each type.  Keeps those of other types, and the newest times of the same type at sizes that the new ones lack.
 */
int gcal_store_publish_learned(struct gcal_store *store, const struct gcal_params *params,
                               const char *run_id, struct gcal_error *err);

/* Publishes what messages from and to a node take (store/links/links.h).  Keeps the classes of links
 * that 'links' lacks.
 */
int gcal_store_publish_links(struct gcal_store *store, const struct gcal_links *links,
                             const char *run_id, struct gcal_error *err);

struct gcal_store_forget {
    const char *model;  /* NULL: nodes as a whole */
    const char *node;   /* glob; NULL: all nodes, and the files of types */
    const char *device; /* gcal_device_info_matches(); NULL: all */
    bool dry_run;       /* only counts */
};

/* Removes a model from the published files; the histories keep it.  Each file is replaced
 * like in a publication, with a line in the ledger and in the node's track.  Counts the
 * files that had it, and their devices, those of types left out.  -1 (GCAL_ESTORE): the
 * files before are done.  What is learned of a kernel is such a model of no node.  Without a model, nodes are removed, with their medians and links, also those whose
 * files somebody has removed or damaged: 'n_files' counts the nodes.
 */
int gcal_store_forget(struct gcal_store *store, const struct gcal_store_forget *what,
                      size_t *n_files, size_t *n_devices, struct gcal_error *err);

/* Removes files from the histories: of each node and type all but the 'keep' published last and those
 * younger than 'max_age_s' (NAN: any age).  Current files, tracks and the ledger stay.  Temporary files that are older than a day go as well.
 * 'removed': number of files; with 'dry_run' they are only counted.  Files in the histories that
 * no line of the ledger has are somebody else's: they stay, and are added to 'strangers' (may be
 * NULL).
 */
int gcal_store_prune(struct gcal_store *store, size_t keep, double max_age_s,
                     bool dry_run, size_t *removed, struct gcal_strings *strangers,
                     struct gcal_error *err);

/* Removes what is known of kernels that no time was learned of for 'older_s', with a line in the ledger
 * each, and observed times that nobody merged for as long.  Adds to 'removed'.
 */
int gcal_store_prune_learned(struct gcal_store *store, double older_s, bool dry_run,
                             size_t *removed, struct gcal_error *err);

/* Signs every parameter file, also in the histories, that is not yet signed with the
 * store's key, and the ledger; 'n_signed': the number of files.  Run gcal_store_verify() before, as it signs
 * whatever is there.
 */
int gcal_store_sign(struct gcal_store *store, size_t *n_signed, struct gcal_error *err);

/* ---- verification ---- */

struct gcal_verify_result {
    size_t n_lines, n_files, n_signed;
    size_t n_damaged;     /* files or lines that differ from the ledger */
    size_t n_interrupted; /* publications that a crash or a full disk ended half-way: the
                             previous file is still the current one; publishing again
                             repairs it */
    char *text;           /* a line about each; NULL: none */
};

/* Compares the store with its ledger.  Takes no lock: a file that is published meanwhile
 * may count as interrupted, never as damaged.
 */
int gcal_store_verify(const struct gcal_store *store, struct gcal_verify_result *verify,
                      struct gcal_error *err);
void gcal_verify_result_clear(struct gcal_verify_result *verify);

#endif
