/* select.c - resolving a configuration: one model after the other */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/select/select.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "calib/select/rows.h"
#include "calib/select/private.h"

/* ---- built-in forms: one time from the groups of a model's costs ---- */

/* The group of the launch of work-groups never overlaps. */
static bool is_launch(const struct gcal_select_group *group)
{
    return strcmp(group->name, "launch") == 0;
}

/* All but launches, "(M) + (C) + ..", from the 'first' one on. */
static void put_work(struct gcal_buf *text, const struct gcal_select_costs *costs,
                     size_t first)
{
    const char *before = "";
    size_t n = 0;

    for (size_t i = 0; i < costs->n_groups; i++)
        if (!is_launch(&costs->groups[i]) && n++ >= first) {
            gcal_buf_printf(text, "%s(%s)", before, costs->groups[i].expression);
            before = " + ";
        }
}

/* With M the first group, C, D, .. the others, L that of launches and o the overhead (Stevens and
 * Kloeckner 2020, equations 5 to 8; with a relative argument of the step, see expr.h):
 *
 *   linear      M + C + .. + L + o
 *   overlap     overlap(M, C + .., p_edge) + L + o
 */
static int create(struct gcal_config_model *m, struct gcal_config_form *form,
                  const struct gcal_select_costs *costs, struct gcal_error *err)
{
    const bool overlaps = strcmp(form->name, GCAL_CONFIG_FORM_OVERLAP) == 0;
    struct gcal_buf text = { 0 };
    struct gcal_model_parameter *edge;
    size_t n_work = 0;

    for (size_t i = 0; i < costs->n_groups; i++)
        n_work += !is_launch(&costs->groups[i]);
    if (overlaps && n_work < 2)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "it needs at least 2 groups of costs beside 'launch', there "
            "%s %zu; the form linear takes any",
            n_work == 1 ? "is" : "are", n_work);
    if (overlaps) {
        for (size_t i = 0; i < costs->n_groups && !text.size; i++)
            if (!is_launch(&costs->groups[i]))
                gcal_buf_printf(&text, "overlap((%s), ", costs->groups[i].expression);
        put_work(&text, costs, 1);
        gcal_buf_puts(&text, ", " GCAL_SELECT_EDGE ")");
    } else {
        put_work(&text, costs, 0);
    }
    for (size_t i = 0; i < costs->n_groups; i++)
        if (is_launch(&costs->groups[i]))
            gcal_buf_printf(&text, "%s(%s)", text.size ? " + " : "",
                            costs->groups[i].expression);
    if (costs->overhead)
        gcal_buf_printf(&text, " + %s", costs->overhead);
    form->model = gcal_config_own(
        m, gcal_model_create(m->name, m->output, gcal_arena_take(m->arena, &text), err));
    if (!form->model)
        return -1;
    if (overlaps && (edge = gcal_model_parameter_find(form->model, GCAL_SELECT_EDGE))) {
        free(edge->unit);
        if (!(edge->unit = strdup("1")))
            return gcal_error_memory(err);
        edge->initial = 8;
        edge->min = 1;
        edge->max = 64;
    }
    return 0;
}

/* Creates the models of built-in forms. */
static int make_forms(struct gcal_config_model *m, const struct gcal_select_costs *costs,
                      struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_config_form *form = &m->forms[i];
        struct gcal_error why = { 0 };

        if (!form->model && create(m, form, costs, &why) < 0)
            return gcal_yaml_error(form->node, err, "model '%.60s', form '%s': %s",
                                   m->name, form->name, why.text);
    }
    return 0;
}

/* ---- measurement kernels that make all costs of a model identifiable
 *
 * Kernels are added until their rows of costs span all costs: first those that the user
 * named and the derived kernels of the target kernels, then microbenchmarks, those with
 * the fewest kinds of work first.
 */

/* ---- microbenchmarks that may be measured ---- */

