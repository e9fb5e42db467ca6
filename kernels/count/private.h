/* private.h - from the loop nest to the profile */
#ifndef GCAL_KERNELS_COUNT_PRIVATE_H
#define GCAL_KERNELS_COUNT_PRIVATE_H

#include "kernels/base/strings.h"
#include "kernels/model/profile.h"
#include "kernels/request.h"
#include "kernels/interpret/touches.h"
#include "kernels/lanes/lanes.h"
#include "kernels/sets/sets.h"
#include "kernels/source/source.h"

/* Of an expression, in characters: a little below the model layer's limit, as some are
 * joined.
 */
enum { GCAL_COUNT_MAX_LENGTH = 60000 };

/* ---- count.c: a kernel that was walked, with what its loop nest refers to ---- */

struct gcal_count_walked {
    struct gcal_count_request request; /* with the work-group that the kernel requires */
    struct gcal_source_unit *unit;
    CXCursor kernel;
    struct gcal_count_buffer *buffers; /* the request's, with the bytes of their items */
    char *name;
    struct gcal_strings arguments; /* names, in order */
    struct gcal_sets_nest nest;
    const char *assumptions;          /* in memory of the polynomials' context */
    struct gcal_count_sample *sample; /* of loops, where the walk needs any; or NULL */
    /* What a sample of work-groups touches, which is run once; NULL: the request does not ask for
     * it, sizes are not given, or the kernel cannot be run.  The function may be NULL.
     */
    struct gcal_interp_touches *(*find_touches)(struct gcal_count_walked *walked);
    bool has_run;
    struct gcal_interp_touches *touches;
};

/* Parses and walks the request's kernel.  Clear 'walked' in any case. */
int gcal_count_walk(const struct gcal_count_request *request,
                    struct gcal_count_walked *walked, struct gcal_error *err);
void gcal_count_walked_clear(struct gcal_count_walked *walked);

/* ---- advice.c ---- */

/* Adds to the message of a refusal what to assume about sizes so that 'counts' holds, if that
 * is something simple: tried out, and no part of it can be left out.
 */
void gcal_count_advise_refused(const struct gcal_count_walked *refused,
                               bool (*counts)(const struct gcal_count_walked *refused,
                                              const char *assume),
                               struct gcal_error *err);

/* ---- builder.c: a profile in the making; the first failure is kept ---- */

/* A scope whose estimate has a note. */
struct gcal_count_explained {
    const struct gcal_sets_scope *scope;
    enum gcal_sets_count_mode mode;
};

/* A condition that is counted as if it always held, at its place. */
struct gcal_count_inexact {
    const struct gcal_sets_scope *scope;
    enum gcal_sets_count_mode mode;
    int line, column;
};

enum { GCAL_COUNT_MOST_ADVICE = 3 };

enum gcal_count_component_kind {
    GCAL_COUNT_COMPONENT_MEMORY,
    GCAL_COUNT_COMPONENT_ONCHIP,
    GCAL_COUNT_N_COMPONENTS
};

/* Sums of counts; NULL: none yet. */
struct gcal_count_component {
    const struct gcal_poly *sub_groups; /* in gcal_count_sub_group_mode() */
    const struct gcal_poly *others;
    bool estimated;
};

struct gcal_count_builder {
    struct gcal_count_walked *walked; /* NULL: nothing is run */
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    const struct gcal_count_request *request;
    struct gcal_profile *profile;
    struct gcal_strings used; /* parameters in any text of the profile */
    struct gcal_count_component components[GCAL_COUNT_N_COMPONENTS];
    size_t n_explained, explained_capacity;
    struct gcal_count_explained *explained;
    size_t n_inexact;
    struct gcal_count_inexact inexact[GCAL_COUNT_MOST_ADVICE];
    struct gcal_count_issue *issues; /* of accesses; NULL: not wanted */
    bool failed;
    struct gcal_error *err;
};

