/* outbox.h - messages of threads that measure, for the one thread that calls MPI */
#ifndef GCAL_MPI_RANKS_OUTBOX_H
#define GCAL_MPI_RANKS_OUTBOX_H

#include <stdbool.h>

#include "kernels/base/buf.h"

struct gcal_error;
struct gcal_outbox;

struct gcal_outbox *gcal_outbox_create(void);
void gcal_outbox_destroy(struct gcal_outbox *outbox);

/* Any thread: appends a message; 'payload' is taken.  -1 if the box is closed: nobody gets the
 * messages any more.
 */
int gcal_outbox_put(struct gcal_outbox *outbox, int tag, struct gcal_buf *payload,
                    struct gcal_error *err);
/* The oldest message, within 'wait_s'; false: none. */
bool gcal_outbox_take(struct gcal_outbox *outbox, double wait_s, int *tag,
                      struct gcal_buf *payload);
void gcal_outbox_close(struct gcal_outbox *outbox);

#endif
