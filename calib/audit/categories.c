/* categories.c - the categories of parameters, from the expressions of their models */
#include <ctype.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/model/expr.h"
#include "kernels/model/feature.h"

const char *gcal_audit_category_name(enum gcal_audit_category category)
{
    static const char *const names[] = {
        [GCAL_AUDIT_ARITHMETIC] = "arithmetic",
        [GCAL_AUDIT_LOCAL_MEMORY] = "local memory",
        [GCAL_AUDIT_GLOBAL_MEMORY] = "global memory",
        [GCAL_AUDIT_BARRIER] = "barriers",
        [GCAL_AUDIT_WORK_GROUPS] = "launch of work-groups",
        [GCAL_AUDIT_LAUNCH] = "launch of kernels",
        [GCAL_AUDIT_ONCHIP] = "on-chip work",
        [GCAL_AUDIT_SHAPE] = "shape",
        [GCAL_AUDIT_TRANSFER] = "transfers between host and device",
        [GCAL_AUDIT_OTHER] = "other",
    };

    return names[category];
}

bool gcal_audit_is_cost(const char *unit)
{
    return unit[0] == 's' && !isalpha((unsigned char)unit[1]);
}

/* A product of two features, such as barriers times work-groups, has the category with
 * the higher precedence.
 */
static int precedence_of(enum gcal_audit_category category)
{
    static const int precedences[] = {
        [GCAL_AUDIT_ARITHMETIC] = 7,    [GCAL_AUDIT_LOCAL_MEMORY] = 6,
        [GCAL_AUDIT_GLOBAL_MEMORY] = 9, [GCAL_AUDIT_BARRIER] = 5,
        [GCAL_AUDIT_WORK_GROUPS] = 2,   [GCAL_AUDIT_LAUNCH] = 1,
        [GCAL_AUDIT_ONCHIP] = 8,        [GCAL_AUDIT_SHAPE] = 0,
        [GCAL_AUDIT_TRANSFER] = 4,      [GCAL_AUDIT_OTHER] = 0,
    };

    return precedences[category];
}

static enum gcal_audit_category of_feature(const char *name)
{
    static const enum gcal_audit_category categories[GCAL_FEATURE_N_CATEGORIES] = {
        [GCAL_FEATURE_CATEGORY_OTHER] = GCAL_AUDIT_OTHER,
        [GCAL_FEATURE_CATEGORY_ARITHMETIC] = GCAL_AUDIT_ARITHMETIC,
        [GCAL_FEATURE_CATEGORY_LOCAL_MEMORY] = GCAL_AUDIT_LOCAL_MEMORY,
        [GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY] = GCAL_AUDIT_GLOBAL_MEMORY,
        [GCAL_FEATURE_CATEGORY_ONCHIP] = GCAL_AUDIT_ONCHIP,
        [GCAL_FEATURE_CATEGORY_BARRIER] = GCAL_AUDIT_BARRIER,
        [GCAL_FEATURE_CATEGORY_WORK_GROUPS] = GCAL_AUDIT_WORK_GROUPS,
        [GCAL_FEATURE_CATEGORY_LAUNCH] = GCAL_AUDIT_LAUNCH,
        [GCAL_FEATURE_CATEGORY_TRANSFER] = GCAL_AUDIT_TRANSFER,
    };
    enum gcal_audit_category category;
    struct gcal_feature f;

    if (gcal_feature_parse(name, &f, NULL) < 0)
        return GCAL_AUDIT_OTHER;
    category = f.space == GCAL_FEATURE_SPACE_LOCAL
                   ? GCAL_AUDIT_LOCAL_MEMORY
                   : categories[gcal_feature_info(f.kind)->category];
    gcal_feature_clear(&f);
    return category;
}

/* A symbol's value: features, exponents and shares 1, all costs but 'parameter' 0. */
static double value_of(const struct gcal_params_model *m, const char *name,
                       const char *parameter)
{
    if (name[0] == 'f' || strcmp(name, parameter) == 0)
        return 1;
    for (size_t i = 0; i < m->n_parameters; i++)
        if (strcmp(m->parameter[i], name) == 0)
            return !gcal_audit_is_cost(m->unit[i]);
    return 1;
}

/* A cost belongs to the features without which it takes less time: features are set to 0
 * one at a time.
 */
static enum gcal_audit_category category_of(const struct gcal_params_model *m,
                                            const struct gcal_expr *expr,
                                            const char *parameter, double *values)
{
    enum gcal_audit_category best = GCAL_AUDIT_OTHER, category;
    size_t n = gcal_expr_symbol_count(expr);
    double full, without;

    for (size_t i = 0; i < n; i++)
        values[i] = value_of(m, gcal_expr_symbol(expr, i), parameter);
    full = gcal_expr_eval(expr, values);
    for (size_t i = 0; i < n; i++) {
        const char *name = gcal_expr_symbol(expr, i);

        if (name[0] != 'f' || strcmp(name, "f_work_items") == 0)
            continue;
        values[i] = 0;
        without = gcal_expr_eval(expr, values);
        values[i] = 1;
        if (!(without < full))
            continue;
        category = of_feature(name);
        best = precedence_of(category) > precedence_of(best) ? category : best;
    }
    return best;
}

int gcal_audit_categories_of(const struct gcal_params_model *model,
                             struct gcal_audit_device *device, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse_with(model->expression, model->names, err);
    double *values;

    if (!expr)
        return -1;
    values =
        gcal_arena_alloc(device->arena, gcal_expr_symbol_count(expr), sizeof(*values));
    for (size_t i = 0; i < device->n_series; i++) {
        struct gcal_audit_series *s = &device->series[i];

        if (s->category != GCAL_AUDIT_SHAPE && strcmp(s->column.model, model->name) == 0)
            s->category = category_of(model, expr, s->column.parameter, values);
    }
    gcal_expr_destroy(expr);
    return 0;
}

static int categories_at(const struct gcal_params_index *index, size_t device,
                         size_t model, struct gcal_audit_device *d,
                         struct gcal_error *err)
{
    struct gcal_params_model m = { 0 };
    int rc;

    if (gcal_params_index_model(index, device, model, &m, err) < 0)
        return -1;
    rc = gcal_audit_categories_of(&m, d, err);
    gcal_params_model_clear(&m);
    return rc;
}

int gcal_audit_find_categories(const struct gcal_store *store,
                               struct gcal_audit_device *device, struct gcal_error *err)
{
    struct gcal_params_index *index =
        gcal_store_load_index(store, device->node, NULL, err);
    const struct gcal_params_device *found;
    const struct gcal_params *params;
    int rc = 0;

    if (!index)
        return -1;
    params = gcal_params_index_devices(index);
    found = gcal_params_find_uid(params, device->uid);
    for (size_t i = 0; rc == 0 && found && i < found->n_models; i++)
        rc = categories_at(index, (size_t)(found - params->devices), i, device, err);
    gcal_params_index_destroy(index);
    return rc;
}
