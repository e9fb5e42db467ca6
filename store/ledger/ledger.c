/* ledger.c - reading and appending the ledger of a store */
#include "store/ledger/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

enum { N_FIELDS = 12 };

/* ---- reading ---- */

/* 1, 0: no such segment, -1. */
static int open_segment(const struct gcal_store *store, int folder, const char *file,
                        struct gcal_ledger_reader *reader, struct gcal_error *err)
{
    int fd = TEMP_FAILURE_RETRY(
        openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat info;

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        if (gcal_store_check_owner(store, reader->name, &info, err) == 0) {
            if ((reader->file = fdopen(fd, "r")))
                return 1;
            gcal_error_memory(err);
        }
    } else {
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s is not a regular file",
                       store->path, reader->name);
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int gcal_ledger_resume(const struct gcal_store *store, struct gcal_ledger_reader *reader,
                       struct gcal_error *err)
{
    int folder = -1, rc = gcal_store_folder(store, store->dirfd, GCAL_LEDGER_FOLDER,
                                            GCAL_LEDGER_FOLDER, &folder, err);

    if (rc > 0)
        rc = open_segment(store, folder, strchr(reader->name, '/') + 1, reader, err);
    if (folder >= 0)
        close(folder);
    if (rc > 0 && fseek(reader->file, reader->at, SEEK_SET) < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "store %s: %s: %s", store->path,
                            reader->name, strerror(errno));
    return rc < 0 ? -1 : 0;
}

int gcal_ledger_open(const struct gcal_store *store, const char *segment,
                     struct gcal_ledger_reader *reader, struct gcal_error *err)
{
    *reader = (struct gcal_ledger_reader){ .name = strdup(segment) };
    if (!reader->name)
        gcal_arena_out_of_memory();
    if (gcal_ledger_resume(store, reader, err) == 0)
        return 0;
    gcal_ledger_close(reader);
    return -1;
}

void gcal_ledger_pause(struct gcal_ledger_reader *reader)
{
    if (reader->file)
        fclose(reader->file);
    reader->file = NULL;
}

int gcal_ledger_segments(struct gcal_arena *arena, const struct gcal_store *store,
                         const char ***names, size_t *n, struct gcal_error *err)
{
    int folder, rc = gcal_store_folder(store, store->dirfd, GCAL_LEDGER_FOLDER,
                                       GCAL_LEDGER_FOLDER, &folder, err);
    char **hosts = NULL;
    size_t n_hosts = 0;

    *n = 0;
    if (rc < 0 || (rc > 0 && gcal_store_list(folder, ".tsv", &hosts, &n_hosts, err) < 0))
        return -1;
    *names = gcal_arena_alloc(arena, n_hosts, sizeof(**names));
    for (size_t i = 0; i < n_hosts; i++)
        (*names)[(*n)++] =
            gcal_arena_format(arena, GCAL_LEDGER_FOLDER "/%s.tsv", hosts[i]);
    gcal_strings_free(hosts, n_hosts);
    return 0;
}

void gcal_ledger_close(struct gcal_ledger_reader *reader)
{
    gcal_ledger_pause(reader);
    free(reader->line);
    free(reader->name);
    *reader = (struct gcal_ledger_reader){ 0 };
}

/* Splits at tabs; returns the number of fields. */
static size_t split(char *line, const char *field[N_FIELDS])
{
    size_t n = 0;

    for (char *tab = line; tab; line = tab + 1, n++) {
        if ((tab = strchr(line, '\t')))
            *tab = '\0';
        if (n < N_FIELDS)
            field[n] = line;
        if (!tab)
            return n + 1;
    }
    return n;
}

static bool was_cut(const char *line, size_t size)
{
    size_t length = strlen(GCAL_STORE_CUT_MARK);

    return size >= length &&
           memcmp(line + size - length, GCAL_STORE_CUT_MARK, length) == 0;
}

/* A complete line, without its newline, in reader->line.  1, or 0 at the end. */
static int next_line(struct gcal_ledger_reader *r, size_t *size)
{
    ssize_t got;

    if (!r->file)
        return 0;
    got = getline(&r->line, &r->capacity, r->file);
    r->is_cut = got > 0 && r->line[got - 1] != '\n';
    if (got <= 0 || r->is_cut) {
        /* Being written, or cut: the next call reads it again. */
        clearerr(r->file);
        fseek(r->file, r->at, SEEK_SET);
        return 0;
    }
    r->line[got - 1] = '\0';
    r->at += got;
    r->number++;
    *size = (size_t)got - 1;
    return 1;
}

static int complain(const struct gcal_ledger_reader *r, const char *what,
                    struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: %s", r->name, r->number, what);
}

static int read_entry(struct gcal_ledger_reader *r, size_t size, const char *expected,
                      struct gcal_ledger_entry *entry, struct gcal_error *err)
{
    const char *f[N_FIELDS];

