/* expr.c - symbols of an expression, compilation to a program, and evaluation */
#include "kernels/model/expr.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/expr_private.h"

struct gcal_expr *gcal_expr_create(size_t n_symbols, const char *const *symbols,
                                   struct gcal_error *err)
{
    struct gcal_expr *expr = calloc(1, sizeof(*expr));

    if (!expr) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n_symbols; i++)
        if (gcal_expr_add_symbol(expr, symbols[i], strlen(symbols[i]), err) == SIZE_MAX) {
            gcal_expr_destroy(expr);
            return NULL;
        }
    return expr;
}

void gcal_expr_destroy(struct gcal_expr *expr)
{
    if (!expr)
        return;
    gcal_expr_nodes_free(expr);
    for (size_t i = 0; i < expr->n_symbols; i++)
        free(expr->symbols[i]);
    free(expr->symbols);
    free(expr->program);
    free(expr);
}

size_t gcal_expr_symbol_count(const struct gcal_expr *expr)
{
    return expr->n_symbols;
}

const char *gcal_expr_symbol(const struct gcal_expr *expr, size_t i)
{
    return expr->symbols[i];
}

size_t gcal_expr_add_symbol(struct gcal_expr *expr, const char *name, size_t length,
                            struct gcal_error *err)
{
    char **symbols;

    for (size_t i = 0; i < expr->n_symbols; i++)
        if (strlen(expr->symbols[i]) == length &&
            memcmp(expr->symbols[i], name, length) == 0)
            return i;
    symbols = gcal_array_grow(expr->symbols, expr->n_symbols, &expr->symbols_capacity,
                              sizeof(*symbols), err);
    if (!symbols)
        return SIZE_MAX;
    expr->symbols = symbols;
    if (!(symbols[expr->n_symbols] = strndup(name, length))) {
        gcal_error_memory(err);
        return SIZE_MAX;
    }
    return expr->n_symbols++;
}

/* ---- the program ---- */

static int emit(struct gcal_expr *expr, struct gcal_expr_instruction instruction,
                struct gcal_error *err)
{
    struct gcal_expr_instruction *program =
        gcal_array_grow(expr->program, expr->n_instructions, &expr->program_capacity,
                        sizeof(*program), err);

    if (!program)
        return -1;
    expr->program = program;
    if (expr->n_instructions == GCAL_EXPR_MAX_PROGRAM)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is too long");
    program[expr->n_instructions++] = instruction;
    return 0;
}

/* Of nodes, by index, where nodes are shared; else NULL. */
struct sharing {
    uint32_t *uses, *kept; /* kept: place + 1 */
    uint32_t n_kept;
};

static void count_uses(struct sharing *s, const struct gcal_expr_node *node)
{
    if (s->uses[node->index]++ == 0)
        for (size_t i = 0; i < node->n_args; i++)
            count_uses(s, node->args[i]);
}

/* Emits the node as a kept value; 0: it is not kept. */
static int emit_kept(struct gcal_expr *expr, const struct sharing *s,
                     const struct gcal_expr_node *node, struct gcal_error *err)
{
    struct gcal_expr_instruction instruction = { .op = GCAL_EXPR_OP_KEPT };

    if (!s->kept || !s->kept[node->index])
        return 0;
    instruction.symbol = s->kept[node->index] - 1;
    return emit(expr, instruction, err) < 0 ? -1 : 1;
}

/* Keeps the node's value, if it is used again and there is room. */
static int keep(struct gcal_expr *expr, struct sharing *s,
                const struct gcal_expr_node *node, struct gcal_error *err)
{
    struct gcal_expr_instruction instruction = { .op = GCAL_EXPR_OP_KEEP };

    if (!s->kept || !node->n_args || s->uses[node->index] < 2 ||
        s->n_kept == GCAL_EXPR_MAX_KEPT)
        return 0;
    instruction.symbol = s->n_kept++;
    s->kept[node->index] = s->n_kept;
    return emit(expr, instruction, err);
}

