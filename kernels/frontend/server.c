/* server.c - gpucal-frontend: the process that reads sources, in children
 *
 * It forks a child for each socket that it is sent, so that whatever a source does to clang or to
 * counting ends a child: limits are the child's, for each of its questions, and it can open no
 * file.  Children live for many questions, as a fresh one takes some ms more for its first.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/frontend/private.h"

enum {
    MOST_QUESTIONS = 200,
    MOST_KIB = 256 << 10 /* of a child, which is then replaced */
};

/* ---- a child ---- */

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1 /* reserves more than any limit */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Lowers a limit; 'for_good': so that it cannot be raised again. */
static void limit(int what, rlim_t value, bool for_good)
{
    struct rlimit now;

    if (getrlimit(what, &now) < 0)
        return;
    now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
    if (for_good)
        now.rlim_max = now.rlim_cur;
    setrlimit(what, &now);
}

/* For the next question. */
static void set_limits(uint32_t call)
{
    bool interprets =
        call == GCAL_FRONTEND_RUN_KERNEL || call == GCAL_FRONTEND_RUN_FUNCTION;
    rlim_t gib = interprets ? GCAL_FRONTEND_INTERPRET_GIB : GCAL_FRONTEND_MEMORY_GIB;
    rlim_t cpu_s = interprets ? GCAL_FRONTEND_INTERPRET_S : GCAL_FRONTEND_CPU_S;
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    if (!IS_SANITIZED)
        limit(RLIMIT_AS, gib << 30, false);
    limit(RLIMIT_CPU, (rlim_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1 + cpu_s,
          false);
    alarm(interprets ? GCAL_FRONTEND_INTERPRET_S : GCAL_FRONTEND_WALL_S);
}

/* What a child has not freed is little, and more after a large source. */
static bool is_worn(size_t n_questions)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return n_questions >= MOST_QUESTIONS || use.ru_maxrss >= MOST_KIB;
}

static int run_function(const struct gcal_frontend *f, struct gcal_wire *wire,
                        struct gcal_buf *answer, struct gcal_error *err)
{
    char *source = gcal_wire_get_text(wire), *file = gcal_wire_get_text(wire);
    char *function = gcal_wire_get_text(wire);
    size_t n = 0;
    struct gcal_interp_arg *args =
        gcal_frontend_code_args((struct gcal_frontend_codec){ .wire = wire }, &n, NULL);

    if (gcal_wire_done(wire, "gpucal", err) < 0 ||
        f->run_function(source, file, function, n, args, err) < 0)
        return -1;
    gcal_frontend_put_contents(answer, n, args);
    return 0;
}

static int answer_request(const struct gcal_frontend *f, uint32_t call,
                          struct gcal_wire *wire, struct gcal_buf *answer,
                          struct gcal_error *err)
{
    struct gcal_frontend_codec put = { .buf = answer }, get = { .wire = wire };
    struct gcal_count_request r = { 0 };
    struct gcal_count_description description;
    struct gcal_count_signature signature = { 0 };
    struct gcal_profile *profile;

