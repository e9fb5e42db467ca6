/* export.c - gpucal export: published speeds in the formats of schedulers */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

#define MAX_PROFILE_BYTES (16u << 20)

/* Each is defined in the file that has its name. */
extern const struct gcal_export_target gcal_export_slurm, gcal_export_flux,
    gcal_export_starpu, gcal_export_nfd;
static const struct gcal_export_target *const targets[] = {
    &gcal_export_slurm,
    &gcal_export_flux,
    &gcal_export_starpu,
    &gcal_export_nfd,
};
enum { N_TARGETS = sizeof(targets) / sizeof(*targets) };

/* An --at belongs to the --profile before it. */
struct at {
    size_t profile; /* 1 for the first, 0 for none */
    const char *text;
};

struct export_command {
    const char *to, *store;
    bool json;
    struct gcal_export what;
    void *options[N_TARGETS]; /* of each target */
    struct gcal_option_list profiles;
    size_t n_ats, ats_capacity;
    struct at *ats;
};

enum { TO = 256 };

/* The targets' options follow these in --help. */
static const struct argp_child common[] = { GCAL_OPTION(store), GCAL_OPTION(nodes),
                                            GCAL_OPTION(device), GCAL_OPTION(model),
                                            GCAL_OPTION(json) };
enum { N_COMMON = sizeof(common) / sizeof(*common) };

static const struct argp_option options[] = {
    { "to", TO, "TARGET", 0, "The target (required)", 0 }, /* the first: see below */
    { "format", 'f', "LAYOUT", 0, "A layout of the target (default: its first)", 0 },
    { "profile", 'p', "FILE", 0,
      "A kernel counted by 'gpucal count -o FILE': speed is that of this kernel "
      "(default: "
      "that of the model's costs); may be repeated",
      0 },
    { "at", 'A', "NAME=VALUE,..", 0,
      "Sizes of the --profile before it, e.g. n=2048,m=64; may be repeated", 0 },
    { "output", 'o', "FILE", 0, "The output (default: standard output)", 0 },
    { 0 },
};

#define MAX_LIST 80

/* "slurm, flux, starpu" in 'list', MAX_LIST bytes. */
static const char *list_targets(const char *separator, char *list)
{
    size_t length = 0;

    for (size_t i = 0; i < N_TARGETS && length < MAX_LIST; i++)
        length += (size_t)snprintf(list + length, MAX_LIST - length, "%s%s",
                                   i ? separator : "", targets[i]->name);
    return list;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct export_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->what.nodes, &c->what.device,
                           &c->what.model, &c->json);
        for (size_t i = 0; i < N_TARGETS; i++)
            state->child_inputs[N_COMMON + i] = c->options[i];
        break;
    case TO:
        c->to = arg;
        break;
    case 'f':
        c->what.layout = arg;
        break;
    case 'p':
        gcal_option_list_add(&c->profiles, arg);
        break;
    case 'A':
        if (!c->profiles.n)
            argp_error(state, "--at must follow the --profile whose sizes it gives");
        c->ats = gcal_arena_grow(c->what.arena, c->ats, c->n_ats, &c->ats_capacity,
                                 sizeof(*c->ats));
        c->ats[c->n_ats++] = (struct at){ c->profiles.n, arg };
        break;
    case 'o':
        c->what.output = arg;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (did you mean '--to %s'?)", arg, arg);
        break;
    case ARGP_KEY_END:
        if (c->json && (c->to || c->what.output || c->what.layout))
            argp_error(state, "--json excludes --to, --format and --output");
        if (!c->to && !c->json)
            argp_error(state, "--to (or --json) is required: %s",
                       list_targets(", ", (char[MAX_LIST]){ 0 }));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Writes the speeds of published nodes in the native format of a scheduler.\v"
           "If --model is not given, the model made for the kernel predicts; if there is "
           "none, or no kernel is given, the general model.\n\n"
           "Examples:\n"
           "  gpucal export --to slurm\n"
           "  gpucal export --to slurm --device gpu --profile mm.yaml --at n=4096\n"
           "  gpucal export --to flux | sh\n"
           "  gpucal export --to starpu --node n0 --symbol mm --profile mm.yaml \\\n"
           "      --at n=256,512 --data 4:n,n --data 4:n,n --data 4:n,n \\\n"
           "      -o ~/.starpu/sampling\n"
           "  gpucal export --json\n"
           "  gpucal export --to nfd -o labels\n\n"
           "gpucal-schedulers(7) explains how to use the output.",
};

/* ---- kernels ---- */

GCAL_ARENA_DESTROYER(clear_counted, gcal_profile_set_clear)

/* The sizes of all --at of a kernel, or the only ones that it has without. */
static int read_kernel(struct export_command *c, size_t i, struct gcal_error *err)
{
    struct gcal_arena *arena = c->what.arena;
    struct gcal_export_kernel *k = &c->what.kernels[i];
    struct gcal_yaml *root = gcal_yaml_read(c->profiles.items[i], MAX_PROFILE_BYTES, err);
    size_t capacity = 0;
    int rc = -1;

    k->file = c->profiles.items[i];
    gcal_arena_own(arena, &k->counted, clear_counted);
    if (root)
        rc = gcal_profile_set_decode(root, &k->counted, err);
    gcal_yaml_destroy(root);
    if (rc < 0)
        return -1;
    k->profile = k->counted.profiles[0];
    for (size_t a = 0; a <= c->n_ats; a++) {
        bool is_at = a < c->n_ats;
        struct gcal_count_points points;

        if (is_at ? c->ats[a].profile != i + 1 : k->n_sizes > 0)
            continue;
        if (gcal_count_points_parse(is_at, is_at ? &c->ats[a].text : NULL, k->profile,
                                    NULL, &points, err) < 0)
            return gcal_error_prefix(err, "%s", k->file);
        for (size_t n = points.n * k->profile->n_parameters, v = 0; v < n; v++) {
            size_t at = k->n_sizes * k->profile->n_parameters + v;

            k->sizes = gcal_arena_grow(arena, k->sizes, at, &capacity, sizeof(*k->sizes));
            k->sizes[at] = points.values[v];
        }
        k->n_sizes += points.n;
        gcal_count_points_clear(&points);
    }
    return 0;
}

