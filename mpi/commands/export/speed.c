/* speed.c - costs of all nodes read from the store, and compared */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/commands/export/speed.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "mpi/commands/export/export.h"
#include "store/facts/facts.h"
#include "store/files/store.h"
#include "store/ledger/track.h"
#include "store/predict/predictor.h"

/* ---- the speed of a device that its calibrations have confirmed
 *
 * One calibration is as noisy as it is: what is said of a node follows the calibrations of its
 * devices that agree.  x is the mean of the logarithms of a device's costs.  A calibration
 * whose x is within the margin of the settled value is averaged into it; another one replaces
 * it if the next calibration confirms it, and has no effect else.
 */

/* Changes below the margin are noise: two standard errors, and at least this. */
#define LEAST_MARGIN 0.02

/* A calibration of the device. */
struct calibration {
    double x, margin;
};

static size_t find_column(const struct gcal_track_columns *columns,
                          const struct gcal_track_column *wanted)
{
    size_t i = 0;

    while (i < columns->n &&
           !(strcmp(columns->column[i].model, wanted->model) == 0 &&
             strcmp(columns->column[i].form, wanted->form) == 0 &&
             strcmp(columns->column[i].parameter, wanted->parameter) == 0 &&
             strcmp(columns->column[i].configuration, wanted->configuration) == 0))
        i++;
    return i;
}

/* Returns whether the newest run knows the cost well, and 'run' has it, too: at '*at'. */
static bool have_both(const struct gcal_track_run *newest, size_t i,
                      const struct gcal_track_run *run, size_t *at)
{
    if (strcmp(newest->columns->column[i].unit, "s") != 0 || !(newest->value[i] > 0) ||
        !(newest->error[i] < 0.2 * newest->value[i]))
        return false;
    *at = find_column(run->columns, &newest->columns->column[i]);
    return *at < run->columns->n && run->value[*at] > 0 && isfinite(run->error[*at]);
}

/* Over the costs that it shares with the newest run, relative to that; false if these are too
 * few to compare them.
 */
static bool summarize(const struct gcal_track_run *newest,
                      const struct gcal_track_run *run, struct calibration *c)
{
    double sum = 0, squares = 0;
    size_t n = 0, n_newest = 0, at = 0;

    for (size_t i = 0; i < newest->columns->n; i++) {
        n_newest += have_both(newest, i, newest, &at);
        if (!have_both(newest, i, run, &at))
            continue;
        sum += log(run->value[at] / newest->value[i]);
        squares += pow(run->error[at] / run->value[at], 2);
        n++;
    }
    if (!n || 2 * n < n_newest)
        return false;
    /* Errors are mostly the model's misfit, the same in each run. */
    c->x = sum / (double)n;
    c->margin = fmax(LEAST_MARGIN, 2 * sqrt(squares) / (double)n);
    return true;
}

static bool is_comparable(const struct gcal_track_run *newest,
                          const struct gcal_track_run *run)
{
    return strcmp(newest->uid, run->uid) == 0 &&
           strcmp(newest->driver, run->driver) == 0 &&
           strcmp(newest->catalogue, run->catalogue) == 0;
}

static const struct gcal_track_run *find_newest(const struct gcal_track *track,
                                                const char *uid)
{
    for (size_t i = track->n_runs; i-- > 0;)
        if (strcmp(track->runs[i].uid, uid) == 0)
            return &track->runs[i];
    return NULL;
}

/* The settled x; that of the newest run is 0. */
static double settle(const struct gcal_track *track, const struct gcal_track_run *newest)
{
    struct calibration c, waiting = { NAN, 0 };
    double settled = NAN, n = 0;

    for (size_t i = 0; i < track->n_runs; i++) {
        if (!is_comparable(newest, &track->runs[i]) ||
            !summarize(newest, &track->runs[i], &c))
            continue;
        if (isnan(settled) || fabs(c.x - settled) <= c.margin) {
            settled = n ? (n * settled + c.x) / (n + 1) : c.x;
            n++;
            waiting.x = NAN;
        } else if (fabs(c.x - waiting.x) <= c.margin) {
            /* false for NaN */
            settled = (c.x + waiting.x) / 2;
            n = 2;
            waiting.x = NAN;
        } else {
            waiting = c;
        }
    }
    return settled;
}

