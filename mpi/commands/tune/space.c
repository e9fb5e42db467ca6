/* space.c - the configurations of a kernel that a device can run, predicted and ranked */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/select.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/predict/kernel_names.h"
#include "mpi/commands/predict/order.h"
#include "mpi/commands/tune/private.h"

void gcal_tune_entry_clear(struct gcal_tune_entry *entry)
{
    gcal_catalogue_close(entry->catalogue);
    gcal_strings_clear(&entry->tags);
    gcal_strings_clear(&entry->parameters);
    gcal_yaml_destroy(entry->file);
    *entry = (struct gcal_tune_entry){ 0 };
}

static void config_clear(struct gcal_tune_config *config)
{
    free(config->values);
    free(config->name);
    free(config->left_out);
    free(config->roofs);
    free(config->not_predicted);
}

void gcal_tune_space_clear(struct gcal_tune_space *space)
{
    for (size_t i = 0; i < space->n_configs; i++)
        config_clear(&space->configs[i]);
    for (size_t i = 0; i < space->n_parameters; i++) {
        free(space->parameters[i].name);
        gcal_strings_free(space->parameters[i].values, space->parameters[i].n_values);
    }
    if (space->kernels)
        gcal_kernel_list_clear(space->kernels);
    gcal_strings_clear(&space->left_out);
    free(space->kernels);
    free(space->ranking);
    free(space->configs);
    free(space->parameters);
    free(space->kernel);
    free(space->node);
    free(space->device);
    free(space->model);
    *space = (struct gcal_tune_space){ 0 };
}

/* ---- kernels ---- */

static int generate(const struct gcal_tune_entry *entry, size_t n_sizes,
                    const char *const *sizes, const struct gcal_kernel_limits *limits,
                    struct gcal_kernel_list *list, struct gcal_error *err)
{
    size_t n = entry->tags.n + n_sizes;
    const char **tags = calloc(n + 1, sizeof(*tags));
    int rc;

    if (!tags)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        tags[i] = i < entry->tags.n ? entry->tags.items[i] : sizes[i - entry->tags.n];
    rc = gcal_catalogue_check(entry->catalogue, n, tags, GCAL_MATCH_SUPERSET, err);
    if (rc == 0)
        rc = gcal_catalogue_generate(entry->catalogue, n, tags, GCAL_MATCH_SUPERSET,
                                     limits, list, err);
    free(tags);
    return rc;
}

static int note(struct gcal_tune_space *space, size_t n, char *text,
                struct gcal_error *err)
{
    space->n_left_out += n;
    return gcal_strings_take(&space->left_out, text, err);
}

/* What cannot run, by reason; of what cannot be counted, the first reason. */
static int note_left_out(struct gcal_tune_space *space, struct gcal_error *err)
{
    const struct gcal_kernel_list *list = space->kernels;

    for (int i = 0; i < GCAL_KERNEL_N_EXCLUSIONS; i++)
        if (list->left_out[i] && note(space, list->left_out[i],
                                      gcal_buf_format("%zu need %s", list->left_out[i],
                                                      gcal_kernel_exclusion_name(i)),
                                      err) < 0)
            return -1;
    return list->failed.n
               ? note(space, list->failed.n,
                      gcal_buf_format(
                          "%zu cannot be counted at these sizes, the first: %s",
                          list->failed.n, list->failed.items[0]),
                      err)
               : 0;
}

static int none_error(const struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_buf reasons = { 0 };

    for (size_t i = 0; i < space->left_out.n; i++)
        gcal_buf_printf(&reasons, "%s%s", i ? "; " : ": ", space->left_out.items[i]);
    gcal_error_set(err, GCAL_EINPUT, "%s can run none of the %zu configurations%s",
                   space->device, space->n_left_out, reasons.data ? reasons.data : "");
    gcal_buf_free(&reasons);
    return -1;
}

static int check_sizes(const struct gcal_kernel_list *list, struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_kernels; i++) {
        const struct gcal_kernel *kernel = list->kernels[i], *first = list->kernels[0];

        if (kernel->sweep)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "'%s' has several sizes: give each size, as in --at "
                                  "%s=%.0f",
                                  kernel->generator,
                                  kernel->sizes[kernel->n_sizes - 1].name,
                                  kernel->sizes[kernel->n_sizes - 1].value);
        for (size_t k = 0; k < kernel->n_sizes && k < first->n_sizes; k++)
            if (strcmp(kernel->sizes[k].name, first->sizes[k].name) == 0 &&
                kernel->sizes[k].value != first->sizes[k].value)
                return gcal_error_set(err, GCAL_EINPUT,
                                      "the size '%s' has several values: kernels of "
                                      "different sizes do different work; see --over",
                                      kernel->sizes[k].name);
    }
    return 0;
}

