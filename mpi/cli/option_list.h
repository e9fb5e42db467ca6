/* option_list.h - values of options that may be repeated, and numbers */
#ifndef GCAL_MPI_CLI_OPTION_LIST_H
#define GCAL_MPI_CLI_OPTION_LIST_H

#include <argp.h>
#include <stddef.h>

/* The texts are borrowed; the array is the caller's to free. */
struct gcal_option_list {
    size_t n, capacity;
    const char **items;
};

/* Exits with a message. */
_Noreturn void gcal_option_out_of_memory(const struct argp_state *state);

/* Exits if memory runs out. */
void gcal_option_list_add(struct gcal_option_list *option_list, const char *text,
                          struct argp_state *state);

/* A number above 0, optionally followed by 'unit' ("%"; "": none).  Exits with a message
 * about the option 'what' if 'text' is anything else.
 */
double gcal_option_positive(const char *text, const char *unit, const char *what,
                            struct argp_state *state);

#endif
