/* count_profile.c - events with the same pattern become one entry of a profile */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/hash.h"
#include "kernels/count_private.h"

enum { LONGEST_NAME = 500 };

/* ---- names ---- */

int gcal_names_add(struct gcal_names *names, const char *name, struct gcal_error *err)
{
    char **moved;

    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->names[i], name) == 0)
            return 0;
    moved =
        gcal_array_grow(names->names, names->n, &names->capacity, sizeof(*moved), err);
    if (!moved)
        return -1;
    names->names = moved;
    if (!(moved[names->n] = strdup(name)))
        return gcal_error_memory(err);
    names->n++;
    return 0;
}

void gcal_names_clear(struct gcal_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct gcal_names){ 0 };
}

/* ---- making ---- */

struct maker {
    struct gcal_nest *nest;
    struct gcal_polys *c;
    struct gcal_profile *profile;
    struct gcal_names used; /* parameters in any text */
    bool failed;
    struct gcal_error *err;
};

static void use_name(const char *name, void *data)
{
    struct maker *m = data;

    if (gcal_names_add(&m->used, name, m->err) < 0)
        m->failed = true;
}

/* A copy that the profile owns. */
static char *copy(struct maker *m, const char *text)
{
    char *owned = strdup(text);

    if (!owned && !m->failed) {
        m->failed = true;
        gcal_error_memory(m->err);
    }
    return owned;
}

static char *poly_text(struct maker *m, const struct gcal_poly *p)
{
    gcal_poly_visit_parameters(m->c, p, use_name, m);
    return copy(m, gcal_poly_text(m->c, p));
}

/* Every count in groups, times the sub-groups of one. */
static char *sub_group_text(struct maker *m, const struct gcal_poly *p)
{
    int64_t items = 1, one;
    const char *text = gcal_poly_text(m->c, p);

    for (size_t d = 0; d < m->nest->n_dims; d++)
        items *= m->nest->local_size[d];
    gcal_poly_visit_parameters(m->c, p, use_name, m);
    if (gcal_poly_is_constant(p, &one) && one == 1)
        text = "";
    else
        text = gcal_polys_format(m->c, p->n_terms > 1 ? "(%s)*" : "%s*", text);
    return copy(m, gcal_polys_format(m->c, "%sceil(%lld/" GCAL_SUB_GROUP_SIZE ")", text,
                                     (long long)items));
}

static const struct gcal_poly *
count_domain(struct maker *m, const struct gcal_domain *domain, enum gcal_count_mode mode)
{
    const struct gcal_poly *p =
        gcal_domain_count(m->nest, domain, mode, &m->profile->estimated);

    if (p || m->failed)
        return p ? p : gcal_poly_integer(m->c, 0);
    m->failed = true;
    if (gcal_polys_check(m->c, m->err) == 0) {
        while (domain->kind != GCAL_DOMAIN_LOOP)
            domain = domain->parent;
        gcal_error_set(
            m->err, GCAL_EINPUT,
            "%s:%d:%d: how often the loop over '%s' runs in all has no closed "
            "form: its trips may be negative for some work-items or outer "
            "iterations; assume how the sizes compare (\"m >= n\") or guard it",
            m->nest->file, domain->line, domain->column,
            gcal_atom_name(m->c, domain->loop));
    }
    return gcal_poly_integer(m->c, 0);
}

static struct gcal_profile_entry *add_entry(struct maker *m, enum gcal_feature_kind kind,
                                            enum gcal_granularity granularity,
                                            const char *feature)
{
    struct gcal_profile_entry *e = gcal_profile_add(m->profile, m->err);

    if (!e) {
        m->failed = true;
        return NULL;
    }
    e->kind = kind;
    e->granularity = granularity;
    e->feature = copy(m, feature);
    return e;
}

/* ---- operations ---- */

static void add_ops(struct maker *m)
{
    const struct gcal_nest *nest = m->nest;

    for (size_t i = 0; i < nest->n_ops && !m->failed; i++) {
        const struct gcal_op_event *e = &nest->ops[i];
        const struct gcal_poly *total = gcal_poly_integer(m->c, 0);
        struct gcal_profile_entry *entry;
        bool done = false;

        for (size_t j = 0; j < nest->n_ops; j++) {
            const struct gcal_op_event *other = &nest->ops[j];

            if (other->dtype != e->dtype || strcmp(other->op, e->op) != 0)
                continue;
            done = done || j < i;
            if (!done)
                total = gcal_poly_add(
                    m->c, total,
                    gcal_poly_scale(m->c,
                                    count_domain(m, other->domain, GCAL_COUNT_GROUPS),
                                    other->times, 1));
        }
        if (done || !total->n_terms)
            continue;
        entry = add_entry(m, GCAL_FEATURE_OP, GCAL_PER_SUB_GROUP,
                          gcal_polys_format(m->c, "f_op_%s_%s", e->dtype, e->op));
        if (!entry)
            return;
        entry->dtype = copy(m, e->dtype);
        entry->op = copy(m, e->op);
        entry->count = sub_group_text(m, total);
    }
}

