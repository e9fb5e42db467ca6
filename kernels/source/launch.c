/* launch.c - how the host code of a CUDA source launches its kernels: kernel<<<grid, block>>>(...), or
 * cudaLaunchKernel(kernel, grid, block, arguments)
 *
 * Host code is not executed.  Its expressions are read as far as they are constants, variables with one value, and
 * variables that are passed to the kernel, which are then sizes by the name of the kernel's parameter.  Any other
 * variable is a size by its own name.  Calls in which a name is not declared are missing from libclang's tree.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/strings.h"
#include "kernels/source/private.h"

enum {
    DEEPEST = 32,
    MOST_READ = 1000
}; /* of expressions that lead to each other, and of all */

/* A call whose function's parameters are its arguments. */
struct frame {
    const struct frame *outer;
    CXCursor function;
    struct gcal_source_children call;
};

struct reader {
    const struct gcal_source_unit *unit;
    CXCursor kernel; /* a definition, with parameters */
    struct gcal_source_children arguments;
    const struct frame *frame;
    int depth, n_read;
};

static bool put_value(struct reader *r, CXCursor c, struct gcal_buf *out);

/* ---- cursors ---- */

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    struct gcal_source_children *children = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    CXCursor *moved;

    (void)parent;
    if (kind == CXCursor_TypeRef || kind == CXCursor_NamespaceRef ||
        kind == CXCursor_TemplateRef)
        return CXChildVisit_Continue;
    if (!(moved = realloc(children->cursors, (children->n + 1) * sizeof(*moved))))
        return CXChildVisit_Break;
    children->cursors = moved;
    moved[children->n++] = c;
    return CXChildVisit_Continue;
}

/* As libclang has them, with the configuration of a launch after the callee. */
static struct gcal_source_children children_of(CXCursor c)
{
    struct gcal_source_children children = { 0 };

    clang_visitChildren(c, collect, &children);
    return children;
}

static CXCursor last_child(CXCursor c)
{
    struct gcal_source_children kids = children_of(c);
    CXCursor last = kids.n ? kids.cursors[kids.n - 1] : clang_getNullCursor();

    free(kids.cursors);
    return last;
}

/* Without parentheses and implicit casts; those between numbers stay. */
static CXCursor strip(CXCursor c)
{
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(c);
        CXCursor inner;

        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr)
            return c;
        inner = last_child(c);
        if (clang_Cursor_isNull(inner))
            return c;
        c = inner;
    }
}

/* Also without casts that are written, and "&": what a pointer is to. */
static CXCursor find_pointed(CXCursor c)
{
    while (clang_getCursorKind(c = strip(c)) == CXCursor_CStyleCastExpr ||
           clang_getCursorKind(c) == CXCursor_CXXReinterpretCastExpr ||
           (clang_getCursorKind(c) == CXCursor_UnaryOperator &&
            clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf))
        c = last_child(c);
    return c;
}

static bool is_floating(CXCursor c)
{
    enum CXTypeKind kind = gcal_source_type(c).kind;

    return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
}

/* ---- variables ---- */

struct uses {
    CXCursor variable;
    const char *member; /* assigned to; NULL: the variable itself */
    size_t n,
        n_members;  /* of assignments, and what may be one, to it and to its members */
    CXCursor value; /* of the last one */
};

static bool is_variable(CXCursor c, CXCursor variable)
{
    c = strip(c);
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(c), variable);
}

static void note_assignment(struct uses *u, CXCursor to, CXCursor value)
{
    char *name;

    to = strip(to);
    if (is_variable(to, u->variable)) {
        u->n++;
        if (!u->member)
            u->value = value;
    } else if (clang_getCursorKind(to) == CXCursor_MemberRefExpr &&
               is_variable(last_child(to), u->variable)) {
        u->n_members++;
        name = gcal_source_cursor_name(to, NULL);
        if (u->member && name && strcmp(name, u->member) == 0) {
            u->n++;
            u->value = value;
        }
        free(name);
    }
}

static enum CXChildVisitResult find_uses(CXCursor c, CXCursor parent, CXClientData data)
{
    struct uses *u = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct gcal_source_children kids;

