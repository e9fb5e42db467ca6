/* device_text.c - what a run-time compiler is given of a CUDA source
 *
 * Such compilers know neither the host's functions nor the standard library: functions and variables
 * that the kernel does not use, code with errors, and included files that are not there become
 * spaces.  Lines stay where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/source/private.h"

/* Functions and variables outside of functions; a template's instance begins where it does. */
static bool is_separate(CXCursor c)
{
    switch (clang_getCursorKind(c)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        return true;
    case CXCursor_VarDecl:
        switch (clang_getCursorKind(clang_getCursorSemanticParent(c))) {
        case CXCursor_TranslationUnit:
        case CXCursor_Namespace:
            return true;
        default:
            return false;
        }
    default:
        return false;
    }
}

static enum CXChildVisitResult find_used(CXCursor c, CXCursor parent, CXClientData data)
{
    CXCursor to = clang_getCursorReferenced(c), definition;

    (void)parent;
    if (!clang_Cursor_isNull(to) && is_separate(to) &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(to))) {
        gcal_source_set_add(data, to);
        definition = clang_getCursorDefinition(to);
        if (!clang_Cursor_isNull(definition))
            gcal_source_set_add(data, definition);
    }
    return CXChildVisit_Recurse;
}

/* ---- what goes ---- */

/* Where it begins and ends in the text, if that is by a macro ("__global__"), too. */
static void find_place(CXCursor c, size_t *from, size_t *to)
{
    CXSourceRange range = clang_getCursorExtent(c);
    unsigned start = 0, end = 0;

    clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    *from = start;
    *to = end;
}

struct removal {
    const struct gcal_source_unit *unit;
    const struct gcal_source_set *used; /* functions and variables */
    char *text;
};

static void blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

static bool has_error(const struct gcal_source_unit *unit, size_t from, size_t to)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit->tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        bool is_error = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        unsigned at;

        clang_getFileLocation(clang_getDiagnosticLocation(d), NULL, NULL, NULL, &at);
        clang_disposeDiagnostic(d);
        if (is_error && at >= from && at < to)
            return true;
    }
    return false;
}

static bool is_used(const struct removal *r, size_t from, size_t to)
{
    for (size_t i = 0; i < r->used->n; i++) {
        size_t at, end;

        find_place(r->used->cursors[i], &at, &end);
        if (at >= from && at < to)
            return true;
    }
    return false;
}

static enum CXChildVisitResult remove_unused(CXCursor c, CXCursor parent,
                                             CXClientData data)
{
    struct removal *r = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    size_t from, to, length = strlen(r->text);

    (void)parent;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
        kind == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    find_place(c, &from, &to);
    if (from < to && to <= length && clang_isDeclaration(kind) && !is_used(r, from, to) &&
        (is_separate(c) || has_error(r->unit, from, to))) {
        blank(r->text, from, to);
        if (kind == CXCursor_VarDecl && r->text[to] == ';')
            r->text[to] = ' ';
    }
    return CXChildVisit_Continue;
}

/* Headers that the compilers have, apart from their own declarations. */
static bool is_kept_header(const char *name)
{
    static const char *const kept[] = {
        "cuda_fp",     "cuda_bf16", "cooperative_groups", "mma.h",
        "cuComplex.h", "cuda/",     "cuda_pipeline"
    };

    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (strncmp(name, kept[i], strlen(kept[i])) == 0)
            return true;
    return false;
}

static void remove_includes(char *text)
{
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *name = gcal_source_included_name(line);

        if (name && !is_kept_header(name))
            memset(line, ' ', strcspn(line, "\n"));
    }
}

char *gcal_source_device_text(const struct gcal_source_unit *unit, CXCursor kernel,
                              const char *source, struct gcal_error *err)
{
    struct gcal_source_set used = { 0 };
    struct removal removal = { unit, &used, strdup(source) };

    gcal_source_set_add(&used, kernel);
    for (size_t i = 0; i < used.n && !used.failed; i++)
        clang_visitChildren(used.cursors[i], find_used, &used);
    if (removal.text && !used.failed) {
        clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), remove_unused,
                            &removal);
        remove_includes(removal.text);
    } else {
        free(removal.text);
        removal.text = NULL;
        gcal_error_memory(err);
    }
    free(used.cursors);
    return removal.text;
}
