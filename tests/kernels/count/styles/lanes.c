/* lanes.c - counts per sub-group against an enumeration lane by lane
 *
 * The host interpreter runs the kernel and reports every execution with its place and its
 * instance: the iterations and calls in which it happens.  A sub-group executes a place
 * once for each instance that one or more of its lanes reach.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/count/signature.h"
#include "kernels/interpret/interpret.h"
#include "tests/kernels/count/styles/styles.h"

/* ---- what was executed ---- */

struct place {
    struct gcal_interp_execution first; /* its name ends with the run */
    char name[40];
    double items, sub_groups; /* executions */
    double diverged;          /* of branches: sub-groups' instances with both outcomes */
    bool branches; /* && and || do where their right side has work that is counted */
};

/* An instance of a place in a sub-group. */
struct instance {
    uint64_t key;           /* 0: free */
    unsigned char outcomes; /* of a branch: bit 0, not taken; bit 1, taken */
};

struct enumeration {
    size_t n_places, capacity;
    struct place *places;
    size_t n_instances, n_slots; /* n_slots: a power of 2 */
    struct instance *instances;
    bool failed;
};

/* Not of a ^ b alone: two pairs of addresses may have the same. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a * 0xff51afd7ed558ccd ^ b) * 0x9e3779b97f4a7c15;
    return (a ^ a >> 29) * 0xbf58476d1ce4e5b9 ^ a >> 32;
}

static struct instance *find_slot(struct instance *slots, size_t n, uint64_t key)
{
    size_t at = (size_t)key & (n - 1);

    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & (n - 1);
    return &slots[at];
}

static bool grow(struct enumeration *all)
{
    size_t n = all->n_slots ? 2 * all->n_slots : 1024;
    struct instance *slots = calloc(n, sizeof(*slots));

    if (!slots)
        return false;
    for (size_t i = 0; i < all->n_slots; i++)
        if (all->instances[i].key)
            *find_slot(slots, n, all->instances[i].key) = all->instances[i];
    free(all->instances);
    all->instances = slots;
    all->n_slots = n;
    return true;
}

static struct place *find_place(struct enumeration *all,
                                const struct gcal_interp_execution *e)
{
    struct place *moved;

    for (size_t i = 0; i < all->n_places; i++)
        if (all->places[i].first.place == e->place && /* a pointer may have two targets */
            all->places[i].first.base == e->base)
            return &all->places[i];
    moved =
        gcal_array_grow(all->places, all->n_places, &all->capacity, sizeof(*moved), NULL);
    if (!moved)
        return NULL;
    all->places = moved;
    moved[all->n_places] = (struct place){ .first = *e };
    if (e->kind == GCAL_INTERP_EXECUTION_CALL)
        snprintf(moved[all->n_places].name, sizeof(moved->name), "%s", e->name);
    return &moved[all->n_places++];
}

static void observe(void *context, const struct gcal_interp_execution *e)
{
    struct enumeration *all = context;
    struct place *place = find_place(all, e);
    uint64_t key = mix(mix((uint64_t)(uintptr_t)e->place, (uint64_t)(uintptr_t)e->base),
                       mix(e->group << 8 | e->item / STYLE_LANES, e->instance));
    struct instance *slot;

    if (!place || (2 * all->n_instances >= all->n_slots && !grow(all))) {
        all->failed = true;
        return;
    }
    slot = find_slot(all->instances, all->n_slots, key | 1);
    place->items++;
    if (!slot->key) {
        slot->key = key | 1;
        all->n_instances++;
        place->sub_groups++;
    }
    if (e->kind >= GCAL_INTERP_EXECUTION_BRANCH) {
        unsigned char before = slot->outcomes;

        slot->outcomes = before | (unsigned char)(1 << e->taken);
        place->diverged += slot->outcomes == 3 && before != 3;
        place->branches |= e->kind == GCAL_INTERP_EXECUTION_BRANCH || e->worked;
    }
}

/* ---- running ---- */

