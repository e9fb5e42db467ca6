/* export.c - gpucal export: published speeds in the formats of schedulers */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"
#include "store/files/store.h"

#define MAX_PROFILE_BYTES (16u << 20)

/* Each is defined in the file that has its name. */
extern const struct gcal_export_target gcal_export_slurm, gcal_export_flux,
    gcal_export_starpu, gcal_export_nfd, gcal_export_gavel, gcal_export_pal;
static const struct gcal_export_target *const targets[] = {
    &gcal_export_slurm, &gcal_export_flux,  &gcal_export_starpu,
    &gcal_export_nfd,   &gcal_export_gavel, &gcal_export_pal,
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

static void add_at(struct export_command *c, const char *text, struct argp_state *state)
{
    struct at *ats =
        gcal_array_grow(c->ats, c->n_ats, &c->ats_capacity, sizeof(*ats), NULL);

    if (!ats)
        gcal_option_out_of_memory(state);
    c->ats = ats;
    ats[c->n_ats++] = (struct at){ c->profiles.n, text };
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
        gcal_option_list_add(&c->profiles, arg, state);
        break;
    case 'A':
        if (!c->profiles.n)
            argp_error(state, "--at must follow the --profile whose sizes it gives");
        add_at(c, arg, state);
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
           "  gpucal export --to nfd -o labels\n"
           "  gpucal export --to pal > scores.csv\n\n"
           "gpucal-schedulers(7) explains how to use the output.",
};

/* ---- kernels ---- */

static int read_profile(struct gcal_export_kernel *k, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_read(k->file, MAX_PROFILE_BYTES, err);
    int rc = root ? gcal_profile_set_decode(root, &k->counted, err) : -1;

    gcal_yaml_destroy(root);
    k->profile = k->counted.profiles[0];
    return rc;
}

static int add_sizes(struct gcal_export_kernel *k, const char *at, struct gcal_error *err)
{
    const struct gcal_profile *p = k->profile;
    struct gcal_count_points points;
    double *moved;

    if (gcal_count_points_parse(at ? 1 : 0, &at, p, NULL, &points, err) < 0)
        return gcal_error_prefix(err, "%s", k->file);
    moved = reallocarray(k->sizes, (k->n_sizes + points.n) * (p->n_parameters + 1),
                         sizeof(*moved));
    if (moved) {
        k->sizes = moved;
        for (size_t i = 0; i < points.n * p->n_parameters; i++)
            moved[k->n_sizes * p->n_parameters + i] = points.values[i];
        k->n_sizes += points.n;
    }
    gcal_count_points_clear(&points);
    return moved ? 0 : gcal_error_memory(err);
}

static int read_kernel(const struct export_command *c, size_t i, struct gcal_error *err)
{
    struct gcal_export_kernel *k = &c->what.kernels[i];

    k->file = c->profiles.items[i];
    if (read_profile(k, err) < 0)
        return -1;
    for (size_t a = 0; a < c->n_ats; a++)
        if (c->ats[a].profile == i + 1 && add_sizes(k, c->ats[a].text, err) < 0)
            return -1;
    return k->n_sizes ? 0 : add_sizes(k, NULL, err);
}

static int read_kernels(struct export_command *c, struct gcal_error *err)
{
    c->what.kernels = calloc(c->profiles.n + 1, sizeof(*c->what.kernels));
    if (!c->what.kernels)
        return gcal_error_memory(err);
    c->what.n_kernels = c->profiles.n;
    for (size_t i = 0; i < c->profiles.n; i++)
        if (read_kernel(c, i, err) < 0)
            return -1;
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

static int write_text(const struct gcal_export_target *target,
                      const struct gcal_export *e, struct gcal_error *err)
{
    struct gcal_export_speeds speeds = { 0 };
    char *text = NULL;
    int rc = -1;

    if (gcal_export_speeds_find(e, &speeds, err) == 0 &&
        (text = target->text(e, &speeds, err)))
        rc = gcal_command_write(e->output, text, err);
    free(text);
    gcal_export_speeds_clear(&speeds);
    return rc;
}

static int export(const struct export_command *c, struct gcal_error *err)
{
    size_t i = c->json ? 0 : find_target(c->to);

    if (c->json)
        return gcal_export_print_json(&c->what, err);
    return targets[i]->text ? write_text(targets[i], &c->what, err)
                            : targets[i]->run(&c->what, c->options[i], err);
}

static int run(struct export_command *c, struct gcal_error *err)
{
    struct gcal_store *store = NULL;
    char *path = NULL;
    int rc = -1;

    if ((!c->json && choose_layout(targets[find_target(c->to)], &c->what, err) < 0) ||
        read_kernels(c, err) < 0 ||
        !(path = gcal_command_store_path(c->store, NULL, err)) ||
        !(store = gcal_command_store_open(path, false, err)))
        goto out;
    c->what.store = store;
    rc = export(c, err);
out:
    gcal_store_close(store);
    free(path);
    return rc;
}

/* Takes the options of the command and of all targets. */
static int read_options(struct export_command *c, int argc, char **argv,
                        struct gcal_error *err)
{
    struct argp_child children[N_COMMON + N_TARGETS + 1] = { 0 };
    struct argp_option with_names[sizeof(options) / sizeof(*options)];
    struct argp with_targets = argp;
    char names[MAX_LIST] = { 0 };

    memcpy(children, common, sizeof(common));
    memcpy(with_names, options, sizeof(options));
    with_names[0].arg = list_targets("|", names);
    for (size_t i = 0; i < N_TARGETS; i++) {
        if (!(c->options[i] = calloc(1, targets[i]->options_size + 1)))
            return gcal_error_memory(err);
        children[N_COMMON + i] = (struct argp_child){
            .argp = targets[i]->argp, .header = i ? NULL : "Targets:", .group = (int)i + 1
        };
    }
    with_targets.options = with_names;
    with_targets.children = children;
    gcal_command_parse(&with_targets, argc, argv, c);
    return 0;
}

static void clear(struct export_command *c)
{
    for (size_t i = 0; i < c->what.n_kernels; i++) {
        gcal_profile_set_clear(&c->what.kernels[i].counted);
        free(c->what.kernels[i].sizes);
    }
    for (size_t i = 0; i < N_TARGETS; i++) {
        if (targets[i]->clear && c->options[i])
            targets[i]->clear(c->options[i]);
        free(c->options[i]);
    }
    free(c->what.kernels);
    free(c->profiles.items);
    free(c->ats);
}

int gcal_command_export(int argc, char **argv)
{
    struct export_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc = read_options(&c, argc, argv, &err);

    if (rc == 0)
        rc = run(&c, &err);
    clear(&c);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
