/* program.c - expressions' programs joined into one, by value numbering */
#include "calib/model/program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr_private.h"

#define N_CHAINS 1024
#define NO_STEP  UINT16_MAX

/* Step i fills slot n_symbols + i. */
struct step {
    uint16_t op, n_args;
    uint32_t first; /* of its slots, in 'args' */
    double number;  /* the power of GCAL_OP_POWI too */
};

struct gcal_model_program {
    size_t n_symbols;
    struct step *steps;
    size_t n_steps, steps_capacity;
    uint16_t *args; /* slots */
    size_t n_args, args_capacity;
    size_t n_first; /* steps that the first expression needs */
    size_t n_outputs;
    uint16_t *outputs; /* the slot of each expression's value */
};

void gcal_model_program_destroy(struct gcal_model_program *program)
{
    if (!program)
        return;
    free(program->steps);
    free(program->args);
    free(program->outputs);
    free(program);
}

/* ---- joining ---- */

/* Steps by what they do: chains of those that share a hash. */
struct table {
    uint16_t heads[N_CHAINS], next[GCAL_PROGRAM_MAX_SLOTS];
};

static size_t hash(const struct step *step, const uint16_t *args)
{
    uint64_t bits, h;

    memcpy(&bits, &step->number, sizeof(bits));
    h = (bits + step->op) * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < step->n_args; i++)
        h = (h ^ h >> 29 ^ args[i]) * 0x9e3779b97f4a7c15;
    return h >> 32 & (N_CHAINS - 1);
}

/* Bits of the number, for 0 and -0 are two. */
static bool same(const struct gcal_model_program *p, const struct step *a,
                 const struct step *b, const uint16_t *b_args)
{
    return a->op == b->op && a->n_args == b->n_args &&
           memcmp(&a->number, &b->number, sizeof(a->number)) == 0 &&
           memcmp(p->args + a->first, b_args, b->n_args * sizeof(*b_args)) == 0;
}

static int append(struct gcal_model_program *p, struct step *step, const uint16_t *args,
                  struct gcal_error *err)
{
    struct step *steps;
    uint16_t *all;

    if (p->n_symbols + p->n_steps >= GCAL_PROGRAM_MAX_SLOTS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the expression and its derivatives have more than %d "
                              "different parts",
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

/* Into '*slot' the slot of what 'step' does with 'args', a new one unless it is known. */
static int place(struct gcal_model_program *p, struct table *table, struct step *step,
                 const uint16_t *args, uint16_t *slot, struct gcal_error *err)
{
    uint16_t *head = &table->heads[hash(step, args)], i = *head;

    while (i != NO_STEP && !same(p, &p->steps[i], step, args))
        i = table->next[i];
    if (i == NO_STEP) {
        if (append(p, step, args, err) < 0)
            return -1;
        i = (uint16_t)(p->n_steps - 1);
        table->next[i] = *head;
        *head = i;
    }
    *slot = (uint16_t)(p->n_symbols + i);
    return 0;
}

/* Runs the expression's program on a stack of slots instead of values. */
static int join(struct gcal_model_program *p, struct table *table,
                const struct gcal_expr *expr, struct gcal_error *err)
{
    uint16_t stack[GCAL_EXPR_MAX_STACK + 1], *top = stack;

    for (size_t i = 0; i < expr->n_instructions; i++) {
        const struct gcal_instruction *instruction = &expr->program[i];
        struct step step = { .op = instruction->op,
                             .n_args = instruction->n_args,
                             .number = instruction->number };

        if (step.op == GCAL_OP_SYMBOL) {
            *top++ = (uint16_t)instruction->symbol;
            continue;
        }
        if (step.op == GCAL_OP_POWI) {
            step.number = step.n_args;
            step.n_args = 1;
        }
        top -= step.n_args;
        if (place(p, table, &step, top, top, err) < 0)
            return -1;
        top++;
    }
    p->outputs[p->n_outputs++] = stack[0];
    return 0;
}

struct gcal_model_program *gcal_model_program_create(size_t n_exprs,
                                                     struct gcal_expr *const *exprs,
                                                     struct gcal_error *err)
{
    struct gcal_model_program *p = calloc(1, sizeof(*p));
    struct table table;

    memset(table.heads, 0xff, sizeof(table.heads)); /* NO_STEP */
    if (!p || !(p->outputs = calloc(n_exprs, sizeof(*p->outputs)))) {
        gcal_error_memory(err);
        goto fail;
    }
    /* Both are pointed into, even where an expression is a lone number or name. */
    p->steps = gcal_array_grow(NULL, 0, &p->steps_capacity, sizeof(*p->steps), err);
    p->args = gcal_array_grow(NULL, 0, &p->args_capacity, sizeof(*p->args), err);
    if (!p->steps || !p->args)
        goto fail;
    p->n_symbols = exprs[0]->n_symbols;
    for (size_t i = 0; i < n_exprs; i++) {
        if (join(p, &table, exprs[i], err) < 0)
            goto fail;
        if (i == 0)
            p->n_first = p->n_steps;
    }
    return p;
fail:
    gcal_model_program_destroy(p);
    return NULL;
}

/* ---- evaluation ---- */

static double apply(const struct step *step, const uint16_t *args, const double *slots)
{
    double values[GCAL_EXPR_MAX_ARGS];

    for (size_t i = 0; i < step->n_args; i++)
        values[i] = slots[args[i]];
    return gcal_op_apply(step->op, step->n_args, values);
}

double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *others)
{
    const struct step *step = program->steps;
    const struct step *end = step + (others ? program->n_steps : program->n_first);
    double *result = slots + program->n_symbols;

    for (; step < end; step++, result++) {
        const uint16_t *a = program->args + step->first;

        switch (step->op) {
        case GCAL_OP_NUMBER:
            *result = step->number;
            break;
        case GCAL_OP_ADD:
            *result = slots[a[0]] + slots[a[1]];
            break;
        case GCAL_OP_SUB:
            *result = slots[a[0]] - slots[a[1]];
            break;
        case GCAL_OP_MUL:
            *result = slots[a[0]] * slots[a[1]];
            break;
        case GCAL_OP_DIV:
            *result = slots[a[0]] / slots[a[1]];
            break;
        case GCAL_OP_NEG:
            *result = -slots[a[0]];
            break;
        case GCAL_OP_POWI:
            *result = gcal_whole_power(slots[a[0]], (unsigned)step->number);
            break;
        default:
            *result = apply(step, a, slots);
        }
    }
    for (size_t i = 1; others && i < program->n_outputs; i++)
        others[i - 1] = slots[program->outputs[i]];
    return slots[program->outputs[0]];
}
