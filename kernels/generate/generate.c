/* generate.c - kernels of the generators that tags pick, and the list they go into */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/dtype.h"
#include "calib/model/profile.h"
#include "kernels/generate/private.h"

void gcal_kernel_list_clear(struct gcal_kernel_list *list)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        gcal_kernel_destroy(list->kernels[i]);
    free(list->kernels);
    gcal_strings_clear(&list->failed);
    memset(list, 0, sizeof(*list));
}

int gcal_kernel_list_check(const struct gcal_kernel_list *list, struct gcal_error *err)
{
    if (list->n_kernels || !list->failed.n)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s", list->failed.items[0]);
}

/* The state of one generation. */
struct making {
    void **counted;
    const struct gcal_kernel_limits *limits; /* NULL: any device */
    struct gcal_kernel_list *list;
    void *ids; /* tree of the list's kernels */
    size_t n_settings;
    struct gcal_buf left; /* reason why the first setting was left out, or empty */
    char *left_family;    /* of the last kernel that the device cannot run, or NULL */
};

static const struct gcal_kernel_limits *limits_of(const struct making *m)
{
    return m->limits ? m->limits : &gcal_kernel_nominal_limits;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct gcal_kernel *)a)->id,
                  ((const struct gcal_kernel *)b)->id);
}

static void keep_kernel(void *kernel)
{
    (void)kernel;
}

/* The list's kernel with the id of 'kernel', or else 'kernel', which is added. */
static struct gcal_kernel *find_or_add(struct making *m, struct gcal_kernel *kernel,
                                       struct gcal_error *err)
{
    struct gcal_kernel *const *found = tsearch(kernel, &m->ids, compare_ids);

    if (found)
        return *found;
    gcal_error_memory(err);
    return NULL;
}

static int start(struct making *m, struct gcal_error *err)
{
    for (size_t i = 0; i < m->list->n_kernels; i++)
        if (!find_or_add(m, m->list->kernels[i], err))
            return -1;
    return 0;
}

static void stop(struct making *m)
{
    tdestroy(m->ids, keep_kernel);
    gcal_buf_free(&m->left);
    free(m->left_family);
}

/* Takes 'kernel'.  Where the list has it already, the list's one stays, and is not part
 * of a size sweep any more unless both are.
 */
static int add_kernel(struct making *m, struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    struct gcal_kernel_list *list = m->list;
    struct gcal_kernel **moved = gcal_array_grow(list->kernels, list->n_kernels,
                                                 &list->capacity, sizeof(*moved), err);
    struct gcal_kernel *there = NULL;

    if (moved) {
        list->kernels = moved;
        there = find_or_add(m, kernel, err);
    }
    if (there == kernel) {
        moved[list->n_kernels++] = kernel;
        return 0;
    }
    if (there)
        there->sweep = there->sweep && kernel->sweep;
    gcal_kernel_destroy(kernel);
    return there ? 0 : -1;
}

/* Whether the local memory that a finished kernel declares and gets as arguments fits. */
static bool has_local_memory(const struct making *m, const struct gcal_kernel *kernel,
                             const struct gcal_geometry *geometry)
{
    const struct gcal_profile *p = kernel->profile;
    double bytes = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_LOCAL_MEMORY_BYTES)
            bytes +=
                strtod(p->entries[i].count, NULL); /* a number: arrays have fixed sizes */
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].kind == GCAL_ARG_LOCAL)
            bytes +=
                geometry->arg_values[i] * (double)gcal_dtype_size(kernel->args[i].dtype);
    return !m->limits || !(m->limits->local_memory_bytes > 0) ||
           bytes <= m->limits->local_memory_bytes;
}

/* The sizes of a size sweep follow each other and count as one kernel left out. */
static int leave_out(struct making *m, const struct gcal_kernel *kernel,
                     enum gcal_kernel_exclusion reason, struct gcal_error *err)
{
    if (m->left_family && strcmp(m->left_family, kernel->family) == 0)
        return 0;
    m->list->left_out[reason]++;
    free(m->left_family);
    m->left_family = strdup(kernel->family);
    return m->left_family ? 0 : gcal_error_memory(err);
}

