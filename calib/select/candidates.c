/* candidates.c - microbenchmarks that may be measured */
#include "calib/select/candidates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"

/* Work is a kind of its own if its count is above this share of the kernel's largest. */
#define LEAST_COUNT 0.05

/* ---- kernels ---- */

/* Neither target kernels, nor kernels whose time has more components than the costs of
 * their features.
 */
static bool is_candidate(const struct gcal_generator_view *view,
                         const struct gcal_kernel_list *targets)
{
    for (size_t i = 0; i < targets->n_kernels; i++)
        if (strcmp(targets->kernels[i]->generator, view->name) == 0)
            return false;
    return view->automatic;
}

/* Whether 'value' is one of the values of the tag "argument:value,..". */
static bool has_value(const struct gcal_buf *tag, const char *value)
{
    size_t length = strlen(value);
    const char *at = tag->size ? strchr(tag->data, ':') + 1 : "";

    for (; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

/* "dtype:float32,float64": those of the target kernels; NULL if they have none. */
static char *dtype_tag(const struct gcal_kernel_list *targets, struct gcal_error *err)
{
    struct gcal_buf tag = { 0 };

    for (size_t i = 0; i < targets->n_kernels; i++) {
        const char *dtype = targets->kernels[i]->dtype;

        if (dtype && !has_value(&tag, dtype))
            gcal_buf_printf(&tag, "%s%s", tag.size ? "," : "dtype:", dtype);
    }
    return tag.size ? gcal_buf_take(&tag, err) : NULL;
}

/* "stride:1,16": those of the model's features of scalars that a generator accepts; NULL if there
 * are none.
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

        if (*end != '}' || end - at > 9 || strstr(costs->features[i], "_width:"))
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

static int generate(const struct gcal_catalogue *catalogue,
                    const struct gcal_model *costs,
                    const struct gcal_kernel_list *targets, struct gcal_kernel_list *list,
                    struct gcal_error *err)
{
    size_t n = gcal_catalogue_size(catalogue), n_tags = 0;
    const char **tags = calloc(n + 2, sizeof(*tags));
    const struct gcal_kernel_limits limits = gcal_select_nominal_limits(costs);
    char *dtype = dtype_tag(targets, err), *stride = NULL;
    int rc;

    if (!tags) {
        free(dtype);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        if (is_candidate(&view, targets))
            tags[n_tags++] = view.tags[0];
    }
    stride = stride_tag(catalogue, costs, tags, n_tags, err);
    if (dtype)
        tags[n_tags++] = dtype;
    if (stride)
        tags[n_tags++] = stride;
    rc = gcal_catalogue_generate(catalogue, n_tags, tags, GCAL_MATCH_INTERSECT, &limits,
                                 list, err);
    free(stride);
    free(dtype);
    free(tags);
    return rc;
}

/* ---- variants ---- */

void gcal_select_candidates_clear(struct gcal_select_candidates *c)
{
    for (size_t i = 0; i < c->n; i++) {
        gcal_select_rows_clear(&c->items[i].rows);
        free(c->items[i].generator);
        free(c->items[i].variant);
    }
    free(c->items);
}

/* Passes and traffic are other counts of the same accesses. */
static bool is_work(enum gcal_feature_kind kind)
{
    if (gcal_feature_info(kind)->counted != GCAL_FEATURE_COUNTED_ALWAYS)
        return false;
    return gcal_feature_is_op(kind) || gcal_feature_is_access(kind) ||
           kind == GCAL_FEATURE_BARRIER_LOCAL;
}

static int count_kinds_of_work(const struct gcal_kernel *kernel, size_t *n,
                               struct gcal_error *err)
{
    const struct gcal_profile *p = kernel->profile;
    const char **names = calloc(p->n_entries + 1, sizeof(*names));
    double *counts = calloc(p->n_entries + 1, sizeof(*counts)), most = 0;
    size_t n_names = 0;
    int rc = -1;

    if (!names || !counts) {
        gcal_error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_work(p->entries[i].kind))
            names[n_names++] = p->entries[i].feature;
    if (gcal_select_count_features(kernel, n_names, names, counts, err) < 0)
        goto out;
    for (size_t i = 0; i < n_names; i++)
        most = fmax(most, counts[i]);
    for (size_t i = 0; i < n_names; i++)
        *n += counts[i] > LEAST_COUNT * most;
    rc = 0;
out:
    free(names);
    free(counts);
    return rc;
}

/* The kernels of one variant: 'n' of 'list' from 'first'. */
static int add(struct gcal_select_candidates *c, const struct gcal_model *costs,
               const struct gcal_kernel_list *list, size_t first, size_t n,
               struct gcal_error *err)
{
    const struct gcal_kernel_list variant = { .n_kernels = n,
                                              .kernels = list->kernels + first };
    const struct gcal_kernel *largest = variant.kernels[n - 1];
    struct gcal_select_candidate *moved = gcal_array_grow(c->items, c->n, &c->capacity,
                                                          sizeof(*moved), err),
                                 *made;

    if (!moved)
        return -1;
    c->items = moved;
    made = &moved[c->n++];
    *made = (struct gcal_select_candidate){ .generator = strdup(largest->generator),
                                            .variant = strdup(largest->variant),
                                            .rows = { .costs = costs } };
    if (!made->generator || !made->variant)
        return gcal_error_memory(err);
    if (count_kinds_of_work(largest, &made->n_kinds_of_work, err) < 0)
        return -1;
    return gcal_select_rows_add_list(&made->rows, &variant, err);
}

static int add_all(struct gcal_select_candidates *c, const struct gcal_model *costs,
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
            add(c, costs, list, i, n, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_select_candidates_find(struct gcal_select_candidates *c,
                                const struct gcal_catalogue *catalogue,
                                const struct gcal_model *costs,
                                const struct gcal_kernel_list *targets,
                                struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    int rc = generate(catalogue, costs, targets, &list, err);

    if (rc == 0)
        rc = add_all(c, costs, &list, err);
    gcal_kernel_list_clear(&list);
    return rc;
}
