/* form.c - expressions of ready forms, written from groups of costs */
#include "calib/model/form.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr.h"

#define MAX_GROUPS 32 /* fewer than a function takes arguments */

/* The groups, in parentheses where they are sums: launches apart from the work. */
struct parts {
    size_t n_work;
    char *work[MAX_GROUPS];
    char *launch; /* NULL: none */
};

struct form {
    size_t least_work, least_groups;
    void (*write)(struct gcal_buf *text, const struct parts *parts);
    size_t n_parameters;
    const struct gcal_form_parameter *parameters;
};

/* ---- writing ---- */

/* All work, with 'between' between; launches, too, when asked for. */
static void put_list(struct gcal_buf *text, const struct parts *parts,
                     const char *between, bool with_launch)
{
    for (size_t i = 0; i < parts->n_work; i++)
        gcal_buf_printf(text, "%s%s", i ? between : "", parts->work[i]);
    if (with_launch && parts->launch)
        gcal_buf_printf(text, "%s%s", parts->n_work ? between : "", parts->launch);
}

static void write_linear(struct gcal_buf *text, const struct parts *parts)
{
    put_list(text, parts, " + ", true);
}

static void write_overlap(struct gcal_buf *text, const struct parts *parts)
{
    struct parts others = { .n_work = parts->n_work - 1 };

    memcpy(others.work, parts->work + 1, others.n_work * sizeof(*others.work));
    gcal_buf_printf(text, "overlap(%s, ", parts->work[0]);
    put_list(text, &others, " + ", false);
    gcal_buf_puts(text, ", p_edge)");
    if (parts->launch)
        gcal_buf_printf(text, " + %s", parts->launch);
}

static void write_pnorm(struct gcal_buf *text, const struct parts *parts)
{
    gcal_buf_puts(text, "pnorm(p_overlap, ");
    put_list(text, parts, ", ", true);
    gcal_buf_puts(text, ")");
}

static void write_smoothmax(struct gcal_buf *text, const struct parts *parts)
{
    gcal_buf_puts(text, "smoothmax(p_sharpness, ");
    put_list(text, parts, ", ", true);
    gcal_buf_puts(text, ")");
}

/* The share of the shorter work that does not hide. */
static void put_hidden_share(struct gcal_buf *text, const struct parts *parts)
{
    const struct parts memory = { .n_work = 1, .work = { parts->work[0] } };
    struct parts others = { .n_work = parts->n_work - 1 };

    memcpy(others.work, parts->work + 1, others.n_work * sizeof(*others.work));
    gcal_buf_puts(text, "(step(f_sync_barrier_local - 1)*(p_hidden_barrier"
                        " + step(f_mem_access_global_load_afr:>16"
                        " - 0.1*f_mem_access_global)*(p_hidden_cached"
                        " - p_hidden_barrier)) + (1 - step(f_sync_barrier_local - 1))"
                        "*(p_hidden + step(");
    if (others.n_work > 1)
        gcal_buf_puts(text, "max(");
    put_list(text, &others, ", ", false);
    gcal_buf_puts(text, others.n_work > 1 ? ") - " : " - ");
    put_list(text, &memory, "", false);
    gcal_buf_puts(text, ")*(p_hidden_memory - p_hidden)))");
}

/* The sum less the longest is the shorter one where there are two. */
static void put_partly_hidden(struct gcal_buf *text, const struct parts *parts)
{
    gcal_buf_puts(text, "max(");
    put_list(text, parts, ", ", false);
    gcal_buf_puts(text, ") + ");
    put_hidden_share(text, parts);
    gcal_buf_puts(text, "*");
    if (parts->n_work == 2) {
        gcal_buf_puts(text, "min(");
        put_list(text, parts, ", ", false);
        gcal_buf_puts(text, ")");
        return;
    }
    gcal_buf_puts(text, "(");
    put_list(text, parts, " + ", false);
    gcal_buf_puts(text, " - max(");
    put_list(text, parts, ", ", false);
    gcal_buf_puts(text, "))");
}

