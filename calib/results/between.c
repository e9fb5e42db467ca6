/* between.c - how much a device's costs differ from one calibration to the next
 *
 * What lasts longer than a calibration, such as another program, heat, or the clock that a device
 * got this time, is in none of its samples: they agree with each other and are off together.
 * The track of the device's node has what earlier calibrations found, and they differ by it.
 */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"
#include "store/ledger/track.h"

/* Older calibrations say less of what the device does today. */
enum { MOST_RUNS = 10 };

/* What is less is far below what models err by. */
#define LEAST 0.005

/* So many more calibrations are thought of, which do not differ: what two differ by is much or little
 * by chance.  With a normal scatter, 90 % intervals have the mean of all calibrations in 77 % of
 * all cases then after one earlier calibration, in 87 % after two, and in 91 % from three on.
 */
enum { PRIOR_RUNS = 1 };

GCAL_ARENA_DESTROYER(clear_track, gcal_track_clear)

int gcal_results_read_tracks(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_store *store,
                             struct gcal_result_speeds *speeds,
                             struct gcal_strings *warnings, struct gcal_error *err)
{
    speeds->n_tracks = record->n_devices;
    speeds->track = gcal_arena_alloc(arena, record->n_devices, sizeof(*speeds->track));
    for (size_t i = 0; i < record->n_devices; i++) {
        const char *node = record->devices[i].node;
        struct gcal_error why = { 0 };

        if (record->device_run[i]->in_store) /* it is not published again */
            continue;
        for (size_t k = 0; k < i && !speeds->track[i]; k++)
            if (strcmp(record->devices[k].node, node) == 0)
                speeds->track[i] = speeds->track[k];
        if (speeds->track[i])
            continue;
        speeds->track[i] = gcal_arena_alloc(arena, 1, sizeof(struct gcal_track));
        gcal_arena_own(arena, speeds->track[i], clear_track);
        if (gcal_track_load(store, node, speeds->track[i], &why) < 0 &&
            gcal_strings_take(
                warnings,
                gcal_buf_format("the errors of node %s lack what differs between its "
                                "calibrations: %s",
                                node, why.text),
                err) < 0)
            return -1;
    }
    return 0;
}

/* Costs of a device by one calibration: NaN where it did not find them. */
struct costs {
    double *value, *error;
};

/* The costs of 'run' by the parameters of 'form'. */
static void take_costs(const struct gcal_track_run *run,
                       const struct gcal_config_model *config,
                       const struct gcal_config_form *form, struct costs *costs)
{
    const struct gcal_model *model = form->model;

    for (size_t j = 0; j < model->n_parameters; j++)
        costs->value[j] = costs->error[j] = NAN;
    for (size_t i = 0; i < run->columns->n; i++) {
        const struct gcal_track_column *c = &run->columns->column[i];

        if (strcmp(c->model, model->name) != 0 ||
            strcmp(c->form, form->name ? form->name : "") != 0 ||
            strcmp(c->configuration, config->fingerprint) != 0)
            continue;
        for (size_t j = 0; j < model->n_parameters; j++)
            if (strcmp(c->parameter, model->parameters[j].name) == 0) {
                costs->value[j] = run->value[i];
                costs->error[j] = run->error[i];
            }
    }
}

/* By how much all costs of 'then' differ from those of 'now', as a logarithm; NaN if they have no cost in
 * common.  Those that are known well count most.
 */
static double compare_costs(const struct gcal_model *model, const struct costs *now,
                            const struct costs *then)
{
    double weights = 0, sum = 0;

    for (size_t j = 0; j < model->n_parameters; j++) {
        double weight = 1 / (pow(then->error[j] / then->value[j], 2) +
                             pow(now->error[j] / now->value[j], 2));

        if (strcmp(model->parameters[j].unit, "s") != 0 || !(then->value[j] > 0) ||
            !(now->value[j] > 0) || !(weight > 0 && isfinite(weight)))
            continue;
        weights += weight;
        sum += weight * log(then->value[j] / now->value[j]);
    }
    return sum / weights;
}

double gcal_result_between_runs(struct gcal_arena *scratch,
                                const struct gcal_record *record,
                                const struct gcal_result_type_fit *t,
                                const struct gcal_config_model *config,
                                const struct gcal_result_speeds *speeds, size_t k)
{
    const struct gcal_run_device *device = &record->devices[t->device[k]];
    const struct gcal_config_form *form = &config->forms[t->best];
    size_t n_parameters = form->model->n_parameters, n = 0;
    struct costs now = { &t->estimate[k * n_parameters],
                         &t->estimate_error[k * n_parameters] };
    struct costs then = {
        gcal_arena_alloc(scratch, n_parameters, sizeof(double)),
        gcal_arena_alloc(scratch, n_parameters, sizeof(double)),
    };
    double off[MOST_RUNS + 1] = { 0 }; /* the first is this one */
    double mean = 0, squares = 0, error;
    const struct gcal_track *track =
        t->device[k] < speeds->n_tracks ? speeds->track[t->device[k]] : NULL;

    /* The newest are last. */
    for (size_t i = track ? track->n_runs : 0; i-- > 0 && n < MOST_RUNS;) {
        const struct gcal_track_run *run = &track->runs[i];

        if (strcmp(run->uid, device->info.uid) != 0 ||
            strcmp(run->type, device->info.type) != 0 ||
            strcmp(run->driver, device->info.driver) != 0 ||
            strcmp(run->run_id, record->device_run[t->device[k]]->run_id) == 0)
            continue;
        take_costs(run, config, form, &then);
        off[n + 1] = compare_costs(form->model, &now, &then);
        n += isfinite(off[n + 1]);
    }
    for (size_t i = 0; i <= n; i++)
        mean += off[i] / (double)(n + 1);
    for (size_t i = 0; i <= n; i++)
        squares += pow(off[i] - mean, 2);
    /* What chance adds to it is much less: the errors of costs are mostly the model's, the same each time. */
    error = sqrt(squares / (double)(n + PRIOR_RUNS)) *
            gcal_fit_interval_factor(0.9, n + PRIOR_RUNS) / GCAL_PARAMS_NORMAL_90;
    return error >= LEAST ? error : 0;
}
