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

#define N_CHAINS  1024
#define NONE      UINT32_MAX
#define MAX_STEPS (1 << 20)

void gcal_model_program_destroy(struct gcal_model_program *program)
{
    if (!program)
        return;
    free(program->steps);
    free(program->args);
    free(program->outputs);
    free(program->constants);
    free(program);
}

/* ---- building ---- */

struct gcal_program_builder {
    size_t n_symbols;
    struct gcal_program_step *steps; /* step i has the value n_symbols + i */
    size_t n_steps, steps_capacity;
    uint32_t *args; /* values */
    size_t n_args, args_capacity;
    uint32_t heads[N_CHAINS], *next; /* hash table of steps, with chains */
    size_t next_capacity;
    uint32_t *of_node; /* values of nodes, by index */
    size_t n_of_node;
    size_t n_first;
    bool folds;
    struct gcal_error *err;
};

struct gcal_program_builder *gcal_program_builder_create(size_t n_symbols, bool folds,
                                                         struct gcal_error *err)
{
    struct gcal_program_builder *b = calloc(1, sizeof(*b));

    if (!b) {
        gcal_error_memory(err);
        return NULL;
    }
    b->n_symbols = n_symbols;
    b->folds = folds;
    b->err = err;
    memset(b->heads, 0xff, sizeof(b->heads)); /* NONE */
    return b;
}

void gcal_program_builder_destroy(struct gcal_program_builder *b)
{
    if (!b)
        return;
    free(b->steps);
    free(b->args);
    free(b->next);
    free(b->of_node);
    free(b);
}

static size_t hash(const struct gcal_program_step *step, const uint32_t *args)
{
    uint64_t bits, h;

    memcpy(&bits, &step->number, sizeof(bits));
    h = (bits + step->op) * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < step->n_args; i++)
        h = (h ^ h >> 29 ^ args[i]) * 0x9e3779b97f4a7c15;
    return h >> 32 & (N_CHAINS - 1);
}

/* 0 and -0 differ. */
static bool same(const struct gcal_program_builder *b, const struct gcal_program_step *x,
                 const struct gcal_program_step *y, const uint32_t *y_args)
{
    return x->op == y->op && x->n_args == y->n_args &&
           memcmp(&x->number, &y->number, sizeof(x->number)) == 0 &&
           (!x->n_args ||
            memcmp(b->args + x->first, y_args, y->n_args * sizeof(*y_args)) == 0);
}

static int append(struct gcal_program_builder *b, struct gcal_program_step *step,
                  const uint32_t *args)
{
    size_t most = b->folds ? MAX_STEPS : GCAL_PROGRAM_MAX_SLOTS;
    void *grown;

    if (b->n_symbols + b->n_steps >= most)
        return gcal_error_set(b->err, GCAL_EINPUT,
                              "the expression and its derivatives have more than %zu "
                              "different subexpressions",
                              most);
    step->first = (uint32_t)b->n_args;
    for (size_t i = 0; i < step->n_args; i++) {
        if (!(grown = gcal_array_grow(b->args, b->n_args, &b->args_capacity,
                                      sizeof(*args), b->err)))
            return -1;
        b->args = grown;
        b->args[b->n_args++] = args[i];
    }
    if (!(grown = gcal_array_grow(b->next, b->n_steps, &b->next_capacity,
                                  sizeof(*b->next), b->err)))
        return -1;
    b->next = grown;
    if (!(grown = gcal_array_grow(b->steps, b->n_steps, &b->steps_capacity, sizeof(*step),
                                  b->err)))
        return -1;
    b->steps = grown;
    b->steps[b->n_steps++] = *step;
    return 0;
}

/* The value of the step, a new one for a new step; NONE with 'err'. */
static uint32_t place(struct gcal_program_builder *b, enum gcal_expr_op op, double number,
                      size_t n_args, const uint32_t *args)
{
    struct gcal_program_step step = { .op = (uint16_t)op,
                                      .n_args = (uint16_t)n_args,
                                      .number = number };
    uint32_t *head = &b->heads[hash(&step, args)], i = *head;

    while (i != NONE && !same(b, &b->steps[i], &step, args))
        i = b->next[i];
    if (i == NONE) {
        if (append(b, &step, args) < 0)
            return NONE;
        i = (uint32_t)(b->n_steps - 1);
        b->next[i] = *head;
        *head = i;
    }
    return (uint32_t)b->n_symbols + i;
}

