/* sample.c - how often loops run, in a sample of a kernel's work-items
 *
 * Where no barrier or local memory joins the work-items of a group, sub-groups are the units
 * that are taken, or some lanes of each if these take long; else whole groups.  Some units are
 * run again, with other data, and items of a group in turns: a loop that then runs differently
 * depends on data, or on which item is first at what they share.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/interpret/private.h"
#include "kernels/interpret/sample.h"
#include "kernels/interpret/touches.h"

/* Iterations and calls of all units, of one and of one work-item; of how many units.  For
 * accesses: work-items, and what is observed of them, of all groups and of the first one.
 */
enum {
    MOST_STEPS = 250000,
    UNIT_STEPS = 40000,
    ITEM_STEPS = 50000,
    LEAST_UNITS = 4,
    MOST_UNITS = 4096,
    OTHER_UNITS = 32, /* with other data */
    MOST_POINTERS = 64,
    MOST_ITEMS = 8192,
    MOST_WORK = 120000,
    GROUP_WORK = 60000,
    LEAST_GROUPS = 4,
    COMPARED_GROUPS = 4 /* with other data */
};

#define SEED  1
#define UNSET 0x3f /* of the run with other data */

/* The trips of a loop in one execution of the loops around it, by the one that has most. */
struct execution {
    uint64_t instance; /* 0: none */
    size_t loop;
    uint64_t trips;
};

struct executions {
    size_t n, capacity; /* a power of two, or 0 */
    struct execution *all;
};

struct counted {
    const struct gcal_interp_node *at;
    int64_t trips[3], begun[3];
    int64_t exits;
    int64_t unit_trips, unit_begun; /* of work-items, in the unit at hand */
    double tt, tb, bb;              /* sums over units of squares and products */
    uint64_t first;                 /* a hash of the first units */
};

struct gcal_interp_sample {
    size_t n_loops, capacity;
    struct counted *loops;
    struct executions sub_group, group, exits;
    size_t sub_group_size, unit_size, n_units;
    bool is_other; /* data */
    uint64_t random;
    const double *constants; /* of the source, n_constants of them */
    size_t n_constants;
    unsigned char nowhere[GCAL_INTERP_NOWHERE];
    size_t n_contents, n_pointers;
    const struct gcal_interp_contents *contents;
    /* Of each pointer among the arguments: its name, and what it points to. */
    struct {
        const char *name, *dtype;
        const struct gcal_interp_contents *contents; /* NULL: unknown */
    } pointers[MOST_POINTERS];
    bool *
        is_changed; /* of each pointer: the kernel stores there, so that loads are data */
    struct gcal_interp_touches *touches; /* NULL: loops alone are looked at */
    size_t group_number;                 /* within the sample */
    size_t
        n_privates; /* what is observed of private arrays, unless there are too many places */
    bool has_many_places;
    bool failed, lacks_size;
    gcal_interp_size *size;
    void *context;
};

/* ---- what is not known: 0, or anything ---- */

/* Elements of pointer k, whose base names it; of those that the kernel changes, others of their
 * range in the run with other data.  false: unknown.
 */
static bool load_contents(struct gcal_interp_sample *s, size_t k,
                          const struct gcal_interp_pointer *p, size_t size)
{
    const struct gcal_interp_contents *contents = s->pointers[k].contents;
    const char *dtype = s->pointers[k].dtype;
    size_t element = gcal_dtype_size(dtype), offset = (size_t)p->offset;
    bool is_other = s->is_other && s->is_changed[k];

    if (contents->data && !is_other)
        memcpy(s->nowhere, contents->data + offset, size);
    if (contents->data || offset % element || size % element)
        return contents->data && !is_other;
    for (size_t i = 0, n = contents->bytes / element; i < size; i += element) {
        size_t at = is_other
                        ? (size_t)(gcal_random_next(&s->random) % (n ? n : UINT32_MAX))
                        : (offset + i) / element;

        gcal_dtype_fill_element(SEED + (uint64_t)(contents - s->contents), dtype,
                                &contents->range, n, at, s->nowhere + i);
    }
    return true;
}

/* A constant of the source or the number next to it, which conditions compare data with, as elements
 * of that type; integers where it is unknown.
 */
