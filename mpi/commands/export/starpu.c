/* starpu.c - predicted times as performance models of StarPU 1.3, so that programs are
 * calibrated before they first run
 */
#include "mpi/commands/export/starpu.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/commands/export/export.h"
#include "store/files/store.h"
#include "store/predict/predictor.h"

/* Relative error of the power laws above which a warning is printed. */
#define WORST_LAW 0.1

/* ---- workers ---- */

static bool is_cpu(const struct gcal_params_device *d)
{
    return strcmp(d->info.device_type, "cpu") == 0;
}

/* StarPU's OpenCL workers are GPUs and accelerators, and CPUs on request.  So CPUs are
 * exported if --device matches them, or if a node has no other devices.
 */
static bool is_worker(const struct gcal_export *e, const struct gcal_params *params,
                      const struct gcal_params_device *d)
{
    if (!gcal_export_matches(e, d))
        return false;
    for (size_t i = 0; !e->device && i < params->n_devices; i++)
        if (is_cpu(d) && !is_cpu(&params->devices[i]))
            return false;
    return true;
}

static int predict(struct gcal_arena *arena, const struct gcal_export_kernel *k,
                   const struct gcal_predictor *predictor,
                   const struct gcal_params_device *d,
                   struct gcal_export_starpu_worker *w, struct gcal_error *err)
{
    const struct gcal_params_model *model =
        gcal_params_find_model(d, gcal_predictor_model(predictor));

    w->comment = gcal_arena_format(
        arena, "%s, %s, predicted by gpucal from run %s, model %s", d->info.name,
        d->info.uid, gcal_params_model_origin(d, model).run_id, model->name);
    w->time_us = gcal_arena_alloc(arena, k->n_sizes, sizeof(*w->time_us));
    w->error_us = gcal_arena_alloc(arena, k->n_sizes, sizeof(*w->error_us));
    for (size_t i = 0; i < k->n_sizes; i++) {
        const double *sizes = k->sizes + i * k->profile->n_parameters;
        struct gcal_prediction p;

        if (gcal_predictor_eval(predictor, sizes, &p, NULL, err) < 0)
            return -1;
        w->time_us[i] = 1e6 * p.time_s;
        w->error_us[i] = 1e6 * p.standard_error_s;
        if (p.extrapolates)
            gcal_log(
                GCAL_LOG_WARN,
                "%s: --at number %zu is outside the calibrated range: %s is %.3g times "
                "the %s calibrated value",
                d->info.name, i + 1, p.outside, p.outside_by,
                p.outside_by > 1 ? "largest" : "smallest");
        if (p.not_covered > GCAL_PREDICTOR_COVERED)
            gcal_log(
                GCAL_LOG_WARN,
                "%s: --at number %zu: the model has no cost for %.2g %% of the work (%s, "
                "..): the time lacks it",
                d->info.name, i + 1, 100 * p.not_covered, p.gap);
    }
    return 0;
}

static int make_worker(const struct gcal_export *e, const char *node,
                       struct gcal_params_device *d, struct gcal_export_starpu_worker *w,
                       struct gcal_error *err)
{
    const struct gcal_profile *profile = gcal_profile_set_find(
        &e->kernels[0].counted, (double)d->info.sub_group_size, err);
    struct gcal_predictor *predictor =
        profile && gcal_export_add_learned(e, node, profile, d, err) == 0
            ? gcal_predictor_create(d, e->model, profile, err)
            : NULL;
    int rc = predictor ? predict(e->arena, &e->kernels[0], predictor, d, w, err) : -1;

    gcal_predictor_destroy(predictor);
    return rc < 0 ? gcal_error_prefix(err, "%s", d->info.name) : 0;
}

/* ---- files ---- */

/* '*text' is NULL for a node without a matching device. */
static int make_text(const struct gcal_export *e,
                     const struct gcal_export_starpu_task *tasks, const char *node,
                     char **text, struct gcal_error *err)
{
    const struct gcal_export_kernel *k = &e->kernels[0];
    struct gcal_export_starpu_worker *workers;
    struct gcal_params params = { 0 };
    struct gcal_buf out = { 0 };
    size_t n_workers = 0;
    int rc = gcal_store_load(e->store, node, NULL, &params, err);

    *text = NULL;
    workers = gcal_arena_alloc(e->arena, params.n_devices, sizeof(*workers));
    for (size_t i = 0; i < params.n_devices && rc == 0; i++)
        if (is_worker(e, &params, &params.devices[i]) &&
            (rc = make_worker(e, node, &params.devices[i], &workers[n_workers++], err)) <
                0)
            gcal_error_prefix(err, "node %s", node);
    for (size_t i = 0; i < n_workers && rc == 0; i++) {
        struct gcal_export_starpu_laws laws;

        /* The laws are all that regression models of StarPU use. */
        gcal_export_starpu_laws(tasks, workers[i].time_us, k->n_sizes, &laws);
        if (laws.linear_error > WORST_LAW || laws.error > WORST_LAW)
            gcal_log(
                GCAL_LOG_WARN,
                "node %s, OpenCL worker %zu: times do not follow a power of the data's "
                "size: STARPU_REGRESSION_BASED would be off by up to %.0f %%, "
                "STARPU_NL_REGRESSION_BASED by %.0f %%; use STARPU_HISTORY_BASED",
                node, i, 100 * laws.linear_error, 100 * laws.error);
    }
    if (n_workers && rc == 0) {
        gcal_export_starpu_write(&out, tasks, k->n_sizes, workers, n_workers);
        *text = gcal_arena_take(e->arena, &out);
    }
    gcal_params_clear(&params);
    return rc;
}

