/* program_private.h - the steps of a program, shared by program.c and rows.c */
#ifndef GCAL_KERNELS_MODEL_PROGRAM_PRIVATE_H
#define GCAL_KERNELS_MODEL_PROGRAM_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/model/program.h"

/* Step i fills slot n_symbols + i. */
struct gcal_program_step {
    uint16_t op, n_args;
    uint32_t first; /* of its slots, in 'args' */
    double number;  /* also the power of GCAL_EXPR_OP_POWI */
};

struct gcal_model_program {
    size_t n_symbols;
    struct gcal_program_step *steps;
    size_t n_steps, steps_capacity;
    uint16_t *args; /* slots */
    size_t n_args, args_capacity;
    size_t n_first; /* steps of the values; derivatives follow */
    size_t n_roots, n_outputs;
    uint16_t *outputs; /* the slots of values and derivatives */
};

/* Steps first .. end - 1. */
void gcal_model_program_run(const struct gcal_model_program *program, double *slots,
                            size_t first, size_t end);

#endif
