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

/* ---- merge.c ---- */

/* Puts the lines of one node or type, which are in the order of each segment, into one order
 * (lines.h).
 */
int gcal_ledger_merge(struct gcal_ledger_scope *found, struct gcal_error *err);

#endif
