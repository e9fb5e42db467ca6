/* verify_report.c - what verification reports */
#include <stdarg.h>
#include <stdio.h>

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
