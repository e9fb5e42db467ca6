/* remove.c - work removal: a kernel reduced to its global loads (seed 004 algorithm 3)
 *
 * The kernel is pretty printed first: that text has no macros, so that offsets in it are
 * those of its syntax tree and parts of it can be copied.  Statements are then written
 * again one by one; what is written tells which variables are needed, and writing is
 * repeated until no more are found.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/clang.h"
#include "kernels/kernels.h"

/* How much of a statement remained.  Jumps alone keep no loop alive. */
enum content { NOTHING, JUMPS, WORK, FAILED };

#define MAX_NAME 64

struct loaded { /* an array or a tag that the kernel loads from */
    char name[MAX_NAME];
};

struct remover {
    const struct gcal_unit *unit;
    const struct gcal_clang *clang;
    size_t n_keep;
    const char *const *keep;
    struct gcal_error *err;
    CXCursor *needed; /* variables */
    size_t n_needed, needed_capacity;
    struct loaded *loaded;
    size_t n_loaded, loaded_capacity;
    size_t n_kept;     /* loads written in this turn */
    const char *dtype; /* of the sum */
    long long n_lanes; /* of the sum; 0: a scalar */
};

static enum content write_statement(struct remover *r, CXCursor c, int indent,
                                    struct gcal_buf *out);

/* ---- text ---- */

static void extent(const struct remover *r, CXCursor c, unsigned *from, unsigned *to)
{
    CXSourceRange range = r->clang->getCursorExtent(c);

    r->clang->getExpansionLocation(r->clang->getRangeStart(range), NULL, NULL, NULL,
                                   from);
    r->clang->getExpansionLocation(r->clang->getRangeEnd(range), NULL, NULL, NULL, to);
}

static void put_range(const struct remover *r, unsigned from, unsigned to,
                      struct gcal_buf *out)
{
    if (to > from)
        gcal_buf_put(out, r->unit->source + from, to - from);
}

static void put_text(const struct remover *r, CXCursor c, struct gcal_buf *out)
{
    unsigned from, to;

    extent(r, c, &from, &to);
    put_range(r, from, to, out);
}

/* Without macros and, of a variable, without the others declared beside it. */
static void print_cursor(const struct gcal_unit *unit, CXCursor c, struct gcal_buf *out)
{
    CXPrintingPolicy policy = unit->clang->getCursorPrintingPolicy(c);
    CXString text = unit->clang->getCursorPrettyPrinted(c, policy);

    gcal_buf_puts(out, unit->clang->getCString(text));
    unit->clang->disposeString(text);
    unit->clang->PrintingPolicy_dispose(policy);
}

static void put_indent(int indent, struct gcal_buf *out)
{
    gcal_buf_printf(out, "%*s", 4 * indent, "");
}

static enum CXCursorKind kind_of(const struct remover *r, CXCursor c)
{
    return r->clang->getCursorKind(c);
}

static bool is_null(const struct remover *r, CXCursor c)
{
    return r->clang->equalCursors(c, r->clang->getNullCursor());
}

/* Child 'which', or a null cursor. */
static CXCursor child(const struct remover *r, CXCursor c, size_t which)
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

static enum gcal_space space_of(const struct remover *r, CXCursor c)
{
    CXType type = type_of(r, c);

    return type.kind == CXType_Invalid ? GCAL_SPACE_ANY : gcal_type_space(r->unit, type);
}

/* ---- needed variables ---- */

static bool is_needed(const struct remover *r, CXCursor variable)
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

    if (space_of(r, variable) == GCAL_SPACE_LOCAL ||
        (type.kind == CXType_Pointer &&
         gcal_type_space(r->unit, r->clang->getCanonicalType(r->clang->getPointeeType(
                                      type))) == GCAL_SPACE_LOCAL))
        return gcal_unit_error(r->unit, c, r->err,
                               "where a kept load goes, or how often, depends on local "
                               "memory, which work removal takes away");
    if (is_needed(r, variable))
        return 0;
    if (!(moved = gcal_array_grow(r->needed, r->n_needed, &r->needed_capacity,
                                  sizeof(*moved), r->err)))
        return -1;
    r->needed = moved;
    r->needed[r->n_needed++] = variable;
    return 0;
}