/* The texts below are malloc()ed for the profile; NULL when the builder has failed. */
char *gcal_count_builder_copy(struct gcal_count_builder *m, const char *text);
/* A polynomial, whose parameters become the profile's. */
char *gcal_count_builder_text(struct gcal_count_builder *m, const struct gcal_poly *p);
/* A count in gcal_count_sub_group_mode() as a count of sub-groups: a count of groups is
 * multiplied by the sub-groups of one.
 */
char *gcal_count_builder_sub_group_text(struct gcal_count_builder *m,
                                        const struct gcal_poly *p);
/* Whether the text of p would be so long that an estimate is better than the exact count. */
bool gcal_count_builder_is_long(struct gcal_count_builder *m, const struct gcal_poly *p);
/* An estimate that may take a few steps: false when it cannot begin, and NULL when p has
 * taken more, or is long.
 */
bool gcal_count_builder_begin_attempt(struct gcal_count_builder *m);
const struct gcal_poly *gcal_count_builder_end_attempt(struct gcal_count_builder *m,
                                                       const struct gcal_poly *p);
/* Whether some size is no number, so that more may be assumed of it. */
bool gcal_count_builder_has_sizes(struct gcal_count_builder *m);
/* The lesser of two estimates; where that takes long, the one that is less at most sizes. */
const struct gcal_poly *gcal_count_builder_least(struct gcal_count_builder *m,
                                                 const struct gcal_poly *a,
                                                 const struct gcal_poly *b);
/* A polynomial in memory of the polynomials' context. */
const char *gcal_count_builder_name_text(struct gcal_count_builder *m,
                                         const struct gcal_poly *p);
/* A visitor that makes a parameter the profile's; 'data' is the builder. */
void gcal_count_builder_use_name(const char *name, void *data);
/* A new entry with the usual granularity of its kind; 'fields' follow the kind's name. */
struct gcal_profile_entry *gcal_count_builder_add(struct gcal_count_builder *m,
                                                  enum gcal_feature_kind kind,
                                                  const char *fields);

/* ---- advice.c ---- */

/* What to assume about sizes, so that the count of 'scope' is exact ("give 'm' as a number,
 * as in --assume "m = 4""); NULL when nothing simple is found.
 */
const char *gcal_count_advice(struct gcal_count_builder *m,
                              const struct gcal_sets_scope *scope,
                              enum gcal_sets_count_mode mode);

/* ---- counter.c: counts of events ---- */

/* The innermost loop of a scope; NULL: none. */
const struct gcal_sets_scope *
gcal_count_innermost_loop(const struct gcal_sets_scope *scope);

/* Whether 'scope' is that loop or inside it. */
bool gcal_count_is_within(const struct gcal_sets_scope *scope, unsigned loop);
bool gcal_count_has_barrier(const struct gcal_sets_nest *nest, unsigned loop);

struct gcal_count_counter {
    const struct gcal_poly *count;
    bool estimated;
};

struct gcal_count_counter gcal_count_counter_zero(struct gcal_count_builder *m);
/* Adds 'times' events per execution of 'scope'.  An inexact count is noted; that of a loop
 * is refused unless the request allows estimates.
 */
void gcal_count_counter_add(struct gcal_count_builder *m,
                            struct gcal_count_counter *counter,
                            const struct gcal_sets_scope *scope,
                            enum gcal_sets_count_mode mode, int64_t times);
/* Notes that the last count of a scope, at this place, was of a sample, and its error. */
void gcal_count_builder_note_sample(struct gcal_count_builder *m, int line, int column);
/* 'scope' without unknown conditions, whose notes the walk has written. */
const struct gcal_sets_scope *gcal_count_known_scope(struct gcal_count_builder *m,
                                                     const struct gcal_sets_scope *scope);
/* Sub-groups when their size is known, else groups. */
enum gcal_sets_count_mode gcal_count_sub_group_mode(const struct gcal_count_builder *m);
/* Whether no access before 'number' is the same as it. */
bool gcal_count_is_first(const struct gcal_sets_nest *nest, size_t number,
                         bool (*same)(const struct gcal_sets_access_event *,
                                      const struct gcal_sets_access_event *));
