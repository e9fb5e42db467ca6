/* bench.c - rows of a made-up device, for the tests of fit/ */
#include "tests/fit/bench.h"
#include "tests/unit.h"

#include <math.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/model.h"

double uniform(struct bench *b)
{
    return ((double)(gcal_random_next(&b->random) >> 11) + 0.5) / 9007199254740992.0;
}

double normal(struct bench *b)
{
    double radius = sqrt(-2 * log(uniform(b)));

    return radius * cos(6.283185307179586 * uniform(b));
}

void bench_init(struct bench *b, const char *expression, size_t n_rows)
{
    struct gcal_error err = { 0 };

    *b = (struct bench){ .n_rows = n_rows, .random = 713 };
    b->model = gcal_model_create("m", "f_cl_wall_time", expression, &err);
    if (!b->model)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t k = 0; k < b->model->n_features; k++)
            b->features[i * b->model->n_features + k] =
                k == LAUNCH_AT ? 1 : floor((i % 4 ? 1e8 : 1e3) * pow(100, uniform(b)));
}

void bench_clear(struct bench *b)
{
    gcal_fit_clear(&b->fit);
    gcal_model_destroy(b->model);
}

double *feature(struct bench *b, size_t row, size_t k)
{
    return &b->features[row * b->model->n_features + k];
}

void measure(struct bench *b, const double *truth, double noise)
{
    for (size_t i = 0; i < b->n_rows; i++)
        b->time_s[i] = gcal_model_eval(b->model, truth, feature(b, i, 0), NULL) *
                       (1 + noise * normal(b));
}

struct gcal_fit_rows bench_rows(const struct bench *b, const double *spread)
{
    return (struct gcal_fit_rows){ .n_rows = b->n_rows,
                                   .n_features = b->model->n_features,
                                   .features = b->features,
                                   .time_s = b->time_s,
                                   .spread = spread,
                                   .group = b->has_groups ? b->group : NULL,
                                   .merge_collinear = b->merge_collinear };
}

int solve_rows(struct bench *b, const double *spread, struct gcal_error *err)
{
    const struct gcal_fit_rows rows = bench_rows(b, spread);

    gcal_fit_clear(&b->fit);
    return gcal_fit_solve(b->model, &rows, &b->fit, err);
}

void solve(struct bench *b, enum gcal_fit_status expected)
{
    struct gcal_error err = { 0 };

    assert_int_equal(solve_rows(b, NULL, &err), 0);
    if (b->fit.status != expected)
        fail_msg("status %d: %s", b->fit.status, b->fit.reason);
}

void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%.17g is not within %g of %.17g", value, relative, wanted);
}

void assert_recovered(const struct bench *b, const double *truth)
{
    for (size_t j = 0; j < b->fit.n_parameters; j++) {
        double error = b->fit.standard_error[j];

        if (!(fabs(b->fit.value[j] - truth[j]) <= 3 * error) ||
            !(error < 0.15 * truth[j]) || !(error > 1e-5 * truth[j]))
            fail_msg("%s is %g +- %g, truly %g", b->model->parameters[j].name,
                     b->fit.value[j], error, truth[j]);
        assert_false(b->fit.at_bound[j]);
        assert_false(b->fit.undetermined[j]);
        assert_near(sqrt(b->fit.covariance[j * b->fit.n_parameters + j]), error, 1e-12);
    }
}
