/* client.c - the process that reads sources, from the program that asks it
 *
 * It is started at the first question, and has a child for each thread that asks at the same
 * time, with a socket of its own: no lock is held while a question is answered.  It is not the
 * program's child, so that wait() and SIGCHLD do not see it; it ends when the program has closed
 * its socket, however that ended.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/frontend/private.h"

#define PROGRAM "gpucal-frontend"
#define FD_TEXT "3"
enum {
    MOST_IDLE = 64,
    STACK_BYTES = 64 << 10,
    LATEST_S = 60 /* after the process's own limit */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int server = -1;

/* Sockets of children that wait for a question, of the program with this id: after a fork() both
 * programs have them.
 */
static int idle[MOST_IDLE];
static size_t n_idle;
static pid_t owner;

/* ---- starting ---- */

/* The program beside the module, which the dynamic linker would find in these folders. */
static char *find_program(struct gcal_error *err)
{
    struct link_map *self;
    Dl_serinfo size, *paths = NULL;
    char *found = NULL;
    Dl_info info;

    if (!dladdr1(&lock, &info, (void **)&self, RTLD_DL_LINKMAP) ||
        dlinfo(self, RTLD_DI_SERINFOSIZE, &size) < 0 ||
        !(paths = malloc(size.dls_size)) ||
        dlinfo(self, RTLD_DI_SERINFOSIZE, paths) < 0 ||
        dlinfo(self, RTLD_DI_SERINFO, paths) < 0) {
        free(paths);
        gcal_error_set(err, GCAL_EINPUT, "the folder of " PROGRAM " is not known");
        return NULL;
    }
    for (unsigned i = 0; i < paths->dls_cnt && !found; i++) {
        char *path = gcal_buf_format("%s/" PROGRAM, paths->dls_serpath[i].dls_name);

        if (path && access(path, X_OK) == 0)
            found = path;
        else
            free(path);
    }
    free(paths);
    if (!found)
        gcal_error_set(
            err, GCAL_EINPUT,
            "gpucal's front end for OpenCL C is missing: install gpucal again, "
            "with " PROGRAM " and " PROGRAM ".so");
    return found;
}

struct start {
    const char *path;
    int fd;
    char *stack; /* of the program's process, its upper end */
    char *environment[0];
};

/* In a process that shares the memory of the thread that waits for it: only system calls. */
static int exec_program(void *data)
{
    const struct start *start = data;
    char *const arguments[] = { PROGRAM, FD_TEXT, NULL };
    int null;

    if (start->fd != 3)
        dup2(start->fd, 3);
    else
        fcntl(3, F_SETFD, 0);
    close_range(4, ~0u, 0);
    if ((null = open("/dev/null", O_RDWR)) >= 0)
        for (int fd = 0; fd < 3; fd++)
            dup2(null, fd);
    execv(start->path, arguments);
    _exit(127);
}

/* The program has no parent that waits for it.  Not by vfork(): AddressSanitizer's takes the stack for the thread's,
 * and clears the shadow of all memory between them.
 */
static int leave_program(void *data)
{
    const struct start *start = data;

    clone(exec_program, start->stack, CLONE_VM | CLONE_VFORK, data);
    return 0;
}

/* clone() as vfork() with a stack of its own: no page of the program is copied, and its
 * handlers run in no child, as signals are blocked.
 */
static int start_process(const char *path, int fd)
{
    char *stack = malloc(2 * STACK_BYTES);
    struct start start = { .path = path, .fd = fd };
    sigset_t all, before;
    int rc = -1;
    pid_t pid;

    if (!stack)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    start.stack = stack + 2 * STACK_BYTES;
    pid = clone(leave_program, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &start);
    if (pid > 0) {
        while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
            ;
        rc = 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    return rc;
}

static int start_server(struct gcal_error *err)
{
    char *path = find_program(err);
    int ends[2];

    if (!path)
        return gcal_error_because(err, GCAL_REASON_FRONT_END);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        gcal_error_set(err, GCAL_EINPUT, "a socket for " PROGRAM ": %s", strerror(errno));
        free(path);
        return -1;
    }
    if (start_process(path, ends[1]) < 0) {
        gcal_error_set(err, GCAL_EINPUT, "%s cannot be started: %s", path,
                       strerror(errno));
        close(ends[0]);
    } else {
        server = ends[0];
    }
    close(ends[1]);
    free(path);
    return server < 0 ? -1 : 0;
}

static void close_idle(void)
{
    while (n_idle)
        close(idle[--n_idle]);
}

/* A library may be unloaded. */
__attribute__((destructor)) static void stop_server(void)
{
    close_idle();
    if (server >= 0)
        close(server);
    server = -1;
}

/* ---- asking ---- */

