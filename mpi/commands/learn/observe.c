/* observe.c - gpucal observe: times of known kernels from a file, as programs tell them to the library */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/learn/private.h"
#include "store/lib/gpucal.h"

struct observe_command {
    const char *file, *store, *node, *device, *profile;
};

static const struct argp_option options[] = {
    { "profile", 'p', "PROFILE", 0,
      "The kernel's profile, for a file without a column 'profile'", 0 },
    { "node", 'N', "NODE", 0, "The node that took the times (default: this one)", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct observe_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->device);
        break;
    case 'p':
        c->profile = arg;
        break;
    case 'N':
        c->node = arg;
        break;
    case ARGP_KEY_ARG:
        if (c->file)
            return ARGP_ERR_UNKNOWN;
        c->file = arg;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected TIMES.csv, or - for standard input");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(store),
                                              GCAL_OPTION(device),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "TIMES.csv",
    .children = children,
    .doc =
        "Tells the store times that launches of known kernels took, in their order, as "
        "gpucal_observe() does within a program.  'gpucal store merge', or the next "
        "publication, corrects the kernels' models by them.\v"
        "TIMES.csv has a column of times, whose name ends in its unit (time_us), and one "
        "for each size of a kernel, empty where it is another's.  Columns 'profile' "
        "(made "
        "by 'gpucal count -o PROFILE') and 'device' (a pattern) are for kernels and "
        "devices of several kinds.\n\n"
        "Examples:\n"
        "  gpucal observe times.csv --profile saxpy.yaml\n"
        "  my_program | gpucal observe - --node n17 --device '*H100*'\n"
        "Exit status: 0 good, 1 bad input."
};

/* Handles of the library, by the names that rows have of them. */
struct handles {
    size_t n, capacity;
    struct handle {
        const char *name;
        void *of;
    } * items;
};

struct row {
    const struct gpucal_device *device;
    const struct gpucal_profile *profile;
    double *sizes;
};

struct observing {
    struct gcal_arena *arena;
    const struct observe_command *c;
    struct gpucal_store *store;
    struct handles devices, profiles;
};

/* A handle that is there, or a new one; NULL with 'why'. */
static void *find_handle(struct observing *o, struct handles *h, const char *name,
                         struct gpucal_error *why)
{
    struct handle *new;

    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->items[i].name, name) == 0)
            return h->items[i].of;
    h->items = gcal_arena_grow(o->arena, h->items, h->n, &h->capacity, sizeof(*h->items));
    new = &h->items[h->n];
    new->name = name;
    new->of = h == &o->profiles
                  ? (void *)gpucal_profile_open(name, why)
                  : (void *)gpucal_device_open(
                        o->store, o->c->node ? o->c->node : gcal_node_name(o->arena),
                        *name ? name : NULL, why);
    h->n += new->of != NULL;
    return new->of;
}

/* Its sizes, all of them and no others. */
static int read_row(struct observing *o, const struct gcal_learn_taken *taken,
                    struct row *row, struct gcal_error *err)
{
    const char *profile =
        taken->profile && *taken->profile ? taken->profile : o->c->profile;
    const char *device = taken->device ? taken->device : o->c->device;
    struct gpucal_error why = { 0 };
    size_t n;

    if (!taken->sizes)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "launches without the kernel's sizes: 'gpucal learn --times' "
            "looks these up (--at)");
    if (!profile || !*profile)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "no column 'profile' says which kernel it is: give --profile");
    if (!(row->profile = find_handle(o, &o->profiles, profile, &why)) ||
        !(row->device = find_handle(o, &o->devices, device ? device : "", &why)))
        return gcal_error_set(err, GCAL_EINPUT, "%s", why.text);
    n = gpucal_profile_parameter_count(row->profile);
    row->sizes = gcal_arena_alloc(o->arena, n, sizeof(*row->sizes));
    for (size_t i = 0; i < n; i++)
        row->sizes[i] = NAN;
    for (const char *at = taken->sizes; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, "=");
        int place = gpucal_profile_parameter_index(
            row->profile, gcal_arena_format(o->arena, "%.*s", (int)length, at), &why);
        char *end;

        if (place < 0)
            return gcal_error_set(err, GCAL_EINPUT, "%s", why.text);
        row->sizes[place] = strtod(at + length + 1, &end);
        at = end;
    }
    for (size_t i = 0; i < n; i++)
        if (isnan(row->sizes[i]))
            return gcal_error_set(err, GCAL_EINPUT, "no size '%s', which %s has",
                                  gpucal_profile_parameter(row->profile, i), profile);
    return 0;
}

/* Nothing is told before all rows are good. */
static int observe(struct observing *o, struct gcal_error *err)
{
    const char *path = gcal_command_store_path(o->arena, o->c->store, NULL, err);
    struct gpucal_error why = { 0 };
    struct gcal_learn_file file;
    struct row *rows;
    size_t n_told = 0;

    if (!path || gcal_learn_read_file(o->arena, o->c->file, true, &file, err) < 0)
        return -1;
    if (!(o->store = gpucal_store_open(path, &why)))
        return gcal_error_set(err, GCAL_EINPUT, "%s", why.text);
    rows = gcal_arena_alloc(o->arena, file.n, sizeof(*rows));
    for (size_t i = 0; i < file.n; i++)
        if (read_row(o, &file.times[i], &rows[i], err) < 0)
            return gcal_error_prefix(err, "%s:%zu", o->c->file, file.times[i].line);
    for (size_t i = 0; i < file.n; i++) {
        int told = gpucal_observe(rows[i].device, rows[i].profile, rows[i].sizes,
                                  file.times[i].time_s, &why);

        if (told < 0)
            return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: %s", o->c->file,
                                  file.times[i].line, why.text);
        n_told += told > 0;
    }
    printf("gpucal: told the store %zu of %zu time%s of %zu kernel%s: without first "
           "launches, and those at sizes that have enough; 'gpucal store merge' learns "
           "from them\n",
           n_told, file.n, file.n > 1 ? "s" : "", o->profiles.n,
           o->profiles.n > 1 ? "s" : "");
    return 0;
}

int gcal_command_observe(int argc, char **argv)
{
    struct observe_command c = { 0 };
    struct observing o = { .arena = gcal_arena_create(), .c = &c };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = observe(&o, &err);
    for (size_t i = 0; i < o.devices.n; i++)
        gpucal_device_close(o.devices.items[i].of);
    for (size_t i = 0; i < o.profiles.n; i++)
        gpucal_profile_close(o.profiles.items[i].of);
    gpucal_store_close(o.store);
    gcal_arena_destroy(o.arena);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
