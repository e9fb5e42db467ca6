/* ledger.h - the append-only list of what changed in a store, and the check of all of it
 *
 * STORE/ledger.tsv is text.  The first line is "gpucal_ledger 1", format and version;
 * then there is a line for each file that was published, signed or removed.  Fields stand
 * between tabs:
 *
 *   PREVIOUS UTC WHO ACTION RUN CONFIGURATION CATALOGUE DRIVERS FILE SHA256 REPLACES
 * TRACK
 *
 * PREVIOUS is the SHA-256 of the line before, so that no line can be changed or left out
 * without all later ones telling.  WHO is USER@HOST; ACTION publish, sign or prune;
 * CONFIGURATION, CATALOGUE and DRIVERS are fingerprints; FILE stands below STORE, and
 * what is published as nodes/NODE.yaml is kept as history/NODE/RUN.yaml, too; REPLACES is
 * the SHA-256 of the file whose place it takes; TRACK that of the lines added to the
 * node's track.  "-" where there is nothing.  A line that ends in the field "cut" was cut
 * by a crash, and the next was written after it: it says nothing.
 */
#ifndef GCAL_STORE_LEDGER_H
#define GCAL_STORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "calib/base/hash.h"

struct gcal_error;
struct gcal_store;

struct gcal_ledger_entry {
    const char *utc, *who, *action, *run_id, *configuration, *catalogue, *drivers, *file,
        *sha256, *replaces, *track; /* NULL or "": "-" */
};

/* Adds lines under the ledger's lock; they are on disk when it returns.  'utc' and 'who'
 * of the entries are filled in here.
 */
int gcal_ledger_append(struct gcal_store *store, const struct gcal_ledger_entry *entries,
                       size_t count, struct gcal_error *err);

/* Every line in order; 'each' returns 0 to go on or -1 with 'err'.  GCAL_EINPUT with the
 * line's number when a line does not follow from the one before; a last line without its
 * end was cut by a crash and is left out.  No lines where there is no ledger.
 */
int gcal_ledger_read(const struct gcal_store *store,
                     int (*each)(void *context, const struct gcal_ledger_entry *entry,
                                 struct gcal_error *err),
                     void *context, struct gcal_error *err);

/* ---- line by line ---- */

#define GCAL_LEDGER_FILE   "ledger.tsv"
#define GCAL_LEDGER_HEADER "gpucal_ledger 1"
/* Names in it are at most 200 bytes each. */
#define GCAL_LEDGER_MAX_LINE 4096

/* Where a reader stands, so that it can go on when lines were added. */
struct gcal_ledger_reader {
    FILE *file; /* NULL: no ledger */
    char *line;
    size_t capacity, number;
    long at;     /* the next line's begin */
    bool missed; /* the last line does not follow from the one before it */
    char previous[GCAL_HASH_TEXT_SIZE];
};

int gcal_ledger_open(const struct gcal_store *store, struct gcal_ledger_reader *reader,
                     struct gcal_error *err);
/* 1 with the next entry, which lives until the next call; 0 at the end; -1 (GCAL_EINPUT)
 * when a line cannot be read: the next call goes on behind it.
 */
int gcal_ledger_next(struct gcal_ledger_reader *reader, struct gcal_ledger_entry *entry,
                     struct gcal_error *err);
void gcal_ledger_close(struct gcal_ledger_reader *reader);

#endif
