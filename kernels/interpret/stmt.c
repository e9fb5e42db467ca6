/* interpret_stmt.c - statements, declarations and functions of the interpreter */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/interpret/private.h"

/* ---- what statements do ---- */

static enum gcal_flow next(struct gcal_item *item)
{
    return item->run->failed ? GCAL_FLOW_RETURN : GCAL_FLOW_NEXT;
}

static enum gcal_flow run_expression(struct gcal_item *item, const struct gcal_inode *n)
{
    struct gcal_value value;

    gcal_eval(item, n->a, &value);
    return next(item);
}

static enum gcal_flow run_block(struct gcal_item *item, const struct gcal_inode *n)
{
    for (size_t i = 0; i < n->n_list; i++) {
        enum gcal_flow flow = n->list[i]->eval.flow(item, n->list[i]);

        if (flow != GCAL_FLOW_NEXT)
            return flow;
    }
    return GCAL_FLOW_NEXT;
}

static enum gcal_flow run_if(struct gcal_item *item, const struct gcal_inode *n)
{
    const struct gcal_inode *branch = gcal_eval_truth(item, n->a) ? n->b : n->c;

    if (item->run->failed)
        return GCAL_FLOW_RETURN;
    return branch ? branch->eval.flow(item, branch) : GCAL_FLOW_NEXT;
}

/* for, while, and do (op 1: the condition is not looked at before the first turn). */
static enum gcal_flow run_loop(struct gcal_item *item, const struct gcal_inode *n)
{
    enum gcal_flow flow;
    bool first = n->op;

    if (n->a && n->a->eval.flow(item, n->a) != GCAL_FLOW_NEXT)
        return GCAL_FLOW_RETURN;
    for (; first || !n->b || gcal_eval_truth(item, n->b); first = false) {
        if (!gcal_run_step(item, n))
            return GCAL_FLOW_RETURN;
        flow = n->d->eval.flow(item, n->d);
        if (flow == GCAL_FLOW_BREAK)
            break;
        if (flow == GCAL_FLOW_RETURN)
            return flow;
        if (n->c && n->c->eval.flow(item, n->c) != GCAL_FLOW_NEXT)
            return GCAL_FLOW_RETURN;
    }
    return next(item);
}

static enum gcal_flow run_jump(struct gcal_item *item, const struct gcal_inode *n)
{
    struct gcal_value value;

    if (n->a)
        gcal_eval(item, n->a, &value);
    return (enum gcal_flow)n->op;
}

/* ---- translating them ---- */

static struct gcal_inode *create(struct gcal_translator *t, CXCursor at,
                                 gcal_eval_flow *flow)
{
    struct gcal_inode *n = gcal_inode_create(t, at, NULL);

    if (n)
        n->eval.flow = flow;
    return n;
}

static struct gcal_inode *expression(struct gcal_translator *t, CXCursor at,
                                     struct gcal_inode *value)
{
    struct gcal_inode *n = value ? create(t, at, run_expression) : NULL;

    if (n)
        n->a = value;
    return n;
}

static int add_expression(struct gcal_translator *t, CXCursor at, struct gcal_list *list,
                          struct gcal_inode *value)
{
    struct gcal_inode *n = expression(t, at, value);

    return n ? gcal_list_add(t, list, n) : -1;
}

static struct gcal_inode *block(struct gcal_translator *t, CXCursor at,
                                const struct gcal_list *list)
{
    struct gcal_inode *n = create(t, at, run_block);

    if (n) {
        n->list = list->nodes;
        n->n_list = list->n;
    }
    return n;
}

static bool is_expression(CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);

    return kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr;
}

/* The last child that is an expression: of an array only a list initialises. */
static bool find_initialiser(CXCursor c, bool is_array, CXCursor *found)
{
    struct gcal_children children;
    bool is = false;

    if (gcal_children_get(c, &children, NULL) < 0)
        return false;
    for (size_t i = 0; i < children.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(children.cursors[i]);

        if (!is_expression(children.cursors[i]) ||
            (is_array && kind != CXCursor_InitListExpr && kind != CXCursor_StringLiteral))
            continue;
        *found = children.cursors[i];
        is = true;
    }
    free(children.cursors);
    return is;
}