/* Work is a kind of its own if its count is above this share of the kernel's largest. */
#define LEAST_COUNT 0.05

/* The kernels of one variant. */
struct candidate {
    char *generator, *variant;
    struct gcal_select_rows rows;
    size_t n_kinds_of_work; /* in the largest kernel; few are better */
    bool taken;
};

struct candidates {
    struct gcal_arena *arena;
    size_t n, capacity;
    struct candidate *items;
};

/* Returns whether 'value' is one of the values of the tag "argument:value,..". */
static bool has_value(const struct gcal_buf *tag, const char *value)
{
    size_t length = strlen(value);
    const char *at = tag->size ? strchr(tag->data, ':') + 1 : "";

    for (; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

/* "stride:1,16": those of the model's features of scalars that a generator accepts; NULL if there
 * are none.  'tags': of the generators, with room for one more.
 */
static char *stride_tag(struct gcal_arena *arena, const struct gcal_catalogue *catalogue,
                        const struct gcal_model *costs, const char **tags, size_t n_tags)
{
    static const char field[] = "lstrides:{0:";
    struct gcal_buf all = { 0 };

    for (size_t i = 0; i < costs->n_features; i++) {
        const char *found = strstr(costs->features[i], field);
        const char *at = found ? found + sizeof(field) - 1 : "";
        const char *end = at + strspn(at, "0123456789");
        char tag[40];

        if (*end != '}' || end - at > 9 || strstr(costs->features[i], "_width:"))
            continue;
        snprintf(tag, sizeof(tag), "stride:%.*s", (int)(end - at), at);
        tags[n_tags] = tag;
        if (!has_value(&all, strchr(tag, ':') + 1) &&
            gcal_catalogue_check(catalogue, n_tags + 1, tags, GCAL_MATCH_INTERSECT,
                                 NULL) == 0)
            gcal_buf_printf(&all, "%s%s", all.size ? "," : "",
                            all.size ? strchr(tag, ':') + 1 : tag);
    }
    return all.size ? gcal_arena_take(arena, &all) : NULL;
}

/* Neither target kernels, nor kernels whose time has more components than the costs of
 * their features; for the data types of the target kernels, "dtype:float32,float64".
 */
static int generate(struct gcal_arena *arena, const struct gcal_catalogue *catalogue,
                    const struct gcal_model *costs,
                    const struct gcal_kernel_list *targets, struct gcal_kernel_list *list,
                    struct gcal_error *err)
{
    size_t n = gcal_catalogue_size(catalogue), n_tags = 0;
    const char **tags = gcal_arena_alloc(arena, n + 2, sizeof(*tags)), *stride;
    const struct gcal_kernel_limits limits = gcal_select_nominal_limits(costs);
    struct gcal_buf dtypes = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);
        bool is_target = false;

        for (size_t k = 0; k < targets->n_kernels; k++)
            is_target =
                is_target || strcmp(targets->kernels[k]->generator, view.name) == 0;
        if (view.automatic && !is_target)
            tags[n_tags++] = view.tags[0];
    }
    stride = stride_tag(arena, catalogue, costs, tags, n_tags);
    for (size_t i = 0; i < targets->n_kernels; i++) {
        const char *dtype = targets->kernels[i]->dtype;

        if (dtype && !has_value(&dtypes, dtype))
            gcal_buf_printf(&dtypes, "%s%s", dtypes.size ? "," : "dtype:", dtype);
    }
    if (dtypes.size)
        tags[n_tags++] = gcal_arena_take(arena, &dtypes);
    if (stride)
        tags[n_tags++] = stride;
    return gcal_catalogue_generate(catalogue, n_tags, tags, GCAL_MATCH_INTERSECT, &limits,
                                   list, err);
}

