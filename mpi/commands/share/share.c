/* share.c - gpucal share: a job's work divided over the devices of its nodes
 *
 * The same as a program gets from libgpucal, through its own functions.
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/sizes.h"
#include "store/lib/gpucal.h"

struct share_command {
    const char *profile, *nodes, *divide;
    struct gcal_option_list at;
    const char *store, *device, *model;
    double granularity;
    bool json;
};

struct division {
    struct gcal_arena *arena;
    const struct share_command *command;
    struct gpucal_store *store;
    struct gpucal_profile *profile;
    double *sizes, units; /* the divided size is 'unit' */
    size_t unit;
    size_t n, capacity;
    struct gpucal_device **devices; /* n, as the shares */
    struct gpucal_share *shares;
    double expected_s;
    size_t fastest;   /* the device that alone ends first */
    double fastest_s; /* then; infinite: none holds all */
};

enum { NODES = 256, DIVIDE, GRANULARITY };

static const struct argp_option options[] = {
    { "nodes", NODES, "NODE,..", 0,
      "The nodes, separated by commas or blanks (default: this node)", 0 },
    { "divide", DIVIDE, "NAME=UNITS", 0,
      "The size that is divided, and its value (required)", 0 },
    { "granularity", GRANULARITY, "UNITS", 0,
      "All shares are multiples of this, but for a remainder (default: 1)", 0 },
    { "at", 'A', "NAME=VALUE,..", 0,
      "The other sizes, e.g. n=1024,m=2^10; may be repeated", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct share_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->device, &c->model, &c->json);
        break;
    case NODES:
        c->nodes = arg;
        break;
    case DIVIDE:
        c->divide = arg;
        break;
    case GRANULARITY:
        c->granularity = gcal_option_positive(arg, "", "--granularity", state);
        break;
    case 'A':
        gcal_option_list_add(&c->at, arg);
        break;
    case ARGP_KEY_ARG:
        if (c->profile)
            argp_error(state, "one profile, not '%s' and '%s'", c->profile, arg);
        c->profile = arg;
        break;
    case ARGP_KEY_END:
        if (!c->profile)
            argp_error(state, "which kernel? Give a profile: 'gpucal count -o FILE'");
        if (!c->divide)
            argp_error(state, "what is divided? Give --divide NAME=UNITS");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(device), GCAL_OPTION(model), GCAL_OPTION(json), { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "PROFILE",
    .children = children,
    .doc =
        "Divides a job's work over all devices of its nodes, for the shortest expected "
        "time until the last has ended.  PROFILE is of the kernel that does the work, "
        "made by 'gpucal count -o PROFILE'.\v"
        "Examples:\n"
        "  gpucal share mm.yaml --divide n=4096 --granularity 16\n"
        "  gpucal share mm.yaml --divide n=2^14 --nodes \"$(scontrol show "
        "hostnames)\"\n\n"
        "Times are the kernel's, without copies; libgpucal's gpucal_split() has them as "
        "well.  A device whose time is not certain and that adds little gets little, or "
        "nothing.",
};

static int take_error(const struct gpucal_error *from, struct gcal_error *err)
{
    gcal_error_set(err, GCAL_EINPUT, "%s", from->text);
    return -1;
}

/* ---- sizes ---- */

static int set_size(struct division *d, const char *name, const char *value, size_t *at,
                    struct gcal_error *err)
{
    struct gpucal_error why = { 0 };
    int index = gpucal_profile_parameter_index(d->profile, name, &why);

    if (index < 0)
        return take_error(&why, err);
    if (!isnan(d->sizes[index]))
        return gcal_error_set(err, GCAL_EINPUT, "size %s is given twice", name);
    *at = (size_t)index;
    if (gcal_count_value_parse(value, &d->sizes[index], err) < 0)
        return gcal_error_prefix(err, "size %s", name);
    return 0;
}

/* Sets the sizes of a list NAME=VALUE,..; '*at': the place of the last. */
static int set_sizes(struct division *d, const char *list, size_t *at,
                     struct gcal_error *err)
{
    char *text = gcal_arena_format(d->arena, "%s", list), *rest = text, *item;

    while ((item = strsep(&rest, ","))) {
        char *value = strchr(item, '=');

        if (!value)
            return gcal_error_set(err, GCAL_EINPUT, "'%s': expected NAME=VALUE", item);
        *value++ = '\0';
        if (set_size(d, item, value, at, err) < 0)
            return -1;
    }
    return 0;
}

static int read_sizes(struct division *d, struct gcal_error *err)
{
    size_t n = gpucal_profile_parameter_count(d->profile), at = 0;

    d->sizes = gcal_arena_alloc(d->arena, n + 1, sizeof(*d->sizes));
    for (size_t i = 0; i < n; i++)
        d->sizes[i] = NAN;
    if (strchr(d->command->divide, ','))
        return gcal_error_set(err, GCAL_EINPUT, "--divide %s: one size is divided",
                              d->command->divide);
    for (size_t i = 0; i < d->command->at.n; i++)
        if (set_sizes(d, d->command->at.items[i], &at, err) < 0)
            return -1;
    if (set_sizes(d, d->command->divide, &d->unit, err) < 0)
        return -1;
    d->units = d->sizes[d->unit];
    for (size_t i = 0; i < n; i++)
        if (isnan(d->sizes[i]))
            return gcal_error_set(err, GCAL_EINPUT, "give size %s by --at",
                                  gpucal_profile_parameter(d->profile, i));
    return 0;
}

/* ---- devices ---- */

/* Only if it is of those that are asked for. */
static int add_device(struct division *d, const char *node, const char *uid,
                      struct gcal_error *err)
{
    struct gpucal_error why = { 0 };
    struct gpucal_device *device = gpucal_device_open(d->store, node, uid, &why);
    struct gcal_device_info info;
    struct gpucal_share *share;
    size_t capacity = d->capacity;

    if (!device)
        return take_error(&why, err);
    info = (struct gcal_device_info){ .name = (char *)gpucal_device_name(device),
                                      .type = (char *)gpucal_device_type(device),
                                      .uid = (char *)gpucal_device_uid(device),
                                      .device_type = (char *)gpucal_device_kind(device) };
    if (d->command->device && !gcal_device_info_matches(&info, d->command->device)) {
        gpucal_device_close(device);
        return 0;
    }
    d->devices = gcal_arena_grow(d->arena, d->devices, d->n, &capacity,
                                 sizeof(struct gpucal_device *));
    d->shares = gcal_arena_grow(d->arena, d->shares, d->n, &d->capacity,
                                sizeof(struct gpucal_share));
    share = &d->shares[d->n];
    d->devices[d->n++] = device;
    *share = (struct gpucal_share){
        .model = gpucal_model_bind(device, d->command->model, d->profile, &why),
        .sizes = d->sizes,
        .unit = d->unit,
        .size_per_unit = 1,
    };
    if (share->model)
        return 0;
    take_error(&why, err);
    return gcal_error_prefix(err, "%s %s", node, uid);
}

static int add_node(struct division *d, const char *node, struct gcal_error *err)
{
    struct gpucal_error why = { 0 };
    struct gpucal_list *uids;
    int rc = 0;

    if (strpbrk(node, "[]"))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s is a list in Slurm's form: give --nodes "
                              "\"$(scontrol show hostnames)\"",
                              node);
    if (!(uids = gpucal_node_devices(d->store, node, &why)))
        return take_error(&why, err);
    for (size_t i = 0; i < gpucal_list_count(uids) && rc == 0; i++)
        rc = add_device(d, node, gpucal_list_item(uids, i), err);
    gpucal_list_close(uids);
    return rc;
}

