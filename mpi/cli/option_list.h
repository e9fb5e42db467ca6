/* option_list.h - values of options that may be repeated, and numbers */
#ifndef GCAL_MPI_CLI_OPTION_LIST_H
#define GCAL_MPI_CLI_OPTION_LIST_H

#include <argp.h>
#include <stddef.h>

struct gcal_arena;

/* The arena of what options say, which is there as long as the program; for the main thread. */
struct gcal_arena *gcal_option_arena(void);

/* The texts are borrowed; the array is in the arena of options. */
struct gcal_option_list {
    size_t n, capacity;
    const char **items;
};

void gcal_option_list_add(struct gcal_option_list *list, const char *text);

/* A number above 0, optionally followed by 'unit' ("%"; "": none).  Exits with a message
 * about the option 'what' if 'text' is anything else.
 */
double gcal_option_positive(const char *text, const char *unit, const char *what,
                            struct argp_state *state);

/* A whole number from 1 to 'most', likewise. */
size_t gcal_option_count(const char *text, const char *what, long most,
                         struct argp_state *state);

#endif
