/* export.c - gpucal export: what is published, for a scheduler */
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/count/options.h"
#include "mpi/export/export.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "store/files/store.h"

#define MAX_PROFILE_BYTES (16u << 20)

static const struct format {
    const char *name;
    int (*run)(const struct gcal_export *e, struct gcal_error *err);
    const char *layouts[4]; /* of --format, the first is the default; NULL-ended */
} formats[] = {
    { "slurm", gcal_export_slurm, { "table", "conf", "commands" } },
    { "flux", gcal_export_flux, { "commands", "jgf" } },
    { "starpu", gcal_export_starpu, { NULL } },
};

/* An --at belongs to the --profile before it. */
struct at {
    size_t profile; /* 1 for the first, 0 for none */
    const char *text;
};

struct export_command {
    const char *to, *store;
    struct gcal_export what;
    struct gcal_option_list profiles, data;
    size_t n_ats, ats_capacity;
    struct at *ats;
};

enum { TO = 256, DATA, SIZE_BASE };

static const struct argp_option options[] = {
    { "to", TO, "FORMAT", 0, "The format: slurm, flux or starpu (required)", 0 },
    { "format", 'f', "LAYOUT", 0,
      "slurm: table (default), conf (lines of slurm.conf) or commands (of scontrol); "
      "flux: commands (default) or jgf (properties of vertices)",
      0 },
    { "profile", 'p', "FILE", 0,
      "A kernel counted by 'gpucal count -o FILE': speed is that of this kernel "
      "(default: "
      "that of the model's costs); may be repeated",
      0 },
    { "at", 'A', "NAME=VALUE,..", 0,
      "Sizes of the --profile before it, e.g. n=2048,m=64; may be repeated", 0 },
    { "symbol", 'y', "NAME", 0, "starpu: the symbol of the codelet's performance model",
      0 },
    { "data", DATA, "BYTES[:NX,..]", 0,
      "starpu: a data handle of the codelet, as bytes per element and numbers of "
      "elements, expressions in the kernel's sizes; once for each handle, in order",
      0 },
    { "size-base", SIZE_BASE, "EXPR", 0,
      "starpu: the value that size_base of the performance model returns, if it has one",
      0 },
    { "output", 'o', "FILE", 0,
      "The output (default: standard output); starpu: a folder, to be "
      "STARPU_PERF_MODEL_DIR (required)",
      0 },
    { 0 },
};

static void add_at(struct export_command *c, const char *text, struct argp_state *state)
{
    struct at *ats =
        gcal_array_grow(c->ats, c->n_ats, &c->ats_capacity, sizeof(*ats), NULL);

    if (!ats)
        argp_failure(state, GCAL_EINPUT, 0, "out of memory");
    c->ats = ats;
    ats[c->n_ats++] = (struct at){ c->profiles.n, text };
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct export_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->what.nodes, &c->what.device,
                           &c->what.model);
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
    case 'y':
        c->what.symbol = arg;
        break;
    case DATA:
        gcal_option_list_add(&c->data, arg, state);
        c->what.data = c->data.items;
        c->what.n_data = c->data.n;
        break;
    case SIZE_BASE:
        c->what.size_base = arg;
        break;
    case 'o':
        c->what.output = arg;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (did you mean '--to %s'?)", arg, arg);
        break;
    case ARGP_KEY_END:
        if (!c->to)
            argp_error(state, "--to is required: slurm, flux or starpu");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(nodes), GCAL_OPTION(device), GCAL_OPTION(model), { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "Writes the speeds of published nodes in the native format of a scheduler.\v"
           "If a device has several models and --model is not given, 'rates' is used.\n\n"
           "Examples:\n"
           "  gpucal export --to slurm\n"
           "  gpucal export --to slurm --device gpu --profile mm.yaml --at n=4096\n"
           "  gpucal export --to flux | sh\n"
           "  gpucal export --to starpu --symbol mm --profile mm.yaml --at n=256 --at "
           "n=512 \\\n"
           "      --data 4:n,n --data 4:n,n --data 4:n,n -o ~/.starpu/sampling\n\n"
           "gpucal-schedulers(7) explains how to use the output.",
};

