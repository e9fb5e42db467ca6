/* names.h - the named expressions that a model's expression and roofs use, as YAML
 *
 * See kernels/model/named_expr.h for what they mean.
 */
#ifndef GCAL_KERNELS_MODEL_ROOFS_NAMES_H
#define GCAL_KERNELS_MODEL_ROOFS_NAMES_H

struct gcal_error;
struct gcal_expr_names;
struct gcal_yaml;
struct gcal_yaml_writer;

/* 'expressions' of 'map', a configuration or a model of a parameter file: a map of name:
 * expression, checked; empty if the key is absent.  -1 with "FILE:LINE:COLUMN: " of the
 * expression that is wrong.
 */
int gcal_roofs_names_read(const struct gcal_yaml *map, struct gcal_expr_names **names,
                          struct gcal_error *err);
/* The key with its map; nothing without names. */
void gcal_roofs_names_write(struct gcal_yaml_writer *w,
                            const struct gcal_expr_names *names);

#endif