uint32_t gcal_program_number(struct gcal_program_builder *b, double number)
{
    return place(b, GCAL_EXPR_OP_NUMBER, number, 0, NULL);
}

static const double *number_of(const struct gcal_program_builder *b, uint32_t value)
{
    const struct gcal_program_step *step =
        value >= b->n_symbols ? &b->steps[value - b->n_symbols] : NULL;

    return step && step->op == GCAL_EXPR_OP_NUMBER ? &step->number : NULL;
}

bool gcal_program_is(const struct gcal_program_builder *b, uint32_t value, double number)
{
    const double *x = number_of(b, value);

    return x && *x == number;
}

/* All arguments are numbers: their value. */
static bool fold_numbers(const struct gcal_program_builder *b, enum gcal_expr_op op,
                         double number, size_t n_args, const uint32_t *args,
                         double *value)
{
    double numbers[GCAL_EXPR_MAX_ARGS];

    for (size_t i = 0; i < n_args; i++) {
        const double *x = number_of(b, args[i]);

        if (!x)
            return false;
        numbers[i] = *x;
    }
    *value = op == GCAL_EXPR_OP_POWI ? gcal_expr_integer_power(*numbers, (unsigned)number)
                                     : gcal_expr_op_apply(op, n_args, numbers);
    return n_args > 0;
}

/* An argument that the value equals, or the number 0; NONE: neither.  Values stay the same to the
 * last bit, but where 0 is multiplied by what is not finite.
 */
static uint32_t find_equal(struct gcal_program_builder *b, enum gcal_expr_op op,
                           const uint32_t *args)
{
    bool no_first = gcal_program_is(b, args[0], 0);

    switch (op) {
    case GCAL_EXPR_OP_ADD:
        return no_first ? args[1] : gcal_program_is(b, args[1], 0) ? args[0] : NONE;
    case GCAL_EXPR_OP_SUB:
        return gcal_program_is(b, args[1], 0) ? args[0] : NONE;
    case GCAL_EXPR_OP_MUL:
        if (no_first || gcal_program_is(b, args[0], 1))
            return no_first ? args[0] : args[1];
        return gcal_program_is(b, args[1], 1) || gcal_program_is(b, args[1], 0)
                   ? args[gcal_program_is(b, args[1], 0)]
                   : NONE;
    case GCAL_EXPR_OP_DIV:
        return no_first || gcal_program_is(b, args[1], 1) ? args[0] : NONE;
    case GCAL_EXPR_OP_PNORM_E:
        return no_first ? args[0] : gcal_program_is(b, args[1], 0) ? args[1] : NONE;
    case GCAL_EXPR_OP_SELECT:
        if (number_of(b, args[0]) && number_of(b, args[1]))
            return *number_of(b, args[0]) <= *number_of(b, args[1]) ? args[2] : args[3];
        return args[2] == args[3] ? args[2] : NONE;
    default:
        return NONE;
    }
}

uint32_t gcal_program_call(struct gcal_program_builder *b, enum gcal_expr_op op,
                           double number, size_t n_args, const uint32_t *args)
{
    uint32_t kept[GCAL_EXPR_MAX_ARGS], equal;
    const double *power;
    double value;

    for (size_t i = 0; i < n_args; i++)
        if (args[i] == NONE)
            return NONE;
    if (!b->folds)
        return place(b, op, number, n_args, args);
    if (fold_numbers(b, op, number, n_args, args, &value))
        return gcal_program_number(b, value);
    if (n_args && (equal = find_equal(b, op, args)) != NONE)
        return equal;
    if ((op == GCAL_EXPR_OP_ADD || op == GCAL_EXPR_OP_MUL) && args[0] > args[1])
        return place(b, op, number, 2, (uint32_t[]){ args[1], args[0] });
    /* Terms of 0 add nothing to a norm. */
    if (op == GCAL_EXPR_OP_PNORM && (power = number_of(b, args[0])) && *power > 0) {
        size_t n = 1;

        kept[0] = args[0];
        for (size_t i = 1; i < n_args; i++)
            if (!gcal_program_is(b, args[i], 0))
                kept[n++] = args[i];
        return place(b, op, number, n, kept);
    }
    return place(b, op, number, n_args, args);
}

