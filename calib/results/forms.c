/* forms.c - fits of all forms of a model, and predictions of held-out rows */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
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

/* ---- rows ---- */

size_t *gcal_result_generators(struct gcal_arena *arena, const struct gcal_record *record)
{
    size_t n = record->n_kernels;
    size_t *first = gcal_arena_alloc(arena, n, sizeof(*first));

    for (size_t i = 0; i < n; i++) {
        const char *generator = record->kernels[i].generator;

        while (strcmp(record->kernels[first[i]].generator, generator) != 0)
            first[i]++;
    }
    return first;
}

static int problem_init(struct gcal_arena *scratch, struct problem *p,
                        struct gcal_result_form_fit *f, const struct design *d,
                        const struct gcal_config_form *form, struct gcal_error *err)
{
    const struct gcal_model *model = form->model;
    size_t n = f->n_rows, n_features = model->n_features;
    const struct gcal_result_rows *rows = d->rows;

    *p = (struct problem){
        .features = gcal_result_features(f->arena, d->record, model, rows, err),
        .fitted = gcal_arena_alloc(scratch, n * n_features, sizeof(*p->fitted)),
        .time_s = gcal_arena_alloc(scratch, n, sizeof(*p->time_s)),
        .spread = gcal_arena_alloc(scratch, n, sizeof(*p->spread)),
        .given = gcal_arena_alloc(scratch, model->n_parameters, sizeof(*p->given)),
        .is_brief = gcal_arena_alloc(scratch, n, sizeof(*p->is_brief)),
        .kernel = gcal_arena_alloc(scratch, n, sizeof(*p->kernel)),
        .group = gcal_arena_alloc(scratch, n, sizeof(*p->group)),
        .fold = gcal_arena_alloc(scratch, n, sizeof(*p->fold))
    };
    f->features = (double *)p->features;
    if (!p->features)
        return -1;
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
    /* The compute units of a form are known: those of the type's devices. */
    for (size_t j = 0; j < model->n_parameters; j++)
        p->given[j] =
            rows->n && strcmp(model->parameters[j].name, GCAL_FORM_UNITS) == 0
                ? gcal_device_info_facts(&d->record->devices[rows->rows[0].device].info)
                      .compute_units
                : NAN;
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

static int hold_out(struct gcal_result_form_fit *f, const struct gcal_config_form *form,
                    bool by_targets, const struct problem *p,
                    const struct gcal_result_rows *rows, struct gcal_error *err)
{
    if (f->fit.status != GCAL_FIT_GOOD)
        return 0;
    /* Rows that the form is not fitted to. */
    for (size_t i = 0; i < rows->n; i++)
        if (rows->rows[i].brief ||
            (by_targets && !form->tailored && rows->rows[i].target))
            f->held_out_s[i] =
                gcal_model_eval(form->model, f->fit.value,
                                &p->features[i * form->model->n_features], NULL);
    if (form->tailored)
        return leave_out(f, form->model, p, p->kernel, f->held_out_s, err);
    if (by_targets)
        return 0;
    if (leave_out(f, form->model, p, p->group, f->held_out_s, err) < 0)
        return -1;
    return leave_out(f, form->model, p, p->fold, f->fold_out_s, err);
}

/* Rows with costs of both components. */
static int find_mixed(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                      const struct design *d, const struct gcal_model *model,
                      const size_t *cell_of, struct gcal_error *err)
{
    bool *is_memory = gcal_arena_alloc(scratch, model->n_features, sizeof(bool));
    bool *is_onchip = gcal_arena_alloc(scratch, model->n_features, sizeof(bool));
    bool any = false;
    double *features;

    t->row_mixed = gcal_arena_alloc(t->arena, t->n_rows, sizeof(*t->row_mixed));
    for (size_t k = 0; k < model->n_features; k++) {
        is_memory[k] = strncmp(model->features[k], MEMORY, strlen(MEMORY)) == 0;
        is_onchip[k] = strncmp(model->features[k], ONCHIP, strlen(ONCHIP)) == 0;
        any = any || is_memory[k] || is_onchip[k];
    }
    if (!any)
        return 0;
    if (!(features = gcal_result_features(scratch, d->record, model, d->rows, err)))
        return -1;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *counts = &features[cell_of[i] * model->n_features];
        bool memory = false, onchip = false;

        for (size_t k = 0; k < model->n_features; k++) {
            memory |= counts[k] > 0 && is_memory[k];
            onchip |= counts[k] > 0 && is_onchip[k];
        }
        t->row_mixed[i] = memory && onchip;
    }
    return 0;
}

