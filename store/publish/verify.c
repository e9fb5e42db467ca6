/* verify.c - a store against its ledger: current files, histories, and the ledger's segments */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/publish/private.h"
#include "store/publish/publish.h"

/* A node that is published while it is checked is checked again. */
#define MAX_TRIES 20

struct state {
    struct gcal_arena *arena; /* of one node or type */
    const struct gcal_store *store;
    struct gcal_verify_result *result;
    struct gcal_buf text; /* reports on files */
    struct gcal_ledger_lines lines;
};

/* The files of a node or type.  They are read before the ledger, so that every published
 * file has its line there.
 */
struct files {
    const char *folder, *name; /* "nodes" or "types" */
    const char *scope, *file,
        *history; /* "nodes/NODE", "nodes/NODE.yaml", "history/NODE" */
    char sha256[GCAL_HASH_TEXT_SIZE]; /* "": no such file */
    bool unreadable;                  /* and reported */
    char **runs;                      /* in the history */
    char (*run_sha256)[GCAL_HASH_TEXT_SIZE];
    size_t n_runs;
    char *track;
    size_t track_size;
};

/* ---- reports ---- */

static void report(struct gcal_buf *buf, const char *kind, const char *fmt, va_list args)
{
    char line[1200];

    vsnprintf(line, sizeof(line), fmt, args);
    gcal_buf_printf(buf, "%s: %s\n", kind, line);
}

static __attribute__((format(printf, 2, 3))) void report_damaged(struct state *state,
                                                                 const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "damaged", fmt, args);
    va_end(args);
    state->result->n_damaged++;
}

static __attribute__((format(printf, 2, 3))) void report_interrupted(struct state *state,
                                                                     const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "interrupted", fmt, args);
    va_end(args);
    state->result->n_interrupted++;
}

/* ---- reading the files ---- */

static void check_signature(struct state *state, const char *shown, const char *text,
                            size_t size)
{
    const struct gcal_store *store = state->store;
    struct gcal_error err = { 0 };
    bool is_signed = gcal_sign_find(text, size) < size;

    if (!is_signed && !store->trusted)
        return;
    if (gcal_sign_check(store->trusted, text, size, &err) < 0)
        report_damaged(state, "%s: %s", shown, err.text);
    else
        state->result->n_signed++;
}

/* 'sha256': "" when there is no file.  False when it cannot be read. */
static bool hash_file(struct state *state, int folder, const char *file,
                      const char *shown, char sha256[GCAL_HASH_TEXT_SIZE])
{
    struct gcal_error err = { 0 };
    size_t size;
    char *text;
    int rc =
        gcal_store_fetch_params(state->store, folder, file, shown, &text, &size, &err);

    *sha256 = '\0';
    if (rc < 0)
        report_damaged(state, "%s", err.text);
    if (rc > 0) {
        state->result->n_files++;
        gcal_hash(text, size, sha256);
        check_signature(state, shown, text, size);
    }
    free(text);
    return rc >= 0;
}

static int open_folder(struct state *state, const char *name)
{
    struct gcal_error err = { 0 };
    int fd;

    if (gcal_store_folder(state->store, state->store->dirfd, name, name, &fd, &err) >= 0)
        return fd;
    report_damaged(state, "%s", err.text);
    return -2;
}

static void find_current(struct state *state, struct files *f)
{
    int folder = open_folder(state, f->folder);

    f->unreadable = folder == -2;
    if (folder < 0)
        return;
    f->unreadable =
        !hash_file(state, folder, f->file + strlen(f->folder) + 1, f->file, f->sha256);
    close(folder);
}

