/* comm.h - the ranks of a run: messages that never block (MPI)
 *
 * No collective is used: a rank that dies must cost its own node only.  Messages are
 * byte strings with a tag; sending copies and returns at once; receiving takes what is
 * there.  Without a launcher the group has one rank and MPI is not started.
 */
#ifndef GCAL_MPI_RANKS_COMM_H
#define GCAL_MPI_RANKS_COMM_H

#include <stdbool.h>

#include "calib/base/buf.h"

struct gcal_error;
struct gcal_comm;

/* Starts MPI when a launcher (srun, mpirun) stands behind this process.  Spawners must
 * have been started before.
 */
struct gcal_comm *gcal_comm_open(int *argc, char ***argv, struct gcal_error *err);

/* Ends MPI; a peer that died must not hold this process, so after some seconds it exits
 * with 'status' from here.
 */
void gcal_comm_close(struct gcal_comm *comm, int status);

int gcal_comm_rank(const struct gcal_comm *comm);
int gcal_comm_size(const struct gcal_comm *comm);

/* "slurm job 17 step 0", "mpirun" or "none"; the caller's to free. */
char *gcal_comm_launcher(const struct gcal_comm *comm);

/* Tags below this one are for rank 0 as the root of the run, the others for ranks as
 * its members: rank 0 is both, and sends to itself as to any other.
 */
#define GCAL_COMM_FIRST_MEMBER_TAG 32

struct gcal_comm_message {
    int from, tag;
    struct gcal_buf payload; /* the receiver's to free */
};

/* Queues a copy of 'payload' (may be NULL: empty) to a rank. */
int gcal_comm_send(struct gcal_comm *comm, int to, int tag,
                   const struct gcal_buf *payload, struct gcal_error *err);

/* 1 with the next message for the root ('as_root') or for a member, 0 when there is none
 * now, -1.  Messages from one rank come in the order sent.
 */
int gcal_comm_receive(struct gcal_comm *comm, bool as_root,
                      struct gcal_comm_message *message, struct gcal_error *err);

/* Waits until everything sent has left, or 'limit_s' seconds; true when it has. */
bool gcal_comm_flush(struct gcal_comm *comm, double limit_s);

/* Forgets what is still on its way to a rank that is gone. */
void gcal_comm_drop(struct gcal_comm *comm, int rank);

#endif