    gcal_frontend_code_request(get, &r);
    if (wire->bad)
        return gcal_wire_done(wire, "gpucal", err);
    switch (call) {
    case GCAL_FRONTEND_COUNT:
        if (!(profile = f->count(&r, err)))
            return -1;
        gcal_profile_put(answer, profile);
        gcal_profile_destroy(profile);
        return 0;
    case GCAL_FRONTEND_SIGNATURE:
        if (f->read_signature(&r, &signature, err) < 0)
            return -1;
        gcal_frontend_code_signature(put, &signature);
        return 0;
    case GCAL_FRONTEND_DESCRIBE:
        if (f->describe(&r, &description, err) < 0)
            return -1;
        gcal_frontend_code_description(put, &description);
        return 0;
    case GCAL_FRONTEND_REMOVE: {
        struct gcal_remove_options removal = { 0 };
        struct gcal_remove_element element = { 0 };
        char *text;

        gcal_frontend_code_removal(get, &removal);
        if (gcal_wire_done(wire, "gpucal", err) < 0 ||
            !(text = f->remove(&r, &removal, &element, err)))
            return -1;
        gcal_wire_put_text(answer, text);
        gcal_wire_put_text(answer, element.dtype);
        gcal_wire_put_u64(answer, element.n_lanes);
        return 0;
    }
    case GCAL_FRONTEND_LOADS:
    case GCAL_FRONTEND_LOAD_DEPENDENCES: {
        struct gcal_remove_load_list loads = { 0 };

        gcal_frontend_code_loads(get, &loads);
        if (gcal_wire_done(wire, "gpucal", err) < 0 ||
            (call == GCAL_FRONTEND_LOADS ? f->find_loads(&r, &loads, err)
                                         : f->find_load_dependences(&r, &loads, err)) < 0)
            return -1;
        gcal_frontend_code_loads(put, &loads);
        return 0;
    }
    case GCAL_FRONTEND_RUN_KERNEL: {
        size_t global_size[GCAL_MAX_DIMS], n = 0;
        struct gcal_interp_arg *args;

        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            global_size[d] = gcal_wire_get_u64(wire);
        args = gcal_frontend_code_args(get, &n, NULL);
        if (gcal_wire_done(wire, "gpucal", err) < 0 ||
            f->run_kernel(&r, global_size, n, args, err) < 0)
            return -1;
        gcal_frontend_put_contents(answer, n, args);
        return 0;
    }
    default:
        return gcal_error_set(err, GCAL_EINPUT, "an unknown question");
    }
}

static int answer_question(uint32_t call, struct gcal_wire wire, struct gcal_buf *answer,
                           struct gcal_error *err)
{
    const struct gcal_frontend *f = gcal_frontend_load(err);

    if (!f)
        return -1;
    if ((call == GCAL_FRONTEND_RUN_FUNCTION
             ? run_function(f, &wire, answer, err)
             : answer_request(f, call, &wire, answer, err)) < 0)
        return -1;
    return answer->failed ? gcal_error_memory(err) : 0;
}

/* Tells why a question has no answer. */
static void tell_end(int fd, int status, const struct rusage *use)
{
    struct gcal_buf payload = { 0 };

    gcal_wire_put_u32(&payload, (uint32_t)status);
    gcal_wire_put_u64(&payload, (uint64_t)use->ru_maxrss);
    gcal_wire_frame_write(fd, 0, GCAL_FRONTEND_DIED, &payload, NULL);
    gcal_buf_free(&payload);
}

/* NULL: each question is answered by why. */
static const struct gcal_frontend *load(void)
{
    const struct gcal_frontend *f = gcal_frontend_load(NULL);

    if (f) {
        f->read_headers();
        f->limit_parses(IS_SANITIZED ? 0 : GCAL_FRONTEND_PARSE_S);
    }
    return f;
}

/* Answers the questions on 'fd', and ends. */
static _Noreturn void serve(int fd)
{
    struct gcal_wire_frame question;

    load(); /* which opens files */
    limit(RLIMIT_CORE, 0, true);
    limit(RLIMIT_FSIZE, 0, true);
    limit(RLIMIT_NOFILE, 1, true); /* none besides stdin; poll() of one stays */
    for (size_t n = 0; !is_worn(n) && gcal_wire_frame_read(fd, -1, &question, NULL) == 1;
         n++) {
        struct gcal_buf answer = { 0 }, failure = { 0 };
        struct gcal_error err = { 0 };
        int rc;

        set_limits(question.type);
        rc = answer_question(question.type,
                             gcal_wire_open(question.payload.data, question.payload.size),
                             &answer, &err);
        alarm(0);
        if (rc < 0) {
            /* clang recovers from a failed allocation as from a crash. */
            struct rusage use;

            getrusage(RUSAGE_SELF, &use);
            if (use.ru_maxrss >= GCAL_FRONTEND_MUCH_KIB &&
                (err.reason == GCAL_REASON_MEMORY ||
                 strstr(err.text, "libclang crashed"))) {
                tell_end(fd, 0, &use);
                _exit(0);
            }
            gcal_frontend_put_error(&failure, &err);
        }
        if (gcal_wire_frame_write(fd, -1,
                                  rc == 0 ? GCAL_FRONTEND_DONE : GCAL_FRONTEND_FAILED,
                                  rc == 0 ? &answer : &failure, NULL) < 0)
            _exit(1);
        gcal_buf_free(&answer);
        gcal_buf_free(&failure);
        gcal_buf_free(&question.payload);
    }
    _exit(0);
}

