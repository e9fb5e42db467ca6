/* loop_points.c - one case: its count in symbols, and the hits of a run on the host */
#include "tests/kernels/walk/loop_points.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/interpret/interpret.h"

enum { GROUPS = 3, ITEMS = GROUPS * LOOP_POINTS_LOCAL };

/* What is counted is a multiplication of floats, which no loop needs for itself. */
static char *source_of(const char *body)
{
    return gcal_buf_format("#define HIT (hits++, f *= 2.0f)\n"
                           "__kernel void k(__global int *out, uint n, int m)\n"
                           "{ uint g = get_global_id(0), l = get_local_id(0);\n"
                           "int i = get_global_id(0), h = get_local_id(0), hits = 0;\n"
                           "float f = 1.0f;\n%s\nout[g] = hits; }\n",
                           body);
}

static struct gcal_count_request request_for(const char *source, const char *assume)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "x.cl",
                                        .n_dims = 1,
                                        .local_size = { LOOP_POINTS_LOCAL },
                                        .global_size = { "24" },
                                        .sub_group_size = 1,
                                        .assume = assume ? assume : "" };
}

/* ---- in symbols ---- */

static double value_of(const char *text, const int *sizes)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);
    double values[2], value;

    if (!expr || gcal_expr_symbol_count(expr) > 2) {
        gcal_expr_destroy(expr);
        return NAN;
    }
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        values[i] = sizes[strcmp(gcal_expr_symbol(expr, i), "n") != 0];
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

static double counted_hits(const struct gcal_profile *p, const int *sizes)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].op && strcmp(p->entries[i].op, "mul") == 0 &&
            strcmp(p->entries[i].dtype, "float32") == 0)
            sum += value_of(p->entries[i].count, sizes);
    return sum;
}

/* ---- on the host ---- */

static double seen_hits(const struct gcal_count_request *r, const int *sizes,
                        struct gcal_error *err)
{
    int32_t out[ITEMS] = { 0 }, m = sizes[1];
    uint32_t n = (uint32_t)sizes[0];
    size_t global[] = { ITEMS };
    struct gcal_interp_arg args[] = { { "int32", out, ITEMS },
                                      { "uint32", &n, 0 },
                                      { "int32", &m, 0 } };
    double sum = 0;

    if (gcal_interp_run_kernel(r, global, 3, args, err) < 0)
        return NAN;
    for (size_t i = 0; i < ITEMS; i++)
        sum += out[i];
    return sum;
}

enum loop_points_result loop_points_check(const struct loop_points_case *points,
                                          char text[LOOP_POINTS_TEXT])
{
    char *source = source_of(points->body);
    struct gcal_count_request r = request_for(source, points->assume);
    struct gcal_error err = { 0 };
    struct gcal_profile *p = gcal_count(&r, &err);
    enum loop_points_result result = LOOP_POINTS_EQUAL;

    *text = '\0';
    if (!p || p->estimated) {
        snprintf(text, LOOP_POINTS_TEXT, "%s",
                 p ? p->n_notes ? p->notes[0] : "estimated" : err.text);
        result = LOOP_POINTS_REFUSED;
    }
    for (size_t i = 0; i < points->n_sizes && result == LOOP_POINTS_EQUAL; i++) {
        double counted = counted_hits(p, points->sizes[i]);
        double seen = seen_hits(&r, points->sizes[i], &err);

        if (fabs(counted - seen) < 1e-4) /* counts have fractions, which round */
            continue;
        snprintf(text, LOOP_POINTS_TEXT, "n = %d, m = %d: %g counted, %g seen %s",
                 points->sizes[i][0], points->sizes[i][1], counted, seen, err.text);
        result = LOOP_POINTS_WRONG;
    }
    gcal_profile_destroy(p);
    free(source);
    return result;
}
