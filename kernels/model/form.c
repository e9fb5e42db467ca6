/* form.c - the table of model forms, and the expressions made from their templates */
#include "kernels/model/form.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"

#define MAX_GROUPS 32 /* fewer than a function takes arguments */

/* ---- the forms ---- */

/* In templates: $PLACEHOLDER, see placeholders[]; [TEXT] is left out without a group of
 * launches.
 */
struct form {
    const char *name;
    size_t min_work, min_groups; /* groups it needs: besides launches, in all */
    const char *expression;
    const char *first; /* the first group of work; NULL: as the others */
    const char *group; /* each group of work, "$cost"; NULL: as it is */
    size_t n_parameters;
    const struct gcal_form_parameter *parameters;
};

/* The share of the shorter work that does not overlap, see form.h. */
#define HIDDEN_SHARE                                                                     \
    "(step(f_sync_barrier_local - 1)*(p_hidden_barrier"                                  \
    " + step(f_mem_access_global_load_afr:>16 - 0.1*f_mem_access_global)"                \
    "*(p_hidden_cached - p_hidden_barrier))"                                             \
    " + (1 - step(f_sync_barrier_local - 1))"                                            \
    "*(p_hidden + step($longest_other - $first)*(p_hidden_memory - p_hidden)))"

#define PARTIAL "[pnorm(p_start, ]max($work_list) + " HIDDEN_SHARE "*$shorter[, $launch)]"

/* The time of a kernel over that with the same work on all compute units, each as busy as it
 * can be: the busiest unit has more work-groups than the average, and fewer than fill it take
 * as long as those.  The exponent is as observed on an H100 and an H200.
 */
#define OCCUPANCY                                                                        \
    "pnorm(1.6, ceil(f_thread_groups/p_units), $fill)*p_units/max(1, f_thread_groups)"

/* 1 for a kernel in which neighbours access memory whole cache lines of 128 bytes apart. */
#define ALIGNED                                                                          \
    "step(f_mem_access_global_lstrides:{0:%32} + f_mem_access_global_lstrides:{1:%32}"   \
    " + f_mem_access_global_float64_lstrides:{0:%16}"                                    \
    " + f_mem_access_global_float64_lstrides:{1:%16} - 1)"

static const struct gcal_form_parameter edge[] = { { "p_edge", "1", 8, 1, 64, false } };
static const struct gcal_form_parameter norm[] = { { "p_overlap", "1", 1.3, 1, 16,
                                                     false } };
static const struct gcal_form_parameter sharpness[] = {
    { "p_sharpness", "1", 8, 1, 64, false },
};
/* Those of 'partial' are the first of 'latency'. */
static const struct gcal_form_parameter hidden[] = {
    { "p_hidden", "1", 0.5, 0, 1.5, false },
    { "p_hidden_memory", "1", 0.5, 0, 1.5, false },
    { "p_hidden_barrier", "1", 0.5, 0, 1.5, false },
    { "p_hidden_cached", "1", 0.5, 0, 1.5, false },
    { "p_start", "1", 3, 1, 16, false },
    { "p_fill", "work-items", 5e4, 1, 1e8, false },
};

static const struct gcal_form_parameter occupied[] = {
    { "p_hidden", "1", 0.5, 0, 1.5, false },
    { "p_hidden_memory", "1", 0.5, 0, 1.5, false },
    { "p_hidden_barrier", "1", 0.5, 0, 1.5, false },
    { "p_hidden_cached", "1", 0.5, 0, 1.5, false },
    { "p_start", "1", 3, 1, 16, false },
    { GCAL_FORM_UNITS, "compute units", 64, 1, 1e6, false },
    { "_fill", "work-groups", 0.1, 0.01, 64, false },
    { "_aligned", "1", 0.01, 0.001, 4, true },
};

static const struct form forms[] = {
    {
        .name = "linear",
        .min_groups = 1,
        .expression = "$all_sum",
    },
    {
        .name = "overlap",
        .min_work = 2,
        .min_groups = 2,
        .expression = "overlap($first, $others_sum, p_edge)[ + $launch]",
        .n_parameters = 1,
        .parameters = edge,
    },
    {
        .name = "pnorm",
        .min_groups = 2,
        .expression = "pnorm(p_overlap, $all_list)",
        .n_parameters = 1,
        .parameters = norm,
    },
    {
        .name = "smoothmax",
        .min_groups = 2,
        .expression = "smoothmax(p_sharpness, $all_list)",
        .n_parameters = 1,
        .parameters = sharpness,
    },
    {
        .name = "partial",
        .min_work = 2,
        .min_groups = 2,
        .expression = PARTIAL,
        .n_parameters = 5,
        .parameters = hidden,
    },
    {
        .name = "latency",
        .min_work = 2,
        .min_groups = 2,
        .expression = PARTIAL,
        /* Transfers have no work-items, and no cost either. */
        .group = "$cost*max(1, p_fill/max(1, f_work_items))",
        .n_parameters = 6,
        .parameters = hidden,
    },
    {
        .name = "occupancy",
        .min_work = 2,
        .min_groups = 2,
        .expression = PARTIAL,
        .first = "$cost*(1 + " ALIGNED "*($aligned))*" OCCUPANCY,
        .group = "$cost*" OCCUPANCY,
        .n_parameters = sizeof(occupied) / sizeof(*occupied),
        .parameters = occupied,
    },
};