static int count_kinds_of_work(struct gcal_arena *arena, const struct gcal_kernel *kernel,
                               size_t *n, struct gcal_error *err)
{
    const struct gcal_profile *p = kernel->profile;
    const char **names = gcal_arena_alloc(arena, p->n_entries, sizeof(*names));
    double *counts = gcal_arena_alloc(arena, p->n_entries, sizeof(*counts)), most = 0;
    size_t n_names = 0;

    /* Passes and traffic are other counts of the same accesses. */
    for (size_t i = 0; i < p->n_entries; i++) {
        enum gcal_feature_kind kind = p->entries[i].kind;

        if (gcal_feature_info(kind)->counted == GCAL_FEATURE_COUNTED_ALWAYS &&
            (gcal_feature_is_op(kind) || gcal_feature_is_access(kind) ||
             kind == GCAL_FEATURE_BARRIER_LOCAL))
            names[n_names++] = p->entries[i].feature;
    }
    if (gcal_select_count_features(kernel, n_names, names, counts, err) < 0)
        return -1;
    for (size_t i = 0; i < n_names; i++)
        most = fmax(most, counts[i]);
    for (size_t i = 0; i < n_names; i++)
        *n += counts[i] > LEAST_COUNT * most;
    return 0;
}

/* The kernels of one variant: 'n' of 'list' from 'first'. */
static int add_candidate(struct candidates *c, const struct gcal_model *costs,
                         const struct gcal_kernel_list *list, size_t first, size_t n,
                         struct gcal_error *err)
{
    const struct gcal_kernel_list variant = { .n_kernels = n,
                                              .kernels = list->kernels + first };
    const struct gcal_kernel *largest = variant.kernels[n - 1];
    struct candidate *made;

    c->items = gcal_arena_grow(c->arena, c->items, c->n, &c->capacity, sizeof(*c->items));
    made = &c->items[c->n++];
    *made =
        (struct candidate){ .generator = gcal_arena_strdup(c->arena, largest->generator),
                            .variant = gcal_arena_strdup(c->arena, largest->variant),
                            .rows = { .arena = c->arena, .costs = costs } };
    if (count_kinds_of_work(c->arena, largest, &made->n_kinds_of_work, err) < 0)
        return -1;
    return gcal_select_rows_add_list(&made->rows, &variant, err);
}

static int add_microbenchmarks(const struct gcal_catalogue *catalogue,
                               const struct gcal_select_rows *rows,
                               const struct gcal_kernel_list *targets,
                               struct gcal_config_model *m,
                               struct gcal_select_basis *basis, struct gcal_error *err)
{
    /* Kernels that identify a cost well go before those that barely do. */
    static const double least[] = { 0.5, 0.2, GCAL_SELECT_LEAST_SHARE };
    struct candidates c = { .arena = m->arena };

    /* The microbenchmarks of the catalogue with default arguments, for the data types of the
     * target kernels and the strides of the model's features.
     */
    struct gcal_kernel_list list = { 0 };
    int rc = generate(c.arena, catalogue, rows->costs, targets, &list, err);
    for (size_t i = 0, end; i < list.n_kernels && rc == 0; i = end) {
        const struct gcal_kernel *first = list.kernels[i];

        for (end = i + 1; end < list.n_kernels &&
                          strcmp(list.kernels[end]->variant, first->variant) == 0;)
            end++;
        if (first->timing == GCAL_TIMING_EVENT && !gcal_kernel_is_transfer(first))
            rc = add_candidate(&c, rows->costs, &list, i, end - i, err);
    }
    gcal_kernel_list_clear(&list);
    if (rc < 0)
        return -1;
    for (size_t i = 0; i < c.n; i++)
        gcal_select_basis_scale(basis, &c.items[i].rows);
    gcal_select_basis_add(basis, rows);
    for (size_t i = 0; i < sizeof(least) / sizeof(*least);) {
        struct candidate *best = NULL;
        struct gcal_generator_view view;
        size_t k = 0;

        /* The one with the fewest kinds of work of those that add a direction. */
        for (size_t j = 0; j < c.n; j++)
            if (!c.items[j].taken &&
                (!best || c.items[j].n_kinds_of_work < best->n_kinds_of_work) &&
                gcal_select_basis_lacks(basis, &c.items[j].rows, least[i]))
                best = &c.items[j];
        if (!best) {
            i++;
            continue;
        }
        best->taken = true;
        gcal_select_basis_add(basis, &best->rows);
        do
            view = gcal_catalogue_view(catalogue, k++);
        while (strcmp(view.name, best->generator) != 0);
        gcal_select_add_tag_set(catalogue, &view, best->variant, NULL, m);
    }
    return 0;
}

