/* compare.c - several cases side by side, and what makes one slower than another */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

/* Parts of a difference that are listed: at least this share of the first case's time. */
#define LEAST_PART 0.005

static const struct gcal_explain_limit *find_limit(const struct gcal_explain_case *c,
                                                   const char *name)
{
    for (size_t i = 0; i < c->limits.n_limits; i++)
        if (strcmp(c->limits.limits[i].name, name) == 0)
            return &c->limits.limits[i];
    return NULL;
}

/* What a limit of that name adds in a case; 0: it has none. */
static double find_part(const struct gcal_explain_case *c, const char *name)
{
    const struct gcal_explain_limit *limit = find_limit(c, name);

    return limit ? limit->adds_s : 0;
}

/* ---- columns ---- */

enum { WIDTH = 22 };

enum row {
    KERNEL,
    SIZES,
    WORK_GROUP,
    NODE,
    DEVICE,
    TIME,
    LIMITED_BY, /* the rows of limits follow */
    OCCUPANCY,
    WAVES,
    COPIES_IN, /* of steps */
    KERNEL_PART,
    COPIES_OUT,
    STEP,
    OVERLAPPED,
};

static const char *const titles[] = { "kernel", "sizes",     "work-group", "node",
                                      "device", "time",      "limited by", "occupancy",
                                      "waves",  "copies in", "kernel",     "copies out",
                                      "step",   "overlapped" };

static const char *format_cell(const struct gcal_explain_case *c, enum row row)
{
    const struct gcal_explain_occupancy *o = &c->occupancy;
    const struct gcal_profile *p = c->subject->target.profile;
    const struct gcal_explain_step *s = &c->step;
    const char *text = "";
    char number[GCAL_UNITS_SIZE];

    switch (row) {
    case KERNEL:
        return p->kernel;
    case SIZES:
        return c->point;
    case WORK_GROUP:
        for (size_t d = 0; d < p->n_dims; d++)
            text = gcal_arena_format(c->arena, "%s%s%zu", text, d ? "x" : "",
                                     p->local_size[d]);
        return text;
    case NODE:
        return c->subject->published.params.node;
    case DEVICE:
        return c->subject->published.device->info.name;
    case TIME:
        return gcal_arena_strdup(c->arena, gcal_units(c->limits.time_s, "s", number));
    case LIMITED_BY:
        return c->limits.n_limits ? c->limits.limits[0].name : "-";
    case OCCUPANCY:
        return o->known ? gcal_arena_format(c->arena, "%.0f %% (%.4g groups)",
                                            100 * o->achieved, o->resident)
                        : "-";
    case WAVES:
        return o->known ? gcal_arena_format(c->arena, "%.4g", o->waves) : "-";
    case COPIES_IN:
    case KERNEL_PART:
    case COPIES_OUT:
        return gcal_arena_format(c->arena, "%s %5.1f %%",
                                 gcal_units(s->parts_s[row - COPIES_IN], "s", number),
                                 100 * s->parts_s[row - COPIES_IN] / s->step.time_s);
    case STEP:
        return gcal_arena_strdup(c->arena, gcal_units(s->step.time_s, "s", number));
    case OVERLAPPED:
        break;
    }
    return isnan(s->step.overlapped_s)
               ? "-"
               : gcal_arena_format(c->arena, "%s %+.1f %%",
                                   gcal_units(s->step.overlapped_s, "s", number),
                                   100 * (s->step.overlapped_s / s->step.time_s - 1));
}

static void print_rows(const struct gcal_explain_set *set, enum row first, enum row last)
{
    for (enum row row = first; row <= last; row++) {
        printf("%-12s", titles[row]);
        for (size_t i = 0; i < set->n_cases; i++)
            printf(" %*.*s", WIDTH, WIDTH, format_cell(set->cases[i], row));
        printf("\n");
    }
}

static void print_limit_row(const struct gcal_explain_set *set, const char *limit)
{
    printf("%-12.12s", limit);
    for (size_t i = 0; i < set->n_cases; i++) {
        const struct gcal_explain_case *c = set->cases[i];
        double part_s = find_part(c, limit);
        char text[GCAL_UNITS_SIZE];

        printf(" %*s %5.1f %%", WIDTH - 8, gcal_units(part_s, "s", text),
               100 * part_s / c->limits.time_s);
    }
    printf("\n");
}

/* ---- differences ---- */

