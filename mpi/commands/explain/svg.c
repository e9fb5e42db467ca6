/* svg.c - an explanation as a drawing: a roofline with points per level, a bar of the time */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "mpi/cli/svg.h"
#include "mpi/commands/explain/private.h"

enum {
    WIDTH = 900,
    LEFT = 80,
    RIGHT = 230, /* for labels of roofs */
    TOP = 50,
    HEIGHT = 360, /* of the roofline */
    ROW = 26,
    BAR_TOP = TOP + HEIGHT + 90,
};

/* Bytes that a pass over the banks moves at most: a word of 4 bytes from each of 32. */
#define PASS_BYTES 128

/* Of what is drawn: relative to the measured rate. */
#define LEAST_RATE 1e-5

static const char *const colours[] = { "#3465a4", "#cc0000", "#4e9a06", "#c17d11",
                                       "#75507b", "#06989a", "#888a85", "#ce5c00",
                                       "#204a87", "#a40000" };
enum { N_COLOURS = sizeof(colours) / sizeof(*colours) };

/* ---- what is drawn ---- */

/* Bytes of one unit of a cost; 0: it moves none. */
static double count_bytes(const struct gcal_explain_cost *cost)
{
    return cost->unit == GCAL_EXPLAIN_BYTES    ? 1
           : cost->unit == GCAL_EXPLAIN_PASSES ? PASS_BYTES
                                               : 0;
}

/* A level that hardly moves bytes would be far off at the right. */
static bool is_drawn(const struct gcal_explain_cost *cost)
{
    return isfinite(cost->peak) && cost->rate > LEAST_RATE * cost->peak &&
           gcal_explain_has_rate(cost) &&
           (count_bytes(cost) > 0 || cost->unit == GCAL_EXPLAIN_OPERATIONS);
}

/* Operations of all classes, per second. */
static double sum_operations(const struct gcal_explain_case *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->limits.n_costs; i++)
        if (c->limits.costs[i].unit == GCAL_EXPLAIN_OPERATIONS &&
            isfinite(c->limits.costs[i].rate))
            sum += c->limits.costs[i].rate;
    return sum;
}

/* Ranges of both axes, as powers of 10. */
struct axes {
    double x0, x1, y0, y1;
};

static void widen(double *low, double *high, double value)
{
    if (!(value > 0) || !isfinite(value))
        return;
    *low = fmin(*low, log10(value) - 0.3);
    *high = fmax(*high, log10(value) + 0.3);
}

/* All points, all rates, and the places where roofs meet the highest rate. */
static bool find_axes(const struct gcal_explain_set *set, struct axes *a)
{
    double top = 0;

    *a = (struct axes){ INFINITY, -INFINITY, INFINITY, -INFINITY };
    for (size_t i = 0; i < set->n_cases; i++) {
        const struct gcal_explain_case *c = set->cases[i];
        double operations = sum_operations(c);

        widen(&a->y0, &a->y1, operations);
        for (size_t k = 0; k < c->limits.n_costs; k++) {
            const struct gcal_explain_cost *cost = &c->limits.costs[k];

            if (!is_drawn(cost))
                continue;
            if (cost->unit == GCAL_EXPLAIN_OPERATIONS) {
                widen(&a->y0, &a->y1, cost->peak);
                top = fmax(top, cost->peak);
            } else
                widen(&a->x0, &a->x1, operations / (cost->rate * count_bytes(cost)));
        }
    }
    for (size_t k = 0; set->n_cases && k < set->cases[0]->limits.n_costs; k++) {
        const struct gcal_explain_cost *cost = &set->cases[0]->limits.costs[k];

        if (is_drawn(cost) && count_bytes(cost) > 0)
            widen(&a->x0, &a->x1, top / (cost->peak * count_bytes(cost)));
    }
    return isfinite(a->x0) && isfinite(a->y0);
}

static double place_x(const struct axes *a, double intensity)
{
    double share = (log10(intensity) - a->x0) / (a->x1 - a->x0);

    return LEFT + fmin(1, fmax(0, share)) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct axes *a, double rate)
{
    double share = (log10(rate) - a->y0) / (a->y1 - a->y0);

    return TOP + HEIGHT - fmin(1, fmax(0, share)) * HEIGHT;
}

/* ---- the roofline ---- */

/* The measured rate of bytes is a slope that ends at the highest rate of operations; number
 * 'n' has its text lower than those before.
 */
