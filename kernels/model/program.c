/* program.c - expressions and derivatives as one program, by value numbering */
#include "kernels/model/program.h"

#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/program_private.h"

#define N_CHAINS 1024
#define NO_STEP  UINT16_MAX

void gcal_model_program_destroy(struct gcal_model_program *program)
{
    if (!program)
        return;
    free(program->steps);
    free(program->args);
    free(program->outputs);
    free(program);
}

/* ---- compilation ---- */

/* Hash table of steps, with chains. */
struct table {
    uint16_t heads[N_CHAINS], next[GCAL_PROGRAM_MAX_SLOTS];
};

struct compiler {
    struct gcal_model_program *program;
    struct table table;
    uint16_t *slot; /* of nodes, by index; 0: none, as slots are counted from 1 here */
    size_t n_slots;
    struct gcal_error *err;
};

/* Room for nodes 0 .. n-1, none of which from 'first' on has a slot. */
static int reserve(struct compiler *m, size_t first, size_t n)
{
    if (n >= m->n_slots) {
        uint16_t *moved = reallocarray(m->slot, 2 * n + 1, sizeof(*moved));

        if (!moved)
            return gcal_error_memory(m->err);
        m->slot = moved;
        m->n_slots = 2 * n + 1;
    }
    memset(m->slot + first, 0, (m->n_slots - first) * sizeof(*m->slot));
    return 0;
}

static size_t hash(const struct gcal_program_step *step, const uint16_t *args)
{
    uint64_t bits, h;

    memcpy(&bits, &step->number, sizeof(bits));
    h = (bits + step->op) * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < step->n_args; i++)
        h = (h ^ h >> 29 ^ args[i]) * 0x9e3779b97f4a7c15;
    return h >> 32 & (N_CHAINS - 1);
}

/* 0 and -0 differ. */
static bool same(const struct gcal_model_program *p, const struct gcal_program_step *a,
                 const struct gcal_program_step *b, const uint16_t *b_args)
{
    return a->op == b->op && a->n_args == b->n_args && a->number == b->number &&
           signbit(a->number) == signbit(b->number) &&
           memcmp(p->args + a->first, b_args, b->n_args * sizeof(*b_args)) == 0;
}

static int append(struct gcal_model_program *p, struct gcal_program_step *step,
                  const uint16_t *args, struct gcal_error *err)
{
    struct gcal_program_step *steps;
    uint16_t *all;

    if (p->n_symbols + p->n_steps >= GCAL_PROGRAM_MAX_SLOTS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the expression and its derivatives have more than %d "
                              "different subexpressions",
                              GCAL_PROGRAM_MAX_SLOTS);
    step->first = (uint32_t)p->n_args;
    for (size_t i = 0; i < step->n_args; i++) {
        if (!(all = gcal_array_grow(p->args, p->n_args, &p->args_capacity, sizeof(*all),
                                    err)))
            return -1;
        p->args = all;
        all[p->n_args++] = args[i];
    }
    if (!(steps = gcal_array_grow(p->steps, p->n_steps, &p->steps_capacity,
                                  sizeof(*steps), err)))
        return -1;
    p->steps = steps;
    steps[p->n_steps++] = *step;
    return 0;
}

/* Sets '*slot' to the slot of the result, a new one for a new step. */
static int place(struct compiler *m, struct gcal_program_step *step, const uint16_t *args,
                 uint16_t *slot)
{
    struct gcal_model_program *p = m->program;
    struct table *table = &m->table;
    uint16_t *head = &table->heads[hash(step, args)], i = *head;

    while (i != NO_STEP && !same(p, &p->steps[i], step, args))
        i = table->next[i];
    if (i == NO_STEP) {
        if (append(p, step, args, m->err) < 0)
            return -1;
        i = (uint16_t)(p->n_steps - 1);
        table->next[i] = *head;
        *head = i;
    }
    *slot = (uint16_t)(p->n_symbols + i);
    return 0;
}

static int place_node(struct compiler *m, const struct gcal_expr_node *node,
                      uint16_t *slot)
{
    struct gcal_program_step step = { .op = (uint16_t)node->op,
                                      .n_args = (uint16_t)node->n_args,
                                      .number = node->number };
    uint16_t args[GCAL_EXPR_MAX_ARGS];

    if (node->op == GCAL_EXPR_OP_SYMBOL) {
        *slot = (uint16_t)node->symbol;
        return 0;
    }
    if (m->slot[node->index]) {
        *slot = m->slot[node->index] - 1;
        return 0;
    }
    if (gcal_expr_node_is_integer_power(node))
        step = (struct gcal_program_step){ .op = GCAL_EXPR_OP_POWI,
                                           .n_args = 1,
                                           .number = node->args[1]->number };
    for (size_t i = 0; i < step.n_args; i++)
        if (place_node(m, node->args[i], &args[i]) < 0)
            return -1;
    if (place(m, &step, args, slot) < 0)
        return -1;
    m->slot[node->index] = *slot + 1;
    return 0;
}

static int add_output(struct compiler *m, const struct gcal_expr_node *root)
{
    struct gcal_model_program *p = m->program;

    return root ? place_node(m, root, &p->outputs[p->n_outputs++]) : -1;
}

