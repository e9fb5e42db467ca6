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

/* FOLDER/NAME.yaml.  1; 0 when there is no such file; -1. */
int gcal_store_read(const struct gcal_store *store, int folder, const char *name,
                    struct gcal_params *params, struct gcal_error *err);

#endif