    (void)parent;
    if (kind != CXCursor_BinaryOperator && kind != CXCursor_CompoundAssignOperator &&
        kind != CXCursor_UnaryOperator)
        return CXChildVisit_Recurse;
    kids = children_of(c);
    if (kind == CXCursor_BinaryOperator && kids.n == 2 &&
        clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
        note_assignment(u, kids.cursors[0], kids.cursors[1]);
    else if (kids.n &&
             (kind == CXCursor_CompoundAssignOperator ||
              (kind == CXCursor_UnaryOperator &&
               clang_getCursorUnaryOperatorKind(c) <= CXUnaryOperator_AddrOf))) {
        note_assignment(u, kids.cursors[0], clang_getNullCursor());
        u->n += is_variable(kids.cursors[0], u->variable); /* no one value */
    }
    free(kids.cursors);
    return CXChildVisit_Recurse;
}

/* The one value of a variable, or of a member that is assigned to; null: it has none. */
static CXCursor find_value(CXCursor variable, const char *member)
{
    struct uses u = { .variable = variable, .member = member };
    CXCursor initial = clang_Cursor_getVarDeclInitializer(variable);

    u.value = clang_getNullCursor();
    clang_visitChildren(clang_getCursorSemanticParent(variable), find_uses, &u);
    if (u.n == 0 && (member || !u.n_members))
        return initial;
    /* "int n; n = 4;", "dim3 grid; grid.x = n;" */
    return u.n == 1 && (member || clang_Cursor_isNull(initial)) ? u.value
                                                                : clang_getNullCursor();
}

/* ---- expressions ---- */

/* The number of the kernel's parameter that the variable is passed for; -1: none. */
static int find_parameter(const struct reader *r, CXCursor variable)
{
    int n = clang_Cursor_getNumArguments(r->kernel);

    for (int i = 0; i < (int)r->arguments.n && i < n; i++)
        if (is_variable(r->arguments.cursors[i], variable))
            return i;
    return -1;
}

struct mention {
    const struct reader *r;
    bool found;
};

static enum CXChildVisitResult find_mention(CXCursor c, CXCursor parent,
                                            CXClientData data)
{
    struct mention *m = data;

    (void)parent;
    m->found = m->found || (clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
                            find_parameter(m->r, clang_getCursorReferenced(c)) >= 0);
    return CXChildVisit_Recurse;
}

/* A constant in which no size is. */
static bool put_constant(const struct reader *r, CXCursor c, struct gcal_buf *out)
{
    struct mention mention = { .r = r };
    CXEvalResult value;
    bool is = false;

    find_mention(c, c, &mention);
    clang_visitChildren(c, find_mention, &mention);
    value = mention.found ? NULL : clang_Cursor_Evaluate(c);
    if (!value)
        return false;
    if (clang_EvalResult_getKind(value) == CXEval_Int) {
        gcal_buf_printf(out, "%lld", clang_EvalResult_getAsLongLong(value));
        is = true;
    } else if (clang_EvalResult_getKind(value) == CXEval_Float) {
        double number = clang_EvalResult_getAsDouble(value);

        is = number == (double)(long long)number; /* sizes have integers */
        if (is)
            gcal_buf_printf(out, "%lld", (long long)number);
    }
    clang_EvalResult_dispose(value);
    return is;
}

/* Its name as that of a size, unless a parameter of the kernel has it. */
static bool put_name(const struct reader *r, CXCursor variable, struct gcal_buf *out)
{
    char *name = gcal_source_cursor_name(variable, NULL), *other;
    bool is_free = name && *name && clang_Cursor_getNumArguments(r->kernel) >= 0;

    for (int i = 0; is_free && i < clang_Cursor_getNumArguments(r->kernel); i++) {
        other = gcal_source_cursor_name(clang_Cursor_getArgument(r->kernel, (unsigned)i),
                                        NULL);
        is_free = other && strcmp(name, other) != 0;
        free(other);
    }
    if (is_free)
        gcal_buf_puts(out, name);
    free(name);
    return is_free;
}

static bool put_variable(struct reader *r, CXCursor variable, struct gcal_buf *out)
{
    const struct frame *frame = r->frame;
    int parameter = find_parameter(r, variable), n;
    size_t size = out->size;
    CXCursor value;
    char *name;
    bool is;

    if (parameter >= 0) {
        name = gcal_source_cursor_name(
            clang_Cursor_getArgument(r->kernel, (unsigned)parameter), NULL);
        gcal_buf_puts(out, name ? name : "");
        free(name);
        return name != NULL;
    }
    n = frame ? clang_Cursor_getNumArguments(frame->function) : 0;
    for (int i = 0; i < n; i++) {
        if (!clang_equalCursors(clang_Cursor_getArgument(frame->function, (unsigned)i),
                                variable))
            continue;
        r->frame = frame->outer;
        is = (size_t)i + 1 < frame->call.n &&
             put_value(r, frame->call.cursors[i + 1], out);
        r->frame = frame;
        return is;
    }
    if (clang_getCursorKind(variable) == CXCursor_VarDecl) {
        value = find_value(variable, NULL);
        if (!clang_Cursor_isNull(value) && put_value(r, value, out))
            return true;
        if (out->data)
            out->data[out->size = size] = '\0';
    }
    return put_name(r, variable, out);
}

struct found {
    enum CXCursorKind kind;
    size_t n;
    CXCursor c;
};

static enum CXChildVisitResult find_kind(CXCursor c, CXCursor parent, CXClientData data)
{
    struct found *found = data;