static int enumerate(const struct style *style,
                     const struct gcal_count_signature *signature,
                     const struct style_run *run, const struct style_value *values,
                     struct enumeration *all, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, STYLE_LANES);
    struct gcal_interp_arg *args = calloc(signature->n_args + 1, sizeof(*args));
    size_t global_size[GCAL_MAX_DIMS];
    int rc =
        args ? style_global_size(style, run, global_size, err) : gcal_error_memory(err);

    for (size_t i = 0; i < signature->n_args && rc == 0; i++) {
        const struct style_value *v = &values[i];

        if (v->kind == STYLE_OTHER)
            rc = gcal_error_set(err, GCAL_EINPUT, "argument '%s'",
                                signature->args[i].name);
        else
            args[i] =
                (struct gcal_interp_arg){ v->dtype, v->data,
                                          v->kind == STYLE_SCALAR ? 0
                                          : v->kind == STYLE_LOCAL
                                              ? v->n_elements / gcal_dtype_size(v->dtype)
                                              : v->n_elements };
    }
    if (rc == 0)
        rc = gcal_interp_observe_kernel(&request, global_size, signature->n_args, args,
                                        observe, all, err);
    free(args);
    return rc < 0 || !all->failed ? rc : gcal_error_memory(err);
}

/* ---- comparing ---- */

struct comparison {
    const struct style *style;
    const struct style_run *run;
    const struct gcal_profile *profile;
    const struct gcal_count_signature *signature;
    const struct style_value *values;
    const struct enumeration *all;
    size_t n_compared, n_marked, n_wrong;
};

/* Entries that make a quantity. */
struct choice {
    const char *name;
    enum gcal_feature_kind kind;
    enum gcal_feature_space space;
    enum gcal_feature_direction direction;
    const char *array;          /* or NULL */
    const char *dtype, *ops[2]; /* of operations */
};

static bool chooses(const struct choice *choice, const struct gcal_profile_entry *e)
{
    if (e->kind != choice->kind)
        return false;
    if (choice->kind == GCAL_FEATURE_MEM_ACCESS)
        return e->space == choice->space && e->direction == choice->direction &&
               (!choice->array || strcmp(e->array, choice->array) == 0);
    if (choice->kind == GCAL_FEATURE_OP)
        return strcmp(e->dtype, choice->dtype) == 0 &&
               (strcmp(e->op, choice->ops[0]) == 0 ||
                (choice->ops[1] && strcmp(e->op, choice->ops[1]) == 0));
    return true;
}

/* Sums by granularity; false where an entry is estimated. */
static bool sum_entries(const struct comparison *c, const struct choice *choice,
                        double sums[2], struct gcal_error *err)
{
    bool exact = true;

    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < c->profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &c->profile->entries[i];
        double count = 0;

        if (!chooses(choice, e))
            continue;
        if (oracle_value(e->count, c->run->n_sizes, c->run->sizes, &count, err) < 0)
            return false;
        sums[e->granularity == GCAL_FEATURE_PER_SUB_GROUP] += count;
        exact = exact && !e->estimated;
    }
    return exact;
}

/* Branches on data are marked with what they guard; madds are adds and muls. */
static bool may_be_marked(const struct style *style, const char *name)
{
    return style_lists(&style->marked, name) || style_lists(&style->lanes_marked, name) ||
           (style->marked.n && strcmp(name, "divergent branch") == 0) ||
           ((strcmp(name, "add") == 0 || strcmp(name, "mul") == 0) &&
            (style_lists(&style->marked, "float32 madd") ||
             style_lists(&style->marked, "float64 madd")));
}

static void judge(struct comparison *c, const char *name, const char *array, bool exact,
                  bool equal, double counted, double seen)
{
    bool expected = c->style->sampled || may_be_marked(c->style, name);

    if (!exact && expected) {
        c->n_marked++;
        return;
    }
    c->n_compared++;
    if (exact && equal)
        return;
    c->n_wrong++;
    printf("  %s by sub-group: %s%s%s: counted %.15g, seen %.15g\n",
           exact ? "WRONG" : "MARKED", name, array ? " of " : "", array ? array : "",
           counted, seen);
}

static bool is_local(const struct place *p, enum gcal_interp_execution_kind kind)
{
    return p->first.kind == kind && p->first.space == GCAL_FEATURE_SPACE_LOCAL;
}

static void compare_local(struct comparison *c, enum gcal_interp_execution_kind kind,
                          const struct choice *choice, struct gcal_error *err)
{
    double sums[2], seen = 0;
    bool exact = sum_entries(c, choice, sums, err);

    for (size_t i = 0; i < c->all->n_places; i++)
        if (is_local(&c->all->places[i], kind))
            seen += c->all->places[i].sub_groups;
    judge(c, choice->name, NULL, exact, fabs(sums[1] + sums[0] - seen) < 1e-3,
          sums[1] + sums[0], seen);
}

