/* count_cache.c - profiles and descriptions of earlier counts, in files of the user's */
#include "mpi/cli/count_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/file.h"
#include "kernels/base/hash.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/frontend/frontend.h"
#include "kernels/includes/includes.h"
#include "mpi/cli/build_id.h"

#define HEADER      "gpucal count 5 "
#define HEADER_SIZE (sizeof(HEADER) + 2 * (size_t)GCAL_HASH_TEXT_SIZE)

enum {
    MOST_BYTES = 128 << 20, /* of all files */
    MOST_FILES = 12000,
    STORES_PER_TRIM = 64, /* of a process */
    MOST_FILE_BYTES = 4 << 20,
    ABANDONED_S = 3600, /* age of a temporary file whose process has ended */
};

/* ---- keys ---- */

/* The request's bytes, with a hash for the contents of each buffer. */
static void put_request(struct gcal_buf *buf, struct gcal_count_request r)
{
    struct gcal_count_buffer *buffers = calloc(r.n_buffers + 1, sizeof(*buffers));
    char(*hashes)[GCAL_HASH_TEXT_SIZE] = calloc(r.n_buffers + 1, sizeof(*hashes));

    buf->failed |= !buffers || !hashes;
    for (size_t i = 0; i < r.n_buffers && !buf->failed; i++) {
        buffers[i] = r.buffers[i];
        if (!buffers[i].data)
            continue;
        gcal_hash_fast(buffers[i].data, buffers[i].data_bytes, hashes[i]);
        buffers[i].data = hashes[i];
        buffers[i].data_bytes = sizeof(hashes[i]);
    }
    r.buffers = buffers;
    if (!buf->failed)
        gcal_frontend_put_request(buf, &r);
    free(buffers);
    free(hashes);
}

bool gcal_command_count_key(const struct gcal_count_request *r,
                            char key[GCAL_COUNT_KEY_SIZE])
{
    struct gcal_buf buf = { 0 };
    bool made = false;

    /* The front end looks for no file of CUDA. */
    if (r->budget_divisor ||
        (r->language == GCAL_SOURCE_OPENCL_C && gcal_includes_may_remain(r->source)) ||
        gcal_includes_may_remain(r->build_options))
        return false;
    gcal_wire_put_text(&buf, GPUCAL_VERSION);
    gcal_wire_put_text(&buf, GPUCAL_FRONTEND_HASH);
    put_request(&buf, *r);
    if (!buf.failed) {
        gcal_hash_fast(buf.data, buf.size, key);
        made = true;
    }
    gcal_buf_free(&buf);
    return made;
}

/* The hash of the file that clang reads besides the source; "" if it cannot be read. */
static char headers_hash[GCAL_HASH_TEXT_SIZE];

/* Its time stands for the version of libclang, which is installed with it, and not loaded
 * for a count that is kept.
 */
static void hash_headers(void)
{
    struct gcal_buf buf = { 0 };
    char *path = gcal_buf_format("%s/opencl-c-base.h", gcal_includes_clang_folder());
    size_t size = 0;
    char *text = path ? gcal_file_read(path, MOST_FILE_BYTES, &size, NULL) : NULL;
    struct stat info;

    if (text && stat(path, &info) == 0) {
        gcal_wire_put_text(&buf, path);
        gcal_wire_put_u64(&buf, (uint64_t)info.st_mtime);
        gcal_buf_put(&buf, text, size);
        if (!buf.failed)
            gcal_hash_fast(buf.data, buf.size, headers_hash);
    }
    gcal_buf_free(&buf);
    free(text);
    free(path);
}

enum answer { PROFILE, DESCRIPTION };

/* The name of the file of an answer to a request. */
static bool name_file(enum answer answer, const struct gcal_count_request *r,
                      char name[GCAL_HASH_TEXT_SIZE])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char texts[GCAL_COUNT_KEY_SIZE + GCAL_HASH_TEXT_SIZE + 1];

    pthread_once(&once, hash_headers);
    if (!*headers_hash || !gcal_command_count_key(r, texts))
        return false;
    memcpy(texts + GCAL_COUNT_KEY_SIZE, headers_hash, sizeof(headers_hash));
    texts[sizeof(texts) - 1] = (char)answer;
    gcal_hash_fast(texts, sizeof(texts), name);
    return true;
}

