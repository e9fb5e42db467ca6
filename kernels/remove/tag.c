/* tag.c - tags in work removal: inside of lvalues, and in copied text */
#include "kernels/remove/private.h"

#include <string.h>

/* The printed source has GPUCAL_TAG(name, lvalue) expanded: compilers read that, people
 * do not.
 */
static const char front[] = "(*((void)\"", middle[] = ", &(", end[] = ")))";

/* After the parenthesis that closes the one before 'text'; NULL if there is none. */
static const char *after_parenthesis(const char *text)
{
    int depth = 1;

    for (; *text && depth; text++)
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return depth ? NULL : text;
}

void gcal_remove_put_tags(const char *text, size_t size, struct gcal_buf *out)
{
    const char *stop = text + size, *tag, *name, *inside, *close;
    size_t n;

    while ((tag = strstr(text, front)) && tag < stop) {
        name = tag + strlen(front);
        n = strcspn(name, "\"");
        inside = name + n + (name[n] == '"');
        inside += strspn(inside, " ");
        if (strncmp(inside, middle, strlen(middle)) != 0)
            break;
        inside += strlen(middle);
        if (!(close = after_parenthesis(inside)) ||
            strncmp(close - 1, end, strlen(end)) != 0)
            break;
        gcal_buf_put(out, text, (size_t)(tag - text));
        gcal_buf_printf(out, "GPUCAL_TAG(%.*s, ", (int)n, name);
        gcal_remove_put_tags(inside, (size_t)(close - 1 - inside), out);
        gcal_buf_puts(out, ")");
        text = close - 1 + strlen(end);
    }
    gcal_buf_put(out, text, (size_t)(stop - text));
}

bool gcal_remove_tag_inside(CXCursor place, char *tag)
{
    for (int depth = 0; depth < 100; depth++) {
        CXCursor inner = gcal_remove_child(place, 0), lvalue;

        switch (clang_getCursorKind(place)) {
        case CXCursor_UnaryOperator:
            if (gcal_source_find_tag(place, &lvalue, tag, GCAL_REMOVE_MAX_NAME))
                return true;
            if (clang_getCursorUnaryOperatorKind(place) != CXUnaryOperator_AddrOf)
                return false;
            break;
        case CXCursor_MemberRefExpr:
            if (gcal_source_type(inner).kind == CXType_Pointer)
                return false;
            break;
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr: /* a component of a vector */
        case CXCursor_CStyleCastExpr:
            break;
        default:
            return false;
        }
        place = inner;
    }
    return false;
}