static int export_starpu(const struct gcal_export *e, const void *target_options,
                         struct gcal_error *err)
{
    const struct gcal_export_starpu_options *options = target_options;
    struct gcal_export_starpu_task *tasks;
    size_t n_nodes = 0, n_files = 0;
    char **nodes, **texts, *path;
    const struct gcal_export_kernel *k;

    if (e->n_kernels != 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--to starpu requires the kernel of the codelet (one "
                              "--profile FILE), followed by an --at for each size of its "
                              "tasks");
    if (!options->symbol || !*options->symbol || strpbrk(options->symbol, "./"))
        return gcal_error_set(err, GCAL_EINPUT,
                              "--to starpu requires --symbol NAME, the symbol of the "
                              "codelet's performance model, without dots and slashes");
    if (!options->data.n == !options->size_base)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--to starpu requires either --data for each data handle "
                              "of the codelet, or --size-base if its performance model "
                              "has a size_base: StarPU finds times by them");
    tasks = gcal_arena_alloc(e->arena, e->kernels[0].n_sizes, sizeof(*tasks));
    k = &e->kernels[0];
    for (size_t i = 0; i < k->n_sizes; i++) {
        if (gcal_export_starpu_task(e, options, k->sizes + i * k->profile->n_parameters,
                                    &tasks[i], err) < 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if (tasks[j].footprint == tasks[i].footprint)
                return gcal_error_set(
                    err, GCAL_EINPUT,
                    "StarPU cannot distinguish --at number %zu from number %zu: both "
                    "have the footprint %08x",
                    j + 1, i + 1, (unsigned)tasks[i].footprint);
    }
    if (gcal_export_nodes(e, &nodes, &n_nodes, err) < 0)
        return -1;
    texts = gcal_arena_alloc(e->arena, n_nodes, sizeof(*texts));
    for (size_t i = 0; i < n_nodes; i++) {
        nodes[n_files] = nodes[i];
        if (make_text(e, tasks, nodes[i], &texts[n_files], err) < 0)
            return -1;
        n_files += texts[n_files] != NULL;
    }
    if (!n_files)
        return gcal_error_set(err, GCAL_EINPUT, "no node has a device that matches %s",
                              e->device ? e->device : "*");
    if (!e->output && n_files > 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--to starpu writes a file for each of %zu nodes: give "
                              "--output FOLDER, or select one by --node",
                              n_files);
    if (!e->output)
        return gcal_command_write(NULL, texts[0], err);
    for (size_t i = 0; i < n_files; i++) {
        path = gcal_arena_format(e->arena, "%s/codelets/%d/%s.%s", e->output,
                                 GCAL_EXPORT_STARPU_VERSION, options->symbol, nodes[i]);
        /* Makes the folders of 'path' that do not exist. */
        for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            if (mkdir(path, 0777) < 0 && errno != EEXIST)
                return gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
            *slash = '/';
        }
        if (gcal_command_write(path, texts[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the target ---- */

enum { DATA = 0x200, SIZE_BASE };

static const struct argp_option options[] = {
    { "starpu", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "A performance model of a codelet; --output is the folder that "
      "STARPU_PERF_MODEL_DIR will name",
      1 },
    { "symbol", 'y', "NAME", 0, "The symbol of the codelet's performance model", 2 },
    { "data", DATA, "BYTES[:NX,..]", 0,
      "A data handle of the codelet, as bytes per element and numbers of elements, "
      "expressions in the kernel's sizes; once for each handle, in order",
      0 },
    { "size-base", SIZE_BASE, "EXPR", 0,
      "The value that size_base of the performance model returns, if it has one", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_export_starpu_options *o = state->input;

    switch (key) {
    case 'y':
        o->symbol = arg;
        break;
    case DATA:
        gcal_option_list_add(&o->data, arg);
        break;
    case SIZE_BASE:
        o->size_base = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = { .options = options, .parser = parse };

const struct gcal_export_target gcal_export_starpu = {
    .name = "starpu",
    .argp = &argp,
    .options_size = sizeof(struct gcal_export_starpu_options),
    .run = export_starpu,
};
