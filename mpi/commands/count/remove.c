/* remove.c - gpucal count --remove: derives a kernel that does only part of the work */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/commands/count/options.h"

enum { REMOVE = 512, KEEP, DROP, ACCUMULATORS, ON_CHIP, MEMORY, NO_BARRIERS };

static const struct argp_option options[] = {
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

static error_t parse(int key, char *arg, struct argp_state *state)
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

const struct argp gcal_count_removal_argp = { .options = options, .parser = parse };

int gcal_count_removal_write(const struct gcal_count_removal *c,
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
