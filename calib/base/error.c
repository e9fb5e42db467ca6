#include "calib/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int gcal_error_set(struct gcal_error *err, enum gcal_error_code code, const char *fmt,
                   ...)
{
    va_list args;

    if (!err)
        return -1;
    err->code = code;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return -1;
}

/* What does not fit is cut. */
static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text), length = strnlen(more, size - used - 1);

    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

int gcal_error_prefix(struct gcal_error *err, const char *fmt, ...)
{
    char text[sizeof(err->text)];
    va_list args;

    if (!err)
        return -1;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    append(text, sizeof(text), ": ");
    append(text, sizeof(text), err->text);
    memcpy(err->text, text, sizeof(text));
    return -1;
}

int gcal_error_memory(struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "out of memory");
}