/* 'symbols': their values; NULL: themselves. */
static uint32_t place_node(struct gcal_program_builder *b,
                           const struct gcal_expr_node *node, const uint32_t *symbols)
{
    bool power = gcal_expr_node_is_integer_power(node);
    size_t n_args = power ? 1 : node->n_args;
    uint32_t args[GCAL_EXPR_MAX_ARGS], *value = &b->of_node[node->index];

    if (node->op == GCAL_EXPR_OP_SYMBOL)
        return symbols ? symbols[node->symbol] : (uint32_t)node->symbol;
    if (*value != NONE)
        return *value;
    for (size_t i = 0; i < n_args; i++)
        if ((args[i] = place_node(b, node->args[i], symbols)) == NONE)
            return NONE;
    return *value = gcal_program_call(b, power ? GCAL_EXPR_OP_POWI : node->op,
                                      power ? node->args[1]->number : node->number,
                                      n_args, args);
}

/* Room for nodes 0 .. n-1, none of which from 'first' on has a value. */
static int reserve(struct gcal_program_builder *b, size_t first, size_t n)
{
    if (n >= b->n_of_node) {
        uint32_t *moved = reallocarray(b->of_node, 2 * n + 1, sizeof(*moved));

        if (!moved)
            return gcal_error_memory(b->err);
        b->of_node = moved;
        b->n_of_node = 2 * n + 1;
    }
    memset(b->of_node + first, 0xff, (n + 1 - first) * sizeof(*b->of_node));
    return 0;
}

uint32_t gcal_program_add_expr(struct gcal_program_builder *b,
                               const struct gcal_expr *expr, const uint32_t *symbols)
{
    return reserve(b, 0, expr->n_nodes) < 0 ? NONE : place_node(b, expr->root, symbols);
}

int gcal_program_add_program(struct gcal_program_builder *b,
                             const struct gcal_model_program *p, const uint32_t *symbols,
                             size_t n_outputs, uint32_t *outputs)
{
    size_t n_steps = n_outputs > p->n_roots ? p->n_steps : p->n_first;
    uint32_t *values = calloc(p->n_symbols + n_steps + 1, sizeof(*values));
    uint32_t args[GCAL_EXPR_MAX_ARGS];
    int rc = values ? 0 : gcal_error_memory(b->err);

    for (size_t i = 0; i < p->n_symbols && rc == 0; i++)
        values[i] = symbols[i];
    for (size_t i = 0; i < n_steps && rc == 0; i++) {
        const struct gcal_program_step *step = &p->steps[i];

        for (size_t k = 0; k < step->n_args; k++)
            args[k] = values[p->args[step->first + k]];
        values[p->n_symbols + i] =
            gcal_program_call(b, step->op, step->number, step->n_args, args);
        rc = values[p->n_symbols + i] == NONE ? -1 : 0;
    }
    for (size_t i = 0; i < n_outputs && rc == 0; i++)
        outputs[i] = values[p->outputs[i]];
    free(values);
    return rc;
}

void gcal_program_end_first(struct gcal_program_builder *b)
{
    b->n_first = b->n_steps;
}

/* Each step has a slot of its own, in order. */
static int take_all(struct gcal_model_program *p, const struct gcal_program_builder *b,
                    const uint32_t *outputs)
{
    for (size_t i = 0; i < b->n_args; i++)
        p->args[i] = (uint16_t)b->args[i];
    for (; p->n_steps < b->n_steps; p->n_steps++) {
        p->steps[p->n_steps] = b->steps[p->n_steps];
        p->steps[p->n_steps].result = (uint16_t)(p->n_symbols + p->n_steps);
    }
    for (size_t i = 0; i < p->n_outputs; i++)
        p->outputs[i] = (uint16_t)outputs[i];
    p->n_first = b->n_first;
    return 0;
}

