/* private.h - from the nest of loops to the profile (count*.c) */
#ifndef GCAL_KERNELS_COUNT_PRIVATE_H
#define GCAL_KERNELS_COUNT_PRIVATE_H

#include "calib/model/profile.h"
#include "kernels/request.h"
#include "kernels/sets/sets.h"

struct gcal_buf;
struct gcal_count_request;

/* Characters; a little less than an expression may have, as some are joined. */
enum { GCAL_COUNT_MAX_LENGTH = 60000 };

/* Names, each once. */
struct gcal_count_names {
    size_t n, capacity;
    char **names;
};

int gcal_count_names_add(struct gcal_count_names *names, const char *name,
                         struct gcal_error *err);
void gcal_count_names_clear(struct gcal_count_names *names);

/* 'order': names whose parameters come first. */
struct gcal_profile *gcal_count_build_profile(struct gcal_sets_nest *nest,
                                              const struct gcal_count_request *request,
                                              const char *kernel, const char *assumptions,
                                              const struct gcal_count_names *order,
                                              struct gcal_error *err);

/* ---- a profile in the making; the first failure sticks ---- */

/* Estimated, and noted. */
struct gcal_count_explained {
    const struct gcal_sets_scope *scope;
    enum gcal_sets_count_mode mode;
};

enum gcal_count_component_kind {
    GCAL_COUNT_COMPONENT_MEMORY,
    GCAL_COUNT_COMPONENT_ONCHIP,
    GCAL_COUNT_N_COMPONENTS
};

/* Sums; NULL: nothing yet. */
struct gcal_count_component {
    const struct gcal_poly *sub_groups; /* counted as gcal_count_sub_group_mode() says */
    const struct gcal_poly *others;
    bool estimated;
};

struct gcal_count_builder {
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    const struct gcal_count_request *request;
    struct gcal_profile *profile;
    struct gcal_count_names used; /* parameters in any text */
    struct gcal_count_component parts[GCAL_COUNT_N_COMPONENTS];
    size_t n_explained, explained_capacity;
    struct gcal_count_explained *explained;
    bool failed;
    struct gcal_error *err;
};

/* A copy that the profile owns. */
char *gcal_count_builder_copy(struct gcal_count_builder *m, const char *text);
/* Such texts of a polynomial, whose parameters become the profile's: as it is, and of a
 * number of sub-groups, counted in the mode below.
 */
char *gcal_count_builder_text(struct gcal_count_builder *m, const struct gcal_poly *p);
char *gcal_count_builder_sub_group_text(struct gcal_count_builder *m,
                                        const struct gcal_poly *p);
/* The same, in the context's memory. */
const char *gcal_count_builder_name_text(struct gcal_count_builder *m,
                                         const struct gcal_poly *p);
struct gcal_profile_entry *
gcal_count_builder_add(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                       enum gcal_profile_granularity granularity, const char *feature);

/* ---- counter.c ---- */

struct gcal_count_counter {
    const struct gcal_poly *count;
    bool estimated;
};

struct gcal_count_counter gcal_count_counter_zero(struct gcal_count_builder *m);
/* Adds what happens 'times' in 'scope'.  What cannot be counted exactly is noted, and
 * refused unless both sides of a condition on data are all there is to it, or the
 * request takes estimates.
 */
void gcal_count_counter_add(struct gcal_count_builder *m,
                            struct gcal_count_counter *counter,
                            const struct gcal_sets_scope *scope,
                            enum gcal_sets_count_mode mode, int64_t times);
/* 'scope' without the conditions on data, whose notes the front end has written. */
const struct gcal_sets_scope *gcal_count_known_scope(struct gcal_count_builder *m,
                                                     const struct gcal_sets_scope *scope);
/* How sub-groups are counted: by themselves when their size is known, else by groups. */
enum gcal_sets_count_mode gcal_count_sub_group_mode(const struct gcal_count_builder *m);
/* 'what' is not known exactly, and what is 'done' instead ("counted as ..."): noted, or
 * refused when the request takes no estimates.
 */
void gcal_count_builder_estimate(struct gcal_count_builder *m, int line, int column,
                                 const char *what, const char *done);

/* ---- op.c, access.c: the entries ---- */
void gcal_count_builder_add_ops(struct gcal_count_builder *m);
void gcal_count_builder_add_branches(struct gcal_count_builder *m);
void gcal_count_builder_add_accesses(struct gcal_count_builder *m);
void gcal_count_builder_add_ndrange(
    struct gcal_count_builder *m); /* barriers, launch, sizes */

/* ---- component.c ---- */

void gcal_count_builder_add_to_component(struct gcal_count_builder *m,
                                         enum gcal_count_component_kind part,
                                         const struct gcal_poly *count, bool by_sub_group,
                                         bool estimated);
void gcal_count_builder_add_components(
    struct gcal_count_builder *m); /* when all else is there */

/* ---- bank_conflict.c ---- */

/* The most distinct 32-bit words in one of 'n_banks' banks that lanes touch, each
 * 'bytes' from offset[lane] on (bytes, of any sign); 0 without memory.
 */
size_t gcal_count_bank_conflict(size_t n_lanes, const int64_t *offset, size_t bytes,
                                size_t n_banks);
/* Those of the first sub-group's lanes; 0 where they are not known. */
size_t gcal_count_access_bank_conflict(struct gcal_count_builder *m,
                                       const struct gcal_sets_access_event *event);

#endif