/* Names what cannot be made in list->failed, once.  A variant fails at any size when it
 * is counted, and other steps for a kernel's own sizes.
 */
static int note_failed(struct making *m, const char *what, const struct gcal_error *why,
                       struct gcal_error *err)
{
    char *text = gcal_buf_format("%s: %s", what, why->text);
    int rc =
        text ? gcal_strings_include(&m->list->failed, text, err) : gcal_error_memory(err);

    free(text);
    return rc;
}

/* Whether sizes and NDRange are valid; 'geometry' is the caller's to clear. */
static int check_geometry(const struct gcal_kernel *kernel,
                          struct gcal_geometry *geometry, struct gcal_error *err)
{
    if (gcal_kernel_check_assume(kernel, kernel->n_sizes, kernel->sizes, err) < 0)
        return -1;
    return gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, geometry, err);
}

/* Completes the kernel; its counts must have values at its sizes. */
static int finish(struct making *m, const struct gcal_generator_setting *setting,
                  struct gcal_kernel *kernel, struct gcal_error *err)
{
    double *values;
    int rc;

    if (!gcal_kernel_is_transfer(kernel))
        kernel->counting = limits_of(m)->counting;
    if (gcal_kernel_finish(setting, kernel, m->counted, err) < 0)
        return -1;
    if (!(values = calloc(kernel->profile->n_parameters + 1, sizeof(*values))))
        return gcal_error_memory(err);
    rc = gcal_kernel_size_values(kernel, values, err);
    free(values);
    return rc;
}

/* 1 when the kernel can go into the list, 0 when it is left out, -1. */
static int prepare(struct making *m, const struct gcal_generator_setting *setting,
                   struct gcal_kernel *kernel, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    enum gcal_kernel_exclusion reason;
    struct gcal_error why = { 0 };
    int rc;

    /* One size sweep serves variants with different conditions. */
    if (kernel->sweep &&
        gcal_kernel_check_assume(kernel, kernel->n_sizes, kernel->sizes, NULL) < 0)
        return 0;
    if (m->limits && !gcal_kernel_limits_allow(m->limits, setting, kernel, &reason))
        return leave_out(m, kernel, reason, err);
    if (check_geometry(kernel, &geometry, &why) < 0)
        rc = note_failed(m, kernel->name, &why, err);
    else if (finish(m, setting, kernel, &why) < 0)
        rc = note_failed(m, kernel->variant, &why, err);
    else if (!(rc = has_local_memory(m, kernel, &geometry)))
        rc = leave_out(m, kernel, GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY, err);
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

/* One setting's kernel, unless it is left out. */
static int make_one(struct making *m, const struct gcal_generator_setting *setting,
                    struct gcal_error *err)
{
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);
    int rc = kernel ? prepare(m, setting, kernel, err) : -1;

    if (rc > 0)
        return add_kernel(m, kernel, err);
    gcal_kernel_destroy(kernel);
    return rc;
}

/* One kernel, or for 'keep:each' one for each load. */
static int make(struct making *m, struct gcal_generator_setting *setting,
                struct gcal_error *err)
{
    const struct gcal_remove_load_list *loads;
    struct gcal_error why = { 0 };
    size_t argument;
    int rc = 0;

    if (gcal_generator_keep_each(setting, &loads, &argument, &why) < 0) {
        gcal_error_prefix(&why, "keep:each");
        return note_failed(m, setting->generator->name, &why, err);
    }
    if (!loads)
        return make_one(m, setting, err);
    for (size_t i = 0; i < loads->n && rc == 0; i++)
        if (loads->items[i].is_own) {
            setting->values[argument] = loads->items[i].with;
            rc = make_one(m, setting, err);
        }
    return rc;
}

static void close_product(struct gcal_generator_product *product, struct making *m)
{
    if (product->broken.data && !m->left.data)
        gcal_buf_puts(&m->left, product->broken.data);
    gcal_generator_product_close(product);
}

