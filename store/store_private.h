/* store_private.h - what the files of the store share */
#ifndef GCAL_STORE_PRIVATE_H
#define GCAL_STORE_PRIVATE_H

#include "store/store.h"

struct gcal_store {
    int dirfd;
    char *path; /* for messages */
    int *locks; /* held */
    size_t n_locks, lock_capacity;
};

/* Names of nodes, types and runs become file names: [A-Za-z0-9._-]+, no '.' in front. */
int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err);

/* A sub-folder such as "nodes", opened; -1 with errno.  Links are not followed. */
int gcal_store_folder(int dirfd, const char *name);

/* A file of the store that may be trusted, NUL-terminated; 'shown' names it in messages.
 * 1 with 'text', the caller's to free; 0 when there is no such file; -1 (GCAL_EINPUT).
 */
int gcal_store_fetch(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, size_t max_bytes, char **text, size_t *size,
                     struct gcal_error *err);

/* The same of a node's track. */
int gcal_store_track_text(const struct gcal_store *store, const char *node, char **text,
                          size_t *size, struct gcal_error *err);

/* FOLDER/NAME.yaml.  1; 0 when there is no such file; -1. */
int gcal_store_read(const struct gcal_store *store, int folder, const char *name,
                    struct gcal_params *params, struct gcal_error *err);

#endif
