/* latency.c - entries of loads of global memory that wait for each other
 *
 * Of the work-item that does most.  Loads of one iteration of the same innermost loop,
 * without a barrier between them, are in flight together, but for those whose address
 * follows from others: such a set takes as many rounds as its longest chain of addresses.
 * The iterations of a loop wait for each other if it has a barrier, an address comes from
 * the iteration before (x = next[x]), or compilers do not unroll it so that loads come
 * first: as it stores to global memory, which may be what the next iteration loads, has an
 * atomic, or a step that is known at run time only.  Those of other loops overlap in
 * f_load_chain, as if they were unrolled, and follow each other in f_load_round.
 */
#include "kernels/count/private.h"

/* Loads between two barriers in one innermost loop. */
struct set {
    const struct gcal_sets_scope *loop; /* NULL: none */
    size_t n_barriers;
    unsigned rounds; /* of one iteration */
};

static bool is_load(const struct gcal_count_builder *m,
                    const struct gcal_sets_access_event *e)
{
    return !e->atomic && e->direction == GCAL_FEATURE_LOAD &&
           m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_GLOBAL;
}

static struct set set_of(const struct gcal_sets_access_event *e)
{
    return (struct set){ gcal_count_innermost_loop(e->scope), e->n_barriers,
                         e->depth + 1 };
}

static bool is_same(const struct set *a, const struct set *b)
{
    return a->loop == b->loop && a->n_barriers == b->n_barriers;
}

/* The set of access 'first'; false if an earlier access has it. */
static bool find_set(const struct gcal_count_builder *m, size_t first, struct set *set)
{
    *set = set_of(&m->nest->accesses[first]);
    for (size_t i = 0; i < m->nest->n_accesses; i++) {
        struct set other = set_of(&m->nest->accesses[i]);

        if (!is_load(m, &m->nest->accesses[i]) || !is_same(&other, set))
            continue;
        if (i < first)
            return false;
        set->rounds = other.rounds > set->rounds ? other.rounds : set->rounds;
    }
    return true;
}

/* ---- loops ---- */

static bool is_within(const struct gcal_sets_scope *scope, unsigned loop)
{
    for (; scope; scope = scope->parent)
        if (scope->kind == GCAL_SETS_SCOPE_LOOP && scope->loop == loop)
            return true;
    return false;
}

/* Whether loads of later iterations stay behind it. */
static bool holds_back(const struct gcal_count_builder *m,
                       const struct gcal_sets_access_event *e)
{
    return e->atomic || (e->direction == GCAL_FEATURE_STORE &&
                         m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_GLOBAL);
}

static bool is_serial(const struct gcal_count_builder *m, unsigned loop)
{
    for (size_t i = 0; i < m->nest->n_barriers; i++)
        if (is_within(m->nest->barriers[i].scope, loop))
            return true;
    for (size_t i = 0; i < m->nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];

        if (!is_within(e->scope, loop))
            continue;
        if (holds_back(m, e) ||
            (is_load(m, e) && e->carried && gcal_poly_contains(m->c, e->carried, loop)))
            return true;
    }
    return false;
}

/* The loops around and with 'scope' as one of trips that are 0 .. trips-1 alone: those that
 * are serial, or all; without conditions.
 */
static const struct gcal_sets_scope *loops_of(struct gcal_count_builder *m,
                                              const struct gcal_sets_scope *scope,
                                              bool serial_only)
{
    const struct gcal_sets_scope *parent;
    struct gcal_sets_scope *own;

    if (!scope)
        return NULL;
    parent = loops_of(m, scope->parent, serial_only);
    if (scope->kind != GCAL_SETS_SCOPE_LOOP ||
        (serial_only && !scope->runtime_step && !is_serial(m, scope->loop)) ||
        !(own = gcal_poly_alloc(m->c, sizeof(*own))))
        return parent;
    *own = *scope;
    own->parent = parent;
    return own;
}