static int add_nodes(struct division *d, struct gcal_error *err)
{
    const char *nodes = d->command->nodes;
    char *rest =
        nodes ? gcal_arena_format(d->arena, "%s", nodes) : gcal_node_name(d->arena);
    char *node;

    while ((node = strsep(&rest, ", \t\n")))
        if (*node && add_node(d, node, err) < 0)
            return -1;
    return d->n ? 0
                : gcal_error_set(err, GCAL_EINPUT, "none of the nodes' devices matches");
}

/* ---- the division ---- */

static int divide(struct division *d, struct gcal_error *err)
{
    const struct share_command *c = d->command;
    struct gpucal_error why = { 0 };

    d->store =
        gpucal_store_open(gcal_command_store_path(d->arena, c->store, NULL, err), &why);
    d->profile = d->store ? gpucal_profile_open(c->profile, &why) : NULL;
    if (!d->profile)
        return take_error(&why, err);
    if (read_sizes(d, err) < 0 || add_nodes(d, err) < 0)
        return -1;
    d->fastest_s = INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        struct gpucal_prediction alone;

        if (gpucal_predict(d->shares[i].model, d->sizes, &alone, NULL) == 0 &&
            alone.time_s < d->fastest_s) {
            d->fastest = i;
            d->fastest_s = alone.time_s;
        }
    }
    return gpucal_split(d->shares, d->n, d->units, c->granularity, &d->expected_s, &why) <
                   0
               ? take_error(&why, err)
               : 0;
}

