/* device_fit.c - per-device estimates of parameters */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/results/private.h"

/* One device's rows. */
struct device_rows {
    size_t n, n_features;
    double *features, *time_s, *spread;
    size_t *group;
};

static int rows_init(struct device_rows *o, size_t n_rows, size_t n_features,
                     struct gcal_error *err)
{
    *o = (struct device_rows){ .n_features = n_features };
    o->features = calloc(n_rows * n_features + 1, sizeof(*o->features));
    o->time_s = calloc(n_rows + 1, sizeof(*o->time_s));
    o->spread = calloc(n_rows + 1, sizeof(*o->spread));
    o->group = calloc(n_rows + 1, sizeof(*o->group));
    return o->features && o->time_s && o->spread && o->group ? 0 : gcal_error_memory(err);
}

static void rows_clear(struct device_rows *o)
{
    free(o->features);
    free(o->time_s);
    free(o->spread);
    free(o->group);
}

/* What the estimates of all devices are made of. */
struct source {
    const struct gcal_result_rows *rows;
    struct gcal_result_cells cells;
    struct gcal_result_by_device sorted;
    const double *features; /* of the cells */
    size_t *generator;      /* by kernel */
    bool *fitted;           /* by row */
};

static int source_init(struct source *s, const struct gcal_record *record,
                       const struct gcal_result_form_fit *f,
                       const struct gcal_result_rows *rows, struct gcal_error *err)
{
    *s = (struct source){ .rows = rows, .features = f->features };
    if (gcal_result_cells_find(record, rows, &s->cells, err) < 0 ||
        gcal_result_sort_by_device(record, rows, &s->sorted, err) < 0 ||
        !(s->generator = gcal_result_generators(record, err)))
        return -1;
    if (!(s->fitted = calloc(rows->n + 1, sizeof(*s->fitted))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < f->n_rows; i++)
        s->fitted[f->row[i]] = true;
    return 0;
}

static void source_clear(struct source *s)
{
    gcal_result_cells_clear(&s->cells);
    gcal_result_by_device_clear(&s->sorted);
    free(s->generator);
    free(s->fitted);
}

static void take_rows(struct device_rows *o, const struct source *s, size_t device)
{
    o->n = 0;
    for (size_t k = s->sorted.first[device]; k < s->sorted.first[device + 1]; k++) {
        size_t i = s->sorted.row[k];
        const struct gcal_result_row *row = &s->rows->rows[i];

        if (!s->fitted[i])
            continue;
        memcpy(&o->features[o->n * o->n_features],
               &s->features[s->cells.of_row[i] * o->n_features],
               o->n_features * sizeof(*s->features));
        o->time_s[o->n] = row->time_s * row->scale;
        o->spread[o->n] = row->spread;
        o->group[o->n++] = s->generator[row->kernel];
    }
}

/* The only device of a type: the estimates of the fit, without rounding errors. */
static void take_type(const struct gcal_fit *fit, double *value, double *error)
{
    for (size_t j = 0; j < fit->n_parameters; j++)
        if (isfinite(value[j])) {
            value[j] = fit->value[j];
            error[j] = fit->standard_error[j];
        }
}

static int fit_device(struct gcal_result_type_fit *t, const struct gcal_model *model,
                      size_t k, bool absolute, const struct device_rows *o,
                      struct gcal_error *err)
{
    const struct gcal_fit *fit = &t->forms[t->best].fit;
    double *value = &t->estimate[k * fit->n_parameters],
           *error = &t->estimate_error[k * fit->n_parameters];
    const struct gcal_fit_rows rows = { .n_rows = o->n,
                                        .n_features = o->n_features,
                                        .features = o->features,
                                        .time_s = o->time_s,
                                        .spread = o->spread,
                                        .group = o->group,
                                        .absolute = absolute };

    if (gcal_fit_device(model, &rows, fit, value, error, err) < 0)
        return -1;
    if (t->n_devices == 1)
        take_type(fit, value, error);
    return 0;
}

/* The most rows of a device. */
static size_t most_rows(const struct gcal_result_type_fit *t, const struct source *s)
{
    size_t most = 0;

    for (size_t k = 0; k < t->n_devices; k++) {
        const size_t *first = &s->sorted.first[t->device[k]];

        most = first[1] - first[0] > most ? first[1] - first[0] : most;
    }
    return most;
}

int gcal_result_fit_devices(struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_config_model *config,
                            const struct gcal_result_rows *rows, struct gcal_error *err)
{
    const struct gcal_model *model;
    struct device_rows o = { 0 };
    struct source s;
    int rc = -1;

    if (!t->good)
        return 0;
    model = config->forms[t->best].model;
    t->estimate = calloc(t->n_devices * model->n_parameters + 1, sizeof(*t->estimate));
    t->estimate_error =
        calloc(t->n_devices * model->n_parameters + 1, sizeof(*t->estimate_error));
    if (!t->estimate || !t->estimate_error)
        return gcal_error_memory(err);
    if (source_init(&s, record, &t->forms[t->best], rows, err) == 0)
        rc = rows_init(&o, most_rows(t, &s), model->n_features, err);
    for (size_t k = 0; k < t->n_devices && rc == 0; k++) {
        take_rows(&o, &s, t->device[k]);
        rc = fit_device(t, model, k, config->absolute, &o, err);
    }
    rows_clear(&o);
    source_clear(&s);
    return rc;
}
