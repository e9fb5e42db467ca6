/* buf.h - a byte string that grows, and arrays that grow
 *
 * A buffer that ran out of memory stays 'failed' and ignores what is added, so
 * that a long text needs one check at its end: gcal_buf_take().
 */
#ifndef GCAL_CALIB_BASE_BUF_H
#define GCAL_CALIB_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* Starts as { 0 }.  'data' is NUL-terminated behind 'size' bytes, or NULL. */
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

/* The text, which is now the caller's to free; 'buf' is empty again.  NULL with
 * 'err' filled when memory ran out on the way.
 */
char *gcal_buf_take(struct gcal_buf *buf, struct gcal_error *err);

/* A formatted string, the caller's to free; NULL when memory ran out. */
char *gcal_buf_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Room for one item more than 'count' in an array of 'item_size' bytes each:
 * returns the array, perhaps moved, or NULL ('items' still valid) with 'err'
 * filled.  '*capacity' starts at 0 with items NULL.
 */
void *gcal_array_grow(void *items, size_t count, size_t *capacity, size_t item_size,
                      struct gcal_error *err);

/* The whole of a regular file, NUL-terminated, the caller's to free; its size in
 * '*size' unless that is NULL.  NULL with 'err' (GCAL_EINPUT) when it cannot be
 * read or holds more than 'max_bytes'.
 */
char *gcal_file_read(const char *path, size_t max_bytes, size_t *size,
                     struct gcal_error *err);

#endif
