/* spawner.c - a small process that execs workers, so that ranks need not fork */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/worker/cache.h"
#include "calib/worker/private.h"

#define START_LIMIT_S 30.0 /* fork and exec on a busy machine */
#define END_LIMIT_S                                                                      \
    2.0 /* from a closed socket to the end of the process, which is then                 \
           killed */
#define KILL_LIMIT_S 3.0 /* from SIGKILL to the end: a driver in the kernel may hang */

enum { SPAWN = 1, STATUS };

/* One per packet; both ends are the same program. */
struct question {
    uint64_t number; /* returned with the answer, which may be late */
    int what;
    pid_t pid;
};

struct answer {
    uint64_t number;
    int value; /* pid of the new worker, or a wait status; -1: failed, or not ended */
};

struct known_device {
    char *uid;
    uint32_t platform;
};

struct gcal_worker_spawner {
    int fd;
    pid_t pid;
    struct gcal_worker_cache cache; /* of the workers' drivers */
    pthread_mutex_t lock;           /* of the members below, and of the socket */
    uint64_t n_questions;
    size_t n_known_devices, capacity;
    struct known_device *known_devices;
};

static pid_t start_process(const char *what, int socket_type, const char *folder, int *fd,
                           struct gcal_error *err)
{
    pid_t parent = getpid(), pid;
    sigset_t signals, before;
    int ends[2];

    /* The rank handles signals to its process group; when it ends, its socket closes, which
     * ends spawner and workers.  Signals are blocked rather than ignored: compilers in
     * drivers (LLVM) install handlers, which end the process.
     */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGPIPE);
    if (socketpair(AF_UNIX, socket_type | SOCK_CLOEXEC, 0, ends) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "socketpair: %s", strerror(errno));
    /* Blocked during the fork, so that the child is never without; exec keeps the mask.
     */
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid = fork();
    if (pid != 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return gcal_error_set(err, GCAL_EINPUT, "fork: %s", strerror(errno));
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if a driver hangs */
        if (getppid() != parent)
            _exit(0);
        /* The new program has no descriptors but stdin, stdout, stderr and its end. */
        char number[16];
        snprintf(number, sizeof(number), "%d", ends[1]);
        fcntl(ends[1], F_SETFD, 0);
        if (ends[1] > 3)
            close_range(3, (unsigned)ends[1] - 1, 0);
        close_range((unsigned)ends[1] + 1, ~0u, 0);
        /* Drivers print, but stdout is for the run's output. */
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl("/proc/self/exe", "gpucal", what, number, folder, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *fd = ends[0];
    return pid;
}

struct gcal_worker_spawner *gcal_worker_spawner_start(struct gcal_error *err)
{
    struct gcal_worker_spawner *spawner = calloc(1, sizeof(*spawner));
    struct gcal_error why = { 0 };

    if (!spawner) {
        gcal_error_memory(err);
        return NULL;
    }
    pthread_mutex_init(&spawner->lock, NULL);
    if (gcal_worker_cache_open(&spawner->cache, &why) < 0)
        gcal_log(GCAL_LOG_INFO, "built kernels are not kept by gpucal: %s", why.text);
    spawner->pid = start_process("spawner", SOCK_SEQPACKET, spawner->cache.folder,
                                 &spawner->fd, err);
    if (spawner->pid >= 0)
        return spawner;
    gcal_worker_cache_close(&spawner->cache);
    pthread_mutex_destroy(&spawner->lock);
    free(spawner);
    return NULL;
}

pid_t gcal_worker_spawner_pid(const struct gcal_worker_spawner *spawner)
{
    return spawner->pid;
}

const char *gcal_worker_spawner_cache(const struct gcal_worker_spawner *spawner)
{
    return spawner->cache.folder;
}

bool gcal_worker_spawner_keeps_builds(const struct gcal_worker_spawner *spawner)
{
    return spawner->cache.folder;
}

/* The wait status; -1 if the process did not end within the limit (ETIMEDOUT), or is not
 * a child any more.
 */
static int wait_for(pid_t pid, double limit_s)
{
    double deadline_s = gcal_clock_now_s() + limit_s;
    int status = -1;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (gcal_clock_now_s() > deadline_s) {
            errno = ETIMEDOUT;
            return -1;
        }
        gcal_clock_sleep_s(0.005);
    }
    return status;
}

/* A process usually ends as soon as its socket closes; if not, it is killed; if a driver
 * holds it in the kernel even then, it is abandoned.
 */
static int end_process(pid_t pid)
{
    int status = wait_for(pid, END_LIMIT_S);

    if (status >= 0 || errno != ETIMEDOUT)
        return status;
    kill(pid, SIGKILL);
    return wait_for(pid, KILL_LIMIT_S);
}

void gcal_worker_spawner_stop(struct gcal_worker_spawner *spawner)
{
    if (!spawner)
        return;
    close(spawner->fd); /* the spawner ends, and its workers with it */
    end_process(spawner->pid);
    gcal_worker_cache_close(&spawner->cache);
    pthread_mutex_destroy(&spawner->lock);
    for (size_t i = 0; i < spawner->n_known_devices; i++)
        free(spawner->known_devices[i].uid);
    free(spawner->known_devices);
    free(spawner);
}

