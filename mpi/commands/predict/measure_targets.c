/* measure_targets.c - target kernels measured on a device of this machine */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/config/config.h"
#include "kernels/model/profile.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/run_header.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

/* The state of a run. */
struct run {
    const struct gcal_evaluation_targets *targets;
    struct gcal_catalogue *catalogue;
    struct gcal_config config;
    struct gcal_kernel_list list;
    struct gcal_measured_kernels *measured;
    char *node;
    struct gcal_record_header header;
    struct gcal_record_writer *writer; /* NULL: no record */
    struct gcal_run_sink to_measured, to_record;
    struct gcal_display *display;
};

/* ---- both sinks ---- */

static int take_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    struct run *r = context;

    if (r->writer && r->to_record.kernel(r->to_record.context, kernel, err) < 0)
        return -1;
    return r->to_measured.kernel(r->to_measured.context, kernel, err);
}

static int take_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct run *r = context;

    if (r->writer && r->to_record.measurement(r->to_record.context, m, err) < 0)
        return -1;
    return r->to_measured.measurement(r->to_measured.context, m, err);
}

static int take_device(struct run *r, const struct gcal_device_info *info, char *failure,
                       struct gcal_error *err)
{
    struct gcal_run_device device = { .node = r->node,
                                      .info = *info,
                                      .failure = failure };

    return r->writer ? r->to_record.device(r->to_record.context, &device, err) : 0;
}

static void show_progress(void *context, const struct gcal_plan_progress *progress)
{
    struct run *r = context;
    struct gcal_plan_progress shown = *progress;

    if (strcmp(progress->phase, "measuring") == 0)
        shown.left_s = INFINITY; /* unknown: kernels finish together, at the end */
    gcal_display_update(r->display, r->node, &shown);
}

/* ---- which kernels, on which device ---- */

static int pick_kernels(struct run *r, const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, struct gcal_error *err)
{
    const struct gcal_evaluation_targets *t = r->targets;
    struct gcal_kernel_limits limits = gcal_select_device_limits(info);

    limits.counting = gcal_evaluation_counting(t, t->model, info);
    limits.counting.at_sizes = true;
    if (!t->n_tags)
        return gcal_select_targets(&r->config, catalogue, info, t->model,
                                   &limits.counting, &r->list, err);
    if (gcal_catalogue_check(catalogue, t->n_tags, t->tags, GCAL_MATCH_SUPERSET, err) <
            0 ||
        gcal_catalogue_generate(catalogue, t->n_tags, t->tags, GCAL_MATCH_SUPERSET,
                                &limits, &r->list, err) < 0)
        return -1;
    /* Kernels that tags pick are predicted by the model that is named, or chosen for each. */
    for (size_t i = 0; i < r->list.n_kernels; i++) {
        const struct gcal_profile *profile = r->list.kernels[i]->profile;
        const struct gcal_params_model *model =
            gcal_predict_device_add_learned(t->options, t->opened, profile, err) < 0
                ? NULL
                : gcal_predictor_choose(t->published, t->model, 1, &profile, err);

        if (!model || gcal_kernel_uses_add(&r->list.kernels[i]->uses, model->name,
                                           GCAL_KERNEL_TARGET, err) < 0)
            return -1;
    }
    return 0;
}

/* Models of the configuration count only without tags. */
static int choose_kernels(struct run *r, const struct gcal_device_info *info,
                          struct gcal_error *err)
{
    const struct gcal_evaluation_targets *t = r->targets;
    const struct gcal_command_catalogue_sources from = { .folders = t->catalogue,
                                                         .config = &r->config };
    int n_left_out;

