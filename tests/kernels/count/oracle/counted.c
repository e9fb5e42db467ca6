/* counted.c - from a profile to quantities */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "tests/kernels/count/oracle/oracle.h"

struct oracle_quantity *oracle_counts_get(struct oracle_counts *counts, const char *name)
{
    struct oracle_quantity *moved;

    for (size_t i = 0; i < counts->n; i++)
        if (strcmp(counts->items[i].name, name) == 0)
            return &counts->items[i];
    moved = gcal_array_grow(counts->items, counts->n, &counts->capacity, sizeof(*moved),
                            NULL);
    if (!moved)
        abort();
    counts->items = moved;
    moved[counts->n] = (struct oracle_quantity){ .value = 0 };
    snprintf(moved[counts->n].name, sizeof(moved->name), "%s", name);
    return &moved[counts->n++];
}

double oracle_counts_value(const struct oracle_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->n; i++)
        if (strcmp(counts->items[i].name, name) == 0)
            return counts->items[i].value;
    return 0;
}

void oracle_counts_clear(struct oracle_counts *counts)
{
    free(counts->items);
    memset(counts, 0, sizeof(*counts));
}

int oracle_value(const char *text, size_t n_sizes, const struct gcal_size *sizes,
                 double *value, struct gcal_error *err)
{
    const char **names = calloc(n_sizes + 1, sizeof(*names));
    double *values = calloc(n_sizes + 1, sizeof(*values));
    struct gcal_expr *expr = NULL;

    if (!names || !values)
        abort();
    for (size_t i = 0; i < n_sizes; i++) {
        names[i] = sizes[i].name;
        values[i] = sizes[i].value;
    }
    names[n_sizes] = GCAL_SUB_GROUP_SIZE;
    values[n_sizes] = 1;
    if ((expr = gcal_expr_parse_in(text, n_sizes + 1, names, err)))
        *value = gcal_expr_eval(expr, values);
    else
        gcal_error_prefix(err, "'%.60s'", text);
    free(names);
    free(values);
    gcal_expr_destroy(expr);
    return expr ? 0 : -1;
}

/* ---- entries ---- */

static bool is_float(const char *dtype)
{
    return dtype && strncmp(dtype, "float", 5) == 0;
}

static void name_op(const struct gcal_profile_entry *e, char name[60])
{
    if (strcmp(e->op, "madd") == 0)
        snprintf(name, 60, "%s madd", e->dtype);
    else
        snprintf(name, 60, "%s", e->op);
}

static const char *space_name(enum gcal_feature_space space)
{
    static const char *const names[] = { "any", "global", "local", "constant", "image" };

    return names[space];
}

static void add(struct oracle_counts *counted, const char *name, double count,
                const struct gcal_profile_entry *e)
{
    struct oracle_quantity *q = oracle_counts_get(counted, name);

    q->value += count;
    q->n_entries++;
    q->n_estimated += e->estimated;
}

static void add_access(struct oracle_counts *counted, double count,
                       const struct gcal_profile_entry *e)
{
    size_t bytes = e->vector_width * gcal_dtype_size(e->dtype);
    char name[60];

    snprintf(name, sizeof(name), "%s %s", space_name(e->space),
             e->direction == GCAL_FEATURE_LOAD ? "load" : "store");
    add(counted, name, count, e);
    strcat(name, " bytes");
    add(counted, name, count * (double)bytes, e);
}

/* Without quantities that Oclgrind does not count: integer arithmetic (its lines include
 * addresses and loops), passes over banks, divergence, sizes of arrays.
 */
static void add_entry(struct oracle_counts *counted, double count, double items,
                      const struct gcal_profile_entry *e)
{
    char name[60];

    switch (e->kind) {
    case GCAL_FEATURE_OP:
        if (!is_float(e->dtype))
            return;
        name_op(e, name);
        add(counted, name, count, e);
        return;
    case GCAL_FEATURE_ATOMIC:
        snprintf(name, sizeof(name), "%s atomic %s", space_name(e->space), e->op);
        add(counted, name, count, e);
        return;
    case GCAL_FEATURE_MEM_ACCESS:
        if (e->space != GCAL_FEATURE_SPACE_PRIVATE) /* Oclgrind reports none of these */
            add_access(counted, count, e);
        return;
    case GCAL_FEATURE_BARRIER_LOCAL:
        add(counted, "barrier", count * items, e);
        return;
    case GCAL_FEATURE_THREAD_GROUPS:
        add(counted, "work-groups", count, e);
        return;
    case GCAL_FEATURE_WORK_ITEMS:
        add(counted, "work-items", count, e);
        return;
    default:
        return;
    }
}

int oracle_read_profile(const struct gcal_profile *profile, size_t n_sizes,
                        const struct gcal_size *sizes, struct oracle_counts *counted,
                        struct gcal_error *err)
{
    double items = 1, count;

    for (size_t d = 0; d < profile->n_dims; d++) {
        if (oracle_value(profile->groups[d], n_sizes, sizes, &count, err) < 0)
            return -1;
        items *= count * (double)profile->local_size[d];
    }
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if (oracle_value(e->count, n_sizes, sizes, &count, err) < 0)
            return gcal_error_prefix(err, "%s", e->feature);
        add_entry(counted, count, items, e);
    }
    return 0;
}
