/* arena.c - memory that is released together
 *
 * A list of single allocations, so that address sanitizers and valgrind see the end of each.
 */
#include "kernels/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"

struct block {
    struct block *older;
    void (*destroy)(void *object); /* NULL: of memory that follows the block */
    void *object;
    max_align_t memory[];
};

struct gcal_arena {
    struct block *newest;
};

void gcal_arena_out_of_memory(void)
{
    fputs("gpucal: out of memory\n", stderr);
    exit(GCAL_EINPUT);
}

static struct block *add_block(struct gcal_arena *arena, size_t n, size_t item_size)
{
    struct block *block = NULL;
    size_t size;

    if (!__builtin_mul_overflow(n, item_size, &size) &&
        !__builtin_add_overflow(size, sizeof(*block), &size))
        block = calloc(1, size);
    if (!block)
        gcal_arena_out_of_memory();
    block->older = arena->newest;
    arena->newest = block;
    return block;
}

struct gcal_arena *gcal_arena_create(void)
{
    struct gcal_arena *arena = calloc(1, sizeof(*arena));

    if (!arena)
        gcal_arena_out_of_memory();
    return arena;
}

void gcal_arena_destroy(struct gcal_arena *arena)
{
    while (arena && arena->newest) {
        struct block *block = arena->newest;

        arena->newest = block->older;
        if (block->destroy)
            block->destroy(block->object);
        free(block);
    }
    free(arena);
}

GCAL_ARENA_DESTROYER(destroy_child, gcal_arena_destroy)

struct gcal_arena *gcal_arena_child(struct gcal_arena *parent)
{
    return gcal_arena_own(parent, gcal_arena_create(), destroy_child);
}

void *gcal_arena_alloc(struct gcal_arena *arena, size_t n, size_t item_size)
{
    return add_block(arena, n, item_size)->memory;
}

void *gcal_arena_grow(struct gcal_arena *arena, void *items, size_t count,
                      size_t *capacity, size_t item_size)
{
    void *moved;

    if (count < *capacity)
        return items;
    if (*capacity > SIZE_MAX / 2)
        gcal_arena_out_of_memory();
    moved = gcal_arena_alloc(arena, *capacity ? 2 * *capacity : 8, item_size);
    if (*capacity)
        memcpy(moved, items, *capacity * item_size);
    *capacity = *capacity ? 2 * *capacity : 8;
    return moved;
}

char *gcal_arena_strdup(struct gcal_arena *arena, const char *text)
{
    return strcpy(gcal_arena_alloc(arena, strlen(text) + 1, 1), text);
}

char *gcal_arena_format(struct gcal_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, fmt);
    va_copy(again, args);
    if ((length = vsnprintf(NULL, 0, fmt, args)) < 0)
        gcal_arena_out_of_memory();
    text = gcal_arena_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

char *gcal_arena_take(struct gcal_arena *arena, struct gcal_buf *buf)
{
    char *text = gcal_buf_take(buf, NULL);

    if (!text)
        gcal_arena_out_of_memory();
    return gcal_arena_own(arena, text, free);
}

void *gcal_arena_own(struct gcal_arena *arena, void *object, void (*destroy)(void *))
{
    struct block *block;

    if (!object)
        return NULL;
    block = add_block(arena, 0, 0);
    block->destroy = destroy;
    block->object = object;
    return object;
}
