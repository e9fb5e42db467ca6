/* lines.h - all lines of a store's ledger, by node or type, in the order of publication; and what
 * they say of a file
 *
 * Lines of one segment are in its order.  A line that replaces a file comes after the line
 * that published that file, in whatever segment.  What neither orders is ordered by its
 * time: two hosts changed the same file without knowing of each other.
 */
#ifndef GCAL_STORE_LEDGER_LINES_H
#define GCAL_STORE_LEDGER_LINES_H

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "store/ledger/ledger.h"

struct gcal_ledger_line {
    size_t segment, order;
    bool publishes, prunes, ends; /* else it signs or forgets */
    bool keeps;                   /* publishes, with a copy in the history */
    const char *scope;            /* "nodes/NODE", "types/TYPE" or "medians/NODE" */
    const char *utc, *file, *run_id, *sha256, *replaces, *track;
};

/* Starts as { .store = STORE }. */
struct gcal_ledger_lines {
    const struct gcal_store *store;
    struct gcal_arena *arena;           /* from the first lines on */
    struct gcal_ledger_reader *readers; /* by segment */
    size_t n_readers, reader_capacity;
    struct gcal_ledger_line *items; /* the first n_sorted by scope, segment and order */
    size_t n, capacity, n_sorted;
    size_t n_bad;        /* damaged lines */
    struct gcal_buf bad; /* "damaged: .." for each */
};

/* Reads the lines added since the last call.  -1 (GCAL_EINPUT) if there is a ledger that
 * cannot be read; damaged lines are no error, see n_bad.
 */
int gcal_ledger_lines_refresh(struct gcal_ledger_lines *lines, struct gcal_error *err);
void gcal_ledger_lines_sort(struct gcal_ledger_lines *lines);
void gcal_ledger_lines_clear(struct gcal_ledger_lines *lines);

/* Returns whether a trusted key, or that of the store, has signed the line; false without any keys.
 */
bool gcal_ledger_is_sealed(const struct gcal_ledger_lines *lines,
                           const struct gcal_ledger_line *line);

/* The lines of one node or type, oldest first. */
struct gcal_ledger_scope {
    const struct gcal_ledger_line **line;
    size_t n, capacity;
};

/* The lines of a scope. */
struct gcal_ledger_scope gcal_ledger_lines_find(struct gcal_arena *arena,
                                                const struct gcal_ledger_lines *lines,
                                                const char *scope);

/* What the lines of a scope say of a file with that content now ('sha256' "": there is none). */
enum gcal_ledger_state {
    GCAL_LEDGER_CURRENT,     /* published last; or removed, and not there */
    GCAL_LEDGER_UNKNOWN,     /* there is no line about the file */
    GCAL_LEDGER_INTERRUPTED, /* of 'run_id'; what run 'last_run_id' published did not come */
    GCAL_LEDGER_NOT_YET,     /* the same: its first publication */
    GCAL_LEDGER_RACED,       /* both replaced the same file at the same time */
    GCAL_LEDGER_RESTORED,    /* of 'run_id', and a newer file has replaced it since */
    GCAL_LEDGER_REMOVED,     /* of 'run_id', and was removed since */
    GCAL_LEDGER_DIFFERS,     /* never published so */
    GCAL_LEDGER_MISSING,
};

/* The run ids are "" where they do not apply. */
enum gcal_ledger_state gcal_ledger_compare(const struct gcal_ledger_scope *lines,
                                           const char *file, const char *sha256,
                                           const char **run_id, const char **last_run_id);
/* Returns whether what line i says of its file was certainly done: it is the current file
 * ('current': SHA-256, "" if there is none, NULL: unknown), or a later line replaces it. /
 */
bool gcal_ledger_is_complete(const struct gcal_ledger_scope *lines, size_t i,
                             const char *current);

/* The run ids of the history of a node or type in the order of publication, the oldest first;
 * the first '*n_unknown' (NULL: not asked) are not in the ledger, although it is then read again.
 * For gcal_strings_free().
 */
int gcal_ledger_history(struct gcal_ledger_lines *lines, const char *scope, char ***runs,
                        size_t *n, size_t *n_unknown, struct gcal_error *err);

#endif
