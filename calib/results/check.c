/* check.c - errors of a model for target kernels that are measured at a few sizes
 *
 * On kinds of devices that are only checked, each target kernel is measured at one long
 * size and at short ones.
 * No parameter is fitted to that and no form is chosen by it, but an interval that does
 * not contain the observed errors would be wrong.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

/* The rows of target kernels among 'all'. */
static int pick(const struct gcal_result_type_fit *t, const struct gcal_record *record,
                const struct gcal_model *model, const struct gcal_result_rows *all,
                struct gcal_result_rows *picked, struct gcal_error *err)
{
    *picked = (struct gcal_result_rows){ .rows = calloc(all->n + 1, sizeof(*all->rows)) };
    if (!picked->rows)
        return gcal_error_memory(err);
    for (size_t i = 0; i < all->n; i++) {
        const struct gcal_result_row *row = &all->rows[i];
        const struct gcal_run_kernel *kernel = &record->kernels[row->kernel];

        if (strcmp(record->devices[row->device].info.type, t->type) == 0 &&
            gcal_kernel_uses_have(&kernel->uses, model->name, GCAL_KERNEL_CHECK) &&
            kernel->origin.form != GCAL_KERNEL_MEMORY)
            picked->rows[picked->n++] = *row;
    }
    return 0;
}

/* Of short launches or of the others. */
static int summarize(const struct gcal_result_type_fit *t, const struct gcal_model *model,
                     const double *features, const struct gcal_result_rows *rows,
                     bool brief, struct gcal_fit_error_summary *summary,
                     struct gcal_error *err)
{
    double *predicted_s = calloc(rows->n + 1, sizeof(*predicted_s));
    double *time_s = calloc(rows->n + 1, sizeof(*time_s));
    int rc = predicted_s && time_s ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < rows->n && rc == 0; i++) {
        predicted_s[i] = rows->rows[i].brief != brief
                             ? NAN
                             : gcal_model_eval(model, t->forms[t->best].fit.value,
                                               &features[i * model->n_features], NULL);
        time_s[i] = rows->rows[i].time_s;
    }
    if (rc == 0)
        rc = gcal_fit_summarize_errors(rows->n, time_s, predicted_s, summary, err);
    free(predicted_s);
    free(time_s);
    return rc;
}

int gcal_result_check_targets(struct gcal_result_type_fit *t,
                              const struct gcal_record *record,
                              const struct gcal_config_model *config,
                              const struct gcal_result_rows *all, struct gcal_error *err)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_result_rows rows = { 0 };
    double *features = NULL;
    int rc;

    if (!t->good)
        return 0;
    rc = pick(t, record, config->model, all, &rows, err);
    if (rc == 0 && !(features = gcal_result_features(record, model, &rows, err)))
        rc = -1;
    if (rc == 0)
        rc = summarize(t, model, features, &rows, false, &t->checked, err);
    if (rc == 0)
        rc = summarize(t, model, features, &rows, true, &t->checked_brief, err);
    free(features);
    free(rows.rows);
    return rc;
}
