/* bench.h - rows of a made-up device, for the tests of fit/ */
#ifndef GCAL_TESTS_FIT_BENCH_H
#define GCAL_TESTS_FIT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fit/fit.h"

struct gcal_error;
struct gcal_model;

#define MAX_ROWS     320
#define MAX_FEATURES 8
#define LAUNCH       "p_launch*f_sync_kernel_launch"
#define LOAD         "p_load*f_mem_access_global_float32_load"
#define MADD         "p_madd*f_op_float32_madd"

enum { LAUNCH_AT, LOAD_AT, MADD_AT };

/* Costs without simple ratios between them. */
static const double launch_s = 7.21e-6, load_s = 1.13e-12, madd_s = 2.385e-12;

/* Rows of a model whose features are counted in this order, as in its expression. */
struct bench {
    struct gcal_model *model;
    size_t n_rows;
    double features[MAX_ROWS * MAX_FEATURES], time_s[MAX_ROWS], spread[MAX_ROWS];
    size_t group[MAX_ROWS];
    bool has_groups, merge_collinear;
    struct gcal_fit fit;
    uint64_t random;
};

double uniform(struct bench *b);
double normal(struct bench *b);

/* Launches are 1, each other feature is spread over two decades; in a quarter of the rows
 * all are small, so that the launch shows.
 */
void bench_init(struct bench *b, const char *expression, size_t n_rows);
void bench_clear(struct bench *b);
double *feature(struct bench *b, size_t row, size_t k);

/* Times of a device with these costs, 'noise' the relative standard deviation. */
void measure(struct bench *b, const double *truth, double noise);

struct gcal_fit_rows bench_rows(const struct bench *b, const double *spread);
int solve_rows(struct bench *b, const double *spread, struct gcal_error *err);
void solve(struct bench *b, enum gcal_fit_status expected);

void assert_near(double value, double wanted, double relative);

/* Within three standard errors, which are small enough to be meaningful. */
void assert_recovered(const struct bench *b, const double *truth);

#endif
