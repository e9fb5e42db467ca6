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

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/median.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/svg.h"
#include "mpi/commands/show/facts.h"
#include "mpi/commands/show/private.h"
#include "store/files/store.h"

enum { WIDTH = 1060, LEFT = 500, RIGHT = 120, HEAD = 56, ROW = 20, FOOT = 40 };

/* Half of the axis at least, relative. */
#define LEAST_SPAN 0.05

static const char style[] =
    ".title{font-weight:bold;font-size:14px}.other{stroke:#767676}"
    ".row{stroke:#ddd}.axis{stroke:#999;stroke-dasharray:2 3}";

struct drawn {
    char *node, *uid, *name, *type;
    json_t *facts;
    bool wanted; /* has a section */
};

struct drawing {
    const struct gcal_show_svg_options *options;
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

static int add(struct drawing *d, const char *node, bool wanted,
               const struct gcal_params_device *device, struct gcal_error *err)
{
    struct drawn *items =
        gcal_array_grow(d->items, d->n, &d->capacity, sizeof(*items), err);
    struct drawn *one;

    if (!items)
        return -1;
    d->items = items;
    one = &items[d->n++];
    *one = (struct drawn){ .node = strdup(node),
                           .uid = strdup(device->info.uid),
                           .name = strdup(device->info.name),
                           .type = strdup(device->info.type),
                           .facts = gcal_facts_json(device) };
    one->wanted = wanted && (!d->options->device ||
                             gcal_device_info_matches(&device->info, d->options->device));
    return one->node && one->uid && one->name && one->type && one->facts
               ? 0
               : gcal_error_memory(err);
}

static int read_node(struct drawing *d, const struct gcal_store *store, const char *node,
                     struct gcal_error *err)
{
    bool wanted = !d->options->nodes || fnmatch(d->options->nodes, node, 0) == 0;
    struct gcal_params params = { 0 };
    struct gcal_error why = { 0 };
    int rc = 0;

    if (gcal_store_load(store, node, NULL, &params, &why) < 0)
        gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", node, why.text);
    for (size_t i = 0; i < params.n_devices && rc == 0; i++) {
        take_own_estimates(&params.devices[i]);
        rc = add(d, node, wanted, &params.devices[i], err);
    }
    gcal_params_clear(&params);
    return rc;
}

static int read_all(struct drawing *d, const struct gcal_store *store,
                    struct gcal_error *err)
{
    char **nodes = NULL;
    size_t n = 0;
    int rc = gcal_store_nodes(store, &nodes, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = read_node(d, store, nodes[i], err);
    gcal_strings_free(nodes, n);
    return rc;
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

static size_t count_type(const struct drawing *d, const char *type)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += strcmp(d->items[i].type, type) == 0;
    return n;
}

static void draw_device(struct drawing *d, const struct drawn *one, double *values)
{
    double span = span_of(d, one, values), top;
    char *title =
        gcal_buf_format("%s: %s (%s), relative to the median of %zu device%s "
                        "of its type",
                        one->node, one->name, one->uid, count_type(d, one->type),
                        count_type(d, one->type) == 1 ? "" : "s");
    const char *fact;
    json_t *object;

    gcal_svg_text(&d->out, 20, d->top + 24, "title", title ? title : "");
    free(title);
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

/* Returns the number of devices that have a section. */
static size_t draw_all(struct drawing *d, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].wanted && json_object_size(d->items[i].facts)) {
            draw_device(d, &d->items[i], values);
            n++;
        }
    return n;
}

static void clear(struct drawing *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->items[i].node);
        free(d->items[i].uid);
        free(d->items[i].name);
        free(d->items[i].type);
        json_decref(d->items[i].facts);
    }
    free(d->items);
    gcal_buf_free(&d->out);
}

int gcal_show_svg(const struct gcal_store *store, const char *path,
                  const struct gcal_show_svg_options *options, struct gcal_error *err)
{
    struct drawing d = { .options = options };
    double *values = NULL;
    int rc = read_all(&d, store, err);

    if (rc == 0 && !(values = calloc(d.n + 1, sizeof(*values))))
        rc = gcal_error_memory(err);
    if (rc == 0 && !draw_all(&d, values))
        rc =
            gcal_error_set(err, GCAL_EINPUT,
                           "no device that matches has rates of the default calibration");
    if (rc == 0)
        rc = gcal_svg_write(path, WIDTH, d.top, style, &d.out, err);
    free(values);
    clear(&d);
    return rc;
}
