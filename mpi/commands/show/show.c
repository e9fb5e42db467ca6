/* show.c - gpucal show: what is published, from a line for each device to all parameters */
#include <argp.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

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
#include "mpi/commands/show/private.h"
#include "store/files/store.h"

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
            json_array_append_new(devices, gcal_show_device_json(&device));
        else if (c->parameters)
            gcal_show_print_parameters(&device);
        else if (c->node || c->device)
            gcal_show_print_card(s->query.arena, &device);
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
