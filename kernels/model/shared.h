/* shared.h - sub-expressions that several expressions have in common
 *
 * Counts of one kernel repeat the same long pieces, as guards are around many events.  A
 * profile names such pieces once, in definitions: expressions in sizes and in earlier
 * definitions.  A piece is a function call or parentheses, or a whole expression.
 */
#ifndef GCAL_KERNELS_MODEL_SHARED_H
#define GCAL_KERNELS_MODEL_SHARED_H

#include <stddef.h>

struct gcal_error;

struct gcal_shared_definition {
    char *name, *text; /* text: in earlier definitions */
};

/* Starts as { 0 }. */
struct gcal_shared {
    size_t n_definitions, definition_capacity;
    struct gcal_shared_definition *definitions;
    size_t n_nodes, node_capacity, n_slots; /* during the search */
    struct gcal_shared_node *nodes;
    size_t *slots; /* a hash table of nodes */
};

void gcal_shared_clear(struct gcal_shared *shared);

/* Defines the long pieces that occur more than once in 'texts', which stay in use until
 * the end; names c1, c2, ... are none of the 'n_taken' ones.
 */
int gcal_shared_find(struct gcal_shared *shared, size_t n, const char *const *texts,
                     size_t n_taken, const char *const *taken, struct gcal_error *err);

/* One of these texts with definitions in place of pieces; the caller's to free. */
char *gcal_shared_shorten(const struct gcal_shared *shared, const char *text,
                          struct gcal_error *err);

/* Adds a definition of a profile, in sizes alone. */
int gcal_shared_define(struct gcal_shared *shared, const char *name, const char *text,
                       struct gcal_error *err);

/* 'text' with the texts of definitions in place of their names, the caller's to free; at
 * most 'longest' characters.
 */
char *gcal_shared_expand(const struct gcal_shared *shared, const char *text,
                         size_t longest, struct gcal_error *err);

#endif
