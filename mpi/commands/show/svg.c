/* svg.c - gpucal show --svg: the rates of devices against those of their types
 *
 * A row for each rate, latency and cost that the calibration found: a tick for every device of
 * the type, and a dot for the device, relative to the median of the type; to the right is
 * faster.  Standard errors are left out: most of them is the misfit of the model, which all
 * devices of a type share.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/median.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/svg.h"
#include "mpi/commands/show/private.h"
#include "store/files/store.h"

enum { WIDTH = 1060, LEFT = 500, RIGHT = 120, HEAD = 56, ROW = 20, FOOT = 40 };

/* Half of the axis at least, relative. */
#define LEAST_SPAN 0.05

static const char style[] =
    ".title{font-weight:bold;font-size:14px}.other{stroke:#767676}"
    ".row{stroke:#ddd}.axis{stroke:#999;stroke-dasharray:2 3}";

struct drawn {
    const char *node, *uid, *name, *type;
    json_t *facts;
    bool wanted; /* has a section */
};

struct drawing {
    const struct gcal_show_query *query;
    size_t n, capacity;
    struct drawn *items;
    struct gcal_buf out;
    double top; /* of the next section */
};

/* ---- reading ---- */

/* Devices of a type share their parameters, but for a factor: what tells them apart are the
 * estimates of each device alone, where its measurements determine them.
 */
static void take_own_estimates(struct gcal_params_device *device)
{
    for (size_t i = 0; i < device->n_models; i++) {
        struct gcal_params_model *m = &device->models[i];

        for (size_t k = 0; k < m->n_parameters; k++)
            if (isfinite(m->own[k]))
                m->value[k] = m->own[k];
            else if (strcmp(m->unit[k], "s") == 0)
                m->value[k] *= m->factor;
        m->factor = 1;
    }
}

static void release_facts(void *facts)
{
    json_decref(facts);
}