#define N_FORMS (sizeof(forms) / sizeof(*forms))

const char *gcal_form_name(size_t i)
{
    return i < N_FORMS ? forms[i].name : NULL;
}

static const struct form *find(const char *name)
{
    for (size_t i = 0; i < N_FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

const struct gcal_form_parameter *gcal_form_parameters(const char *form, size_t *n)
{
    const struct form *found = find(form);

    *n = found ? found->n_parameters : 0;
    return *n ? found->parameters : NULL;
}

bool gcal_form_parameter_is(const struct gcal_form_parameter *p, const char *name)
{
    size_t length = strlen(name), own = strlen(p->name);

    if (*p->name != '_')
        return strcmp(name, p->name) == 0;
    return length > own && strcmp(name + length - own, p->name) == 0;
}

const struct gcal_form_parameter *gcal_form_shape(const char *name, size_t *cost_length)
{
    for (size_t i = 0; i < N_FORMS; i++)
        for (size_t k = 0; k < forms[i].n_parameters; k++) {
            const struct gcal_form_parameter *p = &forms[i].parameters[k];

            if (*p->name != '_' || !gcal_form_parameter_is(p, name))
                continue;
            *cost_length = strlen(name) - strlen(p->name);
            return p;
        }
    return NULL;
}

/* ---- templates ---- */

/* Texts of the groups, in parentheses where they are sums. */
struct groups {
    size_t n_work;
    char *work[MAX_GROUPS]; /* all but launches */
    char *launch;           /* of work-groups; NULL: none */
    const char *cost;       /* the one that is being written */
    char *fill, *aligned;   /* shapes of the kernel's component in it */
};

static void put_list(struct gcal_buf *text, const struct groups *g, size_t first,
                     const char *between)
{
    for (size_t i = first; i < g->n_work; i++)
        gcal_buf_printf(text, "%s%s", i > first ? between : "", g->work[i]);
}

static void put_all(struct gcal_buf *text, const struct groups *g, const char *between)
{
    put_list(text, g, 0, between);
    if (g->launch)
        gcal_buf_printf(text, "%s%s", g->n_work ? between : "", g->launch);
}

static void put_all_sum(struct gcal_buf *text, const struct groups *g)
{
    put_all(text, g, " + ");
}

static void put_all_list(struct gcal_buf *text, const struct groups *g)
{
    put_all(text, g, ", ");
}

static void put_work_list(struct gcal_buf *text, const struct groups *g)
{
    put_list(text, g, 0, ", ");
}

static void put_others_sum(struct gcal_buf *text, const struct groups *g)
{
    put_list(text, g, 1, " + ");
}

static void put_first(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->work[0]);
}

static void put_launch(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->launch);
}

static void put_cost(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->cost);
}

static void put_fill(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->fill);
}

static void put_aligned(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->aligned);
}

static void put_longest_other(struct gcal_buf *text, const struct groups *g)
{
    bool several = g->n_work > 2;

    gcal_buf_puts(text, several ? "max(" : "");
    put_list(text, g, 1, ", ");
    gcal_buf_puts(text, several ? ")" : "");
}

/* The sum without the longest, which is the shorter one of two. */
static void put_shorter(struct gcal_buf *text, const struct groups *g)
{
    gcal_buf_puts(text, g->n_work == 2 ? "min(" : "(");
    put_list(text, g, 0, g->n_work == 2 ? ", " : " + ");
    if (g->n_work != 2) {
        gcal_buf_puts(text, " - max(");
        put_list(text, g, 0, ", ");
        gcal_buf_puts(text, ")");
    }
    gcal_buf_puts(text, ")");
}

static const struct placeholder {
    const char *name;
    void (*put)(struct gcal_buf *text, const struct groups *g);
} placeholders[] = {
    { "$all_sum", put_all_sum },             /* M + C + L */
    { "$all_list", put_all_list },           /* M, C, L */
    { "$work_list", put_work_list },         /* M, C */
    { "$first", put_first },                 /* M */
    { "$others_sum", put_others_sum },       /* C + D */
    { "$longest_other", put_longest_other }, /* max(C, D) */
    { "$shorter", put_shorter },             /* (M + C + D - max(M, C, D)) */
    { "$launch", put_launch },               /* L */
    { "$cost", put_cost },
    { "$fill", put_fill },       /* p_..._fill of M's component of the kernel */
    { "$aligned", put_aligned }, /* p_..._aligned of the same */
};

static void put_template(struct gcal_buf *text, const char *at, const struct groups *g)
{
    while (*at) {
        if (*at == '$') {
            const struct placeholder *p = placeholders;

            while (strncmp(at, p->name, strlen(p->name)) != 0)
                p++;
            p->put(text, g);
            at = at + strlen(p->name);
        } else if (*at == '[' && !g->launch) {
            at = strchr(at, ']') + 1;
        } else {
            if (*at != '[' && *at != ']')
                gcal_buf_put(text, at, 1);
            at++;
        }
    }
}

