/* comm.h - messages between the ranks of a run, never blocking (MPI)
 *
 * No collective is used, so that the death of a rank costs its own node only.  Messages
 * are byte strings with a tag.  Sending copies and returns at once; receiving takes
 * messages that have arrived.  Without a launcher there is one rank, and MPI is not
 * started.
 */
#ifndef GCAL_MPI_RANKS_COMM_H
#define GCAL_MPI_RANKS_COMM_H

#include <stdbool.h>

#include "kernels/base/buf.h"

struct gcal_error;
struct gcal_comm;

/* Starts MPI if a launcher (srun, mpirun) started this process.  Spawners must be started
 * before.
 */
struct gcal_comm *gcal_comm_open(int *argc, char ***argv, struct gcal_error *err);

/* Ends MPI.  If peers that died delay this for long, exits the process with 'status'. */
void gcal_comm_close(struct gcal_comm *comm, int status);

int gcal_comm_rank(const struct gcal_comm *comm);
int gcal_comm_size(const struct gcal_comm *comm);

/* "slurm job 17 step 0", "mpirun" or "none"; the caller's to free. */
char *gcal_comm_launcher(const struct gcal_comm *comm);

/* Tags below are for rank 0 as the root of the run, the others for ranks as members.
 * Rank 0 is both, and sends to itself as to any other rank.
 */
#define GCAL_COMM_FIRST_MEMBER_TAG 32

struct gcal_comm_message {
    int from, tag;
    struct gcal_buf payload; /* the receiver's to free */
};

/* Queues a copy of 'payload' (may be NULL: empty) to a rank. */
int gcal_comm_send(struct gcal_comm *comm, int to, int tag,
                   const struct gcal_buf *payload, struct gcal_error *err);

/* Takes the next message for the root ('as_root') or for a member: 1, 0 if none has
 * arrived, or -1.  Messages from one rank arrive in order.
 */
int gcal_comm_receive(struct gcal_comm *comm, bool as_root,
                      struct gcal_comm_message *message, struct gcal_error *err);

/* Waits at most 'limit_s' seconds until no more than 'n_left' messages are unsent; how many are. */
size_t gcal_comm_flush(struct gcal_comm *comm, size_t n_left, double limit_s);

/* Discards messages to and from a lost rank, as gcal_comm_note_lost(). */
void gcal_comm_drop(struct gcal_comm *comm, int rank);
/* Some rank is lost: gcal_comm_close() does not wait for it for long. */
void gcal_comm_note_lost(struct gcal_comm *comm);

#endif
