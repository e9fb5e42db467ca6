/* current.c - a file that there is, or not, against the lines of the ledger about it */
#include <string.h>

#include "store/files/internal.h"
#include "store/ledger/lines.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool gcal_ledger_is_complete(const struct gcal_ledger_scope *lines, size_t i,
                             const char *current)
{
    const char *sha256 = lines->line[i]->sha256;

    if (current && is(sha256, current))
        return true;
    for (size_t k = i + 1; k < lines->n; k++)
        if (is(lines->line[k]->file, lines->line[i]->file) &&
            is(lines->line[k]->replaces, sha256))
            return true;
    return false;
}

/* Whether a later file was certainly the current one after that of line 'since'. */
static bool was_replaced(const struct gcal_ledger_scope *lines, size_t since)
{
    const char *file = lines->line[since]->file;

    /* Whether line i was written when the file of line 'since' was known: in the same
     * segment, or replacing it.
     */
    for (size_t i = since + 1; i < lines->n; i++)
        if (is(lines->line[i]->file, file) &&
            (lines->line[i]->segment == lines->line[since]->segment ||
             is(lines->line[i]->replaces, lines->line[since]->sha256)) &&
            !is(lines->line[i]->sha256, lines->line[since]->sha256) &&
            gcal_ledger_is_complete(lines, i, NULL))
            return true;
    return false;
}

/* The last line before 'end' about the file, with that content unless 'sha256' is NULL;
 * lines->n: none.
 */
static size_t find_last(const struct gcal_ledger_scope *lines, size_t end,
                        const char *file, const char *sha256)
{
    for (size_t i = end; i > 0; i--)
        if (is(lines->line[i - 1]->file, file) &&
            (!sha256 || is(lines->line[i - 1]->sha256, sha256)))
            return i - 1;
    return lines->n;
}

/* Of a file that there is not, although the last line does not remove it. */
static enum gcal_ledger_state find_missing(const struct gcal_ledger_scope *lines,
                                           size_t last)
{
    for (size_t i = last + 1; i > 0; i--) {
        const struct gcal_ledger_line *line = lines->line[i - 1];

        if (!is(line->file, lines->line[last]->file))
            continue;
        if (!*line->sha256)
            break; /* removed before it was published again */
        if (gcal_ledger_is_complete(lines, i - 1, NULL))
            return GCAL_LEDGER_MISSING;
    }
    return GCAL_LEDGER_NOT_YET;
}

enum gcal_ledger_state gcal_ledger_compare(const struct gcal_ledger_scope *lines,
                                           const char *file, const char *sha256,
                                           const char **run_id, const char **last_run_id)
{
    size_t last = find_last(lines, lines->n, file, NULL), i;

    *run_id = *last_run_id = "";
    if (last == lines->n)
        return GCAL_LEDGER_UNKNOWN;
    *last_run_id = lines->line[last]->run_id;
    if (is(lines->line[last]->sha256, sha256))
        return GCAL_LEDGER_CURRENT;
    if (!*sha256)
        return find_missing(lines, last);
    if ((i = find_last(lines, last, file, sha256)) == lines->n)
        return GCAL_LEDGER_DIFFERS;
    *run_id = lines->line[i]->run_id;
    if (was_replaced(lines, i))
        return *lines->line[last]->sha256 ? GCAL_LEDGER_RESTORED : GCAL_LEDGER_REMOVED;
    return gcal_ledger_is_complete(lines, last, NULL) ? GCAL_LEDGER_RACED
                                                      : GCAL_LEDGER_INTERRUPTED;
}
