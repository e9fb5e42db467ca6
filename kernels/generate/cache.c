/* cache.c - results of work removal and counting, once for each variant and way of counting
 *
 * Counting takes some 30 ms: kernels that differ in sizes only, and kernels generated
 * again, reuse it.  So does the reason why a variant cannot be counted.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"

static void clear_entry(void *value)
{
    struct gcal_kernel_cache_entry *counted = value;

    free(counted->source);
    gcal_profile_destroy(counted->profile);
    free(counted->failure);
}

GCAL_ARENA_DESTROYER(destroy_memo, gcal_memo_destroy)

struct gcal_kernel_cache *gcal_kernel_cache_create(struct gcal_arena *arena)
{
    struct gcal_kernel_cache *cache = gcal_arena_alloc(arena, 1, sizeof(*cache));

    cache->entries =
        gcal_arena_own(arena,
                       gcal_memo_create(sizeof(struct gcal_kernel_cache_entry), SIZE_MAX,
                                        clear_entry, NULL),
                       destroy_memo);
    if (!cache->entries)
        gcal_arena_out_of_memory();
    return cache;
}

struct gcal_kernel_cache_entry *gcal_kernel_cache_take(struct gcal_kernel_cache *cache,
                                                       const struct gcal_kernel *kernel,
                                                       bool *is_new,
                                                       struct gcal_error *err)
{
    const struct gcal_kernel_counting *c = &kernel->counting;
    char *key = gcal_buf_format("%zu %zu %zu %d %s", (size_t)c->sub_group_size,
                                (size_t)c->n_banks, (size_t)c->sector_bytes,
                                c->index_arithmetic, kernel->variant);
    struct gcal_kernel_cache_entry *entry =
        key ? gcal_memo_take(cache->entries, key, is_new) : NULL;

    free(key);
    if (!entry)
        gcal_error_memory(err);
    return entry;
}

int gcal_kernel_cache_fill(struct gcal_kernel_cache *cache,
                           struct gcal_kernel_cache_entry *entry,
                           const struct gcal_kernel *kernel,
                           const struct gcal_remove_element *element, const char *failure,
                           struct gcal_error *err)
{
    bool filled;

    entry->element = *element;
    if (failure)
        filled = (entry->failure = strdup(failure));
    else
        filled = (entry->source = strdup(kernel->source)) &&
                 (entry->profile = gcal_profile_copy(kernel->profile, NULL));
    if (filled) {
        gcal_memo_made(cache->entries, entry, 0);
        return 0;
    }
    gcal_memo_give_up(cache->entries, entry);
    return gcal_error_memory(err);
}
