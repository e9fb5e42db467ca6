/* hash.c - SHA-256 and BLAKE2b */
#include "kernels/base/hash.h"

#include <sodium.h>

void gcal_hash(const void *data, size_t size, char text[GCAL_HASH_TEXT_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(digest, data, size);
    sodium_bin2hex(text, GCAL_HASH_TEXT_SIZE, digest, sizeof(digest));
}

void gcal_hash_base64(const void *data, size_t size, char text[GCAL_HASH_BASE64_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(digest, data, size);
    sodium_bin2base64(text, GCAL_HASH_BASE64_SIZE, digest, sizeof(digest),
                      sodium_base64_VARIANT_ORIGINAL);
}

void gcal_hash_fast(const void *data, size_t size, char text[GCAL_HASH_TEXT_SIZE])
{
    unsigned char digest[crypto_generichash_BYTES];

    crypto_generichash(digest, sizeof(digest), data, size, NULL, 0);
    sodium_bin2hex(text, GCAL_HASH_TEXT_SIZE, digest, sizeof(digest));
}
