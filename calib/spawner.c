/* spawner.c - a small process that execs workers, so that ranks need not fork */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/wire.h"
#include "calib/worker.h"
#include "calib/worker_private.h"

#define ANSWER_LIMIT_S 30.0

enum { SPAWN = 1, STATUS = 2 };

struct gcal_spawner {
    int fd;
    pid_t pid;
};

/* Everything but stdin, stdout, stderr and 'keep' is closed in what will be exec'ed. */
static void exec_self(const char *what, int keep)
{
    char number[16];

    snprintf(number, sizeof(number), "%d", keep);
    fcntl(keep, F_SETFD, 0);
    if (keep > 3)
        close_range(3, (unsigned)keep - 1, 0);
    close_range((unsigned)keep + 1, ~0u, 0);
    dup2(STDERR_FILENO,
         STDOUT_FILENO); /* drivers print; the run's output is not theirs */
    execl("/proc/self/exe", "gpucal", what, number, (char *)NULL);
    _exit(127);
}

static pid_t start_process(const char *what, int *fd, struct gcal_error *err)
{
    pid_t parent = getpid(), pid;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "socketpair: %s", strerror(errno));
    if ((pid = fork()) < 0) {
        close(ends[0]);
        close(ends[1]);
        return gcal_error_set(err, GCAL_EINPUT, "fork: %s", strerror(errno));
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a driver hangs */
        if (getppid() != parent)
            _exit(0);
        exec_self(what, ends[1]);
    }
    close(ends[1]);
    *fd = ends[0];
    return pid;
}

struct gcal_spawner *gcal_spawner_start(struct gcal_error *err)
{
    struct gcal_spawner *spawner = calloc(1, sizeof(*spawner));

    if (!spawner) {
        gcal_error_memory(err);
        return NULL;
    }
    if ((spawner->pid = start_process("spawner", &spawner->fd, err)) < 0) {
        free(spawner);
        return NULL;
    }
    return spawner;
}

void gcal_spawner_stop(struct gcal_spawner *spawner)
{
    if (!spawner)
        return;
    close(spawner->fd); /* it ends, and its workers with it */
    waitpid(spawner->pid, NULL, 0);
    free(spawner);
}

/* Asks for a worker; its socket comes beside the answer. */
int gcal_spawner_ask(struct gcal_spawner *spawner, int *fd, pid_t *pid,
                     struct gcal_error *err)
{
    char control[CMSG_SPACE(sizeof(int))] = { 0 };
    int64_t answer = -1;
    struct iovec iov = { .iov_base = &answer, .iov_len = sizeof(answer) };
    struct msghdr message = { .msg_iov = &iov,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control) };
    int64_t question[2] = { SPAWN, 0 };
    struct cmsghdr *head;

    if (send(spawner->fd, question, sizeof(question), MSG_NOSIGNAL) != sizeof(question) ||
        recvmsg(spawner->fd, &message, MSG_CMSG_CLOEXEC) != sizeof(answer) ||
        !(head = CMSG_FIRSTHDR(&message)) || answer < 0)
        return gcal_error_set(err, GCAL_EDEVICE, "cannot start a worker process: %s",
                              errno ? strerror(errno) : "the spawner is gone");
    memcpy(fd, CMSG_DATA(head), sizeof(*fd));
    *pid = (pid_t)answer;
    return 0;
}

/* The wait status of a worker that has ended, or -1 when that is not known. */
int gcal_spawner_status(struct gcal_spawner *spawner, pid_t pid)
{
    int64_t question[2] = { STATUS, pid }, answer = -1;

    if (send(spawner->fd, question, sizeof(question), MSG_NOSIGNAL) != sizeof(question) ||
        recv(spawner->fd, &answer, sizeof(answer), MSG_WAITALL) != sizeof(answer))
        return -1;
    return (int)answer;
}

/* ---- in the spawner ---- */

static void answer_spawn(int fd)
{
    char control[CMSG_SPACE(sizeof(int))] = { 0 };
    int64_t answer;
    struct iovec iov = { .iov_base = &answer, .iov_len = sizeof(answer) };
    struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
    struct cmsghdr *head;
    int worker = -1;

    answer = start_process("worker", &worker, NULL);
    if (answer > 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &worker, sizeof(worker));
    }
    sendmsg(fd, &message, MSG_NOSIGNAL);
    if (worker >= 0)
        close(worker);
}

/* A worker whose socket closed ends within moments; one that does not is killed. */
static int wait_for(pid_t pid)
{
    double deadline_s = gcal_clock_now_s() + 2;
    int status = -1;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (gcal_clock_now_s() > deadline_s)
            kill(pid, SIGKILL);
        gcal_clock_sleep_s(0.005);
    }
    return status;
}

int gcal_spawner_main(int fd)
{
    int64_t question[2], answer;

    signal(SIGINT, SIG_IGN); /* Ctrl-C is the rank's to act on */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    while (recv(fd, question, sizeof(question), MSG_WAITALL) == sizeof(question)) {
        if (question[0] == SPAWN) {
            answer_spawn(fd);
            continue;
        }
        answer = wait_for((pid_t)question[1]);
        send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
    }
    return 0; /* the workers die with this process */
}

int gcal_worker_dispatch(int argc, char **argv)
{
    if (argc != 3)
        return -1;
    if (strcmp(argv[1], "spawner") == 0)
        return gcal_spawner_main(atoi(argv[2]));
    if (strcmp(argv[1], "worker") == 0)
        return gcal_worker_main(atoi(argv[2]));
    return -1;
}
