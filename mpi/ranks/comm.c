/* comm.c - messages between ranks, by MPI point-to-point calls */
#include "mpi/ranks/comm.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"

/* MPI_Finalize waits for all peers, also for those that were killed, and on a busy machine long for
 * those that live.
 */
#define FINALIZE_LIMIT_S      60.0
#define FINALIZE_LIMIT_LOST_S 2.0
#define SWEEP_EVERY_S         0.01

/* A message being sent or received. */
struct parcel {
    MPI_Request request;
    int peer, tag, size;
    char *data;
    struct parcel *next;
};

struct gcal_comm {
    int rank, size;
    bool mpi, has_lost;
    struct parcel *outbox;
    double swept_s;       /* when */
    struct parcel *inbox; /* in order of arrival */
};

static int status_at_exit;
static volatile sig_atomic_t is_connected;

/* Nothing ends without a word: a launcher then reports a status of its own. */
static void say(const char *line)
{
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return;
}

static void give_up(int signal_number)
{
    (void)signal_number;
    say("gpucal: MPI_Finalize does not return, and this rank ends without it: its "
        "launcher "
        "may call that an error\n");
    _exit(status_at_exit);
}

/* Open MPI ends a process that has lost its launcher. */
static void say_what_ended(void)
{
    if (is_connected)
        say("gpucal: this rank ends before it has left MPI\n");
}

static int mpi_error(int code, const char *what, struct gcal_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "?";
    int length;

    MPI_Error_string(code, text, &length);
    return gcal_error_set(err, GCAL_EINPUT, "%s: %s", what, text);
}

/* Returns whether a launcher that Open MPI supports started this process. */
static int find_launcher(bool *found, struct gcal_error *err)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

    *found = getenv("PMIX_RANK") || getenv("OMPI_COMM_WORLD_RANK");
    if (!*found && getenv("SLURM_STEP_ID") && tasks && atoi(tasks) > 1)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "srun started %s tasks without PMIx, and they cannot connect; "
            "use 'srun --mpi=pmix'",
            tasks);
    return 0;
}

/* When it starts and ends, Open MPI asks ten thousand times a second whether the other ranks have
 * come: of hundreds on one machine, those that wait would take the processors from those that
 * are waited for.  Its naps may be longer.
 */
static void nap_longer(bool longer)
{
    prctl(PR_SET_TIMERSLACK, longer ? 10000000ul /* ns */ : 0ul /* as before */, 0, 0, 0);
}

static int start_mpi(struct gcal_comm *comm, int *argc, char ***argv,
                     struct gcal_error *err)
{
    int code, provided;

    /* Open MPI has 64 buffers more whenever a rank runs out of those that it shares with the
     * others of its machine, and rank 0 maps all that it is sent something in: half of what it
     * has of each rank.  What the user has set stays.
     */
    static const char *const names[] = { "OMPI_MCA_btl_vader_free_list_num",
                                         "OMPI_MCA_btl_vader_free_list_inc",
                                         "OMPI_MCA_btl_sm_free_list_num",
                                         "OMPI_MCA_btl_sm_free_list_inc" };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        setenv(names[i], "1", 0);
    nap_longer(true);
    code = MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
    nap_longer(false);
    if (code != MPI_SUCCESS)
        return mpi_error(code, "MPI_Init", err);
    comm->mpi = true;
    is_connected = true;
    atexit(say_what_ended);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
    return 0;
}

struct gcal_comm *gcal_comm_open(int *argc, char ***argv, struct gcal_error *err)
{
    struct gcal_comm *comm = calloc(1, sizeof(*comm));
    bool launched;

    if (!comm) {
        gcal_error_memory(err);
        return NULL;
    }
    comm->size = 1;
    if (find_launcher(&launched, err) < 0 ||
        (launched && start_mpi(comm, argc, argv, err) < 0)) {
        free(comm);
        return NULL;
    }
    return comm;
}