/* ---- groups ---- */

static bool is_launch(const struct gcal_form_cost_group *group)
{
    return strcmp(group->name, "launch") == 0;
}

/* A cost must parse, and not use a parameter of the form. */
static int check_costs(const struct form *form, const char *name, const char *expression,
                       struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(expression, err);
    int rc = 0;

    if (!expr)
        return gcal_error_prefix(err, "%.60s", name);
    for (size_t i = 0; rc == 0 && i < gcal_expr_symbol_count(expr); i++)
        for (size_t k = 0; rc == 0 && k < form->n_parameters; k++)
            if (gcal_form_parameter_is(&form->parameters[k], gcal_expr_symbol(expr, i)))
                rc = gcal_error_set(err, GCAL_EINPUT,
                                    "%.60s: %s is a parameter of the form: give the "
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
    if (n_work < form->min_work)
        return gcal_error_set(err, GCAL_EINPUT,
                              "it needs at least %zu groups of costs beside 'launch', "
                              "there %s %zu; the form linear takes any",
                              form->min_work, n_work == 1 ? "is" : "are", n_work);
    if (n_groups < form->min_groups)
        return gcal_error_set(err, GCAL_EINPUT,
                              "it needs at least %zu group%s of costs, there %s %zu",
                              form->min_groups, form->min_groups == 1 ? "" : "s",
                              n_groups == 1 ? "is" : "are", n_groups);
    return 0;
}

/* "p_a_fill*min(1, f_a) + ..": the parameter of the kernel at hand, as a kernel has its own
 * components alone; "0" without parts.
 */
static char *pick_shape(const struct gcal_form_cost_group *group, const char *suffix,
                        bool strided, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };

    for (size_t i = 0; i < group->n_parts; i++)
        if (group->parts[i].strided || !strided)
            gcal_buf_printf(&text, "%s%s%s*min(1, %s)", text.size ? " + " : "",
                            group->parts[i].parameter, suffix, group->parts[i].feature);
    if (!text.size)
        gcal_buf_puts(&text, "0");
    return gcal_buf_take(&text, err);
}

static char *group_text(const char *template, const struct gcal_form_cost_group *group,
                        struct gcal_error *err)
{
    struct gcal_buf text = { 0 };
    char *cost = gcal_buf_format("(%s)", group->expression);
    struct groups g = { .cost = cost,
                        .fill = pick_shape(group, "_fill", false, err),
                        .aligned = pick_shape(group, "_aligned", true, err) };
    char *result = NULL;

    if (cost && g.fill && g.aligned) {
        put_template(&text, template, &g);
        result = gcal_buf_take(&text, err);
    } else {
        gcal_error_memory(err);
    }
    free(cost);
    free(g.fill);
    free(g.aligned);
    return result;
}

static const char *group_template(const struct form *form, bool is_work, bool is_first)
{
    if (is_work && is_first && form->first)
        return form->first;
    return is_work && form->group ? form->group : "$cost";
}

static int split(const struct form *form, size_t n_groups,
                 const struct gcal_form_cost_group *groups, struct groups *g,
                 struct gcal_error *err)
{
    for (size_t i = 0; i < n_groups; i++) {
        bool is_work = !is_launch(&groups[i]);
        char *text =
            group_text(group_template(form, is_work, g->n_work == 0), &groups[i], err);

        if (!text)
            return -1;
        if (is_work)
            g->work[g->n_work++] = text;
        else
            g->launch = text;
    }
    return 0;
}

char *gcal_form_expression(const char *name, size_t n_groups,
                           const struct gcal_form_cost_group *groups,
                           const char *overhead, struct gcal_error *err)
{
    const struct form *form = find(name);

    if (!form) {
        struct gcal_buf known = { 0 };
        char *list;

        for (size_t i = 0; i < N_FORMS; i++)
            gcal_buf_printf(&known, "%s%s", i ? ", " : "", forms[i].name);
        if ((list = gcal_buf_take(&known, err)))
            gcal_error_set(err, GCAL_EINPUT, "unknown form '%.60s'; forms are %s", name,
                           list);
        free(list);
        return NULL;
    }
    if (check_groups(form, n_groups, groups, err) < 0 ||
        (overhead && check_costs(form, "overhead", overhead, err) < 0)) {
        gcal_error_prefix(err, "form %s", name);
        return NULL;
    }
    struct gcal_buf text = { 0 };
    struct groups g = { 0 };
    char *result = NULL;

    if (split(form, n_groups, groups, &g, err) == 0) {
        put_template(&text, form->expression, &g);
        if (overhead)
            gcal_buf_printf(&text, " + %s", overhead);
        result = gcal_buf_take(&text, err);
    }
    for (size_t i = 0; i < g.n_work; i++)
        free(g.work[i]);
    free(g.launch);
    return result;
}
