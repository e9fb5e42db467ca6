/* remove_load.c - the loads of a kernel whose work is removed, and what they need */
#include "kernels/remove_private.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"

/* ---- text ---- */

void gcal_remove_extent(const struct remover *r, CXCursor c, unsigned *from, unsigned *to)
{
    CXSourceRange range = r->clang->getCursorExtent(c);

    r->clang->getExpansionLocation(r->clang->getRangeStart(range), NULL, NULL, NULL,
                                   from);
    r->clang->getExpansionLocation(r->clang->getRangeEnd(range), NULL, NULL, NULL, to);
}

void gcal_remove_put_range(const struct remover *r, unsigned from, unsigned to,
                           struct gcal_buf *out)
{
    if (to > from)
        gcal_buf_put(out, r->unit->source + from, to - from);
}

void gcal_remove_put_text(const struct remover *r, CXCursor c, struct gcal_buf *out)
{
    unsigned from, to;

    gcal_remove_extent(r, c, &from, &to);
    gcal_remove_put_range(r, from, to, out);
}

/* Without macros and, of a variable, without the others declared beside it. */
void gcal_remove_print(const struct gcal_unit *unit, CXCursor c, struct gcal_buf *out)
{
    CXPrintingPolicy policy = unit->clang->getCursorPrintingPolicy(c);
    CXString text = unit->clang->getCursorPrettyPrinted(c, policy);

    gcal_buf_puts(out, unit->clang->getCString(text));
    unit->clang->disposeString(text);
    unit->clang->PrintingPolicy_dispose(policy);
}

void gcal_remove_indent(int indent, struct gcal_buf *out)
{
    gcal_buf_printf(out, "%*s", 4 * indent, "");
}

/* Child 'which', or a null cursor. */
CXCursor gcal_remove_child(const struct remover *r, CXCursor c, size_t which)
{
    struct gcal_children children;
    CXCursor found = r->clang->getNullCursor();

    if (gcal_children_get(r->unit, c, &children, NULL) == 0 && which < children.n)
        found = children.cursors[which];
    free(children.cursors);
    return found;
}

static CXType type_of(const struct remover *r, CXCursor c)
{
    return r->clang->getCanonicalType(r->clang->getCursorType(c));
}

enum gcal_space gcal_remove_space(const struct remover *r, CXCursor c)
{
    CXType type = type_of(r, c);

    return type.kind == CXType_Invalid ? GCAL_SPACE_ANY : gcal_type_space(r->unit, type);
}

/* ---- needed variables ---- */

bool gcal_remove_is_needed(const struct remover *r, CXCursor variable)
{
    for (size_t i = 0; i < r->n_needed; i++)
        if (r->clang->equalCursors(r->needed[i], variable))
            return true;
    return false;
}

static int need_variable(struct remover *r, CXCursor c, CXCursor variable)
{
    CXType type = type_of(r, variable);
    CXCursor *moved;

    if (gcal_remove_space(r, variable) == GCAL_SPACE_LOCAL ||
        (type.kind == CXType_Pointer &&
         gcal_type_space(r->unit, r->clang->getCanonicalType(r->clang->getPointeeType(
                                      type))) == GCAL_SPACE_LOCAL))
        return gcal_unit_error(r->unit, c, r->err,
                               "where a kept load goes, or how often, depends on local "
                               "memory, which work removal takes away");
    if (gcal_remove_is_needed(r, variable))
        return 0;
    if (!(moved = gcal_array_grow(r->needed, r->n_needed, &r->needed_capacity,
                                  sizeof(*moved), r->err)))
        return -1;
    r->needed = moved;
    r->needed[r->n_needed++] = variable;
    return 0;
}

/* All variables that the expression or header 'c' names. */
int gcal_remove_need(struct remover *r, CXCursor c)
{
    struct gcal_children children;
    int rc = 0;

    if (kind_of(r, c) == CXCursor_DeclRefExpr) {
        CXCursor declared = r->clang->getCursorReferenced(c);
        enum CXCursorKind kind = kind_of(r, declared);

        if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)
            return need_variable(r, c, declared);
        return 0;
    }
    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = gcal_remove_need(r, children.cursors[i]);
    free(children.cursors);
    return rc;
}

