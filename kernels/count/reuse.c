/* reuse.c - loads whose value compilers keep in a register
 *
 * A load is left out where an earlier one has the same address and nothing between them can
 * change what is there: in the same iteration, in another iteration of a loop that compilers
 * unroll, or in any iteration of a loop in which its address and the data are the same, and
 * before which it is loaded once.  Stores to global memory may be to any array there; local
 * arrays are distinct.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum {
    MOST_INSTRUCTIONS = 150, /* of loops that are unrolled without being asked to: LLVM's
                                threshold; a multiply-add is two until they are joined */
    MOST_PLACES = 4096,      /* iterations that are looked at */
    MOST_KEPT = 64,          /* values in registers for all iterations of a loop */
};

/* ---- what ends a reuse ---- */

static bool is_load(const struct gcal_sets_access_event *e)
{
    return e->direction == GCAL_FEATURE_LOAD && !e->atomic && e->offset;
}

/* Whether what 'load' loads may be other data after 'e'. */
static bool changes(const struct gcal_sets_nest *nest,
                    const struct gcal_sets_access_event *e,
                    const struct gcal_sets_access_event *load)
{
    enum gcal_feature_space space = nest->arrays[load->array].space;

    if (!e->atomic && e->direction != GCAL_FEATURE_STORE)
        return false;
    return space == GCAL_FEATURE_SPACE_LOCAL ? e->array == load->array
                                             : space == nest->arrays[e->array].space;
}

static bool changes_in(const struct gcal_sets_nest *nest,
                       const struct gcal_sets_access_event *load, unsigned loop)
{
    if (gcal_count_has_barrier(nest, loop))
        return true;
    for (size_t i = 0; i < nest->n_accesses; i++)
        if (changes(nest, &nest->accesses[i], load) &&
            gcal_count_is_within(nest->accesses[i].scope, loop))
            return true;
    return false;
}

/* The first access since which all that 'load' loads is still there. */
static size_t find_unchanged(const struct gcal_sets_nest *nest, size_t load)
{
    const struct gcal_sets_access_event *all = nest->accesses;
    size_t first = load;

    while (first && all[first - 1].n_barriers == all[load].n_barriers &&
           (first == load || !changes(nest, &all[first], &all[load])))
        first--;
    return first;
}

/* ---- the loops around a load that are unrolled, or before which it is loaded ---- */

struct region {
    size_t n;
    const struct gcal_sets_scope *loops[GCAL_SETS_MAX_DEPTH]; /* unrolled, from within */
    int64_t trips[GCAL_SETS_MAX_DEPTH], places;
    const struct gcal_sets_scope *around;
    bool is_hoisted; /* out of some loop */
};

/* Executions of 'scope' in one of 'loop' around it; none if they are not known, or many. */
static int64_t executions_in(const struct gcal_sets_scope *scope,
                             const struct gcal_sets_scope *loop)
{
    int64_t all = 1, trips;

    for (; scope && scope != loop; scope = scope->parent)
        if (scope->kind == GCAL_SETS_SCOPE_LOOP) {
            if (!gcal_poly_is_constant(scope->trips, &trips) || trips < 1 ||
                trips > MOST_INSTRUCTIONS / all)
                return 0;
            all *= trips;
        }
    return scope ? all : 0;
}

/* Whether so many iterations are few instructions. */
static bool is_short(const struct gcal_sets_nest *nest,
                     const struct gcal_sets_scope *loop, int64_t trips)
{
    int64_t n = 0, times;

    for (size_t i = 0; i < nest->n_accesses && n * trips <= MOST_INSTRUCTIONS; i++)
        if (gcal_count_is_within(nest->accesses[i].scope, loop->loop)) {
            times = executions_in(nest->accesses[i].scope, loop);
            n += times ? times : MOST_INSTRUCTIONS + 1;
        }
    for (size_t i = 0; i < nest->n_ops && n * trips <= MOST_INSTRUCTIONS; i++)
        if (!nest->ops[i].index && gcal_count_is_within(nest->ops[i].scope, loop->loop)) {
            times = executions_in(nest->ops[i].scope, loop);
            n += times ? times * nest->ops[i].instructions *
                             (1 + (strcmp(nest->ops[i].op, "madd") == 0))
                       : MOST_INSTRUCTIONS + 1;
        }
    return n * trips <= MOST_INSTRUCTIONS;
}