static bool is_madd(const struct place *p)
{
    return p->first.kind == GCAL_INTERP_EXECUTION_CALL &&
           (strcmp(p->name, "fma") == 0 || strcmp(p->name, "mad") == 0);
}

static void compare_operation(struct comparison *c, enum gcal_interp_execution_kind kind,
                              size_t bits, const struct choice *choice,
                              struct gcal_error *err)
{
    double sums[2], seen = 0;
    bool exact = sum_entries(c, choice, sums, err);

    for (size_t i = 0; i < c->all->n_places; i++) {
        const struct place *p = &c->all->places[i];

        if (p->first.bits == bits &&
            (is_madd(p) ? kind != GCAL_INTERP_EXECUTION_DIV : p->first.kind == kind))
            seen += p->sub_groups * (double)p->first.lanes;
    }
    judge(c, choice->name, choice->dtype, exact, fabs(sums[1] - seen) < 1e-3, sums[1],
          seen);
}

/* Calls of the function at 'at', which is the first of them. */
static void compare_calls(struct comparison *c, size_t at, struct gcal_error *err)
{
    const struct gcal_interp_execution *first = &c->all->places[at].first;
    const char *name = c->all->places[at].name;
    struct choice choice = { .name = name,
                             .kind = GCAL_FEATURE_OP,
                             .dtype = first->bits == 64   ? "float64"
                                      : first->bits == 32 ? "float32"
                                                          : "float16",
                             .ops = { name, NULL } };
    double sums[2], seen = 0;
    bool exact = sum_entries(c, &choice, sums, err);

    for (size_t i = 0; i < c->all->n_places; i++) {
        const struct place *p = &c->all->places[i];

        if (p->first.kind != GCAL_INTERP_EXECUTION_CALL || p->first.bits != first->bits ||
            strcmp(p->name, name) != 0)
            continue;
        if (i < at)
            return;
        seen += p->sub_groups * (double)p->first.lanes;
    }
    judge(c, choice.name, choice.dtype, exact, fabs(sums[1] - seen) < 1e-3, sums[1],
          seen);
}

/* Whether some of the places, taken by sub-group, and the others, by work-item, make these
 * sums: which of them is uniform is the profile's to decide.
 */
static bool splits(const struct place *const *places, size_t n, double by_item,
                   double by_sub_group)
{
    if (!n)
        return fabs(by_item) < 1e-3 && fabs(by_sub_group) < 1e-3;
    if (by_item < -1e-3 || by_sub_group < -1e-3)
        return false;
    return splits(places + 1, n - 1, by_item - places[0]->items, by_sub_group) ||
           splits(places + 1, n - 1, by_item, by_sub_group - places[0]->sub_groups);
}

static void compare_array(struct comparison *c, size_t arg,
                          enum gcal_interp_execution_kind kind, struct gcal_error *err)
{
    enum { MOST_PLACES = 24 };
    const struct gcal_count_signature_arg *a = &c->signature->args[arg];
    bool load = kind == GCAL_INTERP_EXECUTION_LOAD;
    bool constant = strstr(a->type, "constant") != NULL;
    struct choice choice = {
        .name = constant ? "constant load"
                : load   ? "global load"
                         : "global store",
        .kind = GCAL_FEATURE_MEM_ACCESS,
        .space = constant ? GCAL_FEATURE_SPACE_CONSTANT : GCAL_FEATURE_SPACE_GLOBAL,
        .direction = load ? GCAL_FEATURE_LOAD : GCAL_FEATURE_STORE,
        .array = a->name,
    };
    const struct place *places[MOST_PLACES];
    struct choice any = choice;
    double sums[2], others[2], seen = 0;
    size_t n = 0;
    bool exact = sum_entries(c, &choice, sums, err);

    any.array = "?";
    sum_entries(c, &any, others, err);
    if (others[0] + others[1] > 0)
        return; /* of one of the arrays: only work-items' are compared, for all together */

