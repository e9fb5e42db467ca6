/* internal.h - checked reading and durable writing of a store's files; for store/ */
#ifndef GCAL_STORE_FILES_INTERNAL_H
#define GCAL_STORE_FILES_INTERNAL_H

#include <sys/types.h>

#include "store/files/store.h"

struct gcal_buf;
struct gcal_sign_key;
struct gcal_sign_keys;
struct stat;

struct gcal_store {
    int dirfd;
    char *path;       /* for messages */
    uid_t owner;      /* of the folder */
    gid_t group;      /* of the folder */
    bool group_write; /* the group may write there */
    int *locks;       /* descriptors of the locks held */
    size_t n_locks, lock_capacity;
    struct gcal_sign_key *key;         /* NULL: published files are not signed */
    struct gcal_sign_keys *public_key; /* of 'key' */
    struct gcal_sign_keys *trusted;    /* NULL: signatures are not required */
};

bool gcal_store_is_name(const char *name);

/* ---- reading ---- */

/* Checks that nobody may write the file or folder of 'info' but root, the reader, the
 * store's owner, and its group where that may write to the store.  'shown': its path
 * below the store.  -1 (GCAL_EINPUT) with the command that repairs it.
 */
int gcal_store_check_owner(const struct gcal_store *store, const char *shown,
                           const struct stat *info, struct gcal_error *err);

/* Opens a sub-folder and checks its owner; 'shown': its path below the store.  Links are
 * not followed.  1 with 'fd', 0 when it does not exist, -1 (GCAL_EINPUT).
 */
int gcal_store_folder(const struct gcal_store *store, int parent, const char *name,
                      const char *shown, int *fd, struct gcal_error *err);

/* ---- kinds of parameter files; a scope is one of them, "nodes/NODE" or "types/TYPE" ---- */

struct gcal_store_kind {
    const char *folder,
        *history;     /* "nodes", "history": the current files, and all of them */
    const char *what; /* "node" */
    const char *lock; /* suffix of the lock of a publication */
    bool has_track;
};

/* Ended by one without a folder. */
extern const struct gcal_store_kind gcal_store_kinds[];
/* NULL: the scope is of none of them, as that of medians. */
const struct gcal_store_kind *gcal_store_kind_of(const char *scope);

int gcal_store_check_scope(const char *scope, struct gcal_error *err);
/* "history/NODE" or "type-history/TYPE", for the caller to free. */
char *gcal_store_history_path(const char *scope);
/* The scope of a current file or one in a history, "types/TYPE.yaml" or
 * "type-history/TYPE/RUN.yaml", and "medians/NODE" of the medians, for the caller to free.
 */
char *gcal_store_scope_of(const char *file);
/* Opens the folder of a history: 1 with 'fd', 0 when it does not exist, -1 (GCAL_EINPUT). */
int gcal_store_history_folder(const struct gcal_store *store, const char *scope, int *fd,
                              struct gcal_error *err);
/* Makes it unless it exists; its descriptor or -1 (GCAL_ESTORE). */
int gcal_store_make_history(const struct gcal_store *store, const char *scope,
                            struct gcal_error *err);

/* ---- files ---- */

/* Larger files are damaged: the medians of a device have some 30 KB, the kernels of a type 2 MB. */
#define GCAL_STORE_MAX_BYTES (64u << 20)

/* Reads a file of the store after a check of its owner.  1 with 'text', NUL-terminated,
 * for the caller to free; 0 when it does not exist; -1 (GCAL_EINPUT).
 */
int gcal_store_fetch(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, size_t max_bytes, char **text, size_t *size,
                     struct gcal_error *err);
/* The same for a parameter file, with its signature. */
int gcal_store_fetch_params(const struct gcal_store *store, int folder, const char *file,
                            const char *shown, char **text, size_t *size,
                            struct gcal_error *err);
/* The current file of a node, "links/NODE.yaml", after all checks and without its signature; 'text' and
 * 'shown', its path below the store, are the caller's to free, after -1, too.  1, 0, -1.
 */
int gcal_store_fetch_current(const struct gcal_store *store, const char *folder,
                             const char *name, char **text, size_t *size, char **shown,
                             struct gcal_error *err);
/* Fails if the old file, with its signature, may not be replaced: readers with keys would
 * refuse an unsigned file in the place of a signed one.
 */
int gcal_store_check_key(const struct gcal_store *store, const char *shown,
                         const char *text, size_t size, struct gcal_error *err);
/* After ENOENT, the first time with 'tries' 0: waits some milliseconds and returns true if the
 * folder is on a network file system, where a file is missing for a moment while another
 * node replaces it.
 */
