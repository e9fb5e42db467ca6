/* accesses.c - accesses by their places in the source, arrays by the levels of memory: found, and as
 * text and JSON
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "kernels/model/dtype.h"
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

/* ---- accesses and arrays, as text and as JSON ---- */

static const char *name_what(const struct gcal_profile_entry *e)
{
    return e->op ? e->op : gcal_feature_direction_names[e->direction];
}

/* ---- text ---- */

static const char *format_bytes(double bytes, char text[GCAL_UNITS_SIZE])
{
    return isnan(bytes) ? "-" : gcal_units(bytes, "B", text);
}

/* Of each execution by a sub-group. */
static void print_each(double total, double executions)
{
    if (total >= 0 && executions > 0)
        printf(" %7.3g", total / executions);
    else
        printf(" %7s", "-");
}

static void print_access(const struct gcal_explain_access *a)
{
    const struct gcal_profile_entry *e = a->entry;
    char wanted[GCAL_UNITS_SIZE], moved[GCAL_UNITS_SIZE], waste[GCAL_UNITS_SIZE];

    printf("%5d:%-4d %-6.6s %-9.9s %-8.8s %-14.14s %10s%s", e->line, e->column,
           name_what(e), e->dtype, gcal_feature_space_names[e->space], e->array,
           format_bytes(a->wanted_bytes, wanted), a->divided ? "~" : " ");
    printf(" %10s %10s", format_bytes(a->moved_bytes, moved),
           format_bytes(a->wasted_bytes, waste));
    print_each(a->sectors, a->executions);
    print_each(a->lines, a->executions);
    print_each(a->passes, a->executions);
    print_each(a->partial, a->executions);
    printf("%s\n", a->estimated ? "  est" : "");
}

/* "134 MB x16": the bytes that a level has to bring, and how often the one before asks. */
static void print_level(double sectors, double before, double sector_bytes)
{
    char text[GCAL_UNITS_SIZE], times[16] = "";

    if (before > sectors * 1.005 && sectors > 0)
        snprintf(times, sizeof(times), "x%.3g", before / sectors);
    printf(" %10s %-7s", format_bytes(sectors * sector_bytes, text), times);
}

static void print_arrays(const struct gcal_explain_accesses *a)
{
    if (!(a->sector_bytes > 0) || !a->n_arrays)
        return;
    printf("\n%-14s %-6s %10s %-7s %10s %-7s %10s %-7s %10s\n", "array", "", "accessed",
           "", "sub-groups", "", "groups", "", "launch");
    for (size_t i = 0; i < a->n_arrays; i++) {
        const struct gcal_explain_array *one = &a->arrays[i];

        printf("%-14.14s %-6s", one->entry->array,
               gcal_feature_direction_names[one->entry->direction]);
        print_level(one->sectors, 0, a->sector_bytes);
        print_level(one->sub_groups, one->sectors, a->sector_bytes);
        print_level(one->groups, one->sub_groups, a->sector_bytes);
        print_level(one->launch, one->groups, a->sector_bytes);
        printf("%s\n", one->estimated ? " est" : "");
    }
    printf(
        "distinct sectors of all accesses, of each sub-group, of each work-group, of the "
        "launch; xN: reused N times\n");
}

void gcal_explain_accesses_print(const struct gcal_explain_accesses *a)
{
    if (a->n_accesses) {
        bool divided = false;

        printf("\n%-10s %-6s %-9s %-8s %-14s %10s  %10s %10s %7s %7s %7s %7s\n", "access",
               "", "type", "memory", "array", "wanted", "moved", "wasted", "sectors",
               "lines", "passes", "partial");
        for (size_t i = 0; i < a->n_accesses; i++) {
            print_access(&a->accesses[i]);
            divided = divided || a->accesses[i].divided;
        }
        printf("sectors to partial: of each access by a sub-group%s\n",
               divided ? "; ~: of several places, divided in equal parts" : "");
    }
    print_arrays(a);
    for (size_t i = 0; i < a->n_branches; i++)
        printf("%sbranch %d:%d: sub-groups diverge %.4g times, %.3g times each\n",
               i ? "" : "\n", a->branches[i].line, a->branches[i].column,
               a->branches[i].diverges, a->branches[i].diverges / a->sub_groups);
}

/* ---- JSON ---- */

static json_t *access_json(const struct gcal_explain_access *a)
{
    const struct gcal_profile_entry *e = a->entry;

    return json_pack(
        "{s:i, s:i, s:s, s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:b}",
        "line", e->line, "column", e->column, "what", name_what(e), "dtype", e->dtype,
        "memory", gcal_feature_space_names[e->space], "array", e->array, "wanted_bytes",
        gcal_json_number(a->wanted_bytes), "divided", (int)a->divided, "moved_bytes",
        gcal_json_number(a->moved_bytes), "wasted_bytes",
        gcal_json_number(a->wasted_bytes), "executions", gcal_json_number(a->executions),
        "sectors", gcal_json_number(a->sectors), "lines", gcal_json_number(a->lines),
        "passes", gcal_json_number(a->passes), "partial_sectors",
        gcal_json_number(a->partial), "estimated", (int)a->estimated);
}

static json_t *array_json(const struct gcal_explain_array *a, double sector_bytes)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "array", a->entry->array,
                     "what", gcal_feature_direction_names[a->entry->direction],
                     "accessed_bytes", gcal_json_number(a->sectors * sector_bytes),
                     "loop_bytes", gcal_json_number(a->loops * sector_bytes),
                     "sub_group_bytes", gcal_json_number(a->sub_groups * sector_bytes),
                     "group_bytes", gcal_json_number(a->groups * sector_bytes),
                     "launch_bytes", gcal_json_number(a->launch * sector_bytes),
                     "estimated", (int)a->estimated);
}

void gcal_explain_accesses_add_json(json_t *all, const struct gcal_explain_accesses *a)
{
    json_t *accesses = json_array(), *arrays = json_array(), *branches = json_array();

    for (size_t i = 0; i < a->n_accesses; i++)
        json_array_append_new(accesses, access_json(&a->accesses[i]));
    for (size_t i = 0; i < a->n_arrays && a->sector_bytes > 0; i++)
        json_array_append_new(arrays, array_json(&a->arrays[i], a->sector_bytes));
    for (size_t i = 0; i < a->n_branches; i++)
        json_array_append_new(branches,
                              json_pack("{s:i, s:i, s:f}", "line", a->branches[i].line,
                                        "column", a->branches[i].column, "diverges",
                                        a->branches[i].diverges));
    json_object_set_new(all, "accesses", accesses);
    json_object_set_new(all, "arrays", arrays);
    json_object_set_new(all, "branches", branches);
}