/* Stores for every element that the list 'c' names. */
static int initialise_array(struct gcal_translator *t, CXCursor c,
                            struct gcal_inode *address, struct gcal_list *init)
{
    const struct gcal_ctype *element = address->type->element->element;
    const struct gcal_ctype *pointer = gcal_ctype_pointer(t, element);
    struct gcal_children children;
    int rc = -1;

    if (clang_getCursorKind(c) != CXCursor_InitListExpr) {
        gcal_unsupported(t, c, "initialising an array without { }");
        return -1;
    }
    if (!pointer || !(address = gcal_inode_convert(t, c, address, pointer)) ||
        gcal_children_get(c, &children, t->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n; i++) {
        CXCursor part = children.cursors[i];
        struct gcal_inode *place = gcal_inode_element(t, part, address, i);

        if (!place)
            goto out;
        if (element->repr == GCAL_ARRAY
                ? initialise_array(t, part, place, init) < 0
                : add_expression(t, part, init,
                                 gcal_inode_store(t, part, place,
                                                  gcal_translate_value(t, part))) < 0)
            goto out;
    }
    rc = 0;
out:
    free(children.cursors);
    return rc;
}

static int initialise(struct gcal_translator *t, CXCursor c, struct gcal_inode *address,
                      bool zero, struct gcal_list *init)
{
    bool is_array = address->type->element->repr == GCAL_ARRAY;
    CXCursor value;

    if (!find_initialiser(c, is_array, &value))
        return add_expression(t, c, init, gcal_inode_forget(t, c, address, zero));
    if (!is_array)
        return add_expression(
            t, c, init, gcal_inode_store(t, c, address, gcal_translate_value(t, value)));
    if (add_expression(t, c, init, gcal_inode_forget(t, c, address, true)) < 0)
        return -1;
    return initialise_array(t, value, address, init);
}

static struct gcal_inode *declare(struct gcal_translator *t, CXCursor c,
                                  enum gcal_memory memory)
{
    const struct gcal_ctype *type = gcal_ctype_translate(t, clang_getCursorType(c), c);
    struct gcal_inode *address = type ? gcal_inode_variable(t, c, type, memory) : NULL;
    struct gcal_variable *moved;

    if (!address || !(address->name = gcal_program_name(t, c)))
        return NULL;
    if (t->program->size[memory] > 1u << 30)
        return gcal_unsupported(t, c, "more than 1 GiB of variables");
    moved = gcal_array_grow(t->variables, t->n_variables, &t->variables_capacity,
                            sizeof(*moved), t->err);
    if (!moved)
        return NULL;
    t->variables = moved;
    t->variables[t->n_variables++] = (struct gcal_variable){ c, address };
    return address;
}

struct gcal_inode *gcal_translate_variable(struct gcal_translator *t, CXCursor c,
                                           bool is_global, struct gcal_list *init)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    enum gcal_space space = gcal_type_space(type);
    enum gcal_memory memory = GCAL_MEMORY_PRIVATE;
    struct gcal_inode *address;

    if (space == GCAL_SPACE_LOCAL)
        memory = GCAL_MEMORY_GROUP;
    else if (is_global || space == GCAL_SPACE_CONSTANT ||
             clang_Cursor_getStorageClass(c) == CX_SC_Static)
        memory = GCAL_MEMORY_STATIC;
    if (!(address = declare(t, c, memory)))
        return NULL;
    if (memory == GCAL_MEMORY_STATIC)
        return initialise(t, c, address, true,
                          is_global ? init : &t->program->static_init) < 0
                   ? NULL
                   : address;
    if (memory == GCAL_MEMORY_PRIVATE && initialise(t, c, address, false, init) < 0)
        return NULL;
    return address;
}

static struct gcal_inode *translate_children(struct gcal_translator *t, CXCursor c,
                                             bool declarations)
{
    struct gcal_children children;
    struct gcal_list list = { 0 };
    struct gcal_inode *n = NULL;

    if (gcal_children_get(c, &children, t->err) < 0)
        return NULL;
    for (size_t i = 0; i < children.n; i++) {
        if (declarations) { /* types are declarations, too: nothing to do */
            if (clang_getCursorKind(children.cursors[i]) == CXCursor_VarDecl &&
                !gcal_translate_variable(t, children.cursors[i], false, &list))
                goto out;
        } else if (!(n = gcal_translate_statement(t, children.cursors[i])) ||
                   gcal_list_add(t, &list, n) < 0) {
            n = NULL;
            goto out;
        }
    }
    n = block(t, c, &list);
out:
    free(children.cursors);
    return n;
}

