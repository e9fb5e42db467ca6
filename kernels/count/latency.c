/* latency.c - entries of loads of global memory and images that wait for each other
 *
 * Of the work-item that does most.  Loads of one iteration of the same innermost loop,
 * without a barrier between them, are in flight together, but for those whose address
 * follows from others: such a set takes as many rounds as its longest chain of addresses.
 * The iterations of a loop wait for each other if it has a barrier, an address comes from
 * the iteration before (x = next[x]), or compilers do not unroll it so that loads come
 * first: as it stores to global memory, which may be what the next iteration loads, stores
 * to a private array in memory behind a branch on data, has an atomic, or a step that is known at
 * run time only.  Those of other loops overlap in f_load_chain, as if they were unrolled, and
 * follow each other in f_load_round.  Loops of few independent iterations that are unrolled
 * entirely (reuse.c) are no loops here.  Asynchronous copies that an iteration leaves to later ones to
 * wait for are no loads here, as its work hides them.  What is said of a loop's iterations holds for those
 * that were walked one by one (struct gcal_sets_step), too.
 */
#include <string.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* Iterations whose loads come first: of more, registers do not hold the results (found by
 * `dense` with 32 rows for each work-item, on an H100 and an H200).
 */
enum { MOST_IN_FLIGHT = 16 };

/* Loads between two barriers in one innermost loop. */
struct set {
    const struct gcal_sets_scope *loop; /* NULL: none */
    const struct gcal_sets_step *step;
    size_t n_barriers;
    unsigned rounds; /* of one iteration */
};

static bool is_load(const struct gcal_count_builder *m,
                    const struct gcal_sets_access_event *e)
{
    enum gcal_feature_space space = m->nest->arrays[e->array].space;

    return !e->atomic && !e->is_ahead && e->direction == GCAL_FEATURE_LOAD &&
           (space == GCAL_FEATURE_SPACE_GLOBAL || space == GCAL_FEATURE_SPACE_IMAGE);
}

/* ---- loops ---- */

/* Whether a condition on data decides whether it is made, so that there is a branch around it. */
static bool is_under_data(const struct gcal_sets_access_event *e)
{
    const struct gcal_sets_scope *s = e->scope;

    while (s && s->kind != GCAL_SETS_SCOPE_LOOP && s->kind != GCAL_SETS_SCOPE_UNKNOWN)
        s = s->parent;
    return s && s->kind == GCAL_SETS_SCOPE_UNKNOWN;
}

/* Whether loads of later iterations stay behind it. */
static bool holds_back(const struct gcal_count_builder *m,
                       const struct gcal_sets_access_event *e)
{
    enum gcal_feature_space space = m->nest->arrays[e->array].space;

    return e->atomic || (e->direction == GCAL_FEATURE_STORE &&
                         (space == GCAL_FEATURE_SPACE_GLOBAL ||
                          (space == GCAL_FEATURE_SPACE_PRIVATE && is_under_data(e))));
}

static bool is_serial(const struct gcal_count_builder *m, unsigned loop)
{
    if (gcal_count_has_barrier(m->nest, loop))
        return true;
    for (size_t i = 0; i < m->nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];

        if (!gcal_count_is_within(e->scope, loop))
            continue;
        if (holds_back(m, e) ||
            (is_load(m, e) && e->carried && gcal_poly_contains(m->c, e->carried, loop)))
            return true;
    }
    return false;
}

/* So that its loads come first. */
static bool is_unrolled(const struct gcal_count_builder *m,
                        const struct gcal_sets_scope *loop)
{
    int64_t trips = gcal_count_unrolled_trips(m->nest, loop);

    return trips && trips <= MOST_IN_FLIGHT && !is_serial(m, loop->loop);
}

/* The innermost loop around 'scope' that is not unrolled entirely; or NULL. */
static const struct gcal_sets_scope *innermost_loop(const struct gcal_count_builder *m,
                                                    const struct gcal_sets_scope *scope)
{
    const struct gcal_sets_scope *loop = gcal_count_innermost_loop(scope);

    while (loop && is_unrolled(m, loop))
        loop = gcal_count_innermost_loop(loop->parent);
    return loop;
}

