/* show.c - gpucal show: what is published, from a line for each device to all parameters */
#include <argp.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/show/private.h"
#include "store/files/store.h"

enum { KEY_PARAMETERS = 256, SVG, TYPE };

/* What is printed of a device. */
enum view { OVERVIEW, CARD, PARAMETERS, JSON, HISTORY, TYPES };

struct show_command {
    const char *store, *node, *device, *type; /* patterns */
    const char *svg;
    bool json, history, parameters;
};

static const struct argp_option options[] = {
    { "history", 'H', NULL, 0, "The calibrations of each device, with driver and verdict",
      0 },
    { "parameters", KEY_PARAMETERS, NULL, 0,
      "Each model with its formula and all parameters", 0 },
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
    case TYPE:
        c->type = arg;
        break;
    case ARGP_KEY_END:
        if (c->history && c->parameters)
            argp_error(state, "--history excludes --parameters");
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
        "  gpucal show --json | jq '.[].devices[] | {name, audit, speed}'\n",
};

struct show {
    const struct show_command *command;
    enum view view;
    const struct gcal_store *store;
    struct gcal_show_standings standings;
    struct gcal_columns *overview;
    json_t *all;
    size_t n_nodes, n_devices, n_unreadable; /* that are asked for */
};

static enum view view_of(const struct show_command *c)
{
    return c->type                ? TYPES
           : c->history           ? HISTORY
           : c->json              ? JSON
           : c->parameters        ? PARAMETERS
           : c->node || c->device ? CARD
                                  : OVERVIEW;
}

/* 'devices': JSON of the node's. */
static int show_device(struct show *s, const struct gcal_show_device *device,
                       json_t *devices, struct gcal_error *err)
{
    switch (s->view) {
    case OVERVIEW:
        return gcal_show_overview_add(s->overview, device, err);
    case JSON:
        return json_array_append_new(devices, gcal_show_device_json(device)) == 0
                   ? 0
                   : gcal_error_memory(err);
    case PARAMETERS:
        gcal_show_print_parameters(device);
        return 0;
    default:
        return gcal_show_print_card(device, err);
    }
}

static int show_devices(struct show *s, const struct gcal_params *params,
                        struct gcal_error *err)
{
    const char *pattern = s->command->device;
    json_t *devices = json_array();
    size_t shown = 0;

    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        const struct gcal_show_device device = {
            .node = params->node,
            .params = d,
            .standing = gcal_show_standing_of(&s->standings, params->node, d->info.uid),
        };

        if (pattern && !gcal_device_info_matches(&d->info, pattern))
            continue;
        shown++;
        if (show_device(s, &device, devices, err) < 0) {
            json_decref(devices);
            return -1;
        }
    }
    s->n_devices += shown;
    if (!shown && pattern)
        json_decref(devices);
    else
        json_array_append_new(
            s->all, json_pack("{s:s, s:o}", "node", params->node, "devices", devices));
    return 0;
}

static int show_node(struct show *s, const char *node, struct gcal_error *err)
{
    struct gcal_params params = { 0 };
    int rc;

    rc = gcal_store_load(s->store, node, NULL, &params, err);
    if (rc == 0)
        rc = show_devices(s, &params, err);
    gcal_params_clear(&params);
    return rc;
}

static void warn(const char *node, const struct gcal_error *why)
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

    if (gcal_store_nodes(s->store, &nodes, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (pattern && fnmatch(pattern, nodes[i], 0) != 0)
            continue;
        s->n_nodes++;
        if (show_node(s, nodes[i], err) < 0) {
            s->n_unreadable++;
            warn(last, &why);
            last = nodes[i];
            why = *err;
        }
    }
    if ((rc = last && s->n_unreadable == s->n_nodes ? -1 : 0) == 0)
        warn(last, &why);
    gcal_strings_free(nodes, n);
    return rc;
}

static int check_found(const struct show *s, const char *path, struct gcal_error *err)
{
    const struct show_command *c = s->command;

    if (!s->n_nodes)
        return gcal_error_set(err, GCAL_EINPUT, "%s: nothing is published%s%s", path,
                              c->node ? " for " : "", c->node ? c->node : "");
    if (c->device && !s->n_devices)
        return gcal_error_set(err, GCAL_EINPUT, "no device matches '%s'", c->device);
    return 0;
}

static int show_history(const struct show *s, struct gcal_error *err)
{
    const struct gcal_show_history_options options = { .nodes = s->command->node,
                                                       .device = s->command->device,
                                                       .json = s->command->json };

    return gcal_show_history(s->store, &options, err);
}

static int show_types(const struct show *s, struct gcal_error *err)
{
    const struct gcal_show_types_options options = { .types = s->command->type,
                                                     .json = s->command->json };

    return gcal_show_types(s->store, &options, err);
}

static int draw(const struct show *s, struct gcal_error *err)
{
    const struct gcal_show_svg_options options = { .nodes = s->command->node,
                                                   .device = s->command->device };

    return gcal_show_svg(s->store, s->command->svg, &options, err);
}

/* Of files that cannot be read, show_nodes() says it. */
static int find_standings(struct show *s, struct gcal_error *err)
{
    int rc;

    if (s->view == PARAMETERS)
        return 0;
    gcal_log_set_level(GCAL_LOG_ERROR);
    rc = gcal_show_standings_find(s->store, s->command->node, &s->standings, err);
    gcal_log_set_level(GCAL_LOG_INFO);
    return rc;
}

static int show_all(struct show *s, const char *path, struct gcal_error *err)
{
    if (s->command->svg && draw(s, err) < 0)
        return -1;
    if (s->view == HISTORY)
        return show_history(s, err);
    if (s->view == TYPES)
        return show_types(s, err);
    if (!(s->overview = gcal_show_overview_create(err)) || find_standings(s, err) < 0 ||
        show_nodes(s, err) < 0 || check_found(s, path, err) < 0)
        return -1;
    if (s->view == JSON)
        gcal_json_print(s->all, "show");
    return gcal_columns_print(s->overview, 0, err);
}

int gcal_command_show(int argc, char **argv)
{
    struct show_command c = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_store *store = NULL;
    struct show s = { .command = &c, .all = json_array() };
    char *path;
    int rc = -1;

    gcal_command_parse(&argp, argc, argv, &c);
    s.view = view_of(&c);
    if ((path = gcal_command_store_path(c.store, NULL, &err)) &&
        (store = gcal_command_store_open(path, false, &err))) {
        s.store = store;
        rc = show_all(&s, path, &err);
    }
    gcal_columns_destroy(s.overview);
    gcal_show_standings_clear(&s.standings);
    json_decref(s.all);
    gcal_store_close(store);
    free(path);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
