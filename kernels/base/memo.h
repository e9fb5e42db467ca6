/* memo.h - values that several threads want, each made once by key
 *
 * The first thread that asks for a key makes its value; others that ask for it wait.  Values stay
 * where they are until nobody uses them and those used later fill the room, or the memo ends.
 */
#ifndef GCAL_KERNELS_BASE_MEMO_H
#define GCAL_KERNELS_BASE_MEMO_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_memo; /* opaque */

/* Of values of that size, which 'clear' leaves without memory of their own.  'most_bytes': of all
 * that are kept, by what gcal_memo_made() is told; SIZE_MAX: any number.  NULL with 'err' if memory
 * runs out.
 */
struct gcal_memo *gcal_memo_create(size_t value_size, size_t most_bytes,
                                   void (*clear)(void *value), struct gcal_error *err);
/* NULL is allowed. */
void gcal_memo_destroy(struct gcal_memo *memo);

/* The value of a key, to be released.  '*is_new': it is zeros, and the caller must make it, or give
 * it up.  NULL without memory.
 */
void *gcal_memo_take(struct gcal_memo *memo, const char *key, bool *is_new);
/* Others may have it now. */
void gcal_memo_made(struct gcal_memo *memo, void *value, size_t bytes);
/* Instead of both: the next one that asks makes it. */
void gcal_memo_give_up(struct gcal_memo *memo, void *value);
void gcal_memo_release(struct gcal_memo *memo, void *value);

/* How many values were made so far. */
size_t gcal_memo_n_made(const struct gcal_memo *memo);

/* Visits all values that are made. */
void gcal_memo_visit(struct gcal_memo *memo,
                     void (*visit)(const char *key, void *value, void *data), void *data);

#endif
