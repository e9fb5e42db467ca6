/* measure.c - measuring a learned kernel, into a record */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/run/kernel_use.h"
#include "calib/config/config.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/cli/run_header.h"
#include "mpi/commands/learn/private.h"

/* Median times need no more launches than fit in this. */
#define ENOUGH_S 0.2

#define BUDGET_S 60

/* Context of the plan's hooks. */
struct run {
    struct gcal_learning *l;
    char *node;
    struct gcal_record_header header;
    struct gcal_record_writer *writer;
    struct gcal_run_sink sink;
    struct gcal_display *display;
    const struct gcal_kernel_list *list;
    const char *failed; /* how the kernel itself failed, or NULL */
};

const struct gcal_device_info *gcal_learn_device(const struct gcal_local_devices *devices,
                                                 const char *pattern,
                                                 struct gcal_error *err)
{
    static const char *const kinds[] = { "gpu", "accelerator", NULL }; /* NULL: any */

    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (size_t i = 0; i < devices->count; i++) {
            const struct gcal_device_info *info = &devices->info[i];

            if ((!kinds[k] || strcmp(info->device_type, kinds[k]) == 0) &&
                gcal_local_device_matches(info, pattern ? 1 : 0, &pattern))
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

/* Notes how the kernel fails. */
static int take_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct run *run = context;

    for (size_t i = 0; i < run->list->n_kernels && !run->failed; i++)
        if (m->status != GCAL_MEASUREMENT_GOOD &&
            strcmp(run->list->kernels[i]->id, m->kernel_id) == 0)
            run->failed = gcal_arena_format(
                run->l->arena, "%s: %s", run->list->kernels[i]->name,
                m->detail ? m->detail : gcal_measurement_status_name(m->status));
    return run->sink.measurement(run->sink.context, m, err);
}

static void show_progress(void *context, const struct gcal_plan_progress *progress)
{
    struct run *run = context;

    gcal_display_update(run->display, run->node, progress);
}

/* ---- one device ---- */

/* The kernel at all points. */
static int list_kernels(const struct gcal_learning *l,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_device_limits(info);

    for (size_t i = 0; i < l->points.n; i++)
        if (gcal_own_kernel_generate(&l->own, l->catalogue, GCAL_KERNEL_COMPLETE,
                                     l->points.values + i * l->points.n_sizes, &limits,
                                     list, err) < 0)
            return -1;
    for (size_t i = 0; i < list->n_kernels; i++)
        if (gcal_kernel_uses_add(&list->kernels[i]->uses, l->own.model,
                                 GCAL_KERNEL_TARGET, err) < 0)
            return -1;
    return gcal_kernel_list_check(list, err);
}

static int measure_device(struct run *run, const struct gcal_device_info *info,
                          struct gcal_error *err)
{
    const struct gcal_learning *l = run->l;
    struct gcal_config_measure_options options = l->config.measure;
    const struct gcal_plan_hooks hooks = {
        .sink = { .context = run,
                  .kernel = take_kernel,
                  .measurement = take_measurement },
        .progress = show_progress,
        .progress_context = run,
    };
    struct gcal_run_device device = { .node = run->node, .info = *info };
    struct gcal_kernel_list list = { 0 };
    int rc = -1;

    options.enough_s = ENOUGH_S;
    run->list = &list;
    if (list_kernels(l, info, &list, err) == 0 &&
        run->sink.device(run->sink.context, &device, err) == 0)
        rc = gcal_plan_measure_alone(l->devices.spawner, run->node, info, &list, &options,
                                     &hooks, err);
    gcal_kernel_list_clear(&list);
    run->list = NULL;
    if (rc == 0 && run->failed)
        rc = gcal_error_set(err, GCAL_EDEVICE, "%s", run->failed);
    return rc;
}

/* All devices of the type. */
static int write_record(struct run *run, struct gcal_error *err)
{
    struct gcal_learning *l = run->l;
    struct gcal_record_writer *writer;

    run->node = gcal_node_name(l->arena);
    if (gcal_select_read(NULL, l->catalogue, &l->config, err) < 0)
        return -1;
    l->config.measure.budget_s = l->c->budget_s > 0 ? l->c->budget_s : BUDGET_S;
    if (!(run->writer = gcal_record_create(l->record, err)))
        return -1;
    run->sink = gcal_record_sink(run->writer);
    gcal_run_header_start(&run->header, &l->config, l->catalogue, strdup("none"), 1);
    for (size_t i = 0; i < l->devices.count; i++) {
        const struct gcal_device_info *info = &l->devices.info[i];

        if (strcmp(info->type, l->info->type) == 0 &&
            gcal_local_device_matches(info, l->c->device ? 1 : 0, &l->c->device) &&
            measure_device(run, info, err) < 0)
            return -1;
    }
    gcal_run_header_end(&run->header);
    writer = run->writer;
    run->writer = NULL;
    return gcal_record_finish(writer, &run->header, err);
}

int gcal_learn_measure(struct gcal_learning *l, struct gcal_error *err)
{
    struct run run = { .l = l, .display = gcal_display_create(l->c->quiet) };
    int rc = write_record(&run, err);

    if (run.writer)
        gcal_record_abandon(run.writer);
    gcal_display_clear(run.display);
    gcal_display_destroy(run.display);
    gcal_record_header_clear(&run.header);
    return rc;
}
