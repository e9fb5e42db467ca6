/* private.h - the text of medians and of kernels */
#ifndef GCAL_STORE_MEDIANS_PRIVATE_H
#define GCAL_STORE_MEDIANS_PRIVATE_H

#include <pthread.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/hash.h"
#include "store/ledger/lines.h"
#include "store/medians/medians.h"

#define GCAL_MEDIANS_HEADER "gpucal_medians 1"
#define GCAL_KERNELS_HEADER "gpucal_kernels 1"

/* ---- text.c: lines of fields ---- */

/* Of the run, its device, and the origin of a kernel; ended by a NULL name. */
extern const struct gcal_field gcal_medians_run_fields[];

/* Appends a text with its tabs and line ends escaped. */
void gcal_medians_put_text(struct gcal_buf *buf, const char *text);
/* Appends "\tBEFORE" "NAME=VALUE" for each field. */
void gcal_medians_put_fields(struct gcal_buf *buf, const char *before,
                             const struct gcal_field *fields, const void *object);

/* A text, line by line; words are within the line, unescaped. */
struct gcal_medians_lines {
    struct gcal_arena *arena;
    char *at, *end;
    char **words;
    size_t n, capacity, number;
};

/* 1 with the next line, 0 at the end, -1. */
int gcal_medians_next(struct gcal_medians_lines *lines, struct gcal_error *err);
/* The value of word 'i' if that is "BEFORE" "NAME=VALUE", else NULL. */
const char *gcal_medians_value(const struct gcal_medians_lines *lines, size_t i,
                               const char *name);
/* Fills the fields that the line has; texts that it lacks become "". */
int gcal_medians_get_fields(const struct gcal_medians_lines *lines, const char *before,
                            const struct gcal_field *fields, void *object,
                            struct gcal_error *err);
int gcal_medians_number(const char *text, double *value, struct gcal_error *err);
int gcal_medians_count(const char *text, size_t *value, struct gcal_error *err);
int gcal_medians_damaged(const struct gcal_medians_lines *lines, struct gcal_error *err);

/* ---- fetch.c ---- */

/* The ledger, as far as it was read; several threads may use it. */
struct gcal_medians_ledger {
    const struct gcal_store *store;
    pthread_mutex_t lock;
    struct gcal_ledger_lines lines;
};

void gcal_medians_ledger_init(struct gcal_medians_ledger *ledger,
                              const struct gcal_store *store);
void gcal_medians_ledger_clear(struct gcal_medians_ledger *ledger);

/* The text of a node's file in the folder of medians (-1: there is none) without its signature,
 * after all checks: 1
 * with 'text', 0 if there is none and shall be none, -1.  'state': what the ledger says of it.
 */
int gcal_medians_fetch(struct gcal_arena *arena, struct gcal_medians_ledger *ledger,
                       int folder, const char *node, char **text, size_t *size,
                       enum gcal_ledger_state *state, struct gcal_error *err);
/* Opens one of the two folders: -1 if there is none, -2 with 'err' if it cannot be opened. */
int gcal_medians_open_folder(const struct gcal_store *store, const char *name,
                             struct gcal_error *err);

/* ---- kernels.c: files of kernels ---- */

/* The text of a file, whose name has its hash: 1, 0 if there is none, -1. */
int gcal_medians_kernels_fetch(struct gcal_arena *arena, const struct gcal_store *store,
                               int folder, const char *type, const char *sha256,
                               char **text, size_t *size, struct gcal_error *err);

/* Where the kernels of a section are: files, and by row of the section the place there. */
struct gcal_medians_places {
    size_t n_files;
    const char **files; /* SHA-256 */
    size_t *place;
};

/* Finds the kernels of each section in the files of its type, and writes a file of those that
 * none has.  'places': n, zeroed.
 */
int gcal_medians_kernels_place(struct gcal_arena *arena, struct gcal_store *store,
                               const struct gcal_record *record,
                               const struct gcal_medians_section *sections, size_t n,
                               struct gcal_medians_places *places,
                               struct gcal_error *err);

struct gcal_medians_ledger *gcal_medians_cache_ledger(struct gcal_medians_cache *cache);

/* The kernels of a file of that type, as places in 'record', which gets them. */
int gcal_medians_kernels_read(const struct gcal_store *store, const char *type,
                              const char *sha256, struct gcal_medians_cache *cache,
                              struct gcal_record *record, const size_t **places,
                              size_t *n, struct gcal_error *err);

#endif
