/* product.c - the Cartesian product of the values of a generator's arguments
 *
 * Each argument is a wheel with the values of its tag or its defaults.  The wheels turn
 * like a counter, the last one fastest.  Settings that break a condition of 'where' or
 * keep loads that do not exist are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/generate/private.h"

/* ---- sizes scaled to a device's cache and memory ---- */

/* The search for a kernel's size 'which'. */
struct size_search {
    const struct gcal_kernel *kernel;
    struct gcal_size *sizes;
    size_t which;
    const char *bytes; /* expression, or NULL: bytes of all buffers */
    double most_bytes, max_alloc_bytes;
};

/* 1 when size 'value' is small enough and keeps 'assume', 0 when not, or -1. */
static int fits(const struct size_search *s, double value, struct gcal_error *err)
{
    const struct gcal_kernel *k = s->kernel;
    struct gcal_geometry geometry = { 0 };
    double bytes;
    bool good;

    s->sizes[s->which].value = value;
    if (gcal_kernel_check_assume(k->assume, k->n_sizes, s->sizes, NULL) < 0)
        return 0;
    if (gcal_kernel_geometry(k, k->n_sizes, s->sizes, &geometry, err) < 0)
        return -1;
    bytes = geometry.total_bytes;
    if (s->bytes &&
        gcal_kernel_eval_sizes(s->bytes, k->n_sizes, s->sizes, &bytes, err) < 0) {
        gcal_kernel_geometry_clear(&geometry);
        return -1;
    }
    good = bytes <= s->most_bytes;
    for (size_t i = 0; i < k->n_args && s->max_alloc_bytes > 0; i++)
        good =
            good && (k->args[i].kind != GCAL_ARG_BUFFER ||
                     geometry.arg_values[i] * (double)gcal_dtype_size(k->args[i].dtype) <=
                         s->max_alloc_bytes);
    gcal_kernel_geometry_clear(&geometry);
    return good;
}

/* The largest number of multiples that fits; 0 when one does not, or -1. */
static long long largest(const struct size_search *s, long long multiple,
                         struct gcal_error *err)
{
    long long low = 0, high = 1;
    int good;

    while ((good = fits(s, (double)(high * multiple), err)) > 0 &&
           high * multiple < 1LL << 50) {
        low = high;
        high *= 2;
    }
    while (good >= 0 && high - low > 1) {
        long long middle = low + (high - low) / 2;

        if ((good = fits(s, (double)(middle * multiple), err)) > 0)
            low = middle;
        else
            high = middle;
    }
    return good < 0 ? -1 : low;
}

/* Factor 'which' of the footprint, first those of the cache, in bytes. */
static double most_bytes(const struct gcal_generator_arg *a, size_t which,
                         const struct gcal_kernel_limits *limits)
{
    const struct gcal_yaml *cache = gcal_yaml_find(a->footprint, "cache");
    const struct gcal_yaml *memory = gcal_yaml_find(a->footprint, "memory");
    size_t n_cache = cache ? cache->n_items : 0;

    return which < n_cache ? strtod(cache->items[which]->text, NULL) * limits->cache_bytes
                           : strtod(memory->items[which - n_cache]->text, NULL) *
                                 limits->memory_bytes;
}

/* The sizes of a size sweep are one family and have one footprint: that of the smallest.
 * Larger ones may then not fit on the device, which ends the sweep.
 */
static void take_smallest_size(const struct gcal_generator_setting *setting,
                               struct gcal_kernel *kernel)
{
    const struct gcal_generator *g = setting->generator;

    for (size_t i = 0; i < g->n_arguments && setting->sweep; i++)
        for (size_t k = 0; k < kernel->n_sizes && g->arguments[i].sweep; k++)
            if (strcmp(kernel->sizes[k].name, g->arguments[i].name) == 0)
                kernel->sizes[k].value = strtod(g->arguments[i].defaults.items[0], NULL);
}

/* The size of 'argument' for its factor 'which', the other arguments as they are; 0 where
 * no multiple is small enough.
 */
static int find_footprint_size(const struct gcal_generator_setting *setting,
                               size_t argument, size_t which,
                               const struct gcal_kernel_limits *limits, long long *size,
                               struct gcal_error *err)
{
    const struct gcal_generator_arg *a = &setting->generator->arguments[argument];
    const struct gcal_yaml *bytes = gcal_yaml_find(a->footprint, "bytes");
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);
    struct size_search s = { .kernel = kernel,
                             .most_bytes = most_bytes(a, which, limits),
                             .max_alloc_bytes = limits->max_alloc_bytes };
    long long n = -1;

    if (!kernel || (bytes && !(s.bytes = gcal_generator_expand_expr(
                                   kernel->arena, setting, bytes, "bytes", err))))
        goto out;
    take_smallest_size(setting, kernel);
    s.sizes = kernel->sizes;
    while (strcmp(kernel->sizes[s.which].name, a->name) != 0)
        s.which++;
    if ((n = largest(&s, a->multiple, err)) < 0)
        gcal_error_prefix(err, "%s: footprint of %s", kernel->name, a->name);
    *size = n * a->multiple;
