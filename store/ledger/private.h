/* private.h - what reading and writing tracks share */
#ifndef GCAL_STORE_LEDGER_PRIVATE_H
#define GCAL_STORE_LEDGER_PRIVATE_H

#include <stdbool.h>

#include "store/ledger/track.h"

/* What a decoded track lies in. */
struct gcal_track_memory {
    char *text; /* freed with it; NULL: the caller's */
    bool has_header;
    struct gcal_track_columns *columns; /* of every 'columns' line, in order */
    size_t n_columns, columns_capacity;
    void **blocks;
    size_t n_blocks, blocks_capacity;
};

#endif
