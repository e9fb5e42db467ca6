/* tags.c - tag sets: the kernels that they pick, and new ones */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"
#include "kernels/model/profile.h"

/* ---- kernels ---- */

_Static_assert((int)GCAL_CONFIG_MATCH_SUPERSET == (int)GCAL_MATCH_SUPERSET &&
                   (int)GCAL_CONFIG_MATCH_IDENTICAL == (int)GCAL_MATCH_IDENTICAL &&
                   (int)GCAL_CONFIG_MATCH_SUBSET == (int)GCAL_MATCH_SUBSET &&
                   (int)GCAL_CONFIG_MATCH_INTERSECT == (int)GCAL_MATCH_INTERSECT,
               "calib/config does not know the catalogue");

int gcal_select_generate(const struct gcal_catalogue *catalogue,
                         const struct gcal_config_tag_set *set,
                         const struct gcal_kernel_limits *limits,
                         struct gcal_kernel_list *list, struct gcal_error *err)
{
    return gcal_catalogue_generate(catalogue, set->n_tags, (const char *const *)set->tags,
                                   (enum gcal_match)set->match, limits, list, err);
}

int gcal_select_picks(const struct gcal_catalogue *catalogue,
                      const struct gcal_config_tag_set *set, const char *kernel,
                      struct gcal_error *err)
{
    return gcal_catalogue_picks(catalogue, set->n_tags, (const char *const *)set->tags,
                                (enum gcal_match)set->match, kernel, err);
}

int gcal_select_generate_all(const struct gcal_catalogue *catalogue, size_t n,
                             const struct gcal_config_tag_set *sets,
                             const struct gcal_model *model,
                             struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_nominal_limits(model);

    for (size_t i = 0; i < n; i++) {
        size_t n_kernels = list->n_kernels, n_failed = list->failed.n;
        struct gcal_error why = { 0 };

        if (gcal_select_generate(catalogue, &sets[i], &limits, list, &why) < 0)
            return gcal_yaml_error(sets[i].node, err, "%s", why.text);
        if (list->n_kernels == n_kernels && list->failed.n > n_failed)
            return gcal_yaml_error(sets[i].node, err, "%s", list->failed.items[n_failed]);
    }
    return 0;
}

int gcal_select_put_added(const struct gcal_catalogue *catalogue, size_t n,
                          const struct gcal_config_tag_set *sets, struct gcal_buf *hashes,
                          struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (gcal_catalogue_put_added(catalogue, sets[i].n_tags,
                                     (const char *const *)sets[i].tags,
                                     (enum gcal_match)sets[i].match, hashes, err) < 0)
            return -1;
    return 0;
}

int gcal_select_check_tags(const struct gcal_catalogue *catalogue, size_t n,
                           const struct gcal_config_tag_set *sets, struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct gcal_error why = { 0 };

        if (gcal_catalogue_check(catalogue, sets[i].n_tags,
                                 (const char *const *)sets[i].tags,
                                 (enum gcal_match)sets[i].match, &why) < 0)
            return gcal_yaml_error(gcal_yaml_find(sets[i].node, "tags"), err, "%s",
                                   why.text);
    }
    return 0;
}

/* ---- new tag sets ---- */

/* The position of a tag that no other generator has; view->n_tags without one. */
static size_t unique_tag(const struct gcal_catalogue *catalogue,
                         const struct gcal_generator_view *view)
{
    for (size_t i = 0; i < view->n_tags; i++) {
        size_t n = 0;

        for (size_t k = 0; k < gcal_catalogue_size(catalogue); k++) {
            struct gcal_generator_view other = gcal_catalogue_view(catalogue, k);

            n += gcal_generator_has_tag(&other, view->tags[i]);
        }
        if (n == 1)
            return i;
    }
    return view->n_tags;
}