    for (size_t i = 0; i < c->all->n_places; i++) {
        const struct place *p = &c->all->places[i];

        if (p->first.kind != kind || p->first.base != c->values[arg].data)
            continue;
        if (n == MOST_PLACES)
            return; /* too many ways to split them */
        places[n++] = p;
        seen += p->sub_groups;
    }
    if (n || sums[0] > 0 || sums[1] > 0)
        judge(c, choice.name, a->name, exact, splits(places, n, sums[0], sums[1]),
              sums[1], seen);
}

static void compare_branches(struct comparison *c, struct gcal_error *err)
{
    const struct choice choice = { .name = "divergent branch",
                                   .kind = GCAL_FEATURE_DIVERGENT_BRANCH };
    double sums[2], seen = 0;
    bool exact = sum_entries(c, &choice, sums, err);

    for (size_t i = 0; i < c->all->n_places; i++)
        if (c->all->places[i].branches)
            seen += c->all->places[i].diverged;
    judge(c, choice.name, NULL, exact, fabs(sums[1] - seen) < 1e-3, sums[1], seen);
}

static void compare_all(struct comparison *c, struct gcal_error *err)
{
    static const char *const dtypes[] = { "float16", "float32", "float64" };
    static const struct choice local[] = {
        { .name = "local load",
          .kind = GCAL_FEATURE_MEM_ACCESS,
          .space = GCAL_FEATURE_SPACE_LOCAL,
          .direction = GCAL_FEATURE_LOAD },
        { .name = "local store",
          .kind = GCAL_FEATURE_MEM_ACCESS,
          .space = GCAL_FEATURE_SPACE_LOCAL,
          .direction = GCAL_FEATURE_STORE },
    };

    compare_local(c, GCAL_INTERP_EXECUTION_LOAD, &local[0], err);
    compare_local(c, GCAL_INTERP_EXECUTION_STORE, &local[1], err);
    for (size_t i = 0; i < 3; i++) {
        struct choice add = { "add", GCAL_FEATURE_OP, .dtype = dtypes[i],
                              .ops = { "add", "madd" } };
        struct choice mul = { "mul", GCAL_FEATURE_OP, .dtype = dtypes[i],
                              .ops = { "mul", "madd" } };
        struct choice div = { "div", GCAL_FEATURE_OP, .dtype = dtypes[i],
                              .ops = { "div", NULL } };
        size_t bits = (size_t)16 << i;

        compare_operation(c, GCAL_INTERP_EXECUTION_ADD, bits, &add, err);
        compare_operation(c, GCAL_INTERP_EXECUTION_MUL, bits, &mul, err);
        compare_operation(c, GCAL_INTERP_EXECUTION_DIV, bits, &div, err);
    }
    for (size_t i = 0; i < c->all->n_places; i++)
        if (c->all->places[i].first.kind == GCAL_INTERP_EXECUTION_CALL &&
            !is_madd(&c->all->places[i]))
            compare_calls(c, i, err);
    for (size_t i = 0; i < c->signature->n_args; i++)
        if (c->values[i].kind == STYLE_BUFFER) {
            compare_array(c, i, GCAL_INTERP_EXECUTION_LOAD, err);
            compare_array(c, i, GCAL_INTERP_EXECUTION_STORE, err);
        }
    compare_branches(c, err);
}

static void clear(struct enumeration *all)
{
    free(all->places);
    free(all->instances);
}

int style_check_lanes(const struct style *style,
                      const struct gcal_count_signature *signature,
                      const struct gcal_profile *profile, const struct style_run *run,
                      bool *enumerated, struct gcal_error *err)
{
    struct enumeration all = { 0 };
    struct style_value *values = style_values_make(style, signature, run, err);
    struct comparison c = { style, run, profile, signature, values, &all, 0, 0, 0 };
    struct gcal_error refused = { 0 };

    *enumerated = values && enumerate(style, signature, run, values, &all, &refused) == 0;
    if (*enumerated) {
        compare_all(&c, err);
        printf("  lanes: %zu equal, %zu marked, %zu wrong\n", c.n_compared - c.n_wrong,
               c.n_marked, c.n_wrong);
    } else {
        printf("  lanes: not enumerated: %s\n", refused.text);
    }
    clear(&all);
    style_values_free(values, signature->n_args);
    if (!values || err->text[0])
        return -1;
    return c.n_wrong ? gcal_error_set(err, GCAL_EINPUT, "%zu wrong counts by sub-group",
                                      c.n_wrong)
                     : 0;
}