/* ---- reading the store ---- */

/* The run and time of the model that predicts; of a device without any, its costs are unknown.
 * 1 with 'err': none of those that it has may be chosen, as they are poor.
 */
static int find_costs(const struct gcal_export *e, const char *node,
                      struct gcal_params_device *from, struct gcal_strings *names,
                      struct gcal_export_speed_device *d, struct gcal_error *err)
{
    static const struct gcal_params_model none = { 0 };
    const struct gcal_profile *first = e->n_kernels ? e->kernels[0].profile : NULL;
    const struct gcal_params_model *model = NULL;
    struct gcal_params_origin origin;

    for (size_t i = 0; i < e->n_kernels && from->n_models; i++) {
        const struct gcal_profile *profile = gcal_profile_set_find(
            &e->kernels[i].counted, (double)from->info.sub_group_size, err);

        if (!profile || gcal_export_add_learned(e, node, profile, from, err) < 0)
            return 1;
    }
    if (from->n_models &&
        !(model = gcal_predictor_choose(from, e->model, e->n_kernels > 0, &first, err)))
        return 1;
    origin = gcal_params_model_origin(from, model ? model : &none);
    d->uid = gcal_arena_strdup(e->arena, from->info.uid);
    d->name = gcal_arena_strdup(e->arena, from->info.name);
    d->type = gcal_arena_strdup(e->arena, from->info.type);
    d->is_gpu = strcmp(from->info.device_type, "gpu") == 0;
    d->utc = gcal_arena_strdup(e->arena, origin.calibrated_utc);
    d->run_id = gcal_arena_strdup(e->arena, origin.run_id);
    d->is_alone = model && origin.n_fitted == 1;
    if (model && model->factor > 0)
        d->error = model->factor_error / model->factor;
    return model ? gcal_export_costs_find(e, from, names, &d->costs, err) : 0;
}

/* 1 with 'err': the node's file cannot be read, or has no model for this. */
static int add_device(const struct gcal_export *e, struct gcal_params_index *index,
                      size_t i, struct gcal_strings *names,
                      struct gcal_export_speed_node *node, struct gcal_error *err)
{
    const struct gcal_export any = { 0 };
    struct gcal_params_device from = { 0 }, general = { 0 };
    struct gcal_export_speed_device *d;
    int rc = 1;

    node->devices = gcal_arena_grow(e->arena, node->devices, node->n_devices,
                                    &node->capacity, sizeof(*node->devices));
    d = &node->devices[node->n_devices++];
    *d = (struct gcal_export_speed_device){ .speed = NAN, .settled = 1 };
    /* Rates are facts of the general model, whichever model the speed is by. */
    if (gcal_export_models(e, index, i, &from, err) == 0 &&
        gcal_export_models(&any, index, i, &general, err) == 0) {
        d->memory_bytes_per_s = gcal_facts_value(&general, "rate_dram");
        d->fp32_flop_per_s = gcal_facts_value(&general, "rate_fp32");
        rc = find_costs(e, node->name, &from, names, d, err);
    }
    if (rc)
        gcal_error_prefix(err, "%s on node %s",
                          gcal_params_index_devices(index)->devices[i].info.name,
                          node->name);
    gcal_params_index_models_clear(&general);
    gcal_params_index_models_clear(&from);
    return rc;
}

/* As add_device(). */
static int read_node(const struct gcal_export *e, const char *name,
                     struct gcal_strings *names, struct gcal_export_speed_node *node,
                     struct gcal_error *err)
{
    struct gcal_params_index *index = gcal_store_load_index(e->store, name, NULL, err);
    const struct gcal_params *params;
    struct gcal_track track = { 0 };
    struct gcal_error why = { 0 };
    int rc = 0;

