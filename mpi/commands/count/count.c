/* count.c - gpucal count: counts the features of a kernel from its source, or strips it
 * to part of its work
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/base/threads.h"
#include "kernels/model/built.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/built.h"
#include "mpi/commands/count/features.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/count/sizes.h"
#include "kernels/base/arena.h"

/* ---- gpucal count --remove: derives a kernel that does only part of the work ---- */

enum { REMOVE = 512, KEEP, DROP, ACCUMULATORS, ON_CHIP, MEMORY, NO_BARRIERS };

static const struct argp_option remove_options[] = {
    { "remove", REMOVE, NULL, 0,
      "Instead of counts, print the kernel stripped to part of its work: its global "
      "loads, or what the options below say",
      3 },
    { "keep", KEEP, "NAME[,NAME]", 0,
      "With --remove: keep only the global loads of these arrays, or with these tags "
      "(default: all "
      "global loads); with --memory their stores, too",
      3 },
    { "drop", DROP, "NAME[,NAME]", 0,
      "With --remove: remove the global accesses of these arrays, or with these tags, "
      "and keep the "
      "others "
      "that --keep could name",
      3 },
    { "accumulators", ACCUMULATORS, "N", 0,
      "With --remove: add up the loads in N independent sums in turn (default: 1)", 0 },
    { "on-chip", ON_CHIP, NULL, 0,
      "With --remove: keep arithmetic, local memory and barriers, and replace global "
      "loads by values "
      "unknown to the compiler",
      3 },
    { "memory", MEMORY, NULL, 0,
      "With --remove: keep only global accesses, stores included, and barriers; stores "
      "write the sum of "
      "the loads so far",
      3 },
    { "no-barriers", NO_BARRIERS, NULL, 0, "With --memory: remove barriers as well", 3 },
    { 0 },
};

static void parse_keep(struct gcal_count_removal *c, const char *text,
                       struct argp_state *state)
{
    struct gcal_arena *arena = gcal_option_arena();
    char *rest = gcal_arena_strdup(arena, text);

    if (c->n_keep)
        argp_error(state,
                   "--keep or --drop given twice; separate names by commas, as in a,b");
    for (char *name; (name = strsep(&rest, ","));) {
        if (!*name)
            argp_error(state, "--%s: expected arrays or tags such as a,b, found '%s'",
                       c->drop ? "drop" : "keep", text);
        c->keep =
            gcal_arena_grow(arena, c->keep, c->n_keep, &c->keep_capacity, sizeof(name));
        c->keep[c->n_keep++] = name;
    }
}

static void check(const struct gcal_count_removal *c, struct argp_state *state)
{
    if (!c->asked && (c->n_keep || c->n_accumulators || c->on_chip || c->memory))
        argp_error(state, "--%s requires --remove",
                   c->on_chip   ? "on-chip"
                   : c->memory  ? "memory"
                   : !c->n_keep ? "accumulators"
                   : c->drop    ? "drop"
                                : "keep");
    if (c->on_chip && (c->n_keep || c->n_accumulators))
        argp_error(state, "--on-chip keeps no global loads: it excludes --keep, --drop "
                          "and --accumulators");
    if (c->memory && c->on_chip)
        argp_error(state, "--memory keeps global accesses and nothing else: it excludes "
                          "--on-chip");
    if (c->drop_barriers && !c->memory)
        argp_error(state, "--no-barriers requires --memory");
}

