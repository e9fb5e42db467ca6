/* count_cache.c - profiles of earlier counts, in files of the user's */
#include "mpi/cli/count_cache.h"

#include <ctype.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/hash.h"
#include "calib/base/wire.h"
#include "calib/model/profile.h"
#include "kernels/count/count.h"
#include "mpi/cli/build_id.h"

#define HEADER "gpucal count 3 "

enum {
    MOST_BYTES = 128 << 20, /* of all files */
    MOST_FILES = 12000,
    STORES_PER_TRIM = 64, /* of a process */
    MOST_FILE_BYTES = 4 << 20,
    ABANDONED_S = 3600, /* age of a temporary file whose process has ended */
};

/* ---- keys ---- */

/* With its length, so that no two requests have the same text. */
static void put_text(struct gcal_buf *buf, const char *text)
{
    if (text)
        gcal_buf_printf(buf, "%zu:%s,", strlen(text), text);
    else
        gcal_buf_puts(buf, "-,");
}

static void put_number(struct gcal_buf *buf, size_t number)
{
    gcal_buf_printf(buf, "%zu,", number);
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* How often 'text' has the name as a word, in comments and strings as well. */
static size_t count_name(const char *text, const char *name, size_t length)
{
    size_t n = 0;

    for (const char *at = text; (at = memmem(at, strlen(at), name, length)); at += length)
        n += !is_name_part(at[length]) && (at == text || !is_name_part(at[-1]));
    return n;
}

/* Whether 'word', an option such as -DNAME=1, defines a macro that no other text names.
 * Names in small letters may be those of the language.
 */
static bool is_unused_macro(const struct gcal_count_request *r, const char *word,
                            size_t length)
{
    const char *name = word + 2;
    size_t n = 0;
    bool has_capital = false;

    if (length < 3 || strncmp(word, "-D", 2) != 0 || *name == '_')
        return false;
    for (; n < length - 2 && is_name_part(name[n]); n++)
        has_capital = has_capital || isupper((unsigned char)name[n]);
    return has_capital && (n == length - 2 || name[n] == '=') &&
           count_name(r->source, name, n) == 0 &&
           /* after D it is part of another word */
           count_name(r->build_options, name, n) == 0;
}

/* The build options without macros that the source does not use: variants that differ in
 * these alone are counted once.
 */
static void put_options(struct gcal_buf *buf, const struct gcal_count_request *r)
{
    const char *at = r->build_options;

    if (!at || strpbrk(at, "\"'\\") || strstr(r->source, "##")) {
        put_text(buf, at);
        return;
    }
    while (*(at += strspn(at, " \t\r\n"))) {
        size_t length = strcspn(at, " \t\r\n");

        if (!is_unused_macro(r, at, length))
            gcal_buf_printf(buf, "%zu:%.*s,", length, (int)length, at);
        at += length;
    }
    put_text(buf, NULL);
}

/* Each member of the request but the file's name, which is in no profile. */
static void put_request(struct gcal_buf *buf, const struct gcal_count_request *r)
{
    put_text(buf, r->kernel);
    put_options(buf, r);
    put_text(buf, r->assume);
    put_number(buf, r->n_dims);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        put_number(buf, r->local_size[d]);
        put_text(buf, r->global_size[d]);
    }
    put_number(buf, r->sub_group_size);
    put_number(buf, r->n_banks);
    put_number(buf, r->sector_bytes);
    put_number(buf, r->index_arithmetic);
    put_number(buf, r->allow_estimates);
    put_number(buf, r->estimate_passes);
    put_number(buf, r->n_trips);
    for (size_t i = 0; i < r->n_trips; i++) {
        put_number(buf, (size_t)r->trips[i].line);
        put_text(buf, r->trips[i].parameter);
    }
    put_number(buf, r->n_extents);
    for (size_t i = 0; i < r->n_extents; i++) {
        put_text(buf, r->extents[i].argument);
        put_text(buf, r->extents[i].elements);
        put_number(buf, r->extents[i].bytes);
    }
    put_text(buf, r->source);
}

/* Whether 'word' may be that of a directive, as in "#include", or after a comment. */
static bool follows_hash(const char *source, const char *word)
{
    while (word > source && strchr(" \t", word[-1]))
        word--;
    return word > source && strchr("#/:=", word[-1]);
}

/* Whether the counts may depend on more than the request: on files that the compiler
 * reads, the name of the source, or the date.
 */
static bool depends_on_more(const char *source)
{
    static const char *const directives[] = { "include", "import", "embed" };
    static const char *const names[] = { "__FILE",      "__DATE__",   "__TIME",
                                         "__BASE_FILE", "__has_incl", "__has_embed" };

    for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
        for (const char *at = source; (at = strstr(at, directives[i])); at++)
            if (follows_hash(source, at))
                return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strstr(source, names[i]))
            return true;
    return false;
}

