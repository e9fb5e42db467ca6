/* verify_private.h - what of the ledger the check of a store keeps, and its parts */
#ifndef GCAL_STORE_PUBLISH_VERIFY_PRIVATE_H
#define GCAL_STORE_PUBLISH_VERIFY_PRIVATE_H

#include <stdbool.h>

#include "calib/base/buf.h"
#include "store/ledger/ledger.h"
#include "store/publish/publish.h"

/* A line of the ledger. */
struct gcal_verify_entry {
    size_t order;
    bool publishes, prunes; /* else it signs */
    char *scope;            /* "nodes/NODE" or "types/TYPE"; in one block with the rest */
    const char *file, *run_id, *sha256, *replaces, *track;
};

struct gcal_verify_state {
    const struct gcal_store *store;
    struct gcal_verify_result *result;
    struct gcal_buf text, ledger_text; /* of files; of the ledger's own lines */
    size_t n_bad_lines;
    struct gcal_ledger_reader reader;
    struct gcal_verify_entry *entries; /* the first n_sorted by subject, then by order */
    size_t n_entries, capacity, n_sorted;
};

/* What is in the store of a node or type; it is read before the ledger, so that whatever
 * was published has its line there.
 */
struct gcal_verify_files {
    const char *folder, *name;        /* "nodes" or "types" */
    char *scope, *file;               /* "nodes/NODE", "nodes/NODE.yaml" */
    char sha256[GCAL_HASH_TEXT_SIZE]; /* "": there is none */
    bool unreadable;                  /* which is told already */
    char **runs;                      /* the history's */
    char (*run_sha256)[GCAL_HASH_TEXT_SIZE];
    size_t n_runs;
    char *track;
    size_t track_size;
};

/* All lines about one node or type, oldest first. */
struct gcal_verify_lines {
    const struct gcal_verify_entry **line;
    size_t n, capacity;
};

/* A folder of the store; -1 where it is not there, or cannot be trusted, which is told.
 */
int gcal_verify_folder(struct gcal_verify_state *state, const char *name);
/* Fills in all but the names; what cannot be read is told. */
int gcal_verify_files_read(struct gcal_verify_state *state,
                           struct gcal_verify_files *found, struct gcal_error *err);
void gcal_verify_files_clear(struct gcal_verify_files *found);

/* Lines that were added since the last time, too; damaged ones are told. */
int gcal_verify_refresh(struct gcal_verify_state *state, struct gcal_error *err);
void gcal_verify_sort(struct gcal_verify_state *state);
/* Those of a subject, added to 'lines'; free(lines->line) afterwards. */
int gcal_verify_lines_find(const struct gcal_verify_state *state, const char *scope,
                           struct gcal_verify_lines *lines, struct gcal_error *err);
void gcal_verify_state_clear(struct gcal_verify_state *state);

void gcal_verify_report_damaged(struct gcal_verify_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void gcal_verify_report_interrupted(struct gcal_verify_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the publication of line i surely came to its end: its file holds now
 * ('current': its SHA-256), or held when a later one took its place.
 */
bool gcal_verify_is_complete(const struct gcal_verify_lines *lines, size_t i,
                             const char *current);

/* That a node's track ('text', NULL: there is none) is made of the lines that the ledger
 * says.
 */
void gcal_verify_track(struct gcal_verify_state *state, const char *node,
                       const struct gcal_verify_lines *lines, const char *current,
                       const char *text, size_t size);

#endif
