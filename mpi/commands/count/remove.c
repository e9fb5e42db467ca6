/* remove.c - gpucal remove: derives a kernel that does only part of the work */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/option_list.h"
#include "mpi/commands/count/options.h"

struct remove_command {
    struct gcal_count_options count;
    char *names; /* text of --keep or --drop, split at the commas */
    size_t n_keep, keep_capacity;
    const char **keep;
    size_t n_accumulators; /* 0: not given */
    bool drop, on_chip, memory, drop_barriers;
    const char *output;
};

enum { KEEP = 256, DROP, ACCUMULATORS, ON_CHIP, MEMORY, NO_BARRIERS };

static const struct argp_option options[] = {
    { "keep", KEEP, "NAME[,NAME]", 0,
      "Keep only the global loads of these arrays, or with these tags (default: all "
      "global loads); with --memory their stores, too",
      0 },
    { "drop", DROP, "NAME[,NAME]", 0,
      "Remove the global accesses of these arrays, or with these tags, and keep the "
      "others "
      "that --keep could name",
      0 },
    { "accumulators", ACCUMULATORS, "N", 0,
      "Add up the loads in N independent sums in turn (default: 1)", 0 },
    { "on-chip", ON_CHIP, NULL, 0,
      "Keep arithmetic, local memory and barriers, and replace global loads by values "
      "unknown to the compiler",
      0 },
    { "memory", MEMORY, NULL, 0,
      "Keep only global accesses, stores included, and barriers; stores write the sum of "
      "the loads so far",
      0 },
    { "no-barriers", NO_BARRIERS, NULL, 0, "With --memory: remove barriers as well", 0 },
    { "output", 'o', "FILE", 0,
      "Write the kernel to this file (default: standard output)", 0 },
    { 0 },
};

static void parse_keep(struct remove_command *c, const char *text,
                       struct argp_state *state)
{
    const char **moved;
    char *rest;

    if (c->names)
        argp_error(state,
                   "--keep or --drop given twice; separate names by commas, as in a,b");
    if (!(c->names = strdup(text)))
        gcal_option_out_of_memory(state);
    rest = c->names;
    for (char *name; (name = strsep(&rest, ","));) {
        if (!*name)
            argp_error(state, "--%s: expected arrays or tags such as a,b, found '%s'",
                       c->drop ? "drop" : "keep", text);
        moved =
            gcal_array_grow(c->keep, c->n_keep, &c->keep_capacity, sizeof(*moved), NULL);
        if (!moved)
            gcal_option_out_of_memory(state);
        c->keep = moved;
        c->keep[c->n_keep++] = name;
    }
}

static void parse_accumulators(struct remove_command *c, const char *text,
                               struct argp_state *state)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1 || n > 64)
        argp_error(state, "--accumulators: expected a number from 1 to 64, found '%s'",
                   text);
    c->n_accumulators = (size_t)n;
}

static void check(const struct remove_command *c, struct argp_state *state)
{
    if (!c->count.file)
        argp_error(state, "expected a file with a kernel");
    if (c->on_chip && (c->n_keep || c->n_accumulators))
        argp_error(state, "--on-chip keeps no global loads: it excludes --keep, --drop "
                          "and --accumulators");
    if (c->memory && c->on_chip)
        argp_error(state, "--memory keeps global accesses and nothing else: it excludes "
                          "--on-chip");
    if (c->drop_barriers && !c->memory)
        argp_error(state, "--no-barriers requires --memory");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct remove_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->count;
        break;
    case KEEP:
        parse_keep(c, arg, state);
        break;
    case DROP:
        c->drop = true;
        parse_keep(c, arg, state);
        break;
    case ACCUMULATORS:
        parse_accumulators(c, arg, state);
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
    case 'o':
        c->output = arg;
        break;
    case ARGP_KEY_END:
        check(c, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    { &gcal_count_options_kernel_argp, 0, NULL, 0 }, { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE.cl",
    .children = children,
    .doc =
        "Strips an OpenCL C kernel to part of its work (loads, memory traffic or "
        "arithmetic), with the same loops and NDRange, so that this component can be "
        "timed or counted by itself.\v"
        "The derived kernel has the name and arguments of the original and one more at "
        "the end: the buffer read_tgt_dest with one element per work-item, to which each "
        "stores its sum, so that no compiler removes the work (with --memory only if the "
        "kernel has no store).  A kernel is refused if the rest depends on removed work: "
        "a kept load at a position that depends on a removed load; with --on-chip, the "
        "length of a loop or a position in local memory that depends on loaded data.\n\n"
        "The NDRange is given as for 'gpucal count', so that one command line serves "
        "both; "
        "only its number of dimensions affects the text.  Macros are expanded; tags and "
        "'#pragma gpucal' are kept.\n\n"
        "Examples:\n"
        "  gpucal remove matmul.cl --local 16,16 --global n,n --keep a,b -o loads.cl\n"
        "  gpucal remove matmul.cl -l 16,16 -g n,n --keep a --accumulators 4\n"
        "  gpucal remove matmul.cl -l 16,16 -g n,n --drop a,c\n"
        "  gpucal remove matmul.cl -k tiled -D T=16 -l 16,16 -g n,n --on-chip\n"
        "  gpucal remove matmul.cl -k tiled -D T=16 -l 16,16 -g n,n --memory",
};

static int run(const struct remove_command *c, struct gcal_error *err)
{
    struct gcal_remove_options removal = { .form = c->on_chip  ? GCAL_REMOVE_KEEP_ONCHIP
                                                   : c->memory ? GCAL_REMOVE_KEEP_MEMORY
                                                               : GCAL_REMOVE_KEEP_LOADS,
                                           .n_keep = c->n_keep,
                                           .keep = c->keep,
                                           .drop = c->drop,
                                           .n_accumulators = c->n_accumulators,
                                           .drop_barriers = c->drop_barriers };
    char *text = gcal_count_options_remove(&c->count, &removal, err);
    int rc = text ? gcal_command_write(c->output, text, err) : -1;

    free(text);
    return rc;
}

int gcal_command_remove(int argc, char **argv)
{
    struct remove_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    gcal_count_options_clear(&c.count);
    free(c.names);
    free(c.keep);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
