/* Measurement kernels made of others: companions with work removed */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"
#include "calib/model/profile.h"

/* ---- tag sets ---- */

static bool has_tag(const struct gcal_generator_view *view, const char *tag)
{
    for (size_t i = 0; i < view->n_tags; i++)
        if (strcmp(view->tags[i], tag) == 0)
            return true;
    return false;
}

/* A tag that no other generator has, or NULL. */
static const char *unique_tag(const struct gcal_catalogue *catalogue,
                              const struct gcal_generator_view *view)
{
    for (size_t i = 0; i < view->n_tags; i++) {
        size_t n = 0;

        for (size_t k = 0; k < gcal_catalogue_size(catalogue); k++) {
            struct gcal_generator_view other = gcal_catalogue_view(catalogue, k);

            n += has_tag(&other, view->tags[i]);
        }
        if (n == 1)
            return view->tags[i];
    }
    return NULL;
}

static int add_tag(struct gcal_config_tag_set *set, char *tag, struct gcal_error *err)
{
    char **moved = realloc(set->tags, (set->n_tags + 1) * sizeof(*moved));

    if (!moved || !tag) {
        free(tag);
        if (moved)
            set->tags = moved;
        return gcal_error_memory(err);
    }
    set->tags = moved;
    moved[set->n_tags++] = tag;
    return 0;
}

static int add_generator_tags(const struct gcal_catalogue *catalogue,
                              const struct gcal_generator_view *view,
                              struct gcal_config_tag_set *set, struct gcal_error *err)
{
    const char *unique = unique_tag(catalogue, view);

    if (unique)
        return add_tag(set, strdup(unique), err);
    set->match = GCAL_MATCH_IDENTICAL;
    for (size_t i = 0; i < view->n_tags; i++)
        if (add_tag(set, strdup(view->tags[i]), err) < 0)
            return -1;
    return 0;
}

/* The "argument:value" behind the first word of 'name'. */
static int add_arguments(const char *name, struct gcal_config_tag_set *set,
                         struct gcal_error *err)
{
    const char *at = name + strcspn(name, " ");

    while (*at) {
        size_t length = strcspn(++at, " ");

        if (add_tag(set, strndup(at, length), err) < 0)
            return -1;
        at += length;
    }
    return 0;
}

static bool same_set(const struct gcal_config_tag_set *a,
                     const struct gcal_config_tag_set *b)
{
    if (a->n_tags != b->n_tags || a->match != b->match)
        return false;
    for (size_t i = 0; i < a->n_tags; i++)
        if (strcmp(a->tags[i], b->tags[i]) != 0)
            return false;
    return true;
}

/* Takes 'set', unless the model has it. */
static int keep_set(struct gcal_config_model *m, struct gcal_config_tag_set *set,
                    struct gcal_error *err)
{
    struct gcal_config_tag_set *moved;

    for (size_t i = 0; i < m->n_tag_sets; i++)
        if (same_set(&m->tag_sets[i], set)) {
            gcal_config_strings_clear(set->tags, set->n_tags);
            return 0;
        }
    moved = realloc(m->tag_sets, (m->n_tag_sets + 1) * sizeof(*moved));
    if (!moved) {
        gcal_config_strings_clear(set->tags, set->n_tags);
        return gcal_error_memory(err);
    }
    m->tag_sets = moved;
    moved[m->n_tag_sets++] = *set;
    return 0;
}

int gcal_config_add_tag_set(const struct gcal_catalogue *catalogue,
                            const struct gcal_generator_view *view, const char *name,
                            const char *more, const struct gcal_yaml *node,
                            struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_config_tag_set set = { .line = node->line, .column = node->column };

    if (add_generator_tags(catalogue, view, &set, err) < 0 ||
        add_arguments(name, &set, err) < 0 ||
        (more && add_tag(&set, strdup(more), err) < 0)) {
        gcal_config_strings_clear(set.tags, set.n_tags);
        return -1;
    }
    return keep_set(m, &set, err);
}