/* 'height': values on the stack before the node is evaluated. */
static int compile(struct gcal_expr *expr, struct sharing *s,
                   const struct gcal_expr_node *node, size_t height,
                   struct gcal_error *err)
{
    size_t n_args = gcal_expr_node_is_integer_power(node) ? 1 : node->n_args;
    struct gcal_expr_instruction instruction = { .op = (uint16_t)node->op,
                                                 .n_args = (uint16_t)n_args,
                                                 .symbol = (uint32_t)node->symbol,
                                                 .number = node->number };
    int rc = emit_kept(expr, s, node, err);

    if (rc)
        return rc < 0 ? -1 : 0;
    if (height >= GCAL_EXPR_MAX_STACK)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is nested too deeply");
    for (size_t i = 0; i < n_args; i++)
        if (compile(expr, s, node->args[i], height + i, err) < 0)
            return -1;
    if (gcal_expr_node_is_integer_power(node)) {
        instruction.op = GCAL_EXPR_OP_POWI;
        instruction.n_args = (uint16_t)node->args[1]->number;
    }
    return emit(expr, instruction, err) < 0 ? -1 : keep(expr, s, node, err);
}

int gcal_expr_compile(struct gcal_expr *expr, struct gcal_expr_node *root,
                      struct gcal_error *err)
{
    struct sharing s = { 0 };
    int rc = -1;

    expr->root = root;
    if (!root)
        return -1;
    if (expr->shares) {
        s.uses = calloc(expr->n_nodes, sizeof(*s.uses));
        s.kept = calloc(expr->n_nodes, sizeof(*s.kept));
        if (s.uses && s.kept)
            count_uses(&s, root);
    }
    if (expr->shares && (!s.uses || !s.kept))
        gcal_error_memory(err);
    else
        rc = compile(expr, &s, root, 0, err);
    free(s.uses);
    free(s.kept);
    return rc;
}

/* 'top' is the top of the stack, 'stack' has the rest. */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values)
{
    double stack[GCAL_EXPR_MAX_STACK + 1], *below = stack, top = 0;
    double kept[GCAL_EXPR_MAX_KEPT];
    const struct gcal_expr_instruction *end = expr->program + expr->n_instructions;

    for (const struct gcal_expr_instruction *i = expr->program; i < end; i++)
        switch (i->op) {
        case GCAL_EXPR_OP_NUMBER:
            *below++ = top;
            top = i->number;
            break;
        case GCAL_EXPR_OP_SYMBOL:
            *below++ = top;
            top = values[i->symbol];
            break;
        case GCAL_EXPR_OP_ADD:
            top = *--below + top;
            break;
        case GCAL_EXPR_OP_SUB:
            top = *--below - top;
            break;
        case GCAL_EXPR_OP_MUL:
            top = *--below * top;
            break;
        case GCAL_EXPR_OP_DIV:
            top = *--below / top;
            break;
        case GCAL_EXPR_OP_NEG:
            top = -top;
            break;
        case GCAL_EXPR_OP_POWI:
            top = gcal_expr_integer_power(top, i->n_args);
            break;
        case GCAL_EXPR_OP_KEEP:
            kept[i->symbol] = top;
            break;
        case GCAL_EXPR_OP_KEPT:
            *below++ = top;
            top = kept[i->symbol];
            break;
        default:
            *below = top;
            below -= i->n_args - 1;
            top = gcal_expr_op_apply(i->op, i->n_args, below);
        }
    return top;
}

bool gcal_expr_uses(const struct gcal_expr *expr, size_t symbol)
{
    for (size_t i = 0; i < expr->n_instructions; i++)
        if (expr->program[i].op == GCAL_EXPR_OP_SYMBOL &&
            expr->program[i].symbol == symbol)
            return true;
    return false;
}
