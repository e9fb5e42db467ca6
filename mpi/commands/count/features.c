/* features.c - the features of a profile as a table or JSON */
#include "mpi/commands/count/features.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/binding.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "mpi/cli/csv.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/json.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/count/built.h"
#include "mpi/commands/count/sizes.h"

/* ---- values ---- */

bool gcal_count_features_need_sub_group(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        if (strstr(profile->entries[i].count, GCAL_SUB_GROUP_SIZE))
            return true;
    return false;
}

/* NaN if it depends on an unknown sub-group size or wave.  Counts are integers but for average
 * trips; rounding removes the errors of quotients of large numbers.
 */
static double value_of(const struct gcal_expr *expr, size_t n, const double *symbols)
{
    double value;

    for (size_t i = n; i < n + GCAL_PROFILE_DEVICE_NAMES; i++)
        if (!(symbols[i] > 0) && gcal_expr_uses(expr, i))
            return NAN;
    value = gcal_expr_eval(expr, symbols);
    return fabs(value - round(value)) < 1e-6 ? round(value) : value;
}

GCAL_ARENA_DESTROYER(destroy_expr, gcal_expr_destroy)

double *gcal_count_features_values(struct gcal_arena *arena,
                                   const struct gcal_profile *profile, double sub_group,
                                   const struct gcal_count_points *points,
                                   struct gcal_error *err)
{
    static const char *const feature[] = { "f_thread_groups" };
    const char *names[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    double symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES], any;
    size_t n = profile->n_parameters;
    double *values =
        gcal_arena_alloc(arena, profile->n_entries * points->n, sizeof(*values));

