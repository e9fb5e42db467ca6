/* bench_model.c - what one evaluation of a model costs, value alone and with all its
 * derivatives, by itself and as one of many rows.  Not a test: it depends on the machine.
 *
 *   bench_model [EXPRESSION]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/rows.h"

enum { N_RUNS = 200, N_EVALS = 5000, N_ROWS = 250, MAX_NAMES = 256 };

static const struct {
    const char *name, *expression;
} subjects[] = {
    { "linear, 4 parameters",
      "p_a*f_mem_access_global_load + p_b*f_mem_access_global_store"
      " + p_c*f_op_float32_madd + p_d*f_sync_kernel_launch" },
    { "p-norm, 12 parameters",
      "pnorm(p_overlap, p_stream*f_mem_access_tag:stream"
      " + p_store*f_mem_access_global_float32_store + p_tiles*f_mem_access_tag:aPF"
      " + p_rows*f_mem_access_tag:aNoPF,"
      " p_madd*f_op_float32_madd + p_add*f_op_float32_add"
      " + p_local*f_mem_access_local_float32_lstrides:{0:1}"
      " + p_broadcast*f_mem_access_local_float32_lstrides:{0:0}"
      " + p_barrier*f_sync_barrier_local*f_thread_groups, p_group*f_thread_groups)"
      " + p_launch*f_sync_kernel_launch" },
    { "overlap, 6 parameters",
      "overlap(p_a*f_mem_access_global_load + p_b*f_mem_access_global_store,"
      " p_c*f_op_float32_madd + p_d*f_mem_access_local, p_edge)"
      " + p_launch*f_sync_kernel_launch" },
};

/* The fastest of a few runs, in ns each. */
static double fastest_ns(const struct gcal_model *model, double *parameters,
                         const double *features, double *gradient)
{
    double best = INFINITY, sum = 0;

    for (int run = 0; run < N_RUNS; run++) {
        double start = gcal_clock_now_s(), took;

        for (int i = 0; i < N_EVALS; i++) {
            parameters[i % model->n_parameters] *= 1 + 1e-9;
            sum += gcal_model_eval(model, parameters, features, gradient);
        }
        took = (gcal_clock_now_s() - start) / N_EVALS * 1e9;
        best = fmin(best, took);
    }
    if (!isfinite(sum))
        fprintf(stderr, "bench_model: the model is not finite\n");
    return best;
}

/* The same of a row among N_ROWS. */
static double fastest_row_ns(const struct gcal_model_rows *rows, double *parameters,
                             double *values, double *gradients)
{
    double best = INFINITY;

    for (int run = 0; run < N_RUNS; run++) {
        double start = gcal_clock_now_s();

        for (int i = 0; i < N_EVALS; i += N_ROWS) {
            parameters[0] *= 1 + 1e-9;
            gcal_model_rows_eval(rows, 0, N_ROWS, parameters, values, gradients);
        }
        best = fmin(best, (gcal_clock_now_s() - start) / N_EVALS * 1e9);
    }
    return best;
}

static int measure_rows(const struct gcal_model *model, double *parameters,
                        const double *features, struct gcal_error *err)
{
    double *values = calloc(N_ROWS * (model->n_parameters + 1), sizeof(*values));
    double *all = calloc(N_ROWS * model->n_features + 1, sizeof(*all));
    struct gcal_model_rows *rows = NULL;
    int rc = 0;

    if (!values || !all)
        rc = gcal_error_memory(err);
    for (size_t i = 0; rc == 0 && i < N_ROWS * model->n_features; i++)
        all[i] = features[i % model->n_features] * (1 + (double)i / N_ROWS);
    if (rc == 0 && !(rows = gcal_model_rows_create(model, N_ROWS, all, err)))
        rc = -1;
    if (rc == 0)
        printf(", in rows %7.1f and %7.1f ns\n",
               fastest_row_ns(rows, parameters, values, NULL),
               fastest_row_ns(rows, parameters, values, values + N_ROWS));
    gcal_model_rows_destroy(rows);
    free(all);
    free(values);
    return rc;
}

static int measure(const char *name, const char *expression)
{
    double parameters[MAX_NAMES], features[MAX_NAMES], gradient[MAX_NAMES];
    struct gcal_error err = { 0 };
    int rc = 0;
    struct gcal_model *model =
        gcal_model_create("bench", "f_cl_wall_time", expression, &err);

    if (!model) {
        fprintf(stderr, "bench_model: %s: %s\n", name, err.text);
        return 1;
    }
    for (size_t i = 0; i < model->n_parameters; i++)
        parameters[i] = 1.3 + 0.1 * (double)i;
    for (size_t i = 0; i < model->n_features; i++)
        features[i] = 1000 + 713 * (double)i;
    printf("%-24s %7.1f ns, with gradient %7.1f ns", name,
           fastest_ns(model, parameters, features, NULL),
           fastest_ns(model, parameters, features, gradient));
    if (measure_rows(model, parameters, features, &err) < 0) {
        fprintf(stderr, "bench_model: %s: %s\n", name, err.text);
        rc = 1;
    }
    gcal_model_destroy(model);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = 0;

    if (argc > 1)
        return measure("expression", argv[1]);
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
        rc |= measure(subjects[i].name, subjects[i].expression);
    return rc;
}
