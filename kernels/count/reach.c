/* reach.c - how far into the memory of an argument a kernel's accesses reach */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* The accesses to an argument's array. */
struct accesses {
    struct gcal_sets_nest *nest;
    const char *name;
    enum gcal_feature_space space;
    size_t n;
    const struct gcal_sets_access_event **events;
};

static bool is_in(const struct accesses *a, const struct gcal_sets_access_event *e,
                  const char *name)
{
    const struct gcal_sets_array *array = &a->nest->arrays[e->array];

    return array->space == a->space && strcmp(array->name, name) == 0;
}

/* The end, in bytes, of all accesses to elements of 'bytes'; NULL with '*why'. */
static const struct gcal_poly *end_of(const struct accesses *a, size_t bytes,
                                      const struct gcal_sets_access_event **same,
                                      const char **why)
{
    struct gcal_poly_context *c = a->nest->c;
    const struct gcal_poly *first, *last;
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        if (gcal_dtype_size(a->events[i]->dtype) == bytes)
            same[n++] = a->events[i];
    if (!gcal_sets_interval(a->nest, n, same, &first, &last) ||
        !gcal_poly_equal(last, gcal_sets_settle(a->nest, last))) {
        /* on average alone */
        *why = "the largest subscript of '%s' is unknown here";
        return NULL;
    }
    if (!gcal_poly_is_nonnegative(c, first)) {
        *why = "the subscript of '%s' may be negative here";
        return NULL;
    }
    return gcal_poly_scale(c, gcal_poly_add(c, last, gcal_poly_integer(c, 1)),
                           (int64_t)bytes, 1);
}

/* The access that has no bounds by itself, or the first. */
static const struct gcal_sets_access_event *culprit(const struct accesses *a,
                                                    const char **why)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct gcal_sets_access_event *same[1];
        struct accesses one = *a;

        one.n = 1;
        one.events = &a->events[i];
        if (!end_of(&one, gcal_dtype_size(a->events[i]->dtype), same, why))
            return a->events[i];
    }
    return a->events[0];
}

static void set_unknown(struct gcal_count_reach *r, const struct accesses *a,
                        const struct gcal_sets_access_event *at, const char *why)
{
    r->at = at;
    r->why = gcal_poly_format(a->nest->c, why, a->name);
}

static void find_end(const struct accesses *a, const struct gcal_sets_access_event **same,
                     struct gcal_count_reach *r)
{
    static const size_t widths[] = { 1, 2, 4, 8 };
    struct gcal_poly_context *c = a->nest->c;
    const struct gcal_poly *end = NULL, *one;
    const char *why = NULL;

    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths) && !why; i++) {
        bool any = false;

        for (size_t j = 0; j < a->n; j++)
            any = any || gcal_dtype_size(a->events[j]->dtype) == widths[i];
        one = any ? end_of(a, widths[i], same, &why) : NULL;
        if (one)
            end = end ? gcal_poly_max(c, end, one) : one;
    }
    if (why) {
        const struct gcal_sets_access_event *at = culprit(a, &why);

        set_unknown(r, a, at, why);
        return;
    }
    r->bytes = end;
}

int gcal_count_reach_find(struct gcal_sets_nest *nest, const char *argument,
                          enum gcal_feature_space space, struct gcal_count_reach *reach,
                          struct gcal_error *err)
{
    struct accesses a = { .nest = nest, .name = argument, .space = space };
    size_t n = 0;

    *reach = (struct gcal_count_reach){ 0 };
    for (size_t i = 0; i < nest->n_accesses; i++)
        n += nest->accesses[i].n_sides + 1;
    /* twice: the accesses, and room for some of them */
    if (!(a.events = calloc(2 * n + 1, sizeof(void *))))
        return gcal_error_memory(err);
    const struct gcal_sets_access_event *any = NULL, *on_data = NULL;
    for (size_t i = 0; i < a.nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &a.nest->accesses[i];

        if (is_in(&a, e, "?"))
            any = any ? any : e;
        if (!is_in(&a, e, a.name))
            continue;
        reach->read = reach->read || e->direction != GCAL_FEATURE_STORE;
        reach->written = reach->written || e->direction != GCAL_FEATURE_LOAD;
        if (!e->offset && !e->n_sides && !on_data)
            on_data = e;
        for (size_t k = 0; k < e->n_sides; k++)
            a.events[a.n++] = &e->sides[k];
        if (!e->n_sides)
            a.events[a.n++] = e;
    }
    if (any)
        set_unknown(reach, &a, any, "this access may be to any buffer");
    else if (on_data)
        set_unknown(reach, &a, on_data,
                    "which elements of '%s' are accessed here depends on data, or is not "
                    "affine");
    else if (a.n)
        find_end(&a, a.events + a.n, reach);
    free(a.events);
    return 0;
}