/* What becomes of each step. */
struct fates {
    uint32_t
        *last; /* the step that uses it last; 0: none does; n_steps: it is an output */
    uint16_t *slot;
    uint16_t free[GCAL_PROGRAM_MAX_SLOTS];
    size_t n_free, n_slots;
};

/* From the last to the first, so that the first use that is met is the last. */
static void find_uses(struct fates *f, const struct gcal_program_builder *b,
                      const uint32_t *outputs, size_t n_outputs)
{
    for (size_t i = 0; i < n_outputs; i++)
        if (outputs[i] >= b->n_symbols)
            f->last[outputs[i] - b->n_symbols] = (uint32_t)b->n_steps;
    for (size_t i = b->n_steps; i-- > 0;)
        for (size_t k = 0; k < b->steps[i].n_args && f->last[i]; k++) {
            uint32_t arg = b->args[b->steps[i].first + k];

            if (arg >= b->n_symbols && !f->last[arg - b->n_symbols])
                f->last[arg - b->n_symbols] = (uint32_t)i;
        }
}

static int refuse_length(const struct gcal_program_builder *b)
{
    return gcal_error_set(b->err, GCAL_EINPUT,
                          "the kernel's counts are too long for a prediction");
}

/* Only what outputs need, numbers before all steps, in slots that are used again. */
static int take_live(struct gcal_model_program *p, const struct gcal_program_builder *b,
                     const uint32_t *outputs, struct fates *f)
{
    size_t n = b->n_symbols;

    find_uses(f, b, outputs, p->n_outputs);
    for (size_t i = 0; i < b->n_steps && n + p->n_constants < GCAL_PROGRAM_MAX_SLOTS; i++)
        if (f->last[i] && b->steps[i].op == GCAL_EXPR_OP_NUMBER) {
            f->slot[i] = (uint16_t)(n + p->n_constants);
            p->constants[p->n_constants++] = b->steps[i].number;
        }
    if (n + p->n_constants == GCAL_PROGRAM_MAX_SLOTS)
        return refuse_length(b);
    f->n_slots = n + p->n_constants;
    for (size_t i = 0; i < b->n_steps; i++) {
        struct gcal_program_step *step = &p->steps[p->n_steps];

        if (i == b->n_first)
            p->n_first = p->n_steps;
        if (!f->last[i] || b->steps[i].op == GCAL_EXPR_OP_NUMBER)
            continue;
        *step = b->steps[i];
        step->first = (uint32_t)p->n_args;
        for (size_t k = 0; k < step->n_args; k++) {
            uint32_t arg = b->args[b->steps[i].first + k];

            p->args[p->n_args++] = arg < n ? (uint16_t)arg : f->slot[arg - n];
            if (arg < n || f->last[arg - n] != i ||
                b->steps[arg - n].op == GCAL_EXPR_OP_NUMBER)
                continue;
            f->free[f->n_free++] = f->slot[arg - n];
            f->last[arg - n] = UINT32_MAX; /* once, also where it is both arguments */
        }
        if (!f->n_free && f->n_slots == GCAL_PROGRAM_MAX_SLOTS)
            return refuse_length(b);
        f->slot[i] = f->n_free ? f->free[--f->n_free] : (uint16_t)f->n_slots++;
        step->result = f->slot[i];
        p->n_steps++;
    }
    if (b->n_first >= b->n_steps)
        p->n_first = p->n_steps;
    for (size_t i = 0; i < p->n_outputs; i++)
        p->outputs[i] = outputs[i] < n ? (uint16_t)outputs[i] : f->slot[outputs[i] - n];
    return 0;
}

