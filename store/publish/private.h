/* private.h - the steps of publishing */
#ifndef GCAL_STORE_PUBLISH_PRIVATE_H
#define GCAL_STORE_PUBLISH_PRIVATE_H

#include <stdbool.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "store/ledger/lines.h"
#include "store/params/params.h"
#include "store/publish/publish.h"

/* ---- the text of a file (content.c) ---- */

/* gcal_store_temp() and gcal_store_scope_of() in an arena. */
const char *gcal_publish_temp(struct gcal_arena *arena, const char *name);
const char *gcal_publish_scope(struct gcal_arena *arena, const char *shown);

/* The text with the store's signature, for the caller to free, after a test that it can
 * be read back: an unreadable file is not published.
 */
char *gcal_publish_encode(const struct gcal_store *store,
                          const struct gcal_params *params, size_t *size,
                          struct gcal_error *err);
/* Appends the signature if there is a key; takes 'text'. */
char *gcal_publish_sign(const struct gcal_store *store, char *text, size_t *size,
                        struct gcal_error *err);
/* The text of the published file without its signature, for the caller to free, NULL if there is none;
 * otherwise as gcal_publish_read_old().
 */
int gcal_publish_read_text(const struct gcal_store *store, int folder, const char *file,
                           const char *shown, char **text, size_t *size,
                           char sha256[GCAL_HASH_TEXT_SIZE], bool must_sign,
                           struct gcal_error *err);
/* Of a file that cannot be read: replacing it would silently lose what it has.  Returns -1. */
int gcal_publish_refuse(struct gcal_error *err);
/* The published file 'file' in 'folder' ('shown': its path below the store): its
 * parameters and its SHA-256, "" when there is none.  -1 (GCAL_ESTORE) when it cannot be
 * read or trusted: adding to it would lose its models.  'must_sign': also when it is signed,
 * and there is no key to sign what replaces it.
 */
int gcal_publish_read_old(const struct gcal_store *store, int folder, const char *file,
                          const char *shown, struct gcal_params *old,
                          char sha256[GCAL_HASH_TEXT_SIZE], bool must_sign,
                          struct gcal_error *err);

/* ---- what a publication keeps of the published file (publish.c) ---- */

/* Removes what is known of kernels that were learned longer ago; adds their number (forget.c). */
int gcal_publish_forget_old(struct gcal_store *store, double older_s, bool dry_run,
                            size_t *removed, struct gcal_error *err);

#endif
