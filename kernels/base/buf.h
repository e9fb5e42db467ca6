/* buf.h - a byte string that grows
 *
 * A buffer that runs out of memory stays 'failed' and ignores additions, so that a
 * long text needs one check at its end: gcal_buf_take().
 */
#ifndef GCAL_KERNELS_BASE_BUF_H
#define GCAL_KERNELS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* Starts as { 0 }.  'data' is NUL-terminated after 'size' bytes, or NULL. */
struct gcal_buf {
    char *data;
    size_t size;
    size_t capacity;
    bool failed;
};

void gcal_buf_free(struct gcal_buf *buf);
void gcal_buf_put(struct gcal_buf *buf, const void *data, size_t size);
void gcal_buf_puts(struct gcal_buf *buf, const char *text);
void gcal_buf_printf(struct gcal_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves the text to the caller, who frees it; 'buf' is empty afterwards.  NULL with 'err'
 * if memory ran out.
 */
char *gcal_buf_take(struct gcal_buf *buf, struct gcal_error *err);

/* A formatted string, the caller's to free; NULL if memory ran out. */
char *gcal_buf_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
