/* vector.c - built-in functions of whole vectors */
#include <math.h>
#include <string.h>

#include "kernels/interpret/private.h"

static size_t count_lanes(const struct gcal_interp_type *type)
{
    return type->repr == GCAL_INTERP_VECTOR ? type->count : 1;
}

/* A scalar is a vector of one lane. */
static void read_lanes(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    if (n->type->repr == GCAL_INTERP_VECTOR)
        n->eval.v(item, n, lanes);
    else if (gcal_interp_is_float(n->type))
        lanes->f[0] = n->eval.f(item, n);
    else
        lanes->i[0] = n->eval.i(item, n);
}

/* ---- geometry ---- */

static double sum_products(const struct gcal_interp_node *n,
                           const struct gcal_interp_lanes *a,
                           const struct gcal_interp_lanes *b)
{
    enum gcal_interp_repr repr = gcal_interp_type_lane(n->a->type)->repr;
    double sum = 0.0;

    for (size_t i = 0; i < count_lanes(n->a->type); i++)
        sum = gcal_interp_float_round(repr, sum + a->f[i] * b->f[i]);
    return sum;
}

static double eval_dot(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes a, b;

    read_lanes(item, n->a, &a);
    read_lanes(item, n->b, &b);
    return sum_products(n, &a, &b);
}

/* length(a), or of a - b */
static double eval_length(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes a, b;

    read_lanes(item, n->a, &a);
    if (n->b) {
        read_lanes(item, n->b, &b);
        for (size_t i = 0; i < count_lanes(n->a->type); i++)
            a.f[i] -= b.f[i];
    }
    return gcal_interp_float_round(n->type->repr, sqrt(sum_products(n, &a, &a)));
}

static void normalize_lanes(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n,
                            struct gcal_interp_lanes *lanes)
{
    enum gcal_interp_repr repr = gcal_interp_type_lane(n->type)->repr;
    double length;

    read_lanes(item, n->a, lanes);
    length = sqrt(sum_products(n, lanes, lanes));
    for (size_t i = 0; i < count_lanes(n->type) && length > 0; i++)
        lanes->f[i] = gcal_interp_float_round(repr, lanes->f[i] / length);
}

static double normalize_scalar(struct gcal_interp_work_item *item,
                               const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes lanes;

    normalize_lanes(item, n, &lanes);
    return lanes.f[0];
}

static void cross_lanes(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    enum gcal_interp_repr repr = gcal_interp_type_lane(n->type)->repr;
    struct gcal_interp_lanes a, b;

    read_lanes(item, n->a, &a);
    read_lanes(item, n->b, &b);
    memset(lanes, 0, sizeof(*lanes));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        lanes->f[i] = gcal_interp_float_round(repr, a.f[j] * b.f[k] - a.f[k] * b.f[j]);
    }
}

/* ---- by position ---- */

/* shuffle(a, mask), and shuffle2(a, b, mask) with the mask in 'c' */
static void shuffle_lanes(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n,
                          struct gcal_interp_lanes *lanes)
{
    size_t from = count_lanes(n->a->type);
    struct gcal_interp_lanes a, b, mask;

    read_lanes(item, n->a, &a);
    read_lanes(item, n->c, &mask);
    if (n->b)
        read_lanes(item, n->b, &b);
    for (size_t i = 0; i < n->type->count; i++) {
        size_t lane = (size_t)mask.i[i] & ((n->b ? 2 * from : from) - 1);

        lanes->i[i] = lane < from ? a.i[lane] : b.i[lane - from];
    }
}

/* ---- by name ---- */

/* Its form; false: it is none of these functions. */
static bool set_form(struct gcal_interp_node *n, const char *name, size_t n_arguments)
{
    bool is_vector = n->type->repr == GCAL_INTERP_VECTOR;

    if (strncmp(name, "fast_", 5) == 0)
        name += 5;
    if (strcmp(name, "dot") == 0 && n_arguments == 2) {
        n->eval.f = eval_dot;
    } else if ((strcmp(name, "length") == 0 && n_arguments == 1) ||
               (strcmp(name, "distance") == 0 && n_arguments == 2)) {
        n->eval.f = eval_length;
    } else if (strcmp(name, "normalize") == 0 && n_arguments == 1) {
        if (is_vector)
            n->eval.v = normalize_lanes;
        else
            n->eval.f = normalize_scalar;
    } else if (strcmp(name, "cross") == 0 && n_arguments == 2) {
        n->eval.v = cross_lanes;
    } else if (strcmp(name, "shuffle") == 0 && n_arguments == 2) {
        n->c = n->b;
        n->b = NULL;
        n->eval.v = shuffle_lanes;
    } else if (strcmp(name, "shuffle2") == 0 && n_arguments == 3) {
        n->eval.v = shuffle_lanes;
    } else {
        return false;
    }
    return true;
}

struct gcal_interp_node *
gcal_interp_node_vector_function(struct gcal_interp_translator *t, CXCursor at,
                                 const char *name, struct gcal_interp_node **arguments,
                                 size_t n_arguments, const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;

    if (n_arguments < 1 || n_arguments > 3)
        return NULL;
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->a = arguments[0];
    n->b = n_arguments > 1 ? arguments[1] : NULL;
    n->c = n_arguments > 2 ? arguments[2] : NULL;
    return set_form(n, name, n_arguments) ? n : NULL;
}
