/* show.c - gpucal show: what is published, from a line for each device to all parameters */
#include <argp.h>
#include <ctype.h>
#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "store/files/store.h"
#include "kernels/base/units.h"
#include "kernels/model/named_expr.h"
#include "store/params/params.h"
#include "mpi/commands/show/private.h"

/* ---- the expression of a model, for people and as JSON ---- */

/* Lines end here where they can: names of features may be longer. */
#define WIDTH 100

#define INDENT       6
#define INDENT_NAMES 8
#define INDENT_MORE  4 /* of a continued line */

/* ---- lines ---- */

/* The end of a piece that no line break divides: to the next white space or after a comma,
 * but for those in braces, which are part of names.
 */
static const char *piece_end(const char *at, bool divide_names)
{
    int depth = 0;

    for (; *at && (depth > 0 || !isspace((unsigned char)*at)); at++) {
        depth += (*at == '{') - (*at == '}');
        if (*at == ',' && (divide_names || depth <= 0))
            return at + 1;
    }
    return at;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* After 'column' characters of the line.  Names that are longer than a line are divided. */
static void print_wrapped(const char *text, int indent, int column)
{
    const int margin = indent + INDENT_MORE;
    const char *divided = text; /* pieces up to here are parts of a name */
    bool gap = false;

    for (const char *at = skip_space(text), *end; *at; at = skip_space(end)) {
        end = piece_end(at, at < divided);
        if (end - at > WIDTH - margin) {
            divided = end;
            end = piece_end(at, true);
        }
        if (column > margin && column + gap + (end - at) > WIDTH) {
            printf("\n%*s", margin, "");
            column = margin;
            gap = false;
        }
        column += printf("%s%.*s", gap ? " " : "", (int)(end - at), at);
        gap = isspace((unsigned char)*end);
    }
    printf("\n");
}

static void print_definition(const char *name, const char *text, int indent)
{
    int column = printf("%*s%s = ", indent, "", name);

    print_wrapped(text, indent, column);
}

/* The expression, after what is in the line already where it is short and without names.
 * Otherwise in lines of its own, as all its named expressions are, in the file's order:
 *
 *       time = p_madd*flops + p_launch*f_sync_kernel_launch
 *       where
 *         flops = ...
 */
static void print_formula(const struct gcal_params_model *model)
{
    const struct gcal_expr_names *names = model->names;
    size_t n = gcal_expr_names_count(names);

    if (!n && strlen(model->expression) <= WIDTH) {
        printf(" %s\n", model->expression);
        return;
    }
    printf("\n");
    print_definition("time", model->expression, INDENT);
    if (n)
        printf("%*swhere\n", INDENT, "");
    for (size_t i = 0; i < n; i++)
        print_definition(gcal_expr_names_name(names, i), gcal_expr_names_text(names, i),
                         INDENT_NAMES);
}

/* ---- JSON ---- */

static void add_text(json_t *map, const char *key, const char *text)
{
    json_object_set_new(map, key, json_string(text));
}

/* ---- each model of a device with its formula and all parameters ---- */

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
    char *targets;

    printf("    model %s, form %s:", m->name, m->form);
    print_formula(m);
    targets = gcal_params_model_targets(m);
    if (targets)
        printf("      for %s\n", targets);
    free(targets);
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
    if (m->absolute_error_90_s > 0)
        printf("      fitted to absolute errors, 90 %% within %s\n",
               gcal_units(m->absolute_error_90_s, "s", value));
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

/* Each model with its formula and all parameters. */
static void print_parameters(const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;

    printf("node %s\n  %s (%s), driver %s, calibrated %s by run %s\n", device->node,
           d->info.name, d->info.uid, d->info.driver, d->calibrated_utc, d->run_id);
    /* Prefixes of fingerprints, long enough to distinguish them. */
    printf("    configuration %.8s, catalogue %.8s",
           *d->configuration ? d->configuration : "unknown",
           *d->catalogue ? d->catalogue : "unknown");
    if (d->n_fitted)
        printf(", fitted with %zu device%s", d->n_fitted, d->n_fitted == 1 ? "" : "s");
    printf("\n");
    for (size_t i = 0; i < d->n_models; i++)
        print_model(d, &d->models[i]);
    if (!d->n_models)
        printf("    no models\n");
}

/* ---- a device: what calibration found of it, and its models ---- */

static const struct gcal_column columns[] = {
    { "MODEL", GCAL_COLUMN_TEXT },         { "FORM", GCAL_COLUMN_TEXT },
    { "KERNELS", GCAL_COLUMN_NUMBER },     { "HELD-OUT ERROR", GCAL_COLUMN_NUMBER },
    { "90 % WITHIN", GCAL_COLUMN_NUMBER }, { "OF ITS TYPE'S TIME", GCAL_COLUMN_NUMBER },
    { "PREDICTS", GCAL_COLUMN_LONG },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* Rates, latencies, costs and capacities, and a line for each model. */
static void print_card(struct gcal_arena *arena, const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;
    struct gcal_columns *table = gcal_columns_create(arena, N_COLUMNS, columns);
    char day[GCAL_SHOW_DAY_SIZE], age[GCAL_SHOW_AGE_SIZE], speed[GCAL_SHOW_SPEED_SIZE],
        needs[48] = "";

    if (device->standing.verdict == GCAL_AUDIT_UNKNOWN)
        snprintf(needs, sizeof(needs), " (needs %d calibrations, has %zu)",
                 GCAL_AUDIT_LEAST_RUNS, device->standing.n_epoch_runs);
    printf("node %s: %s (%s)\n  driver %s, calibrated %s UTC (%s ago) by run %s\n"
           "  audit: %s%s, speed relative to its type: %s\n",
           device->node, d->info.name, d->info.uid, d->info.driver,
           gcal_show_day(d->calibrated_utc, day), gcal_show_age(d, age), d->run_id,
           gcal_audit_verdict_name(device->standing.verdict), needs,
           gcal_show_speed(&device->standing, speed));
    gcal_facts_print(d);
    for (size_t i = 0; i < d->n_models; i++) {
        const struct gcal_params_model *m = &d->models[i];
        char *targets = gcal_arena_own(arena, gcal_params_model_targets(m), free);
        char kernels[24], error[GCAL_UNITS_SIZE], within[GCAL_UNITS_SIZE], factor[48],
            why[GCAL_PARAMS_WHY_SIZE];
        const char *predicts =
            !gcal_params_model_is_current(d, m)    ? "out of date: measure it again"
            : gcal_params_model_is_poor(m, why)    ? "poor: if it is named"
            : targets                              ? targets
            : gcal_params_model_is_general(m)      ? "any kernel"
            : gcal_params_model_is_of_transfers(m) ? "copies"
            : gcal_params_model_is_of_sweeps(m)    ? "nothing: it finds facts"
            : m->stands_for.n                      ? "kernels like those it was fitted to"
                                                   : "-";

        if (m->absolute_error_90_s > 0)
            gcal_units(m->absolute_error_90_s, "s", within);
        else
            gcal_units_percent(m->error_90, within);
        snprintf(kernels, sizeof(kernels), "%zu", m->n_kernels);
        snprintf(factor, sizeof(factor), "%.3f +- %.3f", m->factor, m->factor_error);
        gcal_columns_add(
            table,
            (const char *[N_COLUMNS]){ m->name, m->form, kernels,
                                       gcal_units_percent(m->held_out_rms, error), within,
                                       factor, predicts },
            GCAL_COLUMN_PLAIN);
    }
    gcal_columns_print(table, 2);
}

/* ---- devices as JSON ---- */

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
    char why[GCAL_PARAMS_WHY_SIZE];
    struct gcal_params_origin o = gcal_params_model_origin(d, m);

    for (size_t i = 0; i < m->n_parameters; i++)
        json_object_set_new(parameters, m->parameter[i], parameter_json(m, i));
    all =
        json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:I, s:f, s:f, s:f, s:f}", "name",
                  m->name, "output", m->output, "form", m->form, "parameters", parameters,
                  "mean_error", m->mean_error, "worst_error", m->worst_error, "held_out",
                  (json_int_t)m->n_held_out, "held_out_rms", m->held_out_rms, "error_90",
                  m->error_90, "factor", m->factor, "factor_error", m->factor_error);
    /* Adds "expression", and "expressions" and "roofs" where there are any. */
    size_t n = gcal_expr_names_count(m->names);
    json_t *names = json_object(), *roofs = json_object();
    add_text(all, "expression", m->expression);
    for (size_t i = 0; i < n; i++)
        add_text(names, gcal_expr_names_name(m->names, i),
                 gcal_expr_names_text(m->names, i));
    for (size_t i = 0; i < m->roofs.n; i++)
        add_text(roofs, m->roofs.roofs[i].name, m->roofs.roofs[i].expression);
    if (n)
        json_object_set(all, "expressions", names);
    if (m->roofs.n)
        json_object_set(all, "roofs", roofs);
    json_decref(names);
    json_decref(roofs);
    if (m->absolute_error_90_s > 0)
        json_object_set_new(all, "absolute_error_90_s",
                            json_real(m->absolute_error_90_s));
    if (isfinite(m->condition)) /* JSON has no infinity */
        json_object_set_new(all, "condition", json_real(m->condition));
    json_object_set_new(all, "verdict",
                        json_string(gcal_params_model_is_poor(m, why) ? "poor" : "good"));
    json_object_set_new(all, "known", known_json(m));
    json_object_set_new(all, "run_id", json_string(o.run_id));
    json_object_set_new(all, "calibrated", json_string(o.calibrated_utc));
    json_object_set_new(all, "driver", json_string(o.driver));
    json_object_set_new(all, "configuration", json_string(o.configuration));
    json_object_set_new(all, "catalogue", json_string(o.catalogue));
    json_object_set_new(all, "fitted", json_integer((json_int_t)o.n_fitted));
    json_object_set_new(all, "current", json_boolean(gcal_params_model_is_current(d, m)));
    return all;
}

