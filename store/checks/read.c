/* read.c - the checks of a node */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/checks/private.h"
#include "store/files/internal.h"

char *gcal_checks_signed_head(const char *node)
{
    return gcal_buf_format(GCAL_CHECKS_HEADER " line of %s\n", node);
}

int gcal_checks_fetch(const struct gcal_store *store, int folder, const char *node,
                      char **text, struct gcal_error *err)
{
    char *shown = gcal_buf_format(GCAL_CHECKS_FOLDER "/%s" GCAL_CHECKS_SUFFIX, node);
    size_t size;
    int rc = shown ? gcal_store_fetch(store, folder, strchr(shown, '/') + 1, shown,
                                      GCAL_STORE_MAX_BYTES, text, &size, err)
                   : gcal_error_memory(err);

    if (rc > 0 &&
        strncmp(*text, GCAL_CHECKS_HEADER "\n", strlen(GCAL_CHECKS_HEADER "\n")) != 0) {
        free(*text);
        *text = NULL;
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "store %s: %s is damaged, or written by another version of "
                            "gpucal: remove it, and the next checks begin anew",
                            store->path, shown);
    }
    free(shown);
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
    char *text = NULL, *head, *next;
    int folder, rc = gcal_store_folder(store, store->dirfd, GCAL_CHECKS_FOLDER,
                                       GCAL_CHECKS_FOLDER, &folder, err);

    *checks = (struct gcal_checks){ 0 };
    if (rc <= 0)
        return rc;
    rc = gcal_checks_fetch(store, folder, node, &text, err);
    close(folder);
    if (rc <= 0)
        return rc;
    gcal_arena_own(arena, text, free);
    if (!(head = gcal_arena_own(arena, gcal_checks_signed_head(node), free)))
        return gcal_error_memory(err);
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