static uint64_t draw_constant(struct gcal_interp_sample *s, const char *dtype)
{
    uint64_t random = gcal_random_next(&s->random);
    double value =
        s->constants[random / 4 % s->n_constants] + (random % 4 == 1) - (random % 4 == 2);
    size_t size = dtype ? gcal_dtype_size(dtype) : 4;
    float single = (float)value;
    uint64_t bits = 0;

    if (dtype && strcmp(dtype, "float32") == 0)
        memcpy(&bits, &single, sizeof(single));
    else if (dtype && *dtype == 'f')
        memcpy(&bits, &value, sizeof(value));
    else if (fabs(value) < 9e18)
        bits = (uint64_t)(int64_t)value;
    for (; size < 8; size *= 2)
        bits = (bits & ((UINT64_C(1) << 8 * size) - 1)) | bits << 8 * size;
    return bits;
}

/* Constants, and bits of numbers: for loops, of those that are not large, else of any and of small
 * ones.  Most conditions on them then hold in some work-items and not in others.
 */
static uint64_t draw_other(struct gcal_interp_sample *s, const char *dtype)
{
    static const uint64_t masks[] = { 0x3f3f3f3f3f3f3f3f, UINT64_MAX, 0x000003ff000003ff,
                                      0 };
    uint64_t bits = gcal_random_next(&s->random);

    if (s->n_constants && gcal_random_next(&s->random) >> 62 <= !s->touches)
        return draw_constant(s, dtype);
    return bits & masks[s->touches ? gcal_random_next(&s->random) >> 62 : 0];
}

unsigned char *gcal_interp_sample_memory(struct gcal_interp_work_item *item,
                                         const struct gcal_interp_node *at,
                                         const struct gcal_interp_pointer *p, size_t size,
                                         bool store)
{
    struct gcal_interp_sample *s = item->run->sample;
    size_t k = (size_t)(p->base - s->nowhere);
    const struct gcal_interp_contents *contents = k ? s->pointers[k - 1].contents : NULL;

    if (k && store)
        s->is_changed[k - 1] = true;
    if (size > sizeof(s->nowhere)) {
        gcal_interp_run_fail(item, at->a, "an access to %zu bytes at once", size);
        return NULL;
    }
    if (contents && (p->offset < 0 ||
                     (contents->bytes && (size_t)p->offset + size > contents->bytes))) {
        gcal_interp_run_fail(item, at->a,
                             "element %lld of '%s' " GCAL_INTERP_OUTSIDE " buffer",
                             (long long)p->offset / (long long)size, contents->argument);
        return NULL;
    }
    if (contents && load_contents(s, k - 1, p, size))
        return s->nowhere;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t bits =
            s->is_other ? draw_other(s, k ? s->pointers[k - 1].dtype : NULL) : 0;

        memcpy(s->nowhere + i, &bits, 8);
    }
    return s->nowhere;
}

/* Where an argument points to such elements: at a base of its own. */
static unsigned char *find_base(struct gcal_interp_sample *s,
                                const struct gcal_interp_type *to, const char *name)
{
    size_t k = s->n_pointers;

    if (k == MOST_POINTERS)
        return s->nowhere;
    s->pointers[k].name = name;
    s->pointers[k].dtype = gcal_interp_type_dtype(gcal_interp_type_lane(to));
    s->pointers[k].contents = NULL;
    for (size_t i = 0; i < s->n_contents && s->pointers[k].dtype; i++)
        if (strcmp(s->contents[i].argument, name) == 0)
            s->pointers[k].contents = &s->contents[i];
    s->n_pointers++;
    return s->nowhere + k + 1;
}