/* Notes that 'what' is inexact and how it is 'done' ("counted as ..."); an error unless
 * the request allows estimates.
 */
void gcal_count_builder_estimate(struct gcal_count_builder *m, int line, int column,
                                 const char *what, const char *done);

/* Notes what makes counts exact that conditions made inexact; after all counts, as trying it
 * takes some of the budget.
 */
void gcal_count_builder_advise(struct gcal_count_builder *m);

/* ---- op.c, access.c: entries of a profile ---- */
void gcal_count_builder_add_ops(struct gcal_count_builder *m);
void gcal_count_builder_add_branches(struct gcal_count_builder *m);
void gcal_count_builder_add_accesses(struct gcal_count_builder *m);
/* Barriers, the launch, sizes. */
void gcal_count_builder_add_ndrange(struct gcal_count_builder *m);

/* ---- subscript.c ---- */

/* The access with what is known of its offset, for estimates. */
struct gcal_sets_access_event
gcal_count_near_event(const struct gcal_sets_access_event *e);
/* Whether its place is a known one that data move within a range, for each lane apart. */
bool gcal_count_is_spread(const struct gcal_count_builder *m,
                          const struct gcal_sets_access_event *e);
/* An access with a range at all places of it, as if in loops over the numbers that are data. */
struct gcal_sets_access_event
gcal_count_spread_event(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e);
/* The access with what is known of its offset; spread; or, where nothing is, its base. */
struct gcal_sets_access_event
gcal_count_base_event(struct gcal_count_builder *m,
                      const struct gcal_sets_access_event *e);

/* Whether its sides, if any, are by conditions that are the same for all of a work-group. */
bool gcal_count_has_uniform_sides(const struct gcal_count_builder *m,
                                  const struct gcal_sets_access_event *e);
/* Whether the sides of its place are counted: where they are the same for all work-items of a
 * group, or where the one at most places does not stand for all.
 */
bool gcal_count_divides(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e);

/* Moves a lane from the known part of a range to a random place of it, in elements, and in rows of
 * a length that is a size; false: how many places there are is not known.
 */
bool gcal_count_throw(const struct gcal_sets_range *range, uint64_t *random, int64_t *at,
                      int64_t *row);

/* What a subscript that depends on data may be, in elements; false: anything. */
bool gcal_count_find_range(struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e,
                           struct gcal_sets_range *range);

/* Whether the place of some access is not known, nor one of several. */
bool gcal_count_has_unknown_place(struct gcal_count_builder *m, size_t n,
                                  const struct gcal_sets_access_event *const *events);
/* Whether the accesses are in a sample of work-groups, and touch the same with other data.  Then
 * 'counter', an estimate, is replaced by that of the sample, and, where some place is unknown, so are
 * the notes after the first 'n_notes'.
 */
bool gcal_count_sample(struct gcal_count_builder *m, size_t n,
                       const struct gcal_sets_access_event *const *events,
                       const struct gcal_interp_measure *measure, size_t n_notes,
                       struct gcal_count_counter *counter);
/* The sites of the accesses, in 'chosen' (GCAL_INTERP_MOST_SITES); NULL: the sample does not say
 * what they touch.
 */
const struct gcal_interp_touches *
gcal_count_choose_sites(struct gcal_count_builder *m, size_t n,
                        const struct gcal_sets_access_event *const *events, bool *chosen);

/* ---- traffic.c ---- */

/* Sectors and lines of memory, when the request has a size of sectors. */
void gcal_count_builder_add_traffic(struct gcal_count_builder *m);

/* Whether it is to an array in sectors: in global or constant memory, or an image. */
bool gcal_count_is_array_in_sectors(const struct gcal_count_builder *m,
                                    const struct gcal_sets_access_event *e);

/* The blocks of 'size' elements that the values of a range of single elements can be in. */
const struct gcal_poly *gcal_count_range_blocks(struct gcal_count_builder *m,
                                                const struct gcal_sets_range *range,
                                                int64_t size);

