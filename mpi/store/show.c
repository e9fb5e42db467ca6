/* show.c - gpucal show: published parameters, as tables with units */
#include <argp.h>
#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/base/strings.h"
#include "calib/base/units.h"
#include "calib/model/run/device_match.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/store/facts.h"
#include "mpi/store/formula.h"
#include "store/files/store.h"

struct show_command {
    const char *store, *node, *device; /* device: a pattern, of --device */
    bool json, history, facts;
};

static const struct argp_option options[] = {
    { "device", 'd', "PATTERN", OPTION_ARG_OPTIONAL,
      "What calibration found of the devices, of those whose name, type, uid or kind "
      "matches "
      "only: latencies, capacities, rates, costs of conflicts",
      0 },
    { "history", 'H', NULL, 0, "The runs that were published for each node", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct show_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->node, &c->json);
        break;
    case 'd':
        c->facts = true;
        c->device = arg;
        break;
    case 'H':
        c->history = true;
        break;
    case ARGP_KEY_END:
        if (c->facts && c->history)
            argp_error(state, "--device excludes --history");
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (did you mean '--node %s'?)", arg,
                   arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(nodes), GCAL_OPTION(json), { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "Prints the calibrated parameters that are published in a store.",
};

/* Of a model that another run fitted than the latest of its device. */
static void print_origin(const struct gcal_params_device *d,
                         const struct gcal_params_model *m)
{
    const struct gcal_params_origin o = gcal_params_model_origin(d, m);

    if (strcmp(o.run_id, d->run_id) == 0)
        return;
    printf("      calibrated %s by run %s\n", o.calibrated_utc, o.run_id);
    if (strcmp(o.driver, d->info.driver) != 0)
        printf("      out of date: the driver was %s then\n", o.driver);
    if (strcmp(o.type, d->info.type) != 0)
        printf("      out of date: the type was %s then\n", o.type);
}

static void print_targets(const struct gcal_params_model *m)
{
    char *targets = gcal_params_model_targets(m);

    if (targets)
        printf("      for %s\n", targets);
    free(targets);
}

/* Of the column of names. */
static int name_width(const struct gcal_params_model *m)
{
    size_t width = 16;

    for (size_t i = 0; i < m->n_parameters; i++)
        width = strlen(m->parameter[i]) > width ? strlen(m->parameter[i]) : width;
    return (int)width;
}

static void print_model(const struct gcal_params_device *d,
                        const struct gcal_params_model *m)
{
    char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE];
    const int width = name_width(m);

    printf("    model %s, form %s:", m->name, m->form);
    gcal_formula_print(m);
    print_targets(m);
    print_origin(d, m);
    printf("      mean error %.1f %%, worst %.1f %%, %zu kernels, %zu samples, condition "
           "%.3g, "
           "device factor %.3f +- %.3f\n",
           100 * m->mean_error, 100 * m->worst_error, m->n_kernels, m->n_samples,
           m->condition, m->factor, m->factor_error);
    if (m->n_held_out)
        printf(
            "      held-out error %.1f %% rms, 90 %% within %.1f %%, %zu measurements\n",
            100 * m->held_out_rms, 100 * m->error_90, m->n_held_out);
    for (size_t i = 0; i < m->n_parameters; i++) {
        printf("      %-*s %14s +- %-14s%s\n", width, m->parameter[i],
               gcal_units(m->value[i], m->unit[i], value),
               gcal_units(m->standard_error[i], m->unit[i], error),
               m->at_bound[i] ? " (at its bound)" : "");
        if (isfinite(m->own[i]) && m->own[i] != m->value[i])
            printf("      %-*s %14s +- %-14s device-only fit\n", width, "",
                   gcal_units(m->own[i], m->unit[i], value),
                   gcal_units(m->own_error[i], m->unit[i], error));
    }
}

