/* forms.c - fits of all forms of a model, and predictions of held-out rows */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/model/form.h"
#include "calib/results/private.h"

/* Of each generator, every fifth kernel is left out at a time. */
#define FOLDS 5

/* Features of the components of a kernel. */
#define MEMORY "f_memory_tag:"
#define ONCHIP "f_onchip_tag:"

/* What all forms of a type are fitted to: the cells of its rows. */
struct design {
    const struct gcal_record *record;
    const struct gcal_result_rows *rows; /* of the cells */
    const size_t *generator;             /* by kernel: the first of its generator */
    bool merge_collinear, absolute;
    bool by_targets;
};

/* A form's problem: cells and groups in the order of 'f->row'. */
struct problem {
    struct gcal_fit_rows rows;
    const double *features; /* of all the type's cells, the form's */
    double *fitted;         /* of the rows that the form is fitted to */
    double *time_s, *spread;
    double *given;  /* by parameter of the form, NaN: to be fitted */
    bool *is_brief; /* of each row */
    size_t *kernel; /* of each row, in the record */
    size_t *group;  /* of each row: the first kernel of its generator */
    size_t *fold;   /* of each row: 0 .. FOLDS - 1, across all generators */
};

/* Leaves the rows that the form is fitted to. */
static void drop_brief(struct problem *p, struct gcal_result_form_fit *f,
                       const struct gcal_result_rows *rows)
{
    size_t n_features = p->rows.n_features, n = 0;

    f->n_kernels = f->n_samples = 0;
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct gcal_result_row *row = &rows->rows[f->row[i]];

        if (row->brief)
            continue;
        f->n_samples += row->n_samples;
        f->n_kernels += !n || p->kernel[i] != p->kernel[n - 1];
        memmove(&p->fitted[n * n_features], &p->fitted[i * n_features],
                n_features * sizeof(*p->fitted));
        p->time_s[n] = p->time_s[i];
        p->spread[n] = p->spread[i];
        p->kernel[n] = p->kernel[i];
        p->group[n] = p->group[i];
        f->row[n++] = f->row[i];
    }
    f->n_rows = p->rows.n_rows = n;
}

static void problem_clear(struct problem *p)
{
    free(p->fitted);
    free(p->time_s);
    free(p->spread);
    free(p->given);
    free(p->is_brief);
    free(p->kernel);
    free(p->group);
    free(p->fold);
}

/* ---- rows ---- */

static int pick_rows(struct gcal_result_form_fit *f, bool tailored,
                     const struct gcal_result_rows *rows, struct gcal_error *err)
{
    if (!(f->row = calloc(rows->n + 1, sizeof(*f->row))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];

        if (row->target != tailored)
            continue;
        f->row[f->n_rows++] = i;
    }
    return 0;
}

size_t *gcal_result_generators(const struct gcal_record *record, struct gcal_error *err)
{
    size_t n = record->n_kernels;
    size_t *first = calloc(n + 1, sizeof(*first));

    if (!first)
        gcal_error_memory(err);
    for (size_t i = 0; i < n && first; i++) {
        const char *generator = record->kernels[i].generator;

        while (strcmp(record->kernels[first[i]].generator, generator) != 0)
            first[i]++;
    }
    return first;
}

/* The position of row 'i' among its generator's kernels, the same on all devices; the
 * kernels of a generator need not be adjacent.
 */
static size_t position_in_generator(const struct problem *p, size_t i)
{
    size_t position = 0;

    for (size_t k = 0; k < i && p->kernel[k] != p->kernel[i]; k++)
        position +=
            p->group[k] == p->group[i] && (!k || p->kernel[k] != p->kernel[k - 1]);
    return position;
}

/* The compute units of a form are known: those of the type's devices. */
static double *given_parameters(const struct gcal_record *record,
                                const struct gcal_model *model,
                                const struct gcal_result_rows *rows)
{
    double *given = calloc(model->n_parameters + 1, sizeof(*given));

    for (size_t j = 0; given && j < model->n_parameters; j++) {
        given[j] = NAN;
        if (rows->n && strcmp(model->parameters[j].name, GCAL_FORM_UNITS) == 0)
            given[j] = gcal_device_info_facts(&record->devices[rows->rows[0].device].info)
                           .compute_units;
    }
    return given;
}