static error_t parse_remove(int key, char *arg, struct argp_state *state)
{
    struct gcal_count_removal *c = state->input;
    char *end;

    switch (key) {
    case REMOVE:
        c->asked = true;
        break;
    case KEEP:
        parse_keep(c, arg, state);
        break;
    case DROP:
        c->drop = true;
        parse_keep(c, arg, state);
        break;
    case ACCUMULATORS:
        c->n_accumulators = (size_t)strtol(arg, &end, 10);
        if (end == arg || *end || c->n_accumulators < 1 || c->n_accumulators > 64)
            argp_error(state,
                       "--accumulators: expected a number from 1 to 64, found '%s'", arg);
        break;
    case ON_CHIP:
        c->on_chip = true;
        break;
    case MEMORY:
        c->memory = true;
        break;
    case NO_BARRIERS:
        c->drop_barriers = true;
        break;
    case ARGP_KEY_END:
        check(c, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gcal_count_removal_argp = { .options = remove_options,
                                              .parser = parse_remove };

/* Writes the derived kernel to a file; 'path' NULL: to standard output. */
static int write_removal(const struct gcal_count_removal *c,
                         const struct gcal_count_options *count, const char *path,
                         struct gcal_error *err)
{
    struct gcal_remove_options removal = { .form = c->on_chip  ? GCAL_REMOVE_KEEP_ONCHIP
                                                   : c->memory ? GCAL_REMOVE_KEEP_MEMORY
                                                               : GCAL_REMOVE_KEEP_LOADS,
                                           .n_keep = c->n_keep,
                                           .keep = c->keep,
                                           .drop = c->drop,
                                           .n_accumulators = c->n_accumulators,
                                           .drop_barriers = c->drop_barriers };
    char *text = gcal_count_options_remove(count, &removal, err);
    int rc = text ? gcal_command_write(path, text, err) : -1;

    free(text);
    return rc;
}

/* ---- gpucal count: counts the features of a kernel from its source, or strips it ---- */

struct count_command {
    struct gcal_count_options count;
    struct gcal_count_removal removal;
    size_t sub_group, wave; /* 0: not given */
    const char *output, *csv;
    bool yaml, json;
};

enum { SUB_GROUP = 256, WAVE, TRAFFIC, INDEX_ARITHMETIC, NO_CACHE };

static const struct argp_option options[] = {
    { "sub-group", SUB_GROUP, "N", 0,
      "Sub-group (warp, wavefront) size of the counts, for which a profile is then "
      "valid; "
      "by default 32 of CUDA; else counts contain the name sub_group_size, and a profile "
      "has "
      "those for 8, 16, 32 and 64",
      0 },
    { "banks", 'B', "COUNT", 0,
      "Number of local-memory banks of 4 bytes (often 32): counts the passes that bank "
      "conflicts cost (f_local_pass)",
      0 },
    { "traffic", TRAFFIC, "BYTES", OPTION_ARG_OPTIONAL,
      "Count memory traffic in sectors of this size (default 32): the sectors and lines "
      "that sub-groups access, and footprints (f_sector, f_line, f_footprint_...)",
      0 },
    { "index-arithmetic", INDEX_ARITHMETIC, NULL, 0,
      "Count the affine integer arithmetic of subscripts and loop control, comparisons, "
      "selections, negations and conversions as well (f_index_..., f_aux_...)",
      0 },
    { "wave", WAVE, "GROUPS", 0,
      "Work-groups that are resident at a time, for values of f_footprint_wave and "
      "f_overlap_wave, whose counts contain the name wave_groups",
      0 },
    { "format", 'f', "text|yaml", 0, "Print a table (default) or the profile", 0 },
    { "output", 'o', "PROFILE", 0,
      "Write the profile for 'gpucal predict' and libgpucal to this file: all that "
      "models "
      "need, on any device; with --remove, the kernel",
      0 },
    { "no-cache", NO_CACHE, NULL, 0,
      "Count anew, even if the same kernel has been counted before", 0 },
    { 0 },
};

static void parse_traffic(struct gcal_count_options *o, const char *text,
                          struct argp_state *state)
{
    static const long sizes[] = { 8, 16, 32, 64, 128 };
    char *end;
    long bytes = text ? strtol(text, &end, 10) : 32;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        if (bytes == sizes[i] && (!text || (end > text && !*end)))
            o->sector_bytes = (size_t)bytes;
    if (!o->sector_bytes)
        argp_error(state, "--traffic: expected 8, 16, 32, 64 or 128, found '%s'", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct count_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->count, &c->json, &c->csv, &c->removal);
        c->count.at_sizes = true;
        break;
    case SUB_GROUP:
        c->sub_group = gcal_option_count(arg, "--sub-group", 65536, state);
        break;
    case 'B':
        c->count.n_banks = gcal_option_count(arg, "--banks", 65536, state);
        break;
    case TRAFFIC:
        parse_traffic(&c->count, arg, state);
        break;
    case INDEX_ARITHMETIC:
        c->count.index_arithmetic = true;
        break;
    case NO_CACHE:
        c->count.no_cache = true;
        break;
    case WAVE:
        c->wave = gcal_option_count(arg, "--wave", 1 << 30, state);
        break;
    case 'f':
        c->yaml = strcmp(arg, "yaml") == 0;
        break;
    case 'o':
        c->output = arg;
        break;
    case ARGP_KEY_END:
        if (!c->count.file)
            argp_error(state, "expected a file with a kernel");
        /* HIP's may have 32 or 64 lanes; a profile has counts for all sizes. */
        if (!c->sub_group && !c->output &&
            gcal_count_options_language(&c->count) == GCAL_SOURCE_CUDA)
            c->sub_group = 32;
        if (c->count.n_banks && !c->sub_group)
            argp_error(state, "--banks requires --sub-group");
        if (c->count.sector_bytes && !c->sub_group)
            argp_error(state, "--traffic requires --sub-group");
        if (c->yaml && c->json)
            argp_error(state, "--json excludes --format yaml");
        if (c->removal.asked && (c->yaml || c->json || c->csv || c->sub_group ||
                                 c->wave || c->count.ats.n || c->count.build))
            argp_error(state, "--remove prints a kernel and not its counts: it excludes "
                              "--format, --json, --csv, --sub-group, --wave, --at and "
                              "--build");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_count_options_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(csv),
                                              { &gcal_count_removal_argp, 0, NULL, 0 },
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE.cl",
    .children = children,
    .doc =
        "Counts the operations, memory accesses, atomics and barriers of an OpenCL C "
        "kernel from its source, as expressions in its sizes.\v"
        "Counts per 'work-item' and 'sub-group' are sums over the NDRange, with partial "
        "sub-groups rounded up; counts per 'kernel' are per launch, those of barriers of "
        "one work-item.  Of a condition on data, or one that cannot be counted exactly, "
        "both sides are counted and marked as estimates (~), with a note; a loop whose "
        "trips cannot be counted is refused, some unless --allow-estimates is given.\n\n"
        "Examples:\n"
        "  gpucal count matmul.cl --local 16,16 --global n,n --sub-group 32 --at n=64\n"
        "  gpucal count matmul.cl -k tiled -D T=16 -l 16,16 -g n,n -o tiled.yaml\n"
        "  gpucal count matmul.cl -l 16,16 -g n,n --sub-group 32 --traffic --banks 32\n"
        "  gpucal count spmv.cl --local 128 --global rows --trips 9:per_row\n"
        "  gpucal count my.cl -k saxpy -I include --std=CL2.0 -l 64 -g n --at n=2^20\n"
        "  gpucal count tile.cl -l 32,8 -g n,n/4 --sub-group 32 --banks 32 --json\n"
        "  gpucal count mm.cl -l 16,16 -g n,n --remove --keep a,b -o loads.cl\n"
        "  gpucal count mm.cl -k tiled -D T=16 -l 16,16 -g n,n --remove --on-chip",
};

/* ---- the profile of a file: all that models need ---- */

struct full {
    struct gcal_count_options count;
    const size_t *sizes;
    struct gcal_profile **profiles;
};

static int count_size(void *context, size_t i, struct gcal_error *err)
{
    struct full *full = context;

    full->profiles[i] = gcal_count_options_profile(&full->count, full->sizes[i], err);
    return full->profiles[i] ? 0 : -1;
}

/* For each of the usual sizes of sub-groups, or for the one that is given; what drivers say of
 * the built kernel is that of 'as_given' (NULL: nothing).
 */
static char *count_full(const struct count_command *c,
                        const struct gcal_profile *as_given, struct gcal_error *err)
{
    struct gcal_profile_set set = { .n = c->sub_group ? 1 : GCAL_PROFILE_USUAL_SIZES };
    struct full full = { c->count,
                         c->sub_group ? &c->sub_group : gcal_profile_usual_sizes,
                         set.profiles };
    char *yaml = NULL;
    int rc;

    full.count.at_sizes = false; /* the file is one of all sizes */
    full.count.estimate_passes = !c->count.n_banks;
    full.count.n_banks = c->count.n_banks ? c->count.n_banks : GCAL_PROFILE_BANKS;
    full.count.sector_bytes =
        c->count.sector_bytes ? c->count.sector_bytes : GCAL_PROFILE_SECTOR_BYTES;
    full.count.index_arithmetic = true;
    rc = gcal_threads_share(set.n, count_size, &full, err);
    for (size_t k = 0; k < set.n && rc == 0; k++)
        for (size_t i = 0; as_given && i < as_given->n_built && rc == 0; i++)
            rc = gcal_built_set(set.profiles[k], as_given->built[i].device,
                                &as_given->built[i].built, err);
    if (rc == 0)
        yaml = gcal_profile_set_encode(&set, err);
    gcal_profile_set_clear(&set);
    return yaml;
}

/* What is printed, and the sizes: of the counts that the options ask for. */
static int print(const struct count_command *c, struct gcal_profile *profile,
                 struct gcal_error *err)
{
    const struct gcal_option_list *ats = &c->count.ats;
    struct gcal_count_points points = { 0 };
    int rc = ats->n ? gcal_count_points_parse(ats->n, ats->items, profile, &c->count,
                                              &points, err)
                    : 0;

    points.wave_groups = (double)c->wave;
    if (rc == 0 && ats->n && !c->sub_group && gcal_count_features_need_sub_group(profile))
        fprintf(stderr,
                "gpucal: counts per sub-group have no value without --sub-group\n");
    if (rc == 0 && c->csv)
        rc = gcal_count_features_csv(c->csv, profile, (double)c->sub_group, &points, err);
    if (rc == 0 && !c->yaml)
        rc = (c->json ? gcal_count_features_print_json : gcal_count_features_print)(
            profile, (double)c->sub_group, &points, err);
    gcal_count_points_clear(&points);
    return rc;
}

/* Each of several points by itself; of the first of a kernel that is not counted for any sizes
 * 'why' says more.
 */
static int run_each(const struct count_command *c, const struct gcal_strings *each,
                    const struct gcal_error *why, struct gcal_error *err)
{
    json_t *list = json_array();
    int rc = 0;

    for (size_t i = 0; i < each->n && rc == 0; i++) {
        struct count_command one = *c;
        const char *at = each->items[i];
        struct gcal_count_points points = { 0 };
        struct gcal_profile *profile;

        one.count.ats = (struct gcal_option_list){ .n = 1, .items = &at };
        profile = gcal_count_options_profile(&one.count, c->sub_group, err);
        if (!profile && i == 0)
            *err = *why;
        rc = profile ? gcal_count_built_add(&one.count, profile, err) : -1;
        if (rc == 0 && !c->json) {
            rc = print(&one, profile, err);
        } else if (rc == 0 && (rc = gcal_count_points_parse(1, &at, profile, &c->count,
                                                            &points, err)) == 0) {
            json_t *object;

            points.wave_groups = (double)c->wave;
            object =
                gcal_count_features_json(profile, (double)c->sub_group, &points, err);
            rc = object ? json_array_extend(list, object) : -1;
            json_decref(object);
        }
        gcal_count_points_clear(&points);
        gcal_profile_destroy(profile);
    }
    if (rc == 0 && c->json)
        gcal_json_print(list, "count");
    json_decref(list);
    return rc;
}

static int run(const struct count_command *c, struct gcal_error *err)
{
    const struct gcal_option_list *ats = &c->count.ats;
    bool alone = c->yaml && !c->csv && !ats->n && !c->count.build;
    struct gcal_profile *profile =
        alone ? NULL : gcal_count_options_profile(&c->count, c->sub_group, err);
    struct gcal_strings each = { 0 };
    char *yaml = NULL;
    int rc = -1;

    /* A file is one of all points. */
    if (!alone && ats->n && !c->csv && !c->output && !c->yaml &&
        (!profile || gcal_count_lacks_sizes(profile)) &&
        gcal_count_points_each(ats->n, ats->items, &each, profile ? NULL : err) == 0 &&
        each.n > 1) {
        struct gcal_error why = *err;

        rc = run_each(c, &each, &why, err);
        goto out;
    }
    if (!alone && (!profile || gcal_count_built_add(&c->count, profile, err) < 0))
        goto out;
    if ((c->output || c->yaml) && !(yaml = count_full(c, profile, err)))
        goto out;
    if (c->output && gcal_command_write(c->output, yaml, err) < 0)
        goto out;
    rc = profile ? print(c, profile, err) : 0;
    if (rc == 0 && c->yaml)
        rc = gcal_command_write(NULL, yaml, err);
out:
    gcal_strings_clear(&each);
    gcal_profile_destroy(profile);
    free(yaml);
    return rc;
}

int gcal_command_count(int argc, char **argv)
{
    struct count_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = c.removal.asked ? write_removal(&c.removal, &c.count, c.output, &err)
                         : run(&c, &err);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
