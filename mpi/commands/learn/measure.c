/* measure.c - measuring a learned kernel with its components, into a record */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/config/config.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/cli/run_header.h"
#include "mpi/commands/learn/private.h"

/* Median times need no more launches than fit in this. */
#define ENOUGH_S 0.2

/* Context of the plan's hooks. */
struct run {
    const struct gcal_learn_run *r;
    char *node;
    struct gcal_record_header header;
    struct gcal_record_writer *writer;
    struct gcal_run_sink sink;
    struct gcal_display *display;
    const struct gcal_kernel_list *list;
    char *failed; /* how the kernel itself failed, or NULL */
};

/* The first device of a kind (NULL: any) that matches, or NULL. */
static const struct gcal_device_info *
find_device(const struct gcal_local_devices *devices, const char *pattern,
            const char *kind)
{
    for (size_t i = 0; i < devices->count; i++) {
        const struct gcal_device_info *info = &devices->info[i];

        if ((!kind || strcmp(info->device_type, kind) == 0) &&
            gcal_local_device_matches(info, pattern ? 1 : 0, &pattern))
            return info;
    }
    return NULL;
}

const struct gcal_device_info *gcal_learn_device(const struct gcal_local_devices *devices,
                                                 const char *pattern,
                                                 struct gcal_error *err)
{
    static const char *const kinds[] = { "gpu", "accelerator", NULL };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const struct gcal_device_info *info = find_device(devices, pattern, kinds[i]);

        if (info)
            return info;
    }
    gcal_error_set(
        err, GCAL_EDEVICE,
        "no OpenCL device of this machine matches '%s'; 'gpucal devices' lists "
        "them",
        pattern ? pattern : "*");
    return NULL;
}

/* ---- the sink ---- */

static int take_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    struct run *run = context;

    return run->sink.kernel(run->sink.context, kernel, err);
}

/* Whether it is the kernel itself, not a component or another kernel. */
static bool is_target(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->list->n_kernels; i++)
        if (strcmp(run->list->kernels[i]->id, id) == 0)
            return strcmp(run->list->kernels[i]->generator, run->r->own->name) == 0;
    return false;
}

static const char *name_of(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->list->n_kernels; i++)
        if (strcmp(run->list->kernels[i]->id, id) == 0)
            return run->list->kernels[i]->name;
    return "";
}

static int take_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct run *run = context;

    if (m->status != GCAL_MEASUREMENT_GOOD && !run->failed &&
        is_target(run, m->kernel_id)) {
        run->failed = gcal_buf_format(
            "%s: %s", name_of(run, m->kernel_id),
            m->detail ? m->detail : gcal_measurement_status_name(m->status));
        if (!run->failed)
            return gcal_error_memory(err);
    }
    return run->sink.measurement(run->sink.context, m, err);
}

static void show_progress(void *context, const struct gcal_plan_progress *progress)
{
    struct run *run = context;

    gcal_display_update(run->display, run->node, progress);
}

/* ---- one device ---- */

static int measure_list(struct run *run, const struct gcal_device_info *info,
                        struct gcal_error *err)
{
    const struct gcal_learn_run *r = run->r;
    struct gcal_config_measure_options options = r->config->measure;
    struct gcal_plan_hooks hooks = {
        .sink = { .context = run,
                  .kernel = take_kernel,
                  .measurement = take_measurement },
        .progress = show_progress,
        .progress_context = run,
    };

    options.enough_s = ENOUGH_S;
    return gcal_plan_measure_alone(r->devices->spawner, run->node, info, run->list,
                                   &options, &hooks, err);
}

static int measure_device(struct run *run, const struct gcal_device_info *info,
                          struct gcal_error *err)
{
    const struct gcal_learn_run *r = run->r;
    struct gcal_run_device device = { .node = run->node, .info = *info };
    struct gcal_kernel_list list = { 0 };
    int rc = -1;

    run->list = &list;
    if (gcal_select_kernels(r->config, r->catalogue, info, &list, err) == 0 &&
        gcal_kernel_list_check(&list, err) == 0 &&
        run->sink.device(run->sink.context, &device, err) == 0)
        rc = measure_list(run, info, err);
    gcal_kernel_list_clear(&list);
    run->list = NULL;
    if (rc == 0 && run->failed)
        rc = gcal_error_set(err, GCAL_EDEVICE, "%s", run->failed);
    return rc;
}

/* ---- all devices of the type ---- */

static int measure_all(struct run *run, const struct gcal_device_info *first,
                       struct gcal_error *err)
{
    const struct gcal_learn_run *r = run->r;

    for (size_t i = 0; i < r->devices->count; i++) {
        const struct gcal_device_info *info = &r->devices->info[i];

        if (strcmp(info->type, first->type) == 0 &&
            gcal_local_device_matches(info, r->device ? 1 : 0, &r->device) &&
            measure_device(run, info, err) < 0)
            return -1;
    }
    return 0;
}

static int write_record(struct run *run, const struct gcal_device_info *info,
                        struct gcal_error *err)
{
    struct gcal_record_writer *writer;

    if (!(run->node = gcal_node_name(err)) ||
        !(run->writer = gcal_record_create(run->r->record, err)))
        return -1;
    run->sink = gcal_record_sink(run->writer);
    if (gcal_run_header_start(&run->header, run->r->config, run->r->catalogue,
                              strdup("none"), 1, err) < 0 ||
        measure_all(run, info, err) < 0 || gcal_run_header_end(&run->header, err) < 0)
        return -1;
    writer = run->writer;
    run->writer = NULL;
    return gcal_record_finish(writer, &run->header, err);
}

int gcal_learn_measure(const struct gcal_learn_run *r,
                       const struct gcal_device_info *info, struct gcal_error *err)
{
    struct run run = { .r = r, .display = gcal_display_create(r->quiet) };
    int rc = write_record(&run, info, err);

    if (run.writer)
        gcal_record_abandon(run.writer);
    gcal_display_clear(run.display);
    gcal_display_destroy(run.display);
    gcal_record_header_clear(&run.header);
    free(run.failed);
    free(run.node);
    return rc;
}