static int read_files(struct state *state, struct files *f, struct gcal_error *err)
{
    find_current(state, f);
    if (gcal_store_kind_of(f->scope)->has_track) {
        struct gcal_error why = { 0 };

        if (gcal_track_load_text(state->store, f->name, &f->track, &f->track_size, &why) <
            0)
            report_damaged(state, "%s", why.text);
        else if (gcal_arena_own(state->arena, f->track, free))
            state->result->n_files++;
    }
    struct gcal_error why = { 0 };
    int folder, again, rc;
    rc = gcal_store_history_folder(state->store, f->scope, &folder, &why);
    if (rc < 0)
        report_damaged(state, "%s", why.text);
    if (rc <= 0)
        return 0;
    again = dup(folder);
    if (again < 0) {
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %s", f->history, strerror(errno));
    } else {
        rc = gcal_store_list(again, ".yaml", &f->runs, &f->n_runs, err);
        f->run_sha256 = gcal_arena_alloc(state->arena, f->n_runs, sizeof(*f->run_sha256));
        for (size_t i = 0; i < f->n_runs && rc == 0; i++) {
            const char *shown =
                gcal_arena_format(state->arena, "%s/%s.yaml", f->history, f->runs[i]);

            hash_file(state, folder, strrchr(shown, '/') + 1, shown, f->run_sha256[i]);
        }
    }
    close(folder);
    return rc;
}

/* ---- against the ledger ---- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void check_current(struct state *state, const struct files *f,
                          const struct gcal_ledger_scope *lines)
{
    const char *run_id, *last;

    if (f->unreadable)
        return;
    switch (gcal_ledger_compare(lines, f->file, f->sha256, &run_id, &last)) {
    case GCAL_LEDGER_CURRENT:
        break;
    case GCAL_LEDGER_UNKNOWN:
        if (*f->sha256)
            report_damaged(state, "%s is not in the ledger", f->file);
        break;
    case GCAL_LEDGER_DIFFERS:
        report_damaged(state, "%s differs from the published file", f->file);
        break;
    case GCAL_LEDGER_MISSING:
        report_damaged(
            state,
            "%s is missing: the ledger says it was published; 'gpucal store forget' "
            "removes a node",
            f->file);
        break;
    case GCAL_LEDGER_NOT_YET:
        report_interrupted(
            state,
            "%s: its first publication, by run %s, was interrupted; publishing "
            "again repairs it",
            f->file, last);
        break;
    case GCAL_LEDGER_RESTORED:
        report_damaged(
            state,
            "%s is of run %s, but was replaced by a newer file since: somebody "
            "restored the old one",
            f->file, run_id);
        break;
    case GCAL_LEDGER_REMOVED:
        report_damaged(state,
                       "%s is of run %s, but was removed since: somebody restored it",
                       f->file, run_id);
        break;
    case GCAL_LEDGER_RACED:
        report_interrupted(
            state,
            "%s: runs %s and %s replaced the same file at the same time: locks of the "
            "store's file system exclude nobody; publishing again repairs it",
            f->file, run_id, last);
        break;
    case GCAL_LEDGER_INTERRUPTED:
        report_interrupted(
            state,
            "%s: %s%s was interrupted, the file of run %s is still the current one; %s "
            "repairs it",
            f->file, *last ? "the publication by run " : "its removal", last, run_id,
            *last ? "publishing again" : "'gpucal store forget'");
        break;
    }
}

/* A run's file in the history by the ledger's lines about it. */
struct expected {
    const char *sha256, *before; /* of the last line and of the previous one, or NULL */
    bool pruned, complete;
};

static struct expected expect(const struct files *f,
                              const struct gcal_ledger_scope *lines, const char *run_id)
{
    size_t length = strlen(f->history) + 1, run = strlen(run_id);
    struct expected e = { 0 };

    for (size_t i = 0; i < lines->n; i++) {
        const struct gcal_ledger_line *line = lines->line[i];
        bool of_file = strncmp(line->file, f->history, length - 1) == 0 &&
                       line->file[length - 1] == '/' &&
                       strncmp(line->file + length, run_id, run) == 0 &&
                       is(line->file + length + run, ".yaml");

        if (!of_file && !(line->keeps && is(line->run_id, run_id)))
            continue;
        e.pruned = line->prunes;
        if (line->prunes)
            continue;
        e.before = e.sha256;
        e.sha256 = line->sha256;
        e.complete = line->keeps && gcal_ledger_is_complete(lines, i, f->sha256);
    }
    return e;
}