/* ---- sets ---- */

static struct set set_of(const struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *e, bool unrolled)
{
    return (struct set){ unrolled ? innermost_loop(m, e->scope)
                                  : gcal_count_innermost_loop(e->scope),
                         e->step, e->n_barriers, e->depth + 1 };
}

static bool is_in_step(const struct gcal_sets_access_event *e,
                       const struct gcal_sets_step *step)
{
    const struct gcal_sets_step *s = e->step;

    while (s && s != step)
        s = s->outer;
    return s == step;
}

/* The set of access 'first'; false if that loads nothing, or an earlier access has it.  The accesses
 * of a step are beside each other.
 */
static bool find_set(const struct gcal_count_builder *m, size_t first, bool unrolled,
                     struct set *set)
{
    const struct gcal_sets_access_event *all = m->nest->accesses;
    size_t from;

    *set = set_of(m, &all[first], unrolled);
    if (!is_load(m, &all[first]))
        return false;
    from = set->step ? first : 0;
    while (from > 0 && is_in_step(&all[from - 1], set->step))
        from--;
    for (size_t i = from; i < m->nest->n_accesses && is_in_step(&all[i], set->step);
         i++) {
        struct set other = set_of(m, &all[i], unrolled);

        if (!is_load(m, &all[i]) || other.loop != set->loop || other.step != set->step ||
            other.n_barriers != set->n_barriers)
            continue;
        if (i < first)
            return false;
        set->rounds = other.rounds > set->rounds ? other.rounds : set->rounds;
    }
    return true;
}

/* Of each run of a loop that was walked, whether its iterations wait for each other; NULL: there is none,
 * or no memory.
 */
static const bool *find_serial_runs(const struct gcal_count_builder *m)
{
    const struct gcal_sets_nest *nest = m->nest;
    size_t most = 0;
    bool *serial;

    for (size_t i = 0; i < nest->n_accesses; i++)
        if (nest->accesses[i].step && nest->accesses[i].step->run > most)
            most = nest->accesses[i].step->run;
    if (!most || !(serial = gcal_poly_alloc(m->c, (most + 1) * sizeof(*serial))))
        return NULL;
    memset(serial, 0, (most + 1) * sizeof(*serial));
    for (size_t i = 0; i < nest->n_accesses; i++)
        for (const struct gcal_sets_step *s = nest->accesses[i].step;
             s && holds_back(m, &nest->accesses[i]); s = s->outer)
            serial[s->run] = true;
    return serial;
}

/* The innermost step around it that the next one waits for; NULL: none. */
static const struct gcal_sets_step *serial_step(const bool *serial,
                                                const struct gcal_sets_step *step)
{
    while (step && !(serial && serial[step->run]))
        step = step->outer;
    return step;
}

/* ---- iterations ---- */

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