/* ---- accesses ---- */

/* The pattern of an access, as texts; NULL where it is not affine. */
struct pattern {
    const char *lid[GCAL_MAX_DIMS], *gid[GCAL_MAX_DIMS];
    size_t n_loops;
    const char *loops[GCAL_MAX_NEST], *loop_strides[GCAL_MAX_NEST];
    const char *key;
};

/* The factor of a dimension in the offset; NULL when it has none of its own. */
static const char *stride_text(struct maker *m, const struct gcal_poly *offset,
                               unsigned atom)
{
    const struct gcal_poly *stride;

    if (!offset || gcal_poly_hides(m->c, offset, atom) ||
        gcal_poly_degree(offset, atom) > 1)
        return NULL;
    stride = gcal_poly_coefficient(m->c, offset, atom, 1);
    if (gcal_poly_has_dimension(m->c, stride))
        return NULL;
    gcal_poly_visit_parameters(m->c, stride, use_name, m);
    return gcal_poly_text(m->c, stride);
}

static void find_pattern(struct maker *m, const struct gcal_access_event *e,
                         struct pattern *p)
{
    const struct gcal_domain *loop;

    *p = (struct pattern){ 0 };
    p->key = gcal_polys_format(m->c, "%u %d %s %s %lld", e->array, (int)e->direction,
                               e->dtype, e->tag ? e->tag : "", (long long)e->width);
    for (size_t d = 0; d < m->nest->n_dims; d++) {
        p->lid[d] = stride_text(m, e->offset, gcal_poly_atom(m->nest->lid[d]));
        p->gid[d] = stride_text(m, e->offset, gcal_poly_atom(m->nest->gid[d]));
        p->key = gcal_polys_format(m->c, "%s|%s|%s", p->key, p->lid[d] ? p->lid[d] : "?",
                                   p->gid[d] ? p->gid[d] : "?");
    }
    for (loop = e->domain; loop && p->n_loops < GCAL_MAX_NEST; loop = loop->parent) {
        const char *stride =
            loop->kind == GCAL_DOMAIN_LOOP ? stride_text(m, e->offset, loop->loop) : NULL;

        if (!stride || strcmp(stride, "0") == 0)
            continue;
        p->loops[p->n_loops] = gcal_atom_name(m->c, loop->loop);
        p->loop_strides[p->n_loops] = stride;
        p->key =
            gcal_polys_format(m->c, "%s|%s:%s", p->key, p->loops[p->n_loops], stride);
        p->n_loops++;
    }
}

static const char *strides_text(struct maker *m, const char *field,
                                const char *const *strides)
{
    const char *text = "";

    for (size_t d = 0; d < m->nest->n_dims; d++)
        if (strides[d])
            text = gcal_polys_format(m->c, "%s%s%zu:%s", text, *text ? ";" : "", d,
                                     strides[d]);
    return *text ? gcal_polys_format(m->c, "_%s:{%s}", field, text) : "";
}

/* Accesses over distinct elements: a polynomial, or a quotient of two. */
static const char *afr_text(struct maker *m, const struct gcal_poly *accesses,
                            const struct gcal_access_event *const *events, size_t n)
{
    const struct gcal_poly *footprint = gcal_footprint(m->nest, n, events), *ratio;

    if (!footprint || !footprint->n_terms)
        return NULL;
    accesses = gcal_poly_scale(m->c, accesses, events[0]->width, 1);
    ratio = gcal_poly_equal(accesses, footprint)
                ? gcal_poly_integer(m->c, 1)
                : gcal_poly_divide(m->c, accesses, footprint);
    if (ratio) {
        gcal_poly_visit_parameters(m->c, ratio, use_name, m);
        return gcal_poly_text(m->c, ratio);
    }
    gcal_poly_visit_parameters(m->c, accesses, use_name, m);
    gcal_poly_visit_parameters(m->c, footprint, use_name, m);
    return gcal_polys_format(m->c, "(%s)/(%s)", gcal_poly_text(m->c, accesses),
                             gcal_poly_text(m->c, footprint));
}

