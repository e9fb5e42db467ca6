/* model.c - one model of a configuration as the file has it */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"

static void clear_tag_sets(struct gcal_config_tag_set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gcal_strings_free(sets[i].tags, sets[i].n_tags);
        gcal_strings_free(sets[i].kinds, sets[i].n_kinds);
    }
    free(sets);
}

void gcal_config_model_clear(struct gcal_config_model *m)
{
    for (size_t k = 0; k < m->n_forms; k++) {
        free(m->forms[k].name);
        gcal_model_destroy(m->forms[k].model);
    }
    free(m->forms);
    gcal_config_groups_clear(m);
    clear_tag_sets(m->tag_sets, m->n_tag_sets);
    clear_tag_sets(m->targets, m->n_targets);
    gcal_strings_clear(&m->recorded);
    gcal_roofs_clear(&m->roofs);
    gcal_spreads_clear(&m->spreads);
    gcal_strings_free(m->tailored, m->n_tailored);
    gcal_strings_free(m->checked, m->n_checked);
    gcal_strings_free(m->kinds, m->n_kinds);
    gcal_strings_clear(&m->others);
    free(m->name);
    free(m->output);
    *m = (struct gcal_config_model){ 0 };
}

bool gcal_config_model_merges(const struct gcal_config_model *m)
{
    return m->n_targets > 0 || m->roofs.n > 0;
}

/* ---- name and output ---- */

/* Names are used in comma-separated lists and on command lines. */
static int check_name(const struct gcal_yaml *node, const char *name,
                      struct gcal_error *err)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return gcal_yaml_error(node, err,
                                   "model name '%.60s': only letters, digits, '_', '-' "
                                   "and '.' are allowed",
                                   name);
    if (!*name)
        return gcal_yaml_error(node, err, "the model's name is empty");
    return 0;
}

static int read_names(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *name = gcal_config_find(m->node, "name");
    const struct gcal_yaml *output = gcal_config_find(m->node, "output");
    const char *text = "f_cl_wall_time";

    if (!name)
        return gcal_yaml_error(m->node, err, "the model has no 'name'");
    if (!gcal_yaml_text(name, "name", err) || check_name(name, name->text, err) < 0 ||
        (output && !(text = gcal_yaml_text(output, "output", err))))
        return -1;
    m->name = strdup(name->text);
    m->output = strdup(text);
    return m->name && m->output ? 0 : gcal_error_memory(err);
}

/* Relative by default. */
static int read_errors(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(m->node, "errors");

    if (!node)
        return 0;
    if (!gcal_yaml_text(node, "errors", err))
        return -1;
    m->absolute = strcmp(node->text, "absolute") == 0;
    return m->absolute || strcmp(node->text, "relative") == 0
               ? 0
               : gcal_yaml_error(node, err,
                                 "errors: expected relative or absolute, found '%.60s'",
                                 node->text);
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
static int leave_kinds(struct gcal_config_model *m, const struct gcal_config_model *other,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < other->n_kinds && !m->n_kinds; i++)
        if (gcal_strings_include(&m->others, other->kinds[i], err) < 0)
            return -1;
    return 0;
}

