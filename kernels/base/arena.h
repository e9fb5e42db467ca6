/* arena.h - memory that is released together: of a command, of a run, of one calculation
 *
 * Nothing here fails: if memory runs out, the program says so and ends.  That is right for
 * gpucal and its ranks and workers, and wrong inside a scheduler, so that nothing that
 * libgpucal is made of may use an arena.
 */
#ifndef GCAL_KERNELS_BASE_ARENA_H
#define GCAL_KERNELS_BASE_ARENA_H

#include <stddef.h>

struct gcal_buf;
struct gcal_arena; /* opaque; one thread at a time */

struct gcal_arena *gcal_arena_create(void);

/* Releases everything, the newest first.  Does nothing when 'arena' is NULL. */
void gcal_arena_destroy(struct gcal_arena *arena);

/* An arena for another thread at the same time, released with 'parent'. */
struct gcal_arena *gcal_arena_child(struct gcal_arena *parent)
    __attribute__((malloc, returns_nonnull));

/* An array of 'n' items, all zero; valid, and different from all others, for 'n' 0. */
void *gcal_arena_alloc(struct gcal_arena *arena, size_t n, size_t item_size)
    __attribute__((malloc, returns_nonnull));

/* Makes room for item 'count' in an array that gcal_arena_grow() made ('items' NULL and
 * '*capacity' 0 at first).  Returns the array, perhaps moved; new items are zero.
 */
void *gcal_arena_grow(struct gcal_arena *arena, void *items, size_t count,
                      size_t *capacity, size_t item_size)
    __attribute__((returns_nonnull));

char *gcal_arena_strdup(struct gcal_arena *arena, const char *text)
    __attribute__((malloc, returns_nonnull));
char *gcal_arena_format(struct gcal_arena *arena, const char *fmt, ...)
    __attribute__((malloc, returns_nonnull, format(printf, 2, 3)));

/* The text of 'buf', which is empty afterwards. */
char *gcal_arena_take(struct gcal_arena *arena, struct gcal_buf *buf)
    __attribute__((returns_nonnull));

/* Hands over 'object', which destroy(object) releases; NULL is allowed, and returned. */
void *gcal_arena_own(struct gcal_arena *arena, void *object, void (*destroy)(void *));

/* Defines the static function 'name' for gcal_arena_own(), which calls destroy(object). */
#define GCAL_ARENA_DESTROYER(name, destroy)                                              \
    static void name(void *object)                                                       \
    {                                                                                    \
        destroy(object);                                                                 \
    }

/* Says that memory ran out, and ends the program. */
void gcal_arena_out_of_memory(void) __attribute__((noreturn));

#endif