static const char *access_feature(struct maker *m, const struct gcal_access_event *e,
                                  const struct pattern *p, const char *afr)
{
    static const char *const spaces[] = { "", "global", "local", "constant" };
    const struct gcal_array *array = &m->nest->arrays[e->array];
    const char *name = gcal_polys_format(
        m->c, "f_mem_access%s%s_%s_%s_%s%s%s", e->tag ? "_tag:" : "",
        e->tag ? e->tag : "", spaces[array->space], e->dtype,
        e->direction == GCAL_LOAD ? "load" : "store", strides_text(m, "lstrides", p->lid),
        strides_text(m, "gstrides", p->gid));

    if (afr && strlen(name) + strlen(afr) + 5 <= LONGEST_NAME)
        name = gcal_polys_format(m->c, "%s_afr:%s", name, afr);
    return name;
}

static void fill_access(struct maker *m, struct gcal_profile_entry *entry,
                        const struct gcal_access_event *e, const struct pattern *p,
                        const char *afr)
{
    const struct gcal_array *array = &m->nest->arrays[e->array];

    entry->dtype = copy(m, e->dtype);
    entry->array = copy(m, array->name);
    entry->tag = e->tag ? copy(m, e->tag) : NULL;
    entry->space = array->space;
    entry->direction = e->direction;
    entry->vector_width = (size_t)e->width;
    entry->afr = afr ? copy(m, afr) : NULL;
    entry->line = e->line;
    entry->column = e->column;
    for (size_t d = 0; d < m->nest->n_dims; d++) {
        entry->lid_stride[d] = p->lid[d] ? copy(m, p->lid[d]) : NULL;
        entry->gid_stride[d] = p->gid[d] ? copy(m, p->gid[d]) : NULL;
    }
    if (!p->n_loops)
        return;
    entry->loop_strides = calloc(p->n_loops, sizeof(*entry->loop_strides));
    if (!entry->loop_strides) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    entry->n_loop_strides = p->n_loops;
    for (size_t i = 0; i < p->n_loops; i++) {
        entry->loop_strides[i].loop = copy(m, p->loops[i]);
        entry->loop_strides[i].stride = copy(m, p->loop_strides[i]);
    }
}

/* One entry for the events [0] .. [n-1], which have one pattern. */
static void add_access(struct maker *m, const struct gcal_access_event *const *events,
                       size_t n, const struct pattern *pattern)
{
    enum gcal_space space = m->nest->arrays[events[0]->array].space;
    /* all lanes of a sub-group on one element: one access of the sub-group */
    bool uniform = pattern->lid[0] && strcmp(pattern->lid[0], "0") == 0;
    bool per_sub_group = space == GCAL_SPACE_LOCAL || uniform;
    const struct gcal_poly *items = gcal_poly_integer(m->c, 0), *groups = items;
    struct gcal_profile_entry *entry;
    const char *afr = NULL;

    for (size_t i = 0; i < n; i++) {
        if (space != GCAL_SPACE_LOCAL)
            items = gcal_poly_add(
                m->c, items, count_domain(m, events[i]->domain, GCAL_COUNT_WORK_ITEMS));
        if (per_sub_group)
            groups = gcal_poly_add(m->c, groups,
                                   count_domain(m, events[i]->domain, GCAL_COUNT_GROUPS));
    }
    if (m->failed || !(per_sub_group ? groups : items)->n_terms)
        return;
    if (space != GCAL_SPACE_LOCAL)
        afr = afr_text(m, items, events, n);
    entry = add_entry(m, GCAL_FEATURE_MEM_ACCESS,
                      per_sub_group ? GCAL_PER_SUB_GROUP : GCAL_PER_WORK_ITEM,
                      access_feature(m, events[0], pattern, afr));
    if (!entry)
        return;
    entry->count = per_sub_group ? sub_group_text(m, groups) : poly_text(m, items);
    fill_access(m, entry, events[0], pattern, afr);
}

static void add_accesses(struct maker *m)
{
    const struct gcal_nest *nest = m->nest;
    size_t n = nest->n_accesses;
    struct pattern *patterns = calloc(n + 1, sizeof(*patterns));
    const struct gcal_access_event **same = calloc(n + 1, sizeof(const void *));

    if (!patterns || !same) {
        m->failed = true;
        gcal_error_memory(m->err);
    }
    for (size_t i = 0; i < n && !m->failed; i++)
        find_pattern(m, &nest->accesses[i], &patterns[i]);
    for (size_t i = 0; i < n && !m->failed; i++) {
        size_t n_same = 0;
        bool done = false;

        for (size_t j = 0; j < n && !done; j++)
            if (strcmp(patterns[j].key, patterns[i].key) == 0) {
                done = j < i;
                same[n_same++] = &nest->accesses[j];
            }
        if (!done)
            add_access(m, same, n_same, &patterns[i]);
    }
    free(patterns);
    free(same);
}

/* ---- the rest ---- */

