/* escape.c - untrusted text as part of HTML and of Prometheus' text format */
#include "mpi/cli/escape.h"

#include "calib/base/buf.h"
#include "calib/base/utf8.h"

struct replacement {
    char character;
    const char *text;
};

/* 'table' ends with the character 0. */
static void escape(struct gcal_buf *buf, const char *text,
                   const struct replacement *table)
{
    while (*text) {
        size_t n = gcal_utf8_length(text);
        const struct replacement *r = table;

        while (r->character && r->character != *text)
            r++;
        if (r->character)
            gcal_buf_puts(buf, r->text);
        else if (!n || (unsigned char)*text < 0x20 || *text == 0x7f)
            gcal_buf_puts(buf, "?");
        else
            gcal_buf_put(buf, text, n);
        text += n ? n : 1;
    }
}

void gcal_escape_html(struct gcal_buf *buf, const char *text)
{
    static const struct replacement table[] = {
        { '&', "&amp;" },  { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
        { '\'', "&#39;" }, { '\n', " " },   { '\t', " " },   { 0, NULL },
    };

    escape(buf, text, table);
}

void gcal_escape_label(struct gcal_buf *buf, const char *text)
{
    static const struct replacement table[] = {
        { '\\', "\\\\" }, { '"', "\\\"" }, { '\n', "\\n" }, { 0, NULL }
    };

    escape(buf, text, table);
}
