/* private.h - the memory of a decoded track */
#ifndef GCAL_STORE_LEDGER_PRIVATE_H
#define GCAL_STORE_LEDGER_PRIVATE_H

#include <stdbool.h>

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

#endif
