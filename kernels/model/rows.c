/* rows.c - a model's program at many rows: each step for a block of rows at a time
 *
 * Slots of the program are of three kinds, by what they depend on: features alone, which are
 * computed once for each row; no feature, once in a call; and both, the rest.
 */
#include "kernels/model/rows.h"

#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/model.h"
#include "kernels/model/program_private.h"

#define BLOCK GCAL_MODEL_BLOCK

/* What a slot depends on. */
enum source { NOTHING = 0, PARAMETERS = 1, FEATURES = 2, BOTH = PARAMETERS | FEATURES };

/* A cell is what a slot has for a block of rows, BLOCK numbers. */
struct gcal_model_rows {
    const struct gcal_model *model;
    size_t n_rows;
    uint16_t *slots; /* n_known of features that are needed, n_same of no feature, n_both:
                        each in the program's order */
    size_t n_known, n_same, n_both;
    size_t n_first; /* of n_both: those of the value */
    double *known;  /* n_blocks x n_known cells */
};

void gcal_model_rows_destroy(struct gcal_model_rows *rows)
{
    if (!rows)
        return;
    free(rows->slots);
    free(rows->known);
    free(rows);
}

/* ---- slots ---- */

static const struct gcal_model_program *program_of(const struct gcal_model_rows *rows)
{
    return rows->model->program;
}

static size_t count_slots(const struct gcal_model_program *p)
{
    return p->n_symbols + p->n_steps;
}

/* Fills the slot, unless it is that of a symbol. */
static void fill_slot(const struct gcal_model_program *p, size_t slot, double *slots)
{
    if (slot >= p->n_symbols)
        gcal_model_program_run(p, slots, slot - p->n_symbols, slot - p->n_symbols + 1);
}

/* Kinds of slots, and whether a step of both or the caller needs them. */
struct kinds {
    uint8_t source[GCAL_PROGRAM_MAX_SLOTS];
    bool needed[GCAL_PROGRAM_MAX_SLOTS];
};

static void sort_slots(struct gcal_model_rows *rows, const struct kinds *kinds)
{
    const struct gcal_model_program *p = program_of(rows);
    size_t n = count_slots(p), end = 0;

    for (size_t slot = 0; slot < n; slot++)
        if (kinds->source[slot] == FEATURES && kinds->needed[slot])
            rows->slots[end++] = (uint16_t)slot;
    rows->n_known = end;
    for (size_t slot = 0; slot < n; slot++)
        if (!(kinds->source[slot] & FEATURES))
            rows->slots[end++] = (uint16_t)slot;
    rows->n_same = end - rows->n_known;
    for (size_t slot = 0; slot < n; slot++)
        if (kinds->source[slot] == BOTH) {
            rows->slots[end++] = (uint16_t)slot;
            rows->n_first += slot < p->n_symbols + p->n_first;
        }
    rows->n_both = end - rows->n_known - rows->n_same;
}

/* ---- creation ---- */

/* One number of each cell of a block. */
static void fill_row(const struct gcal_model_rows *rows, const struct kinds *kinds,
                     const double *features, double *known)
{
    const struct gcal_model *model = rows->model;
    size_t n = count_slots(model->program);
    double slots[GCAL_PROGRAM_MAX_SLOTS];

    for (size_t k = 0; k < model->n_features; k++)
        slots[model->feature_slots[k]] = features[k];
    for (size_t slot = 0; slot < n; slot++)
        if (!(kinds->source[slot] & PARAMETERS))
            fill_slot(model->program, slot, slots);
    for (size_t i = 0; i < rows->n_known; i++)
        known[i * BLOCK] = slots[rows->slots[i]];
}

/* The last block is filled up with the last row. */
static int fill(struct gcal_model_rows *rows, const double *features,
                struct gcal_error *err)
{
    size_t n_padded = (rows->n_rows + BLOCK - 1) / BLOCK * BLOCK;
    struct kinds kinds = { 0 };

    rows->slots = calloc(count_slots(program_of(rows)) + 1, sizeof(*rows->slots));
    if (!rows->slots)
        return gcal_error_memory(err);
    const struct gcal_model *model = rows->model;
    const struct gcal_model_program *p = model->program;

    for (size_t j = 0; j < model->n_parameters; j++)
        kinds.source[model->parameter_slots[j]] = PARAMETERS;
    for (size_t k = 0; k < model->n_features; k++)
        kinds.source[model->feature_slots[k]] = FEATURES;
    for (size_t i = 0; i < p->n_steps; i++) {
        const uint16_t *args = p->args + p->steps[i].first;
        uint8_t *source = &kinds.source[p->n_symbols + i];

        for (size_t a = 0; a < p->steps[i].n_args; a++)
            *source |= kinds.source[args[a]];
        for (size_t a = 0; *source == BOTH && a < p->steps[i].n_args; a++)
            kinds.needed[args[a]] = true;
    }
    for (size_t i = 0; i < p->n_outputs; i++)
        kinds.needed[p->outputs[i]] = true;
    sort_slots(rows, &kinds);
    if (!(rows->known = calloc(n_padded * rows->n_known + 1, sizeof(*rows->known))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n_padded; i++) {
        size_t row = i < rows->n_rows ? i : rows->n_rows - 1, of_block = i % BLOCK;

        fill_row(rows, &kinds, features + row * rows->model->n_features,
                 rows->known + (i - of_block) * rows->n_known + of_block);
    }
    return 0;
}

struct gcal_model_rows *gcal_model_rows_create(const struct gcal_model *model,
                                               size_t n_rows, const double *features,
                                               struct gcal_error *err)
{
    struct gcal_model_rows *rows = calloc(1, sizeof(*rows));

