#include "mpi/escape.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "calib/base/buf.h"

/* The length of the character that 'text' begins with, 0 where it is none in UTF-8
 * (RFC 3629: no longer than it needs to be, no surrogates, not beyond U+10FFFF).
 */
static size_t character_length(const unsigned char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = *text < 0x80             ? 1
               : (*text & 0xe0) == 0xc0 ? 2
               : (*text & 0xf0) == 0xe0 ? 3
               : (*text & 0xf8) == 0xf0 ? 4
                                        : 0;
    uint32_t code = n > 1 ? *text & (0x7fu >> n) : *text;

    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    if (n && (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        n = 0;
    return n;
}

struct replacement {
    char character;
    const char *text;
};

/* 'table' ends with the character 0. */
static void escape(struct gcal_buf *buf, const char *text,
                   const struct replacement *table)
{
    while (*text) {
        size_t n = character_length((const unsigned char *)text);
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
