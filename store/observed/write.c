/* write.c - the writer of a process's observed times */
#include "store/observed/observed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"

/* Most kernels on devices, and most launches at different sizes, that a process reports times of. */
#define MOST_SEEN 8192 /* a power of two */
#define FIRST     8
#define HOUR_S    3600

/* A kernel on a device, or its launches at some sizes. */
struct seen {
    uint64_t name; /* its hash; 0: free */
    uint64_t n;    /* launches, of sizes since 'file' began */
    unsigned file; /* of a kernel: the one that has its profile; 0: none */
    double last_s; /* when a launch was written */
};

struct gcal_observer {
    const struct gcal_store *store;
    struct gcal_sign_key *key; /* NULL: lines are not signed */
    pthread_mutex_t lock;
    locale_t c_locale; /* the program may have one with another decimal point */
    pid_t pid;
    int fd; /* -1: none */
    char *shown;
    off_t size;       /* what this process has written */
    unsigned n_files; /* number of the present file */
    uint64_t n_lines; /* of times, in all files */
    size_t n_seen;
    struct seen seen[MOST_SEEN];
};

struct gcal_observer *gcal_observer_create(const struct gcal_store *store,
                                           const char *key_path, struct gcal_error *err)
{
    struct gcal_observer *o = calloc(1, sizeof(*o));

    if (!o) {
        gcal_error_memory(err);
        return NULL;
    }
    if (key_path && !(o->key = gcal_sign_key_read(key_path, err))) {
        free(o);
        return NULL;
    }
    if (!(o->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0))) {
        gcal_sign_key_destroy(o->key);
        free(o);
        gcal_error_memory(err);
        return NULL;
    }
    o->store = store;
    o->fd = -1;
    o->pid = getpid();
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

static void close_file(struct gcal_observer *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    free(o->shown);
    o->shown = NULL;
}

