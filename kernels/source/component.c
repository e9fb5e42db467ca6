/* component.c - the components of vectors that expressions like v.xy name
 *
 * libclang's interface has no name of a component.  It is read from the source, and where
 * a macro hides it there, from the function as libclang prints it: the names after "." and
 * "->" are in the order of the tree.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/source/private.h"

struct named_component {
    CXCursor at;
    char name[GCAL_SOURCE_MAX_COMPONENTS + 2];
};

struct gcal_source_names {
    bool found; /* they were looked for */
    size_t n, capacity;
    struct named_component *all;
};

/* ---- which expressions are components ---- */

static bool is_vector(CXType type)
{
    return type.kind == CXType_ExtVector || type.kind == CXType_Vector;
}

static bool is_lvalue(CXType type)
{
    return type.kind != CXType_Invalid && clang_getAddressSpace(type) != 0;
}

enum certainty { IS_NO_COMPONENT, MAY_BE_COMPONENT, IS_COMPONENT };

/* as_int2(v) has the form of (v).yx where v is no lvalue. */
static enum certainty classify(CXType type, CXType vector, CXCursor c, CXCursor of)
{
    const char *dtype = gcal_source_dtype(type);
    long long width = is_vector(type) ? clang_getNumElements(type) : 1;

    if (clang_getCursorKind(c) != CXCursor_UnexposedExpr)
        return IS_NO_COMPONENT;
    if (vector.kind == CXType_Pointer && type.kind != CXType_Pointer &&
        is_vector(clang_getCanonicalType(clang_getPointeeType(vector))))
        return IS_COMPONENT; /* p->x */
    if (!is_vector(vector) || !dtype || dtype != gcal_source_dtype(vector) ||
        is_lvalue(type) != is_lvalue(vector))
        return IS_NO_COMPONENT;
    if (is_lvalue(type))
        return IS_COMPONENT;
    if (width < clang_getNumElements(vector) && width != 3)
        return IS_COMPONENT;
    return width >= 2 && clang_getCursorKind(of) != CXCursor_UnexposedExpr
               ? MAY_BE_COMPONENT
               : IS_NO_COMPONENT;
}

/* The only child of 'c'; false where it has another number. */
static bool only_child(CXCursor c, CXCursor *child)
{
    struct gcal_source_children children;
    bool only;

    if (gcal_source_get_children(c, &children, NULL) < 0)
        return false;
    if ((only = children.n == 1))
        *child = children.cursors[0];
    free(children.cursors);
    return only;
}

/* ---- names in the source ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name at the end of 'c' in the source; false where something else is there. */
static bool read_name(const struct gcal_source_unit *unit, CXCursor c, char *name,
                      size_t room)
{
    CXSourceRange range = clang_getCursorExtent(c);
    size_t length = strlen(unit->source), from, before;
    unsigned end = 0;

    clang_getSpellingLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    if (end > length)
        return false;
    for (from = end; from > 0 && is_word(unit->source[from - 1]);)
        from--;
    for (before = from; before > 0 && isspace((unsigned char)unit->source[before - 1]);)
        before--;
    if (end - from == 0 || end - from >= room || !before ||
        !(unit->source[before - 1] == '.' ||
          (before > 1 && strncmp(unit->source + before - 2, "->", 2) == 0)))
        return false;
    memcpy(name, unit->source + from, end - from);
    name[end - from] = '\0';
    return true;
}

size_t gcal_source_component_lanes(const char *name, size_t length, size_t count,
                                   signed char lanes[GCAL_SOURCE_MAX_COMPONENTS])
{
    static const char letters[] = "xyzw", colours[] = "rgba",
                      digits[] = "0123456789abcdef";
    size_t first, step, half = (count + 1) / 2;
    const char *set = letters;
    char low[5] = "";

    if (length >= 2 && length <= 4) {
        memcpy(low, name, length);
        first = strcmp(low, "hi") == 0 ? half : strcmp(low, "odd") == 0;
        step = strcmp(low, "odd") == 0 || strcmp(low, "even") == 0 ? 2 : 1;
        if (step == 2 || strcmp(low, "lo") == 0 || strcmp(low, "hi") == 0) {
            for (size_t i = 0; i < half; i++)
                lanes[i] = (signed char)(first + i * step < count ? first + i * step : 0);
            return half;
        }
    }
    if (length > 1 && (name[0] == 's' || name[0] == 'S')) {
        set = digits;
        name++;
        length--;
    } else if (length && strchr(colours, name[0])) {
        set = colours;
    }
    if (length < 1 || length > GCAL_SOURCE_MAX_COMPONENTS)
        return 0;
    for (size_t i = 0; i < length; i++) {
        const char *at =
            strchr(set, set == digits ? tolower((unsigned char)name[i]) : name[i]);

        if (!at || (size_t)(at - set) >= count)
            return 0;
        lanes[i] = (signed char)(at - set);
    }
    return length;
}

/* ---- names in printed functions ---- */

struct printed_names {
    struct gcal_source_names *names;
    const char *text; /* the rest of the printed function */
    bool sure, failed;
    char last; /* the last character that is not a space */
};

/* The next name after "." or "->", which are not within numbers, strings or initialisers.
 */
