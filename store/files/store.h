/* store.h - the shared folder where parameter files are published
 *
 *   STORE/nodes/NODE.yaml              the current file of each node
 *   STORE/types/TYPE.yaml              the pooled fit of a device type (node "TYPE")
 *   STORE/learned/KERNEL.yaml      what times say of a kernel (node: its fingerprint)
 *   STORE/links/NODE.yaml          messages between nodes (store/links/links.h)
 *   STORE/history/NODE/RUN_ID.yaml     all published files of nodes, until pruned
 *   STORE/type-history/TYPE/RUN_ID.yaml, STORE/learned-history/.., STORE/link-history/..  the same of types, kernels, links
 *   STORE/tracks/NODE.tsv              one line per calibration (track.h)
 *   STORE/ledger/HOST.tsv              one line per change of the store (ledger.h)
 *   STORE/locks/NODE.lock              held while a node is calibrated
 *
 * A reader takes no lock, and sees either the old or the new file as a whole.  It reads
 * only regular files that nobody but those who may write to the store could have written
 * (see gcal_store_open()).
 */
#ifndef GCAL_STORE_FILES_STORE_H
#define GCAL_STORE_FILES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/strings.h"
#include "store/params/params.h"

struct gcal_error;
struct gcal_store;

/* Opens for reading; GCAL_EINPUT when the folder does not exist or everyone may write to
 * it, or to a folder above it without the sticky bit.  Later calls refuse files that are links, not regular files, too large, or writable
 * by others than root, the reader and those who may write to the folder.
 */
struct gcal_store *gcal_store_open(const char *path, struct gcal_error *err);
void gcal_store_close(struct gcal_store *store);

/* Signs files that are published from now on with the secret key in the file 'path';
 * GCAL_EINPUT when that is not a key, or others can read it.
 */
int gcal_store_sign_with(struct gcal_store *store, const char *path,
                         struct gcal_error *err);
/* Refuses parameter files from now on unless one of the public keys in the file 'path',
 * one per line, has signed them.
 */
int gcal_store_trust(struct gcal_store *store, const char *path, struct gcal_error *err);

/* Returns whether the store has a file 'simulated': what is measured on simulated devices is
 * published to such stores, and nothing else is. /
 */
bool gcal_store_is_for_simulations(const struct gcal_store *store);

/* Takes the lock of a node until 'store' is closed; -1 (GCAL_EDEVICE) with the name of
 * the run that holds it.  'owner': text for that message, kept in the lock file.
 */
int gcal_store_lock(struct gcal_store *store, const char *node, const char *owner,
                    struct gcal_error *err);

/* Returns whether another process holds the lock of the node: 1, 0, -1 unknown. */
int gcal_store_is_locked(const struct gcal_store *store, const char *node);

/* Names of nodes, types and runs ('what') become file names: [A-Za-z0-9._-]+, no leading '.'. */
int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err);

/* Names, sorted; free with gcal_strings_free(). */
int gcal_store_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err);
int gcal_store_types(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err);
/* Run ids in the history of a node or type ('scope': "nodes/NODE" or "types/TYPE"), by the clocks
 * of the runs; gcal_ledger_history() has the order of publication.
 */
int gcal_store_history(const struct gcal_store *store, const char *scope, char ***names,
                       size_t *count, struct gcal_error *err);

/* The parameter file of a node; of run 'run_id' from its history when that is not NULL.
 */
int gcal_store_load(const struct gcal_store *store, const char *node, const char *run_id,
                    struct gcal_params *params, struct gcal_error *err);

/* The same of a type: its file describes one device, the first that the fit has. */
int gcal_store_load_type(const struct gcal_store *store, const char *type,
                         const char *run_id, struct gcal_params *params,
                         struct gcal_error *err);

/* What is known of a kernel: 1, 0 if it is nothing, -1; clear 'params' in any case. */
int gcal_store_load_learned(const struct gcal_store *store, const char *fingerprint,
                            struct gcal_params *params, struct gcal_error *err);
/* The fingerprints of all kernels of which something is known, as gcal_store_nodes(). */
int gcal_store_learned(const struct gcal_store *store, char ***names, size_t *count,
                       struct gcal_error *err);

/* A node's file, with models decoded one by one when needed. */
struct gcal_params_index *gcal_store_load_index(const struct gcal_store *store,
                                                const char *node, const char *run_id,
                                                struct gcal_error *err);

/* Distinguishes a node's file from the one that replaces it. */
struct gcal_store_stamp {
    uint64_t device, inode, size;
    int64_t changed_ns;
};

int gcal_store_stamp(const struct gcal_store *store, const char *node,
                     struct gcal_store_stamp *stamp, struct gcal_error *err);

#endif