static void add_synchronisation(struct maker *m)
{
    const struct gcal_poly *barriers = gcal_poly_integer(m->c, 0);
    const struct gcal_poly *groups = gcal_poly_integer(m->c, 1);
    struct gcal_profile_entry *e;

    for (size_t i = 0; i < m->nest->n_barriers; i++)
        barriers = gcal_poly_add(
            m->c, barriers, count_domain(m, m->nest->barriers[i].domain, GCAL_COUNT_ONE));
    if (barriers->n_terms && (e = add_entry(m, GCAL_FEATURE_BARRIER_LOCAL,
                                            GCAL_PER_KERNEL, "f_sync_barrier_local"))) {
        e->count = poly_text(m, barriers);
        e->line = m->nest->barriers[0].line;
        e->column = m->nest->barriers[0].column;
    }
    if ((e = add_entry(m, GCAL_FEATURE_KERNEL_LAUNCH, GCAL_PER_KERNEL,
                       "f_sync_kernel_launch")))
        e->count = copy(m, "1");
    for (size_t d = 0; d < m->nest->n_dims; d++) {
        groups = gcal_poly_mul(m->c, groups, m->nest->groups[d]);
        m->profile->groups[d] = poly_text(m, m->nest->groups[d]);
    }
    if ((e = add_entry(m, GCAL_FEATURE_THREAD_GROUPS, GCAL_PER_KERNEL,
                       "f_thread_groups")))
        e->count = poly_text(m, groups);
}

static int compare_entries(const void *a, const void *b)
{
    const struct gcal_profile_entry *x = a, *y = b;
    int order = x->kind - y->kind;

    if (order == 0 && x->feature && y->feature)
        order = strcmp(x->feature, y->feature);
    if (order == 0 && x->array && y->array)
        order = strcmp(x->array, y->array);
    if (order == 0)
        order = x->line != y->line ? x->line - y->line : x->column - y->column;
    return order;
}

static void set_parameters(struct maker *m, const struct gcal_names *order)
{
    struct gcal_profile *p = m->profile;

    if (!(p->parameters = calloc(m->used.n + 1, sizeof(*p->parameters)))) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (int listed = 1; listed >= 0; listed--)
        for (size_t i = 0, n = listed ? order->n : m->used.n; i < n; i++) {
            const char *name = listed ? order->names[i] : m->used.names[i];
            bool wanted = false, has = false;

            for (size_t j = 0; j < m->used.n; j++)
                wanted = wanted || strcmp(m->used.names[j], name) == 0;
            for (size_t j = 0; j < p->n_parameters; j++)
                has = has || strcmp(p->parameters[j], name) == 0;
            if (wanted && !has && (p->parameters[p->n_parameters] = copy(m, name)))
                p->n_parameters++;
        }
}

int gcal_profile_hash(struct gcal_profile *profile, const char *source,
                      struct gcal_error *err)
{
    char text[GCAL_HASH_TEXT_SIZE];

    gcal_hash(source, strlen(source), text);
    if (!(profile->source_hash = strdup(text)))
        return gcal_error_memory(err);
    return 0;
}

struct gcal_profile *gcal_profile_make(struct gcal_nest *nest, const char *kernel,
                                       const char *assumptions,
                                       const struct gcal_names *order,
                                       struct gcal_error *err)
{
    struct maker m = { .nest = nest, .c = nest->c, .err = err };
    struct gcal_polys *assumed = NULL;
    struct gcal_profile *p;

    if (!(p = m.profile = calloc(1, sizeof(*p)))) {
        gcal_error_memory(err);
        return NULL;
    }
    p->kernel = copy(&m, kernel);
    p->n_dims = nest->n_dims;
    for (size_t d = 0; d < nest->n_dims; d++)
        p->local_size[d] = (size_t)nest->local_size[d];
    if (*assumptions) {
        p->assumptions = copy(&m, assumptions);
        /* the sizes that assumptions speak of are needed to check them */
        if (!(assumed = gcal_polys_create(err)) ||
            gcal_polys_assume(assumed, assumptions, err) < 0)
            m.failed = true;
        else
            gcal_polys_visit_all(assumed, use_name, &m);
    }
    add_ops(&m);
    add_accesses(&m);
    add_synchronisation(&m);
    p->estimated = p->estimated || nest->n_notes;
    if (!m.failed && gcal_polys_check(nest->c, err) < 0)
        m.failed = true;
    set_parameters(&m, order);
    if (!m.failed)
        qsort(p->entries, p->n_entries, sizeof(p->entries[0]), compare_entries);
    gcal_names_clear(&m.used);
    gcal_polys_destroy(assumed);
    if (!m.failed)
        return p;
    gcal_profile_destroy(p);
    return NULL;
}
