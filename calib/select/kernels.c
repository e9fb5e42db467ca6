/* kernels.c - the kernels that a configuration has measured on a device */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/select/private.h"

struct gcal_kernel_limits gcal_select_device_limits(const struct gcal_device_info *info)
{
    return (struct gcal_kernel_limits){
        .max_work_group_size = info->max_work_group_size,
        .local_memory_bytes = info->local_memory_bytes,
        .cache_bytes = info->cache_bytes,
        .memory_bytes = info->global_memory_bytes,
        .max_alloc_bytes = info->max_alloc_bytes,
        .fp16 = info->fp16,
        .fp64 = info->fp64,
    };
}

/* Adds 'model' to the kernel's models unless it is one. */
static int add_model(struct gcal_kernel *kernel, const char *model,
                     struct gcal_error *err)
{
    char *models;

    if (kernel->models && gcal_config_names_contain(kernel->models, model))
        return 0;
    models =
        kernel->models ? gcal_buf_format("%s,%s", kernel->models, model) : strdup(model);
    if (!models)
        return gcal_error_memory(err);
    free(kernel->models);
    kernel->models = models;
    return 0;
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
    struct gcal_kernel_list *list;
    void *ids; /* tree of its kernels */
};

/* Takes 'kernel', which 'model' asks for, unless the list has it.  It may be left out as
 * one size of a sweep only if no tag set fixes its size.
 */
static int gather(struct gathered *g, struct gcal_kernel **kernel, const char *model,
                  struct gcal_error *err)
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
    return add_model(*found, model, err);
}

/* Why a model asks for a kernel. */
enum role {
    FITTED,
    TARGET, /* it predicts it */
    CHECK,  /* components are checked by it, at one size */
};

/* They follow the model's name. */
static const char *const suffixes[] = {
    [FITTED] = "",
    [TARGET] = GCAL_CONFIG_TARGET_SUFFIX,
    [CHECK] = GCAL_CONFIG_CHECK_SUFFIX,
};

struct request {
    const struct gcal_config_model *m;
    enum role role;
    char *name; /* that kernels get */
};

static int request_init(struct request *r, const struct gcal_config_model *m,
                        enum role role, struct gcal_error *err)
{
    *r = (struct request){ m, role, gcal_buf_format("%s%s", m->name, suffixes[role]) };
    return r->name ? 0 : gcal_error_memory(err);
}

static int gather_set(struct gathered *g, const struct gcal_catalogue *catalogue,
                      const struct gcal_config_tag_set *set,
                      const struct gcal_kernel_limits *limits, const struct request *r,
                      struct gcal_error *err)
{
    struct gcal_kernel_list picked = { 0 };
    int rc = gcal_select_generate(catalogue, set, limits, &picked, err);

    for (size_t i = 0; i < picked.n_kernels && rc == 0; i++) {
        picked.kernels[i]->sweep = picked.kernels[i]->sweep || r->role == CHECK;
        rc = gather(g, &picked.kernels[i], r->name, err);
    }
    for (size_t i = 0; i < GCAL_KERNEL_N_EXCLUSIONS; i++)
        g->list->left_out[i] += picked.left_out[i];
    gcal_kernel_list_clear(&picked);
    return rc;
}

static int gather_model(struct gathered *g, const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_config_model *m, enum role role,
                        const struct gcal_kernel_limits *limits, struct gcal_error *err)
{
    const struct gcal_config_tag_set *sets = role == FITTED ? m->tag_sets : m->targets;
    size_t n = role == FITTED ? m->n_tag_sets : m->n_targets;
    struct request r;
    int rc = request_init(&r, m, role, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = gather_set(g, catalogue, &sets[i], limits, &r, err);
        if (rc < 0)
            gcal_error_prefix(err, "%s:%d:%d", config->file, sets[i].node->line,
                              sets[i].node->column);
    }
    free(r.name);
    return rc;
}

/* ---- memory components in more accumulators ---- */

static bool is_fitted(const struct gcal_kernel_list *list, const char *generator,
                      const char *model)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        if (strcmp(list->kernels[i]->generator, generator) == 0 &&
            gcal_config_names_contain(list->kernels[i]->models, model))
            return true;
    return false;
}

/* The memory component of 'kernel' in more accumulators, if the model is fitted to the
 * one in one accumulator.
 */
static int gather_accesses(struct gathered *g, const struct gcal_catalogue *catalogue,
                           const struct gcal_kernel *kernel,
                           const struct gcal_kernel_limits *limits,
                           const struct request *r, struct gcal_error *err)
{
    struct gcal_config_model made = { 0 };
    struct gcal_generator_view view;
    int rc = 0;

    if (!gcal_select_find_derived(catalogue, kernel, "memory", &view) ||
        !is_fitted(g->list, view.name, r->m->name))
        return 0;
    rc = gcal_select_add_tag_set(catalogue, &view, kernel->family,
                                 GCAL_CONFIG_CHECK_ACCUMULATORS, &made, err);
    if (rc == 0)
        rc = gather_set(g, catalogue, &made.tag_sets[0], limits, r, err);
    gcal_select_clear_tag_sets(made.tag_sets, made.n_tag_sets);
    free(made.tag_sets);
    return rc;
}

/* Of all kernels that the list has in role 'of'. */
static int gather_all_accesses(struct gathered *g, const struct gcal_catalogue *catalogue,
                               const struct gcal_config_model *m, enum role of,
                               const struct gcal_kernel_limits *limits,
                               struct gcal_error *err)
{
    size_t n = g->list->n_kernels;
    struct request target = { 0 }, check = { 0 };
    const char *family = "";
    int rc = 0;

    if (request_init(&target, m, of, err) < 0 || request_init(&check, m, CHECK, err) < 0)
        rc = -1;
    for (size_t i = 0; i < n && rc == 0; i++) {
        const struct gcal_kernel *kernel = g->list->kernels[i];

        if (!gcal_config_names_contain(kernel->models, target.name) ||
            strcmp(kernel->family, family) == 0)
            continue;
        family = kernel->family;
        rc = gather_accesses(g, catalogue, kernel, limits, &check, err);
    }
    free(target.name);
    free(check.name);
    return rc;
}

/* ---- all of it ---- */

static bool names_kind(size_t n, char **kinds, const struct gcal_device_info *info)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kinds[i], info->device_type) == 0)
            return true;
    return false;
}

int gcal_select_kernels(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_device_limits(info);
    struct gathered g = { .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_config_model *m = &config->models[i];
        bool tailored = names_kind(m->n_tailored, m->tailored, info);
        bool checked = names_kind(m->n_checked, m->checked, info);
        enum role target = tailored ? TARGET : CHECK;

        if (!gcal_config_model_applies(m->model, info))
            continue;
        rc = gather_model(&g, config, catalogue, m, FITTED, &limits, err);
        if (rc == 0 && (tailored || checked))
            rc = gather_model(&g, config, catalogue, m, target, &limits, err);
        if (rc == 0 && checked)
            rc = gather_all_accesses(&g, catalogue, m, target, &limits, err);
    }
    tdestroy(g.ids, keep);
    return rc;
}

int gcal_select_targets(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, const char *model,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_device_limits(info);
    struct gathered g = { .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (gcal_config_model_applies(m->model, info) &&
            (!model || strcmp(m->name, model) == 0))
            rc = gather_model(&g, config, catalogue, m, TARGET, &limits, err);
    }
    tdestroy(g.ids, keep);
    return rc;
}
