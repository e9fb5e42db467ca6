/* error.c - formatting of error messages */
#include "kernels/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gcal_error_format(struct gcal_error *err, enum gcal_error_code code, const char *fmt,
                       ...)
{
    va_list args;

    if (!err)
        return;
    err->code = code;
    err->reason = GCAL_REASON_OTHER;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
}

int gcal_error_because(struct gcal_error *err, enum gcal_error_reason reason)
{
    if (err && err->reason == GCAL_REASON_OTHER)
        err->reason = reason;
    return -1;
}

/* Cuts text that does not fit. */
static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text), length = strnlen(more, size - used - 1);

    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

void gcal_error_format_prefix(struct gcal_error *err, const char *fmt, ...)
{
    char text[sizeof(err->text)];
    va_list args;

    if (!err)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    append(text, sizeof(text), ": ");
    append(text, sizeof(text), err->text);
    memcpy(err->text, text, sizeof(text));
}