/* Nodes of the derivative live until its end: those of all would take much memory. */
static int add_derivative(struct compiler *m, const struct gcal_expr *expr, size_t symbol)
{
    struct gcal_expr slopes = { 0 }; /* owns the derivative's nodes */
    struct gcal_expr_builder build = { .expr = &slopes, .err = m->err };
    struct gcal_expr_node *root =
        gcal_expr_node_derivative(&build, expr, expr->root, symbol);
    int rc = reserve(m, expr->n_nodes, slopes.n_nodes);

    if (rc == 0)
        rc = add_output(m, root);
    gcal_expr_nodes_free(&slopes);
    return rc;
}

static int make(struct compiler *m, const struct gcal_expr *expr,
                const struct gcal_model_outputs *outputs)
{
    int rc = reserve(m, 0, expr->n_nodes);

    memset(m->table.heads, 0xff, sizeof(m->table.heads)); /* NO_STEP */
    for (size_t i = 0; i < outputs->n_roots && rc == 0; i++)
        rc = add_output(m, outputs->roots[i]);
    m->program->n_first = m->program->n_steps;
    for (size_t i = 0; i < outputs->n_by && rc == 0; i++)
        rc = add_derivative(m, expr, outputs->by[i]);
    free(m->slot);
    return rc;
}

struct gcal_model_program *
gcal_model_program_create(const struct gcal_expr *expr,
                          const struct gcal_model_outputs *outputs,
                          struct gcal_error *err)
{
    struct gcal_model_program *p = calloc(1, sizeof(*p));
    struct compiler compiler = { .program = p, .err = err };

    if (!p || !(p->outputs =
                    calloc(outputs->n_roots + outputs->n_by + 1, sizeof(*p->outputs)))) {
        gcal_error_memory(err);
        goto fail;
    }
    /* Evaluation points into both, even for a single number or name. */
    p->steps = gcal_array_grow(NULL, 0, &p->steps_capacity, sizeof(*p->steps), err);
    p->args = gcal_array_grow(NULL, 0, &p->args_capacity, sizeof(*p->args), err);
    p->n_symbols = expr->n_symbols;
    p->n_roots = outputs->n_roots;
    if (p->steps && p->args && make(&compiler, expr, outputs) == 0)
        return p;
fail:
    gcal_model_program_destroy(p);
    return NULL;
}

/* ---- evaluation ---- */

static double apply(const struct gcal_program_step *step, const uint16_t *args,
                    const double *slots)
{
    double values[GCAL_EXPR_MAX_ARGS];

    for (size_t i = 0; i < step->n_args; i++)
        values[i] = slots[args[i]];
    return gcal_expr_op_apply(step->op, step->n_args, values);
}

void gcal_model_program_run(const struct gcal_model_program *program, double *slots,
                            size_t first, size_t end)
{
    const struct gcal_program_step *step = program->steps + first,
                                   *last = program->steps + end;
    double *result = slots + program->n_symbols + first;

    for (; step < last; step++, result++) {
        const uint16_t *a = program->args + step->first;

        switch (step->op) {
        case GCAL_EXPR_OP_NUMBER:
            *result = step->number;
            break;
        case GCAL_EXPR_OP_ADD:
            *result = slots[a[0]] + slots[a[1]];
            break;
        case GCAL_EXPR_OP_SUB:
            *result = slots[a[0]] - slots[a[1]];
            break;
        case GCAL_EXPR_OP_MUL:
            *result = slots[a[0]] * slots[a[1]];
            break;
        case GCAL_EXPR_OP_DIV:
            *result = slots[a[0]] / slots[a[1]];
            break;
        case GCAL_EXPR_OP_NEG:
            *result = -slots[a[0]];
            break;
        case GCAL_EXPR_OP_POWI:
            *result = gcal_expr_integer_power(slots[a[0]], (unsigned)step->number);
            break;
        default:
            *result = apply(step, a, slots);
        }
    }
}

double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *gradient)
{
    gcal_model_program_run(program, slots, 0,
                           gradient ? program->n_steps : program->n_first);
    for (size_t i = 1; gradient && i < program->n_outputs; i++)
        gradient[i - 1] = slots[program->outputs[i]];
    return slots[program->outputs[0]];
}

void gcal_model_program_eval_roots(const struct gcal_model_program *program,
                                   double *slots, double *values)
{
    gcal_model_program_run(program, slots, 0, program->n_first);
    for (size_t i = 0; i < program->n_roots; i++)
        values[i] = slots[program->outputs[i]];
}

/* The first slot from 'from' on that a root with a factor has; none: the end of all. */
static size_t next_scaled(const struct gcal_model_program *p, const double *factors,
                          size_t from)
{
    size_t next = p->n_symbols + p->n_first;

    for (size_t i = 0; i < p->n_roots; i++)
        if (factors[i] != 1 && p->outputs[i] >= from && p->outputs[i] < next)
            next = p->outputs[i];
    return next;
}

static void scale(const struct gcal_model_program *p, const double *factors, size_t slot,
                  double *slots)
{
    for (size_t i = 0; i < p->n_roots; i++)
        if (p->outputs[i] == slot)
            slots[slot] *= factors[i];
}

void gcal_model_program_eval_scaled(const struct gcal_model_program *program,
                                    double *slots, const double *factors, double *values)
{
    size_t n = program->n_symbols, end = n + program->n_first, done = 0, slot = 0;

    while ((slot = next_scaled(program, factors, slot)) < end) {
        if (slot >= n) {
            gcal_model_program_run(program, slots, done, slot - n + 1);
            done = slot - n + 1;
        }
        scale(program, factors, slot++, slots);
    }
    gcal_model_program_run(program, slots, done, program->n_first);
    for (size_t i = 0; i < program->n_roots; i++)
        values[i] = slots[program->outputs[i]];
}