    if (strlen(r->line) != size || split(r->line, f) != N_FIELDS)
        return complain(r, "not a line of a ledger", err);
    for (int i = 0; i < N_FIELDS; i++)
        if (strcmp(f[i], "-") == 0)
            f[i] = "";
    if (strcmp(f[0], expected) != 0)
        return complain(
            r,
            "does not match the hash of the previous line: a line was changed, "
            "removed or inserted",
            err);
    *entry = (struct gcal_ledger_entry){ f[1], f[2], f[3],  f[4],  f[5], f[6], f[7],
                                         f[8], f[9], f[10], f[11], f[0], "" };
    if (strcmp(entry->action, GCAL_LEDGER_SEAL) == 0) {
        entry->seal = entry->run_id;
        entry->run_id = "";
    }
    return 1;
}

int gcal_ledger_next(struct gcal_ledger_reader *r, struct gcal_ledger_entry *entry,
                     struct gcal_error *err)
{
    char expected[GCAL_HASH_TEXT_SIZE];
    size_t size;

    while (next_line(r, &size)) {
        memcpy(expected, r->previous, sizeof(expected));
        gcal_hash(r->line, size, r->previous);
        if (was_cut(r->line, size))
            continue;
        if (*expected)
            return read_entry(r, size, expected, entry, err);
        if (strcmp(r->line, GCAL_LEDGER_HEADER) != 0)
            return complain(r,
                            "not a ledger, or written by another version of gpucal: the "
                            "first line must be '" GCAL_LEDGER_HEADER "'",
                            err);
    }
    return 0;
}

/* ---- appending ---- */

static void put_field(struct gcal_buf *buf, const char *text)
{
    if (!text || !*text)
        text = "-";
    gcal_buf_puts(buf, "\t");
    for (size_t i = 0; text[i] && i < 250; i++)
        gcal_buf_put(buf, (unsigned char)text[i] < ' ' ? "_" : text + i, 1);
}

/* Returns whether the lines that end at 'end' end with a seal; cut ones have no meaning. */
static bool are_sealed(const struct gcal_store *store, const char *segment,
                       const char *tail, char *end)
{
    const char *f[N_FIELDS];
    char *line;

    for (; end > tail; end = line - 1) {
        for (line = end; line > tail && line[-1] != '\n'; line--)
            ;
        if (line == tail)
            return strncmp(line, GCAL_LEDGER_HEADER, (size_t)(end - line)) == 0;
        if (!was_cut(line, (size_t)(end - line)))
            break;
    }
    if (end <= tail)
        return false;
    *end = '\0';
    return split(line, f) == N_FIELDS && strcmp(f[3], GCAL_LEDGER_SEAL) == 0 &&
           gcal_ledger_check_seal(store, segment, f[0], f[4], NULL) == 0;
}

/* The SHA-256 of the last line, with the mark if it was cut, and whether all lines are sealed. */
static int read_end(const struct gcal_store *store, int fd, const char *segment,
                    char hash[GCAL_HASH_TEXT_SIZE], bool *sealed, struct gcal_error *err)
{
    char tail[GCAL_LEDGER_MAX_LINE + sizeof(GCAL_STORE_CUT_MARK)];
    off_t size = lseek(fd, 0, SEEK_END);
    off_t start = size > GCAL_LEDGER_MAX_LINE ? size - GCAL_LEDGER_MAX_LINE : 0;
    ssize_t got =
        size < 0 ? -1
                 : TEMP_FAILURE_RETRY(pread(fd, tail, (size_t)(size - start), start));
    char *line, *end = tail + got;

    if (got < 0)
        return gcal_store_fail(store, segment, err);
    if (got && end[-1] == '\n')
        end--;
    else if (got)
        end = stpcpy(end, GCAL_STORE_CUT_MARK);
    for (line = end; line > tail && line[-1] != '\n'; line--)
        ;
    if (line == tail && start > 0)
        return gcal_error_set(err, GCAL_ESTORE,
                              "store %s: the last line of %s is not a line of a ledger: "
                              "run 'gpucal store verify'",
                              store->path, segment);
    gcal_hash(line, (size_t)(end - line), hash);
    *sealed = are_sealed(store, segment, tail, end);
    return 0;
}

static void put_entry(struct gcal_buf *buf, const struct gcal_ledger_entry *e,
                      const char *utc, const char *by, char previous[GCAL_HASH_TEXT_SIZE])
{
    const char *fields[] = {
        utc,        by,      e->action, e->run_id,   e->configuration, e->catalogue,
        e->drivers, e->file, e->sha256, e->replaces, e->track
    };
    size_t start = buf->size;

    gcal_buf_puts(buf, previous);
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        put_field(buf, fields[i]);
    if (!buf->failed)
        gcal_hash(buf->data + start, buf->size - start, previous);
    gcal_buf_puts(buf, "\n");
}

/* Under the lock.  A seal would vouch for all lines before, so lines that anyone without a key may
 * have added are sealed on request alone, which has no entries.
 */
static int append(struct gcal_arena *arena, const struct gcal_store *store, int fd,
                  const char *segment, const struct gcal_ledger_entry *entries,
                  size_t count, struct gcal_error *err)
{
    char previous[GCAL_HASH_TEXT_SIZE], utc[GCAL_CLOCK_UTC_SIZE];
    struct passwd user, *found = NULL;
    char host[100] = "", names[4096];
    const char *by;
    struct gcal_ledger_entry seal = { .action = GCAL_LEDGER_SEAL };
    struct gcal_buf buf = { 0 };
    struct stat info;
    bool sealed = true;
    int rc = -1;

    gcal_clock_utc(utc);
    gethostname(host, sizeof(host) - 1);
    getpwuid_r(geteuid(), &user, names, sizeof(names), &found);
    by = found ? gcal_arena_format(arena, "%.100s@%s", found->pw_name, host)
               : gcal_arena_format(arena, "%u@%s", (unsigned)geteuid(), host);
    if (fstat(fd, &info) < 0) {
        gcal_store_fail(store, segment, err);
    } else if (info.st_size == 0) {
        gcal_buf_puts(&buf, GCAL_LEDGER_HEADER "\n");
        gcal_hash(GCAL_LEDGER_HEADER, strlen(GCAL_LEDGER_HEADER), previous);
        rc = 0;
    } else {
        rc = read_end(store, fd, segment, previous, &sealed, err);
    }
    for (size_t i = 0; i < count; i++)
        put_entry(&buf, &entries[i], utc, by, previous);
    if (rc == 0 && store->key && (sealed || !count)) {
        seal.run_id = gcal_ledger_make_seal(arena, store, segment, previous, err);
        rc = seal.run_id ? 0 : -1;
        put_entry(&buf, &seal, utc, by, previous);
    }
    if (rc == 0)
        rc = buf.failed ? gcal_error_memory(err)
                        : gcal_store_append(store, fd, segment, buf.data, buf.size, err);
    gcal_buf_free(&buf);
    return rc;
}

static int append_locked(struct gcal_arena *arena, const struct gcal_store *store,
                         const char *segment, const struct gcal_ledger_entry *entries,
                         size_t count, struct gcal_error *err)
{
    int folder = gcal_store_make_folder(store, store->dirfd, GCAL_LEDGER_FOLDER,
                                        GCAL_LEDGER_FOLDER, err);
    int fd, rc = -1;

    if (folder < 0)
        return -1;
    fd = gcal_store_open_append(store, folder, strchr(segment, '/') + 1, segment, err);
    if (fd >= 0) {
        rc = append(arena, store, fd, segment, entries, count, err);
        close(fd);
    }
    close(folder);
    return rc;
}

/* Under the lock of the segment. */
static int append_to(struct gcal_arena *arena, struct gcal_store *store,
                     const char *segment, const struct gcal_ledger_entry *entries,
                     size_t count, struct gcal_error *err)
{
    const char *host = strchr(segment, '/') + 1;
    const char *file =
        gcal_arena_format(arena, ".ledger.%.*s", (int)(strlen(host) - strlen(".tsv")),
                          host); /* not the name of any node */
    int lock = gcal_store_lock_briefly(store, file, err), rc = -1;

    if (lock >= 0) {
        rc = append_locked(arena, store, segment, entries, count, err);
        close(lock);
    }
    return rc;
}

int gcal_ledger_append(struct gcal_store *store, const struct gcal_ledger_entry *entries,
                       size_t count, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    char host[GCAL_STORE_HOST_SIZE];
    int rc;

    gcal_store_host(host);
    rc = append_to(arena, store,
                   gcal_arena_format(arena, GCAL_LEDGER_FOLDER "/%s.tsv", host), entries,
                   count, err);
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- segments that were written without a key, or with another one ---- */

/* Returns whether the segment ends with a seal by the store's key, or has no lines. */
static int is_sealed(const struct gcal_store *store, const char *segment,
                     struct gcal_error *err)
{
    const struct gcal_store own = { .trusted = store->public_key };
    struct gcal_ledger_reader reader;
    struct gcal_ledger_entry entry;
    struct gcal_error line;
    bool sealed = true;
    int got;

    if (gcal_ledger_open(store, segment, &reader, err) < 0)
        return -1;
    while ((got = gcal_ledger_next(&reader, &entry, &line)) != 0)
        sealed =
            got > 0 && strcmp(entry.action, GCAL_LEDGER_SEAL) == 0 &&
            gcal_ledger_check_seal(&own, segment, entry.previous, entry.seal, NULL) == 0;
    gcal_ledger_close(&reader);
    return sealed;
}

int gcal_ledger_seal(struct gcal_store *store, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char **names;
    size_t n;
    int rc = gcal_ledger_segments(arena, store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        int sealed = is_sealed(store, names[i], err);

        rc = sealed < 0 ? -1
             : sealed   ? 0
                        : append_to(arena, store, names[i], NULL, 0, err);
    }
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- a file with its line ---- */

int gcal_ledger_put(struct gcal_store *store, int folder, const char *file,
                    const struct gcal_ledger_entry *entry, const char *text, size_t size,
                    struct gcal_error *err)
{
    char sha256[GCAL_HASH_TEXT_SIZE], *temp = gcal_store_temp(file);
    struct gcal_ledger_entry line = *entry;
    int rc = -1;

    if (!temp)
        return gcal_error_memory(err);
    gcal_hash(text, size, sha256);
    line.sha256 = sha256;
    if (gcal_store_prepare(store, folder, temp, entry->file, text, size, err) == 0) {
        if (gcal_ledger_append(store, &line, 1, err) == 0)
            rc = gcal_store_replace(store, folder, temp, file, entry->file, err);
        else
            gcal_store_remove(folder, temp);
    }
    free(temp);
    return rc;
}

void gcal_ledger_end(struct gcal_store *store, const char *run_id, const char *file,
                     const char *sha256)
{
    const struct gcal_ledger_entry entry = { .action = "end",
                                             .run_id = run_id,
                                             .file = file,
                                             .sha256 = sha256,
                                             .replaces = sha256 };

    gcal_ledger_append(store, &entry, 1, NULL);
}
