/* buf.c - a byte string that grows */
#include "kernels/base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

static bool reserve(struct gcal_buf *buf, size_t extra)
{
    size_t wanted, capacity = buf->capacity ? buf->capacity : 64;
    char *data;

    if (buf->failed || extra > SIZE_MAX / 4 - buf->size) {
        buf->failed = true;
        return false;
    }
    wanted = buf->size + extra + 1;
    if (wanted <= buf->capacity)
        return true;
    while (capacity < wanted)
        capacity *= 2;
    if (!(data = realloc(buf->data, capacity))) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

void gcal_buf_free(struct gcal_buf *buf)
{
    free(buf->data);
    *buf = (struct gcal_buf){ 0 };
}

void gcal_buf_put(struct gcal_buf *buf, const void *data, size_t size)
{
    if (!reserve(buf, size))
        return;
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void gcal_buf_puts(struct gcal_buf *buf, const char *text)
{
    gcal_buf_put(buf, text, strlen(text));
}

static void buf_vprintf(struct gcal_buf *buf, const char *fmt, va_list args)
{
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if (length < 0)
        buf->failed = true;
    else if (reserve(buf, (size_t)length)) {
        vsnprintf(buf->data + buf->size, (size_t)length + 1, fmt, again);
        buf->size += (size_t)length;
    }
    va_end(again);
}

void gcal_buf_printf(struct gcal_buf *buf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    buf_vprintf(buf, fmt, args);
    va_end(args);
}

char *gcal_buf_take(struct gcal_buf *buf, struct gcal_error *err)
{
    char *data;

    gcal_buf_put(buf, "", 0);
    if (buf->failed) {
        gcal_buf_free(buf);
        gcal_error_memory(err);
        return NULL;
    }
    data = buf->data;
    *buf = (struct gcal_buf){ 0 };
    return data;
}

char *gcal_buf_format(const char *fmt, ...)
{
    struct gcal_buf buf = { 0 };
    va_list args;

    va_start(args, fmt);
    buf_vprintf(&buf, fmt, args);
    va_end(args);
    return gcal_buf_take(&buf, NULL);
}
