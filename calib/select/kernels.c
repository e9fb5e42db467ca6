/* kernels.c - the kernels that a configuration has measured on a device */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"

struct gcal_kernel_limits gcal_select_device_limits(const struct gcal_device_info *info)
{
    return (struct gcal_kernel_limits){
        .max_work_group_size = info->max_work_group_size,
        .max_work_group_depth = gcal_device_info_limits(info).work_group_depth,
        .local_memory_bytes = info->local_memory_bytes,
        .cache_bytes = info->cache_bytes,
        .memory_bytes = info->global_memory_bytes,
        .max_alloc_bytes = info->max_alloc_bytes,
        .fp16 = info->fp16,
        .fp64 = info->fp64,
        .ptx = info->vendor && strncasecmp(info->vendor, "NVIDIA", 6) == 0,
        .counting = { .sub_group_size = info->sub_group_size },
    };
}

/* Kernels are counted for the features of all models, on whichever devices: a kernel of a
 * record has one profile for each sub-group size.
 */
static struct gcal_kernel_limits find_limits(const struct gcal_config *config,
                                             const struct gcal_device_info *info,
                                             const struct gcal_kernel_counting *more)
{
    struct gcal_kernel_limits limits = gcal_select_device_limits(info);

    if (more) {
        limits.counting = *more;
        limits.counting.sub_group_size = info->sub_group_size;
    }
    gcal_select_add_config_counting(config, &limits.counting);
    return limits;
}

/* ---- each kernel once ---- */

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct gcal_kernel *)a)->id,
                  ((const struct gcal_kernel *)b)->id);
}

static void keep(void *kernel)
{
    (void)kernel;
}

/* The kernels of a device so far. */
struct gathered {
    const struct gcal_device_info *info;
    struct gcal_kernel_list *list;
    void *ids; /* tree of its kernels */
};

/* Why a model asks for kernels. */
struct request {
    const struct gcal_config_model *m;
    enum gcal_kernel_role role;
};

/* Takes 'kernel' and adds its use, unless the list has it.  It may be left out as
 * one size of a sweep only if no tag set fixes its size.
 */
static int gather(struct gathered *g, struct gcal_kernel **kernel,
                  const struct request *r, struct gcal_error *err)
{
    struct gcal_kernel_list *list = g->list;
    struct gcal_kernel **grown = gcal_array_grow(list->kernels, list->n_kernels,
                                                 &list->capacity, sizeof(*grown), err);
    struct gcal_kernel *const *found;

    if (!grown)
        return -1;
    list->kernels = grown;
    if (!(found = tsearch(*kernel, &g->ids, compare_ids)))
        return gcal_error_memory(err);
    if (*found == *kernel) {
        grown[list->n_kernels++] = *kernel;
        *kernel = NULL;
    } else {
        (*found)->sweep = (*found)->sweep && (*kernel)->sweep;
    }
    return gcal_kernel_uses_add(&(*found)->uses, r->m->name, r->role, err);
}

static int gather_set(struct gathered *g, const struct gcal_catalogue *catalogue,
                      const struct gcal_config_tag_set *set,
                      const struct gcal_kernel_limits *limits, const struct request *r,
                      struct gcal_error *err)
{
    struct gcal_kernel_list picked = { 0 };
    int rc = gcal_select_generate(catalogue, set, limits, &picked, err);

    for (size_t i = 0; i < picked.n_kernels && rc == 0; i++)
        rc = gather(g, &picked.kernels[i], r, err);
    for (size_t i = 0; i < GCAL_KERNEL_N_EXCLUSIONS; i++)
        g->list->left_out[i] += picked.left_out[i];
    for (size_t i = 0; i < picked.failed.n && rc == 0; i++)
        rc = gcal_strings_include(&g->list->failed, picked.failed.items[i], err);
    gcal_kernel_list_clear(&picked);
    return rc;
}

static int gather_model(struct gathered *g, const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_config_model *m, enum gcal_kernel_role role,
                        const struct gcal_kernel_limits *limits, struct gcal_error *err)
{
    const bool fitted = role == GCAL_KERNEL_FITTED;
    const struct gcal_config_tag_set *sets = fitted ? m->tag_sets : m->targets;
    size_t n = fitted ? m->n_tag_sets : m->n_targets;
    const struct request r = { m, role };
    bool own = false;
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        own = own || gcal_config_names_kind(sets[i].n_kinds, sets[i].kinds, g->info);
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (sets[i].n_kinds
                ? !gcal_config_names_kind(sets[i].n_kinds, sets[i].kinds, g->info)
                : own)
            continue; /* some set of the list names the kind of the device */
        rc = gather_set(g, catalogue, &sets[i], limits, &r, err);
        if (rc < 0)
            gcal_error_prefix(err, "%s:%d:%d", config->file, sets[i].node->line,
                              sets[i].node->column);
    }
    return rc;
}

/* ---- all of it ---- */

int gcal_select_kernels(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = find_limits(config, info, NULL);
    struct gathered g = { .info = info, .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (gcal_config_model_applies(m, info))
            rc = gather_model(&g, config, catalogue, m, GCAL_KERNEL_FITTED, &limits, err);
    }
    tdestroy(g.ids, keep);
    /* Removes kernels that kept models alone use.  The others have all their uses, so that
     * they are the same in a record of several devices, which may keep different models.
     */
    size_t n = 0;
    for (size_t i = 0; i < list->n_kernels; i++) {
        const struct gcal_kernel_uses *uses = &list->kernels[i]->uses;
        bool used = false;

        for (size_t k = 0; k < uses->n && !used; k++) {
            size_t m = 0;

            while (m < config->n_models &&
                   strcmp(config->models[m].name, uses->items[k].model) != 0)
                m++;
            used = m == config->n_models || !config->models[m].kept;
        }
        if (used)
            list->kernels[n++] = list->kernels[i];
        else
            gcal_kernel_destroy(list->kernels[i]);
    }
    list->n_kernels = n;
    return rc;
}

int gcal_select_targets(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, const char *model,
                        const struct gcal_kernel_counting *counting,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = find_limits(config, info, counting);
    struct gathered g = { .info = info, .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (gcal_config_model_applies(m, info) && (!model || strcmp(m->name, model) == 0))
            rc = gather_model(&g, config, catalogue, m, GCAL_KERNEL_TARGET, &limits, err);
    }
    tdestroy(g.ids, keep);
    return rc;
}
