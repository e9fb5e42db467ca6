/* model.c - one model of a configuration as the file has it */
#include <ctype.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"

bool gcal_config_model_merges(const struct gcal_config_model *m)
{
    return m->n_targets > 0 || m->roofs.n > 0;
}

/* ---- name and output ---- */

/* Names are used in comma-separated lists and on command lines. */
static int read_names(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *name = gcal_config_find(m->node, "name");
    const struct gcal_yaml *output = gcal_config_find(m->node, "output");
    const char *text = "f_cl_wall_time";

    if (!name)
        return gcal_yaml_error(m->node, err, "the model has no 'name'");
    if (!gcal_yaml_text(name, "name", err))
        return -1;
    for (const char *c = name->text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return gcal_yaml_error(name, err,
                                   "model name '%.60s': only letters, digits, '_', '-' "
                                   "and '.' are allowed",
                                   name->text);
    if (!*name->text)
        return gcal_yaml_error(name, err, "the model's name is empty");
    if (output && !(text = gcal_yaml_text(output, "output", err)))
        return -1;
    m->name = gcal_arena_strdup(m->arena, name->text);
    m->output = gcal_arena_strdup(m->arena, text);
    return 0;
}

/* ---- device kinds ---- */

static bool shares_kind(const struct gcal_config_model *a,
                        const struct gcal_config_model *b)
{
    for (size_t i = 0; i < a->n_kinds; i++)
        for (size_t k = 0; k < b->n_kinds; k++)
            if (strcmp(a->kinds[i], b->kinds[k]) == 0)
                return true;
    return a->n_kinds == b->n_kinds && !a->n_kinds;
}

/* The one without kinds of two models leaves the other's to it. */
static void leave_kinds(struct gcal_config_model *m,
                        const struct gcal_config_model *other)
{
    for (size_t i = 0; i < other->n_kinds && !m->n_kinds; i++) {
        m->others = gcal_arena_grow(m->arena, m->others, m->n_others, &m->others_capacity,
                                    sizeof(*m->others));
        m->others[m->n_others++] = other->kinds[i];
    }
}

/* Checks the last model, whose name is read: no two models of a name are for the same kind. */
static int read_model_kinds(const struct gcal_config *config, struct gcal_config_model *m,
                            struct gcal_error *err)
{
    if (gcal_config_read_kinds(m->arena, m->node, "kinds", &m->kinds, &m->n_kinds, err) <
        0)
        return -1;
    for (size_t i = 0; i + 1 < config->n_models; i++) {
        struct gcal_config_model *other = &config->models[i];

        if (strcmp(other->name, m->name) != 0)
            continue;
        if (strcmp(other->output, m->output) != 0 || shares_kind(m, other))
            return gcal_yaml_error(gcal_config_find(m->node, "name"), err,
                                   "two models are called '%s'; give them 'kinds' of "
                                   "devices that differ, and one output",
                                   m->name);
        leave_kinds(m, other);
        leave_kinds(other, m);
    }
    return 0;
}

/* ---- tag sets ---- */

const char *const gcal_config_match_names[] = {
    [GCAL_CONFIG_MATCH_SUPERSET] = "superset",
    [GCAL_CONFIG_MATCH_IDENTICAL] = "identical",
    [GCAL_CONFIG_MATCH_SUBSET] = "subset",
    [GCAL_CONFIG_MATCH_INTERSECT] = "intersect",
    NULL,
};

static int read_tag_set(struct gcal_arena *arena, const struct gcal_yaml *node,
                        struct gcal_config_tag_set *set, struct gcal_error *err)
{
    static const char *const keys[] = { "tags", "match", "kinds", NULL };
    const struct gcal_yaml *tags, *match;
    const char *text;
    int i = 0;

    set->node = node;
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if (!(tags = gcal_config_find(node, "tags")))
        return gcal_yaml_error(node, err, "no 'tags', e.g. {tags: [matmul_sq]}");
    if (gcal_config_read_strings(arena, tags, "tags", &set->tags, &set->n_tags, err) < 0)
        return -1;
    if (!set->n_tags)
        return gcal_yaml_error(tags, err, "the list of tags is empty");
    if ((match = gcal_config_find(node, "match"))) {
        if (!(text = gcal_yaml_text(match, "match", err)))
            return -1;
        while (gcal_config_match_names[i] &&
               strcmp(gcal_config_match_names[i], text) != 0)
            i++;
        if (!gcal_config_match_names[i])
            return gcal_yaml_error(
                match, err,
                "match '%s' is none of superset, identical, subset, intersect", text);
        set->match = (enum gcal_config_match)i;
    }
    return gcal_config_read_kinds(arena, node, "kinds", &set->kinds, &set->n_kinds, err);
}

/* A non-empty list; 'what' names its items in messages. */
static int read_tag_sets(struct gcal_arena *arena, const struct gcal_yaml *list,
                         const char *what, struct gcal_config_tag_set **sets,
                         size_t *count, struct gcal_error *err)
{
    if (!list)
        return 0;
    if (!gcal_config_need_list(list, "tag sets", err))
        return -1;
    if (!list->n_items)
        return gcal_yaml_error(list, err, "the list of %s is empty", what);
    *sets = gcal_arena_alloc(arena, list->n_items, sizeof(**sets));
    *count = list->n_items;
    for (size_t i = 0; i < list->n_items; i++)
        if (read_tag_set(arena, list->items[i], &(*sets)[i], err) < 0)
            return -1;
    return 0;
}

/* ---- roofs ---- */

GCAL_ARENA_DESTROYER(clear_roofs, gcal_roofs_clear)

GCAL_ARENA_DESTROYER(clear_spreads, gcal_spreads_clear)

/* The forms' expressions have all names that the roofs have. */
static int read_roofs(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(m->node, "roofs");

    gcal_arena_own(m->arena, &m->roofs, clear_roofs);
    if (!node)
        return 0;
    if (gcal_roofs_read(m->node, m->names, &m->roofs, err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_error why = { 0 };
        struct gcal_roofs_program *program;

        if (!m->forms[i].model)
            return gcal_yaml_error(node, err,
                                   "roofs are for a model with an 'expression', not for "
                                   "built-in forms");
        program = gcal_roofs_compile(&m->roofs, m->names, m->forms[i].model, &why);
        if (!program)
            return gcal_yaml_error(node, err,
                                   "%s: a roof has parameters and features of the "
                                   "model's expression",
                                   why.text);
        gcal_roofs_program_destroy(program);
    }
    return 0;
}

/* ---- all of it ---- */

int gcal_config_read_model(struct gcal_config *config, const struct gcal_yaml *node,
                           struct gcal_error *err)
{
    static const char *const known[] = { "name",     "output",     "expression",
                                         "forms",    "groups",     "overhead",
                                         "predicts", "parameters", "kernels",
                                         "roofs",    "spread",     "kinds",
                                         "added",    "errors",     NULL };
    struct gcal_config_model *m = &config->models[config->n_models++];
    const struct gcal_yaml *errors, *added, *gone;
    const char *text;

    m->arena = config->arena;
    m->node = node;
    m->names = config->names;
    if ((gone = gcal_config_find(node, "tailored")) ||
        (gone = gcal_config_find(node, "checked")))
        return gcal_yaml_error(gone, err,
                               "models made for kernels from their own components are no "
                               "longer fitted: leave the model out (of a record, with "
                               "--config FILE) and learn the kernels (gpucal-learn(1))");
    if (gcal_yaml_check_keys(node, known, err) < 0 || read_names(m, err) < 0 ||
        read_model_kinds(config, m, err) < 0)
        return -1;
    if ((errors = gcal_config_find(node, "errors"))) { /* relative by default */
        if (!(text = gcal_yaml_text(errors, "errors", err)))
            return -1;
        m->absolute = strcmp(text, "absolute") == 0;
        if (!m->absolute && strcmp(text, "relative") != 0)
            return gcal_yaml_error(errors, err,
                                   "errors: expected relative or absolute, found '%.60s'",
                                   text);
    }
    m->targets_node = gcal_config_find(node, "predicts");
    if (read_tag_sets(m->arena, gcal_config_find(node, "kernels"), "kernels",
                      &m->tag_sets, &m->n_tag_sets, err) < 0 ||
        read_tag_sets(m->arena, m->targets_node, "target kernels", &m->targets,
                      &m->n_targets, err) < 0 ||
        gcal_config_read_forms(m, err) < 0)
        return -1;
    gcal_arena_own(m->arena, &m->spreads, clear_spreads);
    if (read_roofs(m, err) < 0 ||
        gcal_spreads_read(node, &m->roofs, &m->spreads, err) < 0)
        return -1;
    added = gcal_config_find(node, "added");
    if (!(text = added ? gcal_yaml_text(added, "added", err) : ""))
        return -1;
    if (*text && strlen(text) != GCAL_HASH_TEXT_SIZE - 1)
        return gcal_yaml_error(added, err, "added: expected a SHA-256, hexadecimal");
    strcpy(m->added, text);
    m->parameters = gcal_config_find(node, "parameters");
    if (m->parameters && m->parameters->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(m->parameters, err, "parameters: expected a map");
    return 0;
}