int gcal_comm_rank(const struct gcal_comm *comm)
{
    return comm->rank;
}

int gcal_comm_size(const struct gcal_comm *comm)
{
    return comm->size;
}

char *gcal_comm_launcher(const struct gcal_comm *comm)
{
    if (getenv("SLURM_STEP_ID"))
        return gcal_buf_format("slurm job %s step %s", getenv("SLURM_JOB_ID"),
                               getenv("SLURM_STEP_ID"));
    return gcal_buf_format("%s", comm->mpi ? "mpirun" : "none");
}

static struct parcel *parcel_create(int peer, int tag, size_t size,
                                    struct gcal_error *err)
{
    struct parcel *p;

    if (size > INT_MAX) { /* MPI counts bytes as int */
        gcal_error_set(err, GCAL_EINPUT, "a message of %zu bytes is too long", size);
        return NULL;
    }
    p = calloc(1, sizeof(*p));
    if (!p || !(p->data = malloc(size + 1))) {
        free(p);
        gcal_error_memory(err);
        return NULL;
    }
    p->request = MPI_REQUEST_NULL; /* of a message to itself, which has arrived */
    p->peer = peer;
    p->tag = tag;
    p->size = (int)size;
    p->data[size] = '\0';
    return p;
}

static void parcel_destroy(struct parcel *p)
{
    free(p->data);
    free(p);
}

void gcal_comm_close(struct gcal_comm *comm, int status)
{
    if (!comm)
        return;
    if (comm->mpi) {
        double limit_s = comm->has_lost ? FINALIZE_LIMIT_LOST_S : FINALIZE_LIMIT_S;

        status_at_exit = status;
        signal(SIGALRM, give_up);
        alarm((unsigned)limit_s);
        gcal_comm_flush(comm, 0, limit_s / 4);
        nap_longer(true);
        MPI_Finalize();
        alarm(0);
        is_connected = false;
    }
    /* Unsent parcels are leaked: MPI may still use them. */
    while (comm->inbox && comm->inbox->request == MPI_REQUEST_NULL) {
        struct parcel *p = comm->inbox;

        comm->inbox = p->next;
        parcel_destroy(p);
    }
    free(comm);
}

static bool arrived(struct parcel *p)
{
    int done = 0;

    if (p->request == MPI_REQUEST_NULL)
        return true;
    return MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

static void append(struct parcel **list, struct parcel *p)
{
    while (*list)
        list = &(*list)->next;
    *list = p;
}

static size_t count(const struct parcel *p)
{
    size_t n = 0;

    for (; p; p = p->next)
        n++;
    return n;
}

/* Frees the parcels that were sent.  They are tested together, as each test may let other
 * processes of the host run first.
 */
static void sweep(struct gcal_comm *comm)
{
    size_t n = count(comm->outbox), i = 0;
    MPI_Request *requests = calloc(n + 1, sizeof(*requests));
    int *which = calloc(n + 1, sizeof(*which)), n_done;

    for (struct parcel *p = comm->outbox; p && requests; p = p->next)
        requests[i++] = p->request;
    if (n && requests && which)
        MPI_Testsome((int)n, requests, &n_done, which, MPI_STATUSES_IGNORE);
    i = 0;
    for (struct parcel **at = &comm->outbox, *p; (p = *at) && requests && which;) {
        p->request = requests[i++];
        if (p->request != MPI_REQUEST_NULL) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        parcel_destroy(p);
    }
    free(which);
    free(requests);
    comm->swept_s = gcal_clock_now_s();
}

/* Not for every message: those to ranks that died stay, and many are looked at. */
static void sweep_sometimes(struct gcal_comm *comm)
{
    if (comm->outbox && gcal_clock_now_s() - comm->swept_s > SWEEP_EVERY_S)
        sweep(comm);
}

int gcal_comm_send(struct gcal_comm *comm, int to, int tag,
                   const struct gcal_buf *payload, struct gcal_error *err)
{
    size_t size = payload ? payload->size : 0;
    struct parcel *p;
    int code;

    sweep_sometimes(comm);
    if (payload && payload->failed)
        return gcal_error_memory(err);
    if (!(p = parcel_create(to, tag, size, err)))
        return -1;
    if (size)
        memcpy(p->data, payload->data, size);
    if (to == comm->rank) {
        append(&comm->inbox, p);
        return 0;
    }
    code = MPI_Isend(p->data, p->size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &p->request);
    if (code != MPI_SUCCESS) {
        parcel_destroy(p);
        return mpi_error(code, "send", err);
    }
    append(&comm->outbox, p);
    return 0;
}

/* Starts to receive announced messages.  Never waits: a sender may die between announcing
 * a long message and sending it.
 */
static int collect(struct gcal_comm *comm, struct gcal_error *err)
{
    MPI_Message announced;
    MPI_Status status;
    struct parcel *p;
    int code, there = 0, size;

    do {
        code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there,
                           &announced, &status);
        if (code != MPI_SUCCESS)
            return mpi_error(code, "probe", err);
        if (!there)
            return 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        if (!(p = parcel_create(status.MPI_SOURCE, status.MPI_TAG, (size_t)size, err)))
            return -1;
        code = MPI_Imrecv(p->data, size, MPI_BYTE, &announced, &p->request);
        if (code != MPI_SUCCESS) {
            parcel_destroy(p);
            return mpi_error(code, "receive", err);
        }
        append(&comm->inbox, p);
    } while (true);
}

