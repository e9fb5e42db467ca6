/* private.h - domains, their independent components, isl contexts and linear systems
 *
 * A domain is the set of points at which an event happens: its dimensions are work-item
 * ids and loop variables, its constraints the trip counts and conditions around it.  It
 * is split into components that are independent of each other, whose cardinalities are
 * multiplied.  A component with constraints becomes a set of isl's, which is projected
 * and counted exactly.
 *
 * NULL from a function that returns a set or a polynomial means: not affine, too many
 * operations, or out of memory; the count is then unknown.
 */
#ifndef GCAL_KERNELS_SETS_PRIVATE_H
#define GCAL_KERNELS_SETS_PRIVATE_H

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

#include "kernels/sets/internal.h"

/* ---- context.c: polynomials and conditions in isl ---- */

enum { GCAL_SETS_MAX_SIZES = 24, GCAL_SETS_MAX_FACTS = 96 };

/* The dimensions of a set and the sizes it may depend on.
 *
 * Each product of size parameters that occurs ("n", "n*m") is one parameter of isl's;
 * what is known about it ("n*m >= n") is among the facts.
 */
struct gcal_sets_context {
    struct gcal_poly_context *c;
    isl_ctx *isl;
    size_t n_dims, n_sizes, n_facts;
    unsigned dims[GCAL_SETS_MAX_DEPTH];                 /* atoms */
    const struct gcal_poly *sizes[GCAL_SETS_MAX_SIZES]; /* isl's parameters */
    const struct gcal_poly *facts[GCAL_SETS_MAX_FACTS]; /* >= 0, affine in the sizes */
    bool failed; /* more sizes than there is room */
};

/* An isl_ctx that neither prints nor aborts on errors. */
isl_ctx *gcal_sets_isl_create(void);
void gcal_sets_isl_destroy(isl_ctx *isl);
/* The number in 'value' (taken); false if it is not an integer of 63 bits. */
bool gcal_sets_isl_integer(isl_val *value, int64_t *out);

/* Without dimensions, with the assumptions of 'c' as facts. */
void gcal_sets_context_init(struct gcal_sets_context *context,
                            struct gcal_poly_context *c, isl_ctx *isl);
/* Adds the sizes in a polynomial or condition.  Every one that becomes part of a set is
 * registered before the first set is made.
 */
void gcal_sets_context_register(struct gcal_sets_context *context,
                                const struct gcal_poly *p);
void gcal_sets_context_register_condition(struct gcal_sets_context *context,
                                          const struct gcal_sets_condition *condition);

/* All points that agree with the facts. */
isl_basic_set *gcal_sets_context_universe(const struct gcal_sets_context *context);
isl_pw_aff *gcal_sets_context_affine(const struct gcal_sets_context *context,
                                     const struct gcal_poly *p);
/* 'aff', which must be a function of sizes alone, as a polynomial. */
const struct gcal_poly *gcal_sets_context_poly(const struct gcal_sets_context *context,
                                               isl_aff *aff);
isl_set *gcal_sets_context_condition(const struct gcal_sets_context *context,
                                     const struct gcal_sets_condition *condition);
/* The points with 0 <= dimension < trips. */
isl_set *gcal_sets_context_range(const struct gcal_sets_context *context, size_t dim,
                                 const struct gcal_poly *trips);

/* ---- nest.c: what all domains of a nest share ---- */

/* An attempt of at most 'operations' of isl and a fixed number of steps of the
 * polynomials.  begin returns false when earlier attempts have used up what the nest may
 * spend; end returns whether it has 'found' something within its limits, and else frees all
 * polynomials of the attempt.
 */
bool gcal_sets_begin_attempt(struct gcal_sets_nest *nest, long operations);
bool gcal_sets_end_attempt(struct gcal_sets_nest *nest, bool found);

/* ---- divide.c ---- */

/* Returns whether p contains a product of a size and a dimension, or a quotient of dimensions,
 * maybe in other atoms.
 */
