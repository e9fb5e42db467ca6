/* noise.c - devices made of recorded calibrations of an unchanged device */
#include "tests/calib/audit/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "calib/audit/private.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/median.h"
#include "fit/change.h"

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* The columns of most runs: a few runs chose another form. */
static const struct gcal_track_columns *usual_columns(const struct gcal_track *track)
{
    const struct gcal_track_columns *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < track->n_runs; i++) {
        size_t n = 0;

        for (size_t k = 0; k < track->n_runs; k++)
            n += track->runs[k].columns == track->runs[i].columns;
        if (n > most) {
            most = n;
            best = track->runs[i].columns;
        }
    }
    return best;
}

static size_t find(const struct gcal_track_columns *columns,
                   const struct gcal_track_column *column)
{
    size_t i = 0;

    while (i < columns->n && !gcal_audit_same_column(&columns->column[i], column))
        i++;
    return i;
}

static void take_column(struct noise *noise, size_t column)
{
    size_t n_runs = noise->track.n_runs, n = 0, n_errors = 0;
    double *logs = must(calloc(2 * n_runs, sizeof(*logs))), *errors = logs + n_runs;

    for (size_t i = 0; i < n_runs; i++) {
        const struct gcal_track_run *r = &noise->track.runs[i];
        size_t at = find(r->columns, &noise->columns->column[column]);
        double value = at < r->columns->n ? r->value[at] : NAN;

        noise->residual[i * noise->columns->n + column] = value > 0 ? log(value) : NAN;
        if (!(value > 0))
            continue;
        logs[n++] = log(value);
        if (r->error[at] > 0)
            errors[n_errors++] = r->error[at] / value;
    }
    noise->level[column] = gcal_median(logs, n);
    noise->error[column] = gcal_median(errors, n_errors);
    for (size_t i = 0; i < n_runs; i++)
        noise->residual[i * noise->columns->n + column] -= noise->level[column];
    free(logs);
}

void noise_load(const char *name, struct noise *noise)
{
    char *path = gcal_buf_format("%s/h200-repeats/tracks/%s.tsv", TEST_DATA, name);
    struct gcal_error err;
    size_t size, n;

    if (!(noise->text = gcal_file_read(must(path), 1 << 24, &size, &err)) ||
        gcal_track_decode(noise->text, size, name, &noise->track, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    free(path);
    noise->columns = usual_columns(&noise->track);
    n = noise->columns->n;
    noise->level = must(calloc(n, sizeof(double)));
    noise->error = must(calloc(n, sizeof(double)));
    noise->n_rows = noise->track.n_runs;
    noise->in_order = false;
    noise->spread = 0;
    noise->residual = must(calloc(n * noise->n_rows, sizeof(double)));
    for (size_t i = 0; i < n; i++)
        take_column(noise, i);
}

void noise_clear(struct noise *noise)
{
    gcal_track_clear(&noise->track);
    free(noise->text);
    free(noise->level);
    free(noise->error);
    free(noise->residual);
}

static double draw(enum noise_kind kind, double before, gsl_rng *rng)
{
    switch (kind) {
    case NOISE_TAILS:
        return gsl_ran_tdist(rng, 3);
    case NOISE_WANDERS:
        return 0.7 * before + sqrt(1 - 0.7 * 0.7) * gsl_ran_gaussian(rng, 1);
    default:
        return gsl_ran_gaussian(rng, 1);
    }
}

void noise_make(struct noise *noise, enum noise_kind kind, double scale, gsl_rng *rng)
{
    size_t n = noise->columns->n;

    free(noise->residual);
    noise->n_rows = 20000;
    noise->residual = must(calloc(n * noise->n_rows, sizeof(double)));
    for (size_t i = 0; i < n; i++) {
        double z = 0;

        for (size_t row = 0; row < noise->n_rows; row++) {
            z = draw(kind, z, rng);
            noise->residual[row * n + i] = scale * z;
        }
    }
    noise->in_order = kind == NOISE_WANDERS;
}

static void fill_run(const struct noise *noise, size_t from, const double *offset,
                     struct gcal_track_run *run)
{
    size_t n = noise->columns->n;

    run->value = must(calloc(2 * n, sizeof(double)));
    run->error = run->value + n;
    for (size_t i = 0; i < n; i++) {
        run->value[i] = exp(noise->level[i] + offset[i] + noise->residual[from * n + i]);
        run->error[i] = run->value[i] * noise->error[i];
    }
}

struct gcal_track *noise_device(const struct noise *noise, gsl_rng *rng, size_t n_runs,
                                const char *uid, const char *driver)
{
    const struct gcal_track_run *recorded = &noise->track.runs[0];
    struct gcal_track *track = must(calloc(1, sizeof(*track)));

    double *offset = must(calloc(noise->columns->n, sizeof(*offset)));
    size_t row = gsl_rng_uniform_int(rng, noise->n_rows);

    for (size_t i = 0; noise->spread > 0 && i < noise->columns->n; i++)
        offset[i] = gsl_ran_gaussian(rng, noise->spread);
    track->runs = must(calloc(n_runs, sizeof(*track->runs)));
    track->n_runs = n_runs;
    for (size_t i = 0; i < n_runs; i++) {
        track->runs[i] = *recorded;
        track->runs[i].run_id = must(gcal_buf_format("20261121T%06zuZ-0a0b0c0d", i));
        track->runs[i].uid = uid;
        track->runs[i].driver = driver;
        track->runs[i].columns = noise->columns;
        fill_run(noise, row, offset, &track->runs[i]);
        row = noise->in_order ? (row + 1) % noise->n_rows
                              : gsl_rng_uniform_int(rng, noise->n_rows);
    }
    free(offset);
    return track;
}

void noise_change(struct gcal_track *device, size_t column, size_t from, double factor)
{
    for (size_t i = from; i < device->n_runs; i++)
        device->runs[i].value[column] *= factor;
}

void noise_device_free(struct gcal_track *device)
{
    for (size_t i = 0; i < device->n_runs; i++) {
        free((char *)device->runs[i].run_id);
        free(device->runs[i].value);
    }
    free(device->runs);
    free(device);
}

static void put_number(struct gcal_buf *buf, double value)
{
    if (isnan(value))
        gcal_buf_puts(buf, "\t-");
    else
        gcal_buf_printf(buf, "\t%.6g", value);
}

char *noise_text(const struct gcal_track *device)
{
    const struct gcal_track_columns *columns = device->runs[0].columns;
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "gpucal_track 2\ncolumns\t0");
    for (size_t i = 0; i < columns->n; i++)
        gcal_buf_printf(&buf, "\t%s/%s/%s/%s", columns->column[i].model,
                        columns->column[i].form, columns->column[i].parameter,
                        columns->column[i].unit);
    for (size_t i = 0; i < device->n_runs; i++) {
        const struct gcal_track_run *r = &device->runs[i];

        gcal_buf_printf(&buf, "\nrun\t%s\t%s\t%s\t%s\t%s\t%s\tc\tk\t%s\t0", r->run_id,
                        r->utc, r->uid, r->type, r->name, r->driver, r->gpucal_version);
        for (size_t k = 0; k < columns->n; k++) {
            put_number(&buf, r->value[k]);
            put_number(&buf, r->error[k]);
        }
    }
    gcal_buf_puts(&buf, "\n");
    return must(gcal_buf_take(&buf, NULL));
}
