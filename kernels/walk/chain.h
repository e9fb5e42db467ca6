/* chain.h - chains of operations; within kernels/walk
 *
 * A value has, for each origin that it follows from, the longest path of operations from
 * there.  No chain (NULL) is that of a value without operations.
 */
#ifndef GCAL_KERNELS_WALK_CHAIN_H
#define GCAL_KERNELS_WALK_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/source/source.h"

struct gcal_poly;
struct gcal_walk;
struct gcal_walk_loop_clauses;
struct gcal_walk_lvalue;
struct gcal_walk_value;

enum { GCAL_WALK_MOST_ORIGINS = 12 };

/* 'before', then an operation, or 'times' (NULL: once) another path. */
struct gcal_walk_serial {
    const struct gcal_walk_serial *before, *part;
    const char *dtype, *op; /* NULL: 'part' */
    const struct gcal_poly *times;
    double weight; /* of all, unknown sizes taken as a typical one */
};

struct gcal_walk_link {
    unsigned origin;            /* 0: the kernel's beginning */
    const struct gcal_poly *at; /* of an array: where its value was loaded; or NULL */
    bool once; /* in an array: to the element that it was loaded from, another one in each
                  iteration of the origin's loop */
    const struct gcal_walk_serial *path;
};

struct gcal_walk_chain {
    size_t n;
    struct gcal_walk_link all[GCAL_WALK_MOST_ORIGINS];
};

/* What a variable, a part of it, or an array in local memory follows from. */
struct gcal_walk_chained {
    CXCursor decl; /* null: an array of the nest, */
    unsigned array;
    int64_t from, size; /* bytes of the variable */
    const struct gcal_walk_chain *chain;
};

struct gcal_walk_chains {
    size_t n, capacity;
    struct gcal_walk_chained *all;
    struct gcal_walk_chained sink;     /* all that is stored to memory */
    struct gcal_walk_chain_loop *loop; /* around */
    unsigned n_origins;
    size_t n_paths;
    bool lost; /* there are too many */
};

/* A copy of all, in memory of the context. */
struct gcal_walk_chains_saved {
    size_t n;
    struct gcal_walk_chained sink;
    struct gcal_walk_chained all[];
};

/* ---- chain.c ---- */
/* Returns whether chains are counted here. */
bool gcal_walk_chain_counts(struct gcal_walk *w);
double gcal_walk_serial_weight(const struct gcal_walk_serial *path);
struct gcal_walk_serial *gcal_walk_serial_new(struct gcal_walk *w,
                                              const struct gcal_walk_serial *before);
/* 'nominal': a number for 'times'. */
const struct gcal_walk_serial *
gcal_walk_serial_join(struct gcal_walk *w, const struct gcal_walk_serial *before,
                      const struct gcal_walk_serial *part, const struct gcal_poly *times,
                      double nominal);
const struct gcal_walk_link *gcal_walk_chain_find(const struct gcal_walk_chain *chain,
                                                  unsigned origin);
struct gcal_walk_chain *gcal_walk_chain_new(struct gcal_walk *w);
/* Adds a link, or the longer of two of one origin. */
void gcal_walk_chain_put(struct gcal_walk_chain *chain, struct gcal_walk_link link);
const struct gcal_walk_chain *gcal_walk_chain_union(struct gcal_walk *w,
                                                    const struct gcal_walk_chain *a,
                                                    const struct gcal_walk_chain *b);
/* 'of', then an operation. */
const struct gcal_walk_chain *gcal_walk_chain_operate(struct gcal_walk *w, CXType type,
                                                      const char *op,
                                                      const struct gcal_walk_chain *of);
/* Sets the chain of the result of an operation (NULL: none) on 'a' and 'b'; integers and
 * pointers that are known have none.
 */
void gcal_walk_chain_result(struct gcal_walk *w, struct gcal_walk_value *value,
                            CXType type, const char *op, const struct gcal_walk_chain *a,
                            const struct gcal_walk_chain *b);
/* The longest of the kernel, into the nest. */
void gcal_walk_chain_finish(struct gcal_walk *w);

/* ---- chain.c: the chains of variables, elements and arrays in local memory ---- */
/* Of a variable or element. */
const struct gcal_walk_chain *gcal_walk_chain_load(struct gcal_walk *w,
                                                   const struct gcal_walk_lvalue *lvalue);
void gcal_walk_chain_store(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue,
                           const struct gcal_walk_chain *chain);
void gcal_walk_chain_declare(struct gcal_walk *w, CXCursor decl,
                             const struct gcal_walk_chain *chain);
/* What is loaded from memory. */
const struct gcal_walk_chain *gcal_walk_chain_memory(struct gcal_walk *w,
                                                     enum gcal_feature_space space,
                                                     CXType type,
                                                     struct gcal_walk_value pointer);
void gcal_walk_chain_to_memory(struct gcal_walk *w, enum gcal_feature_space space,
                               struct gcal_walk_value pointer,
                               const struct gcal_walk_chain *chain);
struct gcal_walk_chains_saved *gcal_walk_chains_save(struct gcal_walk *w);
void gcal_walk_chains_restore(struct gcal_walk *w,
                              const struct gcal_walk_chains_saved *saved);
/* Either the present ones or 'yes', by a condition that follows from 'condition'. */
void gcal_walk_chains_merge(struct gcal_walk *w, const struct gcal_walk_chains_saved *yes,
                            const struct gcal_walk_chain *condition);

/* ---- chain_loop.c ---- */
struct gcal_walk_chain_loop;
/* Before the first iteration; NULL: chains are not counted. */
struct gcal_walk_chain_loop *
gcal_walk_chain_enter(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                      unsigned dimension);
/* The dimension of the loop that an origin is of. */
unsigned gcal_walk_chain_dimension(const struct gcal_walk *w, unsigned origin);
/* After one iteration, of 'trips' in all. */
void gcal_walk_chain_leave(struct gcal_walk *w, struct gcal_walk_chain_loop *frame,
                           const struct gcal_poly *trips);

#endif
