/* link.c - messages back and forth between two ranks, by MPI */
#include "mpi/ranks/link.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/model/run/link.h"
#include "mpi/ranks/ranks.h"

/* Protocols change at powers of two; where messages outgrow caches, there is one between two of them.
 * Both ranks know the order, and so how long the next message may be.
 */
#define KIB 1024
#define MIB (1024 * KIB)
static const int sizes[] = { 1,         8,         64,         512,       1 * KIB,
                             2 * KIB,   4 * KIB,   8 * KIB,    16 * KIB,  32 * KIB,
                             64 * KIB,  128 * KIB, 256 * KIB,  384 * KIB, 512 * KIB,
                             768 * KIB, 1 * MIB,   1536 * KIB, 2 * MIB,   3 * MIB,
                             4 * MIB,   6 * MIB,   8 * MIB,    12 * MIB,  16 * MIB,
                             32 * MIB,  64 * MIB };
enum { N_SIZES = sizeof(sizes) / sizeof(*sizes), BATCHES = 25, LEAST_BATCHES = 5 };

/* Shorter batches measure the clock. */
#define BATCH_S 1e-4
/* Up to here, all sizes are measured, however slow the link is. */
#define SMALL (4 * KIB)

static int grow(struct gcal_link_buffers *b, int size, struct gcal_error *err)
{
    if (b->size >= (size_t)size)
        return 0;
    gcal_link_buffers_free(b);
    b->in = malloc((size_t)size);
    b->out = malloc((size_t)size);
    if (!b->in || !b->out)
        return gcal_error_memory(err);
    b->size = (size_t)size;
    /* Pages that nobody has written are one page of zeros, which is read from the cache. */
    memset(b->in, 1, b->size);
    memset(b->out, 2, b->size);
    return 0;
}

void gcal_link_buffers_free(struct gcal_link_buffers *b)
{
    free(b->in);
    free(b->out);
    *b = (struct gcal_link_buffers){ 0 };
}

static int fail(const char *what, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EDEVICE, "%s", what);
}

/* Waits for a message to have come or gone, at most until 'deadline_s'. */
static int await(MPI_Request *request, double deadline_s, MPI_Status *status,
                 struct gcal_error *err)
{
    int done = 0;

    for (unsigned polls = 0; !done; polls++) {
        if (MPI_Test(request, &done, status) != MPI_SUCCESS)
            return fail("MPI reports an error of the message", err);
        if (!done && polls % 64 == 63 && gcal_clock_now_s() > deadline_s)
            return fail("it does not answer", err);
    }
    return 0;
}

/* The buffers are lost, as MPI may still use them. */
static void abandon(MPI_Request *in, MPI_Request *out, struct gcal_link_buffers *b)
{
    if (*in != MPI_REQUEST_NULL) {
        MPI_Cancel(in);
        MPI_Request_free(in);
    }
    if (*out != MPI_REQUEST_NULL)
        MPI_Request_free(out);
    *b = (struct gcal_link_buffers){ 0 };
}

/* ---- the first rank ---- */

/* 'n' messages there and back. */
static int go_and_return(int partner, int size, size_t n, double deadline_s,
                         struct gcal_link_buffers *b, struct gcal_error *err)
{
    MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
    int rc = 0;

    while (n-- && rc == 0) {
        if (MPI_Irecv(b->in, size, MPI_BYTE, partner, GCAL_RANKS_TAG_LINK_MESSAGE,
                      MPI_COMM_WORLD, &in) != MPI_SUCCESS ||
            MPI_Isend(b->out, size, MPI_BYTE, partner, GCAL_RANKS_TAG_LINK_MESSAGE,
                      MPI_COMM_WORLD, &out) != MPI_SUCCESS)
            rc = fail("MPI cannot send", err);
        if (rc == 0)
            rc = await(&in, deadline_s, MPI_STATUS_IGNORE, err);
        if (rc == 0)
            rc = await(&out, deadline_s, MPI_STATUS_IGNORE, err);
    }
    if (rc < 0)
        abandon(&in, &out, b);
    return rc;
}

/* A message without bytes, which does not come back. */
static int say_end(int partner, double deadline_s, struct gcal_link_buffers *b,
                   struct gcal_error *err)
{
    MPI_Request out;