/* The variable that an lvalue or a pointer expression starts from; null when unclear.
 * With 'origin', a pointer variable stands for what it was initialised with.
 */
CXCursor gcal_remove_root(const struct remover *r, CXCursor c, bool origin)
{
    for (int depth = 0; depth < 100; depth++) {
        CXCursor declared, init;

        switch (kind_of(r, c)) {
        case CXCursor_DeclRefExpr:
            declared = r->clang->getCursorReferenced(c);
            init = origin && kind_of(r, declared) == CXCursor_VarDecl &&
                           type_of(r, declared).kind == CXType_Pointer
                       ? gcal_remove_child(r, declared, 0)
                       : r->clang->getNullCursor();
            if (is_null(r, init))
                return declared;
            c = init;
            break;
        case CXCursor_BinaryOperator: /* pointer + number, or a tag's comma */
            init = gcal_remove_child(r, c, 1);
            c = type_of(r, init).kind == CXType_Pointer ? init
                                                        : gcal_remove_child(r, c, 0);
            break;
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_ParenExpr:
        case CXCursor_UnaryOperator:
        case CXCursor_CStyleCastExpr:
        case CXCursor_MemberRefExpr:
            c = gcal_remove_child(r, c, 0);
            break;
        default:
            return r->clang->getNullCursor();
        }
    }
    return r->clang->getNullCursor();
}

/* ---- kept loads ---- */

static int remember(struct remover *r, const char *name)
{
    struct loaded *moved;

    for (size_t i = 0; i < r->n_loaded; i++)
        if (strcmp(r->loaded[i].name, name) == 0)
            return 0;
    if (!(moved = gcal_array_grow(r->loaded, r->n_loaded, &r->loaded_capacity,
                                  sizeof(*moved), r->err)))
        return -1;
    r->loaded = moved;
    strncpy(moved[r->n_loaded].name, name, MAX_NAME - 1);
    moved[r->n_loaded++].name[MAX_NAME - 1] = 0;
    return 0;
}

static bool is_kept(const struct remover *r, const char *name)
{
    for (size_t i = 0; i < r->n_keep; i++)
        if (strcmp(r->keep[i], name) == 0)
            return true;
    return r->n_keep == 0;
}

int gcal_remove_rank(const char *dtype)
{
    static const char *const ranks[] = { "uint8",   "int8",    "uint16", "int16",
                                         "uint32",  "int32",   "uint64", "int64",
                                         "float16", "float32", "float64" };

    for (int i = 0; i < (int)(sizeof(ranks) / sizeof(ranks[0])); i++)
        if (dtype && strcmp(ranks[i], dtype) == 0)
            return i;
    return -1;
}

/* The sum takes the widest type of all loads. */
static int widen(struct remover *r, CXCursor load, CXType type)
{
    const char *dtype = gcal_type_dtype(r->unit, type);
    long long n_lanes = type.kind == CXType_ExtVector || type.kind == CXType_Vector
                            ? r->clang->getNumElements(type)
                            : 0;

    if (gcal_remove_rank(dtype) < 0)
        return gcal_unit_error(r->unit, load, r->err,
                               "a load of this type cannot be summed");
    if (r->dtype && (n_lanes != r->n_lanes || (n_lanes && strcmp(dtype, r->dtype) != 0)))
        return gcal_unit_error(r->unit, load, r->err,
                               "loads of vectors and of other types cannot be kept "
                               "together: keep one array at a time");
    if (!r->dtype || gcal_remove_rank(dtype) > gcal_remove_rank(r->dtype))
        r->dtype = dtype;
    r->n_lanes = n_lanes;
    return 0;
}

static int names_of(struct remover *r, CXCursor place, CXCursor *lvalue, char *tag,
                    char *array)
{
    CXCursor root;
    char *name;

    while (kind_of(r, place) == CXCursor_ParenExpr)
        place = gcal_remove_child(r, place, 0);
    *tag = *array = 0;
    *lvalue = place;
    gcal_tag_find(r->unit, place, lvalue, tag, MAX_NAME);
    while (*tag && kind_of(r, *lvalue) == CXCursor_ParenExpr)
        *lvalue = gcal_remove_child(r, *lvalue, 0);
    root = gcal_remove_root(r, *lvalue, true);
    if (is_null(r, root))
        return 0;
    if (!(name = gcal_cursor_name(r->unit, root, r->err)))
        return -1;
    strncpy(array, name, MAX_NAME - 1);
    array[MAX_NAME - 1] = 0;
    free(name);
    return 0;
}

