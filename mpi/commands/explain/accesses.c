/* accesses.c - accesses by their places in the source, arrays by the levels of memory */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "mpi/commands/count/features.h"
#include "mpi/commands/explain/private.h"

/* ---- entries that belong together ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Loads, or stores, of one array as one type. */
bool gcal_explain_same_array(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b)
{
    return same_text(a->array, b->array) && a->space == b->space &&
           a->direction == b->direction && same_text(a->dtype, b->dtype) &&
           same_text(a->op, b->op) && a->vector_width == b->vector_width;
}

/* Footprints join the types and widths of an array's accesses. */
static bool same_footprint(const struct gcal_profile_entry *a,
                           const struct gcal_profile_entry *b)
{
    return same_text(a->array, b->array) && a->space == b->space &&
           a->direction == b->direction;
}

bool gcal_explain_same_place(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b)
{
    return a->line == b->line && a->column == b->column && gcal_explain_same_array(a, b);
}

static struct gcal_explain_access *find_access(struct gcal_explain_accesses *a,
                                               const struct gcal_profile_entry *entry)
{
    struct gcal_explain_access *one;

    for (size_t i = 0; i < a->n_accesses; i++)
        if (gcal_explain_same_place(a->accesses[i].entry, entry))
            return &a->accesses[i];
    one = &a->accesses[a->n_accesses++];
    *one = (struct gcal_explain_access){
        .entry = entry,
        .wanted_bytes = NAN,
        .executions = NAN,
        .sectors = NAN,
        .lines = NAN,
        .partial = NAN,
        .passes = NAN,
    };
    return one;
}

static struct gcal_explain_array *find_array(struct gcal_explain_accesses *a,
                                             const struct gcal_profile_entry *entry)
{
    struct gcal_explain_array *one;

    for (size_t i = 0; i < a->n_arrays; i++)
        if (same_footprint(a->arrays[i].entry, entry))
            return &a->arrays[i];
    one = &a->arrays[a->n_arrays++];
    *one = (struct gcal_explain_array){ entry, NAN, NAN, NAN, NAN, NAN, false };
    return one;
}

/* Values of several entries are added up. */
static void add_value(double *sum, double value)
{
    *sum = isnan(*sum) ? value : *sum + value;
}

/* ---- entries of a profile ---- */

static void take_traffic(struct gcal_explain_accesses *a,
                         const struct gcal_profile_entry *e, double value)
{
    struct gcal_explain_access *one = find_access(a, e);

    add_value(e->kind == GCAL_FEATURE_SECTOR           ? &one->sectors
              : e->kind == GCAL_FEATURE_LINE           ? &one->lines
              : e->kind == GCAL_FEATURE_PARTIAL_SECTOR ? &one->partial
                                                       : &one->passes,
              value);
    one->estimated = one->estimated || e->estimated;
}

static void take_footprint(struct gcal_explain_accesses *a,
                           const struct gcal_profile_entry *e, double value)
{
    struct gcal_explain_array *one = find_array(a, e);

    add_value(e->kind == GCAL_FEATURE_SECTOR                ? &one->sectors
              : e->kind == GCAL_FEATURE_LOOP_SECTOR         ? &one->loops
              : e->kind == GCAL_FEATURE_FOOTPRINT_SUB_GROUP ? &one->sub_groups
              : e->kind == GCAL_FEATURE_FOOTPRINT_GROUP     ? &one->groups
                                                            : &one->launch,
              value);
    one->estimated = one->estimated || e->estimated;
}

/* Entries at a place of the source that are patterns of several places have the first. */
static void take_entry(struct gcal_explain_accesses *a,
                       const struct gcal_profile_entry *e, double value)
{
    switch (e->kind) {
    case GCAL_FEATURE_MEM_ACCESS:
    case GCAL_FEATURE_ATOMIC:
        if (e->line)
            find_access(a, e);
        break;
    case GCAL_FEATURE_SECTOR:
        take_footprint(a, e, value);
        take_traffic(a, e, value);
        break;
    case GCAL_FEATURE_LINE:
    case GCAL_FEATURE_PARTIAL_SECTOR:
    case GCAL_FEATURE_CACHE_PASS:
    case GCAL_FEATURE_LOCAL_PASS:
        take_traffic(a, e, value);
        break;
    case GCAL_FEATURE_LOOP_SECTOR:
    case GCAL_FEATURE_FOOTPRINT_SUB_GROUP:
    case GCAL_FEATURE_FOOTPRINT_GROUP:
    case GCAL_FEATURE_FOOTPRINT_LAUNCH:
        take_footprint(a, e, value);
        break;
    case GCAL_FEATURE_DIVERGENT_BRANCH:
        if (value > 0)
            a->branches[a->n_branches++] =
                (struct gcal_explain_branch){ e->line, e->column, value };
        break;
    default:
        break;
    }
}

