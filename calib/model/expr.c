/* expr.c - symbols of an expression, compilation to a program, and evaluation */
#include "calib/model/expr.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/error.h"
#include "calib/model/expr_private.h"

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

/* 'height': values on the stack before the node is evaluated. */
static int compile(struct gcal_expr *expr, const struct gcal_expr_node *node,
                   size_t height, struct gcal_error *err)
{
    size_t n_args = gcal_expr_node_is_integer_power(node) ? 1 : node->n_args;
    struct gcal_expr_instruction instruction = { .op = (uint16_t)node->op,
                                                 .n_args = (uint16_t)n_args,
                                                 .symbol = (uint32_t)node->symbol,
                                                 .number = node->number };

    if (height >= GCAL_EXPR_MAX_STACK)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is nested too deeply");
    for (size_t i = 0; i < n_args; i++)
        if (compile(expr, node->args[i], height + i, err) < 0)
            return -1;
    if (gcal_expr_node_is_integer_power(node)) {
        instruction.op = GCAL_EXPR_OP_POWI;
        instruction.n_args = (uint16_t)node->args[1]->number;
    }
    return emit(expr, instruction, err);
}

int gcal_expr_compile(struct gcal_expr *expr, struct gcal_expr_node *root,
                      struct gcal_error *err)
{
    expr->root = root;
    return root ? compile(expr, root, 0, err) : -1;
}

/* 'top' is the top of the stack, 'stack' has the rest. */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values)
{
    double stack[GCAL_EXPR_MAX_STACK + 1], *below = stack, top = 0;
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