static bool next_name(struct printed_names *p, char *name, size_t room)
{
    for (;;) {
        const char *at = p->text + strspn(p->text, " \t\r\n");
        size_t length = 0;
        char before = p->last;

        if (!*at)
            return false;
        if (is_word(*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            bool number = !isalpha((unsigned char)*at) && *at != '_';

            while (is_word(at[length]) ||
                   (number &&
                    (at[length] == '.' || (strchr("+-", at[length]) && at[length] &&
                                           strchr("eEpP", at[length - 1])))))
                length++;
        } else if (*at == '"' || *at == '\'') {
            for (length = 1; at[length] && at[length] != *at; length++)
                length += at[length] == '\\' && at[length + 1];
            length += at[length] != '\0';
        } else {
            length = at[0] == '-' && at[1] == '>' ? 2 : 1;
        }
        p->last = at[length - 1];
        p->text = at + length;
        if (!((*at == '.' && length == 1 && !strchr("{,", before)) ||
              (*at == '-' && length == 2)))
            continue;
        at = p->text + strspn(p->text, " \t\r\n");
        for (length = 0; is_word(at[length]);)
            length++;
        p->text = at + length;
        snprintf(name, room, "%.*s", (int)length, at);
        return true;
    }
}

static void take_name(struct printed_names *p, CXCursor c, bool is_member)
{
    char name[64];
    struct named_component *moved;
    CXString spelling;

    if (!next_name(p, name, sizeof(name))) {
        p->failed = true;
        return;
    }
    if (is_member) {
        spelling = clang_getCursorSpelling(c);
        p->failed |= strncmp(clang_getCString(spelling), name, sizeof(name) - 1) != 0;
        clang_disposeString(spelling);
        return;
    }
    moved = gcal_array_grow(p->names->all, p->names->n, &p->names->capacity,
                            sizeof(*moved), NULL);
    if (!moved || strlen(name) >= sizeof(moved->name)) {
        p->failed = true;
        return;
    }
    p->names->all = moved;
    moved[p->names->n].at = c;
    memcpy(moved[p->names->n++].name, name, strlen(name) + 1);
}

static enum CXChildVisitResult visit_printed(CXCursor c, CXCursor parent,
                                             CXClientData data)
{
    struct printed_names *p = data;
    enum certainty certainty = IS_NO_COMPONENT;
    CXString spelling;
    bool has_name;
    CXCursor of;

    (void)parent;
    clang_visitChildren(c, visit_printed, p);
    if (only_child(c, &of))
        certainty = classify(gcal_source_type(c), gcal_source_type(of), c, of);
    if (certainty == IS_COMPONENT || (certainty == MAY_BE_COMPONENT && !p->sure)) {
        take_name(p, c, false);
    } else if (clang_getCursorKind(c) == CXCursor_MemberRefExpr) {
        spelling = clang_getCursorSpelling(c);
        has_name = *clang_getCString(spelling) != '\0';
        clang_disposeString(spelling);
        if (has_name)
            take_name(p, c, true);
    }
    return p->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Adds the components that the function names, or none where the text does not have the
 * order of the tree.
 */
static bool add_printed(struct gcal_source_names *names, CXCursor function, bool sure)
{
    CXString printed = clang_getCursorPrettyPrinted(function, NULL);
    struct printed_names p = { .names = names,
                               .text = clang_getCString(printed),
                               .sure = sure };
    size_t n = names->n;
    char name[64];

    clang_visitChildren(function, visit_printed, &p);
    p.failed |= !p.failed && next_name(&p, name, sizeof(name));
    clang_disposeString(printed);
    if (p.failed)
        names->n = n;
    return !p.failed;
}

static enum CXChildVisitResult visit_function(CXCursor c, CXCursor parent,
                                              CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_FunctionDecl && clang_isCursorDefinition(c) &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(c)) &&
        !add_printed(data, c, false))
        add_printed(data, c, true);
    return CXChildVisit_Continue;
}

static const char *printed_name(const struct gcal_source_unit *unit, CXCursor c)
{
    struct gcal_source_names *names = unit->names;

    if (!names->found) {
        names->found = true;
        clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit_function,
                            names);
    }
    for (size_t i = 0; i < names->n; i++)
        if (clang_equalCursors(names->all[i].at, c))
            return names->all[i].name;
    return NULL;
}

/* ---- the interface ---- */

bool gcal_source_is_component(const struct gcal_source_unit *unit, CXCursor c,
                              CXCursor of)
{
    char name[GCAL_SOURCE_MAX_COMPONENTS + 2];
    enum certainty certainty = classify(gcal_source_type(c), gcal_source_type(of), c, of);

    return certainty == IS_COMPONENT ||
           (certainty == MAY_BE_COMPONENT &&
            (read_name(unit, c, name, sizeof(name)) || printed_name(unit, c)));
}

size_t gcal_source_component(const struct gcal_source_unit *unit, CXCursor c,
                             CXCursor vector,
                             signed char lanes[GCAL_SOURCE_MAX_COMPONENTS])
{
    CXType type = gcal_source_type(vector), own = gcal_source_type(c);
    size_t width = is_vector(own) ? (size_t)clang_getNumElements(own) : 1, count;
    char text[GCAL_SOURCE_MAX_COMPONENTS + 2];
    const char *name;

    if (type.kind == CXType_Pointer)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    if (!is_vector(type))
        return 0;
    count = (size_t)clang_getNumElements(type);
    if (read_name(unit, c, text, sizeof(text)) &&
        gcal_source_component_lanes(text, strlen(text), count, lanes) == width)
        return width;
    name = printed_name(unit, c);
    return name && gcal_source_component_lanes(name, strlen(name), count, lanes) == width
               ? width
               : 0;
}

struct gcal_source_names *gcal_source_names_create(void)
{
    return calloc(1, sizeof(struct gcal_source_names));
}

void gcal_source_names_destroy(struct gcal_source_names *names)
{
    if (names)
        free(names->all);
    free(names);
}