/* The blocks of 'size' elements that the access's array has; NULL: unknown. */
const struct gcal_poly *gcal_count_array_blocks(struct gcal_count_builder *m,
                                                const struct gcal_sets_access_event *e,
                                                int64_t size);

/* A new entry of traffic with the access's fields, without its tag or place. */
struct gcal_profile_entry *gcal_count_builder_add_traffic_entry(
    struct gcal_count_builder *m, enum gcal_feature_kind kind,
    const struct gcal_sets_access_event *e, const char *tag);

/* ---- image.c ---- */

/* Gives accesses to images offsets, or offsets near them, as far as their places are known;
 * after all entries that have strides, and before traffic.
 */
void gcal_count_builder_locate_images(struct gcal_count_builder *m);
/* p, or NULL if it has the extents of images, which no count may have. */
const struct gcal_poly *gcal_count_without_rows(struct gcal_count_builder *m,
                                                const struct gcal_poly *p);

/* ---- reuse.c ---- */

/* What compilers leave of a load: 'left' of each 'of' executions of 'scope'. */
struct gcal_count_issue {
    const struct gcal_sets_scope *scope;
    int64_t left, of;
};

/* Finds them for all accesses, before any of them is counted. */
void gcal_count_builder_find_issues(struct gcal_count_builder *m);
/* Of access 'number'; all executions of one that is not a load, or whose address is unknown. */
struct gcal_count_issue gcal_count_issue_of(const struct gcal_count_builder *m,
                                            size_t number);
/* Whether that is all of them. */
bool gcal_count_is_issued_whole(const struct gcal_count_builder *m, size_t number);

/* The iterations of a loop that compilers unroll entirely; 0 of others. */
int64_t gcal_count_unrolled_trips(const struct gcal_sets_nest *nest,
                                  const struct gcal_sets_scope *loop);

/* ---- footprint.c ---- */

/* Footprints of arrays in sectors, when the request has their size; after all entries that
 * the same polynomials are used for.
 */
void gcal_count_builder_add_footprints(struct gcal_count_builder *m);

/* ---- contention.c ---- */

/* Atomic operations that meet, when the request asks for traffic. */
void gcal_count_builder_add_contention(struct gcal_count_builder *m);

/* The longest chain of operations, when the request asks for traffic. */
void gcal_count_builder_add_op_chain(struct gcal_count_builder *m);

/* ---- latency.c ---- */

/* Loads that wait for each other, when the request asks for traffic. */
void gcal_count_builder_add_latency(struct gcal_count_builder *m);

/* ---- blocks.c: aligned blocks of memory that lanes access together ---- */

struct gcal_count_blocks {
    int64_t size, width; /* of a block and of a lane's access, in elements */
    enum {
        GCAL_COUNT_BLOCKS,         /* all */
        GCAL_COUNT_BLOCKS_PARTIAL, /* those covered in part only */
        GCAL_COUNT_BLOCKS_MEETING, /* of each the most lanes on one element */
    } what;
    size_t capacity;
    struct gcal_count_block *all;
    bool failed; /* out of memory */
};

/* A measure for gcal_lanes_sum(): the number of blocks; 'data': the blocks. */
int64_t gcal_count_blocks_measure(const struct gcal_lanes *lanes, int64_t residue,
                                  void *data);

/* ---- cache_pass.c ---- */

/* The passes of all executions by sub-groups over the banks of a first-level cache, whose
 * number the request has.
 */
struct gcal_count_counter gcal_count_cache_passes(struct gcal_count_builder *m,
                                                  const struct gcal_sets_access_event *e);

/* ---- builder.c: the memory and the on-chip component ---- */

void gcal_count_builder_add_to_component(struct gcal_count_builder *m,
                                         enum gcal_count_component_kind kind,
                                         const struct gcal_poly *count, bool by_sub_group,
                                         bool estimated);
/* Adds their entries, after all others. */
void gcal_count_builder_add_components(struct gcal_count_builder *m);

/* ---- fingerprint.c ---- */