bool gcal_sets_has_products(const struct gcal_poly_context *c, const struct gcal_poly *p);
/* Returns whether a range or a condition does. */
bool gcal_sets_domain_has_products(const struct gcal_sets_domain *domain);

/* A polynomial that is nonnegative exactly where p is, without quotients where that is
 * possible.
 */
const struct gcal_poly *gcal_sets_multiply_out(struct gcal_poly_context *c,
                                               const struct gcal_poly *p);
/* An equivalent condition, without quotients where that is possible. */
const struct gcal_sets_condition *
gcal_sets_condition_multiply_out(struct gcal_poly_context *c,
                                 const struct gcal_sets_condition *condition);

enum { GCAL_SETS_MAX_BOUNDS = 8 };

/* Polynomials that are nonnegative together where a dimension is less than its trips. */
struct gcal_sets_bounds {
    size_t n;
    const struct gcal_poly *p[GCAL_SETS_MAX_BOUNDS];
};

/* False when there are alternatives among them, or too many. */
bool gcal_sets_domain_find_bounds(const struct gcal_sets_domain *domain, size_t dim,
                                  struct gcal_sets_bounds *bounds);
/* The trips of the dimension 'atom' that a bound allows; NULL where it is no upper bound,
 * or a factor may be 0.
 */
const struct gcal_poly *gcal_sets_bound_trips(struct gcal_poly_context *c,
                                              const struct gcal_poly *bound,
                                              unsigned atom);

/* Makes conditions and ranges with products of sizes and dimensions affine, where they are
 * a multiple of a size and a remainder.
 */
void gcal_sets_domain_divide(struct gcal_sets_domain *domain);

/* ---- linearize.c ---- */

/* The dimension from 0 to 'last' that replaces the dimensions x and y, the same in all
 * domains.
 */
const struct gcal_poly *gcal_sets_joined_dimension(struct gcal_sets_nest *nest,
                                                   unsigned x, unsigned y,
                                                   const struct gcal_poly *last);
/* Replaces pairs of dimensions by one, where that makes conditions and ranges affine. */
void gcal_sets_domain_linearize(struct gcal_sets_domain *domain);

/* ---- deciding_lane.c ---- */

enum gcal_sets_direction {
    GCAL_SETS_CONSTANT,
    GCAL_SETS_RISING,  /* or constant; of a condition: it holds from some value on */
    GCAL_SETS_FALLING, /* or constant; of a condition: it holds up to some value */
    GCAL_SETS_MIXED    /* or unknown */
};

enum gcal_sets_direction gcal_sets_direction(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned dim);

/* Replaces local ids by sub-groups where one lane decides, in domains with products. */
void gcal_sets_domain_pick_lanes(struct gcal_sets_domain *domain);

/* ---- component.c: some dimensions of a domain as one set ---- */

struct gcal_sets_component {
    const struct gcal_sets_domain *domain;
    struct gcal_sets_context context;
    size_t n_dims, n_lids;
    size_t dims[GCAL_SETS_MAX_DIMS]; /* indices into the domain's, local ids first */
};

/* The dimensions for which 'wanted' (one per dimension of the domain) is set. */
void gcal_sets_component_fill(struct gcal_sets_component *component,
                              const struct gcal_sets_domain *domain, const bool *wanted);
/* Returns whether a condition is about dimensions of the component; conditions on sizes alone
 * belong to the component without dimensions.
 */
bool gcal_sets_component_has(const struct gcal_sets_component *component,
                             const struct gcal_sets_condition *condition);
/* Registers trips and conditions of the component with its context. */
void gcal_sets_component_register(struct gcal_sets_component *component);
/* The product of two cardinalities.  Long or piecewise ones stay factors: multiplied out,
 * texts would become too long.
 */
const struct gcal_poly *gcal_sets_product(struct gcal_poly_context *c,
                                          const struct gcal_poly *a,
                                          const struct gcal_poly *b);
