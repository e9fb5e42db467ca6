/* stmt.c - statements, declarations and functions of the interpreter */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/interpret/private.h"

/* ---- running statements ---- */

static enum gcal_interp_flow next(struct gcal_interp_work_item *item)
{
    return item->run->failed ? GCAL_INTERP_FLOW_RETURN : GCAL_INTERP_FLOW_NEXT;
}

static enum gcal_interp_flow run_expression(struct gcal_interp_work_item *item,
                                            const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    gcal_interp_eval(item, n->a, &value);
    return next(item);
}

static enum gcal_interp_flow run_block(struct gcal_interp_work_item *item,
                                       const struct gcal_interp_node *n)
{
    for (size_t i = 0; i < n->n_list; i++) {
        enum gcal_interp_flow flow = n->list[i]->eval.flow(item, n->list[i]);

        if (flow != GCAL_INTERP_FLOW_NEXT)
            return flow;
    }
    return GCAL_INTERP_FLOW_NEXT;
}

static enum gcal_interp_flow run_if(struct gcal_interp_work_item *item,
                                    const struct gcal_interp_node *n)
{
    bool taken = gcal_interp_eval_truth(item, n->a);
    const struct gcal_interp_node *branch = taken ? n->b : n->c;

    if (item->run->failed)
        return GCAL_INTERP_FLOW_RETURN;
    if (item->run->observe)
        gcal_interp_observe_branch(item, n, taken);
    return branch ? branch->eval.flow(item, branch) : GCAL_INTERP_FLOW_NEXT;
}

/* Whether iteration 'i' begins; the first one of do (op 1) is unconditional. */
static bool begins_iteration(struct gcal_interp_work_item *item,
                             const struct gcal_interp_node *n, uint64_t i)
{
    bool begins = true;

    if (item->run->takes_turns && i)
        gcal_interp_end_turn(item);
    if (n->b && !(i == 0 && n->op)) {
        begins = gcal_interp_eval_truth(item, n->b);
        if (item->run->observe)
            gcal_interp_observe_branch(item, n, begins);
    }
    return begins;
}

/* for, while, and do */
static enum gcal_interp_flow run_iterations(struct gcal_interp_work_item *item,
                                            const struct gcal_interp_node *n)
{
    enum gcal_interp_flow flow;
    uint64_t outer = item->instance, i = 0;
    bool begins = true;

    if (n->a && n->a->eval.flow(item, n->a) != GCAL_INTERP_FLOW_NEXT)
        return GCAL_INTERP_FLOW_RETURN;
    for (;; i++) {
        if (item->run->observe || item->run->sample)
            item->instance = gcal_interp_observe_inner(outer, n, i);
        if (!(begins = begins_iteration(item, n, i)))
            break;
        if (!gcal_interp_run_step(item, n))
            return GCAL_INTERP_FLOW_RETURN;
        flow = n->d->eval.flow(item, n->d);
        if (flow == GCAL_INTERP_FLOW_BREAK)
            break;
        if (flow == GCAL_INTERP_FLOW_RETURN) {
            if (item->run->sample)
                gcal_interp_sample_loop(item, n, outer, i + 1);
            return flow;
        }
        if (n->c && n->c->eval.flow(item, n->c) != GCAL_INTERP_FLOW_NEXT)
            return GCAL_INTERP_FLOW_RETURN;
    }
    if (item->run->takes_turns)
        gcal_interp_end_turn(item);
    if (item->run->sample)
        gcal_interp_sample_loop(item, n, outer, i + begins);
    return next(item);
}

static enum gcal_interp_flow run_loop(struct gcal_interp_work_item *item,
                                      const struct gcal_interp_node *n)
{
    uint64_t instance = item->instance, loop = item->loop;
    enum gcal_interp_flow flow;

    if (item->run->observe)
        item->loop = gcal_interp_observe_inner(instance, n, UINT64_MAX);
    flow = run_iterations(item, n);
    item->instance = instance;
    item->loop = loop;
    return flow;
}

