/* call_item.c - built-in functions of work-items and groups: ids, sizes, barriers */
#include <string.h>

#include "kernels/walk/private.h"

/* ---- ids and sizes ---- */

static const struct gcal_poly *global_size(struct gcal_walk *w, size_t d)
{
    return gcal_poly_scale(w->c, w->nest->groups[d], w->nest->local_size[d], 1);
}

static const struct gcal_poly *global_id(struct gcal_walk *w, size_t d)
{
    return gcal_poly_add(
        w->c, gcal_poly_scale(w->c, w->nest->gid[d], w->nest->local_size[d], 1),
        w->nest->lid[d]);
}

const struct gcal_poly *gcal_walk_linear_id(struct gcal_walk *w, bool local)
{
    const struct gcal_poly *id = gcal_poly_integer(w->c, 0);

    for (size_t d = w->nest->n_dims; d-- > 0;) {
        const struct gcal_poly *size =
            local ? gcal_poly_integer(w->c, w->nest->local_size[d]) : global_size(w, d);

        id = gcal_poly_add(w->c, gcal_poly_mul(w->c, id, size),
                           local ? w->nest->lid[d] : global_id(w, d));
    }
    return id;
}

/* The value of a work-item function in dimension 'd'; NULL for other functions. */
static const struct gcal_poly *work_item(struct gcal_walk *w, const char *name, int64_t d)
{
    const struct gcal_sets_nest *nest = w->nest;
    bool inside = d >= 0 && (size_t)d < nest->n_dims;
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0);
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1);

    if (strcmp(name, "get_global_id") == 0)
        return inside ? global_id(w, (size_t)d) : zero;
    if (strcmp(name, "get_local_id") == 0)
        return inside ? nest->lid[d] : zero;
    if (strcmp(name, "get_group_id") == 0)
        return inside ? nest->gid[d] : zero;
    if (strcmp(name, "get_global_offset") == 0)
        return zero;
    if (strcmp(name, "get_local_size") == 0 ||
        strcmp(name, "get_enqueued_local_size") == 0)
        return inside ? gcal_poly_integer(w->c, nest->local_size[d]) : one;
    if (strcmp(name, "get_num_groups") == 0)
        return inside ? nest->groups[d] : one;
    if (strcmp(name, "get_global_size") == 0)
        return inside ? global_size(w, (size_t)d) : one;
    if (strcmp(name, "get_work_dim") == 0)
        return gcal_poly_integer(w->c, (int64_t)nest->n_dims);
    if (strcmp(name, "get_local_linear_id") == 0)
        return gcal_walk_linear_id(w, true);
    if (strcmp(name, "get_global_linear_id") == 0)
        return gcal_walk_linear_id(w, false);
    return NULL;
}

/* ---- sub-groups: consecutive work-items by their linear local id ---- */

static bool is_sub_group_item(const char *name)
{
    static const char *const names[] = {
        "get_sub_group_size",          "get_max_sub_group_size", "get_num_sub_groups",
        "get_enqueued_num_sub_groups", "get_sub_group_id",       "get_sub_group_local_id"
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The value of such a function, of sub-groups of a known size. */
static const struct gcal_poly *sub_group_item(struct gcal_walk *w, const char *name)
{
    int64_t size = w->nest->sub_group_size, items = gcal_sets_nest_group_items(w->nest);
    const struct gcal_poly *lane = gcal_walk_linear_id(w, true);
    const struct gcal_poly *id = gcal_poly_floor(w->c, lane, size);
    const struct gcal_poly *first = gcal_poly_scale(w->c, id, size, 1);

    if (strcmp(name, "get_sub_group_id") == 0)
        return id;
    if (strcmp(name, "get_sub_group_local_id") == 0)
        return gcal_poly_sub(w->c, lane, first);
    if (strstr(name, "num_sub_groups"))
        return gcal_poly_integer(w->c, (items + size - 1) / size);
    if (strcmp(name, "get_max_sub_group_size") == 0 || items % size == 0)
        return gcal_poly_integer(w->c, size);
    return gcal_poly_min(w->c, gcal_poly_integer(w->c, size),
                         gcal_poly_sub(w->c, gcal_poly_integer(w->c, items), first));
}

/* ---- functions of groups ---- */

/* An operation of its own name, in conditions and subscripts, too: it takes an exchange
 * between work-items.
 */
static struct gcal_walk_value group_function(struct gcal_walk *w, CXCursor c,
                                             const char *name,
                                             struct gcal_walk_children kids)
{
    struct gcal_walk_value value =
        gcal_walk_unknown("it comes from other work-items of its group");
    int quiet = w->quiet;

    for (size_t i = 1; i < kids.n; i++) {
        struct gcal_walk_value argument = gcal_walk_expr(w, kids.c[i]);

        gcal_walk_value_wait(&value, &argument);
    }
    w->quiet = 0;
    gcal_walk_count_op(w, gcal_source_type(c), name, &value);
    w->quiet = quiet;
    return value;
}

static struct gcal_walk_value item_function(struct gcal_walk *w, const char *name,
                                            struct gcal_walk_children kids)
{
    struct gcal_walk_value dimension =
        kids.n > 1 ? gcal_walk_index_expr(w, kids.c[1])
                   : gcal_walk_integer(gcal_poly_integer(w->c, 0));
    const struct gcal_poly *id;
    int64_t d = 0;

    if (is_sub_group_item(name))
        return w->nest->sub_group_size
                   ? gcal_walk_integer(sub_group_item(w, name))
                   : gcal_walk_unknown(
                         "it depends on the size of sub-groups, which is not given");
    if (dimension.kind == GCAL_WALK_VALUE_INTEGER &&
        gcal_poly_is_constant(dimension.p, &d) && (id = work_item(w, name, d)))
        return gcal_walk_integer(id);
    return gcal_walk_unknown("it comes from a function that is not affine");
}

bool gcal_walk_call_item(struct gcal_walk *w, CXCursor c, const char *name,
                         struct gcal_walk_children kids, struct gcal_walk_value *value)
{
    static const char *const without_cost[] = {
        "mem_fence",         "read_mem_fence",
        "write_mem_fence",   "sub_group_barrier",
        "wait_group_events", "atomic_work_item_fence",
        "prefetch",          "printf",
    };

    *value = gcal_walk_unknown(NULL);
    if (gcal_walk_starts_with(name, "get_image_"))
        return false;
    if (gcal_walk_starts_with(name, "get_")) {
        *value = item_function(w, name, kids);
        return true;
    }
    if (strcmp(name, "barrier") == 0 || strcmp(name, "work_group_barrier") == 0) {
        if (!w->silent)
            gcal_walk_count_barrier(w, c);
        return true;
    }
    for (size_t i = 0; i < sizeof(without_cost) / sizeof(*without_cost); i++)
        if (strcmp(name, without_cost[i]) == 0) {
            for (size_t k = 1; k < kids.n; k++) /* but their arguments are evaluated */
                gcal_walk_expr(w, kids.c[k]);
            return true;
        }
    if (!gcal_walk_starts_with(name, "work_group_") &&
        !gcal_walk_starts_with(name, "sub_group_"))
        return false;
    *value = group_function(w, c, name, kids);
    return true;
}
