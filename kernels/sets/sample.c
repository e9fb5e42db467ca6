/* sample.c - the points of a component whose sizes are all numbers, met one by one
 *
 * What has no closed form is counted as a device would meet it: the lanes of a sub-group go
 * through the loops together, in the iterations that any of them takes.  A unit is such a
 * sub-group in one work-group.  Where all units and iterations take longer than is allowed,
 * a sample of them is taken, always the same one, and the count has a standard error: first
 * and last groups, sub-groups and iterations are strata of their own, as kernels treat the
 * borders of their domains differently.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/random.h"
#include "kernels/sets/private.h"

/* Steps are terms of polynomials, for all lanes; some hundred million take a second. */
enum {
    MOST_STEPS = 1500000,    /* of a component */
    KERNEL_STEPS = 20000000, /* of a kernel, of which each component may take a share */
    LEAST_STEPS = 50000,
    MOST_LANES = 4096,
    MOST_ATOMS = 512,
    MOST_EARLIER = 8,
    MOST_SAMPLED = GCAL_MAX_DIMS + 1, /* coordinates of units */
    CHUNK = 64                        /* lanes at a time, where each counts */
};

#define MOST_EXACT 0x1p52
#define ROUNDING   0x1p-20 /* of quotients, whose divisors are less */

/* A dimension, outermost first; the level before the first has ids and local ids. */
struct level {
    size_t dim; /* of the domain */
    size_t n_atoms, n_conditions, n_earlier;
    unsigned atoms[MOST_ATOMS]; /* made of others, that change with it, in order */
    const struct gcal_sets_condition *conditions[GCAL_SETS_MAX_CONDITIONS];
    const struct gcal_sets_condition *earlier[MOST_EARLIER];
    unsigned char *held[MOST_EARLIER];  /* by lane: in an iteration before this one, */
    unsigned char *holds[MOST_EARLIER]; /* and in this one */
    unsigned char *active;              /* by lane */
    double *trips;
};

struct sample {
    const struct gcal_sets_component *component;
    struct gcal_poly_context *c;
    size_t n_lids, n_ids, n_levels, n_lanes;
    size_t lids[GCAL_MAX_DIMS], ids[GCAL_MAX_DIMS];      /* dimensions of the domain */
    int64_t extent[GCAL_MAX_DIMS], block[GCAL_MAX_DIMS]; /* of the local ids */
    int64_t coordinates[MOST_SAMPLED]; /* how many values each has; the last: blocks */
    struct level *levels;              /* n_levels + 1 */
    size_t n_columns;
    unsigned column_of[MOST_ATOMS]; /* atoms */
    size_t atom_level[MOST_ATOMS];
    double *columns, *scratch; /* by lane */
    int64_t iterations;        /* of one execution of a loop that are taken, at most */
    bool is_partial;           /* some loop had more */
    long steps, steps_left;
    bool failed;
    uint64_t random;
};

/* A number in part k of n equal parts of 0 .. size-1, the same in each run. */
static int64_t random_in_part(struct sample *s, int64_t k, int64_t n, int64_t size)
{
    int64_t at =
        (int64_t)(((double)k + gcal_random_share(&s->random)) / (double)n * (double)size);

    return at < size ? at : size - 1;
}

/* ---- columns: the values of atoms, by lane ---- */

static size_t find_column(const struct sample *s, unsigned atom)
{
    for (size_t i = 0; i < s->n_columns; i++)
        if (s->column_of[i] == atom)
            return i;
    return SIZE_MAX;
}

static double *column(const struct sample *s, unsigned atom)
{
    return s->columns + find_column(s, atom) * s->n_lanes;
}

static bool add_column(struct sample *s, unsigned atom, size_t level)
{
    if (s->n_columns == MOST_ATOMS)
        return false;
    s->column_of[s->n_columns] = atom;
    s->atom_level[s->n_columns++] = level;
    return true;
}

/* Adds what p is made of, at the levels at which it is known; '*level' rises to that of p.
 * False where it depends on more than the component's dimensions.
 */