/* Prefixes of fingerprints, long enough to distinguish them. */
static void print_fingerprints(const struct gcal_params_device *d)
{
    printf("    configuration %.8s, catalogue %.8s",
           *d->configuration ? d->configuration : "unknown",
           *d->catalogue ? d->catalogue : "unknown");
    if (d->n_fitted)
        printf(", fitted with %zu device%s", d->n_fitted, d->n_fitted == 1 ? "" : "s");
    printf("\n");
}

static void print_params(const struct gcal_params *params)
{
    printf("node %s\n", params->node);
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];

        printf("  %s (%s), driver %s, calibrated %s by run %s\n", d->info.name,
               d->info.uid, d->info.driver, d->calibrated_utc, d->run_id);
        print_fingerprints(d);
        for (size_t j = 0; j < d->n_models; j++)
            print_model(d, &d->models[j]);
        if (!d->n_models)
            printf("    no models\n");
    }
}

static json_t *parameter_json(const struct gcal_params_model *m, size_t i)
{
    json_t *all = json_pack("{s:f, s:f, s:s, s:b}", "value", m->value[i],
                            "standard_error", m->standard_error[i], "unit", m->unit[i],
                            "at_bound", (int)m->at_bound[i]);

    if (isfinite(m->own[i])) {
        json_object_set_new(all, "own", json_real(m->own[i]));
        json_object_set_new(all, "own_error", json_real(m->own_error[i]));
    }
    return all;
}

static void add_origin_json(json_t *all, const struct gcal_params_device *d,
                            const struct gcal_params_model *m)
{
    const struct gcal_params_origin o = gcal_params_model_origin(d, m);

    json_object_set_new(all, "run_id", json_string(o.run_id));
    json_object_set_new(all, "calibrated", json_string(o.calibrated_utc));
    json_object_set_new(all, "driver", json_string(o.driver));
    json_object_set_new(all, "configuration", json_string(o.configuration));
    json_object_set_new(all, "catalogue", json_string(o.catalogue));
    json_object_set_new(all, "fitted", json_integer((json_int_t)o.n_fitted));
    json_object_set_new(all, "current", json_boolean(gcal_params_model_is_current(d, m)));
}

/* Kernels that the model knows. */
static json_t *known_json(const struct gcal_params_model *m)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->n_known; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:b}", "kernel", m->known[i].name, "fingerprint",
                            m->known[i].fingerprint, "target", (int)m->known[i].target));
    return list;
}

static json_t *model_json(const struct gcal_params_device *d,
                          const struct gcal_params_model *m)
{
    json_t *parameters = json_object(), *all;

    for (size_t i = 0; i < m->n_parameters; i++)
        json_object_set_new(parameters, m->parameter[i], parameter_json(m, i));
    all =
        json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:I, s:f, s:f, s:f, s:f}", "name",
                  m->name, "output", m->output, "form", m->form, "parameters", parameters,
                  "mean_error", m->mean_error, "worst_error", m->worst_error, "held_out",
                  (json_int_t)m->n_held_out, "held_out_rms", m->held_out_rms, "error_90",
                  m->error_90, "factor", m->factor, "factor_error", m->factor_error);
    gcal_formula_add_json(all, m);
    if (isfinite(m->condition)) /* JSON has no infinity */
        json_object_set_new(all, "condition", json_real(m->condition));
    json_object_set_new(all, "known", known_json(m));
    add_origin_json(all, d, m);
    return all;
}

static json_t *params_json(const struct gcal_params *params)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        json_t *models = json_array();

        for (size_t j = 0; j < d->n_models; j++)
            json_array_append_new(models, model_json(d, &d->models[j]));
        json_array_append_new(
            devices,
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "uid",
                      d->info.uid, "name", d->info.name, "type", d->info.type, "driver",
                      d->info.driver, "run_id", d->run_id, "calibrated",
                      d->calibrated_utc, "configuration", d->configuration, "catalogue",
                      d->catalogue, "fitted", (json_int_t)d->n_fitted, "models", models));
    }
    return json_pack("{s:s, s:o}", "node", params->node, "devices", devices);
}

