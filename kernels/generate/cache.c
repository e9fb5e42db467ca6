/* cache.c - results of work removal and counting, once for each variant and sub-group size
 *
 * Counting takes some 30 ms: kernels that differ in sizes only, and kernels generated
 * again, reuse it.  So does the reason why a variant cannot be counted.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"
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

struct gcal_kernel_cache_entry *gcal_kernel_cache_find(void *const *tree,
                                                       const struct gcal_kernel *kernel)
{
    const struct gcal_kernel_cache_entry key = { .variant = kernel->variant,
                                                 .counting = kernel->counting };
    void *const *found = tfind(&key, tree, compare);

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

/* Takes 'counted'. */
static int add(void **tree, struct gcal_kernel_cache_entry *counted,
               struct gcal_error *err)
{
    if (tsearch(counted, tree, compare))
        return 0;
    destroy(counted);
    return gcal_error_memory(err);
}

int gcal_kernel_cache_add(void **tree, const struct gcal_kernel *kernel,
                          const struct gcal_remove_element *element,
                          struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *counted = create(kernel, err);

    if (!counted)
        return -1;
    counted->element = *element;
    if ((counted->profile = gcal_profile_copy(kernel->profile, err)))
        return add(tree, counted, err);
    destroy(counted);
    return -1;
}

int gcal_kernel_cache_add_failure(void **tree, const struct gcal_kernel *kernel,
                                  const struct gcal_error *why, struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *counted = create(kernel, err);

    if (!counted)
        return -1;
    if ((counted->failure = strdup(why->text)))
        return add(tree, counted, err);
    destroy(counted);
    return gcal_error_memory(err);
}

void gcal_kernel_cache_clear(void **tree)
{
    tdestroy(*tree, destroy);
    *tree = NULL;
}
