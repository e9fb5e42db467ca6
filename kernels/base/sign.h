/* sign.h - signatures of texts (libsodium, Ed25519), in the last line of the text
 *
 *   # gpucal-signature ed25519 PUBLIC_KEY SIGNATURE
 *
 * Key and signature are base64; the signature covers everything before the line.  Key files
 * are text: a secret key in a line of its own, or public keys, one per line, each optionally
 * followed by a space and a comment; lines that start with # are skipped.
 */
#ifndef GCAL_KERNELS_BASE_SIGN_H
#define GCAL_KERNELS_BASE_SIGN_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_sign_key;  /* secret */
struct gcal_sign_keys; /* public */

/* Makes a pair of keys: the secret one in the new file 'path', readable by its owner only,
 * the public one in 'path'.pub.  GCAL_ESTORE if they cannot be written, GCAL_EINPUT if one
 * of the files exists.
 */
int gcal_sign_keygen(const char *path, struct gcal_error *err);

/* GCAL_EINPUT if the file has no secret key, or if others than its owner can read it. */
struct gcal_sign_key *gcal_sign_key_read(const char *path, struct gcal_error *err);
/* The public key of 'key'. */
struct gcal_sign_keys *gcal_sign_key_public(const struct gcal_sign_key *key,
                                            struct gcal_error *err);
void gcal_sign_key_destroy(struct gcal_sign_key *key);

/* GCAL_EINPUT if a line is not a public key, if the file has no key, or if everyone can
 * write to it.
 */
struct gcal_sign_keys *gcal_sign_keys_read(const char *path, struct gcal_error *err);
void gcal_sign_keys_destroy(struct gcal_sign_keys *keys);

/* Bytes of 'text' before its signature; 'size' if it has none. */
size_t gcal_sign_find(const char *text, size_t size);

/* The signature line for 'text', the caller's to free. */
char *gcal_sign(const struct gcal_sign_key *key, const char *text, size_t size,
                struct gcal_error *err);

/* 0 if 'text' ends with a valid signature by one of 'keys' (NULL: by the key in the line);
 * else -1 (GCAL_EINPUT).
 */
int gcal_sign_check(const struct gcal_sign_keys *keys, const char *text, size_t size,
                    struct gcal_error *err);

#endif