static struct gcal_inode *translate_if(struct gcal_translator *t, CXCursor c)
{
    struct gcal_inode *n = create(t, c, run_if);
    struct gcal_children children;
    bool ok = false;

    if (!n || gcal_children_get(c, &children, t->err) < 0)
        return NULL;
    if (children.n < 2 || children.n > 3)
        gcal_unsupported(t, c, "this form of if");
    else if ((n->a = gcal_translate_value(t, children.cursors[0])) &&
             (n->b = gcal_translate_statement(t, children.cursors[1])))
        ok = children.n == 2 || (n->c = gcal_translate_statement(t, children.cursors[2]));
    free(children.cursors);
    return ok ? n : NULL;
}

static struct gcal_inode *translate_for(struct gcal_translator *t, CXCursor c)
{
    struct gcal_inode *n = create(t, c, run_loop);
    CXCursor parts[4], none = clang_getNullCursor();

    if (!n || gcal_for_parts(c, parts, t->err) < 0)
        return NULL;
    if (!clang_equalCursors(parts[0], none) &&
        !(n->a = gcal_translate_statement(t, parts[0])))
        return NULL;
    if (!clang_equalCursors(parts[1], none) &&
        !(n->b = gcal_translate_value(t, parts[1])))
        return NULL;
    if (!clang_equalCursors(parts[2], none) &&
        !(n->c = gcal_translate_statement(t, parts[2])))
        return NULL;
    return (n->d = gcal_translate_statement(t, parts[3])) ? n : NULL;
}

static struct gcal_inode *translate_while(struct gcal_translator *t, CXCursor c,
                                          bool is_do)
{
    struct gcal_inode *n = create(t, c, run_loop);
    struct gcal_children children;
    bool ok = false;

    if (!n || gcal_children_get(c, &children, t->err) < 0)
        return NULL;
    n->op = is_do;
    if (children.n != 2)
        gcal_unsupported(t, c, "this form of a loop");
    else
        ok = (n->b = gcal_translate_value(t, children.cursors[is_do])) &&
             (n->d = gcal_translate_statement(t, children.cursors[!is_do]));
    free(children.cursors);
    return ok ? n : NULL;
}

static struct gcal_inode *translate_jump(struct gcal_translator *t, CXCursor c,
                                         enum gcal_flow flow)
{
    struct gcal_inode *n = create(t, c, run_jump);
    struct gcal_children children;

    if (!n || gcal_children_get(c, &children, t->err) < 0)
        return NULL;
    n->op = flow;
    if (children.n && t->function->result_place &&
        !(n->a = gcal_inode_store(t, c, t->function->result_place,
                                  gcal_translate_value(t, children.cursors[0]))))
        n = NULL;
    free(children.cursors);
    return n;
}

/* "#pragma unroll" wraps the loop in a statement of its own. */
static struct gcal_inode *translate_last_child(struct gcal_translator *t, CXCursor c)
{
    struct gcal_children children;
    struct gcal_inode *n = NULL;

    if (gcal_children_get(c, &children, t->err) < 0)
        return NULL;
    if (children.n)
        n = gcal_translate_statement(t, children.cursors[children.n - 1]);
    else
        gcal_unsupported(t, c, "this statement");
    free(children.cursors);
    return n;
}

static struct gcal_inode *translate(struct gcal_translator *t, CXCursor c)
{
    struct gcal_list empty = { 0 };
    CXString kind;

