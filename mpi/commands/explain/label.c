/* label.c - what a cost is multiplied by: read from the text of the model */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/feature.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first occurrence of a whole name, or NULL. */
static const char *find_name(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !is_name(at[-1])) && !is_name(at[length]))
            return at;
    return NULL;
}

/* The end of a factor: of what is in parentheses, or of a name with its fields and arguments. */
static const char *end_of_factor(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        bool opens = *at == '(' || *at == '{', closes = *at == ')' || *at == '}';

        if (closes && depth == 0)
            break;
        depth += opens - closes;
        if (depth == 0 && !closes && !is_name(*at) && *at != ':' && *at != '.')
            break;
    }
    return at;
}

/* The text that follows "NAME*" at 'at'; NULL: it is not followed by a factor. */
static char *factor_after(const char *at, size_t length)
{
    const char *end;

    for (at += length; *at == ' '; at++)
        ;
    if (*at++ != '*')
        return NULL;
    while (*at == ' ')
        at++;
    end = end_of_factor(at);
    return end > at ? strndup(at, (size_t)(end - at)) : NULL;
}

/* The text of the model's text i: a named expression's own. */
static const char *text_of(const struct gcal_explain_lab *lab, size_t i)
{
    const struct gcal_expr_names *names = lab->published->names;

    for (size_t k = 0; i > lab->n_roofs && k < gcal_expr_names_count(names); k++)
        if (strcmp(gcal_expr_names_name(names, k), lab->names[i]) == 0)
            return gcal_expr_names_text(names, k);
    return lab->texts[i];
}

/* Named expressions first: the time and the roofs are made of them. */
static size_t find_owner(const struct gcal_explain_lab *lab, const char *parameter)
{
    for (size_t i = lab->n_roofs + 1; i < lab->n_texts; i++)
        if (find_name(text_of(lab, i), parameter))
            return i;
    for (size_t i = 1; i <= lab->n_roofs; i++)
        if (find_name(text_of(lab, i), parameter))
            return i;
    return find_name(text_of(lab, 0), parameter) ? 0 : lab->n_texts;
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

static enum subject subject_of(enum gcal_feature_kind kind)
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
    case GCAL_FEATURE_FOOTPRINT_SUB_GROUP:
    case GCAL_FEATURE_FOOTPRINT_GROUP:
    case GCAL_FEATURE_FOOTPRINT_LAUNCH:
    case GCAL_FEATURE_FOOTPRINT_BLOCK:
        return SECTOR;
    case GCAL_FEATURE_OP:
    case GCAL_FEATURE_INDEX_OP:
    case GCAL_FEATURE_AUXILIARY_OP:
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

static enum gcal_explain_unit unit_of(unsigned subjects)
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

/* Of the features in an expression, with all names replaced. */
static void read_features(const struct gcal_expr *expr, struct gcal_explain_label *label)
{
    unsigned subjects = 0;

    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++) {
        struct gcal_feature f;
        const char *granularity;
        enum subject subject;

        if (gcal_feature_parse(gcal_expr_symbol(expr, i), &f, NULL) < 0)
            continue;
        subject = subject_of(f.kind);
        granularity =
            gcal_feature_granularity_names[gcal_feature_info(f.kind)->granularity];
        gcal_feature_clear(&f);
        if (subject == DEVICE)
            continue;
        subjects |= subject;
        if (!label->granularity)
            label->granularity = granularity;
        else if (strcmp(label->granularity, granularity) != 0)
            label->granularity = "mixed";
    }
    label->unit = unit_of(subjects);
}

/* An expression of which it is not known what it counts has no granularity. */
static void classify(const struct gcal_explain_lab *lab, struct gcal_explain_label *label)
{
    char *text = gcal_expr_names_resolve(lab->published->names, label->counted, NULL);
    struct gcal_expr *expr = text ? gcal_expr_parse(text, NULL) : NULL;

    if (expr)
        read_features(expr, label);
    gcal_expr_destroy(expr);
    free(text);
    if (!label->granularity)
        label->granularity = "-";
}

/* "(a + b)" as "a + b". */
static void strip(char *text)
{
    size_t n = strlen(text);

    if (n < 2 || text[0] != '(' || text[n - 1] != ')')
        return;
    memmove(text, text + 1, n - 2);
    text[n - 2] = '\0';
}

int gcal_explain_label_find(const struct gcal_explain_lab *lab, const char *parameter,
                            struct gcal_explain_label *label, struct gcal_error *err)
{
    size_t owner = find_owner(lab, parameter), length = strlen(parameter);
    const char *text, *at;

    *label = (struct gcal_explain_label){ .owner = owner, .granularity = NULL };
    if (owner < lab->n_texts) {
        text = text_of(lab, owner);
        at = find_name(text, parameter);
        /* A cost of several things is that of the expression that they are in. */
        if (!find_name(at + length, parameter))
            label->counted = factor_after(at, length);
    }
    if (label->counted) {
        strip(label->counted);
        classify(lab, label);
    }
    if (!label->counted &&
        !(label->counted = strdup(owner < lab->n_texts ? lab->names[owner] : parameter)))
        return gcal_error_memory(err);
    if (!label->granularity)
        label->granularity = "-";
    return 0;
}