/* ---- kernels ---- */

static struct gcal_profile *read_profile(const char *file, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_read(file, MAX_PROFILE_BYTES, err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    return profile;
}

static int add_sizes(struct gcal_export_kernel *k, const char *at, struct gcal_error *err)
{
    const struct gcal_profile *p = k->profile;
    double *moved =
        reallocarray(k->sizes, (k->n_sizes + 1) * (p->n_parameters + 1), sizeof(*moved));

    if (!moved)
        return gcal_error_memory(err);
    k->sizes = moved;
    if (gcal_count_sizes_parse(at, p->n_parameters, (const char *const *)p->parameters,
                               k->sizes + k->n_sizes * p->n_parameters, err) < 0)
        return gcal_error_prefix(err, "%s", k->file);
    k->n_sizes++;
    return 0;
}

static int read_kernel(const struct export_command *c, size_t i, struct gcal_error *err)
{
    struct gcal_export_kernel *k = &c->what.kernels[i];

    k->file = c->profiles.items[i];
    if (!(k->profile = read_profile(k->file, err)))
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

/* ---- for the formats ---- */

int gcal_export_nodes(const struct gcal_export *e, char ***names, size_t *count,
                      struct gcal_error *err)
{
    size_t n, kept = 0;

    if (gcal_store_nodes(e->store, names, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!e->nodes || fnmatch(e->nodes, (*names)[i], 0) == 0)
            (*names)[kept++] = (*names)[i];
        else
            free((*names)[i]);
    *count = kept;
    if (kept)
        return 0;
    gcal_store_names_free(*names, 0);
    return gcal_error_set(err, GCAL_EINPUT, "none of the %zu published nodes matches %s",
                          n, e->nodes ? e->nodes : "*");
}

const char *gcal_export_model(const struct gcal_export *e,
                              const struct gcal_params_device *device)
{
    if (e->model)
        return e->model;
    return device->n_models == 1 ? device->models[0].name : "rates";
}

bool gcal_export_matches(const struct gcal_export *e,
                         const struct gcal_params_device *device)
{
    return gcal_local_device_matches(&device->info, e->device ? 1 : 0, &e->device);
}

void gcal_export_quote(struct gcal_buf *buf, const char *text)
{
    gcal_buf_puts(buf, "'");
    for (; *text; text++)
        if (*text == '\'')
            gcal_buf_puts(buf, "'\\''");
        else
            gcal_buf_put(buf, text, 1);
    gcal_buf_puts(buf, "'");
}

/* ---- the command ---- */

static const struct format *find_format(const char *name, struct gcal_error *err)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    gcal_error_set(err, GCAL_EINPUT,
                   "--to: no format '%s'; there are slurm, flux and starpu", name);
    return NULL;
}

static int choose_layout(const struct format *format, struct gcal_export *e,
                         struct gcal_error *err)
{
    if (!e->layout) {
        e->layout = format->layouts[0];
        return 0;
    }
    for (size_t i = 0; format->layouts[i]; i++)
        if (strcmp(format->layouts[i], e->layout) == 0)
            return 0;
    return gcal_error_set(err, GCAL_EINPUT, "--to %s has no --format '%s' (see --help)",
                          format->name, e->layout);
}

static int run(struct export_command *c, struct gcal_error *err)
{
    const struct format *format = find_format(c->to, err);
    char *path = NULL;
    struct gcal_store *store = NULL;
    int rc = -1;

    if (!format || choose_layout(format, &c->what, err) < 0 || read_kernels(c, err) < 0 ||
        !(path = gcal_command_store_path(c->store, NULL, err)) ||
        !(store = gcal_command_store_open(path, false, err)))
        goto out;
    c->what.store = store;
    rc = format->run(&c->what, err);
out:
    gcal_store_close(store);
    free(path);
    return rc;
}

int gcal_command_export(int argc, char **argv)
{
    struct export_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    for (size_t i = 0; i < c.what.n_kernels; i++) {
        gcal_profile_destroy(c.what.kernels[i].profile);
        free(c.what.kernels[i].sizes);
    }
    free(c.what.kernels);
    free(c.profiles.items);
    free(c.data.items);
    free(c.ats);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