/* Of the last model, whose name is read: no two models of a name are for the same kind. */
static int read_model_kinds(const struct gcal_config *config, struct gcal_config_model *m,
                            struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_config_find(m->node, "kinds");

    if (list && gcal_config_read_kinds(list, &m->kinds, &m->n_kinds, err) < 0)
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
        if (leave_kinds(m, other, err) < 0 || leave_kinds(other, m, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- tag sets ---- */

static int read_match(const struct gcal_yaml *node, enum gcal_config_match *match,
                      struct gcal_error *err)
{
    static const struct {
        const char *name;
        enum gcal_config_match match;
    } known[] = {
        { "superset", GCAL_CONFIG_MATCH_SUPERSET },
        { "identical", GCAL_CONFIG_MATCH_IDENTICAL },
        { "subset", GCAL_CONFIG_MATCH_SUBSET },
        { "intersect", GCAL_CONFIG_MATCH_INTERSECT },
    };
    const char *text = gcal_yaml_text(node, "match", err);

    if (!text)
        return -1;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(text, known[i].name) == 0) {
            *match = known[i].match;
            return 0;
        }
    return gcal_yaml_error(
        node, err, "match '%s' is none of superset, identical, subset, intersect", text);
}

static int read_tag_set(const struct gcal_yaml *node, struct gcal_config_tag_set *set,
                        struct gcal_error *err)
{
    static const char *const keys[] = { "tags", "match", "kinds", NULL };
    const struct gcal_yaml *tags, *match, *kinds;

    set->node = node;
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if (!(tags = gcal_config_find(node, "tags")))
        return gcal_yaml_error(node, err, "no 'tags', e.g. {tags: [matmul_sq]}");
    if (gcal_config_read_strings(tags, "tags", &set->tags, &set->n_tags, err) < 0)
        return -1;
    if (!set->n_tags)
        return gcal_yaml_error(tags, err, "the list of tags is empty");
    if ((match = gcal_config_find(node, "match")) &&
        read_match(match, &set->match, err) < 0)
        return -1;
    kinds = gcal_config_find(node, "kinds");
    return kinds ? gcal_config_read_kinds(kinds, &set->kinds, &set->n_kinds, err) : 0;
}

/* A non-empty list; 'what' names its items in messages. */
static int read_tag_sets(const struct gcal_yaml *list, const char *what,
                         struct gcal_config_tag_set **sets, size_t *count,
                         struct gcal_error *err)
{
    if (!list)
        return 0;
    if (!gcal_config_need_list(list, "tag sets", err))
        return -1;
    if (!list->n_items)
        return gcal_yaml_error(list, err, "the list of %s is empty", what);
    if (!(*sets = calloc(list->n_items, sizeof(**sets))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < list->n_items; i++) {
        ++*count;
        if (read_tag_set(list->items[i], &(*sets)[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- measured target kernels ---- */

/* 'key' lists device kinds on which target kernels are measured. */
static int read_measured_kinds(const struct gcal_config_model *m, const char *key,
                               char ***kinds, size_t *count, struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_config_find(m->node, key);

    if (!list)
        return 0;
    if (gcal_config_read_kinds(list, kinds, count, err) < 0)
        return -1;
    if (!m->n_targets)
        return gcal_yaml_error(
            list, err, "%s: there are no target kernels to measure in 'predicts'", key);
    return 0;
}

static int read_kernels(struct gcal_config_model *m, struct gcal_error *err)
{
    m->targets_node = gcal_config_find(m->node, "predicts");
    if (read_tag_sets(gcal_config_find(m->node, "kernels"), "kernels", &m->tag_sets,
                      &m->n_tag_sets, err) < 0 ||
        read_tag_sets(m->targets_node, "target kernels", &m->targets, &m->n_targets,
                      err) < 0 ||
        read_measured_kinds(m, "tailored", &m->tailored, &m->n_tailored, err) < 0 ||
        read_measured_kinds(m, "checked", &m->checked, &m->n_checked, err) < 0)
        return -1;
    return 0;
}

static int check_tailored_form(const struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++)
        if (m->forms[i].tailored && !m->n_tailored)
            return gcal_yaml_error(gcal_config_find(m->node, "forms"), err,
                                   "the form 'tailored' is fitted to the kernels in "
                                   "'predicts' on the device kinds of 'tailored', which "
                                   "is missing");
    return 0;
}

/* ---- roofs ---- */

/* Whether the form's expression has all names that the roofs have. */
static int check_roofs(const struct gcal_config_model *m,
                       const struct gcal_config_form *form, const struct gcal_yaml *node,
                       struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    struct gcal_roofs_program *program;

    if (!form->model)
        return gcal_yaml_error(node, err,
                               "roofs are for a model with an 'expression', not for "
                               "built-in forms");
    if (!(program = gcal_roofs_compile(&m->roofs, m->names, form->model, &why)))
        return gcal_yaml_error(node, err,
                               "%s: a roof has parameters and features of the model's "
                               "expression",
                               why.text);
    gcal_roofs_program_destroy(program);
    return 0;
}

static int read_roofs(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(m->node, "roofs");

    if (!node)
        return 0;
    if (gcal_roofs_read(m->node, m->names, &m->roofs, err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_forms; i++)
        if (check_roofs(m, &m->forms[i], node, err) < 0)
            return -1;
    return 0;
}

/* ---- all of it ---- */

static int read_parameters(struct gcal_config_model *m, struct gcal_error *err)
{
    m->parameters = gcal_config_find(m->node, "parameters");
    if (m->parameters && m->parameters->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(m->parameters, err, "parameters: expected a map");
    return 0;
}

static int read_added(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(m->node, "added");
    const char *text = node ? gcal_yaml_text(node, "added", err) : "";

    if (!text)
        return -1;
    if (*text && strlen(text) != GCAL_HASH_TEXT_SIZE - 1)
        return gcal_yaml_error(node, err, "added: expected a SHA-256, hexadecimal");
    strcpy(m->added, text);
    return 0;
}

int gcal_config_read_model(struct gcal_config *config, const struct gcal_yaml *node,
                           struct gcal_error *err)
{
    static const char *const known[] = {
        "name",     "output",   "expression", "forms",      "groups",  "overhead",
        "predicts", "tailored", "checked",    "parameters", "kernels", "roofs",
        "spread",   "kinds",    "added",      "errors",     NULL
    };
    struct gcal_config_model *m = &config->models[config->n_models++];

    m->node = node;
    m->names = config->names;
    if (gcal_yaml_check_keys(node, known, err) < 0 || read_names(m, err) < 0 ||
        read_model_kinds(config, m, err) < 0 || read_errors(m, err) < 0 ||
        read_kernels(m, err) < 0 || gcal_config_read_forms(m, err) < 0 ||
        check_tailored_form(m, err) < 0 || read_roofs(m, err) < 0 ||
        gcal_spreads_read(m->node, &m->roofs, &m->spreads, err) < 0 ||
        read_added(m, err) < 0)
        return -1;
    return read_parameters(m, err);
}