static void add_tag(struct gcal_arena *arena, struct gcal_config_tag_set *set,
                    size_t *capacity, char *tag)
{
    set->tags =
        gcal_arena_grow(arena, set->tags, set->n_tags, capacity, sizeof(*set->tags));
    set->tags[set->n_tags++] = tag;
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

void gcal_select_add_tag_set(const struct gcal_catalogue *catalogue,
                             const struct gcal_generator_view *view, const char *name,
                             const char *more, struct gcal_config_model *m)
{
    struct gcal_config_tag_set set = { .node = m->targets_node }, *grown;
    size_t unique = unique_tag(catalogue, view), capacity = 0;
    const char *at = name + strcspn(name, " ");

    if (unique == view->n_tags)
        set.match = GCAL_CONFIG_MATCH_IDENTICAL;
    for (size_t i = 0; i < view->n_tags; i++)
        if (i == unique || unique == view->n_tags)
            add_tag(m->arena, &set, &capacity,
                    gcal_arena_strdup(m->arena, view->tags[i]));
    while (*at) { /* "argument:value" */
        int length = (int)strcspn(++at, " ");

        add_tag(m->arena, &set, &capacity,
                gcal_arena_format(m->arena, "%.*s", length, at));
        at += length;
    }
    if (more)
        add_tag(m->arena, &set, &capacity, gcal_arena_strdup(m->arena, more));
    for (size_t i = 0; i < m->n_tag_sets; i++)
        if (same_set(&m->tag_sets[i], &set))
            return;
    grown = gcal_arena_alloc(m->arena, m->n_tag_sets + 1, sizeof(*grown));
    if (m->n_tag_sets)
        memcpy(grown, m->tag_sets, m->n_tag_sets * sizeof(*grown));
    grown[m->n_tag_sets++] = set;
    m->tag_sets = grown;
}

/* ---- tag sets of kernels that are derived from others by removing work ---- */

static bool has_access(const struct gcal_model *model, const char *tag)
{
    static const char kind[] = "f_mem_access_tag:";

    for (size_t i = 0; i < model->n_features; i++)
        if (strncmp(model->features[i], kind, strlen(kind)) == 0 &&
            strcmp(model->features[i] + strlen(kind), tag) == 0)
            return true;
    return false;
}

/* Returns whether single accesses of the kernel have costs by their tags. */
static bool wants_loads(const struct gcal_model *costs,
                        const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if (e->tag && e->kind == GCAL_FEATURE_MEM_ACCESS &&
            e->space == GCAL_FEATURE_SPACE_GLOBAL && e->direction == GCAL_FEATURE_LOAD &&
            has_access(costs, e->tag))
            return true;
    }
    return false;
}

/* The generator of the kernels that are derived from 'kernel' in this form; false if
 * there is none.
 */
static bool find_derived(const struct gcal_catalogue *catalogue,
                         const struct gcal_kernel *kernel, enum gcal_kernel_form form,
                         struct gcal_generator_view *view)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        *view = gcal_catalogue_view(catalogue, i);
        if (view->form == form && view->origin &&
            strcmp(view->origin, kernel->generator) == 0)
            return true;
    }
    return false;
}

void gcal_select_add_derived(const struct gcal_catalogue *catalogue,
                             const struct gcal_model *costs, bool loads,
                             const struct gcal_kernel_list *targets,
                             struct gcal_config_model *m)
{
    static const struct {
        enum gcal_kernel_form form;
        const char *more;
    } forms[] = {
        { GCAL_KERNEL_MEMORY, NULL }, /* stores, too */
        { GCAL_KERNEL_LOADS, "keep:each" },
        { GCAL_KERNEL_LOADS, "keep:all" },
    };
    const char *family = "";

    for (size_t i = 0; i < targets->n_kernels; i++) {
        const struct gcal_kernel *kernel = targets->kernels[i];
        struct gcal_generator_view view;

        if (strcmp(kernel->family, family) == 0)
            continue;
        family = kernel->family;
        for (size_t k = 0; k < sizeof(forms) / sizeof(*forms) &&
                           (loads || wants_loads(costs, kernel->profile));
             k++)
            if (find_derived(catalogue, kernel, forms[k].form, &view))
                gcal_select_add_tag_set(catalogue, &view, kernel->family, forms[k].more,
                                        m);
    }
}
