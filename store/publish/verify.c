/* verify.c - a store against its ledger: current files and histories */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"
#include "store/publish/private.h"

/* A node that is published while it is checked is checked again. */
#define MAX_TRIES 20

/* ---- against the ledger ---- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void check_current(struct gcal_verify_state *state,
                          const struct gcal_verify_files *f,
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
            gcal_verify_report_damaged(state, "%s is not in the ledger", f->file);
        break;
    case GCAL_LEDGER_DIFFERS:
        gcal_verify_report_damaged(state, "%s differs from the published file", f->file);
        break;
    case GCAL_LEDGER_MISSING:
        gcal_verify_report_damaged(
            state,
            "%s is missing: the ledger says it was published; 'gpucal store forget' "
            "removes a node",
            f->file);
        break;
    case GCAL_LEDGER_NOT_YET:
        gcal_verify_report_interrupted(
            state,
            "%s: its first publication, by run %s, was interrupted; publishing "
            "again repairs it",
            f->file, last);
        break;
    case GCAL_LEDGER_RESTORED:
        gcal_verify_report_damaged(
            state,
            "%s is of run %s, but was replaced by a newer file since: somebody "
            "restored the old one",
            f->file, run_id);
        break;
    case GCAL_LEDGER_REMOVED:
        gcal_verify_report_damaged(
            state, "%s is of run %s, but was removed since: somebody restored it",
            f->file, run_id);
        break;
    case GCAL_LEDGER_RACED:
        gcal_verify_report_interrupted(
            state,
            "%s: runs %s and %s replaced the same file at the same time: locks of the "
            "store's file system exclude nobody; publishing again repairs it",
            f->file, run_id, last);
        break;
    case GCAL_LEDGER_INTERRUPTED:
        gcal_verify_report_interrupted(
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

static struct expected expect(const struct gcal_verify_files *f,
                              const struct gcal_ledger_scope *lines, const char *run_id)
{
    char *file = gcal_buf_format("%s/%s.yaml", f->history, run_id);
    struct expected e = { 0 };

    for (size_t i = 0; file && i < lines->n; i++) {
        const struct gcal_ledger_line *line = lines->line[i];
        bool of_file = is(line->file, file);

        if (!of_file && !(line->keeps && is(line->run_id, run_id)))
            continue;
        e.pruned = line->prunes;
        if (line->prunes)
            continue;
        e.before = e.sha256;
        e.sha256 = line->sha256;
        e.complete = line->keeps && gcal_ledger_is_complete(lines, i, f->sha256);
    }
    free(file);
    return e;
}

static void check_run(struct gcal_verify_state *state, const struct gcal_verify_files *f,
                      const struct gcal_ledger_scope *lines, size_t i)
{
    struct expected e = expect(f, lines, f->runs[i]);
    const char *sha256 = f->run_sha256[i];

    if (!*sha256)
        return; /* unreadable and reported, or being pruned at this moment */
    if (!e.sha256)
        gcal_verify_report_damaged(state, "%s/%s.yaml is not in the ledger", f->history,
                                   f->runs[i]);
    else if (e.pruned)
        gcal_verify_report_interrupted(
            state,
            "%s/%s.yaml: its removal was interrupted; 'gpucal store prune' repairs it",
            f->history, f->runs[i]);
    else if (!is(sha256, e.sha256) && (e.complete || !e.before || !is(sha256, e.before)))
        gcal_verify_report_damaged(state, "%s/%s.yaml differs from the published file",
                                   f->history, f->runs[i]);
}

static bool has_run(const struct gcal_verify_files *f, const char *run_id)
{
    for (size_t i = 0; i < f->n_runs; i++)
        if (is(f->runs[i], run_id))
            return true;
    return false;
}

/* ---- the whole store ---- */

static int find_lines(struct gcal_verify_state *state, bool refresh, const char *scope,
                      struct gcal_ledger_scope *lines, struct gcal_error *err)
{
    lines->n = 0;
    if (refresh && gcal_ledger_lines_refresh(&state->lines, err) < 0)
        return -1;
    return gcal_ledger_lines_find(&state->lines, scope, lines, err);
}

/* Reads the files and the ledger's lines about them: 1, or 0 when lines were added
 * meanwhile.  'refresh': also lines that were added since the ledger was read last.
 */