/* ---- all of it ---- */

/* Adds tag sets to the model until every parameter of 'costs', a model linear in its
 * parameters, is identifiable.  -1 with 'err' naming one that no kernel identifies.
 */
static int choose_all(const struct gcal_catalogue *catalogue,
                      const struct gcal_model *costs, bool loads,
                      const struct gcal_kernel_list *targets, struct gcal_config_model *m,
                      struct gcal_error *err)
{
    struct gcal_select_rows rows = { .arena = m->arena, .costs = costs };
    struct gcal_select_basis basis;
    struct gcal_kernel_list list = { 0 };
    int rc;

    gcal_select_add_derived(catalogue, costs, loads, targets, m);
    /* The measurement kernels so far. */
    rc = gcal_select_generate_all(catalogue, m->n_tag_sets, m->tag_sets, costs, &list,
                                  err);
    if (rc == 0)
        rc = gcal_select_rows_add_list(&rows, &list, err);
    gcal_kernel_list_clear(&list);
    if (rc < 0)
        return -1;
    gcal_select_basis_init(m->arena, &basis, costs->n_parameters);
    gcal_select_basis_scale(&basis, &rows);
    gcal_select_basis_add(&basis, &rows);
    if (!gcal_select_basis_is_complete(&basis) &&
        add_microbenchmarks(catalogue, &rows, targets, m, &basis, err) < 0)
        return -1;
    return gcal_select_basis_check(m->arena, &basis, costs, err);
}

/* ---- resolving a configuration: one model after the other ---- */

/* One model and the results of the steps so far. */
struct step {
    const struct gcal_catalogue *catalogue; /* or NULL */
    struct gcal_config_model *m;
    struct gcal_kernel_list targets; /* empty for a written-out model */
    struct gcal_select_costs costs;
};

/* ---- forms and parameters ---- */

/* Prior knowledge, for all forms that have the parameter. */
static int set_parameters(const struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *map = m->parameters;

    for (size_t i = 0; map && i < map->n_items; i++) {
        bool found = false;

        for (size_t k = 0; k < m->n_forms; k++) {
            struct gcal_model_parameter *p =
                gcal_model_parameter_find(m->forms[k].model, map->keys[i]->text);

            if (p && gcal_model_parameter_decode(map->items[i], p, err) < 0)
                return -1;
            found = found || p;
        }
        if (!found)
            return gcal_yaml_error(
                map->keys[i], err, "'%.100s' is not in the expression%s",
                map->keys[i]->text, m->n_forms > 1 ? " of any form" : "");
    }
    return 0;
}

/* ---- measurement kernels ---- */

/* By the sum of all costs, or of all features of an expression of the user: linear in its
 * parameters, one for each cost that must be identifiable.
 */
