/* compare.c - several cases side by side, and what makes one slower than another */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/explain/private.h"

/* Parts of a difference that are listed: at least this share of the first case's time. */
#define LEAST_PART 0.005

/* What a limit of that name adds in a case; 0: it has none. */
static double part_of(const struct gcal_explain_case *c, const char *limit)
{
    for (size_t i = 0; i < c->limits.n_limits; i++)
        if (strcmp(c->limits.limits[i].name, limit) == 0)
            return c->limits.limits[i].adds_s;
    return 0;
}

static double cost_of(const struct gcal_explain_case *c, const char *parameter)
{
    for (size_t i = 0; i < c->limits.n_costs; i++)
        if (strcmp(c->limits.costs[i].parameter, parameter) == 0)
            return c->limits.costs[i].cost_s;
    return NAN;
}

/* ---- columns ---- */

enum { WIDTH = 22 };

/* Whether any case differs from the first in its text. */
typedef char *(*text_of)(const struct gcal_explain_case *c);

static char *kernel_text(const struct gcal_explain_case *c)
{
    return strdup(c->subject->target.profile->kernel);
}

static char *sizes_text(const struct gcal_explain_case *c)
{
    return gcal_count_point_name(c->subject->target.profile, c->sizes);
}

static char *device_text(const struct gcal_explain_case *c)
{
    return strdup(c->subject->published.device->info.name);
}

static char *node_text(const struct gcal_explain_case *c)
{
    return strdup(c->subject->published.params.node);
}

static char *group_text(const struct gcal_explain_case *c)
{
    const struct gcal_profile *p = c->subject->target.profile;
    struct gcal_buf buf = { 0 };

    for (size_t d = 0; d < p->n_dims; d++)
        gcal_buf_printf(&buf, "%s%zu", d ? "x" : "", p->local_size[d]);
    gcal_buf_puts(&buf, "");
    return gcal_buf_take(&buf, NULL);
}

static char *time_text(const struct gcal_explain_case *c)
{
    char text[GCAL_UNITS_SIZE];

    return strdup(gcal_units(c->limits.time_s, "s", text));
}

static char *limit_text(const struct gcal_explain_case *c)
{
    return strdup(c->limits.n_limits ? c->limits.limits[0].name : "-");
}

static char *occupancy_text(const struct gcal_explain_case *c)
{
    return c->occupancy.known
               ? gcal_buf_format("%.0f %% (%.4g groups)", 100 * c->occupancy.achieved,
                                 c->occupancy.resident)
               : strdup("-");
}

static char *waves_text(const struct gcal_explain_case *c)
{
    return c->occupancy.known ? gcal_buf_format("%.4g", c->occupancy.waves) : strdup("-");
}

/* "1.2 ms  62 %" */
static char *part_text(const struct gcal_explain_case *c,
                       enum gcal_explain_step_name part)
{
    double time_s = gcal_explain_step_part(&c->step, part);
    char text[GCAL_UNITS_SIZE];

    return gcal_buf_format("%s %5.1f %%", gcal_units(time_s, "s", text),
                           100 * time_s / c->step.step.time_s);
}

static char *in_text(const struct gcal_explain_case *c)
{
    return part_text(c, GCAL_EXPLAIN_STEP_IN);
}

static char *kernel_part_text(const struct gcal_explain_case *c)
{
    return part_text(c, GCAL_EXPLAIN_STEP_KERNEL);
}

static char *out_text(const struct gcal_explain_case *c)
{
    return part_text(c, GCAL_EXPLAIN_STEP_OUT);
}

static char *step_text(const struct gcal_explain_case *c)
{
    char text[GCAL_UNITS_SIZE];

    return strdup(gcal_units(c->step.step.time_s, "s", text));
}

static char *overlapped_text(const struct gcal_explain_case *c)
{
    char text[GCAL_UNITS_SIZE];

    return isnan(c->step.step.overlapped_s)
               ? strdup("-")
               : gcal_buf_format(
                     "%s %+.1f %%", gcal_units(c->step.step.overlapped_s, "s", text),
                     100 * (c->step.step.overlapped_s / c->step.step.time_s - 1));
}

static int print_row(const struct gcal_explain_set *set, const char *title, text_of text,
                     struct gcal_error *err)
{
    printf("%-12s", title);
    for (size_t i = 0; i < set->n_cases; i++) {
        char *cell = text(set->cases[i]);

        if (!cell)
            return gcal_error_memory(err);
        printf(" %*.*s", WIDTH, WIDTH, cell);
        free(cell);
    }
    printf("\n");
    return 0;
}

static void print_limit_row(const struct gcal_explain_set *set, const char *limit)
{
    printf("%-12.12s", limit);
    for (size_t i = 0; i < set->n_cases; i++) {
        const struct gcal_explain_case *c = set->cases[i];
        char text[GCAL_UNITS_SIZE];

        printf(" %*s %5.1f %%", WIDTH - 8, gcal_units(part_of(c, limit), "s", text),
               100 * part_of(c, limit) / c->limits.time_s);
    }
    printf("\n");
}

/* Whether an earlier case has a limit of that name. */
static bool is_known(const struct gcal_explain_set *set, size_t n, const char *limit)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < set->cases[i]->limits.n_limits; k++)
            if (strcmp(set->cases[i]->limits.limits[k].name, limit) == 0)
                return true;
    return false;
}

static void print_limit_rows(const struct gcal_explain_set *set)
{
    for (size_t i = 0; i < set->n_cases; i++)
        for (size_t k = 0; k < set->cases[i]->limits.n_limits; k++) {
            const char *limit = set->cases[i]->limits.limits[k].name;

            if (!is_known(set, i, limit))
                print_limit_row(set, limit);
        }
}