    (void)parent;
    if (clang_getCursorKind(c) == found->kind) {
        found->n++;
        found->c = c;
    }
    return CXChildVisit_Recurse;
}

/* A function whose body is "return EXPRESSION;". */
static bool put_inlined(struct reader *r, CXCursor function,
                        struct gcal_source_children call, struct gcal_buf *out)
{
    const struct frame frame = { r->frame, function, call };
    struct found found = { .kind = CXCursor_ReturnStmt };
    struct gcal_source_children body;
    bool is;

    clang_visitChildren(function, find_kind, &found);
    body = children_of(last_child(function));
    is = found.n == 1 && body.n == 1 &&
         clang_getCursorKind(body.cursors[0]) == CXCursor_ReturnStmt;
    free(body.cursors);
    if (!is)
        return false;
    r->frame = &frame;
    is = put_value(r, last_child(found.c), out);
    r->frame = frame.outer;
    return is;
}

static bool put_call(struct reader *r, CXCursor c, struct gcal_buf *out)
{
    static const char *const names[][2] = { { "ceil", "ceil" },   { "ceilf", "ceil" },
                                            { "floor", "floor" }, { "floorf", "floor" },
                                            { "min", "min" },     { "max", "max" },
                                            { "fmin", "min" },    { "fmax", "max" } };
    struct gcal_source_children kids = children_of(c);
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(c));
    char *name = gcal_source_cursor_name(c, NULL);
    const char *known = NULL;
    bool is = false;

    for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i][0]) == 0)
            known = names[i][1];
    if (known) {
        gcal_buf_printf(out, "%s(", known);
        is = kids.n > 1;
        for (size_t i = 1; i < kids.n && is; i++) {
            gcal_buf_puts(out, i > 1 ? "," : "");
            is = put_value(r, kids.cursors[i], out);
        }
        gcal_buf_puts(out, ")");
    } else if (clang_getCursorKind(function) == CXCursor_FunctionDecl) {
        is = put_inlined(r, function, kids, out);
    }
    free(name);
    free(kids.cursors);
    return is;
}

static bool put_binary(struct reader *r, CXCursor c, struct gcal_buf *out)
{
    struct gcal_source_children kids = children_of(c);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
    bool is_division = kind == CXBinaryOperator_Div && !is_floating(c);
    const char *sign = kind == CXBinaryOperator_Add   ? "+"
                       : kind == CXBinaryOperator_Sub ? "-"
                       : kind == CXBinaryOperator_Mul ? "*"
                       : kind == CXBinaryOperator_Div ? "/"
                                                      : NULL;
    bool is = sign && kids.n == 2;
    size_t divisor;

    if (is) {
        gcal_buf_puts(out, is_division ? "floor(" : "(");
        is = put_value(r, kids.cursors[0], out);
        gcal_buf_puts(out, sign);
        divisor = out->size;
        is = is && put_value(r, kids.cursors[1], out);
        if (is && kind == CXBinaryOperator_Div) /* by a number */
            is = strspn(out->data + divisor, "0123456789") == strlen(out->data + divisor);
        gcal_buf_puts(out, ")");
    }
    free(kids.cursors);
    return is;
}

static CXCursor find_dim3(CXCursor c, int d);

static bool put_member(struct reader *r, CXCursor c, struct gcal_buf *out)
{
    char *name = gcal_source_cursor_name(c, NULL);
    int d = name && strlen(name) == 1 && *name >= 'x' && *name <= 'z' ? *name - 'x' : -1;
    CXCursor value = d >= 0 ? find_dim3(last_child(c), d) : clang_getNullCursor();

    free(name);
    return !clang_Cursor_isNull(value) && put_value(r, value, out);
}