static void check_run(struct state *state, const struct files *f,
                      const struct gcal_ledger_scope *lines, size_t i)
{
    struct expected e = expect(f, lines, f->runs[i]);
    const char *sha256 = f->run_sha256[i];

    if (!*sha256)
        return; /* unreadable and reported, or being pruned at this moment */
    if (!e.sha256)
        report_damaged(state, "%s/%s.yaml is not in the ledger", f->history, f->runs[i]);
    else if (e.pruned)
        report_interrupted(
            state,
            "%s/%s.yaml: its removal was interrupted; 'gpucal store prune' repairs it",
            f->history, f->runs[i]);
    else if (!is(sha256, e.sha256) && (e.complete || !e.before || !is(sha256, e.before)))
        report_damaged(state, "%s/%s.yaml differs from the published file", f->history,
                       f->runs[i]);
}

static bool has_run(const struct files *f, const char *run_id)
{
    for (size_t i = 0; i < f->n_runs; i++)
        if (is(f->runs[i], run_id))
            return true;
    return false;
}

/* ---- a node's track against the ledger ---- */

/* Upper limit of the lines that one publication adds. */
#define MAX_LINES 4096

/* The end of the line that starts at 'at'; NULL when it has no newline. */
static const char *after_line(const char *at, const char *limit)
{
    const char *end = at < limit ? memchr(at, '\n', (size_t)(limit - at)) : NULL;

    return end ? end + 1 : NULL;
}

static bool was_cut(const char *at, const char *after)
{
    const char mark[] = GCAL_STORE_CUT_MARK "\n";
    size_t length = strlen(mark);

    return (size_t)(after - at) >= length && memcmp(after - length, mark, length) == 0;
}

/* The start and length of RUN in a line "run RUN.."; NULL for any other line. */
static const char *run_of(const char *at, const char *after, size_t *length)
{
    const char *run = at + strlen("run\t");
    const char *tab;

    if ((size_t)(after - at) < strlen("run\t") || memcmp(at, "run\t", 4) != 0)
        return NULL;
    tab = memchr(run, '\t', (size_t)(after - run));
    *length = tab ? (size_t)(tab - run) : 0;
    return tab ? run : NULL;
}

static bool is_run(const char *at, const char *after, const char *run_id)
{
    size_t length;
    const char *run = run_of(at, after, &length);

    return run && strlen(run_id) == length && memcmp(run, run_id, length) == 0;
}

/* The end of the lines from 'at' on that together have the SHA-256 of the ledger's line;
 * NULL: none.
 */
static const char *match(const char *at, const char *limit,
                         const struct gcal_ledger_line *record)
{
    const char *end = at;
    char sha256[GCAL_HASH_TEXT_SIZE];

    for (int i = 0; i < MAX_LINES; i++) {
        const char *start = end;
        size_t length;

        if (!(end = after_line(start, limit)))
            return NULL;
        if (run_of(start, end, &length) && !is_run(start, end, record->run_id))
            return NULL; /* the lines of a publication end with a run of its own */
        gcal_hash(at, (size_t)(end - at), sha256);
        if (strcmp(sha256, record->track) == 0)
            return end;
    }
    return NULL;
}

/* Returns whether a line may be a remnant of an interrupted publication: of one before line 'n' of
 * the ledger whose lines were not found. /
 */
static bool may_be_left(const char *at, const char *after,
                        const struct gcal_ledger_scope *lines, const bool *found,
                        size_t n)
{
    size_t length;

    if (was_cut(at, after) || !run_of(at, after, &length))
        return true;
    for (size_t i = 0; i < n; i++)
        if (!found[i] && is_run(at, after, lines->line[i]->run_id))
            return true;
    return false;
}

/* The end of the lines that belong to line 'n' of the ledger, after remnants of
 * interrupted publications; NULL: not found.
 */
static const char *find_lines_of(const char *at, const char *limit,
                                 const struct gcal_ledger_scope *lines, const bool *found,
                                 size_t n)
{
    while (at) {
        const char *end = match(at, limit, lines->line[n]), *after;

        if (end)
            return end;
        after = after_line(at, limit);
        if (!after || !may_be_left(at, after, lines, found, n))
            return NULL;
        at = after;
    }
    return NULL;
}

