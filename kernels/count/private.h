/* count_private.h - from the nest of loops to the profile (count*.c) */
#ifndef GCAL_KERNELS_COUNT_PRIVATE_H
#define GCAL_KERNELS_COUNT_PRIVATE_H

#include "calib/model/profile.h"
#include "kernels/request.h"
#include "kernels/sets/sets.h"

struct gcal_buf;
struct gcal_count_request;

/* Characters; a little less than an expression may have, as some are joined. */
enum { GCAL_LONGEST_COUNT = 60000 };

/* Names, each once. */
struct gcal_name_list {
    size_t n, capacity;
    char **names;
};

int gcal_name_list_add(struct gcal_name_list *names, const char *name,
                       struct gcal_error *err);
void gcal_name_list_clear(struct gcal_name_list *names);

/* 'order': names whose parameters come first. */
struct gcal_profile *gcal_profile_make(struct gcal_nest *nest,
                                       const struct gcal_count_request *request,
                                       const char *kernel, const char *assumptions,
                                       const struct gcal_name_list *order,
                                       struct gcal_error *err);

/* ---- a profile in the making; the first failure sticks ---- */

/* Estimated, and noted. */
struct gcal_explained {
    const struct gcal_domain *domain;
    enum gcal_count_mode mode;
};

enum gcal_part_name { GCAL_PART_MEMORY, GCAL_PART_ONCHIP, GCAL_N_PARTS };

/* Sums; NULL: nothing yet. */
struct gcal_part {
    const struct gcal_poly *sub_groups; /* counted as gcal_sub_group_mode() says */
    const struct gcal_poly *others;
    bool estimated;
};

struct gcal_maker {
    struct gcal_nest *nest;
    struct gcal_polys *c;
    const struct gcal_count_request *request;
    struct gcal_profile *profile;
    struct gcal_name_list used; /* parameters in any text */
    struct gcal_part parts[GCAL_N_PARTS];
    size_t n_explained, explained_capacity;
    struct gcal_explained *explained;
    bool failed;
    struct gcal_error *err;
};

/* A copy that the profile owns. */
char *gcal_maker_copy(struct gcal_maker *m, const char *text);
/* Such texts of a polynomial, whose parameters become the profile's: as it is, and of a
 * number of sub-groups, counted in the mode below.
 */
char *gcal_maker_text(struct gcal_maker *m, const struct gcal_poly *p);
char *gcal_maker_sub_group_text(struct gcal_maker *m, const struct gcal_poly *p);
/* The same, in the context's memory. */
const char *gcal_maker_name_text(struct gcal_maker *m, const struct gcal_poly *p);
struct gcal_profile_entry *gcal_maker_add(struct gcal_maker *m,
                                          enum gcal_feature_kind kind,
                                          enum gcal_granularity granularity,
                                          const char *feature);

/* ---- count_tally.c ---- */

struct gcal_tally {
    const struct gcal_poly *count;
    bool estimated;
};

struct gcal_tally gcal_tally_none(struct gcal_maker *m);
/* Adds what happens 'times' in 'domain'.  What cannot be counted exactly is noted, and
 * refused unless both sides of a condition on data are all there is to it, or the
 * request takes estimates.
 */
void gcal_tally_add(struct gcal_maker *m, struct gcal_tally *tally,
                    const struct gcal_domain *domain, enum gcal_count_mode mode,
                    int64_t times);
/* 'domain' without the conditions on data, whose notes the front end has written. */
const struct gcal_domain *gcal_domain_known(struct gcal_maker *m,
                                            const struct gcal_domain *domain);
/* How sub-groups are counted: by themselves when their size is known, else by groups. */
enum gcal_count_mode gcal_sub_group_mode(const struct gcal_maker *m);
/* 'what' is not known exactly, and what is 'done' instead ("counted as ..."): noted, or
 * refused when the request takes no estimates.
 */
void gcal_maker_estimate(struct gcal_maker *m, int line, int column, const char *what,
                         const char *done);

/* ---- count_op.c, count_access.c: the entries ---- */
void gcal_maker_add_ops(struct gcal_maker *m);
void gcal_maker_add_branches(struct gcal_maker *m);
void gcal_maker_add_accesses(struct gcal_maker *m);
void gcal_maker_add_the_rest(struct gcal_maker *m); /* barriers, launch, sizes */

/* ---- count_part.c ---- */

void gcal_maker_add_to_part(struct gcal_maker *m, enum gcal_part_name part,
                            const struct gcal_poly *count, bool by_sub_group,
                            bool estimated);
void gcal_maker_add_parts(struct gcal_maker *m); /* when all else is there */

/* ---- count_local.c ---- */

/* The most distinct 32-bit words in one of 'n_banks' banks that lanes touch, each
 * 'bytes' from offset[lane] on (bytes, of any sign); 0 without memory.
 */
size_t gcal_bank_ways(size_t n_lanes, const int64_t *offset, size_t bytes,
                      size_t n_banks);
/* Those of the first sub-group's lanes; 0 where they are not known. */
size_t gcal_access_ways(struct gcal_maker *m, const struct gcal_access_event *event);

#endif
