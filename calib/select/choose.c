/* choose.c - measurement kernels that make all costs of a model identifiable
 *
 * Kernels are added until their rows of costs span all costs: first those that the user
 * named and the derived kernels of the target kernels, then microbenchmarks, those with
 * the fewest kinds of work first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"
#include "calib/select/rows.h"

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

int gcal_select_choose(const struct gcal_catalogue *catalogue,
                       const struct gcal_model *costs, bool loads,
                       const struct gcal_kernel_list *targets,
                       struct gcal_config_model *m, struct gcal_error *err)
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
