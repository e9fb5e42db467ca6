/* features_csv.c - the features of evaluated kernels, for models made elsewhere */
#include "mpi/commands/predict/features_csv.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/profile.h"
#include "mpi/cli/csv.h"
#include "mpi/cli/file_replace.h"
#include "mpi/commands/predict/measured.h"
#include "store/predict/predictor.h"

struct table {
    FILE *file;
    const struct gcal_params_device *device;
    struct gcal_strings features; /* the columns */
    double *counts;               /* of a kernel, by column; NaN: none */
};

static bool is_listed(const struct gcal_evaluation_row *row)
{
    return !row->baseline && gcal_evaluation_row_is_complete(row);
}

/* Features of all models, each once. */
static int list_features(struct table *t, const struct gcal_evaluation *e,
                         struct gcal_error *err)
{
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_params_model *model =
            is_listed(&e->rows[i]) ? gcal_params_find_model(t->device, e->rows[i].model)
                                   : NULL;

        for (size_t k = 0; model && k < model->n_features; k++)
            if (gcal_strings_include(&t->features, model->feature[k], err) < 0)
                return -1;
    }
    t->counts = calloc(t->features.n + 1, sizeof(*t->counts));
    return t->counts ? 0 : gcal_error_memory(err);
}

static void put_header(const struct table *t)
{
    size_t n = t->features.n;

    fprintf(t->file, "model,application,kernel,measured_s,predicted_s%c", n ? ',' : '\n');
    for (size_t i = 0; i < n; i++)
        gcal_csv_text(t->file, t->features.items[i], i + 1 < n ? ',' : '\n');
}

static int count(struct table *t, const struct gcal_evaluation_row *row,
                 struct gcal_error *err)
{
    struct gcal_profile *profile =
        gcal_measured_kernel_profile(row->of, t->device->info.type, err);
    struct gcal_predictor *predictor =
        profile ? gcal_predictor_create(t->device, row->model, profile, err) : NULL;
    size_t n = predictor ? gcal_predictor_feature_count(predictor) : 0;
    double *values = calloc(n + 1, sizeof(*values));
    int rc = -1;

    if (predictor && !values)
        gcal_error_memory(err);
    else if (predictor)
        rc = gcal_predictor_features(predictor, row->of->kernel.size_values, values, err);
    for (size_t i = 0; i < t->features.n; i++)
        t->counts[i] = NAN;
    for (size_t i = 0; i < n && rc == 0; i++)
        t->counts[gcal_strings_find(&t->features, gcal_predictor_feature(predictor, i))] =
            values[i];
    free(values);
    gcal_predictor_destroy(predictor);
    gcal_profile_destroy(profile);
    return rc;
}

static void put_row(const struct table *t, const struct gcal_evaluation_row *row)
{
    fprintf(t->file, "%s,%s,", row->model, row->application);
    gcal_csv_text(t->file, row->kernel, ',');
    gcal_csv_number(t->file, row->measured_s);
    fprintf(t->file, "%.9g", row->predicted_s);
    for (size_t i = 0; i < t->features.n; i++)
        if (isnan(t->counts[i]))
            fputc(',', t->file);
        else
            fprintf(t->file, ",%.9g", t->counts[i]);
    fputc('\n', t->file);
}

static int write_table(struct table *t, const struct gcal_evaluation *e,
                       struct gcal_error *err)
{
    if (list_features(t, e, err) < 0)
        return -1;
    put_header(t);
    for (size_t i = 0; i < e->n; i++) {
        if (!is_listed(&e->rows[i]))
            continue;
        if (count(t, &e->rows[i], err) < 0)
            return -1;
        put_row(t, &e->rows[i]);
    }
    return 0;
}

int gcal_features_csv(const char *path, const struct gcal_evaluation *evaluation,
                      const struct gcal_params_device *device, struct gcal_error *err)
{
    struct gcal_file_replace r = { 0 };
    struct table t = { .device = device };
    int rc = gcal_file_replace_start(&r, path, err);

    t.file = r.file;
    if (rc == 0)
        rc = write_table(&t, evaluation, err);
    if (rc == 0)
        rc = gcal_file_replace_finish(&r, err);
    gcal_file_replace_clear(&r);
    gcal_strings_clear(&t.features);
    free(t.counts);
    return rc;
}
