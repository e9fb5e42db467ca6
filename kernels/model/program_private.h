/* program_private.h - the steps of a program, and how programs are built */
#ifndef GCAL_KERNELS_MODEL_PROGRAM_PRIVATE_H
#define GCAL_KERNELS_MODEL_PROGRAM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/model/expr_private.h"
#include "kernels/model/program.h"

struct gcal_program_step {
    uint16_t op, n_args, result; /* the slot that it fills */
    uint32_t first;              /* of its slots, in 'args' */
    double number;               /* also the power of GCAL_EXPR_OP_POWI */
};

struct gcal_model_program {
    size_t n_symbols;  /* the first slots; step i of a model fills slot n_symbols + i */
    double *constants; /* of a program that is folded: they fill the next slots */
    size_t n_constants;
    struct gcal_program_step *steps;
    size_t n_steps;
    uint16_t *args; /* slots */
    size_t n_args;
    size_t n_first; /* steps of the values; derivatives follow */
    size_t n_roots, n_outputs;
    uint16_t *outputs; /* the slots of values and derivatives */
};

/* A program that is being built.  A value is a symbol, by its number, or what a step gives;
 * UINT32_MAX with 'err' where it cannot be made, and of arguments of which one is.  If it 'folds', what follows from
 * numbers alone is computed while it is built, and what no output needs is left out.
 */
struct gcal_program_builder;
struct gcal_program_builder *gcal_program_builder_create(size_t n_symbols, bool folds,
                                                         struct gcal_error *err);
void gcal_program_builder_destroy(struct gcal_program_builder *builder);
uint32_t gcal_program_number(struct gcal_program_builder *builder, double number);
/* Returns whether the value is known to be this number. */
bool gcal_program_is(const struct gcal_program_builder *builder, uint32_t value,
                     double number);
/* 'number': the power of GCAL_EXPR_OP_POWI, else 0. */
uint32_t gcal_program_call(struct gcal_program_builder *builder, enum gcal_expr_op op,
                           double number, size_t n_args, const uint32_t *args);
/* 'symbols': the values of the expression's symbols. */
uint32_t gcal_program_add_expr(struct gcal_program_builder *builder,
                               const struct gcal_expr *expr, const uint32_t *symbols);
/* The values of the first outputs of another program, likewise. */
int gcal_program_add_program(struct gcal_program_builder *builder,
                             const struct gcal_model_program *program,
                             const uint32_t *symbols, size_t n_outputs,
                             uint32_t *outputs);
/* What was placed until now are the program's first steps. */
void gcal_program_end_first(struct gcal_program_builder *builder);
/* NULL with 'err'. */
struct gcal_model_program *gcal_program_finish(struct gcal_program_builder *builder,
                                               size_t n_outputs, const uint32_t *outputs);

/* Steps first .. end - 1. */
void gcal_model_program_run(const struct gcal_model_program *program, double *slots,
                            size_t first, size_t end);

#endif
