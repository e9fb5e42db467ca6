/* escape.c - untrusted text as part of HTML, of Prometheus' text format and of a shell's command */
#include "mpi/cli/escape.h"

#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/utf8.h"

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

void gcal_escape_shell(struct gcal_buf *buf, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./:=,+-";

    if (*word && !word[strspn(word, plain)]) {
        gcal_buf_puts(buf, word);
        return;
    }
    gcal_buf_puts(buf, "'");
    for (; *word; word++)
        if (*word == '\'')
            gcal_buf_puts(buf, "'\\''");
        else
            gcal_buf_put(buf, word, 1);
    gcal_buf_puts(buf, "'");
}