/* The component's points.  Conditions that are not affine are left out, and the domain is
 * marked as estimated.  NULL when a loop is not affine.
 */
isl_set *gcal_sets_component_set(struct gcal_sets_component *component);
/* The same for the other components of the domain, of which only the sizes at which they
 * have any point are kept.
 */
void gcal_sets_component_register_others(struct gcal_sets_component *component);
isl_set *gcal_sets_component_others(const struct gcal_sets_component *component);
/* A text for the component's points and how they are counted: equal texts, equal counts. */
const char *gcal_sets_component_key(const struct gcal_sets_component *component);

/* ---- scope.c ---- */
/* gcal_sets_scope_count() with all conditions; NULL when they cannot be counted. */
const struct gcal_poly *gcal_sets_scope_count_whole(struct gcal_sets_nest *nest,
                                                    const struct gcal_sets_scope *scope,
                                                    enum gcal_sets_count_mode mode,
                                                    bool *estimated);

/* The component's points, without the rest of its domain; not during an attempt. */
const struct gcal_poly *
gcal_sets_component_count(const struct gcal_sets_component *component);

/* ---- sample.c ---- */

/* The number of points of a component without sizes, with its standard error: above 0 if
 * these are a sample.  False where they cannot be met one by one, or hardly any was.
 */
bool gcal_sets_component_sample(const struct gcal_sets_component *component,
                                double *count, double *error);

/* ---- subgroup.c: projection to groups and sub-groups ---- */

/* 'set' (taken) with its local ids replaced by the groups or sub-groups in which any
 * work-item takes part, after the domain's mode.
 */
isl_set *gcal_sets_component_project_lanes(struct gcal_sets_component *component,
                                           isl_set *set);
/* The sub-groups in which the domain's branch divides the lanes. */
isl_set *gcal_sets_component_divergent_lanes(struct gcal_sets_component *component,
                                             isl_set *set);

/* ---- cardinality.c ---- */

/* The number of points of 'set' (taken) as a polynomial in sizes.  Its parameters are the
 * context's; its dimensions may be others.
 */
const struct gcal_poly *gcal_sets_cardinality(struct gcal_sets_context *context,
                                              isl_set *set);

/* ---- system.c: linear constraints over sizes and dimensions ---- */

enum {
    GCAL_SETS_SYSTEM_ROWS = 96,
    GCAL_SETS_SYSTEM_COLUMNS = 1 + GCAL_SETS_MAX_SIZES + GCAL_SETS_MAX_DEPTH
};

/* k[0] + sum of k[1 + i]*size[i] + sum of k[1 + n_sizes + j]*dim[j], >= 0 or = 0. */
struct gcal_sets_row {
    bool equal;
    int64_t k[GCAL_SETS_SYSTEM_COLUMNS];
};

struct gcal_sets_system {
    struct gcal_sets_context *context;
    isl_basic_set *facts; /* the facts about sizes, without dimensions */
    size_t n_dims, n_rows;
    unsigned next_dimension;             /* the first shared one not in use */
    unsigned atoms[GCAL_SETS_MAX_DEPTH]; /* of the dimensions */
    struct gcal_sets_row rows[GCAL_SETS_SYSTEM_ROWS];
    int *pieces_left; /* how often it may still be split */
};

/* The coefficient of a dimension in a row. */
int64_t gcal_sets_system_coefficient(const struct gcal_sets_system *s, size_t row,
                                     size_t dim);
int64_t *gcal_sets_system_coefficient_at(const struct gcal_sets_system *s,
                                         struct gcal_sets_row *row, size_t dim);
