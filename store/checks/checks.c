/* checks.c - what quick checks of a node's devices measured: reading, and adding one */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/checks/checks.h"
#include "store/files/internal.h"

#define HEADER "gpucal_checks 1"

/* What the signatures of the node's lines begin with. */
static char *make_signed_head(struct gcal_arena *arena, const char *node)
{
    return gcal_arena_format(arena, HEADER " line of %s\n", node);
}

/* The text of a node's file, and its header checked: 1 with 'text'; 0 if there is none; -1. */
static int fetch_text(struct gcal_arena *arena, const struct gcal_store *store,
                      int folder, const char *node, char **text, struct gcal_error *err)
{
    const char *shown =
        gcal_arena_format(arena, GCAL_CHECKS_FOLDER "/%s" GCAL_CHECKS_SUFFIX, node);
    size_t size;
    int rc = gcal_store_fetch(store, folder, strchr(shown, '/') + 1, shown,
                              GCAL_STORE_MAX_BYTES, text, &size, err);

    gcal_arena_own(arena, *text, free);
    if (rc > 0 && strncmp(*text, HEADER "\n", strlen(HEADER "\n")) != 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s is damaged, or written by another version of "
                              "gpucal: remove it, and the next checks begin anew",
                              store->path, shown);
    return rc;
}

/* False: the line is damaged. */
static bool read_line(struct gcal_arena *arena, char *text, struct gcal_checks_line *line)
{
    const char *fields[6] = { 0 };
    size_t capacity = 0;
    char *end;

    for (int i = 0; i < 6; i++)
        if (!(fields[i] = strsep(&text, "\t")))
            return false;
    if (strcmp(fields[0], "check") != 0)
        return false;
    *line = (struct gcal_checks_line){
        .utc = fields[1], .uid = fields[2], .type = fields[3], .epoch = fields[4]
    };
    line->clock_hz = strtod(fields[5], &end);
    if (*end)
        return false;
    for (char *word; (word = strsep(&text, "\t"));) {
        struct gcal_checks_time time = { 0 };
        const char *number;

        if (*word == '#') /* the signature */
            continue;
        time.name = strsep(&word, ":");
        time.kernel = strsep(&word, ":");
        number = strsep(&word, ":");
        if (!number || (word && strcmp(word, "off") != 0))
            return false;
        time.time_s = strtod(number, &end);
        time.off = word;
        if (*end || !(time.time_s > 0) || !isfinite(time.time_s))
            return false;
        line->times =
            gcal_arena_grow(arena, line->times, line->n, &capacity, sizeof(time));
        line->times[line->n++] = time;
    }
    return true;
}

int gcal_checks_read(struct gcal_arena *arena, const struct gcal_store *store,
                     const char *node, struct gcal_checks *checks, struct gcal_error *err)
{
    char *text = NULL, *next;
    const char *head = make_signed_head(arena, node);
    int folder, rc = gcal_store_folder(store, store->dirfd, GCAL_CHECKS_FOLDER,
                                       GCAL_CHECKS_FOLDER, &folder, err);

    *checks = (struct gcal_checks){ 0 };
    if (rc <= 0)
        return rc;
    rc = fetch_text(arena, store, folder, node, &text, err);
    close(folder);
    if (rc <= 0)
        return rc;
    next = strchr(text, '\n') + 1;
    for (char *line; (line = strsep(&next, "\n")) && next;) { /* a last one is cut */
        struct gcal_checks_line read;

        if (!gcal_store_line_is_signed(store, head, line) ||
            !read_line(arena, line, &read)) {
            checks->n_left_out++;
            continue;
        }
        checks->lines = gcal_arena_grow(arena, checks->lines, checks->n,
                                        &checks->capacity, sizeof(read));
        checks->lines[checks->n++] = read;
    }
    return 0;
}

bool gcal_checks_is_newest(const struct gcal_checks *checks, size_t i)
{
    for (size_t k = i + 1; k < checks->n; k++)
        if (strcmp(checks->lines[k].uid, checks->lines[i].uid) == 0)
            return false;
    return true;
}

