/* named_expr.h - named expressions, which other expressions use by name
 *
 *   memory_rate: p_stream * f_mem_access_tag:stream
 *   memory:      memory_rate + p_store * f_mem_access_global_store
 *
 * Names may use each other in any order.  Parsing an expression with them (expr.h) makes each
 * of them one node of its graph: its value and its derivatives are computed once, however often
 * it is used.  Resolving replaces names by their text instead.
 */
#ifndef GCAL_KERNELS_MODEL_NAMED_EXPR_H
#define GCAL_KERNELS_MODEL_NAMED_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_expr_names; /* opaque */

/* An empty set; NULL with 'err' if memory runs out. */
struct gcal_expr_names *gcal_expr_names_create(struct gcal_error *err);

/* NULL is allowed. */
void gcal_expr_names_destroy(struct gcal_expr_names *names);

/* -1 with "expression 'NAME': ..." for a name that is not [A-Za-z_][A-Za-z0-9_]*, starts
 * with p_ or f_ (other than f_user_), is that of a function or in use, for a text that does not parse, with the
 * column, and for too many names.
 */
int gcal_expr_names_add(struct gcal_expr_names *names, const char *name, const char *text,
                        struct gcal_error *err);

bool gcal_expr_names_has(const struct gcal_expr_names *names, const char *name);

/* The names and their texts, as they were added; NULL has none. */
size_t gcal_expr_names_count(const struct gcal_expr_names *names);
const char *gcal_expr_names_name(const struct gcal_expr_names *names, size_t i);
const char *gcal_expr_names_text(const struct gcal_expr_names *names, size_t i);

/* Checks all of them, used or not: -1 with "expression 'NAME': column N: ..." for one that
 * uses an unknown name, itself (directly or through others), or an unknown feature.
 */
int gcal_expr_names_check(struct gcal_expr_names *names, struct gcal_error *err);

/* -1 with 'err', which begins with "column N: " of 'text' or with "expression 'NAME': column
 * N: ", if 'text' does not parse, or it or a name that it uses has one that is neither p_...,
 * f_... nor in 'names'.
 */
int gcal_expr_names_check_text(const struct gcal_expr_names *names, const char *text,
                               struct gcal_error *err);

/* Those that the texts use, directly or through others, in the order in which they were
 * added; errors as above.  None of NULL.
 */
struct gcal_expr_names *gcal_expr_names_used(const struct gcal_expr_names *names,
                                             size_t n, const char *const *texts,
                                             struct gcal_error *err);

/* 'text' with all names replaced, in parentheses where needed, the caller's to free; it
 * contains p_... and f_... only.  Errors as above.
 */
char *gcal_expr_names_resolve(const struct gcal_expr_names *names, const char *text,
                              struct gcal_error *err);

#endif