static bool add_poly(struct sample *s, const struct gcal_poly *p, size_t *level)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(s->c, atom);
            size_t at = find_column(s, atom), own = 0;

            if (at == SIZE_MAX) {
                if (a.kind == GCAL_POLY_ATOM_PARAMETER ||
                    a.kind == GCAL_POLY_ATOM_DIMENSION || !add_poly(s, a.a, &own) ||
                    (a.b && !add_poly(s, a.b, &own)) || !add_column(s, atom, own))
                    return false;
                at = s->n_columns - 1;
                s->levels[own].atoms[s->levels[own].n_atoms++] = atom;
            }
            *level = s->atom_level[at] > *level ? s->atom_level[at] : *level;
        }
    return true;
}

static bool add_condition(struct sample *s, const struct gcal_sets_condition *x,
                          size_t *level)
{
    size_t at, own = 0;
    struct level *l;

    if (x->p)
        return add_poly(s, x->p, level);
    if (x->kind != GCAL_SETS_CONDITION_EARLIER)
        return add_condition(s, x->a, level) && (!x->b || add_condition(s, x->b, level));
    if ((at = find_column(s, x->loop)) == SIZE_MAX || !add_condition(s, x->a, &own) ||
        own > s->atom_level[at] || !s->atom_level[at])
        return false;
    l = &s->levels[s->atom_level[at]];
    *level = s->atom_level[at] > *level ? s->atom_level[at] : *level;
    for (size_t i = 0; i < l->n_earlier; i++)
        if (l->earlier[i] == x)
            return true;
    if (l->n_earlier == MOST_EARLIER)
        return false;
    l->earlier[l->n_earlier++] = x;
    return true;
}

/* ---- values ---- */

static void evaluate(struct sample *s, const struct gcal_poly *p, double *out)
{
    size_t n = s->n_lanes;
    double *product = s->scratch, most = 0;

    memset(out, 0, n * sizeof(*out));
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        double num = (double)t->num, den = (double)t->den;

        for (size_t k = 0; k < n; k++)
            product[k] = num;
        for (size_t j = 0; j < t->n_factors; j++) {
            const double *by = column(s, t->factors[j].atom);

            for (unsigned power = t->factors[j].power; power; power--)
                for (size_t k = 0; k < n; k++)
                    product[k] *= by[k];
        }
        for (size_t k = 0; k < n; k++) {
            most = fmax(most, fabs(product[k]));
            out[k] += product[k] / den;
        }
        s->steps += (long)(n / 8 + 1);
    }
    if (!(most < MOST_EXACT))
        s->failed = true;
}

static double operate(const struct gcal_poly_atom *a, double x, double y)
{
    switch (a->kind) {
    case GCAL_POLY_ATOM_FLOOR:
        return floor((x + ROUNDING) / (double)a->k);
    case GCAL_POLY_ATOM_QUOTIENT:
        return floor((x + ROUNDING) / y);
    case GCAL_POLY_ATOM_STEP:
        return x >= -ROUNDING;
    case GCAL_POLY_ATOM_MIN:
        return fmin(x, y);
    case GCAL_POLY_ATOM_MAX:
        return fmax(x, y);
    case GCAL_POLY_ATOM_LOG2:
        return x >= 1 ? ilogb(x) : NAN;
    default:
        return x >= 0 && x < 52 ? exp2(x) : NAN;
    }
}

/* 'held' and 'holds' of an earlier condition. */
static unsigned char *earlier_of(const struct sample *s,
                                 const struct gcal_sets_condition *x, bool now)
{
    const struct level *l = &s->levels[s->atom_level[find_column(s, x->loop)]];
    size_t i = 0;

    while (l->earlier[i] != x)
        i++;
    return now ? l->holds[i] : l->held[i];
}

