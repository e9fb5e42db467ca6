/* division.c - from the store to each rank's rows */
#include "division.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL       "matmul_rows"
#define PEAK_MODELS "peak_" /* prefix of their names */
#define N_SIZES     2

struct divided {
    const struct division_options *options;
    struct gpucal_store *store;
    struct gpucal_profile *profile;
    struct gpucal_device **devices; /* one per part */
    struct gpucal_model **models;
    double sizes[N_SIZES]; /* in the profile's order; the rows are filled when asked */
    size_t rows_at;        /* which of them those are */
    struct part *parts;
    size_t count;
};

static int complain(struct gpucal_error *err, const char *text)
{
    err->code = 1;
    snprintf(err->text, sizeof(err->text), "%s", text);
    return -1;
}

/* ---- published parameters ---- */

static int find_sizes(struct divided *d, struct gpucal_error *err)
{
    size_t found = 0;

    if (gpucal_profile_parameter_count(d->profile) == N_SIZES)
        for (size_t i = 0; i < N_SIZES; i++) {
            const char *name = gpucal_profile_parameter(d->profile, i);

            d->sizes[i] = (double)d->options->width;
            if (strcmp(name, "rows") == 0)
                d->rows_at = i;
            found += strcmp(name, "rows") == 0 || strcmp(name, "n") == 0;
        }
    return found == N_SIZES ? 0 : complain(err, "the profile is not one in n and rows");
}

static int open_device(struct divided *d, size_t i, struct gpucal_error *err)
{
    struct part *part = &d->parts[i];
    const char *colon = strchr(part->node, ':');
    char node[NODE_BYTES];

    snprintf(node, sizeof(node), "%.*s", (int)strcspn(part->node, ":"), part->node);
    d->devices[i] = gpucal_device_open(d->store, node, colon ? colon + 1 : NULL, err);
    if (!d->devices[i])
        return -1;
    snprintf(part->device_name, sizeof(part->device_name), "%s",
             gpucal_device_name(d->devices[i]));
    d->models[i] = gpucal_model_bind(d->devices[i], MODEL, d->profile, err);
    return d->models[i] ? 0 : -1;
}

static int open_all(struct divided *d, struct gpucal_error *err)
{
    d->devices = calloc(d->count, sizeof(*d->devices));
    d->models = calloc(d->count, sizeof(*d->models));
    if (!d->devices || !d->models)
        return complain(err, "out of memory");
    d->store = gpucal_store_open(d->options->store_path, err);
    d->profile = d->store ? gpucal_profile_open(d->options->profile_path, err) : NULL;
    if (!d->profile || find_sizes(d, err) < 0)
        return -1;
    for (size_t i = 0; i < d->count; i++)
        if (open_device(d, i, err) < 0)
            return -1;
    return 0;
}

static void close_all(struct divided *d)
{
    for (size_t i = 0; d->devices && d->models && i < d->count; i++) {
        gpucal_model_close(d->models[i]);
        gpucal_device_close(d->devices[i]);
    }
    free(d->devices);
    free(d->models);
    gpucal_profile_close(d->profile);
    gpucal_store_close(d->store);
}

static int predict(const struct divided *d, const struct gpucal_model *model, double rows,
                   double *time_s, struct gpucal_error *err)
{
    double sizes[N_SIZES];
    struct gpucal_prediction p;

    memcpy(sizes, d->sizes, sizeof(sizes));
    sizes[d->rows_at] = rows;
    if (gpucal_predict(model, sizes, &p, err) < 0)
        return -1;
    *time_s = p.time_s;
    return 0;
}

/* ---- the divisions ---- */

/* In proportion to 'weights', each border at the nearest multiple of the granularity. */
static void divide_by(struct divided *d, const double *weights)
{
    const struct division_options *o = d->options;
    double granules = (double)(o->rows / o->granularity), sum = 0, before = 0;
    size_t border = 0;

    for (size_t i = 0; i < d->count; i++)
        sum += weights[i];
    for (size_t i = 0; i < d->count; i++) {
        size_t next;

        before += weights[i];
        next = i + 1 == d->count ? o->rows / o->granularity
                                 : (size_t)round(granules * before / sum);
        d->parts[i].rows = (next - border) * o->granularity;
        border = next;
    }
}

