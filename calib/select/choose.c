/* Measurement kernels that tell a model's costs apart
 *
 * A kernel is a row: how much of each cost it has.  Rows are added until they span all
 * costs: first the kernels named by hand and the companions of the predicted kernels,
 * then microbenchmarks, those first that do the fewest other things.
 */
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/config/basis.h"
#include "calib/config/private.h"
#include "calib/model/profile.h"

/* What a kernel does more often than this share of what it does most is counted. */
#define MUCH 0.05

/* Kernels of one ladder do the same in nearly the same proportions: they tell no costs
 * apart, so the largest stands for all.  Those that may run shorter than others are
 * measured down to where launching is all they do, and each is a row.
 */
static bool is_row(const struct gcal_kernel *kernel, void **families)
{
    void *const *found =
        tsearch(kernel->family, families, (int (*)(const void *, const void *))strcmp);

    return kernel->short_run || (found && *found == kernel->family);
}

static void keep_family(void *family)
{
    (void)family;
}

static int add_rows(struct gcal_config_rows *rows, const struct gcal_kernel_list *list,
                    struct gcal_error *err)
{
    void *families = NULL;
    int rc = 0;

    for (size_t i = list->n_kernels; i-- > 0 && rc == 0;)
        if (is_row(list->kernels[i], &families))
            rc = gcal_config_rows_add(rows, list->kernels[i], err);
    tdestroy(families, keep_family);
    return rc;
}

/* Appends what the model is fitted to as it stands. */
static int make_fitted(const struct gcal_catalogue *catalogue,
                       const struct gcal_config_model *m, struct gcal_kernel_list *list,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_tag_sets; i++) {
        const struct gcal_config_tag_set *set = &m->tag_sets[i];

        if (gcal_catalogue_generate(catalogue, set->n_tags,
                                    (const char *const *)set->tags, set->match, NULL,
                                    list, err) < 0)
            return -1;
    }
    return 0;
}

/* Companions of what is predicted, and of what was named by hand. */
static int add_derived(const struct gcal_catalogue *catalogue,
                       const struct gcal_model *costs, bool loads,
                       const struct gcal_kernel_list *predicted,
                       const struct gcal_yaml *node, struct gcal_config_model *m,
                       struct gcal_error *err)
{
    struct gcal_kernel_list named = { 0 };
    int rc = make_fitted(catalogue, m, &named, err);

    if (rc == 0)
        rc = gcal_config_add_derived_kernels(catalogue, costs, loads, predicted, node, m,
                                             err);
    if (rc == 0)
        rc = gcal_config_add_derived_kernels(catalogue, costs, false, &named, node, m,
                                             err);
    gcal_kernel_list_clear(&named);
    return rc;
}

static int add_fitted(struct gcal_config_rows *rows,
                      const struct gcal_catalogue *catalogue,
                      const struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    int rc = make_fitted(catalogue, m, &list, err);

    if (rc == 0)
        rc = add_rows(rows, &list, err);
    gcal_kernel_list_clear(&list);
    return rc;
}

/* ---- microbenchmarks ---- */

/* Not those of kernels that show more than what their features cost, nor of what is to
 * be predicted.
 */
static bool is_candidate(const struct gcal_generator_view *view,
                         const struct gcal_kernel_list *predicted)
{
    static const char *const others[] = { "application", "work_removed", "transfer",
                                          "occupancy",   "divergence",   "launch",
                                          "mix" };

    for (size_t i = 0; i < view->n_tags; i++)
        for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
            if (strcmp(view->tags[i], others[k]) == 0)
                return false;
    for (size_t i = 0; i < predicted->n_kernels; i++)
        if (strcmp(predicted->kernels[i]->generator, view->name) == 0)
            return false;
    return view->n_tags > 0;
}

static bool has_value(const struct gcal_buf *tag, const char *value)
{
    return tag->size && gcal_config_names_contain(strchr(tag->data, ':') + 1, value);
}

/* "dtype:float32,float64": those of the predicted kernels; NULL where they have none. */
static char *dtype_tag(const struct gcal_kernel_list *predicted, struct gcal_error *err)
{
    static const char key[] = " dtype:";
    struct gcal_buf tag = { 0 };

    for (size_t i = 0; i < predicted->n_kernels; i++) {
        const char *at = strstr(predicted->kernels[i]->variant, key);
        char *dtype =
            at ? strndup(at + sizeof(key) - 1, strcspn(at + sizeof(key) - 1, " ")) : NULL;

        if (dtype && !has_value(&tag, dtype))
            gcal_buf_printf(&tag, "%s%s", tag.size ? "," : key + 1, dtype);
        free(dtype);
    }
    return tag.size ? gcal_buf_take(&tag, err) : NULL;
}