/* An expression of the host's as one of sizes. */
static bool put_value(struct reader *r, CXCursor c, struct gcal_buf *out)
{
    CXCursor inner;
    bool is, is_cut;

    if (r->depth == DEEPEST || ++r->n_read > MOST_READ ||
        gcal_source_type(c).kind == CXType_Dependent)
        return false; /* it has an error */
    if (put_constant(r, c, out))
        return true;
    r->depth++;
    switch (clang_getCursorKind(c)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        inner = last_child(c);
        is_cut = !clang_Cursor_isNull(inner) && !is_floating(c) && is_floating(inner);
        gcal_buf_puts(out, is_cut ? "floor(" : "");
        is = !clang_Cursor_isNull(inner) && put_value(r, inner, out);
        gcal_buf_puts(out, is_cut ? ")" : "");
        break;
    case CXCursor_DeclRefExpr:
        is = put_variable(r, clang_getCursorReferenced(c), out);
        break;
    case CXCursor_BinaryOperator:
        is = put_binary(r, c, out);
        break;
    case CXCursor_CallExpr:
        is = put_call(r, c, out);
        break;
    case CXCursor_MemberRefExpr:
        is = put_member(r, c, out);
        break;
    default:
        is = false;
    }
    r->depth--;
    return is;
}

/* ---- dim3 ---- */

/* The expression of component 'd' of one: a default argument is a cursor without children; null: not
 * found.
 */
static CXCursor find_dim3(CXCursor c, int d)
{
    static const char *const names[] = { "x", "y", "z" };
    struct gcal_source_children kids;
    CXCursor found = clang_getNullCursor(), variable;

    for (int i = 0; i < DEEPEST; i++) {
        c = strip(c);
        if (clang_getCursorKind(c) == CXCursor_DeclRefExpr) {
            variable = clang_getCursorReferenced(c);
            if (clang_getCursorKind(variable) != CXCursor_VarDecl)
                return found;
            c = find_value(variable, names[d]);
            if (clang_Cursor_isNull(c) ||
                gcal_source_type(c).kind != CXType_Record) /* "grid.x = 4" */
                return c;
            continue;
        }
        if (clang_getCursorKind(c) != CXCursor_CallExpr &&
            clang_getCursorKind(c) != CXCursor_CXXFunctionalCastExpr &&
            clang_getCursorKind(c) != CXCursor_InitListExpr)
            return found;
        kids = children_of(c);
        if (kids.n == 1 && gcal_source_type(kids.cursors[0]).kind == CXType_Record) {
            c = kids.cursors[0];
            free(kids.cursors);
            continue;
        }
        if (kids.n == 3)
            found = kids.cursors[d];
        free(kids.cursors);
        return found;
    }
    return found;
}

/* "((n+255)/256)" without the outermost parentheses, the caller's to free; NULL: it cannot be read. */
static char *read_component(struct reader *r, CXCursor dim3, int d)
{
    CXCursor c = find_dim3(dim3, d);
    struct gcal_buf out = { 0 };
    size_t depth = 0, n;
    char *text;

    if (clang_Cursor_isNull(c))
        return NULL;
    if (clang_Cursor_isNull(last_child(c)) &&
        clang_getCursorKind(c) == CXCursor_UnexposedExpr)
        return strdup("1");
    if (!put_value(r, c, &out)) {
        gcal_buf_free(&out);
        return NULL;
    }
    if (!(text = gcal_buf_take(&out, NULL)) || *text != '(')
        return text;
    n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0 && i + 1 < n)
            return text;
    }
    memmove(text, text + 1, n - 2);
    text[n - 2] = '\0';
    return text;
}

/* ---- instances of host functions ---- */

enum { MOST_ENTERED = 256 };

/* Code of a template is dependent on its arguments: what it launches is seen in the instances that are called. */
struct entered {
    size_t n;
    CXCursor functions[MOST_ENTERED];
};