/* ---- facts of devices ---- */

/* Whether the device is asked for; 'found' counts such devices. */
static bool is_shown(const struct show_command *c, const struct gcal_params_device *d,
                     size_t *found)
{
    bool shown = !c->device || gcal_device_info_matches(&d->info, c->device);

    *found += shown;
    return shown;
}

static void print_facts(const struct show_command *c, const struct gcal_params *params,
                        size_t *found)
{
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];

        if (!is_shown(c, d, found))
            continue;
        printf("node %s\n  %s (%s), driver %s, calibrated %s\n", params->node,
               d->info.name, d->info.uid, d->info.driver, d->calibrated_utc);
        gcal_facts_print(d);
    }
}

static json_t *facts_json(const struct show_command *c, const struct gcal_params *params,
                          size_t *found)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];

        if (is_shown(c, d, found))
            json_array_append_new(devices,
                                  json_pack("{s:s, s:s, s:s, s:s, s:o}", "uid",
                                            d->info.uid, "name", d->info.name, "type",
                                            d->info.type, "calibrated", d->calibrated_utc,
                                            "facts", gcal_facts_json(d)));
    }
    return json_pack("{s:s, s:o}", "node", params->node, "devices", devices);
}

static int show_history(const struct gcal_store *store, const char *node,
                        struct gcal_error *err)
{
    char **runs;
    size_t count;

    if (gcal_store_history(store, node, &runs, &count, err) < 0)
        return -1;
    printf("node %s: %zu run%s\n", node, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        printf("  %s\n", runs[i]);
    gcal_strings_free(runs, count);
    return 0;
}

static int show_node(const struct show_command *c, const struct gcal_store *store,
                     const char *node, json_t *all, size_t *found, struct gcal_error *err)
{
    struct gcal_params params = { 0 };

    if (c->history)
        return show_history(store, node, err);
    if (gcal_store_load(store, node, NULL, &params, err) < 0)
        return -1;
    if (c->facts && c->json)
        json_array_append_new(all, facts_json(c, &params, found));
    else if (c->facts)
        print_facts(c, &params, found);
    else if (c->json)
        json_array_append_new(all, params_json(&params));
    else
        print_params(&params);
    gcal_params_clear(&params);
    return 0;
}

static int run(const struct show_command *c, struct gcal_error *err)
{
    char *path = gcal_command_store_path(c->store, NULL, err);
    struct gcal_store *store = path ? gcal_command_store_open(path, false, err) : NULL;
    json_t *all = json_array();
    size_t count = 0, shown = 0, found = 0, unreadable = 0;
    char **nodes = NULL;
    int rc = -1;

    if (!store || gcal_store_nodes(store, &nodes, &count, err) < 0)
        goto out;
    rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (c->node && fnmatch(c->node, nodes[i], 0) != 0)
            continue;
        shown++;
        if (show_node(c, store, nodes[i], all, &found, err) < 0) {
            unreadable++;
            if (count > 1)
                gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", nodes[i], err->text);
        }
    }
    if (shown && unreadable == shown)
        rc = -1; /* with the last error */
    if (rc == 0 && c->json)
        gcal_json_print(all);
    if (rc == 0 && !shown)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: nothing is published%s%s", path,
                            c->node ? " for " : "", c->node ? c->node : "");
    else if (rc == 0 && c->device && !found)
        rc = gcal_error_set(err, GCAL_EINPUT, "no device matches '%s'", c->device);
out:
    gcal_strings_free(nodes, count);
    gcal_store_close(store);
    json_decref(all);
    free(path);
    return rc;
}

int gcal_command_show(int argc, char **argv)
{
    struct show_command c = { 0 };
    struct gcal_error err = { 0 };

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    return run(&c, &err) < 0 ? gcal_command_fail(&err) : 0;
}
