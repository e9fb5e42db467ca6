/* lines.h - all lines of a store's ledger, by node or type, in the order of publication
 *
 * Lines of one segment are in its order.  A line that replaces a file comes after the line
 * that published that file, in whatever segment.  What neither orders is ordered by its
 * time: two hosts changed the same file without knowing of each other.
 */
#ifndef GCAL_STORE_LEDGER_LINES_H
#define GCAL_STORE_LEDGER_LINES_H

#include "calib/base/buf.h"
#include "store/ledger/ledger.h"

struct gcal_ledger_line {
    size_t segment, order;
    bool publishes, prunes, ends; /* else it signs or forgets */
    bool keeps;                   /* publishes, with a copy in the history */
    char *scope;                  /* "nodes/NODE" or "types/TYPE"; owns the texts below */
    const char *utc, *file, *run_id, *sha256, *replaces, *track;
};

struct gcal_ledger_lines {
    const struct gcal_store *store;
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

/* The lines of one node or type, oldest first; 'line' is the caller's to free. */
struct gcal_ledger_scope {
    const struct gcal_ledger_line **line;
    size_t n, capacity;
};

/* Adds the lines of a scope to 'found'. */
int gcal_ledger_lines_find(const struct gcal_ledger_lines *lines, const char *scope,
                           struct gcal_ledger_scope *found, struct gcal_error *err);

/* The run ids of the history of a node or type in the order of publication, the oldest first;
 * the first '*n_unknown' (NULL: not asked) are not in the ledger, although it is then read again.
 * For gcal_strings_free().
 */
int gcal_ledger_history(struct gcal_ledger_lines *lines, const char *scope, char ***runs,
                        size_t *n, size_t *n_unknown, struct gcal_error *err);

#endif