static enum gcal_interp_flow run_jump(struct gcal_interp_work_item *item,
                                      const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    if (n->a)
        gcal_interp_eval(item, n->a, &value);
    return (enum gcal_interp_flow)n->op;
}

/* ---- translating statements ---- */

static struct gcal_interp_node *create(struct gcal_interp_translator *t, CXCursor at,
                                       gcal_interp_eval_flow *flow)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, NULL);

    if (n)
        n->eval.flow = flow;
    return n;
}

static struct gcal_interp_node *expression(struct gcal_interp_translator *t, CXCursor at,
                                           struct gcal_interp_node *value)
{
    struct gcal_interp_node *n = value ? create(t, at, run_expression) : NULL;

    if (n)
        n->a = value;
    return n;
}

int gcal_interp_add_expression(struct gcal_interp_translator *t, CXCursor at,
                               struct gcal_interp_node_list *list,
                               struct gcal_interp_node *value)
{
    struct gcal_interp_node *n = expression(t, at, value);

    return n ? gcal_interp_node_list_add(t, list, n) : -1;
}

static struct gcal_interp_node *block(struct gcal_interp_translator *t, CXCursor at,
                                      const struct gcal_interp_node_list *list)
{
    struct gcal_interp_node *n = create(t, at, run_block);

    if (n) {
        n->list = list->nodes;
        n->n_list = list->n;
    }
    return n;
}

static bool is_expression(CXCursor c)
{
    enum CXCursorKind kind = gcal_source_kind(c);

    return kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr;
}

/* The last child that is an expression; for an array, that is a list or a string. */
static bool find_initialiser(CXCursor c, bool is_array, CXCursor *found)
{
    struct gcal_source_children children;
    bool is = false;

    if (gcal_source_get_children(c, &children, NULL) < 0)
        return false;
    for (size_t i = 0; i < children.n; i++) {
        enum CXCursorKind kind = gcal_source_kind(children.cursors[i]);

        if (!is_expression(children.cursors[i]) ||
            (is_array && kind != CXCursor_InitListExpr && kind != CXCursor_StringLiteral))
            continue;
        *found = children.cursors[i];
        is = true;
    }
    free(children.cursors);
    return is;
}

static int add_store(struct gcal_interp_translator *t, CXCursor at,
                     struct gcal_interp_node *store, void *to)
{
    return gcal_interp_add_expression(t, at, to, store);
}

static int initialise(struct gcal_interp_translator *t, CXCursor c,
                      struct gcal_interp_node *address, bool zero,
                      struct gcal_interp_node_list *init)
{
    bool is_array = address->type->element->repr == GCAL_INTERP_ARRAY;
    CXCursor value;

    if (gcal_source_is_reference(gcal_source_type(c)) &&
        find_initialiser(c, false, &value))
        return gcal_interp_add_expression(
            t, c, init,
            gcal_interp_node_store(t, c, address,
                                   gcal_interp_translate_referred(t, value)));
    if (!find_initialiser(c, is_array, &value))
        return gcal_interp_add_expression(t, c, init,
                                          gcal_interp_node_reset(t, c, address, zero));
    if (!is_array)
        return gcal_interp_add_expression(
            t, c, init,
            gcal_interp_node_store(t, c, address, gcal_interp_translate_value(t, value)));
    if (gcal_interp_add_expression(t, c, init,
                                   gcal_interp_node_reset(t, c, address, true)) < 0)
        return -1;
    return gcal_interp_add_list(t, value, address, add_store, init);
}

/* Of a parameter that is written as an array, a pointer. */
static const struct gcal_interp_type *declared_type(struct gcal_interp_translator *t,
                                                    CXCursor c)
{
    CXType type = gcal_source_type(c);
    CXType element = clang_getArrayElementType(type);
    const struct gcal_interp_type *to;

    if (gcal_source_kind(c) != CXCursor_ParmDecl || !gcal_source_is_array(type))
        return gcal_interp_type_translate(t, type, c);
    to = gcal_interp_type_translate(t, element, c);
    return to ? gcal_interp_type_pointer(t, to) : NULL;
}

