/* hash.h - SHA-256 and BLAKE2b (libsodium), for names derived from contents */
#ifndef GCAL_KERNELS_BASE_HASH_H
#define GCAL_KERNELS_BASE_HASH_H

#include <stddef.h>

#define GCAL_HASH_TEXT_SIZE 65

/* 64 hexadecimal digits and a NUL. */
void gcal_hash(const void *data, size_t size, char text[GCAL_HASH_TEXT_SIZE]);
#define GCAL_HASH_BASE64_SIZE 45

/* SHA-256 in base64, as Content-Security-Policy has it. */
void gcal_hash_base64(const void *data, size_t size, char text[GCAL_HASH_BASE64_SIZE]);
/* The first by BLAKE2b, which takes a third of the time: for names that no other program
 * makes.
 */
void gcal_hash_fast(const void *data, size_t size, char text[GCAL_HASH_TEXT_SIZE]);

#endif