static int problem_init(struct problem *p, struct gcal_result_form_fit *f,
                        const struct design *d, const struct gcal_config_form *form,
                        struct gcal_error *err)
{
    size_t n = f->n_rows, n_features = form->model->n_features;
    const struct gcal_result_rows *rows = d->rows;

    *p = (struct problem){ 0 };
    if (!(f->features = gcal_result_features(d->record, form->model, rows, err)))
        return -1;
    p->features = f->features;
    p->fitted = calloc(n * n_features + 1, sizeof(*p->fitted));
    p->time_s = calloc(n + 1, sizeof(*p->time_s));
    p->spread = calloc(n + 1, sizeof(*p->spread));
    p->given = given_parameters(d->record, form->model, rows);
    p->is_brief = calloc(n + 1, sizeof(*p->is_brief));
    p->kernel = calloc(n + 1, sizeof(*p->kernel));
    p->group = calloc(n + 1, sizeof(*p->group));
    p->fold = calloc(n + 1, sizeof(*p->fold));
    if (!p->fitted || !p->time_s || !p->spread || !p->given || !p->is_brief ||
        !p->kernel || !p->group || !p->fold)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_result_row *row = &rows->rows[f->row[i]];

        memcpy(&p->fitted[i * n_features], &p->features[f->row[i] * n_features],
               n_features * sizeof(*p->fitted));
        p->time_s[i] = row->time_s;
        p->spread[i] = row->spread;
        p->is_brief[i] = row->brief;
        p->kernel[i] = row->kernel;
        p->group[i] = d->generator[row->kernel];
    }
    p->rows = (struct gcal_fit_rows){ .n_rows = n,
                                      .n_features = n_features,
                                      .features = p->fitted,
                                      .time_s = p->time_s,
                                      .spread = p->spread,
                                      .group = p->group,
                                      .given = p->given,
                                      .absolute = d->absolute,
                                      .merge_collinear = d->merge_collinear };
    return 0;
}

/* ---- held-out predictions ---- */

/* 'group': of each row of the form; rows of a group are left out together. */
static int leave_out(struct gcal_result_form_fit *f, const struct gcal_model *model,
                     const struct problem *p, const size_t *group, double *predicted_s,
                     struct gcal_error *err)
{
    struct gcal_fit_rows rows = p->rows;
    struct gcal_fit_cv cv = { 0 };

    rows.group = group;
    if (gcal_fit_cross_validate(model, &rows, &f->fit, &cv, err) < 0)
        return -1;
    for (size_t i = 0; i < f->n_rows; i++)
        predicted_s[f->row[i]] = cv.predicted_s[i];
    gcal_fit_cv_clear(&cv);
    return 0;
}

/* Rows that the form is not fitted to; with 'targets', those of target kernels as well. */
static void predict_others(struct gcal_result_form_fit *f, const struct gcal_model *model,
                           const struct problem *p, const struct gcal_result_rows *rows,
                           bool targets)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->rows[i].brief || (targets && rows->rows[i].target))
            f->held_out_s[i] = gcal_model_eval(model, f->fit.value,
                                               &p->features[i * model->n_features], NULL);
}

static double *nans(size_t n)
{
    double *values = malloc((n + 1) * sizeof(*values));

    for (size_t i = 0; values && i < n; i++)
        values[i] = NAN;
    return values;
}

static int hold_out(struct gcal_result_form_fit *f, const struct gcal_config_form *form,
                    bool by_targets, const struct problem *p,
                    const struct gcal_result_rows *rows, struct gcal_error *err)
{
    f->held_out_s = nans(rows->n);
    f->fold_out_s = nans(rows->n);
    if (!f->held_out_s || !f->fold_out_s)
        return gcal_error_memory(err);
    if (f->fit.status != GCAL_FIT_GOOD)
        return 0;
    predict_others(f, form->model, p, rows, by_targets && !form->tailored);
    if (form->tailored)
        return leave_out(f, form->model, p, p->kernel, f->held_out_s, err);
    if (by_targets)
        return 0;
    if (leave_out(f, form->model, p, p->group, f->held_out_s, err) < 0)
        return -1;
    return leave_out(f, form->model, p, p->fold, f->fold_out_s, err);
}

static bool is_component(const char *feature, const char *kind)
{
    return strncmp(feature, kind, strlen(kind)) == 0;
}