/* All variables that the expression or header 'c' names. */
static int need(struct remover *r, CXCursor c)
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
        rc = need(r, children.cursors[i]);
    free(children.cursors);
    return rc;
}

/* The variable that an lvalue or a pointer expression starts from; null when unclear.
 * With 'origin', a pointer variable stands for what it was initialised with.
 */
static CXCursor root_of(const struct remover *r, CXCursor c, bool origin)
{
    for (int depth = 0; depth < 100; depth++) {
        CXCursor declared, init;

        switch (kind_of(r, c)) {
        case CXCursor_DeclRefExpr:
            declared = r->clang->getCursorReferenced(c);
            init = origin && kind_of(r, declared) == CXCursor_VarDecl &&
                           type_of(r, declared).kind == CXType_Pointer
                       ? child(r, declared, 0)
                       : r->clang->getNullCursor();
            if (is_null(r, init))
                return declared;
            c = init;
            break;
        case CXCursor_BinaryOperator: /* pointer + number, or a tag's comma */
            init = child(r, c, 1);
            c = type_of(r, init).kind == CXType_Pointer ? init : child(r, c, 0);
            break;
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_ParenExpr:
        case CXCursor_UnaryOperator:
        case CXCursor_CStyleCastExpr:
        case CXCursor_MemberRefExpr:
            c = child(r, c, 0);
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

static int rank_of(const char *dtype)
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

    if (rank_of(dtype) < 0)
        return gcal_unit_error(r->unit, load, r->err,
                               "a load of this type cannot be summed");
    if (r->dtype && (n_lanes != r->n_lanes || (n_lanes && strcmp(dtype, r->dtype) != 0)))
        return gcal_unit_error(r->unit, load, r->err,
                               "loads of vectors and of other types cannot be kept "
                               "together: keep one array at a time");
    if (!r->dtype || rank_of(dtype) > rank_of(r->dtype))
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
        place = child(r, place, 0);
    *tag = *array = 0;
    *lvalue = place;
    gcal_tag_find(r->unit, place, lvalue, tag, MAX_NAME);
    while (*tag && kind_of(r, *lvalue) == CXCursor_ParenExpr)
        *lvalue = child(r, *lvalue, 0);
    root = root_of(r, *lvalue, true);
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
        need(r, call ? *call : lvalue) < 0)
        return -1;
    put_indent(indent, out);
    gcal_buf_puts(out, "read_tgt = read_tgt + ");
    if (*tag)
        gcal_buf_printf(out, "GPUCAL_TAG(%s, ", tag);
    put_text(r, call ? *call : lvalue, out);
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

static bool changes_something(const struct remover *r, CXCursor c)
{
    return is_step(r, c) || is_plain_assignment(r, c) ||
           kind_of(r, c) == CXCursor_CompoundAssignOperator;
}

/* The place that the expression 'c' itself (not its parts) loads from global memory. */
static CXCursor loaded_place(const struct remover *r, CXCursor c)
{
    CXCursor inner = child(r, c, 0), none = r->clang->getNullCursor();
    bool reads = kind_of(r, c) == CXCursor_UnexposedExpr ||
                 kind_of(r, c) == CXCursor_CompoundAssignOperator || is_step(r, c);

    if (!reads || is_null(r, inner) || space_of(r, inner) != GCAL_SPACE_GLOBAL ||
        type_of(r, inner).kind == CXType_ConstantArray ||
        space_of(r, c) == GCAL_SPACE_GLOBAL) /* a component's place, not its value */
        return none;
    return inner;
}

static bool is_vload(const struct remover *r, CXCursor c, CXCursor *pointer)
{
    CXType type;

    if (kind_of(r, c) != CXCursor_CallExpr)
        return false;
    *pointer = child(r, c, 2);
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

static enum content write_loads(struct remover *r, CXCursor c, int indent,
                                struct gcal_buf *out);

static enum content worse(enum content a, enum content b)
{
    return a > b ? a : b;
}

/* A load that only happens under a condition stays under it. */
static enum content write_choice(struct remover *r, CXCursor c, int indent,
                                 struct gcal_buf *out)
{
    CXCursor condition = child(r, c, 0);
    struct gcal_buf yes = { 0 }, no = { 0 };
    enum content found = worse(write_loads(r, child(r, c, 1), indent + 1, &yes),
                               write_loads(r, child(r, c, 2), indent + 1, &no));

    if (found == NOTHING) {
        found = write_loads(r, condition, indent, out);
    } else if (found != FAILED && need(r, condition) == 0) {
        put_indent(indent, out);
        gcal_buf_puts(out, "if (");
        put_text(r, condition, out);
        gcal_buf_printf(out, ") {\n%s", yes.data ? yes.data : "");
        put_indent(indent, out);
        if (no.size) {
            gcal_buf_printf(out, "} else {\n%s", no.data);
            put_indent(indent, out);
        }
        gcal_buf_puts(out, "}\n");
    } else {
        found = FAILED;
    }
    gcal_buf_free(&yes);
    gcal_buf_free(&no);
    return found;
}

static enum content write_loads_of_children(struct remover *r, CXCursor c, size_t first,
                                            int indent, struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = first; i < children.n && found != FAILED; i++)
        found = worse(found, write_loads(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

static enum content refuse(struct remover *r, CXCursor c, const char *why)
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
                return refuse(r, c,
                              "what this function accesses cannot be kept apart: "
                              "write its body here, or pass values");
    }
    return write_loads_of_children(r, c, 1, indent, out);
}

/* Writes the kept loads inside an expression, in the order of its text. */
static enum content write_loads(struct remover *r, CXCursor c, int indent,
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
        write_loads(r, child(r, c, 1), indent, &(struct gcal_buf){ .failed = true }) ==
            WORK)
        return refuse(r, c, "a load that && or || may skip: write it as an if");
    if (changes_something(r, c)) {
        variable = root_of(r, child(r, c, 0), false);
        if (!is_null(r, variable) && space_of(r, child(r, c, 0)) != GCAL_SPACE_GLOBAL &&
            is_needed(r, variable))
            return refuse(r, c,
                          "this change of a variable that a kept load needs must "
                          "be a statement of its own");
    }
    place = loaded_place(r, c);
    if (!is_null(r, place) && (written = write_load(r, place, NULL, indent, out))) {
        if (written < 0)
            return FAILED;
        return worse(WORK, write_loads_of_children(r, c, 1, indent, out));
    }
    return write_loads_of_children(r, c, 0, indent, out);
}

/* ---- statements ---- */

/* 'c' as it stands. */
static enum content write_same(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    if (need(r, c) < 0)
        return FAILED;
    put_indent(indent, out);
    if (kind_of(r, c) == CXCursor_VarDecl)
        print_cursor(r->unit, c, out);
    else
        put_text(r, c, out);
    gcal_buf_puts(out, ";\n");
    return WORK;
}

static enum content write_expression(struct remover *r, CXCursor c, int indent,
                                     struct gcal_buf *out)
{
    CXCursor variable, left;

    while (kind_of(r, c) == CXCursor_ParenExpr)
        c = child(r, c, 0);
    if (changes_something(r, c)) {
        left = child(r, c, 0);
        variable = root_of(r, left, false);
        if (!is_null(r, variable) && space_of(r, left) != GCAL_SPACE_GLOBAL &&
            is_needed(r, variable))
            return write_same(r, c, indent, out);
    }
    return write_loads(r, c, indent, out);
}

static enum content write_declaration(struct remover *r, CXCursor c, int indent,
                                      struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = 0; i < children.n && found != FAILED; i++) {
        CXCursor variable = children.cursors[i];

        if (kind_of(r, variable) != CXCursor_VarDecl)
            found = write_same(r, variable, indent, out);
        else if (is_needed(r, variable))
            found = worse(write_same(r, variable, indent, out), found);
        else
            found = worse(write_loads_of_children(r, variable, 0, indent, out), found);
    }
    free(children.cursors);
    return found;
}

/* A statement as the body of another one, in braces. */
static enum content write_body(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (kind_of(r, c) != CXCursor_CompoundStmt)
        return write_statement(r, c, indent, out);
    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = 0; i < children.n && found != FAILED; i++)
        found = worse(found, write_statement(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

static enum content write_if(struct remover *r, CXCursor c, int indent,
                             struct gcal_buf *out)
{
    CXCursor condition = child(r, c, 0), otherwise = child(r, c, 2);
    struct gcal_buf yes = { 0 }, no = { 0 };
    enum content found = write_body(r, child(r, c, 1), indent + 1, &yes);

    if (found != FAILED && !is_null(r, otherwise))
        found = worse(found, write_body(r, otherwise, indent + 1, &no));
    if (found == NOTHING) {
        found = write_loads(r, condition, indent, out);
    } else if (found != FAILED && need(r, condition) == 0) {
        put_indent(indent, out);
        gcal_buf_puts(out, "if (");
        put_text(r, condition, out);
        gcal_buf_printf(out, ") {\n%s", yes.data ? yes.data : "");
        put_indent(indent, out);
        if (no.size) {
            gcal_buf_printf(out, "} else {\n%s", no.data);
            put_indent(indent, out);
        }
        gcal_buf_puts(out, "}\n");
    } else {
        found = FAILED;
    }
    gcal_buf_free(&yes);
    gcal_buf_free(&no);
    return found;
}

/* "#pragma unroll" of a loop: the line in front of it. */
static void put_pragma(const struct remover *r, unsigned loop_from, int indent,
                       struct gcal_buf *out)
{
    const char *source = r->unit->source, *end = source + loop_from, *line;

    while (end > source && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t'))
        end--;
    for (line = end; line > source && line[-1] != '\n'; line--)
        ;
    line += strspn(line, " \t");
    if (strncmp(line, "#pragma", 7) != 0)
        return;
    put_indent(indent, out);
    gcal_buf_put(out, line, (size_t)(end - line));
    gcal_buf_puts(out, "\n");
}

static int need_header(struct remover *r, CXCursor loop, CXCursor body)
{
    struct gcal_children children;
    int rc = 0;

    if (gcal_children_get(r->unit, loop, &children, r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        if (!r->clang->equalCursors(children.cursors[i], body))
            rc = need(r, children.cursors[i]);
    free(children.cursors);
    return rc;
}

static enum content write_loop(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    bool is_do = kind_of(r, c) == CXCursor_DoStmt;
    CXCursor parts[4], body = child(r, c, is_do ? 0 : 1);
    struct gcal_buf text = { 0 };
    unsigned from, to, body_from, body_to;
    size_t n_needed = r->n_needed;
    enum content found;

    if (kind_of(r, c) == CXCursor_ForStmt) {
        if (gcal_for_parts(r->unit, c, parts, r->err) < 0)
            return FAILED;
        body = parts[3];
    }
    found = write_body(r, body, indent + 1, &text);
    extent(r, c, &from, &to);
    extent(r, body, &body_from, &body_to);
    if (found == JUMPS) { /* nor is what its jumps depend on needed */
        r->n_needed = n_needed;
        found = NOTHING;
    }
    if (found == WORK && need_header(r, c, body) < 0)
        found = FAILED;
    if (found == WORK) {
        put_pragma(r, from, indent, out);
        put_indent(indent, out);
        put_range(r, from, body_from, out);
        while (out->size && strchr(" \n", out->data[out->size - 1]))
            out->data[--out->size] = 0;
        gcal_buf_printf(out, " {\n%s", text.data ? text.data : "");
        put_indent(indent, out);
        gcal_buf_puts(out, "}");
        if (is_do) {
            gcal_buf_puts(out, " while (");
            put_text(r, child(r, c, 1), out);
            gcal_buf_puts(out, ");");
        }
        gcal_buf_puts(out, "\n");
    }
    gcal_buf_free(&text);
    return found;
}

static enum content write_jump(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    put_indent(indent, out);
    put_text(r, c, out);
    gcal_buf_puts(out, ";\n");
    return kind_of(r, c) == CXCursor_ReturnStmt ? WORK : JUMPS;
}

static enum content write_statement(struct remover *r, CXCursor c, int indent,
                                    struct gcal_buf *out)
{
    struct gcal_children children;

    switch (kind_of(r, c)) {
    case CXCursor_DeclStmt:
        return write_declaration(r, c, indent, out);
    case CXCursor_CompoundStmt: {
        struct gcal_buf text = { 0 };
        enum content found = write_body(r, c, indent + 1, &text);

        if (found != NOTHING && found != FAILED) {
            put_indent(indent, out);
            gcal_buf_printf(out, "{\n%s", text.data ? text.data : "");
            put_indent(indent, out);
            gcal_buf_puts(out, "}\n");
        }
        gcal_buf_free(&text);
        return found;
    }
    case CXCursor_IfStmt:
        return write_if(r, c, indent, out);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return write_loop(r, c, indent, out);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_ReturnStmt:
        return write_jump(r, c, indent, out);
    case CXCursor_NullStmt:
        return NOTHING;
    case CXCursor_UnexposedStmt: /* a loop with attributes */
        if (gcal_children_get(r->unit, c, &children, r->err) < 0)
            return FAILED;
        c = children.n ? children.cursors[children.n - 1] : r->clang->getNullCursor();
        free(children.cursors);
        return is_null(r, c) ? NOTHING : write_statement(r, c, indent, out);
    case CXCursor_SwitchStmt:
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
        return refuse(r, c, "work removal does not know this statement: use if");
    default:
        return write_expression(r, c, indent, out);
    }
}

/* ---- the kernel ---- */

static const char *const opencl_names[] = { "uchar", "char",  "ushort", "short",
                                            "uint",  "int",   "ulong",  "long",
                                            "half",  "float", "double" };

static void put_type(const struct remover *r, struct gcal_buf *out)
{
    int rank = rank_of(r->dtype);

    gcal_buf_puts(out, rank < 0 ? "float" : opencl_names[rank]);
    if (r->n_lanes)
        gcal_buf_printf(out, "%lld", r->n_lanes);
}

static int write_kernel_body(struct remover *r, CXCursor body, struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, body, &children, r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && found != FAILED; i++) {
        /* nothing runs after it, and the store must */
        if (kind_of(r, children.cursors[i]) == CXCursor_ReturnStmt)
            break;
        found = worse(found, write_statement(r, children.cursors[i], 1, out));
    }
    free(children.cursors);
    return found == FAILED ? -1 : 0;
}

static CXCursor body_of(const struct remover *r, CXCursor kernel)
{
    struct gcal_children children;
    CXCursor body = r->clang->getNullCursor();

    if (gcal_children_get(r->unit, kernel, &children, NULL) < 0)
        return body;
    for (size_t i = 0; i < children.n; i++)
        if (kind_of(r, children.cursors[i]) == CXCursor_CompoundStmt)
            body = children.cursors[i];
    free(children.cursors);
    return body;
}

/* Everything in front of the body, with one parameter more. */
static void write_signature(const struct remover *r, CXCursor kernel, CXCursor body,
                            struct gcal_buf *out)
{
    int n = r->clang->Cursor_getNumArguments(kernel);
    unsigned from, to, body_from, param_from, param_to;

    extent(r, kernel, &from, &to);
    extent(r, body, &body_from, &to);
    extent(r, r->clang->Cursor_getArgument(kernel, (unsigned)n - 1), &param_from,
           &param_to);
    put_range(r, from, param_to, out);
    gcal_buf_puts(out, ", __global ");
    put_type(r, out);
    gcal_buf_puts(out, " *read_tgt_dest");
    put_range(r, param_to, body_from, out);
}

static int check_names(struct remover *r)
{
    struct gcal_buf names = { 0 };
    const char *unknown = NULL;

    for (size_t i = 0; i < r->n_keep && !unknown; i++) {
        unknown = r->keep[i];
        for (size_t j = 0; j < r->n_loaded; j++)
            if (strcmp(r->loaded[j].name, r->keep[i]) == 0)
                unknown = NULL;
    }
    if (!unknown && r->n_kept)
        return 0;
    for (size_t j = 0; j < r->n_loaded; j++)
        gcal_buf_printf(&names, "%s%s", j ? ", " : "", r->loaded[j].name);
    if (unknown)
        gcal_error_set(r->err, GCAL_EINPUT,
                       "%s: no global load of an array or with a tag named '%s'; there "
                       "are: %s",
                       r->unit->file, unknown, names.size ? names.data : "none");
    else
        gcal_error_set(r->err, GCAL_EINPUT, "%s: there is no global load to keep",
                       r->unit->file);
    gcal_buf_free(&names);
    return -1;
}

static int write_kernel(struct remover *r, CXCursor kernel, size_t n_dims,
                        struct gcal_buf *out)
{
    static const char *const linear[] = {
        "get_global_id(0)",
        "get_global_size(0) * get_global_id(1) + get_global_id(0)",
        ("get_global_size(0) * (get_global_size(1) * get_global_id(2) + "
         "get_global_id(1)) + get_global_id(0)"),
    };
    CXCursor body = body_of(r, kernel);
    struct gcal_buf text = { 0 };
    size_t n_needed;
    int rc = -1;

    do {
        gcal_buf_free(&text);
        n_needed = r->n_needed;
        r->n_kept = 0;
        if (write_kernel_body(r, body, &text) < 0)
            goto out;
    } while (r->n_needed > n_needed);
    if (check_names(r) < 0)
        goto out;
    write_signature(r, kernel, body, out);
    gcal_buf_puts(out, "{\n    ");
    put_type(r, out);
    gcal_buf_printf(out, " read_tgt = 0;\n%s    read_tgt_dest[%s] = read_tgt;\n}\n",
                    text.data ? text.data : "", linear[n_dims - 1]);
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}

/* ---- in front of it ---- */

static bool is_from_source(const struct gcal_unit *unit, CXCursor c)
{
    CXString file;
    const char *name;
    bool same;

    unit->clang->getPresumedLocation(unit->clang->getCursorLocation(c), &file, NULL,
                                     NULL);
    name = unit->clang->getCString(file);
    same = name && strcmp(name, unit->file) == 0;
    unit->clang->disposeString(file);
    return same;
}

static void print_declaration(const struct gcal_unit *unit, CXCursor c,
                              struct gcal_buf *out)
{
    bool function = unit->clang->getCursorKind(c) == CXCursor_FunctionDecl;

    print_cursor(unit, c, out);
    if (!function || !unit->clang->equalCursors(unit->clang->getCursorDefinition(c), c))
        gcal_buf_puts(out, ";");
    gcal_buf_puts(out, "\n");
}

/* The source's declarations up to the kernel without other kernels, and the kernel. */
static char *print_source(const struct gcal_unit *unit, CXCursor kernel,
                          struct gcal_error *err)
{
    struct gcal_children all;
    struct gcal_buf out = { 0 };

    if (gcal_children_get(unit, unit->clang->getTranslationUnitCursor(unit->tu), &all,
                          err) < 0)
        return NULL;
    for (size_t i = 0; i < all.n; i++) {
        CXCursor c = all.cursors[i], ignored;
        bool same = unit->clang->equalCursors(c, kernel);
        char *name;
        bool other_kernel;

        if (!is_from_source(unit, c))
            continue;
        name = gcal_cursor_name(unit, c, NULL);
        other_kernel = !same && unit->clang->getCursorKind(c) == CXCursor_FunctionDecl &&
                       name && gcal_unit_kernel(unit, name, &ignored, NULL) == 0;
        free(name);
        if (!other_kernel)
            print_declaration(unit, c, &out);
        if (same)
            break;
    }
    free(all.cursors);
    return gcal_buf_take(&out, err);
}

static void write_comment(const struct gcal_count_request *request, const char *kernel,
                          size_t n_keep, const char *const *keep, struct gcal_buf *out)
{
    gcal_buf_printf(out, "/* %s of %s with its work removed; global loads kept:", kernel,
                    request->file ? request->file : "kernel.cl");
    for (size_t i = 0; i < n_keep; i++)
        gcal_buf_printf(out, "%s %s", i ? "," : "", keep[i]);
    gcal_buf_puts(out, n_keep ? " */\n" : " all */\n");
    gcal_buf_puts(out, "#ifndef GPUCAL_TAG\n#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                       "#endif\n");
}

/* 'printed': the pretty printed source. */
static char *remove_from(const struct gcal_count_request *request, const char *printed,
                         const char *name, size_t n_keep, const char *const *keep,
                         struct gcal_error *err)
{
    struct remover r = { .n_keep = n_keep, .keep = keep, .err = err };
    struct gcal_unit *unit;
    struct gcal_buf out = { 0 };
    unsigned from, to;
    CXCursor kernel;
    char *text = NULL;

    if (!(unit =
              gcal_unit_parse(GCAL_LANGUAGE_OPENCL, printed, request->file, NULL, err)))
        return NULL;
    r.unit = unit;
    r.clang = unit->clang;
    if (gcal_unit_kernel(unit, name, &kernel, err) < 0)
        goto out;
    write_comment(request, name, n_keep, keep, &out);
    extent(&r, kernel, &from, &to);
    put_range(&r, 0, from, &out);
    if (write_kernel(&r, kernel, request->n_dims, &out) == 0)
        text = gcal_buf_take(&out, err);
out:
    gcal_buf_free(&out);
    free(r.needed);
    free(r.loaded);
    gcal_unit_close(unit);
    return text;
}

char *gcal_work_remove(const struct gcal_count_request *request, size_t n_keep,
                       const char *const *keep, struct gcal_error *err)
{
    char *printed = NULL, *name = NULL, *text = NULL;
    struct gcal_unit *unit;
    CXCursor kernel;

    if (request->n_dims < 1 || request->n_dims > GCAL_MAX_DIMS) {
        gcal_error_set(err, GCAL_EINPUT, "an NDRange has 1 to %d dimensions, not %zu",
                       GCAL_MAX_DIMS, request->n_dims);
        return NULL;
    }
    if (!(unit = gcal_unit_parse(GCAL_LANGUAGE_OPENCL, request->source, request->file,
                                 request->build_options, err)))
        return NULL;
    if (gcal_unit_kernel(unit, request->kernel, &kernel, err) == 0 &&
        (name = gcal_cursor_name(unit, kernel, err)) &&
        (printed = print_source(unit, kernel, err)))
        text = remove_from(request, printed, name, n_keep, keep, err);
    free(printed);
    free(name);
    gcal_unit_close(unit);
    return text;
}
