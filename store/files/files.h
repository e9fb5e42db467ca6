/* private.h - what the files of the store share */
#ifndef GCAL_STORE_FILES_H
#define GCAL_STORE_FILES_H

#include <sys/types.h>

#include "store/files/store.h"

struct gcal_sign_key;
struct gcal_sign_keys;
struct stat;

struct gcal_store {
    int dirfd;
    char *path;       /* for messages */
    uid_t owner;      /* of the folder */
    gid_t group;      /* likewise */
    bool group_write; /* its group may write there */
    int *locks;       /* held */
    size_t n_locks, lock_capacity;
    struct gcal_sign_key *key;      /* NULL: what is published is not signed */
    struct gcal_sign_keys *own;     /* the public one of it */
    struct gcal_sign_keys *trusted; /* NULL: signatures are not asked for */
};

/* Names of nodes, types and runs become file names: [A-Za-z0-9._-]+, no '.' in front. */
int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err);
bool gcal_store_is_name(const char *name);

/* ---- reading ---- */

/* Whether only those who may have written what 'info' is of: root, who reads, the store's
 * owner, and its group where it may write to the store.  'shown' below the store.  -1
 * (GCAL_EINPUT) with what is to be done.
 */
int gcal_store_check_owner(const struct gcal_store *store, const char *shown,
                           const struct stat *info, struct gcal_error *err);

/* A sub-folder, trusted; 'shown' is its path below the store.  Links are not followed.
 * 1 with 'fd', 0 when it is not there, -1 (GCAL_EINPUT).
 */
int gcal_store_folder(const struct gcal_store *store, int parent, const char *name,
                      const char *shown, int *fd, struct gcal_error *err);
/* "history/NODE" in the same way. */
int gcal_store_history_folder(const struct gcal_store *store, const char *node, int *fd,
                              struct gcal_error *err);

/* A file of the store that may be trusted, NUL-terminated.  1 with 'text', the caller's
 * to free; 0 when there is no such file; -1 (GCAL_EINPUT).
 */
int gcal_store_fetch(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, size_t max_bytes, char **text, size_t *size,
                     struct gcal_error *err);
/* The same of a parameter file, as it stands there. */
int gcal_store_fetch_params(const struct gcal_store *store, int folder, const char *file,
                            const char *shown, char **text, size_t *size,
                            struct gcal_error *err);
/* That it is signed by whom it must be; 'size' is then without the signature. */
int gcal_store_check_signature(const struct gcal_store *store, const char *shown,
                               const char *text, size_t *size, struct gcal_error *err);
/* The same of a node's track. */
int gcal_track_load_text(const struct gcal_store *store, const char *node, char **text,
                         size_t *size, struct gcal_error *err);

/* Names in a folder that end in 'suffix', without that, sorted.  Takes 'folder'. */
int gcal_store_list(int folder, const char *suffix, char ***names, size_t *count,
                    struct gcal_error *err);

/* ---- writing: all errors are GCAL_ESTORE ---- */

int gcal_store_fail(const struct gcal_store *store, const char *what,
                    struct gcal_error *err);
/* Makes a sub-folder unless it is there; its descriptor or -1. */
int gcal_store_make_folder(const struct gcal_store *store, int parent, const char *name,
                           const char *shown, struct gcal_error *err);
/* Whatever the umask; what is made in a store that a group writes to is the group's.  -1
 * with errno.
 */
int gcal_store_set_owner(const struct gcal_store *store, int fd, mode_t mode);
int gcal_store_write_all(int fd, const char *data, size_t size); /* -1 with errno */

/* A new file beside the one that it is to replace, on disk; under the lock of whatever
 * 'temp' is named for, as one that a crash left there goes away.
 */
int gcal_store_prepare(const struct gcal_store *store, int folder, const char *temp,
                       const char *shown, const char *data, size_t size,
                       struct gcal_error *err);
/* The new file takes the place of 'name'; on disk. */
int gcal_store_replace(const struct gcal_store *store, int folder, const char *temp,
                       const char *name, const char *shown, struct gcal_error *err);
/* A line that a crash cut is given this end by the next that is written; tracks and
 * ledgers leave it out.
 */
#define GCAL_STORE_CUT_MARK "\tcut"

/* Opens a file that lines are appended to, made when it is not there. */
int gcal_store_open_append(const struct gcal_store *store, int folder, const char *name,
                           const char *shown, struct gcal_error *err);
/* Lines; what a crash cut before them is marked.  On disk. */
int gcal_store_append(const struct gcal_store *store, int fd, const char *shown,
                      const char *lines, size_t size, struct gcal_error *err);

/* Waits for a lock of the store that is held for moments, and takes it: a descriptor to
 * be closed, or -1.
 */
int gcal_store_lock_briefly(const struct gcal_store *store, const char *file,
                            struct gcal_error *err);
/* Those of a node's files and of a type's. */
int gcal_store_lock_node(const struct gcal_store *store, const char *node,
                         struct gcal_error *err);
int gcal_store_lock_type(const struct gcal_store *store, const char *type,
                         struct gcal_error *err);

#endif