static int read_all(struct drawing *d, struct gcal_error *err)
{
    const struct gcal_show_query *q = d->query;
    char **nodes = NULL;
    size_t n = 0;

    if (gcal_store_nodes(q->store, &nodes, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool wanted = !q->nodes || fnmatch(q->nodes, nodes[i], 0) == 0;
        struct gcal_params params = { 0 };
        struct gcal_error why = { 0 };

        if (gcal_store_load(q->store, nodes[i], NULL, &params, &why) < 0)
            gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", nodes[i], why.text);
        for (size_t k = 0; k < params.n_devices; k++) {
            take_own_estimates(&params.devices[k]);
            d->items = gcal_arena_grow(q->arena, d->items, d->n, &d->capacity,
                                       sizeof(*d->items));
            d->items[d->n++] = (struct drawn){
                .node = gcal_arena_strdup(q->arena, nodes[i]),
                .uid = gcal_arena_strdup(q->arena, params.devices[k].info.uid),
                .name = gcal_arena_strdup(q->arena, params.devices[k].info.name),
                .type = gcal_arena_strdup(q->arena, params.devices[k].info.type),
                .facts = gcal_arena_own(q->arena, gcal_facts_json(&params.devices[k]),
                                        release_facts),
                .wanted = wanted &&
                          (!q->device ||
                           gcal_device_info_matches(&params.devices[k].info, q->device))
            };
        }
        gcal_params_clear(&params);
    }
    gcal_strings_free(nodes, n);
    return 0;
}

/* ---- a fact ---- */

/* Capacities and shares are no speeds. */
static bool is_speed(const json_t *fact)
{
    const char *unit = json_string_value(json_object_get(fact, "unit"));
    size_t length = unit ? strlen(unit) : 0;

    return length && (strcmp(unit, "s") == 0 ||
                      (length > 2 && strcmp(unit + length - 2, "/s") == 0));
}

static double number_of(const struct drawn *one, const char *fact, const char *key)
{
    const json_t *value = json_object_get(json_object_get(one->facts, fact), key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Of the devices of the type; 'values' has room for all devices. */
static double median_of(const struct drawing *d, const char *type, const char *fact,
                        double *values, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < d->n; i++) {
        double value = number_of(&d->items[i], fact, "value");

        if (strcmp(d->items[i].type, type) == 0 && value > 0)
            values[(*n)++] = value;
    }
    return gcal_median(values, *n);
}

/* Relative to the median, so that more is better: of a latency or a cost, the inverse. */
static double relative(double value, double median, const char *unit)
{
    return strcmp(unit, "s") == 0 ? median / value : value / median;
}

/* ---- drawing ---- */

static double x_of(double ratio, double span)
{
    double share = (ratio - 1 + span) / (2 * span);

    return LEFT + fmin(fmax(share, 0), 1) * (WIDTH - LEFT - RIGHT);
}

static void draw_fact(struct drawing *d, const struct drawn *one, const char *fact,
                      double span, double *values)
{
    const json_t *object = json_object_get(one->facts, fact);
    const char *unit = json_string_value(json_object_get(object, "unit"));
    double value = number_of(one, fact, "value"), y = d->top + 0.5 * ROW;
    char text[GCAL_UNITS_SIZE];
    size_t n;
    double median = median_of(d, one->type, fact, values, &n);
    double ratio = relative(value, median, unit);

    gcal_svg_text(&d->out, LEFT - 10, y + 4, "end",
                  json_string_value(json_object_get(object, "text")));
    gcal_svg_line(&d->out, LEFT, y, WIDTH - RIGHT, y, "row");
    for (size_t i = 0; i < n; i++) {
        double x = x_of(relative(values[i], median, unit), span);

        gcal_svg_line(&d->out, x, y - 6, x, y + 6, "other");
    }
    gcal_svg_dot(&d->out, x_of(ratio, span), y, 4, "#c00");
    gcal_svg_text(&d->out, WIDTH - RIGHT + 10, y + 4, "start",
                  gcal_units(value, unit, text));
    d->top += ROW;
}

/* Half of the axis: all devices of the type are on it. */
static double span_of(const struct drawing *d, const struct drawn *one, double *values)
{
    double span = LEAST_SPAN;
    const char *fact;
    json_t *object;

    json_object_foreach(one->facts, fact, object)
    {
        const char *unit = json_string_value(json_object_get(object, "unit"));
        size_t n = 0;
        double median =
            is_speed(object) ? median_of(d, one->type, fact, values, &n) : NAN;

        for (size_t i = 0; i < n; i++)
            span = fmax(span, fabs(relative(values[i], median, unit) - 1));
    }
    return fmin(1.1 * span, 1);
}

static void draw_device(struct drawing *d, const struct drawn *one, double *values)
{
    double span = span_of(d, one, values), top;
    size_t n = 0;
    const char *fact;
    json_t *object;

    for (size_t i = 0; i < d->n; i++)
        n += strcmp(d->items[i].type, one->type) == 0;
    gcal_svg_text(&d->out, 20, d->top + 24, "title",
                  gcal_arena_format(d->query->arena,
                                    "%s: %s (%s), relative to the median of %zu device%s "
                                    "of its type",
                                    one->node, one->name, one->uid, n,
                                    n == 1 ? "" : "s"));
    top = d->top += HEAD;
    json_object_foreach(one->facts, fact, object)
    {
        if (is_speed(object) && number_of(one, fact, "value") > 0)
            draw_fact(d, one, fact, span, values);
    }
    for (int i = -1; i <= 1; i++) {
        char text[32];

        snprintf(text, sizeof(text), "%+.0f %%", 100 * i * span);
        gcal_svg_line(&d->out, x_of(1 + i * span, span), top - 6,
                      x_of(1 + i * span, span), d->top, "axis");
        gcal_svg_text(&d->out, x_of(1 + i * span, span), top - 10, "middle",
                      i ? text : "median");
    }
    d->top += FOOT;
}

int gcal_show_svg(const struct gcal_show_query *q, const char *path,
                  struct gcal_error *err)
{
    struct drawing d = { .query = q };
    double *values;

    if (read_all(&d, err) < 0)
        return -1;
    values = gcal_arena_alloc(q->arena, d.n, sizeof(*values));
    for (size_t i = 0; i < d.n; i++)
        if (d.items[i].wanted && json_object_size(d.items[i].facts))
            draw_device(&d, &d.items[i], values);
    return d.out.size
               ? gcal_svg_write(path, WIDTH, d.top, style, &d.out, err)
               : gcal_error_set(
                     err, GCAL_EINPUT,
                     "no device that matches has rates of the default calibration");
}