bool gcal_store_may_come(int folder, int tries);
/* Checks the signature if one is required; 'size' is then without the signature. */
int gcal_store_check_signature(const struct gcal_store *store, const char *shown,
                               const char *text, size_t *size, struct gcal_error *err);
/* Returns whether the store's own key or a trusted one, if there is any, has signed the text: 0, -1
 * (GCAL_EINPUT). /
 */
int gcal_store_check_own(const struct gcal_store *store, const char *text, size_t size,
                         struct gcal_error *err);
/* The same of a file whose contents the store's key is going to sign again. */
int gcal_store_check_reuse(const struct gcal_store *store, const char *shown,
                           const char *text, size_t size, struct gcal_error *err);
/* The text of a node's track, as gcal_store_fetch() does. */
int gcal_track_load_text(const struct gcal_store *store, const char *node, char **text,
                         size_t *size, struct gcal_error *err);

/* The names of the current files in a folder of the store, sorted. */
int gcal_store_list_kind(const struct gcal_store *store, const char *folder,
                         char ***names, size_t *count, struct gcal_error *err);
/* The names in a folder that end in 'suffix', without it, sorted.  Takes 'folder'. */
int gcal_store_list(int folder, const char *suffix, char ***names, size_t *count,
                    struct gcal_error *err);

/* ---- writing: all errors are GCAL_ESTORE ---- */

/* The name of this host in names of files: letters, digits and dashes. */
#define GCAL_STORE_HOST_SIZE 65
void gcal_store_host(char host[GCAL_STORE_HOST_SIZE]);
/* A temporary name for 'file' that no other host uses, for the caller to free. */
char *gcal_store_temp(const char *file);

int gcal_store_fail(const struct gcal_store *store, const char *what,
                    struct gcal_error *err);
/* Makes a sub-folder unless it exists; its descriptor or -1. */
int gcal_store_make_folder(const struct gcal_store *store, int parent, const char *name,
                           const char *shown, struct gcal_error *err);
/* Sets the mode whatever the umask, and the group in a store that a group may write to.
 * -1 with errno.
 */
int gcal_store_set_owner(const struct gcal_store *store, int fd, mode_t mode);
int gcal_store_write_all(int fd, const char *data, size_t size); /* -1 with errno */

/* Removes a temporary file, if it is there.  What cannot be removed is tried again by the next
 * publication of the same node or type from this host, and a day later by prune.
 */
void gcal_store_remove(int folder, const char *name);
/* Writes and flushes a new file beside the one that it will replace.  Under the lock of
 * the node or type in the name 'temp', as one that a crash left is removed.
 */
int gcal_store_prepare(const struct gcal_store *store, int folder, const char *temp,
                       const char *shown, const char *data, size_t size,
                       struct gcal_error *err);
/* Renames the new file to 'name' and flushes the folder. */
int gcal_store_replace(const struct gcal_store *store, int folder, const char *temp,
                       const char *name, const char *shown, struct gcal_error *err);
/* The end that the next writer gives to a line that a crash cut; readers of tracks and
 * ledgers skip such a line.
 */
#define GCAL_STORE_CUT_MARK "\tcut"

/* Opens a file for appending lines, and makes it if it does not exist. */
int gcal_store_open_append(const struct gcal_store *store, int folder, const char *name,
                           const char *shown, struct gcal_error *err);
/* Appends and flushes lines; marks a cut line before them. */
int gcal_store_append(const struct gcal_store *store, int fd, const char *shown,
                      const char *lines, size_t size, struct gcal_error *err);

/* ---- lines that are signed one by one; 'head' begins what the signature covers ---- */

/* Adds the signature of the line that begins at 'from', if there is a key, and its end. */
int gcal_store_end_line(const struct gcal_sign_key *key, const char *head,
                        struct gcal_buf *lines, size_t from, struct gcal_error *err);
/* Whether a line, without its end, counts: if the store has a key, or trusts some, one of them
 * has signed it.
 */
bool gcal_store_line_is_signed(const struct gcal_store *store, const char *head,
                               const char *line);

/* Takes a lock that others hold for moments: waits for it.  A descriptor to close, or
 * -1.
 */
int gcal_store_lock_briefly(const struct gcal_store *store, const char *file,
                            struct gcal_error *err);
/* The locks of the files of a node, and of a node or type. */
int gcal_store_lock_node(const struct gcal_store *store, const char *node,
                         struct gcal_error *err);
int gcal_store_lock_scope(const struct gcal_store *store, const char *scope,
                          struct gcal_error *err);

#endif
