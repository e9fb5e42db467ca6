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

/* Whether the cost is known nearly as well as the best known one, whose relative error is 'best': what
 * another one differs by is mostly what it is not known by.
 */
#define NEARLY 2

static double relative_error(const struct gcal_model *model, const struct costs *c,
                             size_t j)
{
    bool is_cost = strcmp(model->parameters[j].unit, "s") == 0 && c->value[j] > 0;

    return is_cost && c->error[j] >= 0 ? c->error[j] / c->value[j] : INFINITY;
}

/* The standard deviation of those of n numbers that are known, as if PRIOR_RUNS more were their mean; as
 * that of which a normal 90 % interval is that of Student's t.
 */
static double deviation_of(const double *x, size_t n)
{
    double mean = 0, squares = 0;
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            mean += (x[i] - mean) / (double)++known;
    if (known < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        squares += isfinite(x[i]) ? pow(x[i] - mean, 2) : 0;
    known += PRIOR_RUNS - 1;
    return sqrt(squares / (double)known) * gcal_fit_interval_factor(0.9, known) /
           GCAL_PARAMS_NORMAL_90;
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
    double *off = /* by cost, logarithms: of this calibration 0 */
        gcal_arena_alloc(scratch, n_parameters * (MOST_RUNS + 1), sizeof(*off));
    double best = INFINITY, error = 0;
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
        bool any = false;

        for (size_t j = 0; j < n_parameters; j++) {
            double found = log(then.value[j] / now.value[j]);

            off[j * (MOST_RUNS + 1) + n + 1] = found;
            any = any || isfinite(found);
        }
        n += any;
    }
    for (size_t j = 0; j < n_parameters; j++)
        best = fmin(best, relative_error(form->model, &now, j));
    for (size_t j = 0; j < n_parameters; j++)
        if (isfinite(best) && relative_error(form->model, &now, j) <= NEARLY * best)
            error = fmax(error, deviation_of(&off[j * (MOST_RUNS + 1)], n + 1));
    return error >= LEAST ? error : 0;
}