static const char *first_plain(const struct gcal_strings *tags)
{
    for (size_t i = 0; i < tags->n; i++)
        if (!strchr(tags->items[i], ':'))
            return tags->items[i];
    return "kernels";
}

/* What all kernels' names share; those of several generators share a tag instead of the
 * first word.
 */
static int name_kernel(const struct gcal_tune_entry *entry, struct gcal_tune_space *space,
                       struct gcal_error *err)
{
    const struct gcal_kernel_list *list = space->kernels;
    const char **names = calloc(list->n_kernels + 1, sizeof(*names));
    char *shared = NULL;

    if (!names)
        return gcal_error_memory(err);
    for (size_t i = 0; i < list->n_kernels; i++)
        names[i] = list->kernels[i]->name;
    shared = gcal_kernel_names_shared(list->n_kernels, names, err);
    free(names);
    if (!shared)
        return -1;
    if (*shared && !memchr(shared, ':', strcspn(shared, " "))) {
        space->kernel = shared;
        return 0;
    }
    space->kernel = gcal_buf_format("%s %s", first_plain(&entry->tags), shared);
    free(shared);
    return space->kernel ? 0 : gcal_error_memory(err);
}

/* ---- predictions ---- */

/* Takes what 'v' has of the configuration. */
static void take_prediction(struct gcal_tune_config *config, struct gcal_order_variant *v)
{
    const struct gcal_prediction *p = &v->prediction;

    config->predicted_s = v->refusal ? NAN : p->time_s;
    config->low_s = v->refusal ? NAN : p->low_s;
    config->high_s = v->refusal ? NAN : p->high_s;
    config->misfit = v->refusal ? NAN : p->misfit;
    config->not_covered = p->not_covered;
    config->extrapolates = p->extrapolates;
    config->beats_first = v->faster_than_first;
    config->not_predicted = v->refusal;
    config->roofs = v->roofs;
    v->refusal = NULL;
    v->roofs = NULL;
}

static int add_variants(const struct gcal_tune_space *space, struct gcal_order *order,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < space->n_configs; i++) {
        struct gcal_order_variant *v = gcal_order_add(order, err);

        if (!v || gcal_predict_target_from_catalogue(&v->target, space->configs[i].kernel,
                                                     err) < 0)
            return -1;
    }
    return 0;
}

int gcal_tune_space_rank(struct gcal_tune_space *space, struct gcal_order *order,
                         const struct gcal_params_device *device, struct gcal_error *err)
{
    order->wants_roofs = true;
    for (size_t i = 0; i < order->n; i++) {
        const char *name = space->configs[i].name; /* empty: the only one */

        if (!(order->variants[i].name = strdup(*name ? name : space->kernel)))
            return gcal_error_memory(err);
    }
    if (gcal_order_variants(order, device, err) < 0)
        return -1;
    if (!(space->ranking = calloc(order->n + 1, sizeof(*space->ranking))) ||
        !(space->model = strdup(order->model)))
        return gcal_error_memory(err);
    for (size_t i = 0; i < order->n; i++) {
        space->ranking[i] = order->variants[i].index;
        take_prediction(&space->configs[space->ranking[i]], &order->variants[i]);
    }
    space->n_covered = order->n_covered;
    space->n_roofs = order->n_roofs;
    space->fastest = order->fastest;
    return 0;
}

int gcal_tune_space_open(const struct gcal_tune_entry *entry, size_t n_sizes,
                         const char *const *sizes, const char *node,
                         const struct gcal_params_device *device, const char *model,
                         struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(&device->info);
    struct gcal_order order = { .model = model };
    int rc;

    *space = (struct gcal_tune_space){ .kernels = calloc(1, sizeof(*space->kernels)),
                                       .node = strdup(node),
                                       .device = strdup(device->info.name) };
    if (!space->kernels || !space->node || !space->device)
        return gcal_error_memory(err);
    limits.counting = gcal_predict_counting(device, model);
    if (generate(entry, n_sizes, sizes, &limits, space->kernels, err) < 0 ||
        note_left_out(space, err) < 0 || check_sizes(space->kernels, err) < 0)
        return -1;
    if (!space->kernels->n_kernels)
        return none_error(space, err);
    if (gcal_tune_parameters_find(space, &entry->parameters, err) < 0 ||
        name_kernel(entry, space, err) < 0)
        return -1;
    rc = add_variants(space, &order, err);
    if (rc == 0)
        rc = gcal_tune_space_rank(space, &order, device, err);
    gcal_order_clear(&order);
    return rc;
}
