/* sign.h - signatures of texts (libsodium, Ed25519), in the last line of what is signed
 *
 *   # gpucal-signature ed25519 PUBLIC_KEY SIGNATURE
 *
 * Key and signature are base64; signed is all that stands before the line.  Files with
 * keys are text, too: a secret key alone in a line, and public keys one per line, each
 * with what else is to be said of it behind a space; lines that start with # are skipped.
 */
#ifndef GCAL_CALIB_BASE_SIGN_H
#define GCAL_CALIB_BASE_SIGN_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_sign_key;  /* secret */
struct gcal_sign_keys; /* public */

/* Makes a pair of keys: the secret one in the new file 'path', which only its owner can
 * read, the public one in 'path'.pub.  GCAL_ESTORE when they cannot be written,
 * GCAL_EINPUT when one of them is there already.
 */
int gcal_sign_keygen(const char *path, struct gcal_error *err);

/* GCAL_EINPUT when it is no secret key, or when others than its owner can read it. */
struct gcal_sign_key *gcal_sign_key_read(const char *path, struct gcal_error *err);
/* The one public key that belongs to it. */
struct gcal_sign_keys *gcal_sign_key_public(const struct gcal_sign_key *key,
                                            struct gcal_error *err);
void gcal_sign_key_destroy(struct gcal_sign_key *key);

/* GCAL_EINPUT when a line is no public key, when there is none, or when everyone can
 * write to the file.
 */
struct gcal_sign_keys *gcal_sign_keys_read(const char *path, struct gcal_error *err);
void gcal_sign_keys_destroy(struct gcal_sign_keys *keys);

/* How much of 'text' stands before its signature; 'size' where it has none. */
size_t gcal_sign_find(const char *text, size_t size);

/* The line to be added to 'text', the caller's to free. */
char *gcal_sign(const struct gcal_sign_key *key, const char *text, size_t size,
                struct gcal_error *err);

/* 0 when 'text' ends with a signature by one of 'keys' (NULL: any key, which the line
 * names) of all before it; else -1 (GCAL_EINPUT).
 */
int gcal_sign_check(const struct gcal_sign_keys *keys, const char *text, size_t size,
                    struct gcal_error *err);

#endif