/* ---- output ---- */

static void print_json(const struct division *d)
{
    json_t *shares = json_array();

    for (size_t i = 0; i < d->n; i++) {
        const struct gpucal_share *s = &d->shares[i];

        json_array_append_new(
            shares, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "node",
                              gpucal_device_node(d->devices[i]), "uid",
                              gpucal_device_uid(d->devices[i]), "device",
                              gpucal_device_name(d->devices[i]), "units", s->units,
                              "time_s", s->time_s, "low_s", s->low_s, "high_s", s->high_s,
                              "extrapolates", s->extrapolates));
    }
    gcal_json_print(json_pack("{s:s, s:f, s:f, s:f, s:o}", "divided",
                              gpucal_profile_parameter(d->profile, d->unit), "units",
                              d->units, "granularity", d->command->granularity,
                              "expected_end_s", d->expected_s, "shares", shares),
                    "share");
}

static void print_text(const struct division *d)
{
    const char *size = gpucal_profile_parameter(d->profile, d->unit);
    const struct gcal_column columns[] = {
        { "node", GCAL_COLUMN_TEXT },
        { "device", GCAL_COLUMN_LONG },
        { size, GCAL_COLUMN_NUMBER },
        { "time, ms", GCAL_COLUMN_NUMBER },
        { "90 % interval", GCAL_COLUMN_NUMBER },
    };
    struct gcal_columns *table = gcal_columns_create(d->arena, 5, columns);

    for (size_t i = 0; i < d->n; i++) {
        const struct gpucal_share *s = &d->shares[i];

        gcal_columns_add(
            table,
            (const char *const[]){
                gpucal_device_node(d->devices[i]), gpucal_device_name(d->devices[i]),
                gcal_arena_format(d->arena, "%.15g", s->units),
                s->units > 0 ? gcal_arena_format(d->arena, "%.4g", 1e3 * s->time_s) : "-",
                s->units > 0 ? gcal_arena_format(d->arena, "%.4g to %.4g", 1e3 * s->low_s,
                                                 1e3 * s->high_s)
                             : "-" },
            GCAL_COLUMN_PLAIN);
    }
    gcal_columns_print(table, 0);
    printf("expected end of the last: %.4g ms", 1e3 * d->expected_s);
    if (d->n > 1 && isfinite(d->fastest_s))
        printf("; %s %s alone: predicted %.4g ms",
               gpucal_device_node(d->devices[d->fastest]),
               gpucal_device_name(d->devices[d->fastest]), 1e3 * d->fastest_s);
    putchar('\n');
}

int gcal_command_share(int argc, char **argv)
{
    struct share_command c = { .granularity = 1 };
    struct division d = { .command = &c };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    d.arena = gcal_arena_create();
    rc = divide(&d, &err);
    if (rc == 0 && c.json)
        print_json(&d);
    else if (rc == 0)
        print_text(&d);
    for (size_t i = 0; i < d.n; i++) {
        gpucal_model_close((struct gpucal_model *)d.shares[i].model);
        gpucal_device_close(d.devices[i]);
    }
    gpucal_profile_close(d.profile);
    gpucal_store_close(d.store);
    gcal_arena_destroy(d.arena);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