/* ---- which companions ---- */

static bool has_feature(const struct gcal_model *model, const char *kind, const char *tag)
{
    char *name = gcal_buf_format("%s_tag:%s", kind, tag);
    bool found = false;

    for (size_t i = 0; name && i < model->n_features && !found; i++)
        found = strcmp(model->features[i], name) == 0;
    free(name);
    return found;
}

/* The forms whose companions the model's costs are told by. */
struct wanted {
    bool memory, onchip, loads;
};

static struct wanted wanted_of(const struct gcal_model *costs, bool loads,
                               const struct gcal_profile *profile)
{
    struct wanted w = { .loads = loads };

    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if (!e->tag)
            continue;
        if (e->kind == GCAL_FEATURE_MEMORY)
            w.memory = w.memory || has_feature(costs, "f_memory", e->tag);
        else if (e->kind == GCAL_FEATURE_ONCHIP)
            w.onchip = w.onchip || has_feature(costs, "f_onchip", e->tag);
        else if (e->kind == GCAL_FEATURE_MEM_ACCESS &&
                 e->space == GCAL_FEATURE_SPACE_GLOBAL &&
                 e->direction == GCAL_FEATURE_LOAD)
            w.loads = w.loads || has_feature(costs, "f_mem_access", e->tag);
    }
    return w;
}

bool gcal_config_find_derived_kernel(const struct gcal_catalogue *catalogue,
                                     const struct gcal_kernel *kernel, const char *form,
                                     struct gcal_generator_view *view)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        *view = gcal_catalogue_view(catalogue, i);
        if (view->origin && strcmp(view->origin, kernel->generator) == 0 &&
            strcmp(view->form, form) == 0)
            return true;
    }
    return false;
}

/* The tag set of the companion of that form, where there is one. */
static int add_derived(const struct gcal_catalogue *catalogue,
                       const struct gcal_kernel *kernel, const char *form,
                       const char *more, const struct gcal_yaml *node,
                       struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_generator_view view;

    if (!gcal_config_find_derived_kernel(catalogue, kernel, form, &view))
        return 0;
    return gcal_config_add_tag_set(catalogue, &view, kernel->family, more, node, m, err);
}

static int add_all_derived(const struct gcal_catalogue *catalogue,
                           const struct wanted *wanted, const struct gcal_kernel *kernel,
                           const struct gcal_yaml *node, struct gcal_config_model *m,
                           struct gcal_error *err)
{
    struct gcal_generator_view view;
    /* Where not all accesses can be kept in place, all loads stand for them. */
    bool in_place = gcal_config_find_derived_kernel(catalogue, kernel, "memory", &view);
    const struct {
        const char *form, *more;
        bool wanted;
    } forms[] = {
        { "memory", NULL, wanted->memory || wanted->loads }, /* stores, too */
        { "onchip", NULL, wanted->onchip },
        { "loads", "keep:each", wanted->loads },
        { "loads", "keep:all", wanted->loads || (wanted->memory && !in_place) },
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (forms[i].wanted && add_derived(catalogue, kernel, forms[i].form,
                                           forms[i].more, node, m, err) < 0)
            return -1;
    return 0;
}

int gcal_config_add_derived_kernels(const struct gcal_catalogue *catalogue,
                                    const struct gcal_model *costs, bool loads,
                                    const struct gcal_kernel_list *kernels,
                                    const struct gcal_yaml *node,
                                    struct gcal_config_model *m, struct gcal_error *err)
{
    const char *family = "";

    for (size_t i = 0; i < kernels->n_kernels; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct wanted wanted;

        if (strcmp(kernel->family, family) == 0)
            continue;
        family = kernel->family;
        wanted = wanted_of(costs, loads, kernel->profile);
        if (add_all_derived(catalogue, &wanted, kernel, node, m, err) < 0)
            return -1;
    }
    return 0;
}