    if (MPI_Isend(b->out, 0, MPI_BYTE, partner, GCAL_RANKS_TAG_LINK_MESSAGE,
                  MPI_COMM_WORLD, &out) != MPI_SUCCESS)
        return fail("MPI cannot send", err);
    return await(&out, deadline_s, MPI_STATUS_IGNORE, err);
}

int gcal_link_measure(int partner, double limit_s, struct gcal_link_buffers *b,
                      struct gcal_run_link *link, struct gcal_error *err)
{
    double start_s = gcal_clock_now_s(), deadline_s = start_s + GCAL_LINK_LIMIT_S;
    double return_s = 0; /* there and back, of the last size */
    int rc = 0;

    if (!(link->times = calloc(N_SIZES * BATCHES, sizeof(*link->times))))
        return gcal_error_memory(err);
    for (int i = 0; i < N_SIZES && rc == 0; i++) {
        double share_s = limit_s / (2 * N_SIZES), began_s;
        double expected_s = i ? return_s * sizes[i] / sizes[i - 1] : 0;
        double n;

        /* Half of the time is for the sizes that take longer than their share. */
        if (sizes[i] > SMALL &&
            gcal_clock_now_s() - start_s + (1 + LEAST_BATCHES) * expected_s > limit_s)
            break;
        if (grow(b, sizes[i], err) < 0)
            return -1;
        /* The first one finds caches and connections cold. */
        began_s = gcal_clock_now_s();
        return_s = INFINITY;
        for (int k = 0; k < (sizes[i] > SMALL ? 1 : 3) && rc == 0; k++) {
            double at_s = gcal_clock_now_s();

            rc = go_and_return(partner, sizes[i], 1, deadline_s, b, err);
            return_s = fmin(return_s, gcal_clock_now_s() - at_s);
        }
        n = fmax(BATCH_S / return_s, 1);
        for (int k = 0; k < BATCHES && rc == 0; k++) {
            double now_s = gcal_clock_now_s();

            if (k >= LEAST_BATCHES && now_s - began_s > share_s)
                break;
            if ((rc = go_and_return(partner, sizes[i], (size_t)n, deadline_s, b, err)) <
                0)
                break;
            double batch_s = (gcal_clock_now_s() - now_s) / (double)(size_t)n;

            return_s = fmin(return_s, batch_s);
            link->times[link->n_times++] = (struct gcal_run_link_time){
                .bytes = (uint64_t)sizes[i],
                .messages = 2 * (uint64_t)n,
                .time_s = batch_s / 2,
            };
        }
    }
    if (rc == 0)
        rc = say_end(partner, deadline_s, b, err);
    return rc;
}

/* ---- the second rank ---- */

int gcal_link_serve(int partner, struct gcal_link_buffers *b, void (*ready)(void *),
                    void *context, struct gcal_error *err)
{
    MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
    int next = 0, got = -1, rc = 0; /* the longest size that may come; bytes that came */

    while (got != 0 && rc == 0) {
        double deadline_s = gcal_clock_now_s() + GCAL_LINK_LIMIT_S;
        bool is_first = got < 0;
        MPI_Status status;

        /* Ready for the next one before the last one is back. */
        if ((rc = grow(b, sizes[next], err)) < 0)
            break;
        if (MPI_Irecv(b->in, sizes[next], MPI_BYTE, partner, GCAL_RANKS_TAG_LINK_MESSAGE,
                      MPI_COMM_WORLD, &in) != MPI_SUCCESS)
            rc = fail("MPI cannot receive", err);
        else if (is_first)
            ready(context);
        else if (MPI_Isend(b->out, got, MPI_BYTE, partner, GCAL_RANKS_TAG_LINK_MESSAGE,
                           MPI_COMM_WORLD, &out) != MPI_SUCCESS)
            rc = fail("MPI cannot send", err);
        if (rc == 0 && !is_first)
            rc = await(&out, deadline_s, MPI_STATUS_IGNORE, err);
        if (rc == 0 && (rc = await(&in, deadline_s, &status, err)) == 0)
            MPI_Get_count(&status, MPI_BYTE, &got);
        while (next + 1 < N_SIZES && sizes[next] <= got)
            next++;
    }
    if (rc < 0)
        abandon(&in, &out, b);
    return rc;
}
