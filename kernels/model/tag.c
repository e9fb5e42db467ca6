/* tag.c - names of accesses and kernels in features */
#include <ctype.h>

#include "kernels/base/buf.h"
#include "kernels/model/tag.h"

const char gcal_source_tag_prelude[] = "#ifndef GPUCAL_TAG\n"
                                       "#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                                       "#endif\n"
                                       "#line 1\n";

void gcal_tag_put(const char *text, bool capital, struct gcal_buf *out)
{
    for (; *text; text++) {
        char c = *text;

        if (isalnum((unsigned char)c)) {
            c = (char)(capital ? toupper((unsigned char)c) : c);
            gcal_buf_put(out, &c, 1);
        }
        capital = !isalnum((unsigned char)*text);
    }
}
