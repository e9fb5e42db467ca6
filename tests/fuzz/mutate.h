/* mutate.h - mutations of C text that mostly still parse, for fuzzers
 *
 * Randomly changed bytes rarely pass a compiler's front end, and the code after it would
 * not be reached.  So tokens, expressions and statements are changed.
 */
#ifndef GCAL_TESTS_FUZZ_MUTATE_H
#define GCAL_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes 'text' (not terminated, with room for 'room' bytes) at one or three places.
 * Returns the new length.
 */
size_t mutate_text(char *text, size_t length, size_t room, uint64_t seed);

/* 'out' becomes 'a' with one or two statements of 'b' inserted.  Returns its length. */
size_t mutate_splice(const char *a, size_t a_length, const char *b, size_t b_length,
                     char *out, size_t room, uint64_t seed);

#endif
