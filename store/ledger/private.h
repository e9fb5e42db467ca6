/* private.h - the memory of a decoded track; the order of the lines of several segments */
#ifndef GCAL_STORE_LEDGER_PRIVATE_H
#define GCAL_STORE_LEDGER_PRIVATE_H

#include <stdbool.h>

#include "store/ledger/lines.h"
#include "store/ledger/track.h"

/* What a decoded track is made of. */
struct gcal_track_memory {
    struct gcal_arena *arena;
    bool has_header;
    struct gcal_track_columns *columns; /* of every 'columns' line, in order */
    size_t n_columns, columns_capacity;
};

/* ---- seal.c ---- */

/* By the store's key, of the line with that hash and those before; NULL with 'err'. */
char *gcal_ledger_make_seal(struct gcal_arena *arena, const struct gcal_store *store,
                            const char *segment, const char *head,
                            struct gcal_error *err);
/* Returns whether it is by the store's key or one that it trusts, or, without any, by the key that
 * it names: -1 (GCAL_EINPUT) if not. /
 */
int gcal_ledger_check_seal(const struct gcal_store *store, const char *segment,
                           const char *head, const char *seal, struct gcal_error *err);

#endif