/* The source with its continued lines joined, the caller's to free. */
static char *join_lines(const char *source)
{
    char *text = malloc(strlen(source) + 1), *to = text;

    while (text && *source) {
        size_t blanks = *source == '\\' ? 1 + strspn(source + 1, " \t\r") : 0;

        if (blanks && source[blanks] == '\n')
            source += blanks + 1;
        else
            *to++ = *source++;
    }
    if (text)
        *to = '\0';
    return text;
}

bool gcal_command_count_key(const struct gcal_count_request *r,
                            char key[GCAL_COUNT_KEY_SIZE])
{
    struct gcal_buf buf = { 0 };
    const char *include_folder = getenv("GPUCAL_CLANG_INCLUDE");
    char *text = r->budget_divisor ? NULL : join_lines(r->source);
    bool made = false, alone = text && !depends_on_more(text);

    free(text);
    if (!alone)
        return false;
    put_text(&buf, GPUCAL_VERSION);
    put_text(&buf, GPUCAL_FRONTEND_HASH);
    put_text(&buf, include_folder && *include_folder ? include_folder : NULL);
    put_request(&buf, r);
    if (!buf.failed) {
        gcal_hash_fast(buf.data, buf.size, key);
        made = true;
    }
    gcal_buf_free(&buf);
    return made;
}

/* ---- the folder ---- */

/* Opens a folder that is the user's own and not open to all. */
static int open_own(int parent, const char *name, bool make)
{
    int folder;
    struct stat info;

    if (make && mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return -1;
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
        !(info.st_mode & S_IWOTH))
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
        parent = open_own(AT_FDCWD, base, true);
    } else if (home && *home == '/') {
        int own_home = open_own(AT_FDCWD, home, false);

        if (own_home >= 0) {
            parent = open_own(own_home, ".cache", true);
            close(own_home);
        }
    }
    if (parent < 0)
        return -1;
    folder = open_own(parent, "gpucal", true);
    close(parent);
    return folder;
}

/* ---- reading ---- */

static char *read_all(int file, size_t *size)
{
    struct stat info;
    char *text;

    if (fstat(file, &info) < 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        info.st_size > MOST_FILE_BYTES)
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

/* The profile in a file, whose first line has the hash of the rest. */
static struct gcal_profile *decode(const char *text, size_t size)
{
    size_t header = strlen(HEADER), hash = GCAL_HASH_TEXT_SIZE - 1;
    char actual[GCAL_HASH_TEXT_SIZE];
    struct gcal_wire body;

    if (size <= header + hash || memcmp(text, HEADER, header) != 0 ||
        text[header + hash] != '\n')
        return NULL;
    body = gcal_wire_open(text + header + hash + 1, size - (header + hash + 1));
    gcal_hash_fast(body.at, body.left, actual);
    return memcmp(actual, text + header, hash) == 0 ? gcal_profile_get(&body) : NULL;
}

static struct gcal_profile *look_up(int folder, const char *key)
{
    int file = openat(folder, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct gcal_profile *profile = NULL;
    size_t size;
    char *text;

    if (file < 0)
        return NULL;
    if ((text = read_all(file, &size)))
        profile = decode(text, size);
    free(text);
    if (profile)
        futimens(file, NULL); /* the least recently used are removed first */
    close(file);
    return profile;
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

/* Readers see the whole file or none: it is renamed when complete.  'number' is that of
 * the process's file.
 */
static void put(int folder, const char *key, unsigned number, const char *text,
                size_t size)
{
    char name[64];
    int file;
    bool good;

    snprintf(name, sizeof(name), ".new.%ld.%u", (long)getpid(), number);
    unlinkat(folder, name, 0);
    file =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    good = write_all(file, text, size);
    good = close(file) == 0 && good;
    if (!good || renameat(folder, name, folder, key) < 0)
        unlinkat(folder, name, 0);
}

static void store(int folder, const char *key, const struct gcal_profile *profile)
{
    static atomic_uint stores;
    unsigned number = atomic_fetch_add(&stores, 1);
    struct gcal_buf buf = { 0 }, body = { 0 };
    char hash[GCAL_HASH_TEXT_SIZE];

    gcal_profile_put(&body, profile);
    if (!body.failed) {
        gcal_hash_fast(body.data, body.size, hash);
        gcal_buf_printf(&buf, HEADER "%s\n", hash);
        gcal_buf_put(&buf, body.data, body.size);
    }
    if (!body.failed && !buf.failed && buf.size <= MOST_FILE_BYTES) {
        put(folder, key, number, buf.data, buf.size);
        if (number % STORES_PER_TRIM == 0)
            trim(folder);
    }
    gcal_buf_free(&body);
    gcal_buf_free(&buf);
}

struct gcal_profile *gcal_command_count_cached(void *none,
                                               const struct gcal_count_request *request,
                                               struct gcal_error *err)
{
    char key[GCAL_COUNT_KEY_SIZE];
    int folder = gcal_command_count_key(request, key) ? open_folder() : -1;
    struct gcal_profile *profile = folder < 0 ? NULL : look_up(folder, key);

    (void)none;
    if (!profile && (profile = gcal_count(request, err)) && folder >= 0)
        store(folder, key, profile);
    if (folder >= 0)
        close(folder);
    return profile;
}
