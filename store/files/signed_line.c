/* signed_line.c - files whose lines are signed one by one, as what many processes append */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"

int gcal_store_end_line(const struct gcal_sign_key *key, const char *head,
                        struct gcal_buf *lines, size_t from, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };
    char *signature = NULL;

    if (key && !lines->failed) {
        gcal_buf_puts(&text, head);
        gcal_buf_put(&text, lines->data + from, lines->size - from);
        gcal_buf_puts(&text, "\n");
        if (text.failed)
            gcal_error_memory(err);
        else
            signature = gcal_sign(key, text.data, text.size, err);
        gcal_buf_free(&text);
        if (!signature)
            return -1;
        gcal_buf_puts(lines, "\t");
        gcal_buf_puts(lines, signature);
        free(signature);
    } else {
        gcal_buf_puts(lines, "\n");
    }
    return lines->failed ? gcal_error_memory(err) : 0;
}

bool gcal_store_line_is_signed(const struct gcal_store *store, const char *head,
                               const char *line)
{
    const char *signature = strrchr(line, '\t');
    struct gcal_buf text = { 0 };
    bool is = false;

    if (!store->public_key && !store->trusted)
        return true;
    if (!signature)
        return false;
    gcal_buf_puts(&text, head);
    gcal_buf_put(&text, line, (size_t)(signature - line));
    gcal_buf_printf(&text, "\n%s\n", signature + 1);
    is = !text.failed && gcal_store_check_own(store, text.data, text.size, NULL) == 0;
    gcal_buf_free(&text);
    return is;
}