/* "stride:1,16": those of the model's features, as far as a generator takes them; NULL
 * where there are none.
 */
static char *stride_tag(const struct gcal_catalogue *catalogue,
                        const struct gcal_model *costs, const char *const *words,
                        size_t n_words, struct gcal_error *err)
{
    static const char field[] = "lstrides:{0:";
    const char **tags = calloc(n_words + 1, sizeof(*tags));
    struct gcal_buf all = { 0 };

    for (size_t i = 0; tags && i < costs->n_features; i++) {
        const char *found = strstr(costs->features[i], field);
        const char *at = found ? found + sizeof(field) - 1 : "";
        const char *end = at + strspn(at, "0123456789");
        char tag[40];

        if (*end != '}' || end - at > 9)
            continue;
        snprintf(tag, sizeof(tag), "stride:%.*s", (int)(end - at), at);
        memcpy(tags, words, n_words * sizeof(*tags));
        tags[n_words] = tag;
        if (!has_value(&all, strchr(tag, ':') + 1) &&
            gcal_catalogue_check(catalogue, n_words + 1, tags, GCAL_MATCH_INTERSECT,
                                 NULL) == 0)
            gcal_buf_printf(&all, "%s%s", all.size ? "," : "",
                            all.size ? strchr(tag, ':') + 1 : tag);
    }
    free(tags);
    return all.size ? gcal_buf_take(&all, err) : NULL;
}

/* Their kernels with default arguments, for the data types of the predicted kernels and
 * the strides of the model's features.
 */
static int make_candidates(const struct gcal_catalogue *catalogue,
                           const struct gcal_model *costs,
                           const struct gcal_kernel_list *predicted,
                           struct gcal_kernel_list *list, struct gcal_error *err)
{
    size_t n = gcal_catalogue_size(catalogue), n_tags = 0;
    const char **tags = calloc(n + 2, sizeof(*tags));
    char *dtype = dtype_tag(predicted, err), *stride = NULL;
    int rc;

    if (!tags) {
        free(dtype);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        if (is_candidate(&view, predicted))
            tags[n_tags++] = view.tags[0];
    }
    stride = stride_tag(catalogue, costs, tags, n_tags, err);
    if (dtype)
        tags[n_tags++] = dtype;
    if (stride)
        tags[n_tags++] = stride;
    rc = gcal_catalogue_generate(catalogue, n_tags, tags, GCAL_MATCH_INTERSECT, NULL,
                                 list, err);
    free(stride);
    free(dtype);
    free(tags);
    return rc;
}

/* Kernels of one variant. */
struct candidate {
    const struct gcal_kernel *kernel; /* the last of them */
    struct gcal_config_rows rows;
    size_t n_works; /* different things that it does */
    bool taken;
};

struct candidates {
    size_t n, capacity;
    struct candidate *items;
};

static void clear_candidates(struct candidates *c)
{
    for (size_t i = 0; i < c->n; i++)
        gcal_config_rows_clear(&c->items[i].rows);
    free(c->items);
}

static bool is_work(enum gcal_feature_kind kind)
{
    return gcal_feature_is_op(kind) || gcal_feature_is_access(kind) ||
           kind == GCAL_FEATURE_BARRIER_LOCAL;
}

/* Those that it does hardly less often than what it does most. */
static int count_works(const struct gcal_kernel *kernel, size_t *n,
                       struct gcal_error *err)
{
    const struct gcal_profile *p = kernel->profile;
    const char **names = calloc(p->n_entries + 1, sizeof(*names));
    double *counts = calloc(p->n_entries + 1, sizeof(*counts)), most = 0;
    size_t n_works = 0;
    int rc = -1;

    if (!names || !counts) {
        gcal_error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_work(p->entries[i].kind))
            names[n_works++] = p->entries[i].feature;
    if (gcal_config_count_features(kernel, n_works, names, counts, err) < 0)
        goto out;
    for (size_t i = 0; i < n_works; i++)
        most = fmax(most, counts[i]);
    for (size_t i = 0; i < n_works; i++)
        *n += counts[i] > MUCH * most;
    rc = 0;
out:
    free(names);
    free(counts);
    return rc;
}

/* One variant's kernels, which stand together in 'list' from 'first' on. */
static int add_candidate(struct candidates *c, const struct gcal_model *costs,
                         const struct gcal_kernel_list *list, size_t first, size_t n,
                         struct gcal_error *err)
{
    const struct gcal_kernel_list part = { .n_kernels = n,
                                           .kernels = list->kernels + first };
    struct candidate *moved =
        gcal_array_grow(c->items, c->n, &c->capacity, sizeof(*moved), err);

