/* words.h - an option that may be repeated */
#ifndef GCAL_MPI_WORDS_H
#define GCAL_MPI_WORDS_H

#include <argp.h>
#include <stddef.h>

/* Borrowed, in an array to be freed. */
struct gcal_words {
    size_t n, capacity;
    const char **items;
};

/* Ends the program when memory runs out. */
void gcal_words_add(struct gcal_words *words, const char *text, struct argp_state *state);

#endif