static void check_track(struct state *state, const char *node,
                        const struct gcal_ledger_scope *lines, const char *current,
                        const char *text, size_t size)
{
    const char *at = text ? text : "", *limit = at + (text ? size : 0), *end;
    bool *found = gcal_arena_alloc(state->arena, lines->n, sizeof(*found));

    for (size_t i = 0; i < lines->n; i++) {
        found[i] = !*lines->line[i]->track;
        if (found[i])
            continue;
        if ((end = find_lines_of(at, limit, lines, found, i))) {
            found[i] = true;
            at = end;
        } else if (gcal_ledger_is_complete(lines, i, current)) {
            report_damaged(
                state, "tracks/%s.tsv: the lines of run %s are missing or were changed",
                node, lines->line[i]->run_id);
        }
    }
    for (; (end = after_line(at, limit)); at = end)
        if (!may_be_left(at, end, lines, found, lines->n)) {
            report_damaged(state, "tracks/%s.tsv: lines at its end are not in the ledger",
                           node);
            break;
        }
}

/* ---- the segments of the ledger ---- */

static bool has_unsealed(const struct state *state)
{
    for (size_t i = 0; i < state->lines.n_readers; i++)
        if (state->store->trusted && state->lines.readers[i].n_unsealed)
            return true;
    return false;
}

