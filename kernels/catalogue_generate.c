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

/* The values that one argument takes for these tags; a walk over the Cartesian product
 * turns them like the wheels of a counter, the last one fastest.
 */
struct wheel {
    size_t n, at;
    const char **values; /* borrowed from the tags or the tree */
};

static int fill_wheel(const struct gcal_generator_arg *a,
                      const struct gcal_variant_tag *tag, struct wheel *wheel,
                      struct gcal_error *err)
{
    size_t n = tag ? tag->n_values : a->defaults->n_items;

    if (!(wheel->values = calloc(n + 1, sizeof(*wheel->values))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *value = tag ? tag->values[i] : a->defaults->items[i]->text;

        if (gcal_argument_allows(a, value))
            wheel->values[wheel->n++] = value;
    }
    return 0;
}

/* To the next setting; false behind the last. */
static bool turn(struct wheel *wheels, size_t n, const char **values)
{
    for (size_t i = n; i-- > 0;) {
        wheels[i].at++;
        if (wheels[i].at < wheels[i].n) {
            values[i] = wheels[i].values[wheels[i].at];
            return true;
        }
        wheels[i].at = 0;
        values[i] = wheels[i].values[0];
    }
    return false;
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
    if (gcal_check_assume(setting->generator, kernel->n_sizes, kernel->sizes, err) < 0 ||
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

static int generate(const struct gcal_generator *g, const struct gcal_tags *tags,
                    size_t max_work_group_size, struct gcal_kernel_list *list,
                    struct gcal_error *err)
{
    struct wheel *wheels = calloc(g->n_arguments, sizeof(*wheels));
    const char **values = calloc(g->n_arguments, sizeof(*values));
    struct gcal_setting setting = { .generator = g, .values = values };
    int rc = -1;

    if (!wheels || !values) {
        gcal_error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_variant_tag *tag = gcal_tags_find(tags, g->arguments[i].name);

        if (fill_wheel(&g->arguments[i], tag, &wheels[i], err) < 0)
            goto out;
        if (!wheels[i].n) { /* the tags ask for values that only others have */
            rc = 0;
            goto out;
        }
        values[i] = wheels[i].values[0];
        setting.ladder = setting.ladder || (g->arguments[i].ladder && !tag);
    }
    do
        rc = generate_one(&setting, max_work_group_size, list, err);
    while (rc == 0 && turn(wheels, g->n_arguments, values));
out:
    for (size_t i = 0; wheels && i < g->n_arguments; i++)
        free(wheels[i].values);
    free(wheels);
    free(values);
    return rc;
}

/* Whether 'value' for argument 'i', with the others at their defaults, keeps what the
 * generator assumes of its sizes.
 */
static int check_value(const struct gcal_generator *g, size_t i, const char *value,
                       struct gcal_error *err)
{
    const char **values = calloc(g->n_arguments, sizeof(*values));
    struct gcal_setting setting = { .generator = g, .values = values };
    struct gcal_kernel *kernel;
    int rc = -1;

    if (!values)
        return gcal_error_memory(err);
    for (size_t k = 0; k < g->n_arguments; k++)
        values[k] = g->arguments[k].defaults->items[0]->text;
    values[i] = value;
    if ((kernel = gcal_kernel_create(&setting, err)))
        rc = gcal_check_assume(g, kernel->n_sizes, kernel->sizes, err);
    gcal_kernel_destroy(kernel);
    free(values);
    if (rc < 0)
        gcal_error_prefix(err, "%s: tag '%s:%s'", g->name, g->arguments[i].name, value);
    return rc;
}

static int check_fixed(const struct gcal_generator *g, const struct gcal_tags *tags,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_variant_tag *tag = gcal_tags_find(tags, g->arguments[i].name);

        for (size_t j = 0; tag && g->arguments[i].size && j < tag->n_values; j++)
            if (check_value(g, i, tag->values[j], err) < 0)
                return -1;
    }
    return 0;
}

int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err)
{
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = check_fixed(catalogue->generators[i], &parsed, err);
    gcal_tags_clear(&parsed);
    return rc;
}

int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            size_t max_work_group_size, struct gcal_kernel_list *list,
                            struct gcal_error *err)
{
    struct gcal_tags parsed;
    int rc;

    if (gcal_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    rc = gcal_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_tags_match(&parsed, match, catalogue->generators[i]))
            rc = generate(catalogue->generators[i], &parsed, max_work_group_size, list,
                          err);
    gcal_tags_clear(&parsed);
    return rc;
}