static int read_once(struct gcal_verify_state *state, bool refresh,
                     struct gcal_verify_files *f, struct gcal_ledger_scope *lines,
                     struct gcal_error *err)
{
    size_t n;

    f->scope = gcal_buf_format("%s/%s", f->folder, f->name);
    f->file = gcal_buf_format("%s/%s.yaml", f->folder, f->name);
    if (f->scope)
        f->history = gcal_store_history_path(f->scope);
    if (!f->history || !f->file)
        return gcal_error_memory(err);
    if (find_lines(state, refresh, f->scope, lines, err) < 0)
        return -1;
    n = lines->n;
    if (gcal_verify_files_read(state, f, err) < 0 ||
        (refresh && find_lines(state, true, f->scope, lines, err) < 0))
        return -1;
    return lines->n == n;
}

/* Files that agree with the lines read so far are good.  The others may have been published
 * since: the ledger, which may have thousands of segments, is read again for them alone.
 */
static int check(struct gcal_verify_state *state, const char *folder, const char *name,
                 struct gcal_error *err)
{
    const struct gcal_verify_result before = *state->result;
    const size_t text_size = state->text.size;
    struct gcal_ledger_scope lines = { 0 };
    struct gcal_verify_files f;
    int rc = 0;

    for (int tries = 0; rc == 0 && tries < MAX_TRIES; tries++) {
        f = (struct gcal_verify_files){ .folder = folder, .name = name };
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
                    gcal_verify_report_damaged(state, "%s/%s.yaml is missing", f.history,
                                               line->run_id);
            }
            if (!gcal_store_is_type(f.scope))
                gcal_verify_track(state, f.name, &lines, f.sha256, f.track, f.track_size);
        }
        if (rc > 0 && tries == 0 && state->text.size > text_size)
            rc = 0;
        gcal_verify_files_clear(&f);
    }
    if (rc == 0)
        gcal_verify_report_interrupted(
            state, "%s/%s: not checked, as it was published again during every try",
            folder, name);
    free(lines.line);
    return rc < 0 ? -1 : 0;
}

static int add_listed(struct gcal_verify_state *state, const char *folder,
                      const char *suffix, struct gcal_strings *names,
                      struct gcal_error *err)
{
    int fd = gcal_verify_folder(state, folder), rc;
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
static int add_ledger(const struct gcal_verify_state *state, const char *folder,
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

/* All nodes or all types. */
static int check_folder(struct gcal_verify_state *state, const char *folder,
                        const char *history, struct gcal_error *err)
{
    struct gcal_strings names = { 0 };
    int rc = add_listed(state, folder, ".yaml", &names, err);

    if (rc == 0)
        rc = add_listed(state, history, "", &names, err);
    if (rc == 0 && is(folder, "nodes"))
        rc = add_listed(state, "tracks", ".tsv", &names, err);
    if (rc == 0)
        rc = add_ledger(state, folder, &names, err);
    if (names.n)
        qsort(names.items, names.n, sizeof(*names.items), compare_names);
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (i > 0 && is(names.items[i], names.items[i - 1]))
            continue;
        else if (gcal_store_is_name(names.items[i]))
            rc = check(state, folder, names.items[i], err);
        else
            gcal_verify_report_damaged(state, "the ledger: '%s' is not a name",
                                       names.items[i]);
    gcal_strings_clear(&names);
    return rc;
}

int gcal_store_verify(const struct gcal_store *store, struct gcal_verify_result *verify,
                      struct gcal_error *err)
{
    struct gcal_verify_state state = { .store = store,
                                       .result = verify,
                                       .lines = { .store = store } };
    int rc;

    *verify = (struct gcal_verify_result){ 0 };
    if ((rc = gcal_ledger_lines_refresh(&state.lines, err)) == 0 &&
        (rc = gcal_verify_segments(&state, err)) == 0) {
        gcal_ledger_lines_sort(&state.lines);
        rc = check_folder(&state, "nodes", GCAL_STORE_NODE_HISTORY, err);
    }
    if (rc == 0)
        rc = check_folder(&state, "types", GCAL_STORE_TYPE_HISTORY, err);
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
