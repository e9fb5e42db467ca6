/* wrap.c - long lines of the table of results */
#include <stdbool.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "calib/results/private.h"

#define WIDTH 96 /* columns */

void gcal_result_put_wrapped(struct gcal_buf *buf, const char *before, const char *text)
{
    size_t column = 2 + strlen(before);

    gcal_buf_printf(buf, "  %s", before);
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");

        while (text[n] && text[n + 1] == '%') /* stays with its number */
            n += 1 + strcspn(text + n + 1, " ");
        if (!first && column + 1 + n > WIDTH) {
            gcal_buf_puts(buf, "\n     ");
            column = 5;
        }
        gcal_buf_printf(buf, "%s%.*s", first ? "" : " ", (int)n, text);
        column += n + !first;
        text += n;
        text += strspn(text, " ");
    }
    gcal_buf_puts(buf, "\n");
}

const char *gcal_result_first_line(const char *text, size_t *length)
{
    if (!text)
        text = "";
    text += strspn(text, " \t\r\n");
    *length = strcspn(text, "\n");
    return text;
}
