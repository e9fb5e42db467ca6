/* expect.c - a kernel's factors before its times on a device: of all kernels, and on other types */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/named_expr.h"
#include "store/learned/private.h"
#include "store/predict/predictor.h"

/* Set on kernels of tests/scope and tests/varied on an H100 (gpucal evaluate --seen): limits lie
 * further from the truth than times, of which they are a part; launches of a kernel differ by that
 * share of it.
 */
#define WIDER  1.3
#define SHARE  0.26
#define LAUNCH 0.1

static bool is_launch(const char *limit)
{
    return strcmp(limit, GCAL_PREDICTOR_LAUNCH_ROOF) == 0;
}

static double deviation_of(const struct gcal_params_model *general, const char *limit)
{
    const struct gcal_spread *spread = gcal_spreads_find(&general->spreads, limit);

    if (is_launch(limit))
        return LAUNCH;
    return spread ? WIDER * (spread->below + spread->above) / (2 * GCAL_PARAMS_NORMAL_90)
                  : 1;
}

/* Each limit needs its factor, or times of kernels that it binds would move those of others. */
static int check_limits(const struct gcal_params_model *general, struct gcal_error *err)
{
    for (size_t i = 0; i < general->roofs.n; i++) {
        const struct gcal_roof *roof = &general->roofs.roofs[i];

        if (!general->names || !gcal_expr_names_has(general->names, roof->expression))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "model %s: its roof '%s' is not a named expression of "
                                  "its expression, so a kernel's times cannot correct "
                                  "it: calibrate again, with a configuration that names "
                                  "it in 'expressions'",
                                  general->name, roof->name);
    }
    return general->roofs.n
               ? 0
               : gcal_error_set(err, GCAL_EINPUT,
                                "model %s has no roofs, which a kernel's times "
                                "correct: calibrate again, with a configuration "
                                "that has 'roofs'",
                                general->name);
}

static double within_of(const char *limit, double deviation)
{
    return is_launch(limit) ? GCAL_LEARNED_LAUNCH_WITHIN : SHARE * deviation;
}

/* ---- other types ---- */

bool gcal_learned_is_of(const struct gcal_params_device *other,
                        const struct gcal_params_device *device,
                        const struct gcal_params_model *general)
{
    const char *of = gcal_params_model_origin(other, other->models).configuration;
    const char *is = gcal_params_model_origin(device, general).configuration;

    return strcmp(of ? of : "", is ? is : "") == 0;
}

size_t gcal_learned_find_factor(const struct gcal_params_model *corrections,
                                const char *limit)
{
    size_t i = 0, prefix = strlen(GCAL_LEARNED_PREFIX);

    while (i < corrections->n_parameters &&
           (strncmp(corrections->parameter[i], GCAL_LEARNED_PREFIX, prefix) != 0 ||
            strcmp(corrections->parameter[i] + prefix, limit) != 0))
        i++;
    return i;
}

struct gcal_learned_evidence gcal_learned_find_evidence(const struct gcal_params_model *m,
                                                        const char *limit,
                                                        double deviation)
{
    double error = m->error_90 / GCAL_PARAMS_NORMAL_90;
    double own = within_of(limit, deviation) * error / GCAL_LEARNED_WITHIN;
    size_t i = gcal_learned_find_factor(m, limit);
    struct gcal_learned_evidence e = { 0 };

    if (i < m->n_parameters && m->value[i] > 0) {
        double relative = m->standard_error[i] / m->value[i];
        /* Of the kernel's factor, without what a launch adds, by what its times scatter. */
        double variance = fmax(relative * relative - own * own - error * error,
                               1e-4 * deviation * deviation);

        e.precision = 1 / variance - 1 / (deviation * deviation);
        if (e.precision > 0)
            e.mean = log(m->value[i]) / variance / e.precision;
    }
    return e.precision > 0 ? e : (struct gcal_learned_evidence){ 0 };
}

double gcal_learned_deviation(const struct gcal_params_model *general, const char *limit)
{
    return deviation_of(general, limit);
}

double gcal_learned_types(const struct gcal_params *known)
{
    const char *newest = "";
    double types = GCAL_LEARNED_TYPES;

    for (size_t i = 0; known && i < known->n_devices; i++) {
        const struct gcal_params_device *d = &known->devices[i];
        const char *utc =
            d->n_models ? gcal_params_model_origin(d, d->models).calibrated_utc : NULL;

        if (utc && d->models->spread_types > 0 && strcmp(utc, newest) > 0) {
            newest = utc;
            types = d->models->spread_types;
        }
    }
    return types;
}

/* The kernel's factor of one limit, normal with mean 0 and that deviation before any time. */
static void expect_limit(const struct gcal_params_device *device,
                         const struct gcal_params_model *general,
                         const struct gcal_params *known, double types, const char *limit,
                         double *mean, double *deviation)
{
    double between = fmin(types, *deviation / 2);
    double of_kernels = *deviation * *deviation - between * between;
    double precision = 1 / of_kernels, sum = 0;

    for (size_t i = 0; known && i < known->n_devices; i++) {
        const struct gcal_params_device *other = &known->devices[i];
        struct gcal_learned_evidence e;

        if (strcmp(other->info.type, device->info.type) == 0 || !other->n_models ||
            !gcal_learned_is_of(other, device, general))
            continue;
        e = gcal_learned_find_evidence(other->models, limit, *deviation);
        if (!(e.precision > 0))
            continue;
        e.precision = 1 / (1 / e.precision + types * types); /* on another type */
        precision += e.precision;
        sum += e.precision * e.mean;
    }
    *mean = sum / precision;
    *deviation = sqrt(1 / precision + between * between);
}

int gcal_learned_expect(const struct gcal_params_device *device,
                        const struct gcal_params_model *general,
                        const struct gcal_params *known, double types,
                        struct gcal_learned_factors *f, struct gcal_error *err)
{
    size_t n = general->roofs.n;

    *f = (struct gcal_learned_factors){ 0 };
    if (check_limits(general, err) < 0)
        return -1;
    f->n = n;
    f->mean = calloc(n, sizeof(double));
    f->deviation = calloc(n, sizeof(double));
    f->within = calloc(n, sizeof(double));
    if (!f->mean || !f->deviation || !f->within) {
        gcal_learned_factors_clear(f);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const char *limit = general->roofs.roofs[i].name;

        f->deviation[i] = deviation_of(general, limit);
        f->within[i] = within_of(limit, f->deviation[i]);
        expect_limit(device, general, known, types, limit, &f->mean[i], &f->deviation[i]);
    }
    return 0;
}

void gcal_learned_factors_clear(struct gcal_learned_factors *f)
{
    free(f->mean);
    free(f->deviation);
    free(f->within);
    *f = (struct gcal_learned_factors){ 0 };
}

double *gcal_learned_covariance(const struct gcal_learned_factors *f, double error,
                                struct gcal_error *err)
{
    double *c = calloc(f->n * f->n + 1, sizeof(*c));

    if (!c) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->n; k++) {
            double own =
                i == k ? f->deviation[i] * f->deviation[i] + f->within[i] * f->within[i]
                       : 0;

            c[i * f->n + k] = (own + error * error) * exp(f->mean[i] + f->mean[k]);
        }
    return c;
}
