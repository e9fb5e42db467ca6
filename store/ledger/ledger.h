/* ledger.h - the append-only lists of changes of a store
 *
 * Each publishing host has a segment of its own, STORE/ledger/HOST.tsv, so that publishers
 * need no lock that works between hosts; lines.h has all of them in one order.
 *
 * A segment is text.  The first line is "gpucal_ledger 1", format and version; it
 * is followed by one line for each file that is published, signed or removed, and one for
 * each publication that has come to its end, with the fields, separated by tabs,
 *
 *   PREVIOUS UTC WHO ACTION RUN CONFIGURATION CATALOGUE DRIVERS
 *       FILE SHA256 REPLACES TRACK
 *
 * A publisher with a key ends what it appends with a line of ACTION seal, whose RUN is a signature of
 * all lines before (seal.c), unless some of these have none.
 *
 * PREVIOUS is the SHA-256 of the segment's previous line, so that a line that is changed or
 * removed breaks the chain.  WHO is USER@HOST; ACTION publish, end, sign, forget or prune (end:
 * SHA256 and REPLACES are that of the published file); CONFIGURATION, CATALOGUE and DRIVERS
 * are fingerprints; FILE is the path below STORE: nodes/NODE.yaml (also kept as
 * history/NODE/RUN.yaml), types/TYPE.yaml or medians/NODE.tsv; SHA256 is "-" for a file that is
 * removed; REPLACES is the SHA-256 of the file that it replaces or
 * prunes, from which follows the order of lines of different segments; TRACK the SHA-256 of the
 * lines added to the node's track, and for types/TYPE.yaml that of its copy,
 * type-history/TYPE/RUN.yaml.  "-" is an empty field.  A
 * line that ends in the field "cut" was cut by a crash; readers skip it.
 */
#ifndef GCAL_STORE_LEDGER_H
#define GCAL_STORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/base/arena.h"
#include "kernels/base/hash.h"

struct gcal_error;
struct gcal_store;

struct gcal_ledger_entry {
    const char *utc, *who, *action, *run_id, *configuration, *catalogue, *drivers, *file,
        *sha256, *replaces, *track; /* NULL or "": "-" */
    const char *previous, *seal;    /* when read; 'seal' "": it is none */
};

/* Appends lines to this host's segment and flushes them, under its lock; sets 'utc' and 'who'
 * itself.  -1 (GCAL_ESTORE).
 */
int gcal_ledger_append(struct gcal_store *store, const struct gcal_ledger_entry *entries,
                       size_t count, struct gcal_error *err);

/* Replaces a file in 'folder', entry->file below the store, by 'text': a temporary file, the line,
 * whose 'sha256' is set here, the rename.  Under the lock of its node or type.
 */
int gcal_ledger_put(struct gcal_store *store, int folder, const char *file,
                    const struct gcal_ledger_entry *entry, const char *text, size_t size,
                    struct gcal_error *err);
/* Says that a publication, or a removal ('sha256' ""), came to its end: a file that is missing or
 * older from now on was removed or put back.  Without this line it counts as interrupted.
 */
void gcal_ledger_end(struct gcal_store *store, const char *run_id, const char *file,
                     const char *sha256);

/* Seals the segments, also of other hosts, that do not end with a seal by the store's key. */
int gcal_ledger_seal(struct gcal_store *store, struct gcal_error *err);

#define GCAL_LEDGER_SEAL "seal"

/* ---- reading line by line ---- */

#define GCAL_LEDGER_FOLDER "ledger"
#define GCAL_LEDGER_HEADER "gpucal_ledger 1"
/* Names in a line have at most 200 bytes each. */
#define GCAL_LEDGER_MAX_LINE 4096

/* Lists the segments that exist, as paths below the store, sorted. */
int gcal_ledger_segments(struct gcal_arena *arena, const struct gcal_store *store,
                         const char ***names, size_t *n, struct gcal_error *err);

/* The position of a reader, which can continue after lines were added. */
struct gcal_ledger_reader {
    char *name; /* of the segment */
    FILE *file; /* NULL: no ledger */
    char *line;
    size_t capacity, number;
    long at;           /* offset of the next line */
    bool is_cut;       /* there is a line without its newline */
    size_t n_unsealed; /* lines after the last seal by a trusted key, or all */
    size_t n_sealed;   /* lines of struct gcal_ledger_lines before that seal */
    char previous[GCAL_HASH_TEXT_SIZE];
};

/* Opens one of gcal_ledger_segments().  One that does not exist has no lines. */
int gcal_ledger_open(const struct gcal_store *store, const char *segment,
                     struct gcal_ledger_reader *reader, struct gcal_error *err);
/* 1 with the next entry, valid until the next call; 0 at the end, also for a last line
 * without its newline, which is being written or was cut; -1 (GCAL_EINPUT) with the
 * line's number when a line is damaged or does not match the hash chain: the next call
 * continues after it.
 */
int gcal_ledger_next(struct gcal_ledger_reader *reader, struct gcal_ledger_entry *entry,
                     struct gcal_error *err);
/* Closes the file until the next call of gcal_ledger_resume(), which continues at the same
 * line: a store may have more segments than a process may open files.
 */
void gcal_ledger_pause(struct gcal_ledger_reader *reader);
int gcal_ledger_resume(const struct gcal_store *store, struct gcal_ledger_reader *reader,
                       struct gcal_error *err);
void gcal_ledger_close(struct gcal_ledger_reader *reader);

#endif