    if (n > GCAL_PROFILE_MAX_PARAMETERS) {
        gcal_error_set(err, GCAL_EINPUT, "kernel '%s' has more than %d sizes",
                       profile->kernel, GCAL_PROFILE_MAX_PARAMETERS);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        names[i] = profile->parameters[i];
    names[n] = GCAL_SUB_GROUP_SIZE;
    names[n + 1] = GCAL_WAVE_GROUPS;
    symbols[n] = sub_group;
    symbols[n + 1] = points->wave_groups;
    /* Sizes that break the assumptions are refused. */
    for (size_t at = 0; at < points->n; at++) {
        struct gcal_binding *binding =
            gcal_binding_create(profile, 1, feature, sub_group > 0 ? sub_group : 1, err);
        int rc = binding ? gcal_binding_eval(
                               binding, points->values + at * points->n_sizes, &any, err)
                         : -1;

        gcal_binding_destroy(binding);
        if (rc < 0)
            return NULL;
    }
    for (size_t i = 0; i < profile->n_entries; i++) {
        struct gcal_expr *count =
            gcal_arena_own(arena,
                           gcal_expr_parse_in(profile->entries[i].count,
                                              n + GCAL_PROFILE_DEVICE_NAMES, names, err),
                           destroy_expr);

        if (!count)
            return NULL;
        for (size_t at = 0; at < points->n; at++) {
            for (size_t k = 0; k < n; k++)
                symbols[k] = points->values[at * points->n_sizes + k];
            values[i * points->n + at] = value_of(count, n, symbols);
        }
    }
    return values;
}

/* ---- a table ---- */

/* Longer expressions than the first shift the rest of their line; than the second, they
 * are in the profile alone.
 */
enum { WIDEST_EXPRESSION = 44, LONGEST_EXPRESSION = 200 };

static int widen(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

/* Returns whether the AFR is known at the sizes. */
static bool afr_holds(const struct gcal_profile *profile,
                      const struct gcal_profile_entry *e, const double *sizes)
{
    struct gcal_assume *premise;
    bool holds;

    if (!e->afr_premise)
        return true;
    premise = gcal_assume_parse(e->afr_premise, profile->n_parameters,
                                (const char *const *)profile->parameters, NULL);
    holds = premise && gcal_assume_check(premise, sizes, NULL) == 0;
    gcal_assume_destroy(premise);
    return holds;
}

/* With the premise, if given sizes do not answer whether it holds. */
static void print_afr(const struct gcal_profile *profile,
                      const struct gcal_profile_entry *e,
                      const struct gcal_count_points *points)
{
    size_t holding = 0;

    for (size_t i = 0; i < points->n; i++)
        holding += afr_holds(profile, e, points->values + i * points->n_sizes);
    if (points->n && !holding)
        return;
    if (strlen(e->afr) + strlen(e->afr_premise) > LONGEST_EXPRESSION)
        printf("  (afr: see the profile)");
    else if (points->n && holding == points->n)
        printf("  (afr:%s)", e->afr);
    else
        printf("  (afr:%s where %s)", e->afr, e->afr_premise);
}

/* Rows of the header and of each entry: "per", a value for each point, expression, place, array.
 * What follows has no width.
 */
static void print_table(struct gcal_arena *arena, const struct gcal_profile *profile,
                        const struct gcal_count_points *points, const double *values)
{
    size_t n = points->n, n_columns = n + 4;
    const char **cells =
        gcal_arena_alloc(arena, (profile->n_entries + 1) * n_columns, sizeof(*cells));
    int value = 5, expression = 10, place = 2, array = 5;

    for (size_t i = 0; i < n; i++)
        cells[1 + i] =
            n == 1 ? "value"
                   : gcal_arena_own(arena,
                                    gcal_count_point_name(
                                        profile, points->values + i * points->n_sizes),
                                    free);
    cells[0] = "per";
    cells[n + 1] = "expression";
    cells[n + 2] = "at";
    cells[n + 3] = "array";
    for (size_t row = 1; row <= profile->n_entries; row++) {
        const struct gcal_profile_entry *e = &profile->entries[row - 1];
        const char **cell = cells + row * n_columns;

        cell[0] = gcal_feature_granularity_names[e->granularity];
        for (size_t i = 0; i < n; i++) {
            double v = values[(row - 1) * n + i];

            cell[1 + i] = isnan(v) ? "-" : gcal_arena_format(arena, "%.15g", v);
        }
        cell[n + 1] = strlen(e->count) > LONGEST_EXPRESSION ? "piecewise, see the profile"
                                                            : e->count;
        cell[n + 2] =
            e->line ? gcal_arena_format(arena, "%d:%d", e->line, e->column) : "";
        cell[n + 3] = e->array ? e->array : "";
    }
    for (size_t row = 0; row <= profile->n_entries; row++) {
        const char **cell = cells + row * n_columns;

        for (size_t i = 0; i < n; i++)
            value = widen(value, cell[1 + i]);
        if (strlen(cell[n + 1]) <= WIDEST_EXPRESSION)
            expression = widen(expression, cell[n + 1]);
        place = widen(place, cell[n + 2]);
        array = widen(array, cell[n + 3]);
    }
    for (size_t row = 0; row <= profile->n_entries; row++) {
        const struct gcal_profile_entry *e = row ? &profile->entries[row - 1] : NULL;
        const char **cell = cells + row * n_columns;

        printf("%c %-10s  ", e && e->estimated ? '~' : ' ', cell[0]);
        for (size_t i = 0; i < n; i++)
            printf("%*s  ", value, cell[1 + i]);
        printf("%-*s  %-*s  %-*s  %s", expression, cell[n + 1], place, cell[n + 2], array,
               cell[n + 3], e ? e->feature : "feature");
        if (e && e->bank_ways)
            printf("  (bank ways %zu)", e->bank_ways);
        if (e && e->afr_premise)
            print_afr(profile, e, points);
        putchar('\n');
    }
}

int gcal_count_features_print(const struct gcal_profile *profile, double sub_group,
                              const struct gcal_count_points *points,
                              struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const double *values =
        gcal_count_features_values(arena, profile, sub_group, points, err);

    if (values) {
        gcal_quiet_result(true);
        printf("kernel %s%s%s\n", profile->kernel,
               profile->assumptions ? ", assuming " : "",
               profile->assumptions ? profile->assumptions : "");
        print_table(arena, profile, points, values);
        if (profile->estimated)
            printf("~ estimated, not exact:\n");
        for (size_t i = 0; i < profile->n_notes; i++)
            printf("  %s\n", profile->notes[i]);
        for (size_t i = 0; i < profile->n_built; i++)
            gcal_count_built_print(profile->built[i].device, &profile->built[i].built);
    }
    gcal_arena_destroy(arena);
    return values ? 0 : -1;
}

/* ---- CSV ---- */

static void put_lines(FILE *file, const struct gcal_profile *profile,
                      const struct gcal_count_points *points, const double *values)
{
    for (size_t i = 0; i < profile->n_parameters; i++)
        gcal_csv_text(file, profile->parameters[i], ',');
    fputs("per,feature,expression,value,array,line,column,estimated\n", file);
    for (size_t i = 0; i < points->n || i == 0; i++)
        for (size_t k = 0; k < profile->n_entries; k++) {
            const struct gcal_profile_entry *e = &profile->entries[k];
            double value = points->n ? values[k * points->n + i] : NAN;

            for (size_t p = 0; p < profile->n_parameters; p++)
                if (points->n)
                    fprintf(file, "%.15g,", points->values[i * points->n_sizes + p]);
                else
                    fputc(',', file);
            fprintf(file, "%s,", gcal_feature_granularity_names[e->granularity]);
            gcal_csv_text(file, e->feature, ',');
            gcal_csv_text(file, e->count, ',');
            if (!isnan(value))
                fprintf(file, "%.15g", value);
            fputc(',', file);
            gcal_csv_text(file, e->array, ',');
            if (e->line)
                fprintf(file, "%d,%d,", e->line, e->column);
            else
                fputs(",,", file);
            fprintf(file, "%d\n", e->estimated);
        }
}

int gcal_count_features_csv(const char *path, const struct gcal_profile *profile,
                            double sub_group, const struct gcal_count_points *points,
                            struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const double *values =
        gcal_count_features_values(arena, profile, sub_group, points, err);
    struct gcal_file_replace r = { 0 };
    int rc = values ? gcal_file_replace_start(&r, path, err) : -1;

    if (rc == 0) {
        put_lines(r.file, profile, points, values);
        rc = gcal_file_replace_finish(&r, err);
    }
    gcal_file_replace_clear(&r);
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- JSON ---- */

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static json_t *strides_json(const struct gcal_profile *profile, char *const *stride)
{
    json_t *object = json_object();
    char axis[2] = "0";

    for (size_t i = 0; i < profile->n_dims; i++, axis[0]++)
        json_object_set_new(object, axis,
                            stride[i] ? json_string(stride[i]) : json_null());
    return object;
}

static void add_access(json_t *object, const struct gcal_profile *profile,
                       const struct gcal_profile_entry *e, const double *sizes)
{
    static const char *const directions[] = { NULL, "load", "store" };
    json_t *loops = json_array();

    set_text(object, "array", e->array);
    set_text(object, "tag", e->tag);
    set_text(object, "space", gcal_feature_space_names[e->space]);
    set_text(object, "direction", directions[e->direction]);
    json_object_set_new(object, "vector_width",
                        json_integer((json_int_t)e->vector_width));
    json_object_set_new(object, "lid_strides", strides_json(profile, e->lid_stride));
    json_object_set_new(object, "gid_strides", strides_json(profile, e->gid_stride));
    for (size_t i = 0; i < e->n_loop_strides; i++)
        json_array_append_new(loops,
                              json_pack("{s:s, s:s}", "loop", e->loop_strides[i].loop,
                                        "stride", e->loop_strides[i].stride));
    json_object_set_new(object, "loop_strides", loops);
    if (e->kind != GCAL_FEATURE_LOCAL_PASS) {
        bool holds = !sizes || afr_holds(profile, e, sizes); /* NULL: at no sizes */

        json_object_set_new(object, "afr",
                            e->afr && holds ? json_string(e->afr) : json_null());
        set_text(object, "afr_premise", e->afr_premise);
    }
    if (e->bank_ways)
        json_object_set_new(object, "bank_ways", json_integer((json_int_t)e->bank_ways));
}

static json_t *value_json(double value)
{
    if (isnan(value))
        return json_null();
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
                                                       : json_real(value);
}

static json_t *entry_json(const struct gcal_profile *profile,
                          const struct gcal_profile_entry *e, const double *sizes,
                          const double *value)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s}", "feature", e->feature, "granularity",
                  gcal_feature_granularity_names[e->granularity], "expression", e->count);