/* The highest rate of 'device' over its models of pure multiply-adds: products per second
 * at that rate.
 */
static int peak_rate(const struct divided *d, const struct gpucal_device *device,
                     double *rate, struct gpucal_error *err)
{
    *rate = 0;
    for (size_t m = 0; m < gpucal_device_model_count(device); m++) {
        const char *name = gpucal_device_model_name(device, m);
        struct gpucal_model *model;
        double time_s;
        int rc;

        if (strncmp(name, PEAK_MODELS, strlen(PEAK_MODELS)) != 0)
            continue;
        model = gpucal_model_bind(device, name, d->profile, err);
        rc = model ? predict(d, model, (double)d->options->rows, &time_s, err) : -1;
        gpucal_model_close(model);
        if (rc < 0)
            return -1;
        *rate = fmax(*rate, 1 / time_s);
    }
    return *rate > 0 ? 0 : complain(err, "a device's peak rate is not in the store");
}

static int divide_by_peak(struct divided *d, double *weights, struct gpucal_error *err)
{
    for (size_t i = 0; i < d->count; i++)
        if (peak_rate(d, d->devices[i], &weights[i], err) < 0)
            return -1;
    divide_by(d, weights);
    return 0;
}

static int give_all_to_one(struct divided *d, struct gpucal_error *err)
{
    size_t first = 0;

    for (size_t i = 0; i < d->count; i++) {
        struct part *part = &d->parts[i];

        if (predict(d, d->models[i], (double)d->options->rows, &part->predicted_s, err) <
            0)
            return -1;
        part->rows = 0;
        if (part->predicted_s < d->parts[first].predicted_s)
            first = i;
    }
    d->parts[first].rows = d->options->rows;
    return 0;
}

static int divide_by_prediction(struct divided *d, struct gpucal_error *err)
{
    struct gpucal_share *shares = calloc(d->count, sizeof(*shares));
    int rc;

    if (!shares)
        return complain(err, "out of memory");
    for (size_t i = 0; i < d->count; i++) {
        shares[i].model = d->models[i];
        shares[i].sizes = d->sizes;
        shares[i].unit = d->rows_at;
        shares[i].size_per_unit = 1;
        if (d->parts[i].rows > 0 && d->parts[i].busy_s > 0) {
            shares[i].measured_units = (double)d->parts[i].rows;
            shares[i].measured_s = d->parts[i].busy_s;
        }
    }
    rc = gpucal_split(shares, d->count, (double)d->options->rows,
                      (double)d->options->granularity, NULL, err);
    for (size_t i = 0; rc == 0 && i < d->count; i++)
        d->parts[i].rows = (size_t)shares[i].units;
    free(shares);
    return rc;
}

static int divide_rows(struct divided *d, struct gpucal_error *err)
{
    double *weights = calloc(d->count, sizeof(*weights));
    int rc = 0;

    if (!weights)
        return complain(err, "out of memory");
    for (size_t i = 0; i < d->count; i++)
        weights[i] = 1;
    if (d->options->division == DIVISION_EQUAL)
        divide_by(d, weights);
    else if (d->options->division == DIVISION_PEAK)
        rc = divide_by_peak(d, weights, err);
    else if (d->options->division == DIVISION_ONE)
        rc = give_all_to_one(d, err);
    else
        rc = divide_by_prediction(d, err);
    free(weights);
    return rc;
}

int divide(const struct division_options *options, struct part *parts, size_t count,
           struct gpucal_error *err)
{
    struct divided d = { .options = options, .parts = parts, .count = count };
    size_t first = 0;
    int rc = -1;

    if (open_all(&d, err) < 0 || divide_rows(&d, err) < 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        parts[i].first_row = first;
        first += parts[i].rows;
        parts[i].predicted_s = 0;
        if (parts[i].rows > 0 && predict(&d, d.models[i], (double)parts[i].rows,
                                         &parts[i].predicted_s, err) < 0)
            goto out;
    }
    rc = 0;
out:
    close_all(&d);
    return rc;
}
