/* roofs.h - the limits of a device by name, as a model has them
 *
 * A roof is the time that a kernel would take if one resource of the device were all that
 * counts (arithmetic, memory, ...): an expression in seconds, in parameters and features of
 * its model.  The roof with the longest time binds the kernel.
 */
#ifndef GCAL_KERNELS_MODEL_ROOFS_H
#define GCAL_KERNELS_MODEL_ROOFS_H

#include <stddef.h>

struct gcal_error;
struct gcal_expr_names;
struct gcal_model;
struct gcal_model_parts;
struct gcal_yaml;
struct gcal_yaml_writer;

/* Of one model: their times are kept on the stack. */
#define GCAL_ROOFS_MAX 32

struct gcal_roof {
    char *name;       /* "dram" */
    char *expression; /* in parameters, features and named expressions */
};

/* All zero: none. */
struct gcal_roofs {
    size_t n;
    struct gcal_roof *roofs;
};

/* 'roofs' of 'map', a model of a configuration or of a parameter file, if it is there: a
 * map of name: expression, or a list of 'names' (NULL: there are none, and expressions are
 * not checked).  Clear 'roofs' in any case.
 */
int gcal_roofs_read(const struct gcal_yaml *map, const struct gcal_expr_names *names,
                    struct gcal_roofs *roofs, struct gcal_error *err);
/* The key with its map; nothing without roofs. */
void gcal_roofs_write(struct gcal_yaml_writer *w, const struct gcal_roofs *roofs);
void gcal_roofs_clear(struct gcal_roofs *roofs);

/* Roofs that can be evaluated; needs none of its arguments any more. */
struct gcal_roofs_program;

/* 'names': those of the expressions; NULL: none.  NULL with 'err', which begins with "roof
 * 'NAME': ", if an expression does not parse or has a parameter or a feature that the model's
 * expression has not.
 */
struct gcal_roofs_program *gcal_roofs_compile(const struct gcal_roofs *roofs,
                                              const struct gcal_expr_names *names,
                                              const struct gcal_model *model,
                                              struct gcal_error *err);
void gcal_roofs_program_destroy(struct gcal_roofs_program *program);

size_t gcal_roofs_count(const struct gcal_roofs_program *program);
/* Owned by the program. */
const char *gcal_roofs_name(const struct gcal_roofs_program *program, size_t i);
/* The roofs' expressions, in their order. */
const struct gcal_model_parts *gcal_roofs_parts(const struct gcal_roofs_program *program);
/* Of the expressions' values: one that is not finite becomes 0.  Returns the roof with the
 * longest time, or the number of roofs where all are 0.
 */
size_t gcal_roofs_longest(const struct gcal_roofs_program *program, double *seconds);

#endif