    if (!index)
        return 1;
    *node = (struct gcal_export_speed_node){ .name = gcal_arena_strdup(e->arena, name),
                                             .speed = NAN,
                                             .settled = NAN };
    params = gcal_params_index_devices(index);
    for (size_t i = 0; i < params->n_devices && rc == 0; i++)
        if (gcal_export_matches(e, &params->devices[i]))
            rc = add_device(e, index, i, names, node, err);
    gcal_params_index_destroy(index);
    if (rc)
        return rc;
    /* Without a track that can be read, the newest calibration counts. */
    if (gcal_track_load(e->store, node->name, &track, &why) < 0)
        gcal_log(GCAL_LOG_WARN, "node %s: its earlier calibrations do not count: %s",
                 node->name, why.text);
    for (size_t i = 0; i < node->n_devices; i++) {
        /* The speed of a device that its calibrations have confirmed, over that of the newest one. */
        const struct gcal_track_run *newest = find_newest(&track, node->devices[i].uid);
        double x = newest ? settle(&track, newest) : 0;

        node->devices[i].settled = isfinite(x) ? exp(-x) : 1;
    }
    gcal_track_clear(&track);
    return 0;
}

/* A node whose file cannot be read, or has no model for this, is left out, with a warning; if all
 * are, that is the error.
 */
static int read_nodes(const struct gcal_export *e, struct gcal_export_speeds *s,
                      struct gcal_error *err)
{
    char **names;
    size_t count, n_unreadable = 0;

    if (gcal_export_nodes(e, &names, &count, err) < 0)
        return -1;
    s->nodes = gcal_arena_alloc(e->arena, count, sizeof(*s->nodes));
    for (size_t i = 0; i < count; i++) {
        struct gcal_export_speed_node *node = &s->nodes[s->n_nodes];
        int rc = read_node(e, names[i], &s->costs, node, err);

        if (rc < 0 || (rc > 0 && ++n_unreadable == count))
            return -1;
        if (rc > 0)
            gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", names[i], err->text);
        s->n_nodes += rc == 0 && node->n_devices;
    }
    return 0;
}

/* ---- comparing ---- */

static bool has(const struct gcal_export_speed_device *d, size_t cost)
{
    return cost < d->costs.n && !isnan(d->costs.seconds[cost]);
}

static size_t count_known(const struct gcal_export_speed_device *d)
{
    size_t n = 0;

    for (size_t i = 0; i < d->costs.n; i++)
        n += has(d, i);
    return n;
}

/* Finds the costs that all devices with costs have, and the device with the fewest. */
static size_t find_common(const struct gcal_export_speeds *s, bool *common,
                          const struct gcal_export_speed_node **poorest,
                          size_t *poorest_index)
{
    size_t fewest = SIZE_MAX, n_common = 0;

    for (size_t c = 0; c < s->costs.n; c++)
        common[c] = true;
    for (size_t i = 0; i < s->n_nodes; i++)
        for (size_t j = 0; j < s->nodes[i].n_devices; j++) {
            const struct gcal_export_speed_device *d = &s->nodes[i].devices[j];
            size_t known = count_known(d);

            for (size_t c = 0; known && c < s->costs.n; c++)
                common[c] &= has(d, c);
            if (known && known < fewest) {
                fewest = known;
                *poorest = &s->nodes[i];
                *poorest_index = j;
            }
        }
    for (size_t c = 0; c < s->costs.n; c++)
        n_common += common[c];
    return n_common;
}

/* 1 over the geometric mean of the common costs. */
static double rate_of(const struct gcal_export_speed_device *d, const bool *common,
                      size_t n_costs, size_t n_common)
{
    double sum = 0;

    if (!count_known(d))
        return NAN;
    for (size_t c = 0; c < n_costs; c++)
        if (common[c])
            sum += log(d->costs.seconds[c]);
    return exp(-sum / (double)n_common);
}

/* Of a rate: devices of one fit share the errors of its costs, which a device that was fitted alone has
 * by itself, in its standard errors with all others.
 */
static double error_of(const struct gcal_export_speed_device *d, const bool *common,
                       size_t n_costs, size_t n_common)
{
    double squares = 0;

    for (size_t c = 0; c < n_costs; c++)
        if (common[c])
            squares += pow(d->costs.errors[c], 2);
    return d->is_alone ? hypot(d->error, sqrt(squares) / (double)n_common) : d->error;
}

