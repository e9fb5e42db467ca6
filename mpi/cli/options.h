/* options.h - options that several commands share, each written once
 *
 * An option is an argp child, and its input is the address of the value to set:
 *
 *     static const struct argp_child children[] = { GCAL_OPTION(store),
 * GCAL_OPTION(json), { 0 } }; case ARGP_KEY_INIT: GCAL_OPTION_VALUES(state, &c->store,
 * &c->json);    in the order of the children
 *
 * A short letter has one meaning in all commands; OPTIONS in gpucal(1) lists them.
 */
#ifndef GCAL_MPI_CLI_OPTIONS_H
#define GCAL_MPI_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

/* Values are const char *, NULL if not given. */
extern const struct argp gcal_option_config;
extern const struct argp gcal_option_store;
extern const struct argp gcal_option_nodes; /* pattern of names */
extern const struct argp
    gcal_option_device; /* pattern, see gcal_local_device_matches() */
extern const struct argp gcal_option_model;
extern const struct argp gcal_option_csv;

/* Values are bool. */
extern const struct argp gcal_option_json;
extern const struct argp gcal_option_all;
extern const struct argp gcal_option_dry_run;

/* The value is a double above 0, in seconds. */
extern const struct argp gcal_option_budget;

/* --warn and --fail: relative slowdowns above 0; unchanged if not given. */
struct gcal_option_limits {
    double warn, fail;
};
extern const struct argp gcal_option_limits;

#define GCAL_OPTION(name)                                                                \
    {                                                                                    \
        .argp = &gcal_option_##name                                                      \
    }
#define GCAL_OPTION_VALUES(state, ...)                                                   \
    gcal_option_values(state, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *),        \
                       (void *[]){ __VA_ARGS__ })

/* Exits with a message: the command has no arguments; a node's name was meant as --node. */
void gcal_option_refuse_argument(const char *argument, const struct argp_state *state);

/* Makes 'values' the inputs of the first n children. */
void gcal_option_values(struct argp_state *state, size_t n, void *const *values);

#endif
