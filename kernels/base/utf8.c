/* utf8.c - validation of UTF-8 */
#include "kernels/base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t gcal_utf8_length(const char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)text;
    size_t n = *byte < 0x80             ? 1
               : (*byte & 0xe0) == 0xc0 ? 2
               : (*byte & 0xf0) == 0xe0 ? 3
               : (*byte & 0xf8) == 0xf0 ? 4
                                        : 0;
    uint32_t code = n > 1 ? *byte & (0x7fu >> n) : *byte;

    for (size_t i = 1; i < n; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte[i] & 0x3fu);
    }
    if (n && (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        n = 0;
    return n;
}

bool gcal_utf8_is_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;

    return byte[0] < 0x20 || byte[0] == 0x7f ||
           (byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0);
}

char *gcal_utf8_clean(char *text)
{
    for (char *at = text; *at;) {
        size_t n = gcal_utf8_length(at);

        if (!n || gcal_utf8_is_control(at))
            memset(at, '?', n ? n : 1);
        at += n ? n : 1;
    }
    return text;
}