/* ---- the process ---- */

struct child {
    pid_t pid;
    int fd; /* for the answer, should it die */
};

struct children {
    size_t n, capacity;
    struct child *items;
};

/* Loading and the first parse of a process take long: children that are forked after them find all that
 * was initialized.  Not for the first child, of which most programs need no other: what was loaded before a
 * fork() is slower after it.
 */
static void warm_up(void)
{
    static const struct gcal_count_request request = {
        .source = "__kernel void k(__global float *x, int n)\n"
                  "{ for (int i = 0; i < n; i++) x[get_global_id(0) + i] *= 2; }\n",
        .file = "kernel.cl",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .sub_group_size = 32,
        .n_banks = 32,
        .sector_bytes = 32,
        .index_arithmetic = true,
    };
    const struct gcal_frontend *f = load();

    if (f)
        gcal_profile_destroy(f->count(&request, NULL));
}

/* A descriptor that came with a message; -1: none, and the end if the socket is closed. */
static int receive_socket(bool *end)
{
    char byte;
    struct iovec data = { &byte, 1 };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = { .msg_iov = &data,
                              .msg_iovlen = 1,
                              .msg_control = &control,
                              .msg_controllen = sizeof(control.space) };
    ssize_t n = recvmsg(3, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *rights = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int fd = -1;

    *end = n == 0 || (n < 0 && errno != EINTR && errno != EMFILE);
    if (rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(rights), sizeof(fd));
    return fd;
}

static void start_child(struct children *children, int fd)
{
    struct child *grown = gcal_array_grow(children->items, children->n,
                                          &children->capacity, sizeof(*grown), NULL);
    pid_t parent = getpid(), pid;
    sigset_t none;

    if (grown)
        children->items = grown;
    pid = grown ? fork() : -1;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (size_t i = 0; i < children->n; i++)
            close(children->items[i].fd);
        close(3);
        serve(fd);
    }
    if (pid > 0)
        children->items[children->n++] = (struct child){ pid, fd };
    else
        close(fd);
}

int main(void)
{
    static const char *const folders[] = { "CPATH", "C_INCLUDE_PATH", "OBJC_INCLUDE_PATH",
                                           "CCC_OVERRIDE_OPTIONS" };
    struct children children = { 0 };
    struct signalfd_siginfo info;
    size_t n_children = 0;
    bool end = false;
    sigset_t ended;
    int signals;

    /* Signals of the program's terminal and job are for the program. */
    setsid();
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_SETMASK, &ended, NULL);
    if ((signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
        return 1;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        unsetenv(folders[i]);
    while (!end) {
        struct pollfd ready[] = { { .fd = 3, .events = POLLIN },
                                  { .fd = signals, .events = POLLIN } };
        int fd;

        if (poll(ready, 2, -1) < 0 && errno != EINTR)
            return 1;
        if (ready[1].revents && read(signals, &info, sizeof(info)) > 0) {
            struct rusage use;
            int status;
            pid_t pid;

            while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0)
                for (size_t i = 0; i < children.n; i++)
                    if (children.items[i].pid == pid) {
                        if (WIFSIGNALED(status) || WEXITSTATUS(status))
                            tell_end(children.items[i].fd, status, &use);
                        close(children.items[i].fd);
                        children.items[i] = children.items[--children.n];
                        break;
                    }
        }
        if (!ready[0].revents || (fd = receive_socket(&end)) < 0)
            continue;
        if (++n_children == 2)
            warm_up();
        start_child(&children, fd);
    }
    return 0; /* the children end with it */
}