static void put_slope(struct gcal_buf *svg, const struct axes *a,
                      const struct gcal_explain_cost *cost, double top, size_t n)
{
    double bytes = count_bytes(cost) * cost->peak;
    double x0 = fmax(pow(10, a->x0), pow(10, a->y0) / bytes);
    double x1 = fmin(pow(10, a->x1), top / bytes);
    double y = top * pow(10, -(a->y1 - a->y0) * (0.05 + 0.06 * (double)n));
    char rate[GCAL_UNITS_SIZE], text[120];

    if (x1 <= x0)
        return;
    gcal_svg_line(svg, place_x(a, x0), place_y(a, x0 * bytes), place_x(a, x1),
                  place_y(a, x1 * bytes), "slope");
    gcal_explain_rate(bytes, GCAL_EXPLAIN_BYTES, rate);
    snprintf(text, sizeof(text), "%.40s %s", cost->parameter, rate);
    gcal_svg_text(svg, place_x(a, y / bytes) + 6, place_y(a, y) + 4, "start", text);
}

/* A level for each rate of operations, a slope for each of bytes. */
static void put_roofs(struct gcal_buf *svg, const struct axes *a,
                      const struct gcal_explain_case *c)
{
    double top = pow(10, a->y1 - 0.3);
    size_t n = 0;

    for (size_t i = 0; i < c->limits.n_costs; i++) {
        const struct gcal_explain_cost *cost = &c->limits.costs[i];
        char rate[GCAL_UNITS_SIZE], text[120];
        double y;

        if (!is_drawn(cost))
            continue;
        if (count_bytes(cost) > 0) {
            put_slope(svg, a, cost, top, n++);
            continue;
        }
        y = place_y(a, cost->peak);
        gcal_svg_line(svg, LEFT, y, WIDTH - RIGHT, y, "level");
        gcal_explain_rate(cost->peak, GCAL_EXPLAIN_OPERATIONS, rate);
        snprintf(text, sizeof(text), "%.40s %s", gcal_explain_cost_words(cost), rate);
        gcal_svg_text(svg, WIDTH - RIGHT + 6, y + 4, "start", text);
    }
}

/* A point for each level that moves bytes. */
static void put_points(struct gcal_buf *svg, const struct axes *a,
                       const struct gcal_explain_case *c, const char *colour, bool named)
{
    double operations = sum_operations(c);
    int n = 0; /* names below each other, as points may coincide */

    for (size_t i = 0; i < c->limits.n_costs; i++) {
        const struct gcal_explain_cost *cost = &c->limits.costs[i];
        double intensity = operations / (cost->rate * count_bytes(cost));

        if (!is_drawn(cost) || !(count_bytes(cost) > 0))
            continue;
        gcal_svg_dot(svg, place_x(a, intensity), place_y(a, operations), 5, colour);
        if (named)
            gcal_svg_text(svg, place_x(a, intensity),
                          place_y(a, operations) + 18 + 12 * (n++ % 4), "middle",
                          cost->parameter);
    }
}

static void put_roofline(struct gcal_buf *svg, const struct gcal_explain_set *set)
{
    struct axes axes;

    if (!find_axes(set, &axes)) {
        gcal_svg_text(
            svg, LEFT, TOP + HEIGHT / 2.0, "start",
            "no roofline: no cost of the model is of bytes and operations that the "
            "kernel has");
        return;
    }
    char text[GCAL_UNITS_SIZE];
    for (double x = ceil(axes.x0); x <= axes.x1; x++) {
        double at = place_x(&axes, pow(10, x));

        gcal_svg_line(svg, at, TOP, at, TOP + HEIGHT, "grid");
        snprintf(text, sizeof(text), "%g", pow(10, x));
        gcal_svg_text(svg, at, TOP + HEIGHT + 18, "middle", text);
    }
    for (double y = ceil(axes.y0); y <= axes.y1; y++) {
        double at = place_y(&axes, pow(10, y));

        gcal_svg_line(svg, LEFT, at, WIDTH - RIGHT, at, "grid");
        gcal_explain_rate(pow(10, y), GCAL_EXPLAIN_OPERATIONS, text);
        gcal_svg_text(svg, LEFT - 6, at + 4, "end", text);
    }
    gcal_svg_text(svg, (LEFT + WIDTH - RIGHT) / 2.0, TOP + HEIGHT + 38, "middle",
                  "operations for each byte");
    put_roofs(svg, &axes, set->cases[0]);
    for (size_t i = 0; i < set->n_cases; i++)
        put_points(svg, &axes, set->cases[i], colours[i % N_COLOURS], i == 0);
}

/* ---- bars ---- */

