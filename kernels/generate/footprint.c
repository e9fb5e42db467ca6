/* footprint.c - sizes scaled to a device's cache and memory */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "kernels/generate/private.h"

enum { MOST_FACTORS = 16 };

/* ---- reading ---- */

static int read_factors(const struct gcal_yaml *list, const char *what,
                        struct gcal_error *err)
{
    if (!list)
        return 0;
    if (list->kind != GCAL_YAML_LIST || list->n_items > MOST_FACTORS)
        return gcal_yaml_error(list, err, "%s: expected a list of factors", what);
    for (size_t i = 0; i < list->n_items; i++) {
        double factor;

        if (gcal_yaml_double(list->items[i], what, &factor, err) < 0)
            return -1;
        if (!(factor > 0) || factor > 1e6)
            return gcal_yaml_error(list->items[i], err, "%s: expected a factor above 0",
                                   what);
    }
    return 0;
}

static size_t n_factors(const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *list = gcal_yaml_find(map, key);

    return list ? list->n_items : 0;
}

int gcal_generator_footprint_read(const struct gcal_yaml *map,
                                  struct gcal_generator_arg *a, struct gcal_error *err)
{
    static const char *const keys[] = { "bytes", "cache", "memory", "multiple", NULL };
    const struct gcal_yaml *multiple;
    char text[32];
    size_t n;

    if (gcal_yaml_check_keys(map, keys, err) < 0 ||
        read_factors(gcal_yaml_find(map, "cache"), "cache", err) < 0 ||
        read_factors(gcal_yaml_find(map, "memory"), "memory", err) < 0)
        return -1;
    if (!(n = n_factors(map, "cache") + n_factors(map, "memory")))
        return gcal_yaml_error(
            map, err, "%s: expected factors of the cache or of the memory", a->name);
    a->form = GCAL_GENERATOR_VALUES_SIZE;
    a->footprint = map;
    a->multiple = 1;
    if ((multiple = gcal_yaml_find(map, "multiple")) &&
        gcal_yaml_integer(multiple, "multiple", 1, 1LL << 40, &a->multiple, err) < 0)
        return -1;
    /* One for each factor, in whose place comes what suits the device. */
    snprintf(text, sizeof(text), "%lld", a->multiple);
    while (n-- > 0)
        if (gcal_catalogue_texts_add(&a->defaults, text, err) < 0)
            return -1;
    return 0;
}

/* ---- the size for a device ---- */

/* A kernel whose size 'which' is being looked for. */
struct size_search {
    const struct gcal_kernel *kernel;
    struct gcal_size *sizes;
    size_t which;
    const char *bytes; /* expression, or NULL: of all its buffers */
    double most_bytes, max_alloc_bytes;
};

/* 1 when size 'value' is neither too large nor against what is assumed, 0, or -1. */
static int fits(const struct size_search *s, double value, struct gcal_error *err)
{
    const struct gcal_kernel *k = s->kernel;
    struct gcal_geometry geometry = { 0 };
    double bytes;
    bool good;

    s->sizes[s->which].value = value;
    if (gcal_kernel_check_assume(k, k->n_sizes, s->sizes, NULL) < 0)
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

static double most_bytes(const struct gcal_generator_arg *a, size_t which,
                         const struct gcal_kernel_limits *limits)
{
    size_t n_cache = n_factors(a->footprint, "cache");
    const bool is_cache = which < n_cache;
    const struct gcal_yaml *list =
        gcal_yaml_find(a->footprint, is_cache ? "cache" : "memory");

    return strtod(list->items[is_cache ? which : which - n_cache]->text, NULL) *
           (is_cache ? limits->cache_bytes : limits->memory_bytes);
}

/* The rungs of a ladder are one family and have one footprint: that of the first.  A rung
 * whose buffers are too large then does not fit on the device, which ends the ladder.
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

int gcal_generator_footprint_size(const struct gcal_generator_setting *setting,
                                  size_t argument, size_t which,
                                  const struct gcal_kernel_limits *limits,
                                  long long *size, struct gcal_error *err)
{
    const struct gcal_generator_arg *a = &setting->generator->arguments[argument];
    const struct gcal_yaml *bytes = gcal_yaml_find(a->footprint, "bytes");
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);
    struct size_search s = { .kernel = kernel,
                             .most_bytes = most_bytes(a, which, limits),
                             .max_alloc_bytes = limits->max_alloc_bytes };
    char *text = NULL;
    long long n = -1;

    if (!kernel ||
        (bytes && !(text = gcal_generator_expand_expr(setting, bytes, "bytes", err))))
        goto out;
    take_smallest_size(setting, kernel);
    s.sizes = kernel->sizes;
    s.bytes = text;
    while (strcmp(kernel->sizes[s.which].name, a->name) != 0)
        s.which++;
    if ((n = largest(&s, a->multiple, err)) < 0)
        gcal_error_prefix(err, "%s: footprint of %s", kernel->name, a->name);
    *size = n * a->multiple;
out:
    gcal_kernel_destroy(kernel);
    free(text);
    return n < 0 ? -1 : 0;
}