GCAL_ARENA_DESTROYER(clear_fit, gcal_fit_clear)

/* To the cells.  'start': where the search begins, or NULL. */
static int fit_cells(struct gcal_arena *scratch, struct gcal_result_form_fit *f,
                     const struct design *d, const struct gcal_config_form *form,
                     const double *start, struct gcal_error *err)
{
    struct problem p;

    for (size_t i = 0; i < d->rows->n; i++)
        if (d->rows->rows[i].target == form->tailored)
            f->row[f->n_rows++] = i;
    if (problem_init(scratch, &p, f, d, form, err) < 0 ||
        gcal_result_find_shapes(form->model, &p.rows, p.is_brief, p.given, err) < 0)
        return -1;
    drop_brief(&p, f, d->rows);
    for (size_t i = 0; i < p.rows.n_rows; i++) {
        /* The position of row 'i' among its generator's kernels, the same on all devices; the
         * kernels of a generator need not be adjacent.
         */
        size_t position = 0;

        for (size_t k = 0; k < i && p.kernel[k] != p.kernel[i]; k++)
            position +=
                p.group[k] == p.group[i] && (!k || p.kernel[k] != p.kernel[k - 1]);
        p.fold[i] = position % FOLDS;
    }
    p.rows.start = start;
    gcal_arena_own(f->arena, &f->fit, clear_fit);
    if (gcal_fit_solve(form->model, &p.rows, &f->fit, err) < 0 ||
        hold_out(f, form, d->by_targets, &p, d->rows, err) < 0)
        return -1;
    if (f->fit.status == GCAL_FIT_GOOD) {
        /* Shapes follow from short launches, so they are in the range of validity. */
        size_t n = form->model->n_features, length;
        bool has_shapes = false;

        for (size_t j = 0; j < form->model->n_parameters; j++)
            has_shapes =
                has_shapes || gcal_form_shape(form->model->parameters[j].name, &length);
        for (size_t i = 0; has_shapes && i < d->rows->n; i++)
            for (size_t k = 0; d->rows->rows[i].brief && k < n; k++) {
                double value = p.features[i * n + k];

                if (value > 0 && value < f->fit.feature_min[k])
                    f->fit.feature_min[k] = value;
            }
    }
    return 0;
}

/* ---- all forms ---- */

struct fitting {
    struct gcal_result_type_fit *t;
    const struct design *design;
    const struct gcal_config_model *config;
    const size_t *cell_of;
    const struct gcal_result_type_fit *like; /* NULL: all forms are fitted */
};

/* What was predicted of cells, for each of the n rows. */
static double *expand_predictions(struct gcal_arena *arena, const double *by_cell,
                                  const size_t *cell_of, size_t n)
{
    double *by_row = gcal_arena_alloc(arena, n, sizeof(*by_row));

    for (size_t i = 0; i < n; i++)
        by_row[i] = by_cell[cell_of[i]];
    return by_row;
}

