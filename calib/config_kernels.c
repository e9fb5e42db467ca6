/* What a configuration asks for on a device. */
#include "calib/config.h"

#include <ctype.h>
#include <fnmatch.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/feature.h"

static bool matches_any(size_t count, char **globs, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], text, FNM_CASEFOLD) == 0)
            return true;
    return count == 0;
}

bool gcal_device_filter_matches(const struct gcal_device_filter *filter,
                                const struct gcal_device_info *info)
{
    return matches_any(filter->n_types, filter->types, info->device_type) &&
           matches_any(filter->n_vendors, filter->vendors, info->vendor) &&
           matches_any(filter->n_names, filter->names, info->name);
}

/* Letters and digits of 'text' in lower case, at most size - 1 of them. */
static void squeeze(const char *text, char *out, size_t size)
{
    for (; *text && size > 1; text++)
        if (isalnum((unsigned char)*text)) {
            *out++ = (char)tolower((unsigned char)*text);
            size--;
        }
    *out = '\0';
}

static bool contains_word(const char *text, const char *word)
{
    char squeezed_text[256], squeezed_word[256];

    squeeze(text, squeezed_text, sizeof(squeezed_text));
    squeeze(word, squeezed_word, sizeof(squeezed_word));
    return strstr(squeezed_text, squeezed_word) != NULL;
}

bool gcal_model_is_for(const struct gcal_model *model,
                       const struct gcal_device_info *info)
{
    struct gcal_feature output = { 0 };
    bool is_for = gcal_feature_parse(model->output, &output, NULL) == 0;

    if (is_for && output.platform)
        is_for = contains_word(info->platform, output.platform) &&
                 contains_word(info->name, output.device);
    gcal_feature_clear(&output);
    return is_for;
}

struct gcal_kernel_limits gcal_device_limits(const struct gcal_device_info *info)
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

bool gcal_names_contain(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

/* Adds 'model' to the comma-separated names unless it stands there. */
static int add_model(struct gcal_kernel *kernel, const char *model,
                     struct gcal_error *err)
{
    char *models;

    if (kernel->models && gcal_names_contain(kernel->models, model))
        return 0;
    models = kernel->models ? gcal_format("%s,%s", kernel->models, model) : strdup(model);
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

/* What a device is to measure. */
struct gathered {
    struct gcal_kernel_list *list;
    void *ids; /* tree of its kernels */
};

/* Takes 'kernel', which is asked for by 'model', unless it is there already.  One that
 * any tag set names with its size is no rung that may be left out.
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
        (*found)->ladder = (*found)->ladder && (*kernel)->ladder;
    }
    return add_model(*found, model, err);
}

static int gather_set(struct gathered *g, const struct gcal_catalogue *catalogue,
                      const struct gcal_tag_set *set,
                      const struct gcal_kernel_limits *limits, const char *model,
                      struct gcal_error *err)
{
    struct gcal_kernel_list picked = { 0 };
    int rc =
        gcal_catalogue_generate(catalogue, set->n_tags, (const char *const *)set->tags,
                                set->match, limits, &picked, err);

    for (size_t i = 0; i < picked.n_kernels && rc == 0; i++)
        rc = gather(g, &picked.kernels[i], model, err);
    for (size_t i = 0; i < GCAL_N_LEFT_OUT; i++)
        g->list->left_out[i] += picked.left_out[i];
    gcal_kernel_list_clear(&picked);
    return rc;
}

/* 'whole': those that 'm' predicts, as "m:whole". */
static int gather_model(struct gathered *g, const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_model_config *m, bool whole,
                        const struct gcal_kernel_limits *limits, struct gcal_error *err)
{
    const struct gcal_tag_set *sets = whole ? m->predicts : m->tag_sets;
    size_t n = whole ? m->n_predicts : m->n_tag_sets;
    char *name = gcal_format("%s%s", m->model->name, whole ? GCAL_WHOLE : "");
    int rc = name ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = gather_set(g, catalogue, &sets[i], limits, name, err);
        if (rc < 0)
            gcal_error_prefix(err, "%s:%d:%d", config->file, sets[i].line,
                              sets[i].column);
    }
    free(name);
    return rc;
}

static bool is_tailored(const struct gcal_model_config *m,
                        const struct gcal_device_info *info)
{
    for (size_t i = 0; i < m->n_tailored; i++)
        if (strcmp(m->tailored[i], info->device_type) == 0)
            return true;
    return false;
}

int gcal_config_kernels(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_device_limits(info);
    struct gathered g = { .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_model_config *m = &config->models[i];

        if (!gcal_model_is_for(m->model, info))
            continue;
        rc = gather_model(&g, config, catalogue, m, false, &limits, err);
        if (rc == 0 && is_tailored(m, info))
            rc = gather_model(&g, config, catalogue, m, true, &limits, err);
    }
    tdestroy(g.ids, keep);
    return rc;
}

int gcal_config_targets(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, const char *model,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_device_limits(info);
    struct gathered g = { .list = list };
    int rc = 0;

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        const struct gcal_model_config *m = &config->models[i];

        if (gcal_model_is_for(m->model, info) &&
            (!model || strcmp(m->model->name, model) == 0))
            rc = gather_model(&g, config, catalogue, m, true, &limits, err);
    }
    tdestroy(g.ids, keep);
    return rc;
}
