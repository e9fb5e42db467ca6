/* mutate.h - changes of C text that mostly still parse, for fuzzers
 *
 * Bytes changed at random hardly ever pass a compiler's front end, so what is behind it
 * would not be met.  Here tokens, expressions and statements are changed.
 */
#ifndef GCAL_TESTS_FUZZ_MUTATE_H
#define GCAL_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* 'text' (not terminated), changed in one place or three by 'seed', with room for
 * 'room' bytes.  Returns the new length.
 */
size_t mutate_text(char *text, size_t length, size_t room, uint64_t seed);

/* One or two statements of 'b' at places of 'a', to 'out'.  Returns its length. */
size_t mutate_splice(const char *a, size_t a_length, const char *b, size_t b_length,
                     char *out, size_t room, uint64_t seed);

#endif