/* Sets the fingerprint of a profile. */
int gcal_count_set_fingerprint(CXCursor kernel, const struct gcal_count_request *request,
                               struct gcal_profile *profile, struct gcal_error *err);

/* ---- bank_conflict.c ---- */

/* The largest number of distinct 32-bit words in one of 'n_banks' banks that 'n_lanes'
 * lanes touch, each 'bytes' bytes at offset[lane] (bytes, any sign), or with 'atomic' of
 * lanes; 0 when out of memory.
 */
size_t gcal_count_bank_conflict(size_t n_lanes, const int64_t *offset, size_t bytes,
                                size_t n_banks, bool atomic);
/* Its mean where each lane is at apart[lane] + unit*k bytes, with random k below 'values', or of a
 * sum of ranges, if it is not NULL.
 */
double gcal_count_random_bank_conflict(size_t n_lanes, const int64_t *apart,
                                       const struct gcal_sets_range *sum, int64_t values,
                                       int64_t unit, size_t bytes, size_t n_banks,
                                       bool atomic);
/* The mean for an access whose subscript depends on data, an expression in sizes: of a
 * complete sub-group, at random places of the subscript's range or the array.  The most that
 * it is at any sizes.
 */
double gcal_count_random_most(struct gcal_count_builder *m,
                              const struct gcal_sets_access_event *e);
const char *gcal_count_random_ways(struct gcal_count_builder *m,
                                   const struct gcal_sets_access_event *e);
/* The same for the first sub-group's lanes; 0 when their offsets are unknown. */
size_t gcal_count_access_bank_conflict(struct gcal_count_builder *m,
                                       const struct gcal_sets_access_event *event);

/* The passes of all executions by sub-groups, each by the lanes that take part; NULL: not
 * known.
 */
const struct gcal_poly *
gcal_count_access_passes(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *event);
/* Accesses have equal passes whose distance is the same in all lanes and a multiple of this
 * number of elements.
 */
int64_t gcal_count_pass_period(const struct gcal_sets_access_event *event);
/* The mean of a sample of executions, where the place is not known exactly; NULL: not known. */
const struct gcal_poly *
gcal_count_sample_passes(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *event);
/* The mean of one execution by all lanes; NULL: not known. */
const struct gcal_poly *
gcal_count_mean_passes(struct gcal_count_builder *m,
                       const struct gcal_sets_access_event *event);

/* ---- profile.c ---- */

/* Whether a profile would not be refused; in the same memory. */
bool gcal_count_is_possible(struct gcal_sets_nest *nest,
                            const struct gcal_count_request *request);
struct gcal_profile *gcal_count_build_profile(struct gcal_count_walked *walked,
                                              struct gcal_error *err);

/* ---- reach.c ---- */

/* The memory of an argument that a kernel accesses. */
struct gcal_count_reach {
    const struct gcal_poly
        *bytes; /* at least all of it, from its beginning; NULL: unknown,
                                      or not accessed */
    const struct gcal_sets_access_event *at; /* why it is unknown, in 'why' */
    const char *why;
    bool read, written;
};

int gcal_count_reach_find(struct gcal_sets_nest *nest, const char *argument,
                          enum gcal_feature_space space, struct gcal_count_reach *reach,
                          struct gcal_error *err);
/* The texels of an image that a kernel accesses. */
struct gcal_count_image_reach {
    struct gcal_count_reach reach; /* without 'bytes' */
    const char *dtype;             /* of a channel, as it is accessed */
    int64_t texel_bytes;
    const struct gcal_poly
        *extents[GCAL_MAX_DIMS]; /* one more than the largest coordinate, 1
                                                       where there is none; NULL: unknown */
};

/* Reads may reach outside, where samplers say what is read: at negative coordinates they add
 * nothing.
 */
int gcal_count_image_reach_find(struct gcal_sets_nest *nest, const char *argument,
                                struct gcal_count_image_reach *reach,
                                struct gcal_error *err);
/* Those of the kernel's arguments whose memory is known. */
void gcal_count_builder_add_arguments(struct gcal_count_builder *m,
                                      const struct gcal_strings *arguments);

#endif