/* Everything. */
static json_t *make_device_json(const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;
    json_t *models = json_array(), *all;

    for (size_t i = 0; i < d->n_models; i++)
        json_array_append_new(models, model_json(d, &d->models[i]));
    all = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:o}", "uid",
                    d->info.uid, "name", d->info.name, "type", d->info.type, "kind",
                    d->info.device_type, "driver", d->info.driver, "run_id", d->run_id,
                    "calibrated", d->calibrated_utc, "configuration", d->configuration,
                    "catalogue", d->catalogue, "fitted", (json_int_t)d->n_fitted, "facts",
                    gcal_facts_json(d), "models", models);
    json_object_set_new(all, "speed", gcal_json_number(device->standing.speed));
    json_object_set_new(all, "audit",
                        json_string(gcal_audit_verdict_name(device->standing.verdict)));
    json_object_set_new(all, "calibrations",
                        json_integer((json_int_t)device->standing.n_runs));
    return all;
}

/* ---- gpucal show: what is published, from a line for each device to all parameters ---- */

enum { KEY_PARAMETERS = 256, SVG, TYPE, KERNELS, LINKS };

struct show_command {
    const char *store, *node, *device, *type; /* patterns */
    const char *svg;
    bool json, history, parameters, kernels, links;
};

static const struct argp_option options[] = {
    { "history", 'H', NULL, 0, "The calibrations of each device, with driver and verdict",
      0 },
    { "parameters", KEY_PARAMETERS, NULL, 0,
      "Each model with its formula and all parameters", 0 },
    { "kernels", KERNELS, NULL, 0,
      "What the store has learned of kernels, by device type", 0 },
    { "links", LINKS, NULL, 0,
      "What messages between nodes take, and which links are slow; with --node: each "
      "link "
      "of the node",
      0 },
    { "svg", SVG, "FILE", 0,
      "Draw the rates of the devices beside those of their types to this file", 0 },
    { "type", TYPE, "PATTERN", 0,
      "With --history: instead of devices, the fits of the device types that match", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct show_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->node, &c->device, &c->json);
        break;
    case 'H':
        c->history = true;
        break;
    case SVG:
        c->svg = arg;
        break;
    case KEY_PARAMETERS:
        c->parameters = true;
        break;
    case KERNELS:
        c->kernels = true;
        break;
    case LINKS:
        c->links = true;
        break;
    case TYPE:
        c->type = arg;
        break;
    case ARGP_KEY_END:
        if (c->history && c->parameters)
            argp_error(state, "--history excludes --parameters");
        if (c->kernels && (c->history || c->parameters || c->svg || c->node || c->device))
            argp_error(state, "--kernels excludes all options but --store and --json");
        if (c->links &&
            (c->history || c->parameters || c->svg || c->kernels || c->device || c->json))
            argp_error(state, "--links excludes all options but --node and --store");
        if (c->type && (!c->history || c->node || c->device))
            argp_error(state, "--type requires --history, and excludes --node and "
                              "--device");
        break;
    case ARGP_KEY_ARG:
        gcal_option_refuse_argument(arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(nodes), GCAL_OPTION(device), GCAL_OPTION(json), { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Prints what is published in a store: a line for each device.  With --node or "
        "--device: of each such device its rates beside the vendor's peaks, latencies, "
        "costs, and a line for each model."
        "\v"
        "Examples:\n"
        "  gpucal show\n"
        "  gpucal show --node n1\n"
        "  gpucal show --node n1 --parameters\n"
        "  gpucal show --node n1 --history\n"
        "  gpucal show --history --type '*h100*'\n"
        "  gpucal show --node n1 --svg n1.svg\n"
        "  gpucal show --kernels\n"
        "  gpucal show --links\n"
        "  gpucal show --json | jq '.[].devices[] | {name, audit, speed}'\n",
};

struct show {
    const struct show_command *command;
    struct gcal_show_query query;
    struct gcal_show_standings standings;
    struct gcal_columns *overview;
    json_t *all;
    size_t n_nodes, n_devices, n_unreadable; /* that are asked for */
};

static int show_node(struct show *s, const char *node, struct gcal_error *err)
{
    const struct show_command *c = s->command;
    struct gcal_params params = { 0 };
    json_t *devices = json_array();
    size_t shown = 0;
    int rc = gcal_store_load(s->query.store, node, NULL, &params, err);

    for (size_t i = 0; i < params.n_devices && rc == 0; i++) {
        const struct gcal_params_device *d = &params.devices[i];
        const struct gcal_show_device device = {
            .node = params.node,
            .params = d,
            .standing = gcal_show_standing_of(&s->standings, params.node, d->info.uid),
        };

        if (c->device && !gcal_device_info_matches(&d->info, c->device))
            continue;
        shown++;
        if (c->json)
            json_array_append_new(devices, make_device_json(&device));
        else if (c->parameters)
            print_parameters(&device);
        else if (c->node || c->device)
            print_card(s->query.arena, &device);
        else
            gcal_show_overview_add(s->overview, &device);
    }
    s->n_devices += shown;
    if (rc == 0 && (shown || !c->device))
        json_array_append_new(
            s->all, json_pack("{s:s, s:O}", "node", params.node, "devices", devices));
    json_decref(devices);
    gcal_params_clear(&params);
    return rc;
}

static void warn_of(const char *node, const struct gcal_error *why)
{
    if (node)
        gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", node, why->text);
}

/* A damaged file stops no other node; if all are, the last one is the error, which is said once. */
static int show_nodes(struct show *s, struct gcal_error *err)
{
    const char *pattern = s->command->node, *last = NULL;
    struct gcal_error why = { 0 };
    char **nodes = NULL;
    size_t n = 0;
    int rc;

    if (gcal_store_nodes(s->query.store, &nodes, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (pattern && fnmatch(pattern, nodes[i], 0) != 0)
            continue;
        s->n_nodes++;
        if (show_node(s, nodes[i], err) < 0) {
            s->n_unreadable++;
            warn_of(last, &why);
            last = nodes[i];
            why = *err;
        }
    }
    if ((rc = last && s->n_unreadable == s->n_nodes ? -1 : 0) == 0)
        warn_of(last, &why);
    gcal_strings_free(nodes, n);
    return rc;
}

static int show_all(struct show *s, const char *path, struct gcal_error *err)
{
    const struct show_command *c = s->command;
    int rc = 0;

    if (c->kernels)
        return gcal_show_kernels(&s->query, err);
    if (c->links)
        return gcal_show_links(&s->query, err);
    if (c->svg && gcal_show_svg(&s->query, c->svg, err) < 0)
        return -1;
    if (c->type)
        return gcal_show_types(&s->query, err);
    if (c->history)
        return gcal_show_history(&s->query, err);
    s->overview = gcal_show_overview_create(s->query.arena);
    if (c->json || !c->parameters) {
        gcal_log_set_level(GCAL_LOG_ERROR); /* show_nodes() says what cannot be read */
        rc = gcal_show_standings_find(&s->query, &s->standings, err);
        gcal_log_set_level(GCAL_LOG_INFO);
    }
    if (rc < 0 || show_nodes(s, err) < 0)
        return -1;
    if (!s->n_nodes)
        return gcal_error_set(err, GCAL_EINPUT, "%s: nothing is published%s%s", path,
                              c->node ? " for " : "", c->node ? c->node : "");
    if (c->device && !s->n_devices)
        return gcal_error_set(err, GCAL_EINPUT, "no device matches '%s'", c->device);
    if (c->json)
        gcal_json_print(s->all, "show");
    gcal_columns_print(s->overview, 0);
    return 0;
}

int gcal_command_show(int argc, char **argv)
{
    struct show_command c = { 0 };
    struct gcal_error err = { 0 };
    struct show s = { .command = &c, .all = json_array() };
    const char *path;
    int rc = -1;

    gcal_command_parse(&argp, argc, argv, &c);
    s.query = (struct gcal_show_query){ .arena = gcal_arena_create(),
                                        .nodes = c.node,
                                        .device = c.device,
                                        .types = c.type,
                                        .json = c.json };
    if ((path = gcal_command_store_path(s.query.arena, c.store, NULL, &err)) &&
        (s.query.store = gcal_command_store_open(s.query.arena, path, false, &err)))
        rc = show_all(&s, path, &err);
    gcal_arena_destroy(s.query.arena);
    json_decref(s.all);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
