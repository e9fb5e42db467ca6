/* count.c - gpucal count: counts the features of a kernel from its source */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/count/built.h"
#include "mpi/count/features.h"
#include "mpi/count/options.h"
#include "mpi/count/sizes.h"

struct count_command {
    struct gcal_count_options count;
    size_t sub_group, wave; /* 0: not given */
    const char *output, *csv;
    bool yaml, json;
};

enum { SUB_GROUP = 256, WAVE };

static const struct argp_option options[] = {
    { "sub-group", SUB_GROUP, "N", 0,
      "Sub-group (warp, wavefront) size, for which the profile is then valid; by default "
      "counts contain the name sub_group_size, which each device supplies",
      0 },
    { "wave", WAVE, "GROUPS", 0,
      "Work-groups that are resident at a time, for values of f_footprint_wave and "
      "f_overlap_wave, whose counts contain the name wave_groups",
      0 },
    { "format", 'f', "text|yaml", 0, "Print a table (default) or the profile", 0 },
    { "output", 'o', "PROFILE", 0,
      "Write the profile for 'gpucal predict' and libgpucal to this file", 0 },
    { 0 },
};

static size_t parse_number(const char *text, const char *option, long most,
                           struct argp_state *state)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end || number < 1 || number > most)
        argp_error(state, "%s: expected a number from 1 to %ld, found '%s'", option, most,
                   text);
    return (size_t)number;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct count_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->count, &c->json, &c->csv);
        break;
    case SUB_GROUP:
        c->sub_group = parse_number(arg, "--sub-group", 65536, state);
        break;
    case WAVE:
        c->wave = parse_number(arg, "--wave", 1 << 30, state);
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
        if (c->count.n_banks && !c->sub_group)
            argp_error(state, "--banks requires --sub-group");
        if (c->count.sector_bytes && !c->sub_group)
            argp_error(state, "--traffic requires --sub-group");
        if (c->yaml && c->json)
            argp_error(state, "--json excludes --format yaml");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    { &gcal_count_options_argp, 0, NULL, 0 }, GCAL_OPTION(json), GCAL_OPTION(csv), { 0 }
};
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
        "  gpucal count matmul.cl -k tiled -D T=16 -l 16,16 -g n,n --sub-group 32 \\\n"
        "    --banks 32 --traffic --index-arithmetic -o tiled.yaml\n"
        "  gpucal count spmv.cl --local 128 --global rows --trips 9:per_row\n"
        "  gpucal count my.cl -k saxpy -I include --std=CL2.0 -l 64 -g n --at n=2^20\n"
        "  gpucal count tile.cl -l 32,8 -g n,n/4 --sub-group 32 --banks 32 --json",
};

static int run(const struct count_command *c, struct gcal_error *err)
{
    struct gcal_profile *profile =
        gcal_count_options_profile(&c->count, c->sub_group, err);
    const struct gcal_option_list *ats = &c->count.ats;
    struct gcal_count_points points = { 0 };
    char *yaml = NULL;
    int rc = -1;

    if (!profile || gcal_count_built_add(&c->count, profile, err) < 0 ||
        !(yaml = gcal_profile_encode(profile, err)))
        goto out;
    if (ats->n &&
        gcal_count_points_parse(ats->n, ats->items, profile, &c->count, &points, err) < 0)
        goto out;
    points.wave_groups = (double)c->wave;
    if (ats->n && !c->sub_group && gcal_count_features_need_sub_group(profile))
        fprintf(stderr,
                "gpucal: counts per sub-group have no value without --sub-group\n");
    if (c->output && gcal_command_write(c->output, yaml, err) < 0)
        goto out;
    if (c->csv &&
        gcal_count_features_csv(c->csv, profile, (double)c->sub_group, &points, err) < 0)
        goto out;
    if (c->yaml)
        rc = gcal_command_write(NULL, yaml, err);
    else if (c->json)
        rc = gcal_count_features_print_json(profile, (double)c->sub_group, &points, err);
    else
        rc = gcal_count_features_print(profile, (double)c->sub_group, &points, err);
out:
    gcal_count_points_clear(&points);
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
    rc = run(&c, &err);
    gcal_count_options_clear(&c.count);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
