/* options.c - the options that several commands share */
#include "mpi/cli/options.h"

#include "mpi/cli/option_list.h"

/* Keys of events (ARGP_KEY_INIT, ..) are larger than those of options, or 0. */
static bool is_option(int key)
{
    return key > 0 && key < ARGP_KEY_END;
}

static error_t set_text(int key, char *arg, struct argp_state *state)
{
    if (!is_option(key))
        return ARGP_ERR_UNKNOWN;
    *(const char **)state->input = arg;
    return 0;
}

static error_t set_flag(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (!is_option(key))
        return ARGP_ERR_UNKNOWN;
    *(bool *)state->input = true;
    return 0;
}

static error_t set_budget(int key, char *arg, struct argp_state *state)
{
    if (!is_option(key))
        return ARGP_ERR_UNKNOWN;
    *(double *)state->input = gcal_option_positive(arg, "", "--budget", state);
    return 0;
}

static error_t set_limit(int key, char *arg, struct argp_state *state)
{
    struct gcal_option_limits *limits = state->input;

    if (key == 'w')
        limits->warn = gcal_option_positive(arg, "%", "--warn", state) / 100;
    else if (is_option(key))
        limits->fail = gcal_option_positive(arg, "%", "--fail", state) / 100;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

/* clang-format off */
#define OPTION(id, parse, long_name, letter, argument, text)                     \
    static const struct argp_option id##_rows[] = {                              \
        { (long_name), (letter), (argument), 0, (text), 0 }, { 0 }                       \
    };                                                                           \
    const struct argp gcal_option_##id = { .options = id##_rows, .parser = (parse) }
/* clang-format on */

OPTION(config, set_text, "config", 'c', "FILE",
       "The configuration (default: the built-in one)");
OPTION(store, set_text, "store", 's', "DIR",
       "The store (default: $GPUCAL_STORE, else the configuration's)");
OPTION(nodes, set_text, "node", 'N', "PATTERN", "Only nodes whose name matches");
OPTION(device, set_text, "device", 'd', "PATTERN",
       "Only devices whose name, type, uid or kind (gpu, cpu, accelerator) matches, e.g. "
       "'*H200*'");
OPTION(model, set_text, "model", 'm', "NAME",
       "The model (default: the one made for the kernel, else the general one; never "
       "one that is poor)");
OPTION(csv, set_text, "csv", 256, "FILE", "Write all figures to this file as well");
OPTION(json, set_flag, "json", 'j', NULL, "Print JSON");
OPTION(all, set_flag, "all", 'a', NULL, "Print what did not change as well");
OPTION(dry_run, set_flag, "dry-run", 'n', NULL,
       "Print what would be done, and do nothing");
OPTION(budget, set_budget, "budget", 'b', "SECONDS",
       "Limit the time of each device, builds and checks included, but not the time for "
       "which processors are waited for");

static const struct argp_option limits_rows[] = {
    { "warn", 'w', "PERCENT", 0,
      "Exit with status 2 if anything is slower by more than PERCENT", 0 },
    { "fail", 256, "PERCENT", 0,
      "Exit with status 3 if anything is slower by more than PERCENT", 0 },
    { 0 },
};
const struct argp gcal_option_limits = { .options = limits_rows, .parser = set_limit };

void gcal_option_refuse_argument(const char *argument, const struct argp_state *state)
{
    argp_error(state, "unexpected argument '%s' (did you mean '--node %s'?)", argument,
               argument);
}

void gcal_option_values(struct argp_state *state, size_t n, void *const *values)
{
    for (size_t i = 0; i < n; i++)
        state->child_inputs[i] = values[i];
}
