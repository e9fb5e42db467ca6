/* named_expr.h - named expressions that others use by name
 *
 *   memory_rate: p_stream * f_mem_access_tag:stream
 *   memory:      memory_rate + p_store * f_mem_access_global_store
 *
 * Resolving writes them out, as text, in parentheses where they are needed: what comes
 * out holds p_... and f_... alone.  Names may use each other in any order.
 */
#ifndef GCAL_CALIB_MODEL_NAMED_EXPR_H
#define GCAL_CALIB_MODEL_NAMED_EXPR_H

#include <stdbool.h>

struct gcal_error;
struct gcal_expr_names; /* opaque */

/* An empty set; NULL with 'err' when memory ran out. */
struct gcal_expr_names *gcal_expr_names_create(struct gcal_error *err);

/* Does nothing when 'names' is NULL. */
void gcal_expr_names_destroy(struct gcal_expr_names *names);

/* -1 with "expression 'NAME': ..." for a name that is not [A-Za-z_][A-Za-z0-9_]*, starts
 * with p_ or f_, is a function's or there already, and for a text that does not parse,
 * with the column in it.
 */
int gcal_expr_names_add(struct gcal_expr_names *names, const char *name, const char *text,
                        struct gcal_error *err);

bool gcal_expr_names_has(const struct gcal_expr_names *names, const char *name);

/* Whether all of them can be written out, used or not: -1 with "expression 'NAME': ..."
 * for one that uses an unknown name, or itself by way of others, or a feature that does
 * not exist.
 */
int gcal_expr_names_check(const struct gcal_expr_names *names, struct gcal_error *err);

/* 'text' with every name written out, the caller's to free.  NULL with 'err', which
 * begins with "column N: " of 'text' or with "expression 'NAME': column N: ", when it
 * does not parse or uses a name that is neither p_..., f_... nor in 'names' (which may
 * be NULL: there are none).
 */
char *gcal_expr_names_resolve(const struct gcal_expr_names *names, const char *text,
                              struct gcal_error *err);

#endif
