/* space.c - the configurations of a kernel that a device can run, predicted and ranked */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/select/select.h"
#include "kernels/generate/generate.h"
#include "kernels/model/profile.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/predict/kernel_names.h"
#include "mpi/commands/predict/order.h"
#include "mpi/commands/tune/private.h"

/* ---- kernels ---- */

static void clear_list(void *list)
{
    gcal_kernel_list_clear(list);
}

static int generate_kernels(struct gcal_arena *arena, const struct gcal_tune_entry *entry,
                            size_t n_sizes, const char *const *sizes,
                            const struct gcal_kernel_limits *limits,
                            struct gcal_kernel_list *list, struct gcal_error *err)
{
    size_t n = entry->tags.n + n_sizes;
    const char **tags = gcal_arena_alloc(arena, n, sizeof(*tags));

    for (size_t i = 0; i < n; i++)
        tags[i] = i < entry->tags.n ? entry->tags.items[i] : sizes[i - entry->tags.n];
    gcal_arena_own(arena, list, clear_list);
    if (gcal_catalogue_check(entry->catalogue, n, tags, GCAL_MATCH_SUPERSET, err) < 0)
        return -1;
    return gcal_catalogue_generate(entry->catalogue, n, tags, GCAL_MATCH_SUPERSET, limits,
                                   list, err);
}

/* What cannot run, by reason; of what cannot be counted, the first reason.  -1 with all of them
 * if nothing is left.
 */
static int note_left_out(struct gcal_arena *arena, struct gcal_tune_space *space,
                         struct gcal_error *err)
{
    const struct gcal_kernel_list *list = space->kernels;
    const char *all = "";

    space->reasons =
        gcal_arena_alloc(arena, GCAL_KERNEL_N_EXCLUSIONS + 1, sizeof(*space->reasons));
    for (int i = 0; i < GCAL_KERNEL_N_EXCLUSIONS; i++)
        if (list->left_out[i]) {
            space->n_left_out += list->left_out[i];
            space->reasons[space->n_reasons++] = gcal_arena_format(
                arena, "%zu need %s", list->left_out[i], gcal_kernel_exclusion_name(i));
        }
    if (list->failed.n) {
        space->n_left_out += list->failed.n;
        space->reasons[space->n_reasons++] = gcal_arena_format(
            arena, "%zu cannot be counted at these sizes, the first: %s", list->failed.n,
            list->failed.items[0]);
    }
    if (list->n_kernels)
        return 0;
    for (size_t i = 0; i < space->n_reasons; i++)
        all = gcal_arena_format(arena, "%s%s%s", all, i ? "; " : ": ", space->reasons[i]);
    return gcal_error_set(err, GCAL_EINPUT, "%s can run none of the %zu configurations%s",
                          space->device, space->n_left_out, all);
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

/* ---- predictions ---- */

static void clear_order(void *order)
{
    gcal_order_clear(order);
}

static struct gcal_order *create_order(struct gcal_arena *arena, const char *model)
{
    struct gcal_order *order = gcal_arena_alloc(arena, 1, sizeof(*order));

    *order = (struct gcal_order){ .model = model };
    return gcal_arena_own(arena, order, clear_order);
}

/* Predicts and ranks the configurations, whose targets 'order' has in the same order; they keep
 * texts of it.
 */
static int rank_configs(struct gcal_arena *arena, struct gcal_tune_space *space,
                        struct gcal_order *order, const struct gcal_params_device *device,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < order->n; i++) {
        const char *name = space->configs[i].name; /* empty: the only one */

        order->variants[i].name = *name ? name : space->kernel;
    }
    if (gcal_order_variants(order, device, err) < 0)
        return -1;
    space->ranking = gcal_arena_alloc(arena, order->n, sizeof(*space->ranking));
    for (size_t i = 0; i < order->n; i++) {
        const struct gcal_order_variant *v = &order->variants[i];
        struct gcal_tune_config *config = &space->configs[v->index];
        const struct gcal_prediction *p = &v->prediction;

        space->ranking[i] = v->index;
        config->predicted_s = v->refusal ? NAN : p->time_s;
        config->low_s = v->refusal ? NAN : p->low_s;
        config->high_s = v->refusal ? NAN : p->high_s;
        config->not_covered = p->not_covered;
        config->extrapolates = p->extrapolates;
        config->beats_first = v->faster_than_first;
        config->not_predicted = v->refusal;
    }
    space->model = order->model;
    space->n_covered = order->n_covered;
    space->fastest = order->fastest;
    return 0;
}

