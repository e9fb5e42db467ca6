/* write.c - adding a check to those of a node */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/checks/private.h"
#include "store/files/internal.h"

/* Without the characters that separate fields and lines. */
static void put_word(struct gcal_buf *buf, const char *text)
{
    gcal_buf_puts(buf, "\t");
    for (; *text; text++)
        gcal_buf_put(buf, *text == '\t' || *text == '\n' ? " " : text, 1);
}

/* Whether a line is of that device: "check UTC UID ..". */
static bool is_of(const char *line, const char *end, const char *uid)
{
    size_t length = strlen(uid);

    for (int i = 0; i < 2; i++)
        if (!(line = memchr(line, '\t', (size_t)(end - line))))
            return false;
        else
            line++;
    return (size_t)(end - line) > length && memcmp(line, uid, length) == 0 &&
           line[length] == '\t';
}

/* All lines but the oldest ones of the device, of which one less than those kept stays. */
static void keep_lines(struct gcal_buf *buf, const char *text, const char *uid)
{
    size_t n_of_device = 0;

    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        n_of_device += is_of(line, end, uid);
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (!is_of(line, end, uid) || n_of_device-- < GCAL_CHECKS_KEPT)
            gcal_buf_put(buf, line, (size_t)(end + 1 - line));
}

static int put_line(struct gcal_buf *buf, const struct gcal_store *store,
                    const char *node, const struct gcal_checks_line *line,
                    struct gcal_error *err)
{
    size_t from = buf->size;
    char *head;
    int rc;

    gcal_buf_puts(buf, "check");
    put_word(buf, line->utc);
    put_word(buf, line->uid);
    put_word(buf, line->type);
    put_word(buf, line->epoch);
    gcal_buf_printf(buf, "\t%.9g", line->clock_hz);
    for (size_t i = 0; i < line->n; i++)
        gcal_buf_printf(buf, "\t%s:%s:%.9g%s", line->times[i].name, line->times[i].kernel,
                        line->times[i].time_s, line->times[i].off ? ":off" : "");
    if (!(head = gcal_checks_signed_head(node)))
        return gcal_error_memory(err);
    rc = gcal_store_end_line(store->key, head, buf, from, err);
    free(head);
    return rc;
}

int gcal_checks_add(const struct gcal_store *store, const char *node,
                    const struct gcal_checks_line *line, struct gcal_error *err)
{
    char *file = gcal_buf_format("%s" GCAL_CHECKS_SUFFIX, node), *old = NULL,
         *lock_file = gcal_buf_format("%s.checks.lock", node), *temp = NULL;
    int lock = -1, folder = -1, rc = -1;
    struct gcal_buf buf = { 0 };

    if (!file || !lock_file || !(temp = gcal_store_temp(file))) {
        gcal_error_memory(err);
        goto out;
    }
    if ((lock = gcal_store_lock_briefly(store, lock_file, err)) < 0 ||
        (folder = gcal_store_make_folder(store, store->dirfd, GCAL_CHECKS_FOLDER,
                                         GCAL_CHECKS_FOLDER, err)) < 0 ||
        gcal_checks_fetch(store, folder, node, &old, err) < 0)
        goto out;
    gcal_buf_puts(&buf, GCAL_CHECKS_HEADER "\n");
    if (old)
        keep_lines(&buf, strchr(old, '\n') + 1, line->uid);
    if (put_line(&buf, store, node, line, err) < 0 ||
        gcal_store_prepare(store, folder, temp, GCAL_CHECKS_FOLDER, buf.data, buf.size,
                           err) < 0)
        goto out;
    rc = gcal_store_replace(store, folder, temp, file, GCAL_CHECKS_FOLDER, err);
out:
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    gcal_buf_free(&buf);
    free(old);
    free(temp);
    free(lock_file);
    free(file);
    return rc;
}