static void set_value(struct gcal_interp_sample *s, const struct gcal_interp_type *type,
                      const char *name, unsigned char *to)
{
    struct gcal_interp_value value = { 0 };
    char part[200];
    int64_t number;

    if (type->repr == GCAL_INTERP_VECTOR) {
        for (size_t i = 0; i < type->count; i++) {
            snprintf(part, sizeof(part), type->count > 4 ? "%s_s%c" : "%s_%c", name,
                     (type->count > 4 ? "0123456789abcdef" : "xyzw")[i]);
            set_value(s, type->element, part, to + i * type->element->size);
        }
    } else if (type->repr == GCAL_INTERP_RECORD) {
        for (size_t i = 0; i < type->count; i++) {
            char *field = gcal_source_cursor_name(type->fields[i].decl, NULL);

            snprintf(part, sizeof(part), field && *field ? "%s_%s" : "%s", name, field);
            set_value(s, type->fields[i].type, part, to + type->fields[i].offset);
            free(field);
        }
    } else if (type->repr == GCAL_INTERP_POINTER) {
        value.p = (struct gcal_interp_pointer){ s->nowhere, SIZE_MAX, 0 };
        gcal_interp_value_write(type, to, &value);
    } else if (gcal_interp_is_int(type)) {
        number = 0;
        s->lacks_size = s->lacks_size || !s->size(s->context, name, &number);
        value.i = gcal_interp_int_wrap(type->repr, number);
        gcal_interp_value_write(type, to, &value);
    } else if (type->repr != GCAL_INTERP_ARRAY) {
        value.f = 1 + (s->is_other ? (double)(gcal_random_next(&s->random) % 100) : 0);
        for (size_t i = 0; i < s->n_contents; i++)
            if (strcmp(s->contents[i].argument, name) == 0)
                value.f = s->contents[i].range.first;
        gcal_interp_value_write(type, to, &value);
    }
}

void gcal_interp_sample_argument(struct gcal_interp_sample *s,
                                 const struct gcal_interp_node *param, unsigned char *to)
{
    const struct gcal_interp_type *type = param->type->element;
    struct gcal_interp_value value = { 0 };

    set_value(s, type, param->name, to);
    if (type->repr == GCAL_INTERP_POINTER) {
        value.p = (struct gcal_interp_pointer){ find_base(s, type->element, param->name),
                                                SIZE_MAX, 0 };
        gcal_interp_value_write(type, to, &value);
    }
}

/* ---- loops ---- */

static size_t find_loop(struct gcal_interp_sample *s, const struct gcal_interp_node *at)
{
    struct counted *moved;
    size_t i = 0;

    while (i < s->n_loops &&
           (s->loops[i].at->line != at->line || s->loops[i].at->column != at->column))
        i++;
    if (i < s->n_loops)
        return i;
    if (!(moved = gcal_array_grow(s->loops, s->n_loops, &s->capacity, sizeof(*moved),
                                  NULL))) {
        s->failed = true;
        return SIZE_MAX;
    }
    s->loops = moved;
    moved[s->n_loops] = (struct counted){ .at = at };
    return s->n_loops++;
}

static void put(struct gcal_interp_sample *s, struct executions *e,
                struct execution execution);

static void grow(struct gcal_interp_sample *s, struct executions *e)
{
    struct executions larger = { .capacity = e->capacity ? 2 * e->capacity : 256 };

    if (!(larger.all = calloc(larger.capacity, sizeof(*larger.all)))) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < e->capacity; i++)
        if (e->all[i].instance)
            put(s, &larger, e->all[i]);
    free(e->all);
    *e = larger;
}

static void put(struct gcal_interp_sample *s, struct executions *e,
                struct execution execution)
{
    size_t at;

    if (2 * e->n >= e->capacity)
        grow(s, e);
    if (s->failed)
        return;
    at = (size_t)((execution.instance + execution.loop) * 0x9e3779b97f4a7c15) &
         (e->capacity - 1);
    while (e->all[at].instance && (e->all[at].instance != execution.instance ||
                                   e->all[at].loop != execution.loop))
        at = (at + 1) & (e->capacity - 1);
    e->n += !e->all[at].instance;
    if (!e->all[at].instance || e->all[at].trips < execution.trips)
        e->all[at] = execution;
}

void gcal_interp_sample_loop(struct gcal_interp_work_item *item,
                             const struct gcal_interp_node *at, uint64_t instance,
                             uint64_t trips)
{
    const size_t *size = item->run->local_size, *id = item->local_id;
    struct gcal_interp_sample *s = item->run->sample;
    struct execution execution = { instance | 1, 0, trips };
    size_t sub_group;

    if (s->touches || (execution.loop = find_loop(s, at)) == SIZE_MAX)
        return;
    sub_group = (id[0] + size[0] * (id[1] + size[1] * id[2])) / s->sub_group_size;
    s->loops[execution.loop].unit_trips += (int64_t)trips;
    s->loops[execution.loop].unit_begun++;
    put(s, &s->group, execution);
    execution.instance += 2 * sub_group * 0xc2b2ae3d27d4eb4f;
    put(s, &s->sub_group, execution);
    execution.instance += 2 * (trips + 1) * 0x165667b19e3779f9;
    put(s, &s->exits, execution);
}