/* A publisher may be writing lines, and their seal, at this moment. */
static int check_segments(struct state *state, struct gcal_error *err)
{
    if (has_unsealed(state)) {
        gcal_clock_sleep_s(0.1);
        if (gcal_ledger_lines_refresh(&state->lines, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < state->lines.n_readers; i++) {
        /* Its last line without a newline. */
        if (state->lines.readers[i].is_cut)
            report_interrupted(
                state,
                "%s: its last line was cut; the next publication from that host marks it",
                state->lines.readers[i].name);
        /* Where signatures are required, of all lines. */
        if (state->store->trusted && state->lines.readers[i].n_unsealed)
            report_damaged(
                state,
                "%s: its last %zu lines are not signed, nor what they say of files and "
                "tracks: if all is right, 'gpucal store sign' signs them",
                state->lines.readers[i].name, state->lines.readers[i].n_unsealed);
    }
    return 0;
}

void gcal_verify_add_ledger(struct state *state)
{
    const struct gcal_ledger_lines *lines = &state->lines;

    state->result->n_lines = lines->n + lines->n_bad;
    state->result->n_damaged += lines->n_bad;
    if (lines->bad.size)
        gcal_buf_put(&state->text, lines->bad.data, lines->bad.size);
    state->text.failed = state->text.failed || lines->bad.failed;
}

/* ---- the whole store ---- */

/* Reads the files and the ledger's lines about them: 1, or 0 when lines were added
 * meanwhile.  'refresh': also lines that were added since the ledger was read last.
 */
static int read_once(struct state *state, bool refresh, struct files *f,
                     struct gcal_ledger_scope *lines, struct gcal_error *err)
{
    size_t n;

    f->scope = gcal_arena_format(state->arena, "%s/%s", f->folder, f->name);
    f->file = gcal_arena_format(state->arena, "%s.yaml", f->scope);
    f->history = gcal_arena_own(state->arena, gcal_store_history_path(f->scope), free);
    if (!f->history)
        return gcal_error_memory(err);
    if (refresh && gcal_ledger_lines_refresh(&state->lines, err) < 0)
        return -1;
    n = gcal_ledger_lines_find(state->arena, &state->lines, f->scope).n;
    if (read_files(state, f, err) < 0 ||
        (refresh && gcal_ledger_lines_refresh(&state->lines, err) < 0))
        return -1;
    *lines = gcal_ledger_lines_find(state->arena, &state->lines, f->scope);
    return lines->n == n;
}

/* Files that agree with the lines read so far are good.  The others may have been published
 * since: the ledger, which may have thousands of segments, is read again for them alone.
 */
static int check(struct state *state, const char *folder, const char *name,
                 struct gcal_error *err)
{
    const struct gcal_verify_result before = *state->result;
    const size_t text_size = state->text.size;
    struct gcal_ledger_scope lines = { 0 };
    struct files f;
    int rc = 0;

    for (int tries = 0; rc == 0 && tries < MAX_TRIES; tries++) {
        f = (struct files){ .folder = folder, .name = name };
        state->arena = gcal_arena_create();
        *state->result = before; /* discard the reports of the previous try */
        state->text.size = text_size;
        rc = read_once(state, tries > 0, &f, &lines, err);
        if (rc > 0) {
            check_current(state, &f, &lines);
            for (size_t i = 0; i < f.n_runs; i++)
                check_run(state, &f, &lines, i);
            for (size_t i = 0; i < lines.n; i++) {
                const struct gcal_ledger_line *line = lines.line[i];
                struct expected e;

                if (!line->keeps || has_run(&f, line->run_id) ||
                    !gcal_ledger_is_complete(&lines, i, f.sha256))
                    continue;
                e = expect(&f, &lines, line->run_id);
                if (!e.pruned)
                    report_damaged(state, "%s/%s.yaml is missing", f.history,
                                   line->run_id);
            }
            if (gcal_store_kind_of(f.scope)->has_track)
                check_track(state, f.name, &lines, f.sha256, f.track, f.track_size);
        }
        if (rc > 0 && tries == 0 && state->text.size > text_size)
            rc = 0;
        gcal_strings_free(f.runs, f.n_runs);
        gcal_arena_destroy(state->arena);
    }
    if (rc == 0)
        report_interrupted(
            state, "%s/%s: not checked, as it was published again during every try",
            folder, name);
    return rc < 0 ? -1 : 0;
}

static int add_listed(struct state *state, const char *folder, const char *suffix,
                      struct gcal_strings *names, struct gcal_error *err)
{
    int fd = open_folder(state, folder), rc;
    char **listed = NULL;
    size_t n = 0;

    if (fd < 0)
        return 0;
    rc = gcal_store_list(fd, suffix, &listed, &n, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = gcal_strings_add(names, listed[i], err);
    gcal_strings_free(listed, n);
    return rc;
}

/* Adds the names in the ledger, whose files may be gone. */
static int add_ledger(const struct state *state, const char *folder,
                      struct gcal_strings *names, struct gcal_error *err)
{
    const struct gcal_ledger_line *all = state->lines.items;
    size_t length = strlen(folder);

    for (size_t i = 0; i < state->lines.n_sorted; i++) {
        const char *scope = all[i].scope;

        if ((i == 0 || !is(scope, all[i - 1].scope)) &&
            strncmp(scope, folder, length) == 0 && scope[length] == '/' &&
            gcal_strings_add(names, scope + length + 1, err) < 0)
            return -1;
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files of a kind. */
static int check_kind(struct state *state, const struct gcal_store_kind *kind,
                      struct gcal_error *err)
{
    struct gcal_strings names = { 0 };
    int rc = add_listed(state, kind->folder, ".yaml", &names, err);

    if (rc == 0)
        rc = add_listed(state, kind->history, "", &names, err);
    if (rc == 0 && kind->has_track)
        rc = add_listed(state, "tracks", ".tsv", &names, err);
    if (rc == 0)
        rc = add_ledger(state, kind->folder, &names, err);
    if (names.n)
        qsort(names.items, names.n, sizeof(*names.items), compare_names);
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (i > 0 && is(names.items[i], names.items[i - 1]))
            continue;
        else if (gcal_store_is_name(names.items[i]))
            rc = check(state, kind->folder, names.items[i], err);
        else
            report_damaged(state, "the ledger: '%s' is not a name", names.items[i]);
    gcal_strings_clear(&names);
    return rc;
}

int gcal_store_verify(const struct gcal_store *store, struct gcal_verify_result *verify,
                      struct gcal_error *err)
{
    struct state state = { .store = store,
                           .result = verify,
                           .lines = { .store = store } };
    int rc;

    *verify = (struct gcal_verify_result){ 0 };
    if ((rc = gcal_ledger_lines_refresh(&state.lines, err)) == 0 &&
        (rc = check_segments(&state, err)) == 0) {
        gcal_ledger_lines_sort(&state.lines);
        for (const struct gcal_store_kind *k = gcal_store_kinds; k->folder && rc == 0;
             k++)
            rc = check_kind(&state, k, err);
    }
    gcal_verify_add_ledger(&state);
    if (rc == 0 && state.text.failed)
        rc = gcal_error_memory(err);
    if (rc == 0 && state.text.size)
        rc = (verify->text = gcal_buf_take(&state.text, err)) ? 0 : -1;
    gcal_ledger_lines_clear(&state.lines);
    gcal_buf_free(&state.text);
    return rc;
}

void gcal_verify_result_clear(struct gcal_verify_result *verify)
{
    free(verify->text);
    *verify = (struct gcal_verify_result){ 0 };
}
