/* named_expr.h - named expressions, which other expressions use by name
 *
 *   memory_rate: p_stream * f_mem_access_tag:stream
 *   memory:      memory_rate + p_store * f_mem_access_global_store
 *
 * Resolving replaces names by their text, in parentheses where needed: the result contains
 * p_... and f_... only.  Names may use each other in any order.
 */
#ifndef GCAL_CALIB_MODEL_NAMED_EXPR_H
#define GCAL_CALIB_MODEL_NAMED_EXPR_H

#include <stdbool.h>

struct gcal_error;
struct gcal_expr_names; /* opaque */

/* An empty set; NULL with 'err' if memory runs out. */
struct gcal_expr_names *gcal_expr_names_create(struct gcal_error *err);

/* NULL is allowed. */
void gcal_expr_names_destroy(struct gcal_expr_names *names);

/* -1 with "expression 'NAME': ..." for a name that is not [A-Za-z_][A-Za-z0-9_]*, starts
 * with p_ or f_, is that of a function or in use, and for a text that does not parse, with
 * the column.
 */
int gcal_expr_names_add(struct gcal_expr_names *names, const char *name, const char *text,
                        struct gcal_error *err);

bool gcal_expr_names_has(const struct gcal_expr_names *names, const char *name);

/* Checks that all of them can be resolved, used or not: -1 with "expression 'NAME': ..."
 * for one that uses an unknown name, itself (directly or through others), or an unknown
 * feature.
 */
int gcal_expr_names_check(const struct gcal_expr_names *names, struct gcal_error *err);

/* 'text' with all names replaced, the caller's to free.  NULL with 'err', which begins with
 * "column N: " of 'text' or with "expression 'NAME': column N: ", if it does not parse or
 * uses a name that is neither p_..., f_... nor in 'names' (NULL: no names).
 */
char *gcal_expr_names_resolve(const struct gcal_expr_names *names, const char *text,
                              struct gcal_error *err);

#endif
