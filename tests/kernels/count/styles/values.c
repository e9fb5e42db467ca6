/* values.c - arguments of a style's kernel, with extents as they were counted */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/styles/styles.h"

enum { LOCAL_BYTES = 16384, MOST_BYTES = 1 << 26 };

static const struct style_argument *given(const struct style *style, const char *name)
{
    for (size_t i = 0; i < style->n_arguments; i++)
        if (strcmp(style->arguments[i].name, name) == 0)
            return &style->arguments[i];
    return NULL;
}

static int fill(const char *dtype, size_t n, double value, void *to,
                struct gcal_error *err)
{
    struct gcal_dtype_range range = { value, value, false, NULL };

    if (gcal_dtype_fill_range(0, dtype, &range, n, to) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "%g is not a value of %s", value, dtype);
    return 0;
}

/* Values by an expression in the sizes and 'i'. */
static int compute(const struct style_run *run, const char *text, struct style_value *v,
                   struct gcal_error *err)
{
    const char *names[STYLE_MOST_SIZES + 1];
    double values[STYLE_MOST_SIZES + 1];
    size_t n = run->n_sizes, size = gcal_dtype_size(v->dtype);
    struct gcal_expr *expr;
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        names[i] = run->sizes[i].name;
        values[i] = run->sizes[i].value;
    }
    names[n] = "i";
    if (!(expr = gcal_expr_parse_in(text, n + 1, names, err)))
        return -1;
    for (size_t i = 0; i < v->n_elements && rc == 0; i++) {
        values[n] = (double)i;
        rc = fill(v->dtype, 1, gcal_expr_eval(expr, values), (char *)v->data + i * size,
                  err);
    }
    gcal_expr_destroy(expr);
    return rc;
}

/* Integers are 0 unless given: an index within every array. */
static int fill_data(const struct style_run *run, const struct style_argument *a,
                     struct style_value *v, struct gcal_error *err)
{
    if (!(v->data = calloc(v->n_elements + 1, gcal_dtype_size(v->dtype))))
        return gcal_error_memory(err);
    if (a && a->value)
        return compute(run, a->value, v, err);
    return fill(v->dtype, v->n_elements, *v->dtype == 'f' ? 0.75 : 0, v->data, err);
}

static int evaluate_extent(const struct style_run *run, const char *text, size_t least,
                           size_t *n, struct gcal_error *err)
{
    double value;

    if (oracle_value(text, run->n_sizes, run->sizes, &value, err) < 0)
        return -1;
    value = fmax(ceil(value), (double)least);
    if (!(value <= MOST_BYTES))
        return gcal_error_set(err, GCAL_EINPUT, "'%s' is %g here", text, value);
    *n = (size_t)value;
    return 0;
}

static int make_buffer(const struct style_run *run, const struct style_argument *a,
                       const struct gcal_count_signature_arg *arg, struct style_value *v,
                       struct gcal_error *err)
{
    const char *text = a && a->elements ? a->elements : arg->elements;

    v->kind = STYLE_BUFFER;
    v->dtype = arg->dtype;
    if (!text && arg->unknown)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s; give the extent in a line '//: buffer %s ELEMENTS'",
                              arg->unknown, arg->name);
    if (evaluate_extent(run, text ? text : "0", arg->per_item, &v->n_elements, err) < 0)
        return -1;
    return fill_data(run, a, v, err);
}

static int make_local(const struct style_run *run, const struct style_argument *a,
                      const struct gcal_count_signature_arg *arg, struct style_value *v,
                      struct gcal_error *err)
{
    v->kind = STYLE_LOCAL;
    v->dtype = arg->dtype;
    v->n_elements = LOCAL_BYTES;
    if (!a || !a->elements)
        return 0;
    if (evaluate_extent(run, a->elements, 1, &v->n_elements, err) < 0)
        return -1;
    v->n_elements *= gcal_dtype_size(v->dtype);
    return 0;
}

static int make_scalar(const struct style_run *run, const struct style_argument *a,
                       const struct gcal_count_signature_arg *arg, struct style_value *v,
                       struct gcal_error *err)
{
    v->kind = STYLE_SCALAR;
    v->dtype = arg->dtype;
    v->n_elements = 1;
    if (fill_data(run, a, v, err) < 0)
        return -1;
    if (a && a->value)
        return 0;
    for (size_t i = 0; i < run->n_sizes; i++)
        if (strcmp(run->sizes[i].name, arg->name) == 0)
            return fill(v->dtype, 1, run->sizes[i].value, v->data, err);
    if (*arg->dtype != 'f')
        return gcal_error_set(err, GCAL_EINPUT, "neither 'at' nor 'scalar' gives '%s'",
                              arg->name);
    return 0;
}

static int make_value(const struct style *style,
                      const struct gcal_count_signature_arg *arg,
                      const struct style_run *run, struct style_value *v,
                      struct gcal_error *err)
{
    const struct style_argument *a = given(style, arg->name);

    switch (arg->kind) {
    case GCAL_COUNT_SIGNATURE_BUFFER:
        return make_buffer(run, a, arg, v, err);
    case GCAL_COUNT_SIGNATURE_LOCAL:
        return make_local(run, a, arg, v, err);
    case GCAL_COUNT_SIGNATURE_SCALAR:
        return make_scalar(run, a, arg, v, err);
    default:
        v->kind = STYLE_OTHER;
        return 0;
    }
}

struct style_value *style_values_make(const struct style *style,
                                      const struct gcal_count_signature *signature,
                                      const struct style_run *run, struct gcal_error *err)
{
    struct style_value *values = calloc(signature->n_args + 1, sizeof(*values));

    if (!values) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < signature->n_args; i++)
        if (make_value(style, &signature->args[i], run, &values[i], err) < 0) {
            style_values_free(values, signature->n_args);
            return NULL;
        }
    return values;
}

void style_values_free(struct style_value *values, size_t n)
{
    for (size_t i = 0; values && i < n; i++)
        free(values[i].data);
    free(values);
}

int style_global_size(const struct style *style, const struct style_run *run,
                      size_t global_size[GCAL_MAX_DIMS], struct gcal_error *err)
{
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        double value = 1;

        if (d < style->n_dims && oracle_value(style->global_size[d], run->n_sizes,
                                              run->sizes, &value, err) < 0)
            return -1;
        if (!(value >= 1) || value != floor(value) || value > 1 << 20)
            return gcal_error_set(err, GCAL_EINPUT, "global size '%s' is %g",
                                  style->global_size[d], value);
        global_size[d] = (size_t)value;
    }
    return 0;
}
