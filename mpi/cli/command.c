/* command.c - what commands have in common: their errors, their output, their store, their node */
#include "mpi/cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/config/config.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/quiet.h"
#include "store/files/store.h"
#include "store/publish/publish.h"

enum { MOST_SOURCE_BYTES = 16 << 20, MOST_EXCERPT = 160 };

/* ---- errors ---- */

/* Finds FILE:LINE:COLUMN before the first ": "; returns the length of FILE, or 0. */
static size_t find_place(const char *text, size_t *line, size_t *column)
{
    const char *end = strstr(text, ": "), *middle, *start;

    for (middle = end; middle && middle > text && isdigit((unsigned char)middle[-1]);)
        middle--;
    if (!middle || middle == end || middle == text || *--middle != ':')
        return 0;
    for (start = middle; start > text && isdigit((unsigned char)start[-1]);)
        start--;
    if (start == middle || start <= text + 1 || *--start != ':')
        return 0;
    *line = strtoul(start + 1, NULL, 10);
    *column = strtoul(middle + 1, NULL, 10);
    return (size_t)(start - text);
}

int gcal_command_fail(const struct gcal_error *err)
{
    fprintf(stderr, "gpucal: %s\n", err->text);
    /* The line of the source that an error is about, with a caret, as compilers print it:
     *    3 | int i = get_global_id(0) x[i] = 1;
     *      |                         ^
     */
    size_t line = 0, column = 0, length = find_place(err->text, &line, &column), width;
    char *path = length ? strndup(err->text, length) : NULL;
    char *source = path ? gcal_file_read(path, MOST_SOURCE_BYTES, NULL, NULL) : NULL;
    char *at = source;
    for (size_t i = 1; at && i < line; i++)
        if ((at = strchr(at, '\n')))
            at++;
    width = at ? strcspn(at, "\r\n") : 0;
    if (line && column && column <= width + 1 && width <= MOST_EXCERPT) {
        fprintf(stderr, "%5zu | ", line);
        for (size_t i = 0; i < width; i++)
            fputc(at[i] == '\t' || !iscntrl((unsigned char)at[i]) ? at[i] : '?', stderr);
        fputs("\n      | ", stderr);
        /* one column for each character: bytes in one of UTF-8 but the first have none */
        for (size_t i = 0; i + 1 < column; i++)
            if (((unsigned char)at[i] & 0xc0) != 0x80)
                fputc(at[i] == '\t' ? '\t' : ' ', stderr);
        fputs("^\n", stderr);
    }
    free(source);
    free(path);
    return err->code ? (int)err->code : GCAL_EINPUT;
}

/* ---- output ---- */

int gcal_command_write(const char *path, const char *text, struct gcal_error *err)
{
    struct gcal_file_replace out = { 0 };
    FILE *file = stdout;
    int rc = 0;

    if (path && gcal_file_replace_start(&out, path, err) < 0)
        return -1;
    if (path)
        file = out.file;
    else
        gcal_quiet_keep_all();
    if (fputs(text, file) == EOF || fflush(file) == EOF)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %m", path ? path : "standard output");
    if (path && rc == 0)
        rc = gcal_file_replace_finish(&out, err);
    gcal_file_replace_clear(&out);
    return rc;
}

/* ---- store and node ---- */

char *gcal_node_name(struct gcal_arena *arena)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    return gcal_arena_strdup(arena, slurm && *slurm ? slurm : *host ? host : "localhost");
}

/* NULL if unset or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *gcal_command_store_path(struct gcal_arena *arena, const char *option,
                                    const char *config, struct gcal_error *err)
{
    struct gcal_config read = { 0 };
    const char *path = option && *option ? option : environment("GPUCAL_STORE");

    if (path)
        return gcal_arena_strdup(arena, path);
    if (gcal_config_read_settings(config, &read, err) < 0)
        return NULL;
    if (read.store)
        path = gcal_arena_strdup(arena, read.store);
    else
        gcal_error_set(err, GCAL_EINPUT, "no store given (--store DIR or $GPUCAL_STORE)");
    gcal_config_clear(&read);
    return path;
}

GCAL_ARENA_DESTROYER(close_store, gcal_store_close)

struct gcal_store *gcal_command_store_open(struct gcal_arena *arena, const char *path,
                                           bool writable, struct gcal_error *err)
{
    struct gcal_store *store = gcal_arena_own(
        arena,
        writable ? gcal_store_open_writable(path, err) : gcal_store_open(path, err),
        close_store);
    const char *keys = environment("GPUCAL_TRUSTED_KEYS"),
               *key = writable ? environment("GPUCAL_SIGN_KEY") : NULL;

    return store && (!keys || gcal_store_trust(store, keys, err) == 0) &&
                   (!key || gcal_store_sign_with(store, key, err) == 0)
               ? store
               : NULL;
}
