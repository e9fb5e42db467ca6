/* switch.c - switch statements: a list of statements, entered at a label */
#include <stdlib.h>

#include "kernels/interpret/private.h"

/* The statement that 'value' enters at; past the last one where it fits no label. */
static size_t find_entry(const struct gcal_interp_node *n, int64_t value)
{
    size_t entry = n->n_list;

    for (const struct gcal_interp_label *label = n->k.labels; label;
         label = label->next) {
        if (label->is_default)
            entry = label->at;
        else if (label->value == value)
            return label->at;
    }
    return entry;
}

static enum gcal_interp_flow run_switch(struct gcal_interp_work_item *item,
                                        const struct gcal_interp_node *n)
{
    int64_t value = n->a->eval.i(item, n->a);
    enum gcal_interp_flow flow = GCAL_INTERP_FLOW_NEXT;
    size_t entry = find_entry(n, value);

    if (item->run->failed)
        return GCAL_INTERP_FLOW_RETURN;
    if (item->run->observe) {
        /* A statement's labels are one condition. */
        for (const struct gcal_interp_label *label = n->k.labels; label;
             label = label->next)
            if (!label->next || label->next->at != label->at)
                gcal_interp_observe_branch(item, label->node, entry == label->at);
    }
    for (size_t i = entry; i < n->n_list; i++) {
        flow = n->list[i]->eval.flow(item, n->list[i]);
        if (flow != GCAL_INTERP_FLOW_NEXT)
            break;
    }
    return flow == GCAL_INTERP_FLOW_BREAK ? GCAL_INTERP_FLOW_NEXT : flow;
}

static int add_label(struct gcal_interp_translator *t, struct gcal_interp_node *n,
                     CXCursor value, bool is_default, size_t at)
{
    struct gcal_interp_label *label = gcal_interp_program_alloc(t, sizeof(*label));
    CXEvalResult result = is_default ? NULL : clang_Cursor_Evaluate(value);

    if (!label)
        return -1;
    *label = (struct gcal_interp_label){ .is_default = is_default, .at = at };
    if (!(label->node = gcal_interp_node_create(t, value, NULL)))
        return -1;
    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        label->value = clang_EvalResult_getAsLongLong(result);
    else if (!is_default)
        gcal_interp_unsupported(t, value, "this label");
    if (!is_default && !(result && clang_EvalResult_getKind(result) == CXEval_Int))
        label = NULL;
    if (result)
        clang_EvalResult_dispose(result);
    if (!label)
        return -1;
    label->next = n->k.labels;
    n->k.labels = label;
    return 0;
}

/* A statement with its labels, which are its parents: case 1: case 2: x = 3; */
static struct gcal_interp_node *add_labels(struct gcal_interp_translator *t,
                                           struct gcal_interp_node *n, CXCursor c,
                                           size_t at)
{
    for (;;) {
        enum CXCursorKind kind = gcal_source_kind(c);
        struct gcal_source_children children;
        bool is_default = kind == CXCursor_DefaultStmt;
        size_t wanted = is_default ? 1 : 2;
        int rc = -1;

        if (kind != CXCursor_CaseStmt && !is_default)
            return gcal_interp_translate_statement(t, c);
        if (gcal_source_get_children(c, &children, t->err) < 0)
            return NULL;
        if (children.n != wanted) {
            gcal_interp_unsupported(t, c, "this form of a label");
        } else {
            c = children.cursors[wanted - 1];
            rc = add_label(t, n, children.cursors[0], is_default, at);
        }
        free(children.cursors);
        if (rc < 0)
            return NULL;
    }
}

static int add_body(struct gcal_interp_translator *t, struct gcal_interp_node *n,
                    CXCursor body)
{
    struct gcal_interp_node_list list = { 0 };
    struct gcal_source_children children;
    struct gcal_interp_node *statement;
    int rc = 0;

    if (gcal_source_kind(body) != CXCursor_CompoundStmt) {
        gcal_interp_unsupported(t, body, "a switch without { }");
        return -1;
    }
    if (gcal_source_get_children(body, &children, t->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++) {
        statement = add_labels(t, n, children.cursors[i], list.n);
        rc = statement ? gcal_interp_node_list_add(t, &list, statement) : -1;
    }
    free(children.cursors);
    n->list = list.nodes;
    n->n_list = list.n;
    return rc;
}

struct gcal_interp_node *gcal_interp_translate_switch(struct gcal_interp_translator *t,
                                                      CXCursor c)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, c, NULL);
    struct gcal_source_children children;
    int rc = -1;

    if (!n || gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    n->eval.flow = run_switch;
    if (children.n != 2)
        gcal_interp_unsupported(t, c, "this form of a switch");
    else if ((n->a = gcal_interp_node_convert(
                  t, c, gcal_interp_translate_value(t, children.cursors[0]),
                  gcal_interp_type_basic(GCAL_INTERP_I64))))
        rc = add_body(t, n, children.cursors[1]);
    free(children.cursors);
    return rc == 0 ? n : NULL;
}