static int fit_form(void *context, size_t i, struct gcal_error *err)
{
    const struct fitting *fitting = context;
    const struct design *d = fitting->design;
    const struct gcal_result_type_fit *like = fitting->like;
    const struct gcal_config_form *form = &fitting->config->forms[i];
    struct gcal_result_form_fit *f = &fitting->t->forms[i];
    struct gcal_arena *scratch = gcal_arena_create();
    size_t *place =
        gcal_arena_alloc(scratch, d->rows->n, sizeof(*place)); /* in f->row, from 1 */
    size_t n = fitting->t->n_rows, n_fitted = 0, *row;
    int rc = 0;

    f->row = gcal_arena_alloc(scratch, d->rows->n, sizeof(*f->row));
    f->held_out_s = gcal_arena_alloc(scratch, d->rows->n, sizeof(double));
    f->fold_out_s = gcal_arena_alloc(scratch, d->rows->n, sizeof(double));
    for (size_t k = 0; k < d->rows->n; k++)
        f->held_out_s[k] = f->fold_out_s[k] = NAN;
    if (like && i != like->best) {
        f->fit.status = GCAL_FIT_NOT_CONVERGED;
        snprintf(f->fit.reason, sizeof(f->fit.reason),
                 "not tried: an outlier has the form of its type");
    } else if (fit_cells(scratch, f, d, form, like ? like->forms[i].fit.value : NULL,
                         err) < 0) {
        rc = gcal_error_prefix(err, "model %s, form %s", form->model->name, form->name);
    }
    /* From cells to rows. */
    for (size_t k = 0; k < f->n_rows; k++)
        place[f->row[k]] = k + 1;
    row = gcal_arena_alloc(f->arena, n, sizeof(*row));
    f->predicted_s = gcal_arena_alloc(f->arena, n, sizeof(*f->predicted_s));
    for (size_t k = 0; k < n && rc == 0; k++)
        if (place[fitting->cell_of[k]]) {
            f->predicted_s[n_fitted] = f->fit.predicted_s[place[fitting->cell_of[k]] - 1];
            row[n_fitted++] = k;
        }
    f->row = row;
    f->n_rows = n_fitted;
    f->held_out_s = expand_predictions(f->arena, f->held_out_s, fitting->cell_of, n);
    f->fold_out_s = expand_predictions(f->arena, f->fold_out_s, fitting->cell_of, n);
    gcal_arena_destroy(scratch);
    return rc;
}

int gcal_result_fit_forms(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                          const struct gcal_record *record,
                          const struct gcal_config_model *config,
                          const struct gcal_result_rows *rows,
                          const struct gcal_result_type_fit *like, struct gcal_error *err)
{
    struct gcal_result_cells cells = gcal_result_cells_find(scratch, record, rows);
    struct design d = { .record = record,
                        .rows = &cells.rows,
                        .generator = gcal_result_generators(scratch, record),
                        .absolute = config->absolute,
                        .merge_collinear = gcal_config_model_merges(config) };
    struct fitting f = { t, &d, config, cells.of_row, like && like->good ? like : NULL };

    t->n_forms = config->n_forms;
    t->forms = gcal_arena_alloc(t->arena, t->n_forms, sizeof(*t->forms));
    for (size_t k = 0; k < t->n_forms; k++)
        t->forms[k].arena = gcal_arena_child(t->arena);
    t->row_cell_s = gcal_arena_alloc(t->arena, t->n_rows, sizeof(*t->row_cell_s));
    for (size_t i = 0; i < rows->n; i++) {
        t->by_targets = t->by_targets || rows->rows[i].target;
        t->row_cell_s[i] = cells.rows.rows[cells.of_row[i]].time_s;
    }
    d.by_targets = t->by_targets;
    if (find_mixed(scratch, t, &d, config->model, cells.of_row, err) < 0)
        return -1;
    return gcal_threads_share(t->n_forms, fit_form, &f, err);
}

bool gcal_result_is_form_offered(const struct gcal_result_type_fit *t,
                                 const struct gcal_config_model *config, size_t form)
{
    return !config->forms[form].tailored || t->forms[form].n_rows;
}
