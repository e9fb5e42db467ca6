/* hanging_link.c - preloaded: a rank that hangs when it is to wait for a message of a link
 *
 * Rank $TEST_HANGS, at its first receive of that tag: longer than anybody waits for it.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/ranks/ranks.h"

#define HANGS_S 14

int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    const char *hangs = getenv("TEST_HANGS");
    static int hung;
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (tag == GCAL_RANKS_TAG_LINK_MESSAGE && hangs && rank == atoi(hangs) && !hung++)
        sleep(HANGS_S);
    return PMPI_Irecv(data, count, type, source, tag, comm, request);
}