/* The same colour for a limit in all bars: by its number in the first case's model. */
static const char *choose_colour(const struct gcal_explain_set *set, const char *limit)
{
    const struct gcal_explain_lab *lab = set->cases[0]->lab;
    size_t i = 0;

    while (i < lab->n_roofs && strcmp(lab->names[i + 1], limit) != 0)
        i++;
    return colours[i % N_COLOURS];
}

/* What each limit adds, one after the other. */
static void put_bar(struct gcal_buf *svg, const struct gcal_explain_set *set,
                    const struct gcal_explain_case *c, double y, double scale)
{
    double x = LEFT;

    for (size_t i = 0; i < c->limits.n_limits; i++) {
        const struct gcal_explain_limit *l = &c->limits.limits[i];
        double width = fmax(0, l->adds_s) * scale;
        char title[120], time[GCAL_UNITS_SIZE];

        snprintf(title, sizeof(title), "%.40s adds %s, %.1f %%", l->name,
                 gcal_units(l->adds_s, "s", time), 100 * l->adds_s / c->limits.time_s);
        gcal_svg_box(svg, x, y, width, ROW - 8, choose_colour(set, l->name), 0.85, title);
        if (width > 50)
            gcal_svg_text(svg, x + 4, y + 13, "start", l->name);
        x += width;
    }
}

static double put_bars(struct gcal_buf *svg, const struct gcal_explain_set *set)
{
    double y = BAR_TOP, longest = 0;

    for (size_t i = 0; i < set->n_cases; i++)
        longest = fmax(longest, set->cases[i]->limits.time_s);
    gcal_svg_text(svg, LEFT, y - 12, "start", "what each limit adds to the time");
    for (size_t i = 0; i < set->n_cases; i++, y += 2 * ROW) {
        const struct gcal_explain_case *c = set->cases[i];
        char time[GCAL_UNITS_SIZE];

        gcal_svg_dot(svg, LEFT - 16, y + 9, 5, colours[i % N_COLOURS]);
        gcal_svg_text(svg, LEFT, y + 13, "start",
                      gcal_arena_format(c->arena, "%s %s, %s: %s",
                                        c->subject->target.profile->kernel, c->point,
                                        c->subject->published.device->info.name,
                                        gcal_units(c->limits.time_s, "s", time)));
        put_bar(svg, set, c, y + ROW - 6, (WIDTH - LEFT - 20) / longest);
    }
    return y;
}

/* A colour and what it is of; returns where the next one is. */
static double put_key(struct gcal_buf *svg, double x, double y, const char *colour,
                      const char *name)
{
    gcal_svg_box(svg, x, y, 12, 12, colour, 0.85, name);
    gcal_svg_text(svg, x + 16, y + 11, "start", name);
    return x + 30 + 7 * (double)strlen(name);
}

/* The colours of limits, for bars that are too short for names. */
static double put_legend(struct gcal_buf *svg, const struct gcal_explain_set *set,
                         double y)
{
    const struct gcal_explain_limits *l = &set->cases[0]->limits;
    double x = LEFT;

    for (size_t i = 0; i < l->n_limits; i++) {
        const char *name = l->limits[i].name;

        x = put_key(svg, x, y, choose_colour(set, name), name);
    }
    return y + ROW;
}

/* Of one case: what each limit takes alone, and the part that is not hidden. */
static double put_limits(struct gcal_buf *svg, const struct gcal_explain_set *set,
                         double y)
{
    const struct gcal_explain_limits *l = &set->cases[0]->limits;
    double longest = l->time_s;

    for (size_t i = 0; i < l->n_limits; i++)
        longest = fmax(longest, l->limits[i].alone_s);
    gcal_svg_text(svg, LEFT, y + 22, "start",
                  "each limit alone (pale), and what it adds");
    y += ROW + 6;
    for (size_t i = 0; i < l->n_limits; i++) {
        const struct gcal_explain_limit *one = &l->limits[i];
        double scale = (WIDTH - LEFT - 110) / longest;
        char time[GCAL_UNITS_SIZE];

        if (!(one->alone_s > 0))
            continue;
        gcal_svg_text(svg, LEFT - 6, y + 13, "end", one->name);
        gcal_svg_box(svg, LEFT, y, one->alone_s * scale, ROW - 8,
                     choose_colour(set, one->name), 0.35, "alone");
        gcal_svg_box(svg, LEFT, y, fmax(0, one->adds_s) * scale, ROW - 8,
                     choose_colour(set, one->name), 0.85, "adds");
        gcal_svg_text(svg, LEFT + one->alone_s * scale + 6, y + 13, "start",
                      gcal_units(one->alone_s, "s", time));
        y += ROW;
    }
    return y;
}

