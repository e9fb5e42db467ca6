#include "calib/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int gcal_error_set(struct gcal_error *err, enum gcal_code code, const char *fmt, ...)
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

int gcal_error_prefix(struct gcal_error *err, const char *fmt, ...)
{
    char text[sizeof(err->text)];
    size_t used, room = sizeof(text);
    va_list args;

    if (!err)
        return -1;
    va_start(args, fmt);
    vsnprintf(text, room, fmt, args);
    va_end(args);
    /* What does not fit behind the prefix is cut. */
    used = strlen(text);
    strncat(text, ": ", room - used - 1);
    used = strlen(text);
    strncat(text, err->text, room - used - 1);
    memcpy(err->text, text, room);
    return -1;
}

int gcal_error_memory(struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "out of memory");
}