static bool send_socket(int fd)
{
    char byte = 0;
    struct iovec data = { &byte, 1 };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct msghdr message = { .msg_iov = &data,
                              .msg_iovlen = 1,
                              .msg_control = &control,
                              .msg_controllen = sizeof(control.space) };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    ssize_t n;

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
    do
        n = sendmsg(server, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* A child that waits; -1: none.  One that has ended can be read from. */
static int take_idle(void)
{
    int fd = -1;
    char byte;

    if (owner != getpid())
        close_idle();
    owner = getpid();
    while (n_idle && fd < 0) {
        fd = idle[--n_idle];
        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN) {
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

/* A new child's socket; -1 with 'err'. */
static int start_child(struct gcal_error *err)
{
    bool sent = false;
    int ends[2], rc = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "a socket for " PROGRAM ": %s",
                              strerror(errno));
    for (int attempt = 0; attempt < 2 && !sent && rc == 0; attempt++) {
        if (server < 0)
            rc = start_server(err);
        if (rc == 0 && !(sent = send_socket(ends[1])))
            stop_server(); /* it has ended: another one */
    }
    close(ends[1]);
    if (sent)
        return ends[0];
    close(ends[0]);
    return rc < 0 ? -1
                  : gcal_error_set(err, GCAL_EINPUT,
                                   PROGRAM " ends as soon as it starts: install gpucal "
                                           "again");
}

/* A socket to a child that answers; -1 with 'err'. */
static int take_child(bool fresh, struct gcal_error *err)
{
    int fd = -1;

    pthread_mutex_lock(&lock);
    if (fresh || (fd = take_idle()) < 0)
        fd = start_child(err);
    pthread_mutex_unlock(&lock);
    return fd;
}

static bool is_interpreter(enum gcal_frontend_call call)
{
    return call == GCAL_FRONTEND_RUN_KERNEL || call == GCAL_FRONTEND_RUN_FUNCTION;
}

/* Says why a process ended without an answer. */
static void explain_end(enum gcal_frontend_call call, const char *file,
                        struct gcal_wire *wire, struct gcal_error *err)
{
    int status = (int)gcal_wire_get_u32(wire);
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    uint64_t kib = gcal_wire_get_u64(wire);
    bool interprets = is_interpreter(call);

    if (number == SIGXCPU || number == SIGALRM || number == SIGPROF)
        gcal_error_set(err, GCAL_EINPUT,
                       "%s: reading it takes longer than %d s%s, the limit for a source: "
                       "leave out what the kernel does not need%s",
                       file,
                       number == SIGPROF   ? GCAL_FRONTEND_PARSE_S
                       : interprets        ? GCAL_FRONTEND_INTERPRET_S
                       : number == SIGALRM ? GCAL_FRONTEND_WALL_S
                                           : GCAL_FRONTEND_CPU_S,
                       number == SIGALRM ? "" : " of a processor",
                       number == SIGPROF
                           ? ", above all macros and templates that grow by each other"
                           : "");
    else if (kib >= GCAL_FRONTEND_MUCH_KIB)
        gcal_error_set(
            err, GCAL_EINPUT,
            "%s: reading it takes more than %d GiB of memory, the limit for a "
            "source: leave out what the kernel does not need",
            file, interprets ? GCAL_FRONTEND_INTERPRET_GIB : GCAL_FRONTEND_MEMORY_GIB);
    else
        gcal_error_set(
            err, GCAL_EINPUT,
            "%s: the front end crashed on it (%s): check that a compiler accepts "
            "it; expressions and blocks that nest thousands of times are "
            "beyond its stack",
            file, number ? strsignal(number) : "without a signal");
}

struct gcal_buf gcal_frontend_ask(enum gcal_frontend_call call, const char *file,
                                  const struct gcal_buf *question, struct gcal_error *err)
{
    const struct gcal_buf failed = { .failed = true };
    int latest_s =
        (is_interpreter(call) ? GCAL_FRONTEND_INTERPRET_S : GCAL_FRONTEND_WALL_S) +
        LATEST_S;
    struct gcal_wire_frame answer = { 0 };
    struct gcal_wire wire;
    int fd, rc = 0;

    if (question->failed) {
        gcal_error_memory(err);
        return failed;
    }
    /* A child may end when it has answered enough; a fresh one has not. */
    for (int attempt = 0; attempt < 2 && rc == 0; attempt++) {
        if ((fd = take_child(attempt, err)) < 0)
            return failed;
        /* One that ends while it is asked is explained by its answer. */
        gcal_wire_frame_write(fd, gcal_clock_now_s() + latest_s, call, question, NULL);
        rc = gcal_wire_frame_read(fd, gcal_clock_now_s() + latest_s, &answer, err);
        if (rc == 1 && answer.type != GCAL_FRONTEND_DIED) {
            pthread_mutex_lock(&lock);
            if (n_idle < MOST_IDLE && owner == getpid())
                idle[n_idle++] = fd;
            else
                close(fd);
            pthread_mutex_unlock(&lock);
        } else
            close(fd);
    }
    if (rc == 1 && answer.type == GCAL_FRONTEND_DONE)
        return answer.payload;
    wire = gcal_wire_open(answer.payload.data, answer.payload.size);
    if (rc == 1 && answer.type == GCAL_FRONTEND_FAILED)
        gcal_frontend_get_error(&wire, err);
    else if (rc == 1)
        explain_end(call, file ? file : "kernel.cl", &wire, err);
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "%s: " PROGRAM ", which reads it, was ended: try again",
                       file ? file : "kernel.cl");
    gcal_buf_free(&answer.payload);
    return failed;
}