int gcal_export_speeds_find(const struct gcal_export *e, struct gcal_export_speeds *s,
                            struct gcal_error *err)
{
    const struct gcal_export_speed_node *poorest = NULL;
    size_t index = 0, n_common;
    bool *common;
    double fastest = 0;

    if (read_nodes(e, s, err) < 0)
        return -1;
    if (!s->n_nodes)
        return gcal_error_set(err, GCAL_EINPUT, "no published device matches %s",
                              e->device ? e->device : "*");
    if (!s->costs.n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no device has a %smodel%s%s with costs known to 20 %%; "
                              "select another by --model",
                              e->model ? "" : "general ", e->model ? " " : "",
                              e->model ? e->model : "");
    common = gcal_arena_alloc(e->arena, s->costs.n, sizeof(*common));
    n_common = find_common(s, common, &poorest, &index);
    if (!n_common) {
        struct gcal_buf known = { 0 };

        for (size_t c = 0; c < poorest->devices[index].costs.n; c++)
            if (has(&poorest->devices[index], c))
                gcal_buf_printf(&known, "%s%s", known.size ? ", " : "",
                                s->costs.items[c]);
        return gcal_error_set(
            err, GCAL_EINPUT,
            "the devices have no cost in common that is known to 20 %% (%s on node "
            "%s has: %s); select fewer by --device or --node, or compare "
            "kernels (--profile)",
            poorest->devices[index].type, poorest->name,
            gcal_arena_take(e->arena, &known));
    }
    for (size_t i = 0; i < s->n_nodes; i++) {
        struct gcal_export_speed_node *node = &s->nodes[i];

        for (size_t j = 0; j < node->n_devices; j++) {
            double rate = rate_of(&node->devices[j], common, s->costs.n, n_common);

            node->devices[j].speed = rate;
            if (isnan(rate))
                continue;
            node->speed = isnan(node->speed) ? rate : node->speed + rate;
            rate *= node->devices[j].settled;
            node->settled = isnan(node->settled) ? rate : node->settled + rate;
            node->devices[j].error =
                error_of(&node->devices[j], common, s->costs.n, n_common);
            node->error = fmax(node->error, node->devices[j].error);
        }
    }
    /* Turns rates into speeds. */
    for (size_t i = 0; i < s->n_nodes; i++)
        fastest = fmax(fastest, s->nodes[i].speed);
    for (size_t i = 0; i < s->n_nodes; i++) {
        s->nodes[i].speed /= fastest;
        s->nodes[i].settled /= fastest;
        for (size_t j = 0; j < s->nodes[i].n_devices; j++)
            s->nodes[i].devices[j].speed /= fastest;
    }
    gcal_export_classes_find(e->arena, s);
    return 0;
}

/* ---- of a node ---- */

const struct gcal_export_speed_device *
gcal_export_speed_oldest(const struct gcal_export_speed_node *node)
{
    const struct gcal_export_speed_device *oldest = &node->devices[0];

    for (size_t i = 1; i < node->n_devices; i++)
        if (strcmp(node->devices[i].utc, oldest->utc) < 0)
            oldest = &node->devices[i];
    return oldest;
}

static bool has_gpu(const struct gcal_export_speed_node *node)
{
    for (size_t i = 0; i < node->n_devices; i++)
        if (node->devices[i].is_gpu)
            return true;
    return false;
}

/* The smaller; NaN if one is not known. */
static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

struct gcal_export_rates
gcal_export_speed_rates(const struct gcal_export_speed_node *node)
{
    struct gcal_export_rates rates = { INFINITY, INFINITY };
    bool gpus = has_gpu(node);

    for (size_t i = 0; i < node->n_devices; i++) {
        const struct gcal_export_speed_device *d = &node->devices[i];

        if (gpus && !d->is_gpu)
            continue;
        rates.memory_bytes_per_s =
            smaller(rates.memory_bytes_per_s, d->memory_bytes_per_s);
        rates.fp32_flop_per_s = smaller(rates.fp32_flop_per_s, d->fp32_flop_per_s);
    }
    return rates;
}