/* ---- images ---- */

/* Coordinate 'd' of an access, which is their sum with the extents as strides. */
static const struct gcal_poly *coordinate_of(struct gcal_poly_context *c,
                                             const struct gcal_poly *place, size_t d)
{
    const struct gcal_poly *row = gcal_poly_parameter(c, GCAL_SETS_IMAGE_ROW),
                           *plane = gcal_poly_parameter(c, GCAL_SETS_IMAGE_PLANE);
    const struct gcal_poly *with[2];

    for (int is_in = 0; is_in < 2; is_in++) {
        const struct gcal_poly *p = gcal_poly_substitute(
            c, place, gcal_poly_atom_index(plane), gcal_poly_integer(c, d == 2 && is_in));

        with[is_in] =
            gcal_poly_substitute(c, p, gcal_poly_atom_index(row),
                                 gcal_poly_integer(c, d == 2 || (d == 1 && is_in)));
    }
    return d == 0 ? with[0]
                  : gcal_poly_add(c, with[1], gcal_poly_scale(c, with[0], -1, 1));
}

int gcal_count_image_reach_find(struct gcal_sets_nest *nest, const char *argument,
                                struct gcal_count_image_reach *reach,
                                struct gcal_error *err)
{
    struct gcal_sets_access_event *own = calloc(nest->n_accesses + 1, sizeof(*own));
    const struct gcal_sets_access_event **all =
        calloc(nest->n_accesses + 1, sizeof(void *));
    const struct gcal_poly *first, *last;
    size_t n = 0;

    *reach = (struct gcal_count_image_reach){ .dtype = "float32", .texel_bytes = 16 };
    for (size_t i = 0; i < nest->n_accesses && own && all; i++) {
        const struct gcal_sets_access_event *e = &nest->accesses[i];

        if (nest->arrays[e->array].space != GCAL_FEATURE_SPACE_IMAGE ||
            strcmp(nest->arrays[e->array].name, argument) != 0)
            continue;
        reach->reach.read = reach->reach.read || e->direction != GCAL_FEATURE_STORE;
        reach->reach.written = reach->reach.written || e->direction != GCAL_FEATURE_LOAD;
        reach->dtype = e->dtype;
        reach->texel_bytes = (int64_t)gcal_dtype_size(e->dtype) * e->width;
        if (!e->place && !reach->reach.why) {
            reach->reach.at = e;
            reach->reach.why =
                gcal_poly_format(nest->c,
                                 "which texels of '%s' are accessed here depends "
                                 "on data, or on floating-point numbers",
                                 argument);
        }
        own[n] = *e;
        own[n].width = 1; /* the channels are of one texel */
        all[n] = &own[n];
        n++;
    }
    for (size_t d = 0; d < GCAL_MAX_DIMS && n && !reach->reach.why; d++) {
        for (size_t i = 0; i < n; i++)
            own[i].offset = coordinate_of(nest->c, own[i].place, d);
        if (gcal_sets_interval(nest, n, all, &first, &last))
            reach->extents[d] =
                gcal_poly_add(nest->c, last, gcal_poly_integer(nest->c, 1));
    }
    free(own);
    free(all);
    return own && all ? 0 : gcal_error_memory(err);
}

/* ---- arguments in a profile ---- */

struct known_names {
    const struct gcal_strings *used;
    bool all;
};

static void look_up(const char *name, void *data)
{
    struct known_names *known = data;

    known->all = known->all && gcal_strings_contain(known->used, name);
}

