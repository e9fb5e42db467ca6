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

/* Takes 'kernel'.  One that is there already stays the one; asked for by its size it
 * may not be left out any more.
 */
static int add_kernel(struct gcal_kernel_list *list, struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    struct gcal_kernel **moved;

    for (size_t i = 0; i < list->n_kernels; i++)
        if (strcmp(list->kernels[i]->id, kernel->id) == 0) {
            list->kernels[i]->ladder = list->kernels[i]->ladder && kernel->ladder;
            gcal_kernel_destroy(kernel);
            return 0;
        }
    if (!(moved = gcal_array_grow(list->kernels, list->n_kernels, &list->capacity,
                                  sizeof(*moved), err))) {
        gcal_kernel_destroy(kernel);
        return -1;
    }
    list->kernels = moved;
    list->kernels[list->n_kernels++] = kernel;
    return 0;
}

static const struct gcal_kernel *find_family(const struct gcal_kernel_list *list,
                                             const struct gcal_kernel *kernel)
{
    for (size_t i = list->n_kernels; i-- > 0;)
        if (strcmp(list->kernels[i]->family, kernel->family) == 0)
            return list->kernels[i];
    return NULL;
}

/* One setting's kernel, unless its work-group is too large. */
static int generate_one(const struct gcal_setting *setting, size_t max_work_group_size,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);
    struct gcal_geometry geometry = { 0 };
    size_t work_group = 1;
    int rc = -1;

    if (!kernel)
        return -1;
    for (size_t i = 0; i < kernel->n_dims; i++)
        work_group *= kernel->local_size[i];
    if (max_work_group_size && work_group > max_work_group_size) {
        rc = 0;
        goto out;
    }
    if (gcal_check_assume(kernel, kernel->n_sizes, kernel->sizes, err) < 0 ||
        gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, err) <
            0 ||
        gcal_kernel_finish(setting, kernel, find_family(list, kernel), err) < 0) {
        gcal_error_prefix(err, "%s", kernel->name);
        goto out;
    }
    rc = add_kernel(list, kernel, err);
    kernel = NULL; /* taken */
out:
    gcal_geometry_clear(&geometry);
    gcal_kernel_destroy(kernel);
    return rc;
}

/* What the generators that tags pick have made. */
struct tally {
    size_t n_settings;
    struct gcal_buf broken; /* the first condition that left a setting out */
};

static void close_product(struct gcal_product *product, struct tally *tally)
{
    if (product->broken.data && !tally->broken.data)
        gcal_buf_puts(&tally->broken, product->broken.data);
    gcal_product_close(product);
}

static int generate(const struct gcal_generator *g, const struct gcal_tags *tags,
                    size_t max_work_group_size, struct gcal_kernel_list *list,
                    struct tally *tally, struct gcal_error *err)
{
    struct gcal_product product;
    int rc;

    if (gcal_product_open(g, tags, &product, err) < 0)
        return -1;
    while ((rc = gcal_product_next(&product, err)) > 0) {
        tally->n_settings++;
        if ((rc = generate_one(&product.setting, max_work_group_size, list, err)) < 0)
            break;
    }
    close_product(&product, tally);
    return rc;
}

/* Of tags that single generators allow, but none all of them; -1. */
static int complain_none(const struct tally *tally, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "the tags pick no kernel: %s",
                          tally->broken.data ? tally->broken.data
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
                       struct tally *tally, struct gcal_error *err)
{
    struct gcal_product product;
    int rc;

    if (gcal_product_open(g, tags, &product, err) < 0)
        return -1;
    rc = gcal_product_next(&product, err);
    tally->n_settings += rc > 0;
    for (size_t i = 0; i < g->n_arguments && rc > 0; i++) {
        const struct gcal_variant_tag *tag = gcal_tags_find(tags, g->arguments[i].name);

        for (size_t j = 0; tag && g->arguments[i].size && j < tag->n_values; j++)
            if (check_value(&product.setting, i, tag->values[j], err) < 0)
                rc = -1;
    }
    close_product(&product, tally);
    return rc < 0 ? -1 : 0;
}

int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err)
{
    struct tally tally = { 0 };
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = check_sizes(catalogue->generators[i], &parsed, &tally, err);
    if (rc == 0 && !tally.n_settings)
        rc = complain_none(&tally, err);
    gcal_buf_free(&tally.broken);
    gcal_tags_clear(&parsed);
    return rc;
}

int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            size_t max_work_group_size, struct gcal_kernel_list *list,
                            struct gcal_error *err)
{
    struct tally tally = { 0 };
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = generate(catalogue->generators[i], &parsed, max_work_group_size, list,
                          &tally, err);
    if (rc == 0 && !tally.n_settings)
        rc = complain_none(&tally, err);
    gcal_buf_free(&tally.broken);
    gcal_tags_clear(&parsed);
    return rc;
}
