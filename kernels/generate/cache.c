/* cache.c - results of work removal and counting, once for each variant and sub-group size
 *
 * Counting takes some 30 ms: kernels that differ in sizes only, and kernels generated
 * again, reuse it.  So does the reason why a variant cannot be counted.  Threads that need
 * what another one is counting wait for it.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_counting(const struct gcal_kernel_counting *a,
                            const struct gcal_kernel_counting *b)
{
    int order = compare_numbers(a->sub_group_size, b->sub_group_size);

    if (order == 0)
        order = compare_numbers(a->n_banks, b->n_banks);
    if (order == 0)
        order = compare_numbers(a->sector_bytes, b->sector_bytes);
    return order ? order : compare_numbers(a->index_arithmetic, b->index_arithmetic);
}

static int compare(const void *a, const void *b)
{
    const struct gcal_kernel_cache_entry *x = a, *y = b;
    int order = strcmp(x->variant, y->variant);

    return order ? order : compare_counting(&x->counting, &y->counting);
}

static void destroy(void *node)
{
    struct gcal_kernel_cache_entry *counted = node;

    free(counted->variant);
    free(counted->source);
    gcal_profile_destroy(counted->profile);
    free(counted->failure);
    free(counted);
}

/* ---- what is being counted ---- */

/* A kernel that a thread looked up in vain, and counts now. */
struct claim {
    struct gcal_kernel_cache *cache;
    const struct gcal_kernel *kernel;
    struct claim *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of trees and claims */
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static struct claim *claims;

static bool is_claimed(struct gcal_kernel_cache *cache, const struct gcal_kernel *kernel)
{
    for (const struct claim *c = claims; c; c = c->next)
        if (c->cache == cache && strcmp(c->kernel->variant, kernel->variant) == 0 &&
            compare_counting(&c->kernel->counting, &kernel->counting) == 0)
            return true;
    return false;
}

/* Without memory another thread may count the same, to the same result. */
static void claim(struct gcal_kernel_cache *cache, const struct gcal_kernel *kernel)
{
    struct claim *c = malloc(sizeof(*c));

    if (!c)
        return;
    *c = (struct claim){ .cache = cache, .kernel = kernel, .next = claims };
    claims = c;
}

static void release(struct gcal_kernel_cache *cache, const struct gcal_kernel *kernel)
{
    struct claim **at = &claims, *c;

    while (*at && ((*at)->cache != cache || (*at)->kernel != kernel))
        at = &(*at)->next;
    if (!(c = *at))
        return;
    *at = c->next;
    free(c);
    pthread_cond_broadcast(&released);
}

/* ---- entries ---- */

struct gcal_kernel_cache_entry *gcal_kernel_cache_find(struct gcal_kernel_cache *cache,
                                                       const struct gcal_kernel *kernel)
{
    const struct gcal_kernel_cache_entry key = { .variant = kernel->variant,
                                                 .counting = kernel->counting };
    void *const *found;

    pthread_mutex_lock(&lock);
    while (!(found = tfind(&key, &cache->tree, compare)) && is_claimed(cache, kernel))
        pthread_cond_wait(&released, &lock);
    if (!found)
        claim(cache, kernel);
    pthread_mutex_unlock(&lock);
    return found ? *found : NULL;
}

/* An entry that lacks what is known of the variant. */
static struct gcal_kernel_cache_entry *create(const struct gcal_kernel *kernel,
                                              struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *counted = calloc(1, sizeof(*counted));

    if (counted && (counted->variant = strdup(kernel->variant)) &&
        (counted->source = strdup(kernel->source))) {
        counted->counting = kernel->counting;
        return counted;
    }
    if (counted)
        destroy(counted);
    gcal_error_memory(err);
    return NULL;
}

/* Takes 'counted' (NULL: 'err' is set), and ends the claim. */
static int add(struct gcal_kernel_cache *cache, const struct gcal_kernel *kernel,
               struct gcal_kernel_cache_entry *counted, struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *const *found = NULL;

    pthread_mutex_lock(&lock);
    if (counted && !(found = tsearch(counted, &cache->tree, compare)))
        gcal_error_memory(err);
    release(cache, kernel);
    pthread_mutex_unlock(&lock);
    if (counted && (!found || *found != counted))
        destroy(counted);
    return found ? 0 : -1;
}

int gcal_kernel_cache_add(struct gcal_kernel_cache *cache,
                          const struct gcal_kernel *kernel,
                          const struct gcal_remove_element *element,
                          struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *counted = create(kernel, err);

    if (counted) {
        counted->element = *element;
        if (!(counted->profile = gcal_profile_copy(kernel->profile, err))) {
            destroy(counted);
            counted = NULL;
        }
    }
    return add(cache, kernel, counted, err);
}

int gcal_kernel_cache_add_failure(struct gcal_kernel_cache *cache,
                                  const struct gcal_kernel *kernel,
                                  const struct gcal_error *why, struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *counted = create(kernel, err);

    if (counted && !(counted->failure = strdup(why->text))) {
        destroy(counted);
        counted = NULL;
        gcal_error_memory(err);
    }
    return add(cache, kernel, counted, err);
}

void gcal_kernel_cache_clear(struct gcal_kernel_cache *cache)
{
    tdestroy(cache->tree, destroy);
    cache->tree = NULL;
}
