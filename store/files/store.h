/* store.h - the shared folder where parameter files are published
 *
 *   STORE/nodes/NODE.yaml              what holds now, one file per node
 *   STORE/types/TYPE.yaml              the pooled fit of a device type (node "TYPE")
 *   STORE/history/NODE/RUN_ID.yaml     every file that was published and not pruned
 *   STORE/tracks/NODE.tsv              a line for every calibration (track.h)
 *   STORE/ledger.tsv                   a line for every change of the store (ledger.h)
 *   STORE/locks/NODE.lock              held while a node is calibrated
 *
 * A reader sees the old file or the whole new one, never a part, and takes no lock.
 * What it reads must be a regular file of someone who may write there, that no one else
 * can change (see gcal_store_open()).
 */
#ifndef GCAL_STORE_FILES_STORE_H
#define GCAL_STORE_FILES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/params/params.h"

struct gcal_error;
struct gcal_store;

/* Opens for reading; GCAL_EINPUT when the folder is not there, or when everyone may write
 * to it.  Files in it are refused that are links, or no regular files, or too large, or
 * that others than root, the reader and those who may write to the folder could have
 * written.
 */
struct gcal_store *gcal_store_open(const char *path, struct gcal_error *err);
void gcal_store_close(struct gcal_store *store);

/* From now on files are signed with the secret key in the file 'path' when they are
 * published; GCAL_EINPUT when it is none, or when others can read it.
 */
int gcal_store_sign_with(struct gcal_store *store, const char *path,
                         struct gcal_error *err);
/* From now on parameter files are refused unless one of the public keys in the file
 * 'path', one per line, has signed them.
 */
int gcal_store_trust(struct gcal_store *store, const char *path, struct gcal_error *err);

/* Takes the lock of a node for the life of 'store'; -1 (GCAL_EDEVICE) naming the run
 * that holds it.  'owner' is kept in the lock file for that message.
 */
int gcal_store_lock(struct gcal_store *store, const char *node, const char *owner,
                    struct gcal_error *err);

/* Names, sorted; free with gcal_store_names_free(). */
int gcal_store_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err);
int gcal_store_types(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err);
/* Run ids of a node's history, oldest first. */
int gcal_store_history(const struct gcal_store *store, const char *node, char ***names,
                       size_t *count, struct gcal_error *err);
void gcal_store_names_free(char **names, size_t count);

/* What is published for a node; from its history when 'run_id' is not NULL. */
int gcal_store_load(const struct gcal_store *store, const char *node, const char *run_id,
                    struct gcal_params *params, struct gcal_error *err);
int gcal_store_load_type(const struct gcal_store *store, const char *type,
                         struct gcal_params *params, struct gcal_error *err);

/* A file of which models are decoded one by one; from the history when 'run_id' is not
 * NULL.
 */
struct gcal_params_index *gcal_store_load_index(const struct gcal_store *store,
                                                const char *node, const char *run_id,
                                                struct gcal_error *err);

/* What tells a node's file from the one that takes its place. */
struct gcal_store_stamp {
    uint64_t device, inode, size;
    int64_t changed_ns;
};

int gcal_store_stamp(const struct gcal_store *store, const char *node,
                     struct gcal_store_stamp *stamp, struct gcal_error *err);

#endif