/* Iterations of the work-item that does most of them; 1 and '*estimated' if unknown. */
static const struct gcal_poly *iterations(struct gcal_count_builder *m,
                                          const struct gcal_sets_scope *scope,
                                          bool serial_only, bool *estimated)
{
    const struct gcal_sets_scope *loops = loops_of(m, scope, serial_only);
    bool varies = false;
    const struct gcal_poly *count;

    /* Trips that depend on a loop that is left out: as in its first iteration. */
    const struct gcal_sets_scope *all = scope;
    for (; all; all = all->parent) {
        if (all->kind != GCAL_SETS_SCOPE_LOOP || gcal_count_is_within(loops, all->loop))
            continue;
        for (const struct gcal_sets_scope *s = loops; s; s = s->parent)
            ((struct gcal_sets_scope *)s)->trips = gcal_poly_substitute(
                m->c, s->trips, all->loop, gcal_poly_integer(m->c, 0));
    }
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

static const struct gcal_poly *rounds_of(struct gcal_count_builder *m,
                                         const struct set *set, bool serial_only,
                                         bool *estimated)
{
    return gcal_poly_scale(m->c, iterations(m, set->loop, serial_only, estimated),
                           set->rounds, 1);
}

/* Of the longest set between two barriers that come after 'n_barriers' in the source; of steps that
 * wait for each other the sum.
 */
static const struct gcal_poly *longest(struct gcal_count_builder *m, size_t n_barriers,
                                       const bool *serial, bool *estimated)
{
    const struct gcal_poly *most = gcal_poly_integer(m->c, 0), *sum = most,
                           *of_step = most;
    const struct gcal_sets_step *last = NULL;
    struct set set;

    for (size_t i = 0; i < m->nest->n_accesses && !m->failed; i++) {
        const struct gcal_sets_step *step;

        if (m->nest->accesses[i].n_barriers != n_barriers || !find_set(m, i, true, &set))
            continue;
        if (!(step = serial_step(serial, set.step))) {
            most = gcal_poly_max(m->c, most, rounds_of(m, &set, true, estimated));
            continue;
        }
        if (step != last) {
            sum = gcal_poly_add(m->c, sum, of_step);
            of_step = gcal_poly_integer(m->c, 0);
            last = step;
        }
        of_step = gcal_poly_max(m->c, of_step, rounds_of(m, &set, true, estimated));
    }
    return gcal_poly_max(m->c, most, gcal_poly_add(m->c, sum, of_step));
}

static const struct gcal_poly *sum_rounds(struct gcal_count_builder *m, bool unrolled,
                                          bool *estimated)
{
    const struct gcal_poly *sum = gcal_poly_integer(m->c, 0);
    struct set set;

    for (size_t i = 0; i < m->nest->n_accesses && !m->failed; i++)
        if (find_set(m, i, unrolled, &set))
            sum = gcal_poly_add(m->c, sum, rounds_of(m, &set, false, estimated));
    return sum;
}

/* Loads of a work-item, a wide one as often as it fills a register of 4 bytes: registers limit
 * how many are in flight.
 */
static const struct gcal_poly *sum_words(struct gcal_count_builder *m, bool *estimated)
{
    const struct gcal_poly *sum = gcal_poly_integer(m->c, 0);

    for (size_t i = 0; i < m->nest->n_accesses && !m->failed; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];
        int64_t bytes = e->width * (int64_t)gcal_dtype_size(e->dtype);

        if (is_load(m, e))
            sum = gcal_poly_add(
                m->c, sum,
                gcal_poly_scale(
                    m->c,
                    iterations(m, gcal_count_innermost_loop(e->scope), false, estimated),
                    bytes > 4 ? bytes / 4 : 1, 1));
    }
    return sum;
}

static void add(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                const char *text, bool estimated)
{
    struct gcal_profile_entry *entry = gcal_count_builder_add(m, kind, "");

    if (!entry)
        return;
    entry->count = gcal_count_builder_copy(m, text);
    entry->estimated = estimated;
}

void gcal_count_builder_add_latency(struct gcal_count_builder *m)
{
    bool estimated = false;
    const struct gcal_poly *chain, *trips, *rounds, *words;
    const bool *serial;
    const char *text;

    if (!m->request->sector_bytes)
        return;
    serial = find_serial_runs(m);
    const struct gcal_poly *sum = gcal_poly_integer(m->c, 0);

    for (size_t phase = 0; phase <= m->nest->n_barriers && !m->failed; phase++)
        sum = gcal_poly_add(m->c, sum, longest(m, phase, serial, &estimated));
    chain = sum;
    if (m->failed || !chain->n_terms)
        return;
    trips = sum_rounds(m, false, &estimated);
    rounds = sum_rounds(m, true, &estimated);
    words = sum_words(m, &estimated);
    text = gcal_count_builder_name_text(m, rounds);
    add(m, GCAL_FEATURE_LOAD_CHAIN, gcal_count_builder_name_text(m, chain), estimated);
    add(m, GCAL_FEATURE_LOAD_ROUND, text, estimated);
    add(m, GCAL_FEATURE_LOAD_TRIP, gcal_count_builder_name_text(m, trips), estimated);
    add(m, GCAL_FEATURE_LOADS_IN_FLIGHT,
        gcal_poly_format(m->c, "(%s)/max(1,%s)", gcal_count_builder_name_text(m, words),
                         text),
        estimated);
}