static void add_executions(struct gcal_interp_sample *s, struct executions *e, int mode)
{
    for (size_t i = 0; i < e->capacity; i++) {
        struct counted *loop = &s->loops[e->all[i].loop];

        if (e->all[i].instance && mode < 3) {
            loop->trips[mode] += (int64_t)e->all[i].trips;
            loop->begun[mode]++;
        } else if (e->all[i].instance) {
            loop->exits++;
        }
    }
    if (e->n)
        memset(e->all, 0, e->capacity * sizeof(*e->all));
    e->n = 0;
}

static void clear(struct gcal_interp_sample *s)
{
    free(s->loops);
    free(s->sub_group.all);
    free(s->group.all);
    free(s->exits.all);
    s->loops = NULL;
    s->n_loops = s->capacity = s->n_units = 0;
    s->sub_group = s->group = s->exits = (struct executions){ 0 };
}

/* ---- units ---- */

struct units {
    struct gcal_interp_group *group;
    struct gcal_interp_run *run;
    size_t per_group, n;
    bool joins_items; /* all of a unit's run together */
    size_t step;      /* from one lane to the next that is taken */
};

static bool run_unit(struct gcal_interp_sample *s, const struct units *u, size_t unit)
{
    u->run->steps_left = 4 * UNIT_STEPS;
    gcal_interp_run_unit(u->group, unit / u->per_group,
                         unit % u->per_group * s->unit_size, s->unit_size, u->step);
    add_executions(s, &s->sub_group, 1);
    add_executions(s, &s->group, 2);
    add_executions(s, &s->exits, 3);
    for (size_t i = 0; i < s->n_loops; i++) {
        struct counted *l = &s->loops[i];
        double t = (double)l->unit_trips, b = (double)l->unit_begun;

        if (s->n_units < OTHER_UNITS)
            l->first = ((l->first ^ (uint64_t)l->unit_trips) * 0x100000001b3 ^
                        (uint64_t)l->trips[1]) *
                           0x100000001b3 +
                       (uint64_t)l->unit_begun;
        l->trips[0] += l->unit_trips;
        l->begun[0] += l->unit_begun;
        l->tt += t * t;
        l->tb += t * b;
        l->bb += b * b;
        l->unit_trips = l->unit_begun = 0;
    }
    s->n_units++;
    return !u->run->failed && !s->failed;
}

/* Units in equal parts of all, in an order in which the first are spread out, too. */
static size_t choose_unit(struct gcal_interp_sample *s, size_t i, size_t taken, size_t n)
{
    size_t part = i * 7919 % taken;
    size_t at = (size_t)(((double)part + gcal_random_share(&s->random)) / (double)taken *
                         (double)n);

    return taken == n ? part : at < n ? at : n - 1;
}

/* How many units, and lanes, steps allow, from a unit in the middle; 0: none. */
static size_t plan_units(struct gcal_interp_sample *s, struct units *u)
{
    size_t taken, steps;

    u->step = u->joins_items ? 1 : s->unit_size; /* one lane */
    if (!run_unit(s, u, u->n / 2))
        return 0;
    steps = (size_t)(4 * UNIT_STEPS - u->run->steps_left) + 10;
    if (steps > ITEM_STEPS)
        return 0;
    if (!u->joins_items) {
        u->step = steps * s->unit_size / UNIT_STEPS + 1;
        steps *= (s->unit_size + u->step - 1) / u->step;
    }
    taken = MOST_STEPS / steps;
    taken = taken < LEAST_UNITS ? LEAST_UNITS : taken > MOST_UNITS ? MOST_UNITS : taken;
    clear(s);
    return taken < u->n ? taken : u->n;
}

/* 'taken' units in equal parts of all, the first 'most' of them. */
static bool run_units(struct gcal_interp_sample *s, const struct units *u, size_t taken,
                      size_t most)
{
    s->random = SEED;
    for (size_t i = 0; i < taken && i < most; i++) {
        size_t unit = choose_unit(s, i, taken, u->n);
        uint64_t random = s->random, start = random;

        s->random = gcal_random_next(&start); /* of the unit's data */
        if (!run_unit(s, u, unit))
            return false;
        s->random = random;
    }
    return true;
}

/* The relative error of the quotient trips/begun of a sample of n units; all: INFINITY, where
 * not all of their lanes are in it.
 */