int64_t gcal_count_unrolled_trips(const struct gcal_sets_nest *nest,
                                  const struct gcal_sets_scope *loop)
{
    int64_t trips;

    return loop->may_unroll && !loop->runtime_step &&
                   gcal_poly_is_constant(loop->trips, &trips) && trips > 0 &&
                   (loop->is_unrolled || is_short(nest, loop, trips))
               ? trips
               : 0;
}

static bool unroll(const struct gcal_sets_nest *nest, struct region *r,
                   const struct gcal_sets_scope *loop)
{
    int64_t trips = gcal_count_unrolled_trips(nest, loop);

    if (!trips || trips > MOST_PLACES / r->places)
        return false;
    r->places *= trips;
    r->trips[r->n] = trips;
    r->loops[r->n++] = loop;
    return true;
}

/* The unrolled loops alone, in 'around'. */
static const struct gcal_sets_scope *scope_of(struct gcal_count_builder *m,
                                              const struct region *r)
{
    const struct gcal_sets_scope *scope = r->around;

    for (size_t i = r->n; i-- > 0;) {
        struct gcal_sets_scope *own = gcal_poly_alloc(m->c, sizeof(*own));

        if (!own)
            return NULL;
        *own = *r->loops[i];
        own->parent = scope;
        scope = own;
    }
    return scope;
}

/* ---- distinct places ---- */

/* A sum of the coefficients, each times a number that its factors give: equal for equal
 * polynomials, linear, and hardly ever equal for others.  False for fractions.
 */
static bool linear_hash(const struct gcal_poly *p, uint64_t *hash)
{
    *hash = 0;
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        uint64_t mixed = 0x9e3779b97f4a7c15u;

        if (t->den != 1)
            return false;
        for (size_t k = 0; k < t->n_factors; k++) {
            mixed ^= (uint64_t)t->factors[k].atom << 16 | t->factors[k].power;
            mixed *= 0xff51afd7ed558ccdu;
            mixed ^= mixed >> 29;
        }
        *hash += (uint64_t)t->num * (mixed | 1);
    }
    return true;
}

/* The offset as a hash at the first iteration of all unrolled loops, and its change by an
 * iteration of each; false where it is not linear in them.
 */
static bool hash_offset(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e, const struct region *r,
                        uint64_t *first, uint64_t steps[GCAL_SETS_MAX_DEPTH])
{
    const struct gcal_poly *rest = e->offset;

    for (size_t i = 0; i < r->n; i++) {
        const struct gcal_poly *zero = gcal_poly_substitute(m->c, rest, r->loops[i]->loop,
                                                            gcal_poly_integer(m->c, 0)),
                               *one = gcal_poly_substitute(m->c, rest, r->loops[i]->loop,
                                                           gcal_poly_integer(m->c, 1)),
                               *two = gcal_poly_substitute(m->c, rest, r->loops[i]->loop,
                                                           gcal_poly_integer(m->c, 2)),
                               *step = gcal_poly_sub(m->c, one, zero);

        if (!gcal_poly_equal(step, gcal_poly_sub(m->c, two, one)) ||
            !linear_hash(step, &steps[i]))
            return false;
        for (size_t k = i + 1; k < r->n; k++)
            if (gcal_poly_contains(m->c, step, r->loops[k]->loop))
                return false;
        rest = zero;
    }
    return linear_hash(rest, first);
}

/* A place that a load accesses. */
struct place {
    uint64_t hash;
    size_t load;
};

struct places {
    size_t n;
    struct place all[MOST_PLACES];
};

static bool add_places(struct gcal_count_builder *m, size_t load, const struct region *r,
                       struct places *places)
{
    uint64_t first, steps[GCAL_SETS_MAX_DEPTH];

