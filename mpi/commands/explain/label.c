/* label.c - what a cost is multiplied by in the model */
#include <stdlib.h>
#include <string.h>

#include "kernels/model/expr.h"
#include "kernels/model/feature.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

/* Named expressions first: the time and the roofs are made of them. */
static size_t find_owner(const struct gcal_explain_lab *lab, const char *parameter)
{
    for (size_t i = lab->n_roofs + 1; i < lab->n_texts; i++)
        if (gcal_expr_find_use(lab->sources[i], parameter).n)
            return i;
    for (size_t i = 1; i <= lab->n_roofs; i++)
        if (gcal_expr_find_use(lab->sources[i], parameter).n)
            return i;
    return gcal_expr_find_use(lab->sources[0], parameter).n ? 0 : lab->n_texts;
}

/* ---- what the factor counts ---- */

enum subject {
    DEVICE = 1,
    PASS = 2,
    SECTOR = 4,
    OPERATION = 8,
    ATOMIC = 16,
    GROUP = 32,
    WAITING = 64, /* no throughput: how long a work-item takes */
    OTHER = 128
};

static enum subject find_subject(enum gcal_feature_kind kind)
{
    switch (kind) {
    case GCAL_FEATURE_LOCAL_PASS:
    case GCAL_FEATURE_CACHE_PASS:
    case GCAL_FEATURE_ATOMIC_PASS:
    case GCAL_FEATURE_ATOMIC_SECTOR_PASS:
        return PASS;
    case GCAL_FEATURE_SECTOR:
    case GCAL_FEATURE_LOOP_SECTOR:
    case GCAL_FEATURE_PARTIAL_SECTOR:
    case GCAL_FEATURE_LINE: /* a request for sectors of it */
    case GCAL_FEATURE_FOOTPRINT_SUB_GROUP:
    case GCAL_FEATURE_FOOTPRINT_GROUP:
    case GCAL_FEATURE_FOOTPRINT_LAUNCH:
    case GCAL_FEATURE_FOOTPRINT_BLOCK:
        return SECTOR;
    case GCAL_FEATURE_OP:
    case GCAL_FEATURE_INDEX_OP:
    case GCAL_FEATURE_AUXILIARY_OP:
    case GCAL_FEATURE_MATRIX_OP:
    case GCAL_FEATURE_JOINED_OP:
        return OPERATION;
    case GCAL_FEATURE_ATOMIC:
    case GCAL_FEATURE_ATOMIC_SECTOR:
        return ATOMIC;
    case GCAL_FEATURE_THREAD_GROUPS:
        return GROUP;
    case GCAL_FEATURE_LOAD_CHAIN:
    case GCAL_FEATURE_LOAD_ROUND:
    case GCAL_FEATURE_LOADS_IN_FLIGHT:
    case GCAL_FEATURE_OP_CHAIN:
        return WAITING;
    default:
        return gcal_feature_info(kind)->counted == GCAL_FEATURE_COUNTED_DEVICE ? DEVICE
                                                                               : OTHER;
    }
}

static enum gcal_explain_unit choose_unit(unsigned subjects)
{
    if (subjects & WAITING)
        return GCAL_EXPLAIN_NO_RATE;
    if (subjects & PASS)
        return GCAL_EXPLAIN_PASSES;
    if (subjects & SECTOR)
        return GCAL_EXPLAIN_BYTES;
    if (subjects & ATOMIC)
        return GCAL_EXPLAIN_ATOMICS;
    return subjects == OPERATION ? GCAL_EXPLAIN_OPERATIONS
           : subjects == GROUP   ? GCAL_EXPLAIN_GROUPS
                                 : GCAL_EXPLAIN_NO_RATE;
}

/* Returns whether there are more where a kernel has more of everything: a share, or how often a
 * round of loads waits, is no count.
 */
static bool grows_with_work(const struct gcal_explain_lab *lab, const char *counted)
{
    static const double steps[] = { 0x1p20, 2,
                                    0x1p-21 }; /* much work, twice as much, back */
    double values[3];

    for (int step = 0; step < 3; step++) {
        for (size_t i = 0; i < lab->model->n_features; i++)
            if (strncmp(lab->model->features[i], "f_device_", 9) != 0)
                lab->features[i] *= steps[step];
        values[step] = gcal_explain_lab_compute(lab, counted);
    }
    return values[1] > 1.5 * values[0];
}

/* The unit and the granularity of the features in what is counted, with all names replaced. */
static void read_features(const struct gcal_explain_lab *lab,
                          struct gcal_explain_cost *cost)
{
    char *text = gcal_expr_names_resolve(lab->names_of_uses, cost->counted, NULL);
    struct gcal_expr *expr = text ? gcal_expr_parse(text, NULL) : NULL;
    const char *granularity = NULL;
    unsigned subjects = 0;

    for (size_t i = 0; expr && i < gcal_expr_symbol_count(expr); i++) {
        enum gcal_feature_kind kind;
        struct gcal_feature f;
        const char *one;

        if (gcal_feature_parse(gcal_expr_symbol(expr, i), &f, NULL) < 0)
            continue;
        kind = f.kind;
        gcal_feature_clear(&f);
        if (find_subject(kind) == DEVICE)
            continue;
        subjects |= find_subject(kind);
        one = gcal_feature_granularity_names[gcal_feature_info(kind)->granularity];
        granularity = !granularity || strcmp(granularity, one) == 0 ? one : "mixed";
    }
    if (grows_with_work(lab, cost->counted)) {
        cost->unit = choose_unit(subjects);
        cost->granularity = granularity ? granularity : cost->granularity;
    }
    gcal_expr_destroy(expr);
    free(text);
}

void gcal_explain_label(const struct gcal_explain_lab *lab,
                        struct gcal_explain_cost *cost)
{
    const char *name = lab->model->parameters[cost->use].name;

    cost->owner = find_owner(lab, name);
    cost->unit = GCAL_EXPLAIN_NO_RATE;
    cost->granularity = "-";
    cost->counted = NULL;
    if (cost->owner < lab->n_texts) {
        const char *source = lab->sources[cost->owner];
        struct gcal_expr_use use = gcal_expr_find_use(source, name);

        /* A cost of several things is that of the expression that they are in. */
        if (use.n == 1 && use.factor.length)
            cost->counted = gcal_arena_format(lab->arena, "%.*s", (int)use.factor.length,
                                              source + use.factor.start);
    }
    if (cost->counted)
        read_features(lab, cost);
    else
        cost->counted =
            cost->owner < lab->n_texts ? lab->names[cost->owner] : cost->parameter;
}
