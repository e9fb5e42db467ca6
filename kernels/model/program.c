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

/* 0 and -0 differ. */
static bool same(const struct gcal_program_builder *b, const struct gcal_program_step *x,
                 const struct gcal_program_step *y, const uint32_t *y_args)
{
    uint64_t x_bits, y_bits;

    memcpy(&x_bits, &x->number, sizeof(x_bits));
    memcpy(&y_bits, &y->number, sizeof(y_bits));
    return x->op == y->op && x->n_args == y->n_args && x_bits == y_bits &&
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
    uint64_t bits, h;

    memcpy(&bits, &step.number, sizeof(bits));
    h = (bits + step.op) * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < step.n_args; i++)
        h = (h ^ h >> 29 ^ args[i]) * 0x9e3779b97f4a7c15;
    uint32_t *head = &b->heads[(h >> 32 & (N_CHAINS - 1))], i = *head;

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

/* A step that outputs need.  Steps run in the order of this struct's fields: those of one level
 * do not need each other, so that steps of the same operation follow one another.
 */
struct place {
    bool later; /* not of the program's first steps */
    uint32_t level;
    uint16_t op;
    uint32_t step;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->later != y->later)
        return x->later - y->later;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->op != y->op)
        return (int)x->op - (int)y->op;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* By step of the builder. */
struct fates {
    bool *needed;
    uint32_t *level;
    uint32_t *last; /* the place of the step that uses it last, plus 1; 0: it stays */
    uint16_t *slot;
    struct place *order;
    size_t n_order;
    uint16_t free[GCAL_PROGRAM_MAX_SLOTS];
    size_t n_free, n_slots;
};

static bool is_step(const struct gcal_program_builder *b, uint32_t value)
{
    return value >= b->n_symbols && !number_of(b, value);
}

static void order_steps(struct fates *f, const struct gcal_program_builder *b,
                        const uint32_t *outputs, size_t n_outputs)
{
    size_t n = b->n_symbols;

    for (size_t i = 0; i < n_outputs; i++)
        if (outputs[i] >= n)
            f->needed[outputs[i] - n] = true;
    for (size_t i = b->n_steps; i-- > 0;)
        for (size_t k = 0; k < b->steps[i].n_args && f->needed[i]; k++)
            if (b->args[b->steps[i].first + k] >= n)
                f->needed[b->args[b->steps[i].first + k] - n] = true;
    for (size_t i = 0; i < b->n_steps; i++) {
        const struct gcal_program_step *step = &b->steps[i];

        if (!f->needed[i] || step->op == GCAL_EXPR_OP_NUMBER)
            continue;
        for (size_t k = 0; k < step->n_args; k++) {
            uint32_t arg = b->args[step->first + k];

            if (is_step(b, arg) && f->level[arg - n] >= f->level[i])
                f->level[i] = f->level[arg - n] + 1;
        }
        f->order[f->n_order++] =
            (struct place){ i >= b->n_first, f->level[i], step->op, (uint32_t)i };
    }
    qsort(f->order, f->n_order, sizeof(*f->order), compare_places);
    for (size_t i = 0; i < f->n_order; i++) {
        const struct gcal_program_step *step = &b->steps[f->order[i].step];

        for (size_t k = 0; k < step->n_args; k++)
            if (is_step(b, b->args[step->first + k]))
                f->last[b->args[step->first + k] - n] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < n_outputs; i++)
        if (outputs[i] >= n)
            f->last[outputs[i] - n] = 0;
}

static int refuse_length(const struct gcal_program_builder *b)
{
    return gcal_error_set(b->err, GCAL_EINPUT,
                          "the kernel's counts are too long for a prediction");
}

/* Only what outputs need, numbers before all steps, in slots that are used again. */
static int take_needed(struct gcal_model_program *p, const struct gcal_program_builder *b,
                       const uint32_t *outputs, struct fates *f)
{
    size_t n = b->n_symbols;

    order_steps(f, b, outputs, p->n_outputs);
    for (size_t i = 0; i < b->n_steps; i++)
        if (f->needed[i] && b->steps[i].op == GCAL_EXPR_OP_NUMBER) {
            if (n + p->n_constants == GCAL_PROGRAM_MAX_SLOTS)
                return refuse_length(b);
            f->slot[i] = (uint16_t)(n + p->n_constants);
            p->constants[p->n_constants++] = b->steps[i].number;
        }
    f->n_slots = n + p->n_constants;
    for (size_t i = 0; i < f->n_order; i++) {
        struct gcal_program_step *step = &p->steps[p->n_steps++];
        const uint32_t *args = b->args + b->steps[f->order[i].step].first;

        *step = b->steps[f->order[i].step];
        step->first = (uint32_t)p->n_args;
        p->n_first += !f->order[i].later;
        for (size_t k = 0; k < step->n_args; k++) {
            p->args[p->n_args++] = args[k] < n ? (uint16_t)args[k] : f->slot[args[k] - n];
            if (!is_step(b, args[k]) || f->last[args[k] - n] != i + 1)
                continue;
            f->free[f->n_free++] = f->slot[args[k] - n];
            f->last[args[k] - n] = 0; /* once, also where it is both arguments */
        }
        if (!f->n_free && f->n_slots == GCAL_PROGRAM_MAX_SLOTS)
            return refuse_length(b);
        step->result = f->n_free ? f->free[--f->n_free] : (uint16_t)f->n_slots++;
        f->slot[f->order[i].step] = step->result;
    }
    for (size_t i = 0; i < p->n_outputs; i++)
        p->outputs[i] = outputs[i] < n ? (uint16_t)outputs[i] : f->slot[outputs[i] - n];
    return 0;
}

