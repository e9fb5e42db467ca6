/* verify_report.c - what verification reports, and which publications came to their end */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "store/publish/private.h"

static void report(struct gcal_buf *buf, const char *kind, const char *fmt, va_list args)
{
    char line[1200];

    vsnprintf(line, sizeof(line), fmt, args);
    gcal_buf_printf(buf, "%s: %s\n", kind, line);
}

void gcal_verify_report_damaged(struct gcal_verify_state *state, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "damaged", fmt, args);
    va_end(args);
    state->result->n_damaged++;
}

void gcal_verify_report_interrupted(struct gcal_verify_state *state, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "interrupted", fmt, args);
    va_end(args);
    state->result->n_interrupted++;
}

bool gcal_verify_is_complete(const struct gcal_ledger_scope *lines, size_t i,
                             const char *current)
{
    const char *sha256 = lines->line[i]->sha256;

    if (strcmp(sha256, current) == 0)
        return true;
    for (size_t k = i + 1; k < lines->n; k++)
        if (strcmp(lines->line[k]->file, lines->line[i]->file) == 0 &&
            strcmp(lines->line[k]->replaces, sha256) == 0)
            return true;
    return false;
}
