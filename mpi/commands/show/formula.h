/* formula.h - the expression of a model, for people and as JSON */
#ifndef GCAL_MPI_COMMANDS_SHOW_FORMULA_H
#define GCAL_MPI_COMMANDS_SHOW_FORMULA_H

#include <jansson.h>

struct gcal_params_model;

/* The expression, after what is in the line already where it is short and without names.
 * Otherwise in lines of its own, as all its named expressions are, in the file's order:
 *
 *       time = p_madd*flops + p_launch*f_sync_kernel_launch
 *       where
 *         flops = ...
 */
void gcal_formula_print(const struct gcal_params_model *model);

/* Adds "expression", and "expressions" and "roofs" where there are any. */
void gcal_formula_add_json(json_t *all, const struct gcal_params_model *model);

#endif