/* ---- spaces ---- */

int gcal_tune_space_open(struct gcal_arena *arena, const struct gcal_tune_entry *entry,
                         size_t n_sizes, const char *const *sizes, const char *node,
                         const struct gcal_params_device *device, const char *model,
                         struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(&device->info);
    struct gcal_order *order = create_order(arena, model);

    *space = (struct gcal_tune_space){
        .kernels = gcal_arena_alloc(arena, 1, sizeof(*space->kernels)),
        .node = node,
        .device = device->info.name,
    };
    limits.counting = gcal_predict_counting(device, model);
    if (generate_kernels(arena, entry, n_sizes, sizes, &limits, space->kernels, err) <
            0 ||
        check_sizes(space->kernels, err) < 0 || note_left_out(arena, space, err) < 0)
        return -1;
    gcal_tune_parameters_find(arena, space, &entry->parameters);
    /* What all kernels' names share; those of several generators share a tag instead of the
     * first word.
     */
    const struct gcal_kernel_list *list = space->kernels;
    const char **names = gcal_arena_alloc(arena, list->n_kernels, sizeof(*names));
    const char *shared, *tag = "kernels";
    for (size_t i = 0; i < list->n_kernels; i++)
        names[i] = list->kernels[i]->name;
    if (!(shared = gcal_arena_own(
              arena, gcal_kernel_names_shared(list->n_kernels, names, err), free)))
        return -1;
    for (size_t i = entry->tags.n; i-- > 0;)
        if (!strchr(entry->tags.items[i], ':'))
            tag = entry->tags.items[i];
    space->kernel = *shared && !memchr(shared, ':', strcspn(shared, " "))
                        ? shared
                        : gcal_arena_format(arena, "%s %s", tag, shared);
    space->fixed = gcal_tune_arguments_read(arena, space->kernel);
    for (size_t i = 0; i < space->n_configs; i++) {
        struct gcal_order_variant *v = gcal_order_add(order, err);

        if (!v || gcal_predict_target_from_catalogue(&v->target, space->configs[i].kernel,
                                                     err) < 0)
            return -1;
    }
    return rank_configs(arena, space, order, device, err);
}

static void clear_target(void *target)
{
    gcal_predict_target_clear(target);
}

int gcal_tune_space_open_profiles(struct gcal_arena *arena,
                                  const struct gcal_option_list *files,
                                  const struct gcal_option_list *ats, const char *node,
                                  const struct gcal_params_device *device,
                                  const char *model, struct gcal_tune_space *space,
                                  struct gcal_error *err)
{
    struct gcal_order *order = create_order(arena, model);
    struct gcal_tune_arguments *arguments = NULL;
    size_t capacity = 0;

    *space = (struct gcal_tune_space){ .node = node, .device = device->info.name };
    for (size_t i = 0; i < files->n; i++) {
        struct gcal_predict_target *file = gcal_arena_alloc(arena, 1, sizeof(*file));
        const struct gcal_profile *p;

        gcal_arena_own(arena, file, clear_target);
        if (gcal_predict_target_read(file, files->items[i], device, ats, err) < 0)
            return -1;
        p = file->profile;
        space->kernel =
            !i || strcmp(space->kernel, p->kernel) == 0 ? p->kernel : "kernels";
        for (size_t k = 0; k < file->points.n; k++) {
            struct gcal_order_variant *v = gcal_order_add(order, err);
            struct gcal_tune_arguments *a;

            if (!v || gcal_predict_target_at(&v->target, file, k, err) < 0)
                return -1;
            arguments = gcal_arena_grow(arena, arguments, space->n_configs, &capacity,
                                        sizeof(*arguments));
            a = &arguments[space->n_configs++];
            gcal_tune_arguments_add(arena, a, "profile", files->items[i]);
            for (size_t d = 0; d < p->n_parameters; d++)
                gcal_tune_arguments_add(
                    arena, a, p->parameters[d],
                    gcal_arena_format(arena, "%.15g", v->target.sizes[d]));
        }
    }
    gcal_tune_parameters_fill(arena, space, arguments, NULL);
    return rank_configs(arena, space, order, device, err);
}