size_t gcal_sets_system_columns(const struct gcal_sets_system *s);
/* The atom of a shared dimension that the system does not use yet. */
unsigned gcal_sets_system_new_dimension(struct gcal_sets_system *s);
/* False when there is no room. */
bool gcal_sets_system_add(struct gcal_sets_system *s, const struct gcal_sets_row *row);
void gcal_sets_system_drop(struct gcal_sets_system *s, size_t dim);
/* out = a*x + b*y; false when it overflows. */
bool gcal_sets_system_combine(const struct gcal_sets_system *s,
                              const struct gcal_sets_row *x, int64_t a,
                              const struct gcal_sets_row *y, int64_t b,
                              struct gcal_sets_row *out);
/* The row's value without dimension 'but' (SIZE_MAX: with all), as a polynomial. */
const struct gcal_poly *gcal_sets_system_value(const struct gcal_sets_system *s,
                                               const struct gcal_sets_row *row,
                                               size_t but);
/* Fills rows and dimensions from 'set', whose divs become dimensions too; false when
 * there are too many.
 */
bool gcal_sets_system_read(struct gcal_sets_system *s, isl_basic_set *set);
/* Drops redundant rows.  0 when the system has no points, 1 otherwise; where isl has no
 * answer, nothing changes.
 */
int gcal_sets_system_simplify(struct gcal_sets_system *s);

/* ---- reduce.c: systems with a dimension less, over which the sum is the same ---- */

/* Replaces a dimension that an equality fixes, or two that are digits of a number.  1: it
 * did; 0: there are none; -1: numbers overflow.
 */
int gcal_sets_system_reduce(struct gcal_sets_system *s, const struct gcal_poly **weight);

/* The dimension e = floor((a*b + number)/k), by residues of the dimension b; or
 * e = floor(p/k), by remainders of p, which has a dimension times 1 or -1.
 */
struct gcal_sets_floor {
    bool by_residue;
    int64_t
        n_cases; /* of residues: the period in b, after which e grows by a whole number */
    size_t e;
    int64_t k;
    size_t b; /* by residue */
    int64_t a, number;
    size_t low, high; /* by remainder: the rows 0 <= p - k*e <= k-1 */
};

/* False when there is none with a few cases. */
bool gcal_sets_system_find_floor(const struct gcal_sets_system *s,
                                 struct gcal_sets_floor *floor);
/* The part of the system in case 0 <= number < n_cases. */
void gcal_sets_system_take_case(struct gcal_sets_system *s,
                                const struct gcal_poly **weight,
                                const struct gcal_sets_floor *floor, int64_t number);

/* ---- bases.c: the bases of strides, 1, n, n+2, n*m ---- */

enum { GCAL_SETS_MAX_BASES = 6 };

struct gcal_sets_bases {
    bool ordered; /* rising: each at least the one before */
    size_t n;
    const struct gcal_poly *all[GCAL_SETS_MAX_BASES]; /* the first is 1 */
    int64_t numbers[GCAL_SETS_MAX_BASES]; /* common divisors of their multiples, during
                                             the search */
};

/* The bases of 'n' subscripts: of their whole strides ("n+2"), or of the products of
 * sizes in these ("n" and 1).  False when a subscript is not affine, or the order of
 * strides is unknown and they must be 'ordered'.
 */
bool gcal_sets_bases_find(struct gcal_poly_context *c, size_t n,
                          const struct gcal_poly *const *offsets, bool whole,
                          bool ordered, struct gcal_sets_bases *bases);
/* p = sum of numbers[i]*bases[i]; false when there are no such numbers. */
bool gcal_sets_bases_split(struct gcal_poly_context *c,
                           const struct gcal_sets_bases *bases, const struct gcal_poly *p,
                           int64_t *numbers);
/* The atom with dimensions in a term, UINT_MAX without; false when there are several. */
bool gcal_sets_bases_atom(struct gcal_poly_context *c, const struct gcal_poly_term *t,
                          unsigned *atom);
/* The coefficient of 'atom' in an offset; of UINT_MAX, the part without dimensions. */
const struct gcal_poly *gcal_sets_bases_stride(struct gcal_poly_context *c,
                                               const struct gcal_poly *offset,
                                               unsigned atom);