static int take_folded(struct gcal_model_program *p, const struct gcal_program_builder *b,
                       const uint32_t *outputs)
{
    struct fates *f = calloc(1, sizeof(*f));
    size_t n = b->n_steps + 1;
    int rc;

    if (!f)
        return gcal_error_memory(b->err);
    f->needed = calloc(n, sizeof(*f->needed));
    f->level = calloc(n, sizeof(*f->level));
    f->last = calloc(n, sizeof(*f->last));
    f->slot = calloc(n, sizeof(*f->slot));
    f->order = calloc(n, sizeof(*f->order));
    rc = f->needed && f->level && f->last && f->slot && f->order
             ? take_needed(p, b, outputs, f)
             : gcal_error_memory(b->err);
    free(f->needed);
    free(f->level);
    free(f->last);
    free(f->slot);
    free(f->order);
    free(f);
    return rc;
}

struct gcal_model_program *gcal_program_finish(struct gcal_program_builder *b,
                                               size_t n_outputs, const uint32_t *outputs)
{
    struct gcal_model_program *p = calloc(1, sizeof(*p));
    int rc = -1;

    if (!p) {
        gcal_error_memory(b->err);
        return NULL;
    }
    p->n_symbols = b->n_symbols;
    p->n_outputs = n_outputs;
    /* Evaluation points into both, even for a single number or name. */
    p->steps = calloc(b->n_steps + 1, sizeof(*p->steps));
    p->args = calloc(b->n_args + 1, sizeof(*p->args));
    p->outputs = calloc(n_outputs + 1, sizeof(*p->outputs));
    p->constants = calloc(b->n_steps + 1, sizeof(*p->constants));
    if (!p->steps || !p->args || !p->outputs || !p->constants)
        gcal_error_memory(b->err);
    else
        rc = b->folds ? take_folded(p, b, outputs) : take_all(p, b, outputs);
    if (rc == 0)
        return p;
    gcal_model_program_destroy(p);
    return NULL;
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

/* As gcal_expr_op_apply() has them. */
static inline double select_slot(const double *slots, const uint16_t *a)
{
    double x = slots[a[2]], y = slots[a[3]];

    return slots[a[0]] <= slots[a[1]] ? x : y;
}

static inline double min_slot(const double *slots, const uint16_t *a, size_t n)
{
    double best = slots[a[0]];

    for (size_t i = 1; i < n; i++)
        if (isnan(slots[a[i]]) || slots[a[i]] < best)
            best = slots[a[i]];
    return best;
}

static inline double max_slot(const double *slots, const uint16_t *a, size_t n)
{
    double best = slots[a[0]];

    for (size_t i = 1; i < n; i++)
        if (isnan(slots[a[i]]) || slots[a[i]] > best)
            best = slots[a[i]];
    return best;
}

/* The rest of a run of steps with the same operation. */
#define EACH(operation, expression)                                                      \
    case operation:                                                                      \
        do {                                                                             \
            a = program->args + step->first;                                             \
            slots[step->result] = (expression);                                          \
        } while (++step < last && step->op == (operation));                              \
        break

void gcal_model_program_run(const struct gcal_model_program *program, double *slots,
                            size_t first, size_t end)
{
    const struct gcal_program_step *step = program->steps + first,
                                   *last = program->steps + end;
    const uint16_t *a;

    while (step < last)
        switch (step->op) {
            EACH(GCAL_EXPR_OP_NUMBER, step->number);
            EACH(GCAL_EXPR_OP_ADD, slots[a[0]] + slots[a[1]]);
            EACH(GCAL_EXPR_OP_SUB, slots[a[0]] - slots[a[1]]);
            EACH(GCAL_EXPR_OP_MUL, slots[a[0]] * slots[a[1]]);
            EACH(GCAL_EXPR_OP_DIV, slots[a[0]] / slots[a[1]]);
            EACH(GCAL_EXPR_OP_NEG, -slots[a[0]]);
            EACH(GCAL_EXPR_OP_POWI,
                 gcal_expr_integer_power(slots[a[0]], (unsigned)step->number));
            EACH(GCAL_EXPR_OP_STEP, slots[a[0]] >= 0);
            EACH(GCAL_EXPR_OP_SELECT, select_slot(slots, a));
            EACH(GCAL_EXPR_OP_MIN, min_slot(slots, a, step->n_args));
            EACH(GCAL_EXPR_OP_MAX, max_slot(slots, a, step->n_args));
        default:
            a = program->args + step->first;
            double values[GCAL_EXPR_MAX_ARGS];

            for (size_t i = 0; i < step->n_args; i++)
                values[i] = slots[a[i]];
            slots[step->result] = gcal_expr_op_apply(step->op, step->n_args, values);
            step++;
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
