/* tags.c - tag sets: the kernels that they pick, and new ones */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"

/* ---- kernels ---- */

static enum gcal_match match_of(const struct gcal_config_tag_set *set)
{
    switch (set->match) {
    case GCAL_CONFIG_MATCH_IDENTICAL:
        return GCAL_MATCH_IDENTICAL;
    case GCAL_CONFIG_MATCH_SUBSET:
        return GCAL_MATCH_SUBSET;
    case GCAL_CONFIG_MATCH_INTERSECT:
        return GCAL_MATCH_INTERSECT;
    case GCAL_CONFIG_MATCH_SUPERSET:
        break;
    }
    return GCAL_MATCH_SUPERSET;
}

int gcal_select_generate(const struct gcal_catalogue *catalogue,
                         const struct gcal_config_tag_set *set,
                         const struct gcal_kernel_limits *limits,
                         struct gcal_kernel_list *list, struct gcal_error *err)
{
    return gcal_catalogue_generate(catalogue, set->n_tags, (const char *const *)set->tags,
                                   match_of(set), limits, list, err);
}

int gcal_select_picks(const struct gcal_catalogue *catalogue,
                      const struct gcal_config_tag_set *set, const char *kernel,
                      struct gcal_error *err)
{
    return gcal_catalogue_picks(catalogue, set->n_tags, (const char *const *)set->tags,
                                match_of(set), kernel, err);
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
                                     match_of(&sets[i]), hashes, err) < 0)
            return -1;
    return 0;
}

int gcal_select_check_tags(const struct gcal_catalogue *catalogue, size_t n,
                           const struct gcal_config_tag_set *sets, struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct gcal_error why = { 0 };

        if (gcal_catalogue_check(catalogue, sets[i].n_tags,
                                 (const char *const *)sets[i].tags, match_of(&sets[i]),
                                 &why) < 0)
            return gcal_yaml_error(gcal_yaml_find(sets[i].node, "tags"), err, "%s",
                                   why.text);
    }
    return 0;
}

/* ---- new tag sets ---- */

void gcal_select_clear_tag_sets(struct gcal_config_tag_set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sets[i].n_tags; k++)
            free(sets[i].tags[k]);
        free(sets[i].tags);
    }
}

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
    size_t unique = unique_tag(catalogue, view);

    if (unique < view->n_tags)
        return add_tag(set, strdup(view->tags[unique]), err);
    set->match = GCAL_CONFIG_MATCH_IDENTICAL;
    for (size_t i = 0; i < view->n_tags; i++)
        if (add_tag(set, strdup(view->tags[i]), err) < 0)
            return -1;
    return 0;
}

/* The "argument:value" words after the first word of 'name'. */
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

/* Takes 'set', or frees it if the model has one like it. */
static int keep_set(struct gcal_config_model *m, struct gcal_config_tag_set *set,
                    struct gcal_error *err)
{
    struct gcal_config_tag_set *moved;

    for (size_t i = 0; i < m->n_tag_sets; i++)
        if (same_set(&m->tag_sets[i], set)) {
            gcal_select_clear_tag_sets(set, 1);
            return 0;
        }
    moved = realloc(m->tag_sets, (m->n_tag_sets + 1) * sizeof(*moved));
    if (!moved) {
        gcal_select_clear_tag_sets(set, 1);
        return gcal_error_memory(err);
    }
    m->tag_sets = moved;
    moved[m->n_tag_sets++] = *set;
    return 0;
}

int gcal_select_add_tag_set(const struct gcal_catalogue *catalogue,
                            const struct gcal_generator_view *view, const char *name,
                            const char *more, struct gcal_config_model *m,
                            struct gcal_error *err)
{
    struct gcal_config_tag_set set = { .node = m->targets_node };

    if (add_generator_tags(catalogue, view, &set, err) < 0 ||
        add_arguments(name, &set, err) < 0 ||
        (more && add_tag(&set, strdup(more), err) < 0)) {
        gcal_select_clear_tag_sets(&set, 1);
        return -1;
    }
    return keep_set(m, &set, err);
}