void gcal_observer_destroy(struct gcal_observer *o)
{
    if (!o)
        return;
    close_file(o);
    gcal_sign_key_destroy(o->key);
    freelocale(o->c_locale);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

/* ---- what was seen ---- */

/* FNV-1a: of two names with one hash, one would be written less often. */
static uint64_t hash_name(const char *const *parts, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        for (const char *at = parts[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
            if (!*at)
                break;
        }
    return hash ? hash : 1;
}

/* NULL: there is no more room. */
static struct seen *find_seen(struct gcal_observer *o, uint64_t name)
{
    size_t at = name & (MOST_SEEN - 1);

    while (o->seen[at].name && o->seen[at].name != name)
        at = (at + 1) & (MOST_SEEN - 1);
    if (!o->seen[at].name) {
        if (o->n_seen >= MOST_SEEN / 4 * 3)
            return NULL;
        o->n_seen++;
        o->seen[at].name = name;
    }
    return &o->seen[at];
}

static bool is_wanted(struct gcal_observer *o, struct seen *launch, double now_s)
{
    if (launch->file != o->n_files)
        launch->n = 0;
    launch->file = o->n_files;
    launch->n++;
    return launch->n <= FIRST || !(launch->n & (launch->n - 1)) ||
           now_s - launch->last_s >= HOUR_S;
}

/* ---- the file ---- */

static int begin_file(struct gcal_observer *o, struct gcal_error *err)
{
    char host[GCAL_STORE_HOST_SIZE];
    int folder = gcal_store_make_folder(o->store, o->store->dirfd, GCAL_OBSERVED_FOLDER,
                                        GCAL_OBSERVED_FOLDER, err);
    struct timespec now;

    close_file(o);
    o->n_files++;
    o->size = 0;
    if (folder < 0)
        return -1;
    clock_gettime(CLOCK_REALTIME, &now);
    gcal_store_host(host);
    o->shown =
        gcal_buf_format(GCAL_OBSERVED_FOLDER "/%s-%d-%llx" GCAL_OBSERVED_SUFFIX, host,
                        (int)o->pid, now.tv_sec * 1000000000ull + (unsigned)now.tv_nsec);
    if (!o->shown)
        gcal_error_memory(err);
    else
        o->fd = gcal_store_open_append(o->store, folder, strchr(o->shown, '/') + 1,
                                       o->shown, err);
    close(folder);
    return o->fd < 0 ? -1 : 0;
}

/* With the file locked: 1, 0 if it is somebody else's by now, -1. */
static int write_locked(struct gcal_observer *o, const struct gcal_buf *lines,
                        struct gcal_error *err)
{
    struct stat info;

    if (fstat(o->fd, &info) < 0)
        return errno == ESTALE ? 0 : gcal_store_fail(o->store, o->shown, err);
    if (info.st_size != o->size || info.st_nlink == 0)
        return 0;
    if (gcal_store_write_all(o->fd, lines->data, lines->size) < 0) {
        gcal_store_fail(o->store, o->shown, err);
        if (ftruncate(o->fd, o->size) < 0)
            close_file(o); /* its last line is cut */
        return -1;
    }
    o->size += (off_t)lines->size;
    return 1;
}

/* Where locks do not work, a time that is written while the file is taken may be lost. */
static int write_lines(struct gcal_observer *o, const struct gcal_buf *lines,
                       struct gcal_error *err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    bool is_locked = TEMP_FAILURE_RETRY(fcntl(o->fd, F_OFD_SETLK, &lock)) == 0;
    int rc;

    if (!is_locked && (errno == EAGAIN || errno == EACCES))
        return 0; /* being taken */
    rc = write_locked(o, lines, err);
    lock.l_type = F_UNLCK;
    if (is_locked && o->fd >= 0)
        fcntl(o->fd, F_OFD_SETLK, &lock);
    return rc;
}

/* ---- lines ---- */

static int put_profile(const struct gcal_observer *o, const struct gcal_observation *t,
                       struct gcal_buf *lines, struct gcal_error *err)
{
    char *text = t->profile(t->context, err);
    size_t from = lines->size;

    if (!text)
        return -1;
    gcal_buf_printf(lines, "profile\t%s\t%s\t", t->fingerprint, t->kernel);
    for (const char *at = text; *at; at++) {
        const char *escaped = *at == '\n'   ? "\\n"
                              : *at == '\t' ? "\\t"
                              : *at == '\\' ? "\\\\"
                                            : NULL;

        if (escaped)
            gcal_buf_puts(lines, escaped);
        else
            gcal_buf_put(lines, at, 1);
    }
    free(text);
    return gcal_store_end_line(o->key, GCAL_OBSERVED_SIGNED, lines, from, err);
}

/* What the file gets for a time: its header and the kernel's profile, if it has none. */
static int make_lines(const struct gcal_observer *o, const struct gcal_observation *t,
                      bool has_profile, struct gcal_buf *lines, struct gcal_error *err)
{
    char utc[GCAL_CLOCK_UTC_SIZE];
    size_t from;

    if (!o->size)
        gcal_buf_puts(lines, GCAL_OBSERVED_HEADER "\n");
    if (!has_profile && put_profile(o, t, lines, err) < 0)
        return -1;
    gcal_clock_utc(utc);
    from = lines->size;
    gcal_buf_printf(lines, "time\t%s\t%s\t%s\t%s\t%.9g\t%s\t%s:%" PRIu64, t->fingerprint,
                    t->node, t->uid, *t->sizes ? t->sizes : "-", t->time_s, utc,
                    strchr(o->shown, '/') + 1, o->n_lines);
    return gcal_store_end_line(o->key, GCAL_OBSERVED_SIGNED, lines, from, err);
}

static int write_time(struct gcal_observer *o, const struct gcal_observation *t,
                      struct seen *kernel, struct gcal_error *err)
{
    int rc = 0;

    /* Twice: the file may be somebody else's by now. */
    for (int tries = 0; tries < 2 && rc == 0; tries++) {
        struct gcal_buf lines = { 0 };

        if (o->fd < 0 || tries > 0)
            rc = begin_file(o, err);
        if (rc == 0)
            rc = make_lines(o, t, kernel->file == o->n_files, &lines, err);
        if (rc == 0 && (size_t)o->size + lines.size > GCAL_OBSERVED_MOST_BYTES) {
            gcal_buf_free(&lines);
            return 0;
        }
        if (rc == 0 && (rc = write_lines(o, &lines, err)) > 0) {
            kernel->file = o->n_files;
            o->n_lines++;
        }
        gcal_buf_free(&lines);
    }
    return rc;
}

int gcal_observer_add(struct gcal_observer *o, const struct gcal_observation *t,
                      struct gcal_error *err)
{
    const char *const parts[] = { t->node, t->uid, t->fingerprint, t->sizes };
    uint64_t of_kernel = hash_name(parts, 3), of_launch = hash_name(parts, 4);
    double now_s = gcal_clock_now_s();
    struct seen *kernel, *launch;
    int rc = 0;

    pthread_mutex_lock(&o->lock);
    if (o->pid != getpid()) { /* after a fork, the file is the parent's */
        o->pid = getpid();
        close_file(o);
        o->n_files++;
    }
    kernel = find_seen(o, of_kernel);
    launch = kernel ? find_seen(o, of_launch) : NULL;
    if (launch && kernel->n++ && is_wanted(o, launch, now_s)) {
        locale_t of_program = uselocale(o->c_locale);

        rc = write_time(o, t, kernel, err);
        uselocale(of_program);
        launch->file = o->n_files;
        if (rc > 0)
            launch->last_s = now_s;
    }
    pthread_mutex_unlock(&o->lock);
    return rc;
}