int gcal_checks_reference(struct gcal_arena *arena, const struct gcal_store *store,
                          const char *type, const char **text, struct gcal_error *err)
{
    const char *shown = gcal_arena_format(arena, "references/%s.tsv", type);
    char *read = NULL;
    size_t size;
    int folder, rc = gcal_store_folder(store, store->dirfd, "references", "references",
                                       &folder, err);

    if (rc <= 0)
        return rc;
    rc = gcal_store_fetch(store, folder, strchr(shown, '/') + 1, shown,
                          GCAL_STORE_MAX_BYTES, &read, &size, err);
    close(folder);
    *text = gcal_arena_own(arena, read, free);
    if (rc > 0 && gcal_store_check_signature(store, shown, read, &size, err) < 0)
        return -1;
    return rc;
}

int gcal_checks_nodes(const struct gcal_store *store, char ***names, size_t *count,
                      struct gcal_error *err)
{
    int folder, rc = gcal_store_folder(store, store->dirfd, GCAL_CHECKS_FOLDER,
                                       GCAL_CHECKS_FOLDER, &folder, err);

    *names = NULL;
    *count = 0;
    return rc <= 0 ? rc : gcal_store_list(folder, GCAL_CHECKS_SUFFIX, names, count, err);
}

/* ---- adding ---- */

/* Without the characters that separate fields and lines. */
static void put_word(struct gcal_buf *buf, const char *text)
{
    gcal_buf_puts(buf, "\t");
    for (; *text; text++)
        gcal_buf_put(buf, *text == '\t' || *text == '\n' ? " " : text, 1);
}

/* Whether a line is of that device: "check UTC UID ..". */
static bool is_of(const char *line, const char *end, const char *uid)
{
    size_t length = strlen(uid);

    for (int i = 0; i < 2; i++)
        if (!(line = memchr(line, '\t', (size_t)(end - line))))
            return false;
        else
            line++;
    return (size_t)(end - line) > length && memcmp(line, uid, length) == 0 &&
           line[length] == '\t';
}

/* All lines but the oldest ones of the device, of which one less than those kept stays. */
static void keep_lines(struct gcal_buf *buf, const char *text, const char *uid)
{
    size_t n_of_device = 0;

    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        n_of_device += is_of(line, end, uid);
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (!is_of(line, end, uid) || n_of_device-- < GCAL_CHECKS_KEPT)
            gcal_buf_put(buf, line, (size_t)(end + 1 - line));
}

int gcal_checks_add(const struct gcal_store *store, const char *node,
                    const struct gcal_checks_line *line, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char *file = gcal_arena_format(arena, "%s" GCAL_CHECKS_SUFFIX, node);
    const char *lock_file = gcal_arena_format(arena, "%s.checks.lock", node);
    char *temp = gcal_arena_own(arena, gcal_store_temp(file), free), *old = NULL;
    int lock = -1, folder = -1, rc = temp ? 0 : gcal_error_memory(err);
    struct gcal_buf buf = { 0 };
    size_t from;

    if (rc < 0 || (lock = gcal_store_lock_briefly(store, lock_file, err)) < 0 ||
        (folder = gcal_store_make_folder(store, store->dirfd, GCAL_CHECKS_FOLDER,
                                         GCAL_CHECKS_FOLDER, err)) < 0 ||
        fetch_text(arena, store, folder, node, &old, err) < 0) {
        rc = -1;
        goto out;
    }
    gcal_buf_puts(&buf, HEADER "\n");
    if (old)
        keep_lines(&buf, strchr(old, '\n') + 1, line->uid);
    from = buf.size;
    gcal_buf_puts(&buf, "check");
    put_word(&buf, line->utc);
    put_word(&buf, line->uid);
    put_word(&buf, line->type);
    put_word(&buf, line->epoch);
    gcal_buf_printf(&buf, "\t%.9g", line->clock_hz);
    for (size_t i = 0; i < line->n; i++)
        gcal_buf_printf(&buf, "\t%s:%s:%.9g%s", line->times[i].name,
                        line->times[i].kernel, line->times[i].time_s,
                        line->times[i].off ? ":off" : "");
    rc = gcal_store_end_line(store->key, make_signed_head(arena, node), &buf, from, err);
    if (rc == 0)
        rc = gcal_store_prepare(store, folder, temp, GCAL_CHECKS_FOLDER, buf.data,
                                buf.size, err);
    if (rc == 0)
        rc = gcal_store_replace(store, folder, temp, file, GCAL_CHECKS_FOLDER, err);
out:
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    gcal_buf_free(&buf);
    gcal_arena_destroy(arena);
    return rc;
}
