/* accesses_print.c - accesses and arrays, as text and as JSON */
#include <math.h>
#include <stdio.h>

#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

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