    switch (clang_getCursorKind(c)) {
    case CXCursor_CompoundStmt:
        return translate_children(t, c, false);
    case CXCursor_DeclStmt:
        return translate_children(t, c, true);
    case CXCursor_IfStmt:
        return translate_if(t, c);
    case CXCursor_ForStmt:
        return translate_for(t, c);
    case CXCursor_WhileStmt:
        return translate_while(t, c, false);
    case CXCursor_DoStmt:
        return translate_while(t, c, true);
    case CXCursor_ReturnStmt:
        return translate_jump(t, c, GCAL_FLOW_RETURN);
    case CXCursor_BreakStmt:
        return translate_jump(t, c, GCAL_FLOW_BREAK);
    case CXCursor_ContinueStmt:
        return translate_jump(t, c, GCAL_FLOW_CONTINUE);
    case CXCursor_NullStmt:
        return block(t, c, &empty);
    case CXCursor_UnexposedStmt:
        return translate_last_child(t, c);
    default:
        if (is_expression(c))
            return expression(t, c, gcal_translate_effect(t, c));
        kind = clang_getCursorKindSpelling(clang_getCursorKind(c));
        gcal_unsupported(t, c, "'%s'", clang_getCString(kind));
        clang_disposeString(kind);
        return NULL;
    }
}

struct gcal_inode *gcal_translate_statement(struct gcal_translator *t, CXCursor c)
{
    struct gcal_inode *n = gcal_enter(t, c, 1) < 0 ? NULL : translate(t, c);

    t->depth--;
    return n;
}

/* ---- functions ---- */

static int translate_signature(struct gcal_translator *t, struct gcal_function *f)
{
    int n = clang_Cursor_getNumArguments(f->cursor);
    CXType result = clang_getCursorResultType(f->cursor);

    f->n_params = n > 0 ? (size_t)n : 0;
    if (!(f->params = gcal_program_alloc(t, (f->n_params + 1) * sizeof(*f->params))) ||
        !(f->result_type = gcal_ctype_translate(t, result, f->cursor)))
        return -1;
    for (size_t i = 0; i < f->n_params; i++)
        if (!(f->params[i] = declare(t, clang_Cursor_getArgument(f->cursor, (unsigned)i),
                                     GCAL_MEMORY_PRIVATE)))
            return -1;
    if (f->result_type->repr == GCAL_VOID)
        return 0;
    if (!(f->result_place =
              gcal_inode_variable(t, f->cursor, f->result_type, GCAL_MEMORY_PRIVATE)) ||
        !(f->result = gcal_inode_load(t, f->cursor, f->result_place)))
        return -1;
    return 0;
}

static int translate_body(struct gcal_translator *t, struct gcal_function *f)
{
    struct gcal_children children;

    if (gcal_children_get(f->cursor, &children, t->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && !f->body; i++)
        if (clang_getCursorKind(children.cursors[i]) == CXCursor_CompoundStmt &&
            !(f->body = gcal_translate_statement(t, children.cursors[i])))
            break;
    free(children.cursors);
    return f->body ? 0 : -1;
}

static struct gcal_function *add_function(struct gcal_translator *t, CXCursor c)
{
    struct gcal_function *f = gcal_program_alloc(t, sizeof(*f)), **moved;

    if (!f || !(moved = gcal_array_grow(t->functions, t->n_functions,
                                        &t->functions_capacity, sizeof(*moved), t->err)))
        return NULL;
    t->functions = moved;
    t->functions[t->n_functions++] = f;
    f->cursor = c;
    return f;
}

struct gcal_function *gcal_translate_function(struct gcal_translator *t, CXCursor c,
                                              CXCursor at)
{
    struct gcal_function *outer = t->function, *f;
    size_t deepest = t->deepest, start = t->depth;

    for (size_t i = 0; i < t->n_functions; i++) {
        f = t->functions[i];
        if (!clang_equalCursors(f->cursor, c))
            continue;
        if (f->translating)
            return gcal_unsupported(t, at, "recursion");
        if (gcal_enter(t, at, f->depth) < 0)
            return NULL;
        t->depth -= f->depth;
        return f;
    }
    if (!(f = add_function(t, c)))
        return NULL;
    f->translating = true;
    t->function = f;
    t->deepest = t->depth;
    if (translate_signature(t, f) < 0 || translate_body(t, f) < 0)
        return NULL;
    f->translating = false;
    f->depth = t->deepest - start;
    if (deepest > t->deepest)
        t->deepest = deepest;
    t->function = outer;
    return f;
}
