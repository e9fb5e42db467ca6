#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit_private.h"
#include "calib/base/error.h"
#include "calib/model/expr.h"
#include "calib/model/feature.h"

const char *gcal_audit_subject_name(enum gcal_audit_subject subject)
{
    static const char *const names[] = {
        [GCAL_AUDIT_ARITHMETIC] = "arithmetic",
        [GCAL_AUDIT_LOCAL_MEMORY] = "local memory",
        [GCAL_AUDIT_GLOBAL_MEMORY] = "global memory",
        [GCAL_AUDIT_BARRIER] = "barriers",
        [GCAL_AUDIT_WORK_GROUPS] = "launch of work-groups",
        [GCAL_AUDIT_LAUNCH] = "launch of kernels",
        [GCAL_AUDIT_ONCHIP] = "work on the chip",
        [GCAL_AUDIT_SHAPE] = "shape",
        [GCAL_AUDIT_TRANSFER] = "transfers between host and device",
        [GCAL_AUDIT_OTHER] = "other",
    };

    return names[subject];
}

bool gcal_audit_is_cost(const char *unit)
{
    return unit[0] == 's' && !isalpha((unsigned char)unit[1]);
}

/* A product of two features, as barriers times work-groups, is about the first here. */
static int rank_of(enum gcal_audit_subject subject)
{
    static const int ranks[] = {
        [GCAL_AUDIT_ARITHMETIC] = 7,    [GCAL_AUDIT_LOCAL_MEMORY] = 6,
        [GCAL_AUDIT_GLOBAL_MEMORY] = 9, [GCAL_AUDIT_BARRIER] = 5,
        [GCAL_AUDIT_WORK_GROUPS] = 2,   [GCAL_AUDIT_LAUNCH] = 1,
        [GCAL_AUDIT_ONCHIP] = 8,        [GCAL_AUDIT_SHAPE] = 0,
        [GCAL_AUDIT_TRANSFER] = 4,      [GCAL_AUDIT_OTHER] = 0,
    };

    return ranks[subject];
}

static enum gcal_audit_subject of_space(enum gcal_space space)
{
    return space == GCAL_SPACE_LOCAL ? GCAL_AUDIT_LOCAL_MEMORY : GCAL_AUDIT_GLOBAL_MEMORY;
}

static enum gcal_audit_subject of_feature(const char *name)
{
    enum gcal_audit_subject subject = GCAL_AUDIT_OTHER;
    struct gcal_feature f;

    if (gcal_feature_parse(name, &f, NULL) < 0)
        return subject;
    switch (f.kind) {
    case GCAL_FEATURE_OP:
    case GCAL_FEATURE_INDEX_OP:
    case GCAL_FEATURE_DIVERGENT_BRANCH:
        subject = GCAL_AUDIT_ARITHMETIC;
        break;
    case GCAL_FEATURE_MEM_ACCESS:
    case GCAL_FEATURE_ATOMIC:
        subject = of_space(f.space);
        break;
    case GCAL_FEATURE_LOCAL_PASS:
        subject = GCAL_AUDIT_LOCAL_MEMORY;
        break;
    case GCAL_FEATURE_MEMORY:
        subject = GCAL_AUDIT_GLOBAL_MEMORY;
        break;
    case GCAL_FEATURE_ONCHIP:
        subject = GCAL_AUDIT_ONCHIP;
        break;
    case GCAL_FEATURE_BARRIER_LOCAL:
        subject = GCAL_AUDIT_BARRIER;
        break;
    case GCAL_FEATURE_THREAD_GROUPS:
        subject = GCAL_AUDIT_WORK_GROUPS;
        break;
    case GCAL_FEATURE_KERNEL_LAUNCH:
        subject = GCAL_AUDIT_LAUNCH;
        break;
    case GCAL_FEATURE_TRANSFER_BYTES:
    case GCAL_FEATURE_TRANSFER_COPIES:
        subject = GCAL_AUDIT_TRANSFER;
        break;
    default:
        break;
    }
    gcal_feature_clear(&f);
    return subject;
}

/* A cost is of the features without which it takes no time, or less: with every other
 * cost 0, exponents and shares 1 and one of each feature, that is seen by taking features
 * away one at a time.
 */
enum gcal_audit_subject gcal_audit_subject_of(const struct gcal_expr *expr,
                                              const char *parameter, const char *unit)
{
    enum gcal_audit_subject best = GCAL_AUDIT_OTHER;
    size_t n = gcal_expr_symbol_count(expr);
    double *values, whole, without;

    if (!gcal_audit_is_cost(unit))
        return GCAL_AUDIT_SHAPE;
    if (!(values = calloc(n + 1, sizeof(*values))))
        return best;
    for (size_t i = 0; i < n; i++) {
        const char *name = gcal_expr_symbol(expr, i);

        values[i] = name[0] == 'f' || strcmp(name, parameter) == 0;
    }
    whole = gcal_expr_eval(expr, values);
    for (size_t i = 0; i < n; i++) {
        const char *name = gcal_expr_symbol(expr, i);
        enum gcal_audit_subject subject;

        if (name[0] != 'f' || strcmp(name, "f_work_items") == 0)
            continue;
        values[i] = 0;
        without = gcal_expr_eval(expr, values);
        values[i] = 1;
        if (!(without < whole))
            continue;
        subject = of_feature(name);
        best = rank_of(subject) > rank_of(best) ? subject : best;
    }
    free(values);
    return best;
}

static size_t find_device(const struct gcal_params *params, const char *uid)
{
    size_t i = 0;

    while (i < params->n_devices && strcmp(params->devices[i].info.uid, uid) != 0)
        i++;
    return i;
}

static int subjects_of_model(const struct gcal_params_index *index, size_t device,
                             size_t model, struct gcal_audit_device *d,
                             struct gcal_error *err)
{
    struct gcal_params_model m = { 0 };
    struct gcal_expr *expr;

    if (gcal_params_index_model(index, device, model, &m, err) < 0)
        return -1;
    if ((expr = gcal_expr_parse(m.expression, err)))
        for (size_t i = 0; i < d->n_series; i++) {
            struct gcal_audit_series *s = &d->series[i];

            if (strcmp(s->column.model, m.name) == 0)
                s->subject =
                    gcal_audit_subject_of(expr, s->column.parameter, s->column.unit);
        }
    gcal_expr_destroy(expr);
    gcal_params_model_clear(&m);
    return expr ? 0 : -1;
}

int gcal_audit_subjects(const struct gcal_store *store, struct gcal_audit_device *device,
                        struct gcal_error *err)
{
    struct gcal_params_index *index =
        gcal_store_load_index(store, device->node, NULL, err);
    const struct gcal_params *params;
    size_t at;
    int rc = 0;

    if (!index)
        return -1;
    params = gcal_params_index_devices(index);
    at = find_device(params, device->uid);
    if (at < params->n_devices) /* else it is no longer in the node */
        for (size_t i = 0; rc == 0 && i < params->devices[at].n_models; i++)
            rc = subjects_of_model(index, at, i, device, err);
    gcal_params_index_destroy(index);
    return rc;
}
