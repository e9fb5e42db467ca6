/* private.h - the memory of a decoded track; the order of the lines of several segments */
#ifndef GCAL_STORE_LEDGER_PRIVATE_H
#define GCAL_STORE_LEDGER_PRIVATE_H

#include <stdbool.h>

#include "store/ledger/lines.h"
#include "store/ledger/track.h"

/* Owns the texts and numbers of a decoded track. */
struct gcal_track_memory {
    char *text; /* freed with the track; NULL: the caller's */
    bool has_header;
    int version;                        /* of the last header */
    struct gcal_track_columns *columns; /* of every 'columns' line, in order */
    size_t n_columns, columns_capacity;
    void **blocks;
    size_t n_blocks, blocks_capacity;
};

/* ---- ledger.c ---- */

/* Appends a seal of the lines that there are. */
int gcal_ledger_append_seal(struct gcal_store *store, const char *segment,
                            struct gcal_error *err);

/* ---- seal.c ---- */

/* By the store's key, of the line with that hash and those before; the caller's to free. */
char *gcal_ledger_make_seal(const struct gcal_store *store, const char *segment,
                            const char *head, struct gcal_error *err);
/* Whether it is by the store's key or one that it trusts, or, without any, by the key that it
 * names: -1 (GCAL_EINPUT) if not.
 */
int gcal_ledger_check_seal(const struct gcal_store *store, const char *segment,
                           const char *head, const char *seal, struct gcal_error *err);

/* ---- merge.c ---- */

/* Puts the lines of one node or type, which are in the order of each segment, into one order
 * (lines.h).
 */
int gcal_ledger_merge(struct gcal_ledger_scope *found, struct gcal_error *err);

#endif