static bool condition_at(struct sample *s, const struct gcal_sets_condition *x,
                         unsigned char *out)
{
    unsigned char *other;

    switch (x->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE: {
        double *value = s->scratch + s->n_lanes;

        evaluate(s, x->p, value);
        for (size_t k = 0; k < s->n_lanes; k++)
            out[k] = value[k] >= -ROUNDING;
        return !s->failed;
    }
    case GCAL_SETS_CONDITION_EARLIER:
        memcpy(out, earlier_of(s, x, false), s->n_lanes);
        return true;
    case GCAL_SETS_CONDITION_NOT:
        condition_at(s, x->a, out);
        for (size_t k = 0; k < s->n_lanes; k++)
            out[k] = !out[k];
        return !s->failed;
    default:
        condition_at(s, x->a, out);
        if (!(other = malloc(s->n_lanes))) {
            s->failed = true;
            return false;
        }
        condition_at(s, x->b, other);
        for (size_t k = 0; k < s->n_lanes; k++)
            out[k] = x->kind == GCAL_SETS_CONDITION_AND ? out[k] && other[k]
                                                        : out[k] || other[k];
        free(other);
        return !s->failed;
    }
}

/* ---- units ---- */

/* Sets the ids of unit 'at', by coordinate, and which lanes it has. */
static void set_unit(struct sample *s, const int64_t *at)
{
    const struct gcal_sets_domain *domain = s->component->domain;
    unsigned char *active = s->levels[0].active;
    int64_t items = 1;

    for (size_t i = 0; i < s->n_lids; i++)
        items *= s->extent[i];
    for (size_t i = 0; i < s->n_ids; i++) {
        double *id = column(s, domain->dims[s->ids[i]]);

        for (size_t k = 0; k < s->n_lanes; k++)
            id[k] = (double)at[i];
    }
    for (size_t k = 0; k < s->n_lanes; k++) {
        int64_t lane = (int64_t)k, block = at[s->n_ids];

        active[k] = true;
        if (domain->linear) {
            lane += block * (int64_t)s->n_lanes;
            active[k] = lane < items;
        }
        for (size_t i = 0; i < s->n_lids; i++) {
            int64_t size = domain->linear ? s->extent[i] : s->block[i], lid = lane % size;
            int64_t blocks = (s->extent[i] + s->block[i] - 1) / s->block[i];

            lane /= size;
            if (!domain->linear) {
                lid += block % blocks * size;
                block /= blocks;
                active[k] = active[k] && lid < s->extent[i];
            }
            column(s, domain->dims[s->lids[i]])[k] = (double)lid;
        }
    }
}

/* What a point with these lanes counts. */
static double weigh(struct sample *s, const unsigned char *active)
{
    const struct gcal_sets_domain *domain = s->component->domain;
    bool branches =
        domain->branch && gcal_sets_component_has(s->component, domain->branch);
    size_t n = 0, n_taken = 0;
    unsigned char *taken = s->levels[s->n_levels].active + s->n_lanes;

    for (size_t k = 0; k < s->n_lanes; k++)
        n += active[k];
    if (!branches)
        return domain->mode == GCAL_SETS_COUNT_WORK_ITEMS ? (double)n : n > 0;
    condition_at(s, domain->branch, taken);
    for (size_t k = 0; k < s->n_lanes; k++)
        n_taken += active[k] && taken[k];
    return n_taken > 0 && n_taken < n;
}

/* What is known from a level on. */
static bool any_active(struct sample *s, struct level *l)
{
    unsigned char *holds = l->active + s->n_lanes;
    bool any = false;

    for (size_t i = 0; i < l->n_atoms; i++) {
        unsigned atom = l->atoms[i];
        struct gcal_poly_atom a = gcal_poly_get_atom(s->c, atom);
        double *out = column(s, atom), *other = s->scratch + s->n_lanes;

        if (a.b)
            evaluate(s, a.b, other);
        else
            memset(other, 0, s->n_lanes * sizeof(*other));
        evaluate(s, a.a, out);
        for (size_t k = 0; k < s->n_lanes; k++)
            out[k] = operate(&a, out[k], other[k]);
    }
    for (size_t i = 0; i < l->n_earlier && !s->failed; i++) {
        for (size_t k = 0; k < s->n_lanes; k++)
            l->held[i][k] = l->held[i][k] || l->holds[i][k];
        condition_at(s, l->earlier[i]->a, l->holds[i]);
    }
    for (size_t i = 0; i < l->n_conditions && !s->failed; i++) {
        condition_at(s, l->conditions[i], holds);
        for (size_t k = 0; k < s->n_lanes; k++)
            l->active[k] = l->active[k] && holds[k];
    }
    for (size_t k = 0; k < s->n_lanes; k++)
        any = any || l->active[k];
    s->steps += (long)(s->n_lanes / 8 + 1);
    if (s->steps > s->steps_left)
        s->failed = true;
    return any && !s->failed;
}