    if ((size_t)r->places > MOST_PLACES - places->n ||
        !hash_offset(m, &m->nest->accesses[load], r, &first, steps))
        return false;
    for (int64_t k = 0; k < r->places; k++) {
        struct place *place = &places->all[places->n++];
        int64_t rest = k;

        *place = (struct place){ first, load };
        for (size_t i = 0; i < r->n; rest /= r->trips[i++])
            place->hash += steps[i] * (uint64_t)(rest % r->trips[i]);
    }
    return true;
}

static int by_hash_and_load(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->load > y->load) - (x->load < y->load);
}

/* Whether both load from the same array. */
static bool may_share(const struct gcal_sets_access_event *a,
                      const struct gcal_sets_access_event *b)
{
    return is_load(a) && a->array == b->array && a->width == b->width &&
           gcal_dtype_size(a->dtype) == gcal_dtype_size(b->dtype);
}

/* What is left of a load; 'regions': of all accesses before it, and of itself. */
static struct gcal_count_issue issue_of(struct gcal_count_builder *m, size_t load,
                                        const struct region *regions,
                                        struct places *places)
{
    const struct region *r = &regions[load];
    struct gcal_count_issue issue = { m->nest->accesses[load].scope, 1, 1 };

    if (r->is_hoisted)
        issue.scope = scope_of(m, r);
    places->n = 0;
    if (!add_places(m, load, r, places))
        return issue;
    for (size_t i = find_unchanged(m->nest, load); i < load; i++)
        if (regions[i].around == r->around &&
            may_share(&m->nest->accesses[i], &m->nest->accesses[load]))
            add_places(m, i, &regions[i], places);
    /* How many places the load is the first to access. */
    int64_t count = 0;

    qsort(places->all, places->n, sizeof(*places->all), by_hash_and_load);
    for (size_t i = 0; i < places->n; i++)
        if (places->all[i].load == load &&
            (!i || places->all[i].hash != places->all[i - 1].hash))
            count++;
    issue.left = count;
    issue.of = r->places;
    return issue;
}

void gcal_count_builder_find_issues(struct gcal_count_builder *m)
{
    const struct gcal_sets_nest *nest = m->nest;
    struct gcal_count_issue *issues =
        gcal_poly_alloc(m->c, (nest->n_accesses + 1) * sizeof(*issues));
    struct region *regions = calloc(nest->n_accesses + 1, sizeof(*regions));
    struct places *places = malloc(sizeof(*places));

    for (size_t i = 0; issues && regions && places && i < nest->n_accesses; i++) {
        issues[i] = (struct gcal_count_issue){ nest->accesses[i].scope, 1, 1 };
        if (is_load(&nest->accesses[i])) {
            struct region r = { .places = 1, .around = nest->accesses[i].scope };

            for (; r.around && r.around->kind == GCAL_SETS_SCOPE_LOOP &&
                   !changes_in(m->nest, &nest->accesses[i], r.around->loop);
                 r.around = r.around->parent) {
                if (!gcal_poly_contains(m->c, nest->accesses[i].offset, r.around->loop) &&
                    r.places <= MOST_KEPT)
                    r.is_hoisted = true;
                else if (!unroll(m->nest, &r, r.around))
                    break;
            }
            regions[i] = r;
            issues[i] = issue_of(m, i, regions, places);
        }
    }
    if (regions && places)
        m->issues = issues;
    else
        gcal_poly_fail(m->c, "out of memory");
    free(regions);
    free(places);
}

struct gcal_count_issue gcal_count_issue_of(const struct gcal_count_builder *m,
                                            size_t number)
{
    return m->issues ? m->issues[number]
                     : (struct gcal_count_issue){ m->nest->accesses[number].scope, 1, 1 };
}

bool gcal_count_is_issued_whole(const struct gcal_count_builder *m, size_t number)
{
    const struct gcal_count_issue issue = gcal_count_issue_of(m, number);

    return issue.scope == m->nest->accesses[number].scope && issue.left == issue.of;
}