/* Writes the load from 'place' (an lvalue, or with 'call' a vload's pointer) if it is
 * kept: 1, 0 when not, -1.
 */
static int write_load(struct remover *r, CXCursor place, const CXCursor *call, int indent,
                      struct gcal_buf *out)
{
    char tag[MAX_NAME] = "", array[MAX_NAME] = "";
    CXCursor lvalue;

    if (names_of(r, place, &lvalue, tag, array) < 0 || remember(r, array) < 0 ||
        (*tag && remember(r, tag) < 0))
        return -1;
    if (!is_kept(r, array) && !(*tag && is_kept(r, tag)))
        return 0;
    if (widen(r, place, type_of(r, call ? *call : lvalue)) < 0 ||
        gcal_remove_need(r, call ? *call : lvalue) < 0)
        return -1;
    gcal_remove_indent(indent, out);
    gcal_buf_puts(out, "read_tgt = read_tgt + ");
    if (*tag)
        gcal_buf_printf(out, "GPUCAL_TAG(%s, ", tag);
    gcal_remove_put_text(r, call ? *call : lvalue, out);
    gcal_buf_puts(out, *tag ? ");\n" : ";\n");
    r->n_kept++;
    return 1;
}

static bool is_step(const struct remover *r, CXCursor c)
{
    return kind_of(r, c) == CXCursor_UnaryOperator &&
           r->clang->getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec;
}

static bool is_plain_assignment(const struct remover *r, CXCursor c)
{
    return kind_of(r, c) == CXCursor_BinaryOperator &&
           r->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign;
}

bool gcal_remove_is_change(const struct remover *r, CXCursor c)
{
    return is_step(r, c) || is_plain_assignment(r, c) ||
           kind_of(r, c) == CXCursor_CompoundAssignOperator;
}

/* The place that the expression 'c' itself (not its parts) loads from global memory. */
static CXCursor loaded_place(const struct remover *r, CXCursor c)
{
    CXCursor inner = gcal_remove_child(r, c, 0), none = r->clang->getNullCursor();
    bool reads = kind_of(r, c) == CXCursor_UnexposedExpr ||
                 kind_of(r, c) == CXCursor_CompoundAssignOperator || is_step(r, c);

    if (!reads || is_null(r, inner) || gcal_remove_space(r, inner) != GCAL_SPACE_GLOBAL ||
        type_of(r, inner).kind == CXType_ConstantArray ||
        gcal_remove_space(r, c) ==
            GCAL_SPACE_GLOBAL) /* a component's place, not its value */
        return none;
    return inner;
}

static bool is_vload(const struct remover *r, CXCursor c, CXCursor *pointer)
{
    CXType type;

    if (kind_of(r, c) != CXCursor_CallExpr)
        return false;
    *pointer = gcal_remove_child(r, c, 2);
    type = is_null(r, *pointer) ? (CXType){ 0 } : type_of(r, *pointer);
    if (type.kind != CXType_Pointer ||
        gcal_type_space(r->unit, r->clang->getCanonicalType(r->clang->getPointeeType(
                                     type))) != GCAL_SPACE_GLOBAL)
        return false;
    for (int n = 2; n <= 16; n++) {
        char name[16] = "vload";

        name[5] = (char)(n < 10 ? '0' + n : '1');
        name[6] = (char)(n < 10 ? 0 : '0' + n % 10);
        if (gcal_cursor_is_named(r->unit, c, name))
            return true;
    }
    return false;
}