static void write_partial(struct gcal_buf *text, const struct parts *parts)
{
    if (!parts->launch) {
        put_partly_hidden(text, parts);
        return;
    }
    gcal_buf_puts(text, "pnorm(p_start, ");
    put_partly_hidden(text, parts);
    gcal_buf_printf(text, ", %s)", parts->launch);
}

/* Transfers have no work-items, and no cost either. */
static void write_latency(struct gcal_buf *text, const struct parts *parts)
{
    struct parts filled = { .n_work = parts->n_work, .launch = parts->launch };

    for (size_t i = 0; i < parts->n_work; i++) {
        filled.work[i] =
            gcal_buf_format("%s*max(1, p_fill/max(1, f_work_items))", parts->work[i]);
        if (!filled.work[i])
            text->failed = true;
    }
    if (!text->failed)
        write_partial(text, &filled);
    for (size_t i = 0; i < filled.n_work; i++)
        free(filled.work[i]);
}

/* ---- the forms ---- */

static const struct gcal_form_parameter edge[] = { { "p_edge", "1", 8, 1, 64 } };
static const struct gcal_form_parameter norm[] = { { "p_overlap", "1", 1.3, 1, 16 } };
static const struct gcal_form_parameter sharpness[] = {
    { "p_sharpness", "1", 8, 1, 64 },
};
/* Those of 'partial' are the first of 'latency'. */
static const struct gcal_form_parameter hidden[] = {
    { "p_hidden", "1", 0.5, 0, 1.5 },
    { "p_hidden_memory", "1", 0.5, 0, 1.5 },
    { "p_hidden_barrier", "1", 0.5, 0, 1.5 },
    { "p_hidden_cached", "1", 0.5, 0, 1.5 },
    { "p_start", "1", 3, 1, 16 },
    { "p_fill", "work-items", 5e4, 1, 1e8 },
};

enum { LINEAR, OVERLAP, PNORM, SMOOTHMAX, PARTIAL, LATENCY, N_FORMS };

static const char *const names[] = {
    [LINEAR] = "linear",       [OVERLAP] = "overlap", [PNORM] = "pnorm",
    [SMOOTHMAX] = "smoothmax", [PARTIAL] = "partial", [LATENCY] = "latency",
    [N_FORMS] = NULL,
};

static const struct form forms[] = {
    [LINEAR] = { 0, 1, write_linear, 0, NULL },
    [OVERLAP] = { 2, 2, write_overlap, 1, edge },
    [PNORM] = { 0, 2, write_pnorm, 1, norm },
    [SMOOTHMAX] = { 0, 2, write_smoothmax, 1, sharpness },
    [PARTIAL] = { 2, 2, write_partial, 5, hidden },
    [LATENCY] = { 2, 2, write_latency, 6, hidden },
};

const char *const *gcal_form_names(void)
{
    return names;
}

static const struct form *find(const char *name)
{
    for (size_t i = 0; i < N_FORMS; i++)
        if (strcmp(names[i], name) == 0)
            return &forms[i];
    return NULL;
}

const struct gcal_form_parameter *gcal_form_parameters(const char *form, size_t *n)
{
    const struct form *found = find(form);

    *n = found ? found->n_parameters : 0;
    return *n ? found->parameters : NULL;
}

/* ---- groups ---- */

static bool is_launch(const struct gcal_form_cost_group *group)
{
    return strcmp(group->name, "launch") == 0;
}