static bool has_components(const struct gcal_model *model)
{
    for (size_t k = 0; k < model->n_features; k++)
        if (is_component(model->features[k], MEMORY) ||
            is_component(model->features[k], ONCHIP))
            return true;
    return false;
}

/* Rows with costs of both components. */
static int find_mixed(struct gcal_result_type_fit *t, const struct design *d,
                      const struct gcal_model *model, const size_t *cell_of,
                      struct gcal_error *err)
{
    double *features;

    if (!(t->row_mixed = calloc(t->n_rows + 1, sizeof(*t->row_mixed))))
        return gcal_error_memory(err);
    if (!has_components(model))
        return 0;
    if (!(features = gcal_result_features(d->record, model, d->rows, err)))
        return -1;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *counts = &features[cell_of[i] * model->n_features];
        bool memory = false, onchip = false;

        for (size_t k = 0; k < model->n_features; k++) {
            bool there = counts[k] > 0;

            memory |= there && is_component(model->features[k], MEMORY);
            onchip |= there && is_component(model->features[k], ONCHIP);
        }
        t->row_mixed[i] = memory && onchip;
    }
    free(features);
    return 0;
}

static void find_folds(struct problem *p)
{
    for (size_t i = 0; i < p->rows.n_rows; i++)
        p->fold[i] = position_in_generator(p, i) % FOLDS;
}

static bool has_shapes(const struct gcal_model *model)
{
    size_t length;

    for (size_t j = 0; j < model->n_parameters; j++)
        if (gcal_form_shape(model->parameters[j].name, &length))
            return true;
    return false;
}

/* Shapes follow from short launches, so they are in the range of validity. */
static void widen_range(struct gcal_result_form_fit *f, const struct gcal_model *model,
                        const struct problem *p, const struct gcal_result_rows *rows)
{
    size_t n = model->n_features;

    for (size_t i = 0; has_shapes(model) && i < rows->n; i++)
        for (size_t k = 0; rows->rows[i].brief && k < n; k++) {
            double value = p->features[i * n + k];

            if (value > 0 && value < f->fit.feature_min[k])
                f->fit.feature_min[k] = value;
        }
}

/* To the cells.  'start': where the search begins, or NULL. */
static int fit_cells(struct gcal_result_form_fit *f, const struct design *d,
                     const struct gcal_config_form *form, const double *start,
                     struct gcal_error *err)
{
    struct problem p = { 0 };
    int rc = -1;

    if (pick_rows(f, form->tailored, d->rows, err) == 0 &&
        problem_init(&p, f, d, form, err) == 0 &&
        gcal_result_find_shapes(form->model, &p.rows, p.is_brief, p.given, err) == 0) {
        drop_brief(&p, f, d->rows);
        find_folds(&p);
        p.rows.start = start;
        if (gcal_fit_solve(form->model, &p.rows, &f->fit, err) == 0)
            rc = hold_out(f, form, d->by_targets, &p, d->rows, err);
    }
    if (rc == 0 && f->fit.status == GCAL_FIT_GOOD)
        widen_range(f, form->model, &p, d->rows);
    if (rc < 0)
        gcal_error_prefix(err, "model %s, form %s", form->model->name, form->name);
    problem_clear(&p);
    return rc;
}

/* ---- from cells to rows ---- */

/* 'by_cell' for each of the n rows; takes it. */
static int expand_predictions(double **by_cell, const size_t *cell_of, size_t n,
                              struct gcal_error *err)
{
    double *by_row = malloc((n + 1) * sizeof(*by_row));

    if (!by_row)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        by_row[i] = (*by_cell)[cell_of[i]];
    free(*by_cell);
    *by_cell = by_row;
    return 0;
}

/* The fitted rows, with what the fit predicts of their cells. */
static int expand_fitted(struct gcal_result_form_fit *f, const struct design *d,
                         const size_t *cell_of, size_t n, struct gcal_error *err)
{
    size_t *place = calloc(d->rows->n + 1, sizeof(*place)); /* in f->row, from 1 */
    size_t *row = calloc(n + 1, sizeof(*row)), n_fitted = 0;
    double *predicted_s = calloc(n + 1, sizeof(*predicted_s));

    if (!place || !row || !predicted_s) {
        free(place);
        free(row);
        free(predicted_s);
        return gcal_error_memory(err);
    }
    for (size_t k = 0; k < f->n_rows; k++)
        place[f->row[k]] = k + 1;
    for (size_t i = 0; i < n; i++)
        if (place[cell_of[i]]) {
            predicted_s[n_fitted] = f->fit.predicted_s[place[cell_of[i]] - 1];
            row[n_fitted++] = i;
        }
    free(place);
    free(f->row);
    free(f->fit.predicted_s);
    f->row = row;
    f->fit.predicted_s = predicted_s;
    f->n_rows = f->fit.n_rows = n_fitted;
    return 0;
}

