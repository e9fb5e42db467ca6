/* profile.c - the profile of a nest */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/strings.h"
#include "kernels/count/private.h"

/* In the order of 'order' first. */
static void set_parameters(struct gcal_count_builder *m, const struct gcal_strings *order)
{
    char **names = calloc(m->used.n + 1, sizeof(*names));
    size_t n_names = 0;

    if (!names) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (int listed = 1; listed >= 0; listed--)
        for (size_t i = 0, n = listed ? order->n : m->used.n; i < n; i++) {
            const char *name = listed ? order->items[i] : m->used.items[i];
            bool wanted = false, has = false;

            for (size_t j = 0; j < m->used.n; j++)
                wanted = wanted || strcmp(m->used.items[j], name) == 0;
            for (size_t j = 0; j < n_names; j++)
                has = has || strcmp(names[j], name) == 0;
            if (wanted && !has && (names[n_names] = gcal_count_builder_copy(m, name)))
                n_names++;
        }
    m->profile->parameters = names;
    m->profile->n_parameters = n_names;
}

static int compare_notes(const void *a, const void *b)
{
    const struct gcal_sets_note *x = a, *y = b;

    if (x->line != y->line)
        return x->line - y->line;
    return x->column != y->column ? x->column - y->column : strcmp(x->text, y->text);
}

static void set_notes(struct gcal_count_builder *m)
{
    struct gcal_sets_nest *nest = m->nest;
    struct gcal_profile *p = m->profile;

    for (size_t i = 0; i < p->n_entries; i++)
        p->estimated = p->estimated || p->entries[i].estimated;
    if (!nest->n_notes)
        return;
    p->estimated = true;
    qsort(nest->notes, nest->n_notes, sizeof(nest->notes[0]), compare_notes);
    if (!(p->notes = calloc(nest->n_notes, sizeof(*p->notes)))) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (size_t i = 0; i < nest->n_notes; i++)
        if ((p->notes[i] = gcal_count_builder_copy(
                 m, gcal_poly_format(m->c, "%d:%d: %s", nest->notes[i].line,
                                     nest->notes[i].column, nest->notes[i].text))))
            p->n_notes++;
}

static int set_hash(struct gcal_profile *profile, const char *source,
                    struct gcal_error *err)
{
    char text[GCAL_HASH_TEXT_SIZE];

    gcal_hash(source, strlen(source), text);
    if (!(profile->source_hash = strdup(text)))
        return gcal_error_memory(err);
    return 0;
}

/* What may be refused; all else is estimated. */
static void add_counts(struct gcal_count_builder *m)
{
    gcal_count_builder_add_ops(m);
    gcal_count_builder_add_accesses(m);
    gcal_count_builder_add_ndrange(m);
    gcal_count_builder_add_components(m);
}

bool gcal_count_is_possible(struct gcal_sets_nest *nest,
                            const struct gcal_count_request *request)
{
    struct gcal_count_builder m = { .nest = nest, .c = nest->c, .request = request };
    bool is_possible;

    if (!(m.profile = calloc(1, sizeof(*m.profile))))
        return false;
    add_counts(&m);
    is_possible = !m.failed && !gcal_poly_context_has_failed(m.c);
    gcal_strings_clear(&m.used);
    free(m.explained);
    gcal_profile_destroy(m.profile);
    return is_possible;
}

static void build(struct gcal_count_builder *m, const char *kernel,
                  const char *assumptions, const struct gcal_strings *order)
{
    struct gcal_profile *p = m->profile;

    p->kernel = gcal_count_builder_copy(m, kernel);
    p->n_dims = m->nest->n_dims;
    for (size_t d = 0; d < p->n_dims; d++)
        p->local_size[d] = (size_t)m->nest->local_size[d];
    p->n_banks = m->request->n_banks;
    p->sector_bytes = m->request->sector_bytes;
    p->divergence = m->request->sub_group_size > 0;
    p->index_arithmetic = m->request->index_arithmetic;
    /* Parameters of the assumptions become the profile's: prediction checks them. */
    const char *text = assumptions;
    size_t size = m->request->sub_group_size;
    struct gcal_poly_context *assumed;

    if (*text) {
        assumed = gcal_poly_context_create(m->err);
        if (!assumed || gcal_poly_assume(assumed, text, m->err) < 0)
            m->failed = true;
        else
            gcal_poly_visit_all_parameters(assumed, gcal_count_builder_use_name, m);
        gcal_poly_context_destroy(assumed);
    }
    if (size)
        text = gcal_poly_format(m->c, "%s%s" GCAL_SUB_GROUP_SIZE " = %zu", text,
                                *text ? " and " : "", size);
    if (*text)
        m->profile->assumptions = gcal_count_builder_copy(m, text);
    if (m->request->n_banks)
        gcal_count_builder_find_issues(m);
    add_counts(m);
    gcal_count_builder_add_branches(m); /* these may go without a budget */
    gcal_count_builder_locate_images(m);
    gcal_count_builder_add_traffic(m);
    gcal_count_builder_add_footprints(m);
    gcal_count_builder_add_private_traffic(m);
    gcal_count_builder_add_latency(m);
    gcal_count_builder_add_contention(m);
    gcal_count_builder_add_op_chain(m);
    gcal_count_builder_add_serial(m);
    gcal_count_builder_advise(m);
    gcal_count_builder_add_arguments(m, order);
    set_notes(m);
    set_parameters(m, order);
    if (!m->failed && (gcal_poly_context_check(m->c, m->err) < 0 ||
                       set_hash(p, m->request->source, m->err) < 0))
        m->failed = true;
    if (!m->failed)
        gcal_profile_sort(p);
}

struct gcal_profile *gcal_count_build_profile(struct gcal_count_walked *walked,
                                              struct gcal_error *err)
{
    struct gcal_count_builder m = { .walked = walked,
                                    .nest = &walked->nest,
                                    .c = walked->nest.c,
                                    .request = &walked->request,
                                    .err = err };

    if (!(m.profile = calloc(1, sizeof(*m.profile)))) {
        gcal_error_memory(err);
        return NULL;
    }
    build(&m, walked->name, walked->assumptions, &walked->arguments);
    gcal_strings_clear(&m.used);
    free(m.explained);
    if (!m.failed)
        return m.profile;
    gcal_profile_destroy(m.profile);
    return NULL;
}
