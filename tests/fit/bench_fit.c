/* bench_fit.c - the time of a fit: 20 parameters, 300 rows, all starting points
 *
 *   bench_fit [REPEATS]
 *
 * Rows are made by each form in turn, with 3 % of noise and, in the second column, 1 % of
 * spikes of a factor of 400; milliseconds are of the processor, the shortest of the
 * repeats.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/model.h"
#include "fit/fit.h"

#define N_ROWS   300
#define N_GROUPS 60
#define MEMORY                                                                           \
    "p_m0*f_mem_access_tag:m0 + p_m1*f_mem_access_tag:m1 + p_m2*f_mem_access_tag:m2 + "  \
    "p_m3*f_mem_access_tag:m3 + p_m4*f_mem_access_tag:m4 + p_m5*f_mem_access_tag:m5 + "  \
    "p_m6*f_mem_access_tag:m6 + p_m7*f_mem_access_tag:m7"
#define ONCHIP                                                                           \
    "p_add*f_op_float32_add + p_mul*f_op_float32_mul + p_madd*f_op_float32_madd + "      \
    "p_div*f_op_float32_div + p_dadd*f_op_float64_add + p_dmul*f_op_float64_mul + "      \
    "p_dmadd*f_op_float64_madd + p_ddiv*f_op_float64_div + "                             \
    "p_barrier*f_sync_barrier_local"
#define GROUPS "p_group*f_thread_groups"
#define LAUNCH "p_launch*f_sync_kernel_launch"

struct form {
    const char *name, *expression;
};

static const struct form forms[] = {
    { "linear", MEMORY " + " ONCHIP " + " GROUPS " + " LAUNCH },
    { "overlap", "overlap(" MEMORY ", " ONCHIP ", p_edge) + " GROUPS " + " LAUNCH },
    { "pnorm", "pnorm(p_overlap, " MEMORY ", " ONCHIP ", " GROUPS ") + " LAUNCH },
    { "partial", "max(" MEMORY ", " ONCHIP ", " GROUPS ") + p_hidden*(" MEMORY
                 " + " ONCHIP " - max(" MEMORY ", " ONCHIP ")) + " LAUNCH },
};

struct rows {
    double features[N_ROWS * 40], time_s[N_ROWS], spread[N_ROWS];
    size_t group[N_ROWS];
};

static uint64_t state = 713;

static double uniform(void)
{
    return ((double)(gcal_random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

static void set_range(struct gcal_model *model, const char *name, double initial,
                      double min, double max)
{
    struct gcal_model_parameter *p = gcal_model_parameter_find(model, name);

    if (!p)
        return;
    p->initial = initial;
    p->min = min;
    p->max = max;
}

/* One launch and one to four other features, in 5 sizes of a sweep. */
static void fill_features(const struct gcal_model *model, struct rows *rows)
{
    size_t n = model->n_features;

    memset(rows->features, 0, sizeof(rows->features));
    for (size_t g = 0; g < N_GROUPS; g++)
        for (size_t pick = 0; pick < 4; pick++) {
            size_t k = pick == 0 ? g % n : (size_t)(uniform() * (double)n);
            double count = 1e7 * pow(100, uniform());

            for (size_t size_index = 0; size_index < 5; size_index++)
                rows->features[(5 * g + size_index) * n + k] =
                    count * pow(2, (double)size_index) / 8;
        }
    for (size_t i = 0; i < N_ROWS; i++) {
        rows->group[i] = i / 5;
        rows->spread[i] = 0.002;
        for (size_t k = 0; k < n; k++)
            if (strcmp(model->features[k], "f_sync_kernel_launch") == 0)
                rows->features[i * n + k] = 1;
    }
}

static void fill_times(const struct gcal_model *model, struct rows *rows, bool spikes)
{
    double truth[40];

    for (size_t j = 0; j < model->n_parameters; j++) {
        const char *name = model->parameters[j].name;

        truth[j] = strcmp(name, "p_launch") == 0    ? 7.21e-6
                   : strcmp(name, "p_edge") == 0    ? 3.17
                   : strcmp(name, "p_overlap") == 0 ? 2.385
                   : strcmp(name, "p_hidden") == 0  ? 0.371
                                                    : 1e-13 * pow(30, uniform());
    }
    for (size_t i = 0; i < N_ROWS; i++)
        rows->time_s[i] =
            gcal_model_eval(model, truth, rows->features + i * model->n_features, NULL) *
            exp(0.03 * normal()) * (spikes && i % 100 == 41 ? 400 : 1);
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* cores may be shared */
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

struct timing {
    double fit_ms, cv_ms, residual;
    int iterations;
    enum gcal_fit_status status;
};

static int time_once(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                     struct timing *timing, struct gcal_error *err)
{
    struct gcal_fit fit = { 0 };
    struct gcal_fit_cv cv = { 0 };
    double start = now_ms(), fitted;
    int rc = -1;

    if (gcal_fit_solve(model, rows, &fit, err) < 0)
        return -1;
    fitted = now_ms();
    timing->fit_ms = fmin(timing->fit_ms, fitted - start);
    timing->residual = fit.residual;
    timing->iterations = fit.iterations;
    timing->status = fit.status;
    if (gcal_fit_cross_validate(model, rows, &fit, &cv, err) < 0)
        goto out;
    timing->cv_ms = fmin(timing->cv_ms, now_ms() - fitted);
    rc = 0;
out:
    gcal_fit_cv_clear(&cv);
    gcal_fit_clear(&fit);
    return rc;
}

static int bench(const struct form *form, int repeats, struct gcal_error *err)
{
    struct gcal_model *model =
        gcal_model_create(form->name, "f_cl_wall_time", form->expression, err);
    static struct rows rows;
    int rc = model ? 0 : -1;

    if (rc == 0) {
        set_range(model, "p_edge", NAN, 0.1, 1000);
        set_range(model, "p_overlap", 2, 1, 20);
        set_range(model, "p_hidden", 0.5, 0, 1.5);
        fill_features(model, &rows);
    }
    for (int spikes = 0; rc == 0 && spikes < 2; spikes++) {
        const struct gcal_fit_rows given = { .n_rows = N_ROWS,
                                             .n_features = model->n_features,
                                             .features = rows.features,
                                             .time_s = rows.time_s,
                                             .spread = rows.spread,
                                             .group = rows.group };
        struct timing timing = { .fit_ms = INFINITY, .cv_ms = INFINITY };

        fill_times(model, &rows, spikes);
        for (int r = 0; rc == 0 && r < repeats; r++)
            rc = time_once(model, &given, &timing, err);
        printf("%-8s %10zu %6s %8.1f %11.1f %10d %9.2f%% %6d\n", form->name,
               model->n_parameters, spikes ? "1%" : "none", timing.fit_ms, timing.cv_ms,
               timing.iterations, 100 * timing.residual, timing.status);
    }
    gcal_model_destroy(model);
    return rc;
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    struct gcal_error err = { 0 };

    printf("%-8s %10s %6s %8s %11s %10s %10s %6s\n", "form", "parameters", "spikes",
           "fit (ms)", "cross (ms)", "iterations", "rms error", "status");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (bench(&forms[i], repeats, &err) < 0) {
            fprintf(stderr, "bench_fit: %s: %s\n", forms[i].name, err.text);
            return 1;
        }
    return 0;
}