out:
    gcal_kernel_destroy(kernel);
    return n < 0 ? -1 : 0;
}

/* ---- the Cartesian product of the values of a generator's arguments ---- */

struct gcal_generator_wheel {
    size_t n, at;
    const char **values; /* borrowed from the tags or the argument */
};

static void fill_wheel(struct gcal_arena *arena, const struct gcal_generator_arg *a,
                       const struct gcal_catalogue_tags *tags,
                       const struct gcal_catalogue_variant_tag *tag,
                       struct gcal_generator_wheel *wheel)
{
    bool first = !tags && !a->defaults.n; /* only tags give it values: for the check */
    size_t n = tag ? tag->n_values : first ? 1 : a->defaults.n;

    wheel->values = gcal_arena_alloc(arena, n, sizeof(*wheel->values));
    for (size_t i = 0; i < n; i++) {
        const char *value = tag     ? tag->values[i]
                            : first ? a->listed.items[0]
                                    : a->defaults.items[i];

        if (gcal_generator_arg_allows(a, value))
            wheel->values[wheel->n++] = value;
    }
}

void gcal_generator_product_open(const struct gcal_generator *g,
                                 const struct gcal_catalogue_tags *tags,
                                 const struct gcal_kernel_limits *limits,
                                 struct gcal_generator_product *p)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = g->n_arguments;

    *p = (struct gcal_generator_product){
        .arena = arena,
        .limits = limits,
        .n_wheels = n,
        .wheels = gcal_arena_alloc(arena, n, sizeof(*p->wheels)),
        .footprint = n,
        .setting.generator = g,
        .setting.values = gcal_arena_alloc(arena, n, sizeof(*p->setting.values)),
    };
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];
        const struct gcal_catalogue_variant_tag *tag =
            tags ? gcal_catalogue_tags_find(tags, a->name) : NULL;

        fill_wheel(arena, a, tags, tag, &p->wheels[i]);
        /* without any value: only other generators allow those of the tag */
        p->ended = p->ended || !p->wheels[i].n;
        if (a->footprint && !tag)
            p->footprint = i;
        p->setting.sweep = p->setting.sweep || (a->sweep && !tag);
    }
}

void gcal_generator_product_close(struct gcal_generator_product *p)
{
    gcal_buf_free(&p->broken);
    gcal_arena_destroy(p->arena);
}

static bool advance(struct gcal_generator_product *p)
{
    for (size_t i = p->n_wheels; i-- > 0;) {
        if (++p->wheels[i].at < p->wheels[i].n)
            return true;
        p->wheels[i].at = 0;
    }
    return false;
}

/* To the first setting or the next one; false after the last. */
static bool turn(struct gcal_generator_product *p)
{
    if (p->started && !p->ended)
        p->ended = !advance(p);
    p->started = true;
    for (size_t i = 0; i < p->n_wheels && !p->ended; i++)
        p->setting.values[i] = p->wheels[i].values[p->wheels[i].at];
    return !p->ended;
}

/* Sets the size with a footprint: 1, 0 when no size fits, or -1. */
static int scale(struct gcal_generator_product *p, struct gcal_error *err)
{
    long long size;

    if (p->footprint == p->n_wheels)
        return 1;
    if (find_footprint_size(&p->setting, p->footprint, p->wheels[p->footprint].at,
                            p->limits, &size, err) < 0)
        return -1;
    p->n_too_small += !size;
    snprintf(p->size, sizeof(p->size), "%lld", size);
    p->setting.values[p->footprint] = p->size;
    return size > 0;
}

int gcal_generator_product_next(struct gcal_generator_product *p, struct gcal_error *err)
{
    while (turn(p)) {
        const struct gcal_yaml *broken;
        int allows;

        if (gcal_generator_where_broken(&p->setting, &broken, err) < 0)
            return -1;
        if (broken && !p->broken.size)
            gcal_generator_where_put_broken(&p->setting, broken, &p->broken);
        allows = broken ? 0 : gcal_generator_keep_allows(&p->setting, &p->broken, err);
        if (allows > 0)
            allows = scale(p, err);
        if (allows)
            return allows;
    }
    return 0;
}
