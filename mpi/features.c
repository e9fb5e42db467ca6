#include "mpi/features.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr.h"
#include "calib/model/profile.h"
#include "mpi/print_json.h"

static long long common_divisor(long long a, long long b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Counts per sub-group are written COUNT*ceil(ITEMS/sub_group_size), with the work-items
 * of a group: for people the last factor becomes a number and joins COUNT's first, so
 * that "1/256*n^3*ceil(256/sub_group_size)" reads "1/32*n^3".  Other counts stay as they
 * are.
 */
static char *with_sub_group(const char *text, double sub_group, struct gcal_error *err)
{
    const char *ceiling = strstr(text, "ceil("), *rest = text;
    long long items, num = 1, den = 1, divisor;
    struct gcal_buf buf = { 0 };
    int length = 0, end = 0;

    if (!ceiling ||
        sscanf(ceiling, "ceil(%lld/" GCAL_SUB_GROUP_SIZE ")%n", &items, &end) != 1 ||
        !end || ceiling[end]) {
        gcal_buf_puts(&buf, text);
        return gcal_buf_take(&buf, err);
    }
    if (sscanf(text, "%lld%n", &num, &length) == 1) {
        rest += length;
        if (sscanf(rest, "/%lld%n", &den, &length) == 1)
            rest += length;
        rest += *rest == '*';
    } else
        num = 1;
    num *= (long long)ceil((double)items / sub_group);
    divisor = common_divisor(num, den);
    num /= divisor;
    den /= divisor;
    if (rest >= ceiling || num != 1 || den != 1)
        gcal_buf_printf(&buf, den == 1 ? "%lld" : "%lld/%lld", num, den);
    if (rest < ceiling) /* its last '*' stands before the ceiling */
        gcal_buf_printf(&buf, "%s%.*s", buf.size ? "*" : "", (int)(ceiling - rest - 1),
                        rest);
    return gcal_buf_take(&buf, err);
}

static int value_of(const struct gcal_profile *profile, const char *text,
                    const double *sizes, double *value, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    double *values = NULL;
    int rc = -1;

    if (!expr || !(values = calloc(gcal_expr_symbol_count(expr) + 1, sizeof(*values))))
        goto out;
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        for (size_t j = 0; j < profile->n_parameters; j++)
            if (strcmp(gcal_expr_symbol(expr, i), profile->parameters[j]) == 0)
                values[i] = sizes[j];
    *value = gcal_expr_eval(expr, values);
    rc = 0;
out:
    free(values);
    gcal_expr_destroy(expr);
    return rc;
}

/* Sizes that break the assumptions must not give numbers. */
static int check_sizes(const struct gcal_profile *profile, double sub_group,
                       const double *sizes, struct gcal_error *err)
{
    static const char *const feature[] = { "f_thread_groups" };
    struct gcal_binding *binding;
    double value;
    int rc;

    if (!sizes)
        return 0;
    if (!(binding = gcal_binding_create(profile, 1, feature, sub_group, err)))
        return -1;
    rc = gcal_binding_eval(binding, sizes, &value, err);
    gcal_binding_destroy(binding);
    return rc;
}

int gcal_features_print(const struct gcal_profile *profile, double sub_group,
                        const double *sizes, struct gcal_error *err)
{
    if (check_sizes(profile, sub_group, sizes, err) < 0)
        return -1;
    printf("kernel %s%s%s\n", profile->kernel, profile->assumptions ? ", assuming " : "",
           profile->assumptions ? profile->assumptions : "");
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];
        char *text = with_sub_group(e->count, sub_group, err);
        double value = 0;

        if (!text || (sizes && value_of(profile, text, sizes, &value, err) < 0)) {
            free(text);
            return -1;
        }
        printf("  %-10s ", gcal_granularity_name(e->granularity));
        if (sizes)
            printf("%15.15g  ", value);
        printf("%-22s %s%s%s\n", text, e->feature, e->array ? "  array " : "",
               e->array ? e->array : "");
        free(text);
    }
    return 0;
}

static json_t *strides(char *const *stride)
{
    json_t *object = json_object();
    char axis[2] = "0";

    for (int i = 0; i < GCAL_MAX_DIMS; i++, axis[0]++)
        if (stride[i])
            json_object_set_new(object, axis, json_string(stride[i]));
    return object;
}

static void add_access(json_t *object, const struct gcal_profile_entry *e)
{
    json_t *loops = json_object();

    json_object_set_new(object, "array", json_string(e->array ? e->array : ""));
    if (e->tag)
        json_object_set_new(object, "tag", json_string(e->tag));
    json_object_set_new(object, "vector_width",
                        json_integer((json_int_t)e->vector_width));
    json_object_set_new(object, "lid_strides", strides(e->lid_stride));
    json_object_set_new(object, "gid_strides", strides(e->gid_stride));
    for (size_t i = 0; i < e->n_loop_strides; i++)
        json_object_set_new(loops, e->loop_strides[i].loop,
                            json_string(e->loop_strides[i].stride));
    json_object_set_new(object, "loop_strides", loops);
    json_object_set_new(object, "afr", e->afr ? json_string(e->afr) : json_null());
}

static json_t *entry_json(const struct gcal_profile *profile,
                          const struct gcal_profile_entry *e, double sub_group,
                          const double *sizes, struct gcal_error *err)
{
    char *text = with_sub_group(e->count, sub_group, err);
    json_t *object = NULL;
    double value;

    if (!text || (sizes && value_of(profile, text, sizes, &value, err) < 0))
        goto out;
    object = json_pack("{s:s, s:s, s:s}", "feature", e->feature, "granularity",
                       gcal_granularity_name(e->granularity), "expression", text);
    if (sizes)
        json_object_set_new(object, "value",
                            value == floor(value) && fabs(value) < 9e15
                                ? json_integer((json_int_t)value)
                                : json_real(value));
    if (e->kind == GCAL_FEATURE_MEM_ACCESS)
        add_access(object, e);
out:
    free(text);
    return object;
}

int gcal_features_print_json(const struct gcal_profile *profile, double sub_group,
                             const double *sizes, struct gcal_error *err)
{
    json_t *features = json_array(), *parameters = json_array(), *all;

    if (check_sizes(profile, sub_group, sizes, err) < 0)
        goto fail;
    for (size_t i = 0; i < profile->n_parameters; i++)
        json_array_append_new(parameters, json_string(profile->parameters[i]));
    for (size_t i = 0; i < profile->n_entries; i++) {
        json_t *entry = entry_json(profile, &profile->entries[i], sub_group, sizes, err);

        if (!entry)
            goto fail;
        json_array_append_new(features, entry);
    }
    all =
        json_pack("{s:s, s:o, s:b, s:o}", "kernel", profile->kernel, "parameters",
                  parameters, "estimated", (int)profile->estimated, "features", features);
    gcal_print_json(all);
    json_decref(all);
    return 0;
fail:
    json_decref(features);
    json_decref(parameters);
    return -1;
}