/* The distance of offset 'to' from the first where all dimensions are 0. */
const struct gcal_poly *gcal_sets_bases_offset(struct gcal_poly_context *c,
                                               const struct gcal_poly *const *offsets,
                                               size_t to);

/* ---- unfold.c: quotients as dimensions ---- */

/* 'extent': how many values a dimension has, 1 where it is fixed; NULL: unknown. */
struct gcal_sets_unfold {
    const struct gcal_poly *(*extent)(void *data, const struct gcal_sets_domain *domain,
                                      size_t dim);
    void *data;
    bool from_zero; /* dividends begin at 0 */
    size_t n_dims;  /* result: of the domain's, those that it had, and which of them */
    bool is_origin[GCAL_SETS_MAX_DIMS]; /* the numbers that are data depend on */
};

/* Returns whether the atom is a number that is data. */
bool gcal_sets_is_number(const struct gcal_sets_nest *nest, unsigned atom);
/* Replaces quotients in the domain's offset by further dimensions, whose trips are their
 * extents, and adds numbers that are data; false when it cannot.
 */
bool gcal_sets_domain_unfold(struct gcal_sets_domain *domain,
                             struct gcal_sets_unfold *unfold);
const struct gcal_poly *gcal_sets_unfold_extent(const struct gcal_sets_unfold *unfold,
                                                const struct gcal_sets_domain *domain,
                                                size_t dim);

/* ---- image.c: the elements that accesses touch, as sets of coordinates ---- */

enum { GCAL_SETS_IMAGE_ACCESSES = 64 };

/* The caller sets the first members, up to 'alike'. */
struct gcal_sets_image {
    struct gcal_sets_nest *nest;
    size_t n_accesses;
    const struct gcal_sets_access_event *const *accesses;
    bool apart;    /* sizes at which an access is not made matter */
    bool by_group; /* each group has elements of its own, as of a local array: its ids are
                      coordinates */
    bool
        alike[GCAL_MAX_DIMS]; /* then: groups that differ in this id alone count as one */
    const struct gcal_poly
        *offsets[GCAL_SETS_IMAGE_ACCESSES]; /* in the dimensions of their domains */
    struct gcal_sets_bases bases;           /* of 'offsets'; set by the caller */
    bool estimated;
    struct gcal_sets_context sizes; /* with all sizes of the sets registered */
};

/* The dimensions in the access's offset, and those they depend on. */
bool gcal_sets_image_component(struct gcal_sets_image *image,
                               const struct gcal_sets_access_event *access,
                               struct gcal_sets_domain *domain,
                               struct gcal_sets_component *component);
/* Fills all but the bases. */
bool gcal_sets_image_prepare(struct gcal_sets_image *image);
/* The union of what all accesses reach, a coordinate for each basis relative to the first
 * offset at 0; with 'apart', each at the sizes at which it is made, where sizes at which
 * none is made do not matter.
 */
isl_set *gcal_sets_image_set(struct gcal_sets_image *image);
/* An upper (sign 1) or lower bound of coordinate 'b'. */
const struct gcal_poly *gcal_sets_image_bound(const struct gcal_sets_image *image,
                                              isl_set *set, size_t b, int sign);
/* The same; the least of several bounds where each of them holds. */
const struct gcal_poly *gcal_sets_image_tight_bound(const struct gcal_sets_image *image,
                                                    isl_set *set, size_t b, int sign);

/* ---- footprint.c ---- */

/* Sets image->apart where the accesses are made under different conditions. */
void gcal_sets_image_find_apart(struct gcal_sets_image *image);
/* Returns whether different coordinates are different elements, and rows are at least 'margin'
 * elements longer than what is touched of them.  Where that cannot be proven, it becomes a
 * premise, unless it never holds or 'premises' is NULL.
 */
bool gcal_sets_image_is_injective(const struct gcal_sets_image *image, isl_set *set,
                                  int64_t margin, struct gcal_sets_premises *premises);

#endif