static int generate(struct making *m, const struct gcal_generator *g,
                    const struct gcal_catalogue_tags *tags, struct gcal_error *err)
{
    struct gcal_generator_product product;
    int rc;

    if (gcal_generator_product_open(g, tags, limits_of(m), &product, err) < 0)
        return -1;
    while ((rc = gcal_generator_product_next(&product, err)) > 0) {
        m->n_settings++;
        if ((rc = make(m, &product.setting, err)) < 0)
            break;
    }
    m->n_settings += product.n_too_small;
    m->list->left_out[GCAL_KERNEL_EXCLUDED_FOOTPRINT] += product.n_too_small;
    m->list->nominal =
        m->list->nominal || (!m->limits && product.footprint < product.n_wheels);
    close_product(&product, m);
    return rc;
}

/* An error for tags that generators allow one by one, but none all of them. */
static int none_error(const struct making *m, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "the tags pick no kernel: %s",
                          m->left.data ? m->left.data
                                       : "no generator allows all of these values");
}

/* Checks 'assume' with 'value' for argument 'i' and the others as they are. */
static int check_value(struct gcal_generator_setting *setting, size_t i,
                       const char *value, struct gcal_error *err)
{
    const char *there = setting->values[i];
    struct gcal_kernel *kernel;
    int rc = -1;

    setting->values[i] = value;
    if ((kernel = gcal_kernel_create(setting, err)))
        rc = gcal_kernel_check_assume(kernel, kernel->n_sizes, kernel->sizes, err);
    gcal_kernel_destroy(kernel);
    setting->values[i] = there;
    if (rc < 0)
        gcal_error_prefix(err, "%s: tag '%s:%s'", setting->generator->name,
                          setting->generator->arguments[i].name, value);
    return rc;
}

/* Checks the sizes in 'tags' with the first setting that the tags pick. */
static int check_sizes(const struct gcal_generator *g,
                       const struct gcal_catalogue_tags *tags, struct making *m,
                       struct gcal_error *err)
{
    struct gcal_generator_product product;
    int rc;

    if (gcal_generator_product_open(g, tags, limits_of(m), &product, err) < 0)
        return -1;
    rc = gcal_generator_product_next(&product, err);
    m->n_settings += rc > 0 || product.n_too_small;
    for (size_t i = 0; i < g->n_arguments && rc > 0; i++) {
        const struct gcal_catalogue_variant_tag *tag =
            gcal_catalogue_tags_find(tags, g->arguments[i].name);

        for (size_t j = 0; tag && g->arguments[i].size && j < tag->n_values; j++)
            if (check_value(&product.setting, i, tag->values[j], err) < 0)
                rc = -1;
    }
    close_product(&product, m);
    return rc < 0 ? -1 : 0;
}

int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err)
{
    struct making m = { 0 };
    struct gcal_catalogue_tags parsed;
    int rc;

    if (gcal_catalogue_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_catalogue_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_catalogue_tags_match(&parsed, match, catalogue->generators[i]))
            rc = check_sizes(catalogue->generators[i], &parsed, &m, err);
    if (rc == 0 && !m.n_settings)
        rc = none_error(&m, err);
    stop(&m);
    gcal_catalogue_tags_clear(&parsed);
    return rc;
}

int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            const struct gcal_kernel_limits *limits,
                            struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct making m = { .counted = catalogue->counted, .limits = limits, .list = list };
    struct gcal_catalogue_tags parsed;
    int rc;

    if (gcal_catalogue_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_catalogue_tags_check(catalogue, &parsed, match, err) < 0 ? -1
                                                                       : start(&m, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_catalogue_tags_match(&parsed, match, catalogue->generators[i]))
            rc = generate(&m, catalogue->generators[i], &parsed, err);
    if (rc == 0 && !m.n_settings)
        rc = none_error(&m, err);
    stop(&m);
    gcal_catalogue_tags_clear(&parsed);
    return rc;
}