    if (value)
        json_object_set_new(object, "value", value_json(*value));
    set_text(object, "dtype", e->dtype);
    set_text(object, "op", e->op);
    if (gcal_feature_is_access(e->kind))
        add_access(object, profile, e, sizes);
    if (e->line) {
        json_object_set_new(object, "line", json_integer(e->line));
        json_object_set_new(object, "column", json_integer(e->column));
    }
    if (e->estimated)
        json_object_set_new(object, "estimated", json_true());
    return object;
}

static json_t *texts_json(size_t n, char *const *texts)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

/* At one point (NULL: none), whose entries have values at intervals of 'stride'. */
static json_t *point_json(const struct gcal_profile *profile, const double *sizes,
                          const double *values, size_t stride)
{
    json_t *features = json_array(), *built = json_object(), *all;

    for (size_t i = 0; i < profile->n_entries; i++)
        json_array_append_new(features, entry_json(profile, &profile->entries[i], sizes,
                                                   sizes ? values + i * stride : NULL));
    all = json_pack("{s:s, s:o}", "kernel", profile->kernel, "parameters",
                    texts_json(profile->n_parameters, profile->parameters));
    if (sizes)
        json_object_set_new(
            all, "sizes",
            gcal_json_sizes(profile->n_parameters, profile->parameters, sizes));
    set_text(all, "assumptions", profile->assumptions);
    json_object_set_new(all, "estimated", json_boolean(profile->estimated));
    if (profile->n_notes)
        json_object_set_new(all, "notes", texts_json(profile->n_notes, profile->notes));
    json_object_set_new(all, "features", features);
    for (size_t i = 0; i < profile->n_built; i++)
        json_object_set_new(built, profile->built[i].device, /* by type of device */
                            gcal_count_built_json(&profile->built[i].built));
    if (profile->n_built)
        json_object_set(all, "built", built);
    json_decref(built);
    return all;
}

json_t *gcal_count_features_json(const struct gcal_profile *profile, double sub_group,
                                 const struct gcal_count_points *points,
                                 struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const double *values =
        gcal_count_features_values(arena, profile, sub_group, points, err);
    json_t *list = values ? json_array() : NULL;

    for (size_t i = 0; values && i < points->n; i++)
        json_array_append_new(list,
                              point_json(profile, points->values + i * points->n_sizes,
                                         values + i, points->n));
    if (values && !points->n)
        json_array_append_new(list, point_json(profile, NULL, NULL, 0));
    gcal_arena_destroy(arena);
    return list;
}

int gcal_count_features_print_json(const struct gcal_profile *profile, double sub_group,
                                   const struct gcal_count_points *points,
                                   struct gcal_error *err)
{
    json_t *list = gcal_count_features_json(profile, sub_group, points, err);

    if (!list)
        return -1;
    gcal_json_print(points->n > 1 ? list : json_array_get(list, 0), "count");
    json_decref(list);
    return 0;
}