static int choose_kernels(struct step *s, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;
    const struct gcal_model *model = m->model, *linear;
    struct gcal_error why = { 0 };
    struct gcal_buf sum = { 0 };

    if (!m->n_targets)
        return 0;
    if (s->costs.n_groups)
        gcal_buf_puts(&sum, gcal_select_costs_sum(m->arena, &s->costs));
    for (size_t i = 0; i < model->n_features && !s->costs.n_groups; i++)
        gcal_buf_printf(&sum, "%sp_%zu*%s", i ? " + " : "", i, model->features[i]);
    if (!sum.size)
        gcal_buf_puts(&sum, "0");
    linear = gcal_config_own(
        m, gcal_model_create(m->name, m->output, gcal_arena_take(m->arena, &sum), &why));
    if (!linear ||
        choose_all(s->catalogue, linear, s->costs.loads, &s->targets, m, &why) < 0)
        return gcal_yaml_error(m->targets_node, err, "model '%.60s': %s", m->name,
                               why.text);
    return 0;
}

static int resolve_steps(struct step *s, bool expand, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;
    bool built_in = false;

    if (s->catalogue &&
        (gcal_select_check_tags(s->catalogue, m->n_tag_sets, m->tag_sets, err) < 0 ||
         gcal_select_check_tags(s->catalogue, m->n_targets, m->targets, err) < 0))
        return -1;
    if (expand && !s->catalogue)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' depends on the catalogue of kernels, which "
                               "is not read here",
                               m->name);
    if (expand && gcal_select_generate_all(s->catalogue, m->n_targets, m->targets, NULL,
                                           &s->targets, err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_forms; i++)
        built_in = built_in || !m->forms[i].model;
    if (built_in && (gcal_select_costs_find(m, &s->targets, &s->costs, err) < 0 ||
                     make_forms(m, &s->costs, err) < 0))
        return -1;
    m->model = m->forms[0].model;
    if (set_parameters(m, err) < 0 || (expand && choose_kernels(s, err) < 0))
        return -1;
    if (!m->n_tag_sets)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' has no kernels to be fitted to", m->name);
    return 0;
}

/* Without a catalogue, the text says it. */
static int find_added(struct gcal_config_model *m, const struct gcal_catalogue *catalogue,
                      struct gcal_error *err)
{
    struct gcal_buf hashes = { 0 };
    int rc = 0;

    if (!catalogue)
        return 0;
    *m->added = '\0';
    if (gcal_select_put_added(catalogue, m->n_tag_sets, m->tag_sets, &hashes, err) < 0 ||
        gcal_select_put_added(catalogue, m->n_targets, m->targets, &hashes, err) < 0)
        rc = -1;
    else if (hashes.failed)
        rc = gcal_error_memory(err);
    else if (hashes.size)
        gcal_hash(hashes.data, hashes.size, m->added);
    gcal_buf_free(&hashes);
    return rc;
}

int gcal_select_resolve(struct gcal_config *config,
                        const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    bool expanded = false;

    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];
        struct step s = { .catalogue = catalogue, .m = m };
        bool expand = !m->written_out && (m->n_targets || gcal_select_uses_classes(m));
        int rc = resolve_steps(&s, expand, err);

        gcal_kernel_list_clear(&s.targets);
        if (rc < 0 || find_added(m, catalogue, err) < 0)
            return -1;
        expanded = expanded || expand || *m->added;
    }
    config->state = GCAL_CONFIG_RESOLVED;
    /* Records embed the text, and are read without a catalogue. */
    if (expanded && !(config->text = gcal_arena_own(
                          config->arena, gcal_config_encode(config, err), free)))
        return -1;
    return gcal_config_set_fingerprints(config, err);
}

/* ---- reading and resolving ---- */

static int resolve_or_clear(int rc, const struct gcal_catalogue *catalogue,
                            struct gcal_config *config, struct gcal_error *err)
{
    if (rc < 0 || gcal_select_resolve(config, catalogue, err) == 0)
        return rc;
    gcal_config_clear(config);
    return -1;
}

int gcal_select_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err)
{
    int rc = gcal_config_read(file, config, err);

    return resolve_or_clear(rc, catalogue, config, err);
}

int gcal_select_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err)
{
    int rc = gcal_config_parse(text, size, file, config, err);

    return resolve_or_clear(rc, catalogue, config, err);
}