/* Trips that depend on a loop that is left out: as in its first iteration. */
static void fix_trips(struct gcal_count_builder *m, const struct gcal_sets_scope *kept,
                      const struct gcal_sets_scope *all)
{
    for (; all; all = all->parent) {
        if (all->kind != GCAL_SETS_SCOPE_LOOP || is_within(kept, all->loop))
            continue;
        for (const struct gcal_sets_scope *s = kept; s; s = s->parent)
            ((struct gcal_sets_scope *)s)->trips = gcal_poly_substitute(
                m->c, s->trips, all->loop, gcal_poly_integer(m->c, 0));
    }
}

/* Iterations of the work-item that does most of them; 1 and '*estimated' if unknown. */
static const struct gcal_poly *iterations(struct gcal_count_builder *m,
                                          const struct gcal_sets_scope *scope,
                                          bool serial_only, bool *estimated)
{
    const struct gcal_sets_scope *loops = loops_of(m, scope, serial_only);
    bool varies = false;
    const struct gcal_poly *count;

    fix_trips(m, loops, scope);
    count = gcal_sets_scope_count(m->nest, loops, GCAL_SETS_COUNT_BUSIEST, &varies);
    if (count)
        return count;
    *estimated = true;
    if (scope)
        gcal_sets_nest_note(m->nest, scope->line, scope->column,
                            "how often the work-item that does most repeats this is "
                            "unknown: loads are counted to wait for each other once");
    return gcal_poly_integer(m->c, 1);
}

/* ---- entries ---- */

struct latency {
    const struct gcal_poly *chain, *rounds, *loads;
    bool estimated;
};

static const struct gcal_poly *times(struct gcal_count_builder *m, unsigned rounds,
                                     const struct gcal_poly *p)
{
    return gcal_poly_scale(m->c, p, rounds, 1);
}

/* The longest set between two barriers that come after 'n_barriers' in the source. */
static const struct gcal_poly *longest(struct gcal_count_builder *m, size_t n_barriers,
                                       struct latency *to)
{
    const struct gcal_poly *most = NULL, *one;
    struct set set;

    for (size_t i = 0; i < m->nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];

        if (!is_load(m, e) || e->n_barriers != n_barriers || !find_set(m, i, &set))
            continue;
        one = times(m, set.rounds, iterations(m, set.loop, true, &to->estimated));
        most = most ? gcal_poly_max(m->c, most, one) : one;
        to->rounds = gcal_poly_add(
            m->c, to->rounds,
            times(m, set.rounds, iterations(m, set.loop, false, &to->estimated)));
    }
    return most;
}

static void add(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                const struct latency *l, const char *text)
{
    struct gcal_profile_entry *entry = gcal_count_builder_add(m, kind, "");

    if (!entry)
        return;
    entry->count = gcal_count_builder_copy(m, text);
    entry->estimated = l->estimated;
}

void gcal_count_builder_add_latency(struct gcal_count_builder *m)
{
    const struct gcal_poly *zero = gcal_poly_integer(m->c, 0), *one;
    struct latency l = { zero, zero, zero, false };
    const char *rounds;

    if (!m->request->sector_bytes)
        return;
    for (size_t phase = 0; phase <= m->nest->n_barriers && !m->failed; phase++)
        if ((one = longest(m, phase, &l)))
            l.chain = gcal_poly_add(m->c, l.chain, one);
    for (size_t i = 0; i < m->nest->n_accesses && !m->failed; i++)
        if (is_load(m, &m->nest->accesses[i]))
            l.loads = gcal_poly_add(
                m->c, l.loads,
                iterations(m, gcal_count_innermost_loop(m->nest->accesses[i].scope),
                           false, &l.estimated));
    if (m->failed || !l.chain->n_terms)
        return;
    rounds = gcal_count_builder_name_text(m, l.rounds);
    add(m, GCAL_FEATURE_LOAD_CHAIN, &l, gcal_count_builder_name_text(m, l.chain));
    add(m, GCAL_FEATURE_LOAD_ROUND, &l, rounds);
    add(m, GCAL_FEATURE_LOADS_IN_FLIGHT, &l,
        gcal_poly_format(m->c, "(%s)/max(1,%s)", gcal_count_builder_name_text(m, l.loads),
                         rounds));
}