struct gcal_model_program *gcal_program_finish(struct gcal_program_builder *b,
                                               size_t n_outputs, const uint32_t *outputs)
{
    struct gcal_model_program *p = calloc(1, sizeof(*p));
    struct fates *f = calloc(1, sizeof(*f));

    if (!p || !f)
        goto memory;
    p->n_symbols = b->n_symbols;
    p->n_outputs = n_outputs;
    f->last = calloc(b->n_steps + 1, sizeof(*f->last));
    f->slot = calloc(b->n_steps + 1, sizeof(*f->slot));
    /* Evaluation points into both, even for a single number or name. */
    p->steps = calloc(b->n_steps + 1, sizeof(*p->steps));
    p->args = calloc(b->n_args + 1, sizeof(*p->args));
    p->outputs = calloc(n_outputs + 1, sizeof(*p->outputs));
    p->constants = calloc(b->folds ? b->n_steps + 1 : 1, sizeof(*p->constants));
    if (!f->last || !f->slot || !p->steps || !p->args || !p->outputs || !p->constants)
        goto memory;
    if ((b->folds ? take_live(p, b, outputs, f) : take_all(p, b, outputs)) == 0)
        goto out;
    goto fail;
memory:
    gcal_error_memory(b->err);
fail:
    gcal_model_program_destroy(p);
    p = NULL;
out:
    if (f) {
        free(f->last);
        free(f->slot);
    }
    free(f);
    return p;
}

/* ---- expressions and derivatives ---- */

/* Nodes of the derivative live until its end: those of all would take much memory. */
static uint32_t add_derivative(struct gcal_program_builder *b,
                               const struct gcal_expr *expr, size_t symbol)
{
    struct gcal_expr slopes = { 0 }; /* owns the derivative's nodes */
    struct gcal_expr_builder build = { .expr = &slopes, .err = b->err };
    struct gcal_expr_node *root =
        gcal_expr_node_derivative(&build, expr, expr->root, symbol);
    uint32_t value = root && reserve(b, expr->n_nodes, slopes.n_nodes) == 0
                         ? place_node(b, root, NULL)
                         : NONE;

    gcal_expr_nodes_free(&slopes);
    return value;
}

struct gcal_model_program *
gcal_model_program_create(const struct gcal_expr *expr,
                          const struct gcal_model_outputs *outputs,
                          struct gcal_error *err)
{
    size_t n = outputs->n_roots + outputs->n_by;
    struct gcal_program_builder *b =
        gcal_program_builder_create(expr->n_symbols, false, err);
    uint32_t *values = calloc(n + 1, sizeof(*values));
    struct gcal_model_program *p = NULL;
    int rc = !b ? -1 : values ? reserve(b, 0, expr->n_nodes) : gcal_error_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        if (i == outputs->n_roots)
            gcal_program_end_first(b);
        values[i] = i >= outputs->n_roots
                        ? add_derivative(b, expr, outputs->by[i - outputs->n_roots])
                    : outputs->roots[i] ? place_node(b, outputs->roots[i], NULL)
                                        : NONE;
        rc = values[i] == NONE ? -1 : 0;
    }
    if (rc == 0 && !outputs->n_by)
        gcal_program_end_first(b);
    if (rc == 0 && (p = gcal_program_finish(b, n, values)))
        p->n_roots = outputs->n_roots;
    gcal_program_builder_destroy(b);
    free(values);
    return p;
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

    for (; step < last; step++) {
        const uint16_t *a = program->args + step->first;
        double *result = &slots[step->result], x, y;

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
        case GCAL_EXPR_OP_FLOOR:
            *result = floor(slots[a[0]]);
            break;
        case GCAL_EXPR_OP_STEP:
            *result = slots[a[0]] >= 0;
            break;
        case GCAL_EXPR_OP_SELECT:
            x = slots[a[2]], y = slots[a[3]];
            *result = slots[a[0]] <= slots[a[1]] ? x : y;
            break;
        case GCAL_EXPR_OP_MIN:
        case GCAL_EXPR_OP_MAX:
            x = slots[a[0]];
            for (size_t i = 1; i < step->n_args; i++) {
                y = slots[a[i]];
                if (isnan(y) || (step->op == GCAL_EXPR_OP_MIN ? y < x : y > x))
                    x = y;
            }
            *result = x;
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