static struct known_device *find_device(const struct gcal_worker_spawner *spawner,
                                        const char *uid)
{
    for (size_t i = 0; i < spawner->n_known_devices; i++)
        if (strcmp(spawner->known_devices[i].uid, uid) == 0)
            return &spawner->known_devices[i];
    return NULL;
}

void gcal_worker_spawner_note_platform(struct gcal_worker_spawner *spawner,
                                       const char *uid, uint32_t platform)
{
    struct known_device *known_device = find_device(spawner, uid), *grown;
    char *copy;

    if (known_device) {
        known_device->platform = platform;
        return;
    }
    if (!(grown = gcal_array_grow(spawner->known_devices, spawner->n_known_devices,
                                  &spawner->capacity, sizeof(*grown), NULL)))
        return;
    spawner->known_devices = grown;
    if ((copy = strdup(uid)))
        grown[spawner->n_known_devices++] = (struct known_device){ copy, platform };
}

uint32_t gcal_worker_spawner_platform(const struct gcal_worker_spawner *spawner,
                                      const char *uid)
{
    const struct known_device *known_device = find_device(spawner, uid);

    return known_device ? known_device->platform : GCAL_DEVICE_ANY_PLATFORM;
}

/* '*passed': the descriptor passed with the answer, -1: none. */
static int receive(int fd, struct answer *answer, int *passed)
{
    char control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec iov = { .iov_base = answer, .iov_len = sizeof(*answer) };
    struct msghdr message = { .msg_iov = &iov,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control) };
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    *passed = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(passed, CMSG_DATA(head), sizeof(*passed));
    return n == sizeof(*answer) ? 0 : -1;
}

/* Returns the answer's value; also -1 if there is none within the limit.  Late answers to
 * earlier questions are dropped.  Called with the lock held.
 */
static int ask_alone(struct gcal_worker_spawner *spawner,
                     const struct gcal_worker_tick *tick, int what, pid_t pid,
                     double limit_s, int *passed)
{
    struct question question = { ++spawner->n_questions, what, pid };
    double deadline_s = gcal_clock_now_s() + limit_s;
    struct answer answer;

    *passed = -1;
    if (send(spawner->fd, &question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        sizeof(question))
        return -1;
    while (gcal_worker_tick_wait(spawner->fd, tick, deadline_s)) {
        int rc = receive(spawner->fd, &answer, passed);

        if (rc == 0 && answer.number == question.number)
            return answer.value;
        if (*passed >= 0)
            close(*passed); /* ends a worker that is no longer wanted */
        *passed = -1;
        if (rc < 0)
            return -1;
    }
    return -1;
}

/* Threads ask one after the other. */
static int ask(struct gcal_worker_spawner *spawner, const struct gcal_worker_tick *tick,
               int what, pid_t pid, double limit_s, int *passed)
{
    int value;

    pthread_mutex_lock(&spawner->lock);
    value = ask_alone(spawner, tick, what, pid, limit_s, passed);
    pthread_mutex_unlock(&spawner->lock);
    return value;
}

/* Requests a worker; its socket is passed with the answer. */
int gcal_worker_spawner_ask(struct gcal_worker_spawner *spawner,
                            const struct gcal_worker_tick *tick, int *fd, pid_t *pid,
                            struct gcal_error *err)
{
    *pid = ask(spawner, tick, SPAWN, 0, START_LIMIT_S, fd);
    if (*pid > 0 && *fd >= 0)
        return 0;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return gcal_error_set(err, GCAL_EDEVICE,
                          "cannot start a worker process: its spawner (process %d) %s",
                          (int)spawner->pid,
                          kill(spawner->pid, 0) < 0 ? "no longer exists"
                                                    : "has ended, hangs or cannot fork");
}

int gcal_worker_spawner_wait_status(struct gcal_worker_spawner *spawner,
                                    const struct gcal_worker_tick *tick, pid_t pid)
{
    int passed,
        status = ask(spawner, tick, STATUS, pid, END_LIMIT_S + KILL_LIMIT_S + 1, &passed);

    if (passed >= 0)
        close(passed);
    return status;
}

/* ---- in the spawner ---- */

int gcal_worker_spawner_main(int fd, const char *folder)
{
    struct question question;
    ssize_t n;

    /* For the workers, which inherit them. */
    if (folder)
        gcal_worker_cache_set_variables(folder, NULL);

    /* Slurm waits until the process group of a task is empty, and Slurm's PMIx kills the
     * step unless a killed rank has ended within a second.  A driver may delay the end of
     * its worker for longer: spawner and workers are a process group of their own.
     */
    setpgid(0, 0);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    while ((n = recv(fd, &question, sizeof(question), 0)) == sizeof(question) ||
           (n < 0 && errno == EINTR))
        if (n > 0) {
            struct answer answer = { .number = question.number };
            int worker = -1;

            if (question.what == SPAWN)
                answer.value = start_process("worker", SOCK_STREAM, NULL, &worker, NULL);
            else
                answer.value = end_process(question.pid);
            char control[CMSG_SPACE(sizeof(int))] = { 0 };
            struct iovec iov = { .iov_base = (void *)&answer, .iov_len = sizeof(answer) };
            struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
            struct cmsghdr *head;
            if (worker >= 0) {
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
    return 0; /* the workers die with this process */
}