/* Iteration i of those that are taken of a loop with 'trips', and how many it stands for. */
static int64_t take_iteration(struct sample *s, int64_t i, int64_t taken, int64_t trips,
                              double *weight)
{
    *weight = 1;
    if (taken == trips || i == 0)
        return i;
    if (i == taken - 1)
        return trips - 1;
    *weight = (double)(trips - 2) / (double)(taken - 2);
    return 1 + random_in_part(s, i - 1, taken - 2, trips - 2);
}

/* The points at and below a level, whose dimension has its value. */
static double count_from(struct sample *s, size_t level)
{
    struct level *l = &s->levels[level], *next = l + 1;
    int64_t trips = 0, taken;
    double sum = 0, weight, *index;

    if (!any_active(s, l))
        return 0;
    if (level == s->n_levels)
        return weigh(s, l->active);
    evaluate(s, s->component->domain->trips[next->dim], next->trips);
    for (size_t k = 0; k < s->n_lanes; k++)
        if (l->active[k] && next->trips[k] - ROUNDING > (double)trips)
            trips = (int64_t)ceil(next->trips[k] - ROUNDING);
    taken = next->n_earlier || trips < s->iterations ? trips : s->iterations;
    s->is_partial = s->is_partial || taken < trips;
    for (size_t i = 0; i < next->n_earlier; i++) {
        memset(next->held[i], 0, s->n_lanes);
        memset(next->holds[i], 0, s->n_lanes);
    }
    index = column(s, s->component->domain->dims[next->dim]);
    for (int64_t i = 0; i < taken && !s->failed; i++) {
        double at = (double)take_iteration(s, i, taken, trips, &weight);

        for (size_t k = 0; k < s->n_lanes; k++) {
            index[k] = at;
            next->active[k] = l->active[k] && at < next->trips[k] - ROUNDING;
        }
        sum += weight * count_from(s, level + 1);
    }
    return sum;
}

/* ---- strata: the first, the last and the other values of each coordinate ---- */

struct stratum {
    int64_t from[MOST_SAMPLED], size[MOST_SAMPLED], units;
};

/* Stratum 'number', in base 3; false: it is empty. */
static bool find_stratum(const struct sample *s, size_t number, struct stratum *stratum)
{
    stratum->units = 1;
    for (size_t i = 0; i <= s->n_ids; i++, number /= 3) {
        int64_t n = s->coordinates[i], part = (int64_t)(number % 3);

        stratum->from[i] = part == 0 ? 0 : part == 1 ? n - 1 : 1;
        stratum->size[i] = part == 0 ? 1 : part == 1 ? n > 1 : n > 2 ? n - 2 : 0;
        stratum->units *= stratum->size[i];
    }
    return stratum->units > 0;
}

static double count_unit(struct sample *s, const struct stratum *stratum, int64_t unit)
{
    int64_t at[MOST_SAMPLED];

    for (size_t i = 0; i <= s->n_ids; i++) {
        at[i] = stratum->from[i] + unit % stratum->size[i];
        unit /= stratum->size[i];
    }
    set_unit(s, at);
    return count_from(s, 0);
}

