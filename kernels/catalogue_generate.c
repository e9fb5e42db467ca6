#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/catalogue_private.h"

void gcal_kernel_list_clear(struct gcal_kernel_list *list)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        gcal_kernel_destroy(list->kernels[i]);
    free(list->kernels);
    memset(list, 0, sizeof(*list));
}

/* What is being made. */
struct making {
    void **counted;
    size_t max_work_group_size;
    struct gcal_kernel_list *list;
    void *ids; /* tree of the list's kernels */
    size_t n_settings;
    struct gcal_buf left; /* why the first setting was left out that was */
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct gcal_kernel *)a)->id,
                  ((const struct gcal_kernel *)b)->id);
}

static void keep_kernel(void *kernel)
{
    (void)kernel;
}

/* The kernel with the id of 'kernel', which is put in where there is none. */
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
}

/* Takes 'kernel'.  One that is there already stays the one; asked for by its size it
 * may not be left out any more.
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
        there->ladder = there->ladder && kernel->ladder;
    gcal_kernel_destroy(kernel);
    return there ? 0 : -1;
}

/* One setting's kernel, unless its work-group is too large. */
static int make_one(struct making *m, const struct gcal_setting *setting,
                    struct gcal_error *err)
{
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);
    struct gcal_geometry geometry = { 0 };
    size_t work_group = 1;
    int rc = -1;

    if (!kernel)
        return -1;
    for (size_t i = 0; i < kernel->n_dims; i++)
        work_group *= kernel->local_size[i];
    if (m->max_work_group_size && work_group > m->max_work_group_size) {
        rc = 0;
        goto out;
    }
    if (gcal_check_assume(kernel, kernel->n_sizes, kernel->sizes, err) < 0 ||
        gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, err) <
            0 ||
        gcal_kernel_finish(setting, kernel, m->counted, err) < 0) {
        gcal_error_prefix(err, "%s", kernel->name);
        goto out;
    }
    rc = add_kernel(m, kernel, err);
    kernel = NULL; /* taken */
out:
    gcal_geometry_clear(&geometry);
    gcal_kernel_destroy(kernel);
    return rc;
}

/* One kernel, or for 'keep:each' one for each load. */
static int make(struct making *m, struct gcal_setting *setting, struct gcal_error *err)
{
    const struct gcal_loads *loads;
    size_t argument;
    int rc = 0;

    if (gcal_companion_apart(setting, &loads, &argument, err) < 0)
        return gcal_error_prefix(err, "%s keep:each", setting->generator->name);
    if (!loads)
        return make_one(m, setting, err);
    for (size_t i = 0; i < loads->n && rc == 0; i++)
        if (loads->items[i].is_own) {
            setting->values[argument] = loads->items[i].with;
            rc = make_one(m, setting, err);
        }
    return rc;
}

static void close_product(struct gcal_product *product, struct making *m)
{
    if (product->broken.data && !m->left.data)
        gcal_buf_puts(&m->left, product->broken.data);
    gcal_product_close(product);
}

static int generate(struct making *m, const struct gcal_generator *g,
                    const struct gcal_tags *tags, struct gcal_error *err)
{
    struct gcal_product product;
    int rc;

    if (gcal_product_open(g, tags, &product, err) < 0)
        return -1;
    while ((rc = gcal_product_next(&product, err)) > 0) {
        m->n_settings++;
        if ((rc = make(m, &product.setting, err)) < 0)
            break;
    }
    close_product(&product, m);
    return rc;
}

/* Of tags that single generators allow, but none all of them; -1. */
static int complain_none(const struct making *m, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "the tags pick no kernel: %s",
                          m->left.data ? m->left.data
                                       : "no generator takes all of these values");
}

/* Whether 'value' for argument 'i', with the others as they are, keeps what the
 * generator assumes of its sizes.
 */
static int check_value(struct gcal_setting *setting, size_t i, const char *value,
                       struct gcal_error *err)
{
    const char *there = setting->values[i];
    struct gcal_kernel *kernel;
    int rc = -1;

    setting->values[i] = value;
    if ((kernel = gcal_kernel_create(setting, err)))
        rc = gcal_check_assume(kernel, kernel->n_sizes, kernel->sizes, err);
    gcal_kernel_destroy(kernel);
    setting->values[i] = there;
    if (rc < 0)
        gcal_error_prefix(err, "%s: tag '%s:%s'", setting->generator->name,
                          setting->generator->arguments[i].name, value);
    return rc;
}

/* In the first setting that the tags pick. */
static int check_sizes(const struct gcal_generator *g, const struct gcal_tags *tags,
                       struct making *m, struct gcal_error *err)
{
    struct gcal_product product;
    int rc;

    if (gcal_product_open(g, tags, &product, err) < 0)
        return -1;
    rc = gcal_product_next(&product, err);
    m->n_settings += rc > 0;
    for (size_t i = 0; i < g->n_arguments && rc > 0; i++) {
        const struct gcal_variant_tag *tag = gcal_tags_find(tags, g->arguments[i].name);

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
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = check_sizes(catalogue->generators[i], &parsed, &m, err);
    if (rc == 0 && !m.n_settings)
        rc = complain_none(&m, err);
    stop(&m);
    gcal_tags_clear(&parsed);
    return rc;
}

int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            size_t max_work_group_size, struct gcal_kernel_list *list,
                            struct gcal_error *err)
{
    struct making m = { .counted = catalogue->counted,
                        .max_work_group_size = max_work_group_size,
                        .list = list };
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err) < 0 ? -1 : start(&m, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = generate(&m, catalogue->generators[i], &parsed, err);
    if (rc == 0 && !m.n_settings)
        rc = complain_none(&m, err);
    stop(&m);
    gcal_tags_clear(&parsed);
    return rc;
}
