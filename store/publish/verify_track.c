/* verify_track.c - a node's track against the ledger */
#include <stdlib.h>
#include <string.h>

#include "store/files/internal.h"
#include "store/ledger/track.h"
#include "store/publish/private.h"

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

/* Whether a line may be a remnant of an interrupted publication: of one before line 'n'
 * of the ledger whose lines were not found.
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

void gcal_verify_track(struct gcal_verify_state *state, const char *node,
                       const struct gcal_ledger_scope *lines, const char *current,
                       const char *text, size_t size)
{
    const char *at = text ? text : "", *limit = at + (text ? size : 0), *end;
    bool *found = calloc(lines->n + 1, sizeof(*found));

    if (!found) {
        state->text.failed = true;
        return;
    }
    for (size_t i = 0; i < lines->n; i++) {
        found[i] = !*lines->line[i]->track;
        if (found[i])
            continue;
        if ((end = find_lines_of(at, limit, lines, found, i))) {
            found[i] = true;
            at = end;
        } else if (gcal_ledger_is_complete(lines, i, current)) {
            gcal_verify_report_damaged(
                state, "tracks/%s.tsv: the lines of run %s are missing or were changed",
                node, lines->line[i]->run_id);
        }
    }
    for (; (end = after_line(at, limit)); at = end)
        if (!may_be_left(at, end, lines, found, lines->n)) {
            gcal_verify_report_damaged(
                state, "tracks/%s.tsv: lines at its end are not in the ledger", node);
            break;
        }
    free(found);
}
