/* recorded.c - models of another configuration, fitted to the kernels of a record */
#include "mpi/commands/store/recorded.h"

#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/config/config.h"
#include "kernels/model/model.h"
#include "calib/select/select.h"
#include "kernels/generate/generate.h"
#include "store/record/record.h"

static bool is_recorded(const struct gcal_record *record, const char *model)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_kernel_uses *uses = &record->kernels[i].uses;

        for (size_t k = 0; k < uses->n; k++)
            if (strcmp(uses->items[k].model, model) == 0)
                return true;
    }
    return false;
}

/* Targets are not fitted to. */
static bool is_measurement_kernel(const struct gcal_run_kernel *kernel)
{
    for (size_t i = 0; i < kernel->uses.n; i++)
        if (kernel->uses.items[i].role == GCAL_KERNEL_FITTED)
            return true;
    return false;
}

/* 1, 0 or -1. */
static int is_picked(const struct gcal_catalogue *catalogue,
                     const struct gcal_config_model *m, const char *kernel,
                     struct gcal_error *err)
{
    int picked = 0;

    for (size_t i = 0; i < m->n_tag_sets && picked == 0; i++)
        picked = gcal_select_picks(catalogue, &m->tag_sets[i], kernel, err);
    return picked;
}

static int find(const struct gcal_record *record, const struct gcal_catalogue *catalogue,
                struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];
        int picked = is_measurement_kernel(kernel)
                         ? is_picked(catalogue, m, kernel->name, err)
                         : 0;

        if (picked < 0 || (picked && gcal_strings_add(&m->recorded, kernel->id, err) < 0))
            return -1;
    }
    return 0;
}

/* Whether the record was made without the model, and has too few kernels to fit it. */
static bool lacks(const struct gcal_record *record, const struct gcal_config_model *m)
{
    return m->recorded.n < (m->model ? m->model->n_parameters : 1) &&
           !is_recorded(record, m->name);
}

/* Models that the record says too little about are left out where there are others. */
static void leave_out(const struct gcal_record *record, struct gcal_config *config)
{
    size_t n = 0;

    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];

        m->unrecorded = lacks(record, m);
        n += m->unrecorded;
    }
    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];

        m->unrecorded = m->unrecorded && n < config->n_models;
        if (m->unrecorded)
            gcal_log(GCAL_LOG_WARN,
                     "model %s is left out: the record has %zu kernels of it, fewer than "
                     "its parameters",
                     m->name, m->recorded.n);
    }
}

int gcal_fit_find_recorded(const struct gcal_record *record,
                           const struct gcal_catalogue *catalogue,
                           struct gcal_config *config, struct gcal_error *err)
{
    for (size_t i = 0; i < config->n_models; i++)
        if (!is_recorded(record, config->models[i].name) &&
            find(record, catalogue, &config->models[i], err) < 0)
            return -1;
    leave_out(record, config);
    return 0;
}