/* Whether counts have all sizes of 'p': an extent adds none to a profile. */
static bool has_known_names(struct gcal_count_builder *m, const struct gcal_poly *p)
{
    struct known_names known = { &m->used, true };

    gcal_poly_visit_parameters(m->c, p, look_up, &known);
    return known.all;
}

/* The bytes of an image: in the size that the kernel asks it for, else as far as it is accessed;
 * NULL: unknown.
 */
static const struct gcal_poly *image_bytes(struct gcal_count_builder *m, const char *name)
{
    static const char *const asked[] = { "width", "height", "depth" };
    struct gcal_count_image_reach reach;
    const struct gcal_poly *bytes;

    if (gcal_count_image_reach_find(m->nest, name, &reach, m->err) < 0) {
        m->failed = true;
        return NULL;
    }
    bytes = gcal_poly_integer(m->c, reach.texel_bytes);
    for (size_t d = 0; d < GCAL_MAX_DIMS && bytes; d++) {
        const char *size = gcal_poly_format(m->c, "%s_%s", name, asked[d]);
        const struct gcal_poly *extent = gcal_strings_contain(&m->used, size)
                                             ? gcal_poly_parameter(m->c, size)
                                             : reach.extents[d];

        bytes = extent ? gcal_poly_mul(m->c, bytes, extent) : NULL;
    }
    return bytes;
}

/* Whether an array may be memory that an argument points to. */
static bool is_memory(const struct gcal_sets_array *array)
{
    return !array->bytes && (array->space == GCAL_FEATURE_SPACE_GLOBAL ||
                             array->space == GCAL_FEATURE_SPACE_CONSTANT ||
                             array->space == GCAL_FEATURE_SPACE_LOCAL ||
                             array->space == GCAL_FEATURE_SPACE_IMAGE);
}

/* Where it is unknown, or takes long, there is none. */
static void add_argument(struct gcal_count_builder *m, const char *name)
{
    struct gcal_profile *p = m->profile;
    struct gcal_count_reach reach = { 0 };
    enum gcal_feature_space space;
    size_t i = 0;

    while (i < m->nest->n_arrays && !(strcmp(m->nest->arrays[i].name, name) == 0 &&
                                      is_memory(&m->nest->arrays[i])))
        i++;
    if (i == m->nest->n_arrays || !gcal_poly_may_attempt(m->c))
        return;
    space = m->nest->arrays[i].space;
    if (space == GCAL_FEATURE_SPACE_IMAGE)
        reach.bytes = image_bytes(m, name);
    else if (gcal_count_reach_find(m->nest, name, space, &reach, m->err) < 0)
        m->failed = true;
    /* A work-group gets all of its local memory; of others it is the better bound. */
    if (m->nest->arrays[i].given && (space == GCAL_FEATURE_SPACE_LOCAL || !reach.bytes))
        reach.bytes = m->nest->arrays[i].given;
    if (m->failed || !reach.bytes || gcal_count_builder_is_long(m, reach.bytes) ||
        !has_known_names(m, reach.bytes))
        return;
    p->arguments[p->n_arguments++] =
        (struct gcal_profile_argument){ gcal_count_builder_copy(m, name), space,
                                        gcal_count_builder_text(m, reach.bytes) };
}

void gcal_count_builder_add_arguments(struct gcal_count_builder *m,
                                      const struct gcal_strings *arguments)
{
    if (m->failed)
        return;
    if (!(m->profile->arguments = calloc(arguments->n + m->nest->n_arrays + 1,
                                         sizeof(*m->profile->arguments)))) {
        m->failed = true;
        gcal_error_memory(m->err);
    }
    for (size_t i = 0; i < arguments->n && !m->failed; i++)
        add_argument(m, arguments->items[i]);
    if (m->request->language == GCAL_SOURCE_OPENCL_C)
        return;
    for (size_t i = 0; i < m->nest->n_arrays && !m->failed; i++) /* extern __shared__ */
        if (m->nest->arrays[i].space == GCAL_FEATURE_SPACE_LOCAL &&
            !gcal_strings_contain(arguments, m->nest->arrays[i].name))
            add_argument(m, m->nest->arrays[i].name);
}