    if ((t->n_tags ? gcal_config_read_settings(t->config, &r->config, err)
                   : gcal_config_read(t->config, &r->config, err)) < 0 ||
        !(r->catalogue = gcal_command_catalogue_open(&from, err)) ||
        (!t->n_tags && gcal_select_resolve(&r->config, r->catalogue, err) < 0) ||
        pick_kernels(r, r->catalogue, info, err) < 0 ||
        (n_left_out = gcal_command_catalogue_report(&r->list, err)) < 0)
        return -1;
    r->measured->n_left_out = (size_t)n_left_out;
    if (r->list.n_kernels)
        return 0;
    if (t->n_tags)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the tags select no kernel that %s can run", info->name);
    return gcal_error_set(err, GCAL_EINPUT,
                          "the configuration's model%s%s predict%s no kernel that %s can "
                          "run; give tags, or a configuration with 'predicts'",
                          t->model ? " " : "s", t->model ? t->model : "",
                          t->model ? "s" : "", info->name);
}

/* ---- measuring ---- */

/* If the device is given up, its measurements are kept, and the record says so. */
static int measure_on(struct run *r, struct gcal_worker_spawner *spawner,
                      const struct gcal_device_info *info, struct gcal_error *err)
{
    struct gcal_config_measure_options options = r->config.measure;
    struct gcal_plan_hooks hooks = {
        .sink = { .context = r, .kernel = take_kernel, .measurement = take_measurement },
        .progress = show_progress,
        .progress_context = r,
    };
    struct gcal_error why = { 0 };

    options.budget_s = INFINITY;
    options.enough_s = 0.2;
    options.min_samples = 6;
    options.max_samples = 20;
    if (take_device(r, info, NULL, err) < 0)
        return -1;
    r->display = gcal_display_create(false);
    if (gcal_plan_measure_alone(spawner, r->node, info, &r->list, &options, &hooks,
                                &why) == 0)
        return 0;
    if (why.code != GCAL_EDEVICE || !r->measured->n) {
        *err = why;
        return -1;
    }
    gcal_log(GCAL_LOG_ERROR, "%s", why.text);
    return take_device(r, info, why.text, err);
}

static int open_record(struct run *r, const char *path, struct gcal_error *err)
{
    if (!path)
        return 0;
    if (!(r->writer = gcal_record_create(path, err)))
        return -1;
    r->to_record = gcal_record_sink(r->writer);
    gcal_run_header_start(&r->header, &r->config, r->catalogue, strdup("none"), 1);
    return 0;
}

static int close_record(struct run *r, struct gcal_error *err)
{
    struct gcal_record_writer *writer = r->writer;

    if (!writer)
        return 0;
    gcal_run_header_end(&r->header);
    r->writer = NULL;
    return gcal_record_finish(writer, &r->header, err);
}

int gcal_evaluation_measure_targets(const struct gcal_evaluation_targets *targets,
                                    const char *record,
                                    struct gcal_measured_kernels *measured,
                                    struct gcal_error *err)
{
    struct run r = { .targets = targets, .measured = measured };
    struct gcal_local_devices devices = { 0 };
    const struct gcal_device_info *info = NULL;
    int rc = -1;

    r.node = gcal_node_name(targets->arena);
    if (gcal_local_devices_open(&devices, err) == 0)
        info = gcal_local_device_find(&devices, &r.targets->published->info, err);
    if (info) {
        r.measured->uid = info->uid;
        r.measured->node = r.node;
        r.to_measured = gcal_measured_kernels_sink(r.measured);
        if (choose_kernels(&r, info, err) == 0 && open_record(&r, record, err) == 0 &&
            measure_on(&r, devices.spawner, info, err) == 0)
            rc = close_record(&r, err);
    }
    r.measured->uid = r.measured->node = NULL; /* freed below */
    gcal_local_devices_close(&devices);

    if (r.writer)
        gcal_record_abandon(r.writer);
    gcal_display_destroy(r.display);
    gcal_record_header_clear(&r.header);
    gcal_kernel_list_clear(&r.list);
    gcal_config_clear(&r.config);
    gcal_catalogue_close(r.catalogue);
    return rc;
}