static double find_error(const struct counted *l, double n, double all)
{
    double t = (double)l->trips[0], b = (double)l->begun[0], mean = t / b;
    double squares = l->tt - 2 * mean * l->tb + mean * mean * l->bb;

    if (n >= all)
        return 0;
    if (!t)
        return 1 / n;
    return sqrt(fmax(squares, 0) * n / fmax(n - 1, 1) * (1 - n / all)) / t + 1 / n;
}

static int take_loops(const struct gcal_interp_sample *s,
                      const struct gcal_interp_sample *other, double n_units,
                      struct gcal_interp_loop **loops, size_t *n_loops,
                      struct gcal_error *err)
{
    if (!(*loops = calloc(s->n_loops + 1, sizeof(**loops))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < s->n_loops; i++) {
        const struct counted *l = &s->loops[i];
        struct gcal_interp_loop *to = &(*loops)[i];

        *to = (struct gcal_interp_loop){ .line = l->at->line,
                                         .column = l->at->column,
                                         .on_data = true };
        to->exits = l->exits;
        memcpy(to->trips, l->trips, sizeof(to->trips));
        memcpy(to->begun, l->begun, sizeof(to->begun));
        to->error = find_error(l, (double)s->n_units, n_units);
        for (size_t k = 0; k < other->n_loops; k++)
            if (other->loops[k].at == l->at && other->loops[k].first == l->first)
                to->on_data = false;
    }
    *n_loops = s->n_loops;
    return 0;
}

int gcal_interp_sample_loops(struct gcal_source_unit *unit, CXCursor kernel,
                             const struct gcal_count_request *request,
                             const int64_t *groups, gcal_interp_size *size, void *context,
                             size_t n_contents,
                             const struct gcal_interp_contents *contents,
                             struct gcal_interp_loop **loops, size_t *n_loops,
                             struct gcal_error *err)
{
    struct gcal_interp_sample s[2] = { 0 };
    struct gcal_interp_program *program = NULL;
    bool is_changed[MOST_POINTERS] = { false };
    size_t global[GCAL_MAX_DIMS], items = 1, taken = 0;
    struct units units = { .step = 1 };
    int rc = -1;