/* ---- the folder ---- */

static bool is_own(int file, mode_t refused)
{
    struct stat info;

    return fstat(file, &info) == 0 && info.st_uid == geteuid() &&
           !(info.st_mode & refused);
}

/* Opens a folder of the user's.  A group may write to those above: it could only put another
 * folder of the user's in place of one, whose files have other names.
 */
static int open_own(int parent, const char *name, bool make, mode_t refused)
{
    int folder;

    if (make && mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return -1;
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (is_own(folder, refused))
        return folder;
    close(folder);
    return -1;
}

/* $XDG_CACHE_HOME/gpucal, or ~/.cache/gpucal; -1 without one. */
static int open_folder(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int parent = -1, folder;

    if (base && *base == '/') {
        parent = open_own(AT_FDCWD, base, true, S_IWOTH);
    } else if (home && *home == '/') {
        int own_home = open_own(AT_FDCWD, home, false, S_IWOTH);

        if (own_home >= 0) {
            parent = open_own(own_home, ".cache", true, S_IWOTH);
            close(own_home);
        }
    }
    if (parent < 0)
        return -1;
    folder = open_own(parent, "gpucal", true, S_IWGRP | S_IWOTH);
    close(parent);
    return folder;
}

/* ---- reading ---- */

static char *read_all(int file, size_t *size)
{
    struct stat info;
    char *text;

    if (!is_own(file, S_IWGRP | S_IWOTH) || fstat(file, &info) < 0 ||
        !S_ISREG(info.st_mode) || info.st_size > MOST_FILE_BYTES)
        return NULL;
    if (!(text = malloc((size_t)info.st_size + 1)))
        return NULL;
    for (*size = 0; *size < (size_t)info.st_size;) {
        ssize_t n = read(file, text + *size, (size_t)info.st_size - *size);

        if (n <= 0)
            break;
        *size += (size_t)n;
    }
    return text;
}

/* The first line of a file: its name, as a copy of another file may have it, and the hash
 * of the rest.
 */
static void write_header(const char *name, const char *body, size_t size,
                         char header[HEADER_SIZE])
{
    char hash[GCAL_HASH_TEXT_SIZE];

    gcal_hash_fast(body, size, hash);
    snprintf(header, HEADER_SIZE, HEADER "%s %s\n", name, hash);
}

/* A file without its header; NULL if there is none of this name. */
static char *look_up(int folder, const char *name, struct gcal_wire *body)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t size = 0, length = HEADER_SIZE - 1;
    char header[HEADER_SIZE], *text;

    if (file < 0)
        return NULL;
    text = read_all(file, &size);
    if (text && size > length)
        write_header(name, text + length, size - length, header);
    if (text && size > length && memcmp(header, text, length) == 0) {
        *body = gcal_wire_open(text + length, size - length);
        futimens(file, NULL); /* the least recently used are removed first */
    } else {
        free(text);
        text = NULL;
    }
    close(file);
    return text;
}

/* ---- writing ---- */

struct stored {
    char name[GCAL_HASH_TEXT_SIZE];
    struct timespec used;
    size_t bytes;
};

static int compare_age(const void *a, const void *b)
{
    const struct stored *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Of a file in the folder: whether it is a profile; abandoned temporary ones go. */
static bool describe(int folder, const char *name, struct stored *s)
{
    struct stat info;

    if (name[0] == '.' && strncmp(name, ".new.", 5) != 0)
        return false;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(info.st_mode))
        return false;
    if (name[0] == '.') {
        if (info.st_mtime + ABANDONED_S < time(NULL))
            unlinkat(folder, name, 0);
        return false;
    }
    if (strlen(name) != GCAL_HASH_TEXT_SIZE - 1)
        return false;
    memcpy(s->name, name, GCAL_HASH_TEXT_SIZE);
    s->used = info.st_mtim;
    s->bytes = (size_t)info.st_size;
    return true;
}