    if (!moved)
        return -1;
    c->items = moved;
    moved[c->n] =
        (struct candidate){ .kernel = part.kernels[n - 1], .rows = { .costs = costs } };
    if (count_works(part.kernels[n - 1], &moved[c->n].n_works, err) < 0)
        return -1;
    return add_rows(&moved[c->n++].rows, &part, err);
}

static int list_candidates(struct candidates *c, const struct gcal_model *costs,
                           const struct gcal_kernel_list *list, struct gcal_error *err)
{
    size_t n;

    for (size_t i = 0; i < list->n_kernels; i += n) {
        const char *variant = list->kernels[i]->variant;

        n = 1;
        while (i + n < list->n_kernels &&
               strcmp(list->kernels[i + n]->variant, variant) == 0)
            n++;
        if (list->kernels[i]->timing == GCAL_TIMING_EVENT &&
            !gcal_kernel_is_transfer(list->kernels[i]) &&
            add_candidate(c, costs, list, i, n, err) < 0)
            return -1;
    }
    return 0;
}

/* The one that does the least of those that tell so much that is new; NULL: none does. */
static struct candidate *
best_candidate(struct candidates *c, const struct gcal_config_basis *basis, double least)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < c->n; i++)
        if (!c->items[i].taken && (!best || c->items[i].n_works < best->n_works) &&
            gcal_config_basis_misses(basis, &c->items[i].rows, least))
            best = &c->items[i];
    return best;
}

static int take(struct candidate *best, const struct gcal_catalogue *catalogue,
                const struct gcal_yaml *node, struct gcal_config_model *m,
                struct gcal_config_basis *basis, struct gcal_error *err)
{
    size_t i = 0;
    struct gcal_generator_view view;

    best->taken = true;
    gcal_config_basis_add(basis, &best->rows);
    do
        view = gcal_catalogue_view(catalogue, i++);
    while (strcmp(view.name, best->kernel->generator) != 0);
    return gcal_config_add_tag_set(catalogue, &view, best->kernel->variant, NULL, node, m,
                                   err);
}

static int add_candidates(const struct gcal_catalogue *catalogue,
                          const struct gcal_model *costs,
                          const struct gcal_config_rows *rows,
                          const struct gcal_kernel_list *predicted,
                          const struct gcal_yaml *node, struct gcal_config_model *m,
                          struct gcal_config_basis *basis, struct gcal_error *err)
{
    /* What a kernel tells clearly goes before what it tells a little of. */
    static const double least[] = { 0.5, 0.2, GCAL_CONFIG_BASIS_LEAST };
    struct gcal_kernel_list list = { 0 };
    struct candidates c = { 0 };
    struct candidate *best;
    int rc = -1;

    if (make_candidates(catalogue, costs, predicted, &list, err) < 0 ||
        list_candidates(&c, costs, &list, err) < 0)
        goto out;
    for (size_t i = 0; i < c.n; i++)
        gcal_config_basis_scale(basis, &c.items[i].rows);
    gcal_config_basis_add(basis, rows);
    rc = 0;
    for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
        while (rc == 0 && (best = best_candidate(&c, basis, least[i])))
            rc = take(best, catalogue, node, m, basis, err);
out:
    clear_candidates(&c);
    gcal_kernel_list_clear(&list);
    return rc;
}

/* ---- all of it ---- */

int gcal_config_choose_kernels(const struct gcal_catalogue *catalogue,
                               const struct gcal_model *costs, bool loads,
                               const struct gcal_kernel_list *predicted,
                               const struct gcal_yaml *node, struct gcal_config_model *m,
                               struct gcal_error *err)
{
    struct gcal_config_rows rows = { .costs = costs };
    struct gcal_config_basis basis = { 0 };
    int rc = -1;

    if (add_derived(catalogue, costs, loads, predicted, node, m, err) < 0 ||
        add_fitted(&rows, catalogue, m, err) < 0 ||
        gcal_config_basis_init(&basis, costs->n_parameters, err) < 0)
        goto out;
    gcal_config_basis_scale(&basis, &rows);
    gcal_config_basis_add(&basis, &rows);
    if (basis.n < basis.n_columns) {
        basis.n = 0; /* the scales will be others */
        if (add_candidates(catalogue, costs, &rows, predicted, node, m, &basis, err) < 0)
            goto out;
    }
    rc = gcal_config_basis_check(&basis, costs, err);
out:
    gcal_config_basis_clear(&basis);
    gcal_config_rows_clear(&rows);
    return rc;
}