    for (size_t d = 0; d < request->n_dims; d++) {
        global[d] = (size_t)groups[d] * request->local_size[d];
        items *= request->local_size[d];
    }
    if (!(program = gcal_interp_program_create(unit, kernel, err)))
        return -1;
    for (int other = 0; other < 2; other++) {
        struct gcal_interp_run run = { .program = program,
                                       .sample = &s[other],
                                       .takes_turns = other,
                                       .nowhere = s[other].nowhere,
                                       .unset = other ? UNSET : 0,
                                       .err = err };

        s[other].is_other = other;
        s[other].is_changed = is_changed;
        s[other].constants = program->constants;
        s[other].n_constants = program->n_constants;
        s[other].size = size;
        s[other].context = context;
        s[other].n_contents = n_contents;
        s[other].contents = contents;
        s[other].random = SEED;
        s[other].sub_group_size = request->sub_group_size ? request->sub_group_size : 32;
        s[other].unit_size = program->joins_items ? items : s[other].sub_group_size;
        units.run = &run;
        units.joins_items = program->joins_items;
        units.per_group = (items - 1) / s[other].unit_size + 1;
        units.n = units.per_group;
        for (size_t d = 0; d < request->n_dims; d++)
            units.n *= (size_t)groups[d];
        rc = gcal_interp_run_begin(&run, request, global, &units.group, err);
        if (rc == 0 && s[other].lacks_size)
            rc = gcal_error_set(err, GCAL_EINPUT, "some size is not given");
        if (rc == 0 && !other)
            taken = plan_units(&s[0], &units);
        if (rc == 0 && !(taken && run_units(&s[other], &units, taken,
                                            other ? OTHER_UNITS : SIZE_MAX)))
            rc = -1;
        gcal_interp_run_end(units.group);
        if (rc < 0 && !other)
            break;
        if (rc < 0) /* with other data some loop does not end */
            s[1].n_loops = 0;
        if (other)
            rc = take_loops(&s[0], &s[1], units.step > 1 ? INFINITY : (double)units.n,
                            loops, n_loops, err);
    }
    clear(&s[0]);
    clear(&s[1]);
    gcal_interp_program_destroy(program);
    return rc;
}

/* ---- accesses ---- */

static size_t find_site(struct gcal_interp_sample *s,
                        const struct gcal_interp_execution *e)
{
    struct gcal_interp_touches *t = s->touches;
    size_t k = (uintptr_t)e->base - (uintptr_t)s->nowhere;
    struct gcal_interp_site site = { .line = e->line,
                                     .column = e->column,
                                     .store = e->kind != GCAL_INTERP_EXECUTION_LOAD,
                                     .atomic = e->kind == GCAL_INTERP_EXECUTION_ATOMIC,
                                     .space = e->space,
                                     .bytes = e->bytes,
                                     .place = e->place,
                                     .pointer = k <= s->n_pointers ? k : 0 };

    for (size_t i = 0; i < t->n_sites; i++)
        if (t->sites[i].place == e->place && t->sites[i].pointer == site.pointer &&
            t->sites[i].space == e->space && t->sites[i].store == site.store)
            return i;
    if (t->n_sites == GCAL_INTERP_MOST_SITES) {
        s->failed = true;
        return 0;
    }
    if (site.pointer)
        snprintf(site.argument, sizeof(site.argument), "%s",
                 s->pointers[site.pointer - 1].name);
    t->sites[t->n_sites] = site;
    return t->n_sites++;
}

/* Of the run with other data, sums alone are kept. */
static void observe_touch(void *context, const struct gcal_interp_execution *e)
{
    struct gcal_interp_sample *s = context;
    struct gcal_interp_touches *t = s->touches;
    struct gcal_interp_touch *moved;
    bool is_private = e->space == GCAL_FEATURE_SPACE_PRIVATE;
    size_t site;

    if (is_private &&
        (s->group_number >= t->n_private_groups || e->item >= t->sub_group_size))
        return;
    if (is_private && t->n_sites >= GCAL_INTERP_MOST_SITES / 2) {
        t->n_private_groups = 0;
        s->has_many_places = true;
        return;
    }
    if (is_private)
        s->n_privates++;
    else if (s->n_units >= MOST_WORK || e->kind > GCAL_INTERP_EXECUTION_ATOMIC) {
        s->n_units += e->kind != GCAL_INTERP_EXECUTION_LOGIC;
        return;
    }
    s->n_units += !is_private;
    site = find_site(s, e);
    if (s->group_number < COMPARED_GROUPS)
        t->sites[site].sum[s->is_other] += gcal_interp_touch_mix(
            gcal_interp_touch_mix(e->instance, e->item), (uint64_t)e->offset);
    if (s->is_other)
        return;
    if (!(moved = gcal_array_grow(t->all, t->n, &t->capacity, sizeof(*moved), NULL))) {
        s->failed = true;
        return;
    }
    t->all = moved;
    moved[t->n++] = (struct gcal_interp_touch){ .site = (uint32_t)site,
                                                .group = (uint32_t)s->group_number,
                                                .item = (uint32_t)e->item,
                                                .instance = e->instance,
                                                .loop = e->loop,
                                                .offset = e->offset };
}

/* Runs the group that is 'number' of the sample; false where it takes long. */
static bool run_whole(struct gcal_interp_sample *s, struct units *u, size_t number)
{
    size_t work = s->n_units;

    s->group_number = number;
    if (!s->is_other && number == s->touches->n_private_groups &&
        s->n_privates < MOST_WORK && !s->has_many_places)
        s->touches->n_private_groups++;
    u->run->steps_left = GROUP_WORK;
    gcal_interp_run_unit(u->group, s->touches->groups[number], 0, SIZE_MAX, 1);
    return !u->run->failed && !s->failed && s->n_units - work <= GROUP_WORK;
}

/* Groups at random, one in each part of all, and their next ones along each axis. */
static void choose_groups(struct gcal_interp_sample *s, size_t most)
{
    struct gcal_interp_touches *t = s->touches;
    size_t axes = 1, n, parts;

    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        axes += t->extents[d] > 1;
    parts = most / axes ? most / axes : 1;
    if (t->n_all <= most) {
        for (t->n_groups = 0; t->n_groups < t->n_all; t->n_groups++)
            t->groups[t->n_groups] = t->n_groups;
        t->n_parts = t->n_all;
        return;
    }
    t->n_groups = 0;
    t->n_parts = parts;
    for (size_t i = 0; i < parts; i++) {
        size_t at = (size_t)(((double)i + gcal_random_share(&s->random)) / (double)parts *
                             (double)t->n_all),
               stride = 1;

        gcal_random_next(&s->random);
        at = at < t->n_all ? at : t->n_all - 1;
        t->groups[t->n_groups++] = at;
        for (size_t d = 0; d < GCAL_MAX_DIMS; stride *= t->extents[d++]) {
            n = at / stride % t->extents[d];
            if (t->extents[d] > 1) /* the first one after the last one */
                t->groups[t->n_groups++] =
                    n + 1 < t->extents[d] ? at + stride : at - n * stride;
        }
    }
}

/* How many groups of such a one are a sample; 0: none. */
static size_t plan_groups(const struct gcal_interp_sample *s, const struct units *u,
                          size_t items)
{
    size_t work = s->n_units + (size_t)(GROUP_WORK - u->run->steps_left) + 1;
    size_t n = MOST_WORK / work;

    n = n < MOST_ITEMS / items ? n : MOST_ITEMS / items;
    n = n < LEAST_GROUPS ? LEAST_GROUPS : n;
    return n < GCAL_INTERP_MOST_GROUPS ? n : GCAL_INTERP_MOST_GROUPS;
}

static bool run_sample(struct gcal_interp_sample *s, struct units *u, size_t items)
{
    struct gcal_interp_touches *t = s->touches;

    if (!s->is_other) {
        t->groups[0] = t->n_all / 2;
        if (!run_whole(s, u, 0))
            return false;
        choose_groups(s, plan_groups(s, u, items));
        t->n = t->n_private_groups = s->n_privates = 0;
        for (size_t i = 0; i < t->n_sites; i++)
            t->sites[i].sum[0] = 0;
    }
    for (size_t i = 0; i < t->n_groups && (!s->is_other || i < COMPARED_GROUPS); i++) {
        s->n_units = 0;
        if (!run_whole(s, u, i))
            return false;
    }
    return true;
}

int gcal_interp_sample_touches(struct gcal_source_unit *unit, CXCursor kernel,
                               const struct gcal_count_request *request,
                               const int64_t *groups, gcal_interp_size *size,
                               void *context, size_t n_contents,
                               const struct gcal_interp_contents *contents,
                               struct gcal_interp_touches *touches,
                               struct gcal_error *err)
{
    struct gcal_interp_program *program = NULL;
    bool is_changed[MOST_POINTERS] = { false };
    size_t global[GCAL_MAX_DIMS], items = 1;
    int rc = 0;

