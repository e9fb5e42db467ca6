/* collect.c - the records of several runs as one
 *
 * What one run with all devices would have recorded: the devices of all runs, each once.  A
 * run that keeps published models of a device (--if-changed) does not measure them, so a
 * device can be there with several runs, each for the models that it measured.
 */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

/* ---- which run counts ---- */

/* Returns whether run 'a' is newer than 'b'; the run that is added later, of equal ones. */
static bool is_newer(const struct gcal_record_header *a,
                     const struct gcal_record_header *b)
{
    int order = strcmp(gcal_result_run_time(a), gcal_result_run_time(b));

    return order ? order > 0 : strcmp(a->run_id, b->run_id) >= 0;
}

/* Settles between device 'last', just added, and device 'i' of an earlier run. */
static int settle(struct gcal_record *all, size_t i, size_t last,
                  const struct gcal_config *config, struct gcal_strings *said,
                  struct gcal_error *err)
{
    bool newer = is_newer(all->device_run[last], all->device_run[i]), any = false;
    size_t new = newer ? last : i, old = newer ? i : last;
    const struct gcal_run_device *device = &all->devices[old];
    struct gcal_buf kept = { 0 };
    char *text;

    /* The models that the older run does not count for: those that it kept, and those that the
     * newer one has measured.
     */
    for (size_t k = 0; k < config->n_models; k++) {
        const char *name = config->models[k].name;
        bool taken = !gcal_run_device_keeps(&all->devices[new], name);
        bool kept_itself = gcal_run_device_keeps(device, name);

        any = any || (taken && !kept_itself);
        if (taken || kept_itself)
            gcal_buf_printf(&kept, "%s%s", kept.size ? "\n" : "", name);
    }
    if (!(text = gcal_buf_take(&kept, err)))
        return -1;
    gcal_record_set_kept(all, old, text);
    if (!any)
        return 0;
    text = gcal_buf_format("%s %s: run %s counts, the older run %s does not",
                           device->node, device->info.uid, all->device_run[new]->run_id,
                           all->device_run[old]->run_id);
    return gcal_strings_take(said, text, err);
}

/* A device that was given up has no rows, and takes none away. */
static int add_device(struct gcal_record *all, const struct gcal_run_device *device,
                      const struct gcal_config *config, struct gcal_strings *said,
                      struct gcal_error *err)
{
    size_t last = all->n_devices;

    gcal_record_add_device(all, device);
    for (size_t i = 0; i < last && !device->failure; i++) {
        const struct gcal_run_device *other = &all->devices[i];

        if (!other->failure && strcmp(other->node, device->node) == 0 &&
            strcmp(other->info.uid, device->info.uid) == 0 &&
            settle(all, i, last, config, said, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- all of a record ---- */

/* Of a device whose speed changed, what was measured before does not count. */
static int add_measurements(struct gcal_record *all, const struct gcal_record *run,
                            const struct gcal_result_speeds *speeds, size_t first_device,
                            const size_t *kernel_of, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < run->n_measurements && rc == 0; i++) {
        struct gcal_measurement m;
        size_t device, kernel;
        const struct gcal_result_speed *speed;

        rc = gcal_record_measurement(run, i, &m, &device, &kernel, err);
        if (rc == 0 && (speed = gcal_result_speed_of(speeds, device)))
            gcal_result_drop_early(&m, speed->since);
        if (rc == 0 && m.n_samples)
            rc = gcal_result_median_time(&m, &m.median_s, &m.spread, err);
        if (rc == 0)
            gcal_record_add_measurement(all, first_device + device, kernel_of[kernel],
                                        &m);
        gcal_measurement_clear(&m);
    }
    return rc;
}

static int collect(struct gcal_arena *scratch, struct gcal_record *all,
                   const struct gcal_record *run, const struct gcal_config *config,
                   struct gcal_strings *said, struct gcal_error *err)
{
    struct gcal_result_speeds speeds;
    struct gcal_result_rows rows;
    size_t first_device = all->n_devices;
    size_t *kernel_of = gcal_arena_alloc(scratch, run->n_kernels, sizeof(*kernel_of));

    /* Each with the run that it is of: 'run' may be a record of several. */
    const struct gcal_record_header *last = NULL;

    for (size_t i = 0; i < run->n_devices; i++) {
        const struct gcal_record_header *header = run->device_run[i];

        if (header != last)
            gcal_record_add_run(all, header);
        last = header;
        if (add_device(all, &run->devices[i], config, said, err) < 0)
            return -1;
    }
    if (!last)
        gcal_record_add_run(all, run->header);
    for (size_t i = 0; i < run->n_kernels; i++)
        kernel_of[i] = gcal_record_add_kernel(all, &run->kernels[i]);
    for (size_t i = 0; i < run->n_lost; i++)
        gcal_record_add_lost(all, run->lost[i]);
    if (gcal_result_rows_read(scratch, run, &rows, &speeds, err) < 0)
        return -1;
    for (size_t i = 0; i < speeds.n; i++)
        if (gcal_strings_add(said, speeds.items[i].text, err) < 0)
            return -1;
    for (size_t i = 0; i < speeds.n_devices; i++)
        all->devices[first_device + i].shared_error = speeds.error[i];
    return add_measurements(all, run, &speeds, first_device, kernel_of, err);
}

int gcal_results_collect(struct gcal_record *all, const struct gcal_record *run,
                         const char *name, const struct gcal_config *config,
                         struct gcal_strings *said, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    int rc = collect(scratch, all, run, config, said, err);

    gcal_arena_destroy(scratch);
    return rc < 0 ? gcal_error_prefix(err, "%s", name) : 0;
}
