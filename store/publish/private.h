/* private.h - the steps of publishing, and of verifying a store */
#ifndef GCAL_STORE_PUBLISH_PRIVATE_H
#define GCAL_STORE_PUBLISH_PRIVATE_H

#include <stdbool.h>

#include "kernels/base/buf.h"
#include "store/ledger/lines.h"
#include "store/params/params.h"
#include "store/publish/publish.h"

/* ---- the text of a file (content.c) ---- */

/* The text with the store's signature, for the caller to free, after a test that it can
 * be read back: an unreadable file is not published.
 */
char *gcal_publish_encode(const struct gcal_store *store,
                          const struct gcal_params *params, size_t *size,
                          struct gcal_error *err);
/* The published file 'file' in 'folder' ('shown': its path below the store): its
 * parameters and its SHA-256, "" when there is none.  -1 (GCAL_ESTORE) when it cannot be
 * read or trusted: adding to it would lose its models.  'must_sign': also when it is signed,
 * and there is no key to sign what replaces it.
 */
int gcal_publish_read_old(const struct gcal_store *store, int folder, const char *file,
                          const char *shown, struct gcal_params *old,
                          char sha256[GCAL_HASH_TEXT_SIZE], bool must_sign,
                          struct gcal_error *err);

/* ---- what a publication keeps of the published file (merge.c) ---- */

/* 'params' with the devices, and the models of its devices, that only 'old' has.
 * 'merged' borrows from both, and is freed by gcal_publish_merged_free(), after -1, too.  1, -1.
 */
int gcal_publish_merge(const struct gcal_params *params, const struct gcal_params *old,
                       struct gcal_params *merged, struct gcal_error *err);
/* The same for the file of a type, which has one device: the published model stays if it
 * is a fit of more devices under the same conditions.  1, 0 if that holds for all models
 * of 'params', -1.
 */
int gcal_publish_merge_type(const struct gcal_params *params,
                            const struct gcal_params *old, struct gcal_params *merged,
                            struct gcal_error *err);
void gcal_publish_merged_free(struct gcal_params *merged);

/* ---- verification ---- */

struct gcal_verify_state {
    const struct gcal_store *store;
    struct gcal_verify_result *result;
    struct gcal_buf text; /* reports on files */
    struct gcal_ledger_lines lines;
};

/* The files of a node or type.  They are read before the ledger, so that every published
 * file has its line there.
 */
struct gcal_verify_files {
    const char *folder, *name;    /* "nodes" or "types" */
    char *scope, *file, *history; /* "nodes/NODE", "nodes/NODE.yaml", "history/NODE" */
    char sha256[GCAL_HASH_TEXT_SIZE]; /* "": no such file */
    bool unreadable;                  /* and reported */
    char **runs;                      /* in the history */
    char (*run_sha256)[GCAL_HASH_TEXT_SIZE];
    size_t n_runs;
    char *track;
    size_t track_size;
};

/* Opens a folder of the store; -1 when it does not exist, -2 when it cannot be trusted,
 * which is reported.
 */
int gcal_verify_folder(struct gcal_verify_state *state, const char *name);
/* Fills in all but the names; reports files that cannot be read. */
int gcal_verify_files_read(struct gcal_verify_state *state,
                           struct gcal_verify_files *found, struct gcal_error *err);
void gcal_verify_files_clear(struct gcal_verify_files *found);

void gcal_verify_report_damaged(struct gcal_verify_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void gcal_verify_report_interrupted(struct gcal_verify_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports segments that were cut or are not signed, and, at the end, damaged lines. */
int gcal_verify_segments(struct gcal_verify_state *state, struct gcal_error *err);
void gcal_verify_add_ledger(struct gcal_verify_state *state);

/* Checks that a node's track ('text', NULL: none) consists of the lines in the ledger. */
void gcal_verify_track(struct gcal_verify_state *state, const char *node,
                       const struct gcal_ledger_scope *lines, const char *current,
                       const char *text, size_t size);

#endif