/* Parses, and leaves the form's parameters to the form. */
static int check_costs(const struct form *form, const char *name, const char *expression,
                       struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(expression, err);
    int rc = 0;

    if (!expr)
        return gcal_error_prefix(err, "%.60s", name);
    for (size_t i = 0; rc == 0 && i < gcal_expr_symbol_count(expr); i++)
        for (size_t k = 0; rc == 0 && k < form->n_parameters; k++)
            if (strcmp(gcal_expr_symbol(expr, i), form->parameters[k].name) == 0)
                rc = gcal_error_set(err, GCAL_EINPUT,
                                    "%.60s: %s is the form's own parameter: give the "
                                    "cost another name",
                                    name, form->parameters[k].name);
    gcal_expr_destroy(expr);
    return rc;
}

static int check_groups(const struct form *form, size_t n_groups,
                        const struct gcal_form_cost_group *groups, struct gcal_error *err)
{
    size_t n_work = 0;

    if (n_groups > MAX_GROUPS)
        return gcal_error_set(err, GCAL_EINPUT, "more than %d groups of costs",
                              MAX_GROUPS);
    for (size_t i = 0; i < n_groups; i++) {
        for (size_t k = 0; k < i; k++)
            if (strcmp(groups[i].name, groups[k].name) == 0)
                return gcal_error_set(err, GCAL_EINPUT, "two groups are named '%.60s'",
                                      groups[i].name);
        if (check_costs(form, groups[i].name, groups[i].expression, err) < 0)
            return -1;
        n_work += !is_launch(&groups[i]);
    }
    if (n_work < form->least_work)
        return gcal_error_set(err, GCAL_EINPUT,
                              "it needs at least %zu groups of costs beside 'launch', "
                              "there %s %zu; the form linear takes any",
                              form->least_work, n_work == 1 ? "is" : "are", n_work);
    if (n_groups < form->least_groups)
        return gcal_error_set(err, GCAL_EINPUT,
                              "it needs at least %zu group%s of costs, there %s %zu",
                              form->least_groups, form->least_groups == 1 ? "" : "s",
                              n_groups == 1 ? "is" : "are", n_groups);
    return 0;
}

static int split(size_t n_groups, const struct gcal_form_cost_group *groups,
                 struct parts *parts, struct gcal_error *err)
{
    for (size_t i = 0; i < n_groups; i++) {
        char *text = gcal_buf_format("(%s)", groups[i].expression);

        if (!text)
            return gcal_error_memory(err);
        if (is_launch(&groups[i]))
            parts->launch = text;
        else
            parts->work[parts->n_work++] = text;
    }
    return 0;
}

static void report_unknown(const char *name, struct gcal_error *err)
{
    struct gcal_buf known = { 0 };
    char *list;

    for (size_t i = 0; i < N_FORMS; i++)
        gcal_buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
    if ((list = gcal_buf_take(&known, err)))
        gcal_error_set(err, GCAL_EINPUT, "there is no form '%.60s': known are %s", name,
                       list);
    free(list);
}

static char *write_form(const struct form *form, size_t n_groups,
                        const struct gcal_form_cost_group *groups, const char *overhead,
                        struct gcal_error *err)
{
    struct gcal_buf text = { 0 };
    struct parts parts = { 0 };
    char *result = NULL;

    if (split(n_groups, groups, &parts, err) == 0) {
        form->write(&text, &parts);
        if (overhead)
            gcal_buf_printf(&text, " + %s", overhead);
        result = gcal_buf_take(&text, err);
    }
    for (size_t i = 0; i < parts.n_work; i++)
        free(parts.work[i]);
    free(parts.launch);
    return result;
}

char *gcal_form_expression(const char *name, size_t n_groups,
                           const struct gcal_form_cost_group *groups,
                           const char *overhead, struct gcal_error *err)
{
    const struct form *form = find(name);

    if (!form) {
        report_unknown(name, err);
        return NULL;
    }
    if (check_groups(form, n_groups, groups, err) < 0 ||
        (overhead && check_costs(form, "overhead", overhead, err) < 0)) {
        gcal_error_prefix(err, "form %s", name);
        return NULL;
    }
    return write_form(form, n_groups, groups, overhead, err);
}