static void enter_instance(struct entered *entered, CXCursor call, CXCursorVisitor visit,
                           void *data)
{
    CXCursor function = clang_getCursorReferenced(call);

    if (clang_getCursorKind(call) != CXCursor_CallExpr ||
        clang_Cursor_isNull(clang_getSpecializedCursorTemplate(function)) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        return;
    for (size_t i = 0; i < entered->n; i++)
        if (clang_equalCursors(entered->functions[i], function))
            return;
    if (entered->n == MOST_ENTERED)
        return;
    entered->functions[entered->n++] = function;
    clang_visitChildren(function, visit, data);
}

/* ---- launches ---- */

struct search {
    const struct gcal_source_unit *unit;
    CXCursor kernel;
    struct gcal_count_launch launch;
    struct entered entered;
};

/* A call of one of the functions of cuda.cuh; NULL-ended. */
static bool is_call_of(CXCursor call, const char *const *names)
{
    char *called = clang_getCursorKind(call) == CXCursor_CallExpr
                       ? gcal_source_cursor_name(call, NULL)
                       : NULL;

    while (called && *names && strcmp(called, *names) != 0)
        names++;
    free(called);
    return called && *names;
}

static bool is_same_kernel(CXCursor a, CXCursor b)
{
    CXCursor from_a = clang_getSpecializedCursorTemplate(a),
             from_b = clang_getSpecializedCursorTemplate(b);

    return clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b)) ||
           (!clang_Cursor_isNull(from_a) && clang_equalCursors(from_a, from_b));
}

/* Whether it is the kernel, or a variable for it, "auto f = kernel; f<<<...>>>()". */
static bool is_launched(const struct search *s, CXCursor called)
{
    if (clang_getCursorKind(called) == CXCursor_VarDecl)
        called = clang_getCursorReferenced(find_pointed(find_value(called, NULL)));
    return is_same_kernel(called, s->kernel);
}

static bool read_launch(struct search *s, CXCursor grid, CXCursor block,
                        size_t n_arguments, CXCursor *arguments)
{
    struct reader r = { .unit = s->unit,
                        .kernel = s->kernel,
                        .arguments = { n_arguments, arguments } };
    struct gcal_count_launch launch = { 0 };
    bool is = true;

    for (int d = 0; d < GCAL_MAX_DIMS && is; d++) {
        char *text = read_component(&r, block, d), *end = text;
        long long size = text ? strtoll(text, &end, 10) : 0;

        launch.grid[d] = read_component(&r, grid, d);
        launch.block[d] = (size_t)size;
        is = launch.grid[d] && text && !*end && size > 0 && size <= 1024;
        if (is && (size > 1 || strcmp(launch.grid[d], "1") != 0 || d == 0))
            launch.n_dims = (size_t)d + 1;
        free(text);
    }
    if (is) {
        s->launch = launch;
        return true;
    }
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        free(launch.grid[d]);
    return false;
}

static enum CXChildVisitResult find_launch(CXCursor c, CXCursor parent, CXClientData data)
{
    static const char *const configure[] = { "cudaConfigureCall", NULL },
                             *const functions[] = { "cudaLaunchKernel",
                                                    "cudaLaunchCooperativeKernel",
                                                    "hipLaunchKernel",
                                                    "hipLaunchCooperativeKernel", NULL };
    struct search *s = data;
    struct gcal_source_children kids, inner = { 0 };
    bool is = false;
    int column;

    (void)parent;
    enter_instance(&s->entered, c, find_launch, s);
    if (s->launch.n_dims)
        return CXChildVisit_Break;
    if (clang_getCursorKind(c) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    kids = children_of(c);
    if (kids.n > 1 && is_call_of(kids.cursors[1], configure) &&
        is_launched(s, clang_getCursorReferenced(c))) {
        inner = children_of(kids.cursors[1]);
        is = inner.n >= 3 && read_launch(s, inner.cursors[1], inner.cursors[2],
                                         kids.n - 2, kids.cursors + 2);
    } else if (kids.n > 4 && is_call_of(c, functions) &&
               is_launched(s, clang_getCursorReferenced(find_pointed(kids.cursors[1])))) {
        /* void *arguments[] = { &x, &n } */
        inner = children_of(
            find_value(clang_getCursorReferenced(find_pointed(kids.cursors[4])), NULL));
        for (size_t i = 0; i < inner.n; i++)
            inner.cursors[i] = find_pointed(inner.cursors[i]);
        is = read_launch(s, kids.cursors[2], kids.cursors[3], inner.n, inner.cursors);
    }
    if (is)
        gcal_source_location(c, &s->launch.line, &column);
    free(kids.cursors);
    free(inner.cursors);
    return is ? CXChildVisit_Break : CXChildVisit_Recurse;
}

struct gcal_count_launch gcal_source_find_launch(const struct gcal_source_unit *unit,
                                                 CXCursor kernel)
{
    struct search s = { .unit = unit, .kernel = kernel };

    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), find_launch, &s);
    return s.launch;
}

/* ---- instances ---- */