static int expand(struct gcal_result_form_fit *f, const struct design *d,
                  const size_t *cell_of, size_t n, struct gcal_error *err)
{
    return expand_fitted(f, d, cell_of, n, err) < 0 ||
                   expand_predictions(&f->held_out_s, cell_of, n, err) < 0 ||
                   expand_predictions(&f->fold_out_s, cell_of, n, err) < 0
               ? -1
               : 0;
}

/* ---- all forms ---- */

struct fitting {
    struct gcal_result_type_fit *t;
    const struct design *design;
    const struct gcal_config_model *config;
    const size_t *cell_of;
    const struct gcal_result_type_fit *like; /* NULL: all forms are fitted */
};

/* A form that is not of interest. */
static int leave_form(struct gcal_result_form_fit *f,
                      const struct gcal_result_rows *cells, struct gcal_error *err)
{
    f->fit.status = GCAL_FIT_NOT_CONVERGED;
    snprintf(f->fit.reason, sizeof(f->fit.reason),
             "not tried: an outlier has the form of its type");
    f->row = calloc(1, sizeof(*f->row));
    f->held_out_s = nans(cells->n);
    f->fold_out_s = nans(cells->n);
    return f->row && f->held_out_s && f->fold_out_s ? 0 : gcal_error_memory(err);
}

static int fit_form(void *context, size_t i, struct gcal_error *err)
{
    const struct fitting *f = context;
    struct gcal_result_form_fit *form = &f->t->forms[i];

    int rc = f->like && i != f->like->best
                 ? leave_form(form, f->design->rows, err)
                 : fit_cells(form, f->design, &f->config->forms[i],
                             f->like ? f->like->forms[i].fit.value : NULL, err);

    return rc < 0 ? -1 : expand(form, f->design, f->cell_of, f->t->n_rows, err);
}

static int fit_all(struct gcal_result_type_fit *t, const struct design *d,
                   const struct gcal_config_model *config, const size_t *cell_of,
                   const struct gcal_result_type_fit *like, struct gcal_error *err)
{
    struct fitting f = { t, d, config, cell_of, like };

    if (find_mixed(t, d, config->model, cell_of, err) < 0)
        return -1;
    if (!(t->row_cell_s = calloc(t->n_rows + 1, sizeof(*t->row_cell_s))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < t->n_rows; i++)
        t->row_cell_s[i] = d->rows->rows[cell_of[i]].time_s;
    return gcal_threads_share(t->n_forms, fit_form, &f, err);
}

int gcal_result_fit_forms(struct gcal_result_type_fit *t,
                          const struct gcal_record *record,
                          const struct gcal_config_model *config,
                          const struct gcal_result_rows *rows,
                          const struct gcal_result_type_fit *like, struct gcal_error *err)
{
    size_t *generator = gcal_result_generators(record, err);
    struct gcal_result_cells cells = { 0 };
    struct design d = { .record = record,
                        .rows = &cells.rows,
                        .generator = generator,
                        .absolute = config->absolute,
                        .merge_collinear = gcal_config_model_merges(config) };
    int rc = generator ? gcal_result_cells_find(record, rows, &cells, err) : -1;

    if (rc == 0 && !(t->forms = calloc(config->n_forms, sizeof(*t->forms))))
        rc = gcal_error_memory(err);
    if (rc == 0)
        t->n_forms = config->n_forms;
    for (size_t i = 0; i < rows->n; i++)
        t->by_targets = t->by_targets || rows->rows[i].target;
    d.by_targets = t->by_targets;
    if (rc == 0)
        rc = fit_all(t, &d, config, cells.of_row, like && like->good ? like : NULL, err);
    gcal_result_cells_clear(&cells);
    free(generator);
    return rc;
}

bool gcal_result_is_form_offered(const struct gcal_result_type_fit *t,
                                 const struct gcal_config_model *config, size_t form)
{
    return !config->forms[form].tailored || t->forms[form].n_rows;
}