/* Adds a stratum of which 'draws' units are to be taken to the total and its variance. */
static void add_stratum(struct sample *s, const struct stratum *stratum, int64_t draws,
                        double *total, double *variance)
{
    double sum = 0, squares = 0, mean, n, size = (double)stratum->units;

    if (draws >= stratum->units && s->iterations == INT64_MAX)
        draws = stratum->units;
    for (int64_t i = 0; i < draws && !s->failed; i++) {
        double one = count_unit(s, stratum,
                                draws < stratum->units
                                    ? random_in_part(s, i, draws, stratum->units)
                                    : i % stratum->units);

        sum += one;
        squares += one * one;
    }
    n = (double)draws;
    mean = sum / n;
    *total += mean * size;
    if (draws == stratum->units && !s->is_partial)
        return;
    /* what no unit taken shows, fewer than one in n may have; of none, some one */
    *variance +=
        mean > 0
            ? size * size *
                  (fmax(squares / n - mean * mean, 0) / (n - 1) + mean * mean / n / n)
            : 1;
}

/* 'draws' units, or a few more; all of them if there are no more. */
static double count_units(struct sample *s, double draws, double *variance)
{
    enum { LEAST_DRAWS = 4 };
    size_t n_strata = 1;
    double units = 1, total = 0;
    struct stratum stratum;

    *variance = 0;
    for (size_t i = 0; i <= s->n_ids; i++) {
        n_strata *= 3;
        units *= (double)s->coordinates[i];
    }
    for (size_t i = 0; i < n_strata; i++)
        if (find_stratum(s, i, &stratum)) {
            double share = ceil(draws * (double)stratum.units / units);

            add_stratum(s, &stratum,
                        units <= draws && s->iterations == INT64_MAX
                            ? stratum.units
                            : (int64_t)fmax(share, LEAST_DRAWS),
                        &total, variance);
        }
    return total;
}

/* ---- the component ---- */

/* Local ids, and ids of groups; false where they are no numbers, or too many. */
static bool find_ids(struct sample *s)
{
    const struct gcal_sets_component *component = s->component;
    const struct gcal_sets_domain *domain = component->domain;
    const struct gcal_sets_nest *nest = domain->nest;
    int64_t lanes = 1, blocks = 1, extent;
    bool each = domain->mode == GCAL_SETS_COUNT_WORK_ITEMS;

    for (size_t i = 0; i < component->n_dims; i++) {
        size_t dim = component->dims[i];
        bool is_id = domain->is_lid[dim];

        for (size_t d = 0; d < nest->n_dims; d++)
            is_id = is_id || domain->dims[dim] == gcal_poly_atom_index(nest->gid[d]);
        if (!is_id)
            continue;
        if (!gcal_poly_is_constant(domain->trips[dim], &extent) || extent < 1 ||
            !add_column(s, domain->dims[dim], 0))
            return false;
        if (!domain->is_lid[dim]) {
            s->coordinates[s->n_ids] = extent;
            s->ids[s->n_ids++] = dim;
            continue;
        }
        s->lids[s->n_lids] = dim;
        s->extent[s->n_lids] = extent;
        s->block[s->n_lids] = !each                    ? domain->block[dim]
                              : extent < CHUNK / lanes ? extent
                                                       : CHUNK / lanes;
        if (domain->linear)
            s->block[s->n_lids] = extent;
        lanes *= s->block[s->n_lids];
        blocks *= (extent + s->block[s->n_lids] - 1) / s->block[s->n_lids];
        s->n_lids++;
    }
    if (domain->linear && s->n_lids) {
        blocks = (lanes + nest->sub_group_size - 1) / nest->sub_group_size;
        lanes = nest->sub_group_size;
    }
    s->coordinates[s->n_ids] = blocks;
    s->n_lanes = (size_t)lanes;
    return lanes <= MOST_LANES;
}

