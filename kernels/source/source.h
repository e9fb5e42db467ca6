/* source.h - libclang, opened when it is first needed
 *
 * Commands that parse no OpenCL C must start fast and run where libclang is not
 * installed, so it is not linked: its functions stand in a table.  Any libclang from
 * LLVM 17 on will do.  Internal to kernels/.
 */
#ifndef GCAL_KERNELS_SOURCE_H
#define GCAL_KERNELS_SOURCE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"

struct gcal_error;

#define GCAL_CLANG_FUNCTIONS(X)                                                          \
    X(Cursor_Evaluate)                                                                   \
    X(Cursor_getArgument)                                                                \
    X(Cursor_getNumArguments)                                                            \
    X(Cursor_getOffsetOfField)                                                           \
    X(Cursor_getStorageClass)                                                            \
    X(EvalResult_dispose)                                                                \
    X(EvalResult_getAsDouble)                                                            \
    X(EvalResult_getAsLongLong)                                                          \
    X(EvalResult_getAsStr)                                                               \
    X(EvalResult_getAsUnsigned)                                                          \
    X(EvalResult_getKind)                                                                \
    X(EvalResult_isUnsignedInt)                                                          \
    X(PrintingPolicy_dispose)                                                            \
    X(PrintingPolicy_setProperty)                                                        \
    X(Type_getSizeOf)                                                                    \
    X(Type_getValueType)                                                                 \
    X(createIndex)                                                                       \
    X(defaultDiagnosticDisplayOptions)                                                   \
    X(disposeDiagnostic)                                                                 \
    X(disposeIndex)                                                                      \
    X(disposeString)                                                                     \
    X(disposeTokens)                                                                     \
    X(disposeTranslationUnit)                                                            \
    X(equalCursors)                                                                      \
    X(getAddressSpace)                                                                   \
    X(getArrayElementType)                                                               \
    X(getArraySize)                                                                      \
    X(getCString)                                                                        \
    X(getCanonicalCursor)                                                                \
    X(getCanonicalType)                                                                  \
    X(getCursorBinaryOperatorKind)                                                       \
    X(getCursorDefinition)                                                               \
    X(getCursorExtent)                                                                   \
    X(getCursorKind)                                                                     \
    X(getCursorKindSpelling)                                                             \
    X(getCursorLocation)                                                                 \
    X(getCursorPrettyPrinted)                                                            \
    X(getCursorPrintingPolicy)                                                           \
    X(getCursorReferenced)                                                               \
    X(getCursorResultType)                                                               \
    X(getCursorSpelling)                                                                 \
    X(getCursorType)                                                                     \
    X(getCursorUnaryOperatorKind)                                                        \
    X(getDiagnostic)                                                                     \
    X(getDiagnosticLocation)                                                             \
    X(getDiagnosticSeverity)                                                             \
    X(getDiagnosticSpelling)                                                             \
    X(getElementType)                                                                    \
    X(getExpansionLocation)                                                              \
    X(getNullCursor)                                                                     \
    X(getNumDiagnostics)                                                                 \
    X(getNumElements)                                                                    \
    X(getPointeeType)                                                                    \
    X(getPresumedLocation)                                                               \
    X(getRangeEnd)                                                                       \
    X(getRangeStart)                                                                     \
    X(getSpellingLocation)                                                               \
    X(getTokenSpelling)                                                                  \
    X(getTranslationUnitCursor)                                                          \
    X(getTypeDeclaration)                                                                \
    X(getTypeSpelling)                                                                   \
    X(hashCursor)                                                                        \
    X(isConstQualifiedType)                                                              \
    X(parseTranslationUnit2)                                                             \
    X(tokenize)                                                                          \
    X(visitChildren)

/* 'clang->getCursorKind(c)' is clang_getCursorKind(c), and so on. */
struct gcal_clang {
#define GCAL_CLANG_MEMBER(name) __typeof__(clang_##name) *name;
    GCAL_CLANG_FUNCTIONS(GCAL_CLANG_MEMBER)
#undef GCAL_CLANG_MEMBER
};

/* The table, the same for all callers and never closed.  NULL with 'err' when no
 * suitable libclang is installed.  Thread-safe.
 */
const struct gcal_clang *gcal_clang(struct gcal_error *err);

enum gcal_language { GCAL_LANGUAGE_OPENCL, GCAL_LANGUAGE_C };

/* A source, parsed.  'clang' serves for everything below. */
struct gcal_unit {
    const struct gcal_clang *clang;
    CXIndex index;
    CXTranslationUnit tu;
    char *source; /* the text that offsets refer to */
    char *file;
};

/* 'build_options' (may be NULL) as OpenCL takes them: macros, include folders and the
 * standard count, what only a vendor's compiler knows is left out.  GPUCAL_TAG is
 * defined in the form that gcal_tag_find() sees.  NULL with "file:line:column: message"
 * for the first error in the source.
 */
struct gcal_unit *gcal_unit_parse(enum gcal_language language, const char *source,
                                  const char *file, const char *build_options,
                                  struct gcal_error *err);
void gcal_unit_close(struct gcal_unit *unit);

/* 'err' (GCAL_EINPUT) gets "file:line:column: " and the text.  Returns -1. */
int gcal_unit_error(const struct gcal_unit *unit, CXCursor at, struct gcal_error *err,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void gcal_unit_location(const struct gcal_unit *unit, CXCursor at, int *line,
                        int *column);

/* The kernel or function of that name with a body; NULL 'name': the only kernel.
 * Returns 0, or -1 with 'err'.
 */
int gcal_unit_kernel(const struct gcal_unit *unit, const char *name, CXCursor *kernel,
                     struct gcal_error *err);
int gcal_unit_function(const struct gcal_unit *unit, const char *name, CXCursor *function,
                       struct gcal_error *err);

/* The children of a cursor, TypeRefs left out; 'cursors' is the caller's to free. */
struct gcal_children {
    size_t n;
    CXCursor *cursors;
};
int gcal_children_get(const struct gcal_unit *unit, CXCursor of,
                      struct gcal_children *children, struct gcal_error *err);

/* A copy of a cursor's name (its spelling); the caller's to free, NULL with 'err'. */
char *gcal_cursor_name(const struct gcal_unit *unit, CXCursor cursor,
                       struct gcal_error *err);
bool gcal_cursor_is_named(const struct gcal_unit *unit, CXCursor cursor,
                          const char *name);

/* Where an expression of 'type' lives: global, local, constant, or ANY for private. */
enum gcal_space gcal_type_space(const struct gcal_unit *unit, CXType type);

/* "float32", "int64", ... of a scalar or of a vector's element; NULL for others. */
const char *gcal_type_dtype(const struct gcal_unit *unit, CXType type);

/* The four parts of a for; those left out are null cursors.  'parts' in the order
 * init, condition, increment, body.
 */
int gcal_for_parts(const struct gcal_unit *unit, CXCursor loop, CXCursor parts[4],
                   struct gcal_error *err);

/* Whether 'c' is the '*' inside a GPUCAL_TAG(name, lvalue); gives the lvalue (often in
 * parentheses) and the name.
 */
bool gcal_tag_find(const struct gcal_unit *unit, CXCursor c, CXCursor *lvalue, char *tag,
                   size_t room);

#endif