/* ---- differences ---- */

struct part {
    const char *name;
    double more_s; /* than in the first case */
};

static int by_size(const void *a, const void *b)
{
    double x = fabs(((const struct part *)a)->more_s),
           y = fabs(((const struct part *)b)->more_s);

    return (x < y) - (x > y);
}

/* By limits of the two, the largest first; 'parts' has room for all. */
static size_t find_parts(const struct gcal_explain_case *first,
                         const struct gcal_explain_case *other, struct part *parts)
{
    size_t n = 0;

    for (size_t i = 0; i < first->limits.n_limits; i++) {
        const char *name = first->limits.limits[i].name;

        parts[n++] =
            (struct part){ name, part_of(other, name) - first->limits.limits[i].adds_s };
    }
    for (size_t i = 0; i < other->limits.n_limits; i++) {
        const char *name = other->limits.limits[i].name;
        bool shared = false;

        for (size_t k = 0; k < first->limits.n_limits && !shared; k++)
            shared = strcmp(first->limits.limits[k].name, name) == 0;
        if (!shared)
            parts[n++] = (struct part){ name, other->limits.limits[i].adds_s };
    }
    qsort(parts, n, sizeof(*parts), by_size);
    return n;
}

/* The costs of the first case with another value in the other: of other devices. */
static void print_costs(const struct gcal_explain_case *first,
                        const struct gcal_explain_case *other)
{
    int n = 0;

    for (size_t i = 0; i < first->limits.n_costs && n < 4; i++) {
        const struct gcal_explain_cost *cost = &first->limits.costs[i];
        double ratio = cost_of(other, cost->parameter) / cost->cost_s;

        if (cost->adds_s < 0.02 * first->limits.time_s || !isfinite(ratio) ||
            fabs(ratio - 1) < 0.002)
            continue;
        printf("%s %s %+.1f %%", n++ ? "," : "; costs:", cost->parameter,
               100 * (ratio - 1));
    }
}

static bool same_kernel(const struct gcal_explain_case *a,
                        const struct gcal_explain_case *b)
{
    const struct gcal_profile *x = a->subject->target.profile,
                              *y = b->subject->target.profile;

    return strcmp(x->kernel, y->kernel) == 0 && x->n_parameters == y->n_parameters &&
           (!x->n_parameters ||
            memcmp(a->sizes, b->sizes, x->n_parameters * sizeof(*a->sizes)) == 0);
}

size_t gcal_explain_compare_base(const struct gcal_explain_set *set, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (set->cases[k]->lab.device != set->cases[i]->lab.device &&
            same_kernel(set->cases[k], set->cases[i]))
            return k;
    return 0;
}

static void print_difference(const struct gcal_explain_set *set, size_t number)
{
    size_t base = gcal_explain_compare_base(set, number);
    const struct gcal_explain_case *first = set->cases[base], *other = set->cases[number];
    struct part parts[2 * GCAL_ROOFS_MAX];
    size_t n = find_parts(first, other, parts);
    double before = first->limits.time_s, more = other->limits.time_s - before;
    char text[GCAL_UNITS_SIZE];
    bool any = false;

    printf("column %zu beside %zu: %+.1f %%", number + 1, base + 1, 100 * more / before);
    for (size_t i = 0; i < n; i++) {
        if (fabs(parts[i].more_s) < LEAST_PART * before)
            continue;
        printf("%s %s %c%s", any ? "," : ":", parts[i].name,
               parts[i].more_s < 0 ? '-' : '+',
               gcal_units(fabs(parts[i].more_s), "s", text));
        any = true;
    }
    print_costs(first, other);
    printf("\n");
}

struct row {
    const char *title;
    text_of text;
};

static int print_steps(const struct gcal_explain_set *set, struct gcal_error *err)
{
    static const struct row rows[] = { { "copies in", in_text },
                                       { "kernel", kernel_part_text },
                                       { "copies out", out_text },
                                       { "step", step_text },
                                       { "overlapped", overlapped_text } };
    int rc = 0;

    if (!set->cases[0]->plan)
        return 0;
    puts("steps of copies and kernel:");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && rc == 0; i++)
        rc = print_row(set, rows[i].title, rows[i].text, err);
    return rc;
}

int gcal_explain_compare_print(const struct gcal_explain_set *set, struct gcal_error *err)
{
    static const struct row head[] = { { "kernel", kernel_text },
                                       { "sizes", sizes_text },
                                       { "work-group", group_text },
                                       { "node", node_text },
                                       { "device", device_text },
                                       { "time", time_text },
                                       { "limited by", limit_text } },
                            tail[] = { { "occupancy", occupancy_text },
                                       { "waves", waves_text } };
    int rc = 0;

    for (size_t i = 0; i < sizeof(head) / sizeof(*head) && rc == 0; i++)
        rc = print_row(set, head[i].title, head[i].text, err);
    if (rc == 0)
        print_limit_rows(set);
    for (size_t i = 0; i < sizeof(tail) / sizeof(*tail) && rc == 0; i++)
        rc = print_row(set, tail[i].title, tail[i].text, err);
    printf("differences, by what each limit adds to the time:\n");
    for (size_t i = 1; i < set->n_cases && rc == 0; i++)
        print_difference(set, i);
    return rc == 0 ? print_steps(set, err) : rc;
}

json_t *gcal_explain_difference_json(const struct gcal_explain_case *first,
                                     const struct gcal_explain_case *other)
{
    struct part parts[2 * GCAL_ROOFS_MAX];
    size_t n = find_parts(first, other, parts);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "limit", parts[i].name,
                                              "more_s", parts[i].more_s));
    return json_pack("{s:f, s:o}", "more_s", other->limits.time_s - first->limits.time_s,
                     "limits", list);
}