/* The loops, outermost first, each after those that its trips depend on. */
static bool find_levels(struct sample *s)
{
    const struct gcal_sets_component *component = s->component;
    const struct gcal_sets_domain *domain = component->domain;
    size_t n_loops = component->n_dims - s->n_lids - s->n_ids, level;

    while (s->n_levels < n_loops) {
        size_t found = SIZE_MAX;

        for (size_t i = component->n_dims; i-- > 0 && found == SIZE_MAX;)
            if (find_column(s, domain->dims[component->dims[i]]) == SIZE_MAX) {
                size_t n_columns = s->n_columns;

                level = 0;
                if (add_poly(s, domain->trips[component->dims[i]], &level))
                    found = component->dims[i];
                else if (n_columns != s->n_columns)
                    continue; /* these may be used later */
            }
        if (found == SIZE_MAX || !add_column(s, domain->dims[found], ++s->n_levels))
            return false;
        s->levels[s->n_levels].dim = found;
    }
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(component, domain->conditions[i])) {
            level = 0;
            if (!add_condition(s, domain->conditions[i], &level))
                return false;
            s->levels[level].conditions[s->levels[level].n_conditions++] =
                domain->conditions[i];
        }
    level = 0;
    return !domain->branch || !gcal_sets_component_has(component, domain->branch) ||
           add_condition(s, domain->branch, &level);
}

static void *take(char **memory, size_t bytes)
{
    void *taken = *memory;

    *memory += bytes;
    return taken;
}

/* The memory of all columns; NULL: there is none. */
static char *place_columns(struct sample *s)
{
    size_t n = s->n_lanes, flags = 2 + 2 * (size_t)MOST_EARLIER;
    char *memory = calloc((s->n_columns + 2 + s->n_levels + 1) * sizeof(double) +
                              (s->n_levels + 1) * flags,
                          n),
         *left = memory;

    if (!memory)
        return NULL;
    s->columns = take(&left, s->n_columns * n * sizeof(double));
    s->scratch = take(&left, 2 * n * sizeof(double));
    for (size_t i = 0; i <= s->n_levels; i++)
        s->levels[i].trips = take(&left, n * sizeof(double));
    for (size_t i = 0; i <= s->n_levels; i++) {
        s->levels[i].active = take(&left, 2 * n);
        for (size_t k = 0; k < MOST_EARLIER; k++) {
            s->levels[i].held[k] = take(&left, n);
            s->levels[i].holds[k] = take(&left, n);
        }
    }
    return memory;
}

/* Takes so many iterations that some units can be counted; the steps of one, or -1. */
static long try_unit(struct sample *s, long budget)
{
    static const int64_t iterations[] = { INT64_MAX, 256, 64, 16, 6, 3, 3 };
    enum {
        N = sizeof(iterations) / sizeof(iterations[0]),
        SOME_UNITS = 24,
        FEW_UNITS = 4
    };
    struct stratum all = { .units = 1 };

    for (size_t i = 0; i <= s->n_ids; i++) {
        all.from[i] = s->coordinates[i] / 2;
        all.size[i] = 1;
    }
    for (size_t i = 0; i < N; i++) {
        s->iterations = iterations[i];
        s->steps_left = budget / (i < N - 1 ? SOME_UNITS : FEW_UNITS);
        s->steps = 0;
        s->failed = false;
        count_unit(s, &all, 0);
        if (!s->failed)
            return s->steps + 1;
    }
    return -1;
}

bool gcal_sets_component_sample(const struct gcal_sets_component *component,
                                double *count, double *error)
{
    struct gcal_sets_nest *nest = component->domain->nest;
    struct sample s = { .component = component, .c = nest->c };
    long budget = (KERNEL_STEPS - nest->sampled_steps) / 8, one = -1;
    char *memory = NULL;
    double variance = 0;

    budget = budget > MOST_STEPS    ? MOST_STEPS
             : budget < LEAST_STEPS ? LEAST_STEPS
                                    : budget;
    budget /= nest->budget_divisor ? nest->budget_divisor : 1;
    if (!(s.levels = calloc(component->n_dims + 1, sizeof(*s.levels))))
        return false;
    if (find_ids(&s) && find_levels(&s) && (memory = place_columns(&s)))
        one = try_unit(&s, budget);
    if (one > 0) {
        s.is_partial = false;
        s.steps = 0;
        s.steps_left = 8 * budget;
        *count = count_units(&s, (double)budget / (double)one, &variance);
        *error = sqrt(variance);
        nest->sampled_steps += s.steps;
    }
    free(memory);
    free(s.levels);
    return one > 0 && !s.failed && (*count > *error || !variance);
}