/* "gemm<float, 16>" of an instance of a template; the caller's to free, NULL: it is none. */
static char *name_of_instance(const char *name, CXCursor function)
{
    int n = clang_Cursor_getNumTemplateArguments(function);
    struct gcal_source_children parameters =
        children_of(clang_getSpecializedCursorTemplate(function));
    struct gcal_buf out = { 0 };
    bool is_known = n > 0;

    gcal_buf_printf(&out, "%s<", name);
    for (unsigned i = 0; (int)i < n && is_known; i++) {
        enum CXTemplateArgumentKind kind =
            clang_Cursor_getTemplateArgumentKind(function, i);
        CXType type =
            kind == CXTemplateArgumentKind_Type
                ? clang_Cursor_getTemplateArgumentType(function, i)
            : i < parameters.n
                ? clang_getCanonicalType(gcal_source_type(parameters.cursors[i]))
                : (CXType){ 0 };
        CXString text = clang_getTypeSpelling(type);

        gcal_buf_puts(&out, i ? ", " : "");
        if (kind == CXTemplateArgumentKind_Type) {
            gcal_buf_puts(&out, clang_getCString(text));
        } else if (kind == CXTemplateArgumentKind_Integral) {
            long long value = clang_Cursor_getTemplateArgumentValue(function, i);

            if (type.kind == CXType_Enum) /* which no number becomes by itself */
                gcal_buf_printf(&out, "(%s)", clang_getCString(text));
            /* "true" is -1 in its one bit */
            if (value == -1 &&
                clang_Cursor_getTemplateArgumentUnsignedValue(function, i) == 1)
                value = 1;
            gcal_buf_printf(&out, "%lld", value);
        } else { /* a pack, or a function */
            is_known = false;
        }
        clang_disposeString(text);
    }
    free(parameters.cursors);
    gcal_buf_puts(&out, ">");
    if (is_known)
        return gcal_buf_take(&out, NULL);
    gcal_buf_free(&out);
    return NULL;
}

struct instances {
    CXCursor kernel; /* a template */
    const char *name;
    struct gcal_strings *names;
    struct entered entered;
};

static enum CXChildVisitResult find_instance(CXCursor c, CXCursor parent,
                                             CXClientData data)
{
    struct instances *instances = data;
    CXCursor function = clang_getCursorReferenced(c);
    char *name;

    (void)parent;
    enter_instance(&instances->entered, c, find_instance, instances);
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getSpecializedCursorTemplate(function),
                           clang_getCanonicalCursor(instances->kernel)) &&
        (name = name_of_instance(instances->name, function))) {
        gcal_strings_include(instances->names, name, NULL);
        free(name);
    }
    return CXChildVisit_Recurse;
}

/* Of what follows a name, "<float, 16>" as in names of instances; nothing where it is not that. */
static void put_arguments(const char *p, struct gcal_buf *out)
{
    int depth = 0;

    for (p += strspn(p, " \t\n"); *p; p++) {
        const char *after = p + strspn(p, " \t\n");

        depth += (*p == '<') - (*p == '>');
        if (depth < 1 && *p != '>')
            return;
        if (after == p)
            gcal_buf_printf(out, *p == ',' ? ", " : "%c", *p);
        else if (!strchr("<>,", *after) && !strchr("<,", p[-1]))
            gcal_buf_puts(out, " ");
        p = after > p ? after - 1 : p;
        if (depth == 0)
            return;
    }
}

/* "template __global__ void gemm<float, 16>(...);", of which clang keeps nothing but the instance. */
static void find_explicit_instances(const char *source, const char *name,
                                    struct gcal_strings *names)
{
    static const char keyword[] = "template";
    size_t n = strlen(name);

    for (const char *p = source; (p = strstr(p, name)); p += n) {
        const char *start = p;
        struct gcal_buf out = { 0 };
        char *instance;

        while (start > source && !strchr(";{}", start[-1]))
            start--;
        start = strstr(start, keyword);
        if (!start || start > p || isalnum((unsigned char)p[-1]) || p[-1] == '_')
            continue;
        gcal_buf_puts(&out, name);
        put_arguments(p + n, &out);
        instance = gcal_buf_take(&out, NULL);
        if (instance && strlen(instance) > n + 1 && instance[strlen(instance) - 1] == '>')
            gcal_strings_include(names, instance, NULL);
        free(instance);
    }
}

void gcal_source_instances(const struct gcal_source_unit *unit, CXCursor kernel,
                           const char *name, struct gcal_strings *names)
{
    struct instances instances = { .kernel = kernel, .name = name, .names = names };

    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), find_instance,
                        &instances);
    find_explicit_instances(unit->source, name, names);
}