static struct gcal_interp_node *declare(struct gcal_interp_translator *t, CXCursor c,
                                        const struct gcal_interp_type *type,
                                        enum gcal_interp_memory memory)
{
    struct gcal_interp_node *address =
        type ? gcal_interp_node_variable(t, c, type, memory) : NULL;
    struct gcal_interp_variable *moved;

    if (!address || !(address->name = gcal_interp_program_name(t, c)))
        return NULL;
    if (t->program->size[memory] > 1u << 30)
        return gcal_interp_unsupported(t, c, "more than 1 GiB of variables");
    moved = gcal_array_grow(t->variables, t->n_variables, &t->variables_capacity,
                            sizeof(*moved), t->err);
    if (!moved)
        return NULL;
    t->variables = moved;
    t->variables[t->n_variables++] = (struct gcal_interp_variable){ c, address };
    return address;
}

struct gcal_interp_node *gcal_interp_declare(struct gcal_interp_translator *t, CXCursor c,
                                             const struct gcal_interp_type *type)
{
    return declare(t, c, type, GCAL_INTERP_MEMORY_PRIVATE);
}

struct gcal_interp_node *
gcal_interp_translate_variable(struct gcal_interp_translator *t, CXCursor c,
                               bool is_global, struct gcal_interp_node_list *init)
{
    CXType type = gcal_source_type(c);
    enum gcal_feature_space space = gcal_source_space(c);
    enum gcal_interp_memory memory = GCAL_INTERP_MEMORY_PRIVATE;
    struct gcal_interp_node *address;
    CXCursor value;

    if (space == GCAL_FEATURE_SPACE_LOCAL)
        memory = GCAL_INTERP_MEMORY_LOCAL;
    else if (is_global || space == GCAL_FEATURE_SPACE_CONSTANT ||
             clang_Cursor_getStorageClass(c) == CX_SC_Static)
        memory = GCAL_INTERP_MEMORY_STATIC;
    if (t->unit->language == GCAL_SOURCE_CUDA && memory == GCAL_INTERP_MEMORY_STATIC &&
        !find_initialiser(c, gcal_source_is_array(type), &value))
        return gcal_interp_unsupported(t, c, "a variable that hosts set");
    if (!(address = declare(t, c, declared_type(t, c), memory)))
        return NULL;
    if (memory == GCAL_INTERP_MEMORY_STATIC)
        return initialise(t, c, address, true,
                          is_global ? init : &t->program->static_init) < 0
                   ? NULL
                   : address;
    if (memory == GCAL_INTERP_MEMORY_PRIVATE &&
        initialise(t, c, address, false, init) < 0)
        return NULL;
    return address;
}

