/* option_list.h - options that may be repeated, and numbers in options */
#ifndef GCAL_MPI_CLI_OPTION_LIST_H
#define GCAL_MPI_CLI_OPTION_LIST_H

#include <argp.h>
#include <stddef.h>

/* Borrowed, in an array to be freed. */
struct gcal_option_list {
    size_t n, capacity;
    const char **items;
};

/* Ends the program when memory runs out. */
void gcal_option_list_add(struct gcal_option_list *option_list, const char *text,
                          struct argp_state *state);

/* A number above 0, behind which 'unit' may stand ("%"; "": none).  Ends the program with
 * a message about option 'what' where 'text' is none.
 */
double gcal_option_positive(const char *text, const char *unit, const char *what,
                            struct argp_state *state);

#endif