enum content gcal_remove_write_if(struct remover *r, CXCursor condition,
                                  enum content found, const struct gcal_buf *yes,
                                  const struct gcal_buf *no, int indent,
                                  struct gcal_buf *out)
{
    if (found == NOTHING)
        return gcal_remove_write_loads(r, condition, indent, out);
    if (found == FAILED || gcal_remove_need(r, condition) < 0)
        return FAILED;
    gcal_remove_indent(indent, out);
    gcal_buf_puts(out, "if (");
    gcal_remove_put_text(r, condition, out);
    gcal_buf_printf(out, ") {\n%s", yes->data ? yes->data : "");
    gcal_remove_indent(indent, out);
    if (no->size) {
        gcal_buf_printf(out, "} else {\n%s", no->data);
        gcal_remove_indent(indent, out);
    }
    gcal_buf_puts(out, "}\n");
    return found;
}

/* A load that only happens under a condition stays under it. */
static enum content write_choice(struct remover *r, CXCursor c, int indent,
                                 struct gcal_buf *out)
{
    CXCursor condition = gcal_remove_child(r, c, 0);
    struct gcal_buf yes = { 0 }, no = { 0 };
    enum content found =
        worse(gcal_remove_write_loads(r, gcal_remove_child(r, c, 1), indent + 1, &yes),
              gcal_remove_write_loads(r, gcal_remove_child(r, c, 2), indent + 1, &no));

    found = gcal_remove_write_if(r, condition, found, &yes, &no, indent, out);
    gcal_buf_free(&yes);
    gcal_buf_free(&no);
    return found;
}

enum content gcal_remove_write_children(struct remover *r, CXCursor c, size_t first,
                                        int indent, struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = first; i < children.n && found != FAILED; i++)
        found =
            worse(found, gcal_remove_write_loads(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

enum content gcal_remove_refuse(struct remover *r, CXCursor c, const char *why)
{
    gcal_unit_error(r->unit, c, r->err, "%s", why);
    return FAILED;
}

static enum content write_call(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    CXCursor pointer,
        definition = r->clang->getCursorDefinition(r->clang->getCursorReferenced(c));
    int written;

    if (is_vload(r, c, &pointer)) {
        if ((written = write_load(r, pointer, &c, indent, out)))
            return written < 0 ? FAILED : WORK;
    } else if (kind_of(r, definition) == CXCursor_FunctionDecl) {
        int n = r->clang->Cursor_getNumArguments(definition);

        for (int i = 0; i < n; i++)
            if (type_of(r, r->clang->Cursor_getArgument(definition, (unsigned)i)).kind ==
                CXType_Pointer)
                return gcal_remove_refuse(
                    r, c,
                    "what this function accesses cannot be kept apart: "
                    "write its body here, or pass values");
    }
    return gcal_remove_write_children(r, c, 1, indent, out);
}

/* Writes the kept loads inside an expression, in the order of its text. */
enum content gcal_remove_write_loads(struct remover *r, CXCursor c, int indent,
                                     struct gcal_buf *out)
{
    CXCursor place, variable;
    int written;

    if (kind_of(r, c) == CXCursor_ConditionalOperator)
        return write_choice(r, c, indent, out);
    if (kind_of(r, c) == CXCursor_CallExpr)
        return write_call(r, c, indent, out);
    if (kind_of(r, c) == CXCursor_BinaryOperator &&
        (r->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_LAnd ||
         r->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_LOr) &&
        gcal_remove_write_loads(r, gcal_remove_child(r, c, 1), indent,
                                &(struct gcal_buf){ .failed = true }) == WORK)
        return gcal_remove_refuse(r, c,
                                  "a load that && or || may skip: write it as an if");
    if (gcal_remove_is_change(r, c)) {
        variable = gcal_remove_root(r, gcal_remove_child(r, c, 0), false);
        if (!is_null(r, variable) &&
            gcal_remove_space(r, gcal_remove_child(r, c, 0)) != GCAL_SPACE_GLOBAL &&
            gcal_remove_is_needed(r, variable))
            return gcal_remove_refuse(
                r, c,
                "this change of a variable that a kept load needs must "
                "be a statement of its own");
    }
    place = loaded_place(r, c);
    if (!is_null(r, place) && (written = write_load(r, place, NULL, indent, out))) {
        if (written < 0)
            return FAILED;
        return worse(WORK, gcal_remove_write_children(r, c, 1, indent, out));
    }
    return gcal_remove_write_children(r, c, 0, indent, out);
}