    if (!rows) {
        gcal_error_memory(err);
        return NULL;
    }
    rows->model = model;
    rows->n_rows = n_rows;
    if (fill(rows, features, err) == 0)
        return rows;
    gcal_model_rows_destroy(rows);
    return NULL;
}

/* ---- evaluation ---- */

struct block {
    const struct gcal_model_rows *rows;
    const double *cell[GCAL_PROGRAM_MAX_SLOTS];    /* by slot */
    double values[GCAL_PROGRAM_MAX_SLOTS * BLOCK]; /* the cells that are not known */
};

/* The block that begins with row 'first'. */
static void enter(struct block *b, size_t first)
{
    const struct gcal_model_rows *rows = b->rows;
    const double *cell = rows->known + first * rows->n_known;

    for (size_t i = 0; i < rows->n_known; i++, cell += BLOCK)
        b->cell[rows->slots[i]] = cell;
}

/* Any operation, row by row. */
static void apply(const struct block *block, const struct gcal_program_step *step,
                  const uint16_t *args, double *result)
{
    double values[GCAL_EXPR_MAX_ARGS];

    for (size_t k = 0; k < BLOCK; k++) {
        for (size_t i = 0; i < step->n_args; i++)
            values[i] = block->cell[args[i]][k];
        result[k] = gcal_expr_op_apply(step->op, step->n_args, values);
    }
}

/* The most frequent operations are in loops that compilers vectorize: without branches, and
 * the result is none of the arguments.
 */
static void run_step(const struct block *block, const struct gcal_program_step *step,
                     const uint16_t *args, double *restrict result)
{
    const double *restrict a = block->cell[args[0]];
    const double *restrict b = block->cell[args[step->n_args > 1]];

    switch (step->op) {
    case GCAL_EXPR_OP_ADD:
        for (size_t k = 0; k < BLOCK; k++)
            result[k] = a[k] + b[k];
        break;
    case GCAL_EXPR_OP_SUB:
        for (size_t k = 0; k < BLOCK; k++)
            result[k] = a[k] - b[k];
        break;
    case GCAL_EXPR_OP_MUL:
        for (size_t k = 0; k < BLOCK; k++)
            result[k] = a[k] * b[k];
        break;
    case GCAL_EXPR_OP_DIV:
        for (size_t k = 0; k < BLOCK; k++)
            result[k] = a[k] / b[k];
        break;
    case GCAL_EXPR_OP_POWI:
        for (size_t k = 0; k < BLOCK; k++)
            result[k] = gcal_expr_integer_power(a[k], (unsigned)step->number);
        break;
    case GCAL_EXPR_OP_SELECT: {
        const double *restrict lower = block->cell[args[2]];
        const double *restrict higher = block->cell[args[3]];

        for (size_t k = 0; k < BLOCK; k++) {
            double x = lower[k], y = higher[k];

            result[k] = a[k] <= b[k] ? x : y;
        }
        break;
    }
    default:
        apply(block, step, args, result);
    }
}

/* The first n steps of both. */
static void run(struct block *b, size_t n)
{
    const struct gcal_model_rows *rows = b->rows;
    const struct gcal_model_program *p = program_of(rows);
    const uint16_t *both = rows->slots + rows->n_known + rows->n_same;
    double *result = b->values + rows->n_same * BLOCK;

    for (size_t i = 0; i < n; i++, result += BLOCK) {
        const struct gcal_program_step *step = &p->steps[both[i] - p->n_symbols];

        run_step(b, step, p->args + step->first, result);
    }
}

/* Output i of the block's first n rows, 'stride' apart. */
static void take(const struct block *b, size_t i, size_t n, size_t stride, double *to)
{
    const double *cell = b->cell[program_of(b->rows)->outputs[i]];

    for (size_t k = 0; k < n; k++)
        to[k * stride] = cell[k];
}

void gcal_model_rows_eval(const struct gcal_model_rows *rows, size_t first, size_t n,
                          const double *parameters, double *values, double *gradients)
{
    size_t n_parameters = rows->model->n_parameters;
    struct block block; /* large, and filled as far as it is used */

    /* What all blocks have in common. */
    const struct gcal_model *model = rows->model;
    const uint16_t *same = rows->slots + rows->n_known;
    double slots[GCAL_PROGRAM_MAX_SLOTS], *cell = block.values;

    block.rows = rows;
    for (size_t j = 0; j < model->n_parameters; j++)
        slots[model->parameter_slots[j]] = parameters[j];
    for (size_t i = 0; i < rows->n_same + rows->n_both; i++, cell += BLOCK) {
        block.cell[same[i]] = cell;
        if (i >= rows->n_same)
            continue;
        fill_slot(model->program, same[i], slots);
        for (size_t k = 0; k < BLOCK; k++)
            cell[k] = slots[same[i]];
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t n_left = n - i < BLOCK ? n - i : BLOCK;

        enter(&block, first + i);
        run(&block, gradients ? rows->n_both : rows->n_first);
        take(&block, 0, n_left, 1, values + i);
        for (size_t j = 0; gradients && j < n_parameters; j++)
            take(&block, j + 1, n_left, n_parameters, gradients + i * n_parameters + j);
    }
}
