/* forms.c - fits of all forms of a model, and predictions of held-out rows */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "calib/results/private.h"

/* Of each generator, every fifth kernel is left out at a time. */
#define FOLDS 5

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

/* What all forms of a type are fitted to: the cells of its rows. */
struct design {
    const struct gcal_record *record;
    const struct gcal_result_rows *rows; /* of the cells */
    const double *time_s, *spread;       /* of each cell */
    const size_t *group; /* of each cell: the first kernel of its generator */
    const size_t *fold;  /* of each cell: 0 .. FOLDS - 1, across all generators */
    bool merge_collinear, absolute;
};

/* Predictions of the cells with those of a group left out together. */
static int leave_out(const struct gcal_model *model, const struct gcal_fit_rows *all,
                     const size_t *group, const struct gcal_fit *fit, double *predicted_s,
                     struct gcal_error *err)
{
    struct gcal_fit_rows rows = *all;
    struct gcal_fit_cv cv = { 0 };

    rows.group = group;
    if (gcal_fit_cross_validate(model, &rows, fit, &cv, err) < 0)
        return -1;
    memcpy(predicted_s, cv.predicted_s, rows.n_rows * sizeof(*predicted_s));
    gcal_fit_cv_clear(&cv);
    return 0;
}

GCAL_ARENA_DESTROYER(clear_fit, gcal_fit_clear)

/* 'start': where the search begins, or NULL. */
static int fit_cells(struct gcal_result_form_fit *f, const struct design *d,
                     const struct gcal_model *model, const double *start,
                     struct gcal_error *err)
{
    struct gcal_fit_rows rows = { .n_rows = d->rows->n,
                                  .n_features = model->n_features,
                                  .time_s = d->time_s,
                                  .spread = d->spread,
                                  .group = d->group,
                                  .start = start,
                                  .absolute = d->absolute,
                                  .merge_collinear = d->merge_collinear };

    f->features = gcal_result_features(f->arena, d->record, model, d->rows, err);
    if (!(rows.features = f->features))
        return -1;
    gcal_arena_own(f->arena, &f->fit, clear_fit);
    if (gcal_fit_solve(model, &rows, &f->fit, err) < 0)
        return -1;
    if (f->fit.status != GCAL_FIT_GOOD)
        return 0;
    if (leave_out(model, &rows, d->group, &f->fit, f->held_out_s, err) < 0)
        return -1;
    return leave_out(model, &rows, d->fold, &f->fit, f->fold_out_s, err);
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
    size_t n = fitting->t->n_rows;
    int rc = 0;

    f->held_out_s = gcal_arena_alloc(scratch, d->rows->n, sizeof(double));
    f->fold_out_s = gcal_arena_alloc(scratch, d->rows->n, sizeof(double));
    for (size_t k = 0; k < d->rows->n; k++)
        f->held_out_s[k] = f->fold_out_s[k] = NAN;
    if (like && i != like->best) {
        f->fit.status = GCAL_FIT_NOT_CONVERGED;
        snprintf(f->fit.reason, sizeof(f->fit.reason),
                 "not tried: an outlier has the form of its type");
    } else if (fit_cells(f, d, form->model, like ? like->forms[i].fit.value : NULL, err) <
               0) {
        rc = gcal_error_prefix(err, "model %s, form %s", form->model->name, form->name);
    }
    if (rc == 0 && f->fit.predicted_s)
        f->predicted_s =
            expand_predictions(f->arena, f->fit.predicted_s, fitting->cell_of, n);
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
                        .absolute = config->absolute,
                        .merge_collinear = gcal_config_model_merges(config) };
    struct fitting f = { t, &d, config, cells.of_row, like && like->good ? like : NULL };

    const size_t *generator = gcal_result_generators(scratch, d.record);
    const struct gcal_result_row *row = d.rows->rows;
    size_t n = d.rows->n;
    double *time_s = gcal_arena_alloc(scratch, n, sizeof(*time_s));
    double *spread = gcal_arena_alloc(scratch, n, sizeof(*spread));
    size_t *group = gcal_arena_alloc(scratch, n, sizeof(*group));
    size_t *fold = gcal_arena_alloc(scratch, n, sizeof(*fold));

    for (size_t i = 0; i < n; i++) {
        /* The position of the cell's kernel among its generator's, the same on all devices; the
         * kernels of a generator need not be adjacent.
         */
        size_t position = 0;

        time_s[i] = row[i].time_s;
        spread[i] = row[i].spread;
        group[i] = generator[row[i].kernel];
        for (size_t k = 0; k < i && row[k].kernel != row[i].kernel; k++)
            position +=
                group[k] == group[i] && (!k || row[k].kernel != row[k - 1].kernel);
        fold[i] = position % FOLDS;
    }
    d.time_s = time_s;
    d.spread = spread;
    d.group = group;
    d.fold = fold;
    t->n_forms = config->n_forms;
    t->forms = gcal_arena_alloc(t->arena, t->n_forms, sizeof(*t->forms));
    for (size_t k = 0; k < t->n_forms; k++)
        t->forms[k].arena = gcal_arena_child(t->arena);
    t->row_cell_s = gcal_arena_alloc(t->arena, t->n_rows, sizeof(*t->row_cell_s));
    for (size_t i = 0; i < rows->n; i++)
        t->row_cell_s[i] = cells.rows.rows[cells.of_row[i]].time_s;
    return gcal_threads_share(t->n_forms, fit_form, &f, err);
}