/* Returns whether an earlier message of the same rank, root or member, has not been taken yet. */
static bool overtakes(const struct gcal_comm *comm, const struct parcel *p)
{
    for (const struct parcel *q = comm->inbox; q != p; q = q->next)
        if (q->peer == p->peer && (q->tag < GCAL_COMM_FIRST_MEMBER_TAG) ==
                                      (p->tag < GCAL_COMM_FIRST_MEMBER_TAG))
            return true;
    return false;
}

int gcal_comm_receive(struct gcal_comm *comm, bool as_root,
                      struct gcal_comm_message *message, struct gcal_error *err)
{
    *message = (struct gcal_comm_message){ 0 };
    sweep_sometimes(comm);
    if (comm->mpi && collect(comm, err) < 0)
        return -1;
    for (struct parcel **at = &comm->inbox, *p; (p = *at); at = &p->next) {
        if ((p->tag < GCAL_COMM_FIRST_MEMBER_TAG) != as_root)
            continue;
        if (overtakes(comm, p) || !arrived(p))
            continue;
        *at = p->next;
        message->from = p->peer;
        message->tag = p->tag;
        message->payload = (struct gcal_buf){ .data = p->data,
                                              .size = (size_t)p->size,
                                              .capacity = (size_t)p->size + 1 };
        free(p);
        return 1;
    }
    return 0;
}

size_t gcal_comm_flush(struct gcal_comm *comm, size_t n_left, double limit_s)
{
    double deadline_s = gcal_clock_now_s() + limit_s;
    size_t n;

    if (!comm->mpi)
        return 0;
    for (sweep(comm); (n = count(comm->outbox)) > n_left; sweep(comm)) {
        if (gcal_clock_now_s() > deadline_s)
            break;
        gcal_clock_sleep_s(0.005);
    }
    return n;
}

void gcal_comm_note_lost(struct gcal_comm *comm)
{
    comm->has_lost = true;
}

static void drop_from(struct parcel **list, int rank)
{
    for (struct parcel **at = list, *p; (p = *at);) {
        if (p->peer != rank) {
            at = &p->next;
            continue;
        }
        /* The data is leaked: MPI may still use it. */
        *at = p->next;
        free(p);
    }
}

void gcal_comm_drop(struct gcal_comm *comm, int rank)
{
    drop_from(&comm->outbox, rank);
    drop_from(&comm->inbox, rank);
    gcal_comm_note_lost(comm);
}