/* ---- steps ---- */

static const char *const part_colours[GCAL_EXPLAIN_STEP_PARTS] = { "#729fcf", "#f57900",
                                                                   "#8ae234" };

static double put_part(struct gcal_buf *svg, const struct gcal_explain_step *s,
                       enum gcal_explain_step_name part, double x, double y,
                       double height, double scale)
{
    double time_s = s->parts_s[part], width = time_s * scale;
    char title[120], time[GCAL_UNITS_SIZE];

    snprintf(title, sizeof(title), "%s: %s, %.1f %% of the step",
             gcal_explain_step_parts[part], gcal_units(time_s, "s", time),
             100 * time_s / s->step.time_s);
    gcal_svg_box(svg, x, y, width, height, part_colours[part], 0.85, title);
    if (width > 150 && height > 12)
        gcal_svg_text(svg, x + 4, y + 13, "start", gcal_explain_step_parts[part]);
    return width;
}

/* One after the other; below, each from the start of a repeated step, which ends at the line. */
static double put_step(struct gcal_buf *svg, const struct gcal_explain_set *set,
                       const struct gcal_explain_case *c, double y, double scale)
{
    const struct gcal_explain_step *s = &c->step;
    char text[160], time[GCAL_UNITS_SIZE], each[GCAL_UNITS_SIZE];
    double x = LEFT;

    snprintf(text, sizeof(text), "step %s%s%s", gcal_units(s->step.time_s, "s", time),
             isnan(s->step.overlapped_s) ? "" : "; repeated, copies beside kernels: ",
             isnan(s->step.overlapped_s) ? ""
                                         : gcal_units(s->step.overlapped_s, "s", each));
    if (set->n_cases > 1)
        for (size_t i = 0; i < set->n_cases; i++)
            if (set->cases[i] == c)
                gcal_svg_dot(svg, LEFT - 16, y + 9, 5, colours[i % N_COLOURS]);
    gcal_svg_text(svg, LEFT, y + 13, "start", text);
    y += ROW - 6;
    for (int i = 0; i < GCAL_EXPLAIN_STEP_PARTS; i++)
        x += put_part(svg, s, (enum gcal_explain_step_name)i, x, y, ROW - 8, scale);
    y += ROW - 4;
    if (isnan(s->step.overlapped_s))
        return y;
    for (int i = 0; i < GCAL_EXPLAIN_STEP_PARTS; i++) {
        /* Copies back end with all copies. */
        double begin = i == GCAL_EXPLAIN_STEP_OUT ? s->step.copies_s - s->step.out_s : 0;

        put_part(svg, s, (enum gcal_explain_step_name)i, LEFT + begin * scale, y + 7 * i,
                 6, scale);
    }
    x = LEFT + s->step.overlapped_s * scale;
    gcal_svg_line(svg, x, y - 2, x, y + 23, "total");
    return y + ROW + 6;
}

static double put_steps(struct gcal_buf *svg, const struct gcal_explain_set *set,
                        double y)
{
    double longest = 0, x = LEFT;

    if (!set->cases[0]->plan)
        return y;
    for (size_t i = 0; i < set->n_cases; i++)
        longest = fmax(longest, set->cases[i]->step.step.time_s);
    y += ROW;
    for (int i = 0; i < GCAL_EXPLAIN_STEP_PARTS; i++)
        x = put_key(svg, x, y, part_colours[i], gcal_explain_step_parts[i]);
    y += ROW;
    for (size_t i = 0; i < set->n_cases; i++)
        y = put_step(svg, set, set->cases[i], y, (WIDTH - LEFT - 20) / longest);
    return y;
}

int gcal_explain_svg(const char *path, const struct gcal_explain_set *set,
                     struct gcal_error *err)
{
    static const char style[] =
        "line{stroke-width:1.5}.grid{stroke:#d3d7cf;stroke-width:1}.slope{stroke:#555753}"
        ".level{stroke:#babdb6}.total{stroke:#2e3436}";
    struct gcal_buf body = { 0 };
    double height;

    gcal_svg_text(&body, LEFT, 28, "start", set->cases[0]->sentence);
    put_roofline(&body, set);
    height = put_bars(&body, set);
    height = set->n_cases == 1 ? put_limits(&body, set, height)
                               : put_legend(&body, set, height);
    height = put_steps(&body, set, height);
    return gcal_svg_write(path, WIDTH, height + 20, style, &body, err);
}