/* ---- the command ---- */

/* Of --to, which is one of them. */
static size_t find_target(const char *name)
{
    size_t target = 0;

    while (strcmp(targets[target]->name, name) != 0)
        target++;
    return target;
}

static int choose_layout(const struct gcal_export_target *target, struct gcal_export *e,
                         struct gcal_error *err)
{
    if (!e->layout) {
        e->layout = target->layouts[0];
        return 0;
    }
    for (size_t i = 0; target->layouts[i]; i++)
        if (strcmp(target->layouts[i], e->layout) == 0)
            return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--to %s: unknown --format '%s' (see gpucal export --help)",
                          target->name, e->layout);
}

static json_t *device_json(const struct gcal_export_speeds *speeds,
                           const struct gcal_export_speed_device *d)
{
    json_t *costs = json_array();

    for (size_t i = 0; i < speeds->costs.n; i++)
        json_array_append_new(
            costs, gcal_json_number(i < d->costs.n ? d->costs.seconds[i] : NAN));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "uid", d->uid,
                     "name", d->name, "type", d->type, "calibrated", d->utc, "run_id",
                     d->run_id, "speed", gcal_json_number(d->speed), "error",
                     gcal_json_number(d->error), "memory_bytes_per_s",
                     gcal_json_number(d->memory_bytes_per_s), "fp32_flop_per_s",
                     gcal_json_number(d->fp32_flop_per_s), "costs", costs);
}

/* All that is known of the speeds of nodes, relative to the fastest. */
static void print_json(const struct gcal_export_speeds *speeds)
{
    json_t *nodes = json_array(), *costs = json_array(), *all;

    for (size_t i = 0; i < speeds->n_nodes; i++) {
        const struct gcal_export_speed_node *n = &speeds->nodes[i];
        json_t *devices = json_array();

        for (size_t k = 0; k < n->n_devices; k++)
            json_array_append_new(devices, device_json(speeds, &n->devices[k]));
        json_array_append_new(nodes,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:s?, s:o}", "node",
                                        n->name, "speed", gcal_json_number(n->speed),
                                        "settled", gcal_json_number(n->settled), "error",
                                        gcal_json_number(n->error), "class_speed",
                                        gcal_json_number(n->class_speed), "class",
                                        gcal_export_class_name(n), "devices", devices));
    }
    for (size_t i = 0; i < speeds->costs.n; i++)
        json_array_append_new(costs, json_string(speeds->costs.items[i]));
    all = json_pack("{s:o, s:o}", "nodes", nodes, "costs", costs);
    gcal_json_print(all, "export");
    json_decref(all);
}

static int run(struct export_command *c, struct gcal_error *err)
{
    struct gcal_arena *arena = c->what.arena;
    size_t target = c->json ? 0 : find_target(c->to);
    struct gcal_export_speeds speeds = { 0 };
    const char *path;

    if ((!c->json && choose_layout(targets[target], &c->what, err) < 0))
        return -1;
    c->what.n_kernels = c->profiles.n;
    c->what.kernels = gcal_arena_alloc(arena, c->profiles.n, sizeof(*c->what.kernels));
    for (size_t i = 0; i < c->profiles.n; i++)
        if (read_kernel(c, i, err) < 0)
            return -1;
    if (!(path = gcal_command_store_path(arena, c->store, NULL, err)) ||
        !(c->what.store = gcal_command_store_open(arena, path, false, err)))
        return -1;
    if (!c->json && targets[target]->run)
        return targets[target]->run(&c->what, c->options[target], err);
    if (gcal_export_speeds_find(&c->what, &speeds, err) < 0)
        return -1;
    if (c->json)
        print_json(&speeds);
    else {
        const char *text = targets[target]->text(&c->what, &speeds, err);

        return text ? gcal_command_write(c->what.output, text, err) : -1;
    }
    return 0;
}

int gcal_command_export(int argc, char **argv)
{
    struct argp_child children[N_COMMON + N_TARGETS + 1] = { 0 };
    struct argp_option with_names[sizeof(options) / sizeof(*options)];
    struct argp with_targets = argp;
    char names[MAX_LIST] = { 0 };
    struct export_command c = { .what = { .arena = gcal_arena_create() } };
    struct gcal_error err = { 0 };
    int rc;

    memcpy(children, common, sizeof(common));
    memcpy(with_names, options, sizeof(options));
    with_names[0].arg = list_targets("|", names);
    for (size_t i = 0; i < N_TARGETS; i++) {
        c.options[i] = gcal_arena_alloc(c.what.arena, 1, targets[i]->options_size);
        children[N_COMMON + i] = (struct argp_child){
            .argp = targets[i]->argp, .header = i ? NULL : "Targets:", .group = (int)i + 1
        };
    }
    with_targets.options = with_names;
    with_targets.children = children;
    gcal_command_parse(&with_targets, argc, argv, &c);
    rc = run(&c, &err);
    gcal_arena_destroy(c.what.arena);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
