/* private.h - going through the lines of a ledger */
#ifndef GCAL_STORE_LEDGER_PRIVATE_H
#define GCAL_STORE_LEDGER_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "store/ledger/ledger.h"

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
