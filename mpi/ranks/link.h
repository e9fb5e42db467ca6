/* link.h - times of messages between two ranks, back and forth (within mpi/ranks; MPI)
 *
 * Of a pair, the first rank sends and takes the time, the second sends back what it gets.  Each
 * has a receive ready before the other sends, so that nothing else of the run takes the message.
 */
#ifndef GCAL_MPI_RANKS_LINK_H
#define GCAL_MPI_RANKS_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_run_link;

/* A rank that hangs costs the pair that it is in: longer than this, nobody waits for it. */
#define GCAL_LINK_LIMIT_S 5.0

/* Kept from pair to pair; starts zeroed. */
struct gcal_link_buffers {
    size_t size; /* of each */
    char *in, *out;
};

void gcal_link_buffers_free(struct gcal_link_buffers *b);

/* The first rank: adds times to 'link', of sizes from 1 byte to 64 MiB as far as 'limit_s' lasts. */
int gcal_link_measure(int partner, double limit_s, struct gcal_link_buffers *b,
                      struct gcal_run_link *link, struct gcal_error *err);

/* The second rank, until the first one ends.  'ready' is called once a message may come. */
int gcal_link_serve(int partner, struct gcal_link_buffers *b, void (*ready)(void *),
                    void *context, struct gcal_error *err);

#endif
