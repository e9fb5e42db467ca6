/* features.c - the features of a profile as a table or JSON */
#include "mpi/commands/count/features.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Refuses sizes that break the assumptions. */
static int check_sizes(const struct gcal_profile *profile, double sub_group,
                       const double *sizes, struct gcal_error *err)
{
    static const char *const feature[] = { "f_thread_groups" };
    struct gcal_binding *binding =
        gcal_binding_create(profile, 1, feature, sub_group > 0 ? sub_group : 1, err);
    double value;
    int rc;

    if (!binding)
        return -1;
    rc = gcal_binding_eval(binding, sizes, &value, err);
    gcal_binding_destroy(binding);
    return rc;
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

/* The values of entries at one point, at intervals of 'stride'. */
static int find_values_at(const struct gcal_profile *profile, double sub_group,
                          double wave, const double *sizes,
                          struct gcal_expr *const *counts, size_t stride, double *values,
                          struct gcal_error *err)
{
    double symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    size_t n = profile->n_parameters;

    if (check_sizes(profile, sub_group, sizes, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        symbols[i] = sizes[i];
    symbols[n] = sub_group;
    symbols[n + 1] = wave;
    for (size_t i = 0; i < profile->n_entries; i++)
        values[i * stride] = value_of(counts[i], n, symbols);
    return 0;
}

static int parse_counts(const struct gcal_profile *profile, struct gcal_expr **counts,
                        struct gcal_error *err)
{
    const char *names[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    size_t n = profile->n_parameters;

    if (n > GCAL_PROFILE_MAX_PARAMETERS)
        return gcal_error_set(err, GCAL_EINPUT, "kernel '%s' has more than %d sizes",
                              profile->kernel, GCAL_PROFILE_MAX_PARAMETERS);
    for (size_t i = 0; i < n; i++)
        names[i] = profile->parameters[i];
    names[n] = GCAL_SUB_GROUP_SIZE;
    names[n + 1] = GCAL_WAVE_GROUPS;
    for (size_t i = 0; i < profile->n_entries; i++)
        if (!(counts[i] = gcal_expr_parse_in(profile->entries[i].count,
                                             n + GCAL_PROFILE_DEVICE_NAMES, names, err)))
            return -1;
    return 0;
}

double *gcal_count_features_values(const struct gcal_profile *profile, double sub_group,
                                   const struct gcal_count_points *points,
                                   struct gcal_error *err)
{
    size_t n = profile->n_entries;
    double *values = calloc(n * points->n + 1, sizeof(*values));
    struct gcal_expr **counts = calloc(n + 1, sizeof(*counts));
    int rc = values && counts ? 0 : gcal_error_memory(err);

    if (rc == 0)
        rc = parse_counts(profile, counts, err);
    for (size_t i = 0; i < points->n && rc == 0; i++)
        rc = find_values_at(profile, sub_group, points->wave_groups,
                            points->values + i * points->n_sizes, counts, points->n,
                            values + i, err);
    for (size_t i = 0; counts && i < n; i++)
        gcal_expr_destroy(counts[i]);
    free(counts);
    if (rc == 0)
        return values;
    free(values);
    return NULL;
}

/* ---- a table ---- */

/* Longer expressions than the first shift the rest of their line; than the second, they
 * are in the profile alone.
 */
enum { WIDEST_EXPRESSION = 44, LONGEST_EXPRESSION = 200 };

struct widths {
    int value, expression, at, array;
};

static void value_text(double value, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.15g", value);
}

static void at_text(const struct gcal_profile_entry *e, char *text, size_t size)
{
    text[0] = '\0';
    if (e->line)
        snprintf(text, size, "%d:%d", e->line, e->column);
}

static const char *expression_text(const struct gcal_profile_entry *e)
{
    return strlen(e->count) > LONGEST_EXPRESSION ? "piecewise, see the profile"
                                                 : e->count;
}

static int longer(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

static struct widths find_widths(const struct gcal_profile *profile, const double *values,
                                 size_t n_points)
{
    struct widths w = { 5, 10, 2, 5 };
    char text[40];

    for (size_t i = 0; i < profile->n_entries * n_points; i++) {
        value_text(values[i], text, sizeof(text));
        w.value = longer(w.value, text);
    }
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        at_text(e, text, sizeof(text));
        w.at = longer(w.at, text);
        w.array = longer(w.array, e->array ? e->array : "");
        if (strlen(expression_text(e)) <= WIDEST_EXPRESSION)
            w.expression = longer(w.expression, expression_text(e));
    }
    return w;
}

static void print_entry(const struct gcal_profile_entry *e, const double *values,
                        size_t n_points, const struct widths *w)
{
    char text[40];

    printf("%c %-10s  ", e->estimated ? '~' : ' ',
           gcal_feature_granularity_names[e->granularity]);
    for (size_t i = 0; i < n_points; i++) {
        value_text(values[i], text, sizeof(text));
        printf("%*s  ", w->value, text);
    }
    at_text(e, text, sizeof(text));
    printf("%-*s  %-*s  %-*s  %s", w->expression, expression_text(e), w->at, text,
           w->array, e->array ? e->array : "", e->feature);
    if (e->bank_ways)
        printf("  (bank ways %zu)", e->bank_ways);
    if (e->afr_premise && strlen(e->afr) + strlen(e->afr_premise) <= LONGEST_EXPRESSION)
        printf("  (afr:%s where %s)", e->afr, e->afr_premise);
    else if (e->afr_premise)
        printf("  (afr: see the profile)");
    putchar('\n');
}

/* Of several points, each is a column with its sizes as the header. */
static int print_header(const struct gcal_profile *profile,
                        const struct gcal_count_points *points, struct widths *w,
                        struct gcal_error *err)
{
    char **names = calloc(points->n + 1, sizeof(*names));
    bool failed = !names;

    for (size_t i = 0; i < points->n && !failed; i++) {
        names[i] =
            points->n > 1
                ? gcal_count_point_name(profile, points->values + i * points->n_sizes)
                : strdup("value");
        failed = !names[i];
        w->value = failed ? w->value : longer(w->value, names[i]);
    }
    if (!failed) {
        printf("  %-10s  ", "per");
        for (size_t i = 0; i < points->n; i++)
            printf("%*s  ", w->value, names[i]);
        printf("%-*s  %-*s  %-*s  %s\n", w->expression, "expression", w->at, "at",
               w->array, "array", "feature");
    }
    for (size_t i = 0; names && i < points->n; i++)
        free(names[i]);
    free(names);
    return failed ? gcal_error_memory(err) : 0;
}

int gcal_count_features_print(const struct gcal_profile *profile, double sub_group,
                              const struct gcal_count_points *points,
                              struct gcal_error *err)
{
    double *values = gcal_count_features_values(profile, sub_group, points, err);
    struct widths w;
    int rc;

    if (!values)
        return -1;
    w = find_widths(profile, values, points->n);
    gcal_quiet_result(true);
    printf("kernel %s%s%s\n", profile->kernel, profile->assumptions ? ", assuming " : "",
           profile->assumptions ? profile->assumptions : "");
    rc = print_header(profile, points, &w, err);
    for (size_t i = 0; i < profile->n_entries && rc == 0; i++)
        print_entry(&profile->entries[i], values + i * points->n, points->n, &w);
    if (profile->estimated && rc == 0)
        printf("~ estimated, not exact:\n");
    for (size_t i = 0; i < profile->n_notes && rc == 0; i++)
        printf("  %s\n", profile->notes[i]);
    for (size_t i = 0; i < profile->n_built && rc == 0; i++)
        gcal_count_built_print(profile->built[i].device, &profile->built[i].built);
    free(values);
    return rc;
}

/* ---- CSV ---- */

static void put_sizes(FILE *file, const struct gcal_profile *profile, const double *sizes)
{
    for (size_t i = 0; i < profile->n_parameters; i++)
        if (sizes)
            fprintf(file, "%.15g,", sizes[i]);
        else
            fputc(',', file);
}

static void put_entry(FILE *file, const struct gcal_profile_entry *e, const double *value)
{
    fprintf(file, "%s,", gcal_feature_granularity_names[e->granularity]);
    gcal_csv_text(file, e->feature, ',');
    gcal_csv_text(file, e->count, ',');
    if (value && !isnan(*value))
        fprintf(file, "%.15g", *value);
    fputc(',', file);
    gcal_csv_text(file, e->array, ',');
    if (e->line)
        fprintf(file, "%d,%d,", e->line, e->column);
    else
        fputs(",,", file);
    fprintf(file, "%d\n", e->estimated);
}

static void put_lines(FILE *file, const struct gcal_profile *profile,
                      const struct gcal_count_points *points, const double *values)
{
    for (size_t i = 0; i < profile->n_parameters; i++)
        gcal_csv_text(file, profile->parameters[i], ',');
    fputs("per,feature,expression,value,array,line,column,estimated\n", file);
    for (size_t i = 0; i < points->n || i == 0; i++)
        for (size_t k = 0; k < profile->n_entries; k++) {
            put_sizes(file, profile,
                      points->n ? points->values + i * points->n_sizes : NULL);
            put_entry(file, &profile->entries[k],
                      points->n ? &values[k * points->n + i] : NULL);
        }
}

int gcal_count_features_csv(const char *path, const struct gcal_profile *profile,
                            double sub_group, const struct gcal_count_points *points,
                            struct gcal_error *err)
{
    double *values = gcal_count_features_values(profile, sub_group, points, err);
    struct gcal_file_replace r = { 0 };
    int rc = values ? gcal_file_replace_start(&r, path, err) : -1;

    if (rc == 0) {
        put_lines(r.file, profile, points, values);
        rc = gcal_file_replace_finish(&r, err);
    }
    gcal_file_replace_clear(&r);
    free(values);
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

static json_t *loops_json(const struct gcal_profile_entry *e)
{
    json_t *list = json_array();

    for (size_t i = 0; i < e->n_loop_strides; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s}", "loop", e->loop_strides[i].loop,
                                        "stride", e->loop_strides[i].stride));
    return list;
}

/* At sizes that do not meet the premise (NULL: at no sizes), the AFR is unknown. */
static void add_afr(json_t *object, const struct gcal_profile *profile,
                    const struct gcal_profile_entry *e, const double *sizes)
{
    struct gcal_assume *premise = NULL;
    bool holds = true;

    if (e->afr_premise && sizes) {
        premise = gcal_assume_parse(e->afr_premise, profile->n_parameters,
                                    (const char *const *)profile->parameters, NULL);
        holds = premise && gcal_assume_check(premise, sizes, NULL) == 0;
        gcal_assume_destroy(premise);
    }
    json_object_set_new(object, "afr",
                        e->afr && holds ? json_string(e->afr) : json_null());
    set_text(object, "afr_premise", e->afr_premise);
}

static void add_access(json_t *object, const struct gcal_profile *profile,
                       const struct gcal_profile_entry *e, const double *sizes)
{
    static const char *const directions[] = { NULL, "load", "store" };

    set_text(object, "array", e->array);
    set_text(object, "tag", e->tag);
    set_text(object, "space", gcal_feature_space_names[e->space]);
    set_text(object, "direction", directions[e->direction]);
    json_object_set_new(object, "vector_width",
                        json_integer((json_int_t)e->vector_width));
    json_object_set_new(object, "lid_strides", strides_json(profile, e->lid_stride));
    json_object_set_new(object, "gid_strides", strides_json(profile, e->gid_stride));
    json_object_set_new(object, "loop_strides", loops_json(e));
    if (e->kind != GCAL_FEATURE_LOCAL_PASS)
        add_afr(object, profile, e, sizes);
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

/* By type of device. */
static json_t *built_json(const struct gcal_profile *profile)
{
    json_t *all = json_object();

    for (size_t i = 0; i < profile->n_built; i++)
        json_object_set_new(all, profile->built[i].device,
                            gcal_count_built_json(&profile->built[i].built));
    return all;
}

/* At one point (NULL: none), whose entries have values at intervals of 'stride'. */
static json_t *point_json(const struct gcal_profile *profile, const double *sizes,
                          const double *values, size_t stride)
{
    json_t *features = json_array(), *all;

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
    if (profile->n_built)
        json_object_set_new(all, "built", built_json(profile));
    return all;
}

json_t *gcal_count_features_json(const struct gcal_profile *profile, double sub_group,
                                 const struct gcal_count_points *points,
                                 struct gcal_error *err)
{
    double *values = gcal_count_features_values(profile, sub_group, points, err);
    json_t *list;

    if (!values)
        return NULL;
    list = json_array();
    for (size_t i = 0; i < points->n; i++)
        json_array_append_new(list,
                              point_json(profile, points->values + i * points->n_sizes,
                                         values + i, points->n));
    if (!points->n)
        json_array_append_new(list, point_json(profile, NULL, NULL, 0));
    free(values);
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
