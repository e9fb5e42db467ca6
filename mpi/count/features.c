/* features.c - the features of a profile as a table or JSON */
#include "mpi/count/features.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/binding.h"
#include "calib/model/expr.h"
#include "calib/model/profile.h"
#include "mpi/cli/json.h"

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

/* NaN if it depends on an unknown sub-group size.  Counts are integers but for average
 * trips; rounding removes the errors of quotients of large numbers.
 */
static double value_of(const struct gcal_expr *expr, size_t n, const double *symbols)
{
    double value;

    if (!(symbols[n] > 0) && gcal_expr_uses(expr, n))
        return NAN;
    value = gcal_expr_eval(expr, symbols);
    return fabs(value - round(value)) < 1e-6 ? round(value) : value;
}

/* One value per entry (NaN: none); the caller's to free. */
static double *find_values(const struct gcal_profile *profile, double sub_group,
                           const double *sizes, struct gcal_error *err)
{
    size_t n = profile->n_parameters;
    double *values = calloc(profile->n_entries + 1, sizeof(*values));
    double *symbols = calloc(n + 1, sizeof(*symbols));
    const char **names = calloc(n + 1, sizeof(*names));
    bool failed = !values || !symbols || !names;

    if (failed)
        gcal_error_memory(err);
    else if (sizes)
        failed = check_sizes(profile, sub_group, sizes, err) < 0;
    for (size_t i = 0; i < n && !failed; i++) {
        names[i] = profile->parameters[i];
        symbols[i] = sizes ? sizes[i] : NAN;
    }
    if (!failed) {
        names[n] = GCAL_SUB_GROUP_SIZE;
        symbols[n] = sub_group;
    }
    for (size_t i = 0; i < profile->n_entries && !failed; i++) {
        struct gcal_expr *expr =
            gcal_expr_parse_in(profile->entries[i].count, n + 1, names, err);

        failed = !expr;
        if (expr)
            values[i] = sizes ? value_of(expr, n, symbols) : NAN;
        gcal_expr_destroy(expr);
    }
    free(symbols);
    free(names);
    if (!failed)
        return values;
    free(values);
    return NULL;
}

/* ---- a table ---- */

enum { WIDEST_EXPRESSION = 44 }; /* longer ones shift the rest of their line */

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

static int longer(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

static struct widths find_widths(const struct gcal_profile *profile, const double *values)
{
    struct widths w = { 5, 10, 2, 5 };
    char text[40];

    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        value_text(values[i], text, sizeof(text));
        w.value = longer(w.value, text);
        at_text(e, text, sizeof(text));
        w.at = longer(w.at, text);
        w.array = longer(w.array, e->array ? e->array : "");
        if (strlen(e->count) <= WIDEST_EXPRESSION)
            w.expression = longer(w.expression, e->count);
    }
    return w;
}

static void print_entry(const struct gcal_profile_entry *e, const double *value,
                        const struct widths *w)
{
    char text[40];

    printf("%c %-10s  ", e->estimated ? '~' : ' ',
           gcal_feature_granularity_names[e->granularity]);
    if (value) {
        value_text(*value, text, sizeof(text));
        printf("%*s  ", w->value, text);
    }
    at_text(e, text, sizeof(text));
    printf("%-*s  %-*s  %-*s  %s", w->expression, e->count, w->at, text, w->array,
           e->array ? e->array : "", e->feature);
    if (e->bank_ways)
        printf("  (bank ways %zu)", e->bank_ways);
    putchar('\n');
}

int gcal_count_features_print(const struct gcal_profile *profile, double sub_group,
                              const double *sizes, struct gcal_error *err)
{
    double *values = find_values(profile, sub_group, sizes, err);
    struct widths w;

    if (!values)
        return -1;
    w = find_widths(profile, values);
    printf("kernel %s%s%s\n", profile->kernel, profile->assumptions ? ", assuming " : "",
           profile->assumptions ? profile->assumptions : "");
    printf("  %-10s  ", "per");
    if (sizes)
        printf("%*s  ", w.value, "value");
    printf("%-*s  %-*s  %-*s  %s\n", w.expression, "expression", w.at, "at", w.array,
           "array", "feature");
    for (size_t i = 0; i < profile->n_entries; i++)
        print_entry(&profile->entries[i], sizes ? &values[i] : NULL, &w);
    if (profile->estimated)
        printf("~ estimated, not exact:\n");
    for (size_t i = 0; i < profile->n_notes; i++)
        printf("  %s\n", profile->notes[i]);
    free(values);
    return 0;
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

static void add_access(json_t *object, const struct gcal_profile *profile,
                       const struct gcal_profile_entry *e)
{
    static const char *const spaces[] = { NULL, "global", "local", "constant" };
    static const char *const directions[] = { NULL, "load", "store" };

    set_text(object, "array", e->array);
    set_text(object, "tag", e->tag);
    set_text(object, "space", spaces[e->space]);
    set_text(object, "direction", directions[e->direction]);
    json_object_set_new(object, "vector_width",
                        json_integer((json_int_t)e->vector_width));
    json_object_set_new(object, "lid_strides", strides_json(profile, e->lid_stride));
    json_object_set_new(object, "gid_strides", strides_json(profile, e->gid_stride));
    json_object_set_new(object, "loop_strides", loops_json(e));
    if (e->kind != GCAL_FEATURE_LOCAL_PASS)
        json_object_set_new(object, "afr", e->afr ? json_string(e->afr) : json_null());
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
                          const struct gcal_profile_entry *e, const double *value)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s}", "feature", e->feature, "granularity",
                  gcal_feature_granularity_names[e->granularity], "expression", e->count);

    if (value)
        json_object_set_new(object, "value", value_json(*value));
    set_text(object, "dtype", e->dtype);
    set_text(object, "op", e->op);
    if (gcal_feature_is_access(e->kind))
        add_access(object, profile, e);
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

int gcal_count_features_print_json(const struct gcal_profile *profile, double sub_group,
                                   const double *sizes, struct gcal_error *err)
{
    double *values = find_values(profile, sub_group, sizes, err);
    json_t *features, *all;

    if (!values)
        return -1;
    features = json_array();
    for (size_t i = 0; i < profile->n_entries; i++)
        json_array_append_new(features, entry_json(profile, &profile->entries[i],
                                                   sizes ? &values[i] : NULL));
    all = json_pack("{s:s, s:o}", "kernel", profile->kernel, "parameters",
                    texts_json(profile->n_parameters, profile->parameters));
    set_text(all, "assumptions", profile->assumptions);
    json_object_set_new(all, "estimated", json_boolean(profile->estimated));
    if (profile->n_notes)
        json_object_set_new(all, "notes", texts_json(profile->n_notes, profile->notes));
    json_object_set_new(all, "features", features);
    gcal_json_print(all);
    json_decref(all);
    free(values);
    return 0;
}