/* ---- what work-items want ---- */

/* Places of the source that accesses of this array have. */
static size_t count_places(const struct gcal_explain_accesses *a,
                           const struct gcal_profile_entry *entry)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n_accesses; i++)
        n += gcal_explain_same_array(a->accesses[i].entry, entry);
    return n;
}

static size_t count_patterns(const struct gcal_profile *profile,
                             const struct gcal_profile_entry *entry)
{
    size_t n = 0;

    for (size_t i = 0; i < profile->n_entries; i++)
        n += (profile->entries[i].kind == GCAL_FEATURE_MEM_ACCESS ||
              profile->entries[i].kind == GCAL_FEATURE_ATOMIC) &&
             gcal_explain_same_array(&profile->entries[i], entry);
    return n;
}

/* What a count of accesses wants: an element that a sub-group shares counts once, in local and
 * private memory each work-item's.  A pattern belongs to its place where each place has one; else
 * all patterns of the array are divided among its places.
 */
static void add_wanted(struct gcal_explain_accesses *a,
                       const struct gcal_profile *profile,
                       const struct gcal_profile_entry *e, double count, double lanes)
{
    size_t n_places = count_places(a, e);
    bool each = n_places == count_patterns(profile, e);
    bool by_sub_group = e->granularity == GCAL_FEATURE_PER_SUB_GROUP;
    bool shares = by_sub_group && (e->space == GCAL_FEATURE_SPACE_GLOBAL ||
                                   e->space == GCAL_FEATURE_SPACE_CONSTANT);
    double size = (double)(gcal_dtype_size(e->dtype) * e->vector_width);
    double executions = by_sub_group ? count : count / lanes;
    double bytes = size * count * (by_sub_group && !shares ? lanes : 1);

    for (size_t i = 0; i < a->n_accesses; i++) {
        struct gcal_explain_access *one = &a->accesses[i];

        if (each ? !gcal_explain_same_place(one->entry, e)
                 : !gcal_explain_same_array(one->entry, e))
            continue;
        add_value(&one->wanted_bytes, each ? bytes : bytes / (double)n_places);
        add_value(&one->executions, each ? executions : executions / (double)n_places);
        one->divided = !each;
        one->estimated = one->estimated || e->estimated;
    }
}

/* ---- all ---- */

static int compare_places(const void *a, const void *b)
{
    const struct gcal_profile_entry *x = ((const struct gcal_explain_access *)a)->entry,
                                    *y = ((const struct gcal_explain_access *)b)->entry;

    return x->line != y->line ? x->line - y->line : x->column - y->column;
}

int gcal_explain_accesses_find(struct gcal_explain_case *c, struct gcal_error *err)
{
    const struct gcal_profile *p = c->subject->target.profile;
    struct gcal_explain_accesses *a = &c->accesses;
    double lanes = fmax(1, (double)c->lab->device->info.sub_group_size);
    double copy[GCAL_PROFILE_MAX_PARAMETERS + 1] = { 0 }, *values;
    const struct gcal_count_points point = { .n = 1,
                                             .n_sizes = p->n_parameters,
                                             .values = copy };
    size_t n = p->n_entries;

    a->sector_bytes = (double)p->sector_bytes;
    a->accesses = gcal_arena_alloc(c->arena, n, sizeof(*a->accesses));
    a->arrays = gcal_arena_alloc(c->arena, n, sizeof(*a->arrays));
    a->branches = gcal_arena_alloc(c->arena, n, sizeof(*a->branches));
    memcpy(copy, c->sizes, p->n_parameters * sizeof(*copy));
    if (!(values = gcal_count_features_values(c->arena, p, lanes, &point, err)))
        return -1;
    for (size_t i = 0; i < n; i++)
        take_entry(a, &p->entries[i], values[i]);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if ((e->kind == GCAL_FEATURE_MEM_ACCESS || e->kind == GCAL_FEATURE_ATOMIC) &&
            e->line)
            add_wanted(a, p, e, values[i], lanes);
        if (e->kind == GCAL_FEATURE_WORK_ITEMS)
            a->sub_groups = ceil(values[i] / lanes);
    }
    for (size_t i = 0; i < a->n_accesses; i++) {
        struct gcal_explain_access *one = &a->accesses[i];

        one->moved_bytes = one->sectors * a->sector_bytes;
        one->wasted_bytes = one->moved_bytes - one->wanted_bytes;
        one->wasted_bytes = one->wasted_bytes < 0 ? 0 : one->wasted_bytes;
    }
    qsort(a->accesses, a->n_accesses, sizeof(*a->accesses), compare_places);
    return 0;
}