/* Removes the oldest files while there are too many. */
static void trim(int folder)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct stored *all = calloc(2 * MOST_FILES, sizeof(*all));
    size_t n = 0, bytes = 0;

    for (struct dirent *e; dir && all && n < 2 * MOST_FILES && (e = readdir(dir));)
        if (describe(folder, e->d_name, &all[n]))
            bytes += all[n++].bytes;
    if (bytes > MOST_BYTES || n > MOST_FILES) {
        qsort(all, n, sizeof(*all), compare_age);
        for (size_t i = 0;
             i < n && (bytes > MOST_BYTES / 4 * 3 || n - i > MOST_FILES / 4 * 3); i++) {
            unlinkat(folder, all[i].name, 0);
            bytes -= all[i].bytes;
        }
    }
    free(all);
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
}

static bool write_all(int file, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(file, text, size);

        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

static void store(int folder, const char *name, const struct gcal_buf *body)
{
    static atomic_uint stores;
    unsigned number = atomic_fetch_add(&stores, 1);
    struct gcal_buf buf = { 0 };
    char header[HEADER_SIZE];

    if (!body->failed) {
        write_header(name, body->data, body->size, header);
        gcal_buf_puts(&buf, header);
        gcal_buf_put(&buf, body->data, body->size);
    }
    if (!body->failed && !buf.failed && buf.size <= MOST_FILE_BYTES) {
        /* Readers see the whole file or none: it is renamed when complete.  'number' is that of
         * the process's file.
         */
        char temporary[64];
        int file;
        bool good;
        snprintf(temporary, sizeof(temporary), ".new.%ld.%u", (long)getpid(), number);
        unlinkat(folder, temporary, 0);
        file = openat(folder, temporary,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0) {
            good = write_all(file, buf.data, buf.size);
            good = close(file) == 0 && good;
            if (!good || renameat(folder, temporary, folder, name) < 0)
                unlinkat(folder, temporary, 0);
        }
        if (number % STORES_PER_TRIM == 0)
            trim(folder);
    }
    gcal_buf_free(&buf);
}

/* ---- answers ---- */

struct gcal_profile *gcal_command_count_cached(void *none,
                                               const struct gcal_count_request *request,
                                               struct gcal_error *err)
{
    char name[GCAL_HASH_TEXT_SIZE], *text;
    int folder = name_file(PROFILE, request, name) ? open_folder() : -1;
    struct gcal_profile *profile = NULL;
    struct gcal_buf body = { 0 };
    struct gcal_wire wire;

    (void)none;
    if (folder >= 0 && (text = look_up(folder, name, &wire))) {
        profile = gcal_profile_get(&wire);
        free(text);
    }
    if (!profile && (profile = gcal_count(request, err)) && folder >= 0) {
        gcal_profile_put(&body, profile);
        store(folder, name, &body);
        gcal_buf_free(&body);
    }
    if (folder >= 0)
        close(folder);
    return profile;
}

int gcal_command_describe_cached(const struct gcal_count_request *request,
                                 struct gcal_count_description *description,
                                 struct gcal_error *err)
{
    char name[GCAL_HASH_TEXT_SIZE], *text;
    int folder = name_file(DESCRIPTION, request, name) ? open_folder() : -1, rc = -1;
    struct gcal_buf body = { 0 };
    struct gcal_wire wire;

    if (folder >= 0 && (text = look_up(folder, name, &wire))) {
        gcal_frontend_get_description(&wire, description);
        rc = wire.bad ? -1 : 0;
        if (rc < 0)
            gcal_count_description_clear(description);
        free(text);
    }
    if (rc < 0 && (rc = gcal_count_describe(request, description, err)) == 0 &&
        folder >= 0) {
        gcal_frontend_put_description(&body, description);
        store(folder, name, &body);
        gcal_buf_free(&body);
    }
    if (folder >= 0)
        close(folder);
    return rc;
}