static struct gcal_interp_node *translate_children(struct gcal_interp_translator *t,
                                                   CXCursor c, bool declarations)
{
    struct gcal_source_children children;
    struct gcal_interp_node_list list = { 0 };
    struct gcal_interp_node *n = NULL;

    if (gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    for (size_t i = 0; i < children.n; i++) {
        if (declarations) { /* declarations of types are skipped */
            if (gcal_source_kind(children.cursors[i]) == CXCursor_VarDecl &&
                !gcal_interp_translate_variable(t, children.cursors[i], false, &list))
                goto out;
        } else if (!(n = gcal_interp_translate_statement(t, children.cursors[i])) ||
                   gcal_interp_node_list_add(t, &list, n) < 0) {
            n = NULL;
            goto out;
        }
    }
    n = block(t, c, &list);
out:
    free(children.cursors);
    return n;
}

static struct gcal_interp_node *translate_while(struct gcal_interp_translator *t,
                                                CXCursor c, bool is_do)
{
    struct gcal_interp_node *n = create(t, c, run_loop);
    struct gcal_source_children children;
    bool ok = false;

    if (!n || gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    n->op = is_do;
    if (children.n != 2)
        gcal_interp_unsupported(t, c, "this form of a loop");
    else
        ok = (n->b = gcal_interp_translate_value(t, children.cursors[is_do])) &&
             (n->d = gcal_interp_translate_statement(t, children.cursors[!is_do]));
    free(children.cursors);
    return ok ? n : NULL;
}

static struct gcal_interp_node *translate_jump(struct gcal_interp_translator *t,
                                               CXCursor c, enum gcal_interp_flow flow)
{
    struct gcal_interp_node *n = create(t, c, run_jump);
    struct gcal_source_children children;

    if (!n || gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    n->op = flow;
    if (children.n && t->function->result_place &&
        !(n->a = gcal_interp_node_store(
              t, c, t->function->result_place,
              gcal_source_is_reference(
                  clang_getCanonicalType(clang_getCursorResultType(t->function->cursor)))
                  ? gcal_interp_translate_referred(t, children.cursors[0])
                  : gcal_interp_translate_value(t, children.cursors[0]))))
        n = NULL;
    free(children.cursors);
    return n;
}

static struct gcal_interp_node *translate(struct gcal_interp_translator *t, CXCursor c)
{
    struct gcal_interp_node_list empty = { 0 };
    CXString kind;

    switch (gcal_source_kind(c)) {
    case CXCursor_CompoundStmt:
        return translate_children(t, c, false);
    case CXCursor_DeclStmt:
        return translate_children(t, c, true);
    case CXCursor_IfStmt: {
        struct gcal_interp_node *n = create(t, c, run_if);
        struct gcal_source_children children;
        bool ok = false;

        if (!n || gcal_source_get_children(c, &children, t->err) < 0)
            return NULL;
        if (children.n < 2 || children.n > 3)
            gcal_interp_unsupported(t, c, "this form of if");
        else if ((n->a = gcal_interp_translate_value(t, children.cursors[0])) &&
                 (n->b = gcal_interp_translate_statement(t, children.cursors[1])))
            ok = children.n == 2 ||
                 (n->c = gcal_interp_translate_statement(t, children.cursors[2]));
        free(children.cursors);
        return ok ? n : NULL;
    }
    case CXCursor_SwitchStmt:
        return gcal_interp_translate_switch(t, c);
    case CXCursor_ForStmt: {
        struct gcal_interp_node *n = create(t, c, run_loop);
        CXCursor parts[4], none = clang_getNullCursor();

        if (!n || gcal_source_for_clauses(c, parts, t->err) < 0)
            return NULL;
        if (!clang_equalCursors(parts[0], none) &&
            !(n->a = gcal_interp_translate_statement(t, parts[0])))
            return NULL;
        if (!clang_equalCursors(parts[1], none) &&
            !(n->b = gcal_interp_translate_value(t, parts[1])))
            return NULL;
        if (!clang_equalCursors(parts[2], none) &&
            !(n->c = gcal_interp_translate_statement(t, parts[2])))
            return NULL;
        return (n->d = gcal_interp_translate_statement(t, parts[3])) ? n : NULL;
    }
    case CXCursor_WhileStmt:
        return translate_while(t, c, false);
    case CXCursor_DoStmt:
        return translate_while(t, c, true);
    case CXCursor_ReturnStmt:
        return translate_jump(t, c, GCAL_INTERP_FLOW_RETURN);
    case CXCursor_BreakStmt:
        return translate_jump(t, c, GCAL_INTERP_FLOW_BREAK);
    case CXCursor_ContinueStmt:
        return translate_jump(t, c, GCAL_INTERP_FLOW_CONTINUE);
    case CXCursor_NullStmt:
        return block(t, c, &empty);
    case CXCursor_UnexposedStmt:
    case CXCursor_LabelStmt: /* only a name: a goto is not interpreted */
    {
        /* "#pragma unroll" wraps the loop in a statement of its own. */
        struct gcal_source_children children;
        struct gcal_interp_node *n = NULL;

        if (gcal_source_get_children(c, &children, t->err) < 0)
            return NULL;
        if (children.n)
            n = gcal_interp_translate_statement(t, children.cursors[children.n - 1]);
        else
            gcal_interp_unsupported(t, c, "this statement");
        free(children.cursors);
        return n;
    }
    default:
        if (is_expression(c))
            return expression(t, c, gcal_interp_translate_effect(t, c));
        kind = clang_getCursorKindSpelling(gcal_source_kind(c));
        gcal_interp_unsupported(t, c, "'%s'", clang_getCString(kind));
        clang_disposeString(kind);
        return NULL;
    }
}

struct gcal_interp_node *gcal_interp_translate_statement(struct gcal_interp_translator *t,
                                                         CXCursor c)
{
    struct gcal_interp_node *n = gcal_interp_enter(t, c, 1) < 0 ? NULL : translate(t, c);

    t->depth--;
    return n;
}

/* ---- functions ---- */

static int translate_signature(struct gcal_interp_translator *t,
                               struct gcal_interp_function *f)
{
    int n = clang_Cursor_getNumArguments(f->cursor);
    CXType result = clang_getCursorResultType(f->cursor);
    int own;

    f->n_params = n > 0 ? (size_t)n : 0;
    if (!(f->params =
              gcal_interp_program_alloc(t, (f->n_params + 2) * sizeof(*f->params))) ||
        !(f->result_type = result.kind == CXType_Invalid
                               ? gcal_interp_type_basic(GCAL_INTERP_VOID)
                               : gcal_interp_type_translate(t, result, f->cursor)) ||
        (own = gcal_interp_declare_this(t, f)) < 0)
        return -1;
    f->n_params += (size_t)own;
    for (size_t i = (size_t)own; i < f->n_params; i++) {
        CXCursor c = clang_Cursor_getArgument(f->cursor, (unsigned)i - (unsigned)own);

        if (!(f->params[i] =
                  declare(t, c, declared_type(t, c), GCAL_INTERP_MEMORY_PRIVATE)))
            return -1;
    }
    if (f->result_type->repr == GCAL_INTERP_VOID)
        return 0;
    if (!(f->result_place = gcal_interp_node_variable(t, f->cursor, f->result_type,
                                                      GCAL_INTERP_MEMORY_PRIVATE)) ||
        !(f->result = gcal_interp_node_load(t, f->cursor, f->result_place)))
        return -1;
    return 0;
}

static int translate_body(struct gcal_interp_translator *t,
                          struct gcal_interp_function *f)
{
    struct gcal_interp_node_list members = { 0 };
    struct gcal_source_children children;

    if (gcal_source_get_children(f->cursor, &children, t->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && !f->body; i++)
        if (gcal_source_kind(children.cursors[i]) == CXCursor_CompoundStmt &&
            !(f->body = gcal_interp_translate_statement(t, children.cursors[i])))
            break;
    free(children.cursors);
    if (f->body && gcal_interp_translate_members(t, f->cursor, &members) < 0)
        return -1;
    if (f->body && members.n &&
        (gcal_interp_node_list_add(t, &members, f->body) < 0 ||
         !(f->body = block(t, f->cursor, &members))))
        return -1;
    return f->body ? 0 : -1;
}

static struct gcal_interp_function *add_function(struct gcal_interp_translator *t,
                                                 CXCursor c)
{
    struct gcal_interp_function *f = gcal_interp_program_alloc(t, sizeof(*f)), **moved;

    if (!f || !(moved = gcal_array_grow(t->functions, t->n_functions,
                                        &t->functions_capacity, sizeof(*moved), t->err)))
        return NULL;
    t->functions = moved;
    t->functions[t->n_functions++] = f;
    f->cursor = c;
    return f;
}

struct gcal_interp_function *
gcal_interp_translate_function(struct gcal_interp_translator *t, CXCursor c, CXCursor at)
{
    struct gcal_interp_function *outer = t->function, *f;
    size_t deepest = t->deepest, start = t->depth;

    for (size_t i = 0; i < t->n_functions; i++) {
        f = t->functions[i];
        if (!clang_equalCursors(f->cursor, c))
            continue;
        if (f->translating)
            return gcal_interp_unsupported(t, at, "recursion");
        if (gcal_interp_enter(t, at, f->depth) < 0)
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
