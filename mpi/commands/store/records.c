/* records.c - the records that are fitted: of several runs, and by another configuration */
#include "mpi/commands/store/records.h"

#include <string.h>

#include "calib/config/config.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/generate/generate.h"
#include "kernels/model/model.h"
#include "store/record/record.h"

/* ---- several runs ---- */

int gcal_fit_read_config(const struct gcal_record *record, struct gcal_config *config,
                         struct gcal_error *err)
{
    const struct gcal_record_header *h = record->header;

    return gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, config,
                             err);
}

/* Returns whether a run was measured as the first was. */
static int check_run(const struct gcal_record *all, const struct gcal_config *first,
                     const char *const *paths, size_t i, const struct gcal_record *record,
                     bool other_models, struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    const char *what = NULL;
    int rc = 0;

    if (strcmp(record->header->catalogue, all->header->catalogue) != 0)
        what = "catalogues of kernels";
    else if (!other_models && (rc = gcal_fit_read_config(record, &config, err)) == 0 &&
             strcmp(config.fingerprint, first->fingerprint) != 0)
        what = "configurations";
    gcal_config_clear(&config);
    return what ? gcal_error_set(err, GCAL_EINPUT,
                                 "%s and %s were measured by different %s: their times "
                                 "are not those of one calibration",
                                 paths[0], paths[i], what)
                : rc;
}

struct gcal_record *gcal_fit_open_runs(const char *const *paths, size_t n,
                                       bool other_models, struct gcal_strings *said,
                                       struct gcal_error *err)
{
    struct gcal_config first = { 0 };
    struct gcal_record *all = NULL;
    int rc = 0;

    if (n > 1)
        all = gcal_record_collect();
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_record *record =
            gcal_record_try(paths[i], err) < 0 ? NULL : gcal_record_open(paths[i], err);

        if (n == 1)
            return record;
        rc = -1;
        if (record && (i ? check_run(all, &first, paths, i, record, other_models, err)
                         : gcal_fit_read_config(record, &first, err)) == 0)
            rc = gcal_results_collect(all, record, paths[i], &first, said, err);
        gcal_record_close(record);
    }
    gcal_config_clear(&first);
    if (rc == 0)
        return all;
    gcal_record_close(all);
    return NULL;
}

/* ---- models of another configuration ---- */

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

/* Gives the model the measurement kernels that its tags pick. */
static int find_kernels(const struct gcal_record *record,
                        const struct gcal_catalogue *catalogue,
                        struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];
        int picked = 0;

        if (!is_measurement_kernel(kernel))
            continue;
        for (size_t k = 0; k < m->n_tag_sets && picked == 0; k++)
            picked = gcal_select_picks(catalogue, &m->tag_sets[k], kernel->name, err);
        if (picked < 0)
            return -1;
        if (!picked)
            continue;
        m->recorded = gcal_arena_grow(m->arena, m->recorded, m->n_recorded,
                                      &m->recorded_capacity, sizeof(*m->recorded));
        m->recorded[m->n_recorded++] = gcal_arena_strdup(m->arena, kernel->id);
    }
    return 0;
}

int gcal_fit_find_recorded(const struct gcal_record *record,
                           const struct gcal_catalogue *catalogue,
                           struct gcal_config *config, struct gcal_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];
        bool recorded = is_recorded(record, m->name);

        if (!recorded && find_kernels(record, catalogue, m, err) < 0)
            return -1;
        m->unrecorded =
            !recorded && m->n_recorded < (m->model ? m->model->n_parameters : 1);
        n += m->unrecorded;
    }
    /* Models that the record says too little about are left out where there are others. */
    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];

        m->unrecorded = m->unrecorded && n < config->n_models;
        if (m->unrecorded)
            gcal_log(GCAL_LOG_WARN,
                     "model %s is left out: the record has %zu kernels of it, fewer than "
                     "its parameters",
                     m->name, m->n_recorded);
    }
    return 0;
}