    *touches = (struct gcal_interp_touches){ .n_all = 1, .extents = { 1, 1, 1 } };
    touches->sub_group_size = request->sub_group_size;
    for (size_t d = 0; d < request->n_dims; d++) {
        global[d] = (size_t)groups[d] * request->local_size[d];
        items *= request->local_size[d];
        touches->extents[d] = (size_t)groups[d];
        touches->n_all *= (size_t)groups[d];
    }
    if (touches->sub_group_size)
        touches->n_sub_groups = (items - 1) / touches->sub_group_size + 1;
    if (items > MOST_ITEMS || !(program = gcal_interp_program_create(unit, kernel, err)))
        return -1;
    for (int other = 0; other < 2 && rc == 0; other++) {
        struct gcal_interp_sample s = { .is_other = other,
                                        .is_changed = is_changed,
                                        .size = size,
                                        .context = context,
                                        .n_contents = n_contents,
                                        .contents = contents,
                                        .random = SEED,
                                        .constants = program->constants,
                                        .n_constants = program->n_constants,
                                        .sub_group_size = 1,
                                        .touches = touches };
        struct gcal_interp_run run = { .program = program,
                                       .sample = &s,
                                       .nowhere = s.nowhere,
                                       .unset = other ? UNSET : 0,
                                       .observe = observe_touch,
                                       .observes_privates = request->sub_group_size > 0,
                                       .context = &s,
                                       .err = err };
        struct units units = { .run = &run };

        rc = gcal_interp_run_begin(&run, request, global, &units.group, err);
        if (rc == 0 && (s.lacks_size || !run_sample(&s, &units, items)))
            rc = -1;
        gcal_interp_run_end(units.group);
        clear(&s);
    }
    gcal_interp_program_destroy(program);
    return rc;
}