/* The case that case i is compared with. */
static size_t find_base(const struct gcal_explain_set *set, size_t i)
{
    const struct gcal_explain_case *c = set->cases[i];
    const struct gcal_profile *p = c->subject->target.profile;

    for (size_t k = 0; k < i; k++) {
        const struct gcal_explain_case *other = set->cases[k];
        const struct gcal_profile *q = other->subject->target.profile;

        if (other->lab->device != c->lab->device && strcmp(p->kernel, q->kernel) == 0 &&
            p->n_parameters == q->n_parameters &&
            (!p->n_parameters ||
             memcmp(c->sizes, other->sizes, p->n_parameters * sizeof(*c->sizes)) == 0))
            return k;
    }
    return 0;
}

struct part {
    const char *name;
    double more_s; /* than in the first case */
};

static int compare_parts(const void *a, const void *b)
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
        const struct gcal_explain_limit *limit = &first->limits.limits[i];

        parts[n++] =
            (struct part){ limit->name, find_part(other, limit->name) - limit->adds_s };
    }
    for (size_t i = 0; i < other->limits.n_limits; i++) {
        const struct gcal_explain_limit *limit = &other->limits.limits[i];

        if (!find_limit(first, limit->name))
            parts[n++] = (struct part){ limit->name, limit->adds_s };
    }
    qsort(parts, n, sizeof(*parts), compare_parts);
    return n;
}

/* The costs of the first case with another value in the other: of other devices. */
static void print_costs(const struct gcal_explain_case *first,
                        const struct gcal_explain_case *other)
{
    int n = 0;

    for (size_t i = 0; i < first->limits.n_costs && n < 4; i++) {
        const struct gcal_explain_cost *cost = &first->limits.costs[i];
        double ratio = NAN;

        for (size_t k = 0; k < other->limits.n_costs; k++)
            if (strcmp(other->limits.costs[k].parameter, cost->parameter) == 0 &&
                strcmp(other->limits.costs[k].counted, cost->counted) == 0)
                ratio = other->limits.costs[k].cost_s / cost->cost_s;
        if (cost->adds_s < 0.02 * first->limits.time_s || !isfinite(ratio) ||
            fabs(ratio - 1) < 0.002)
            continue;
        printf("%s %s %+.1f %%",
               n++ ? "," : "; costs:", gcal_explain_cost_name(first->arena, cost),
               100 * (ratio - 1));
    }
}

static void print_difference(const struct gcal_explain_set *set, size_t number)
{
    size_t base = find_base(set, number);
    const struct gcal_explain_case *first = set->cases[base], *other = set->cases[number];
    struct part parts[2 * GCAL_ROOFS_MAX];
    size_t n = find_parts(first, other, parts);
    double before = first->limits.time_s, more = other->limits.time_s - before;
    char text[GCAL_UNITS_SIZE];
    const char *separator = ":";

    printf("column %zu beside %zu: %+.1f %%", number + 1, base + 1, 100 * more / before);
    for (size_t i = 0; i < n; i++)
        if (fabs(parts[i].more_s) >= LEAST_PART * before) {
            printf("%s %s %c%s", separator, parts[i].name,
                   parts[i].more_s < 0 ? '-' : '+',
                   gcal_units(fabs(parts[i].more_s), "s", text));
            separator = ",";
        }
    print_costs(first, other);
    printf("\n");
}

void gcal_explain_compare_print(const struct gcal_explain_set *set)
{
    print_rows(set, KERNEL, LIMITED_BY);
    /* Of all cases, each once. */
    for (size_t i = 0; i < set->n_cases; i++)
        for (size_t k = 0; k < set->cases[i]->limits.n_limits; k++) {
            const char *limit = set->cases[i]->limits.limits[k].name;
            size_t first = 0;

            while (!find_limit(set->cases[first], limit))
                first++;
            if (first == i)
                print_limit_row(set, limit);
        }
    print_rows(set, OCCUPANCY, WAVES);
    printf("differences, by what each limit adds to the time:\n");
    for (size_t i = 1; i < set->n_cases; i++)
        print_difference(set, i);
    if (!set->cases[0]->plan)
        return;
    puts("steps of copies and kernel:");
    print_rows(set, COPIES_IN, OVERLAPPED);
}

json_t *gcal_explain_difference_json(const struct gcal_explain_set *set, size_t i)
{
    size_t base = find_base(set, i);
    const struct gcal_explain_case *first = set->cases[base], *other = set->cases[i];
    struct part parts[2 * GCAL_ROOFS_MAX];
    size_t n = find_parts(first, other, parts);
    json_t *list = json_array();

    for (size_t k = 0; k < n; k++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "limit", parts[k].name,
                                              "more_s", parts[k].more_s));
    return json_pack("{s:f, s:o, s:I}", "more_s",
                     other->limits.time_s - first->limits.time_s, "limits", list,
                     "number", (json_int_t)base);
}
