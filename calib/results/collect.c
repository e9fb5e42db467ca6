/* collect.c - the records of several runs as one
 *
 * What one run with all devices would have recorded: the devices of all runs, each once.  A
 * run that keeps published models of a device (--if-changed) does not measure them, so a
 * device can be there with several runs, each for the models that it measured.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

/* ---- which run counts ---- */

static bool is_same_device(const struct gcal_run_device *a,
                           const struct gcal_run_device *b)
{
    return strcmp(a->node, b->node) == 0 && strcmp(a->info.uid, b->info.uid) == 0;
}

static const char *time_of(const struct gcal_record_header *header)
{
    return header->finished_utc ? header->finished_utc : header->started_utc;
}

/* Whether run 'a' is newer than 'b'; the run that is added later, of equal ones. */
static bool is_newer(const struct gcal_record_header *a,
                     const struct gcal_record_header *b)
{
    int order = strcmp(time_of(a), time_of(b));

    return order ? order > 0 : strcmp(a->run_id, b->run_id) >= 0;
}

/* The models that 'older' does not count for: those that it kept, and those that the newer
 * one has measured.  "": it counts for none of these.  '*any': whether the newer one took
 * one away.
 */
static char *kept_beside(const struct gcal_run_device *older,
                         const struct gcal_run_device *newer,
                         const struct gcal_config *config, bool *any,
                         struct gcal_error *err)
{
    struct gcal_buf kept = { 0 };

    for (size_t i = 0; i < config->n_models; i++) {
        const char *name = config->models[i].name;
        bool taken = !gcal_run_device_keeps(newer, name);
        bool kept_itself = gcal_run_device_keeps(older, name);

        *any = *any || (taken && !kept_itself);
        if (taken || kept_itself)
            gcal_buf_printf(&kept, "%s%s", kept.size ? "\n" : "", name);
    }
    return gcal_buf_take(&kept, err);
}

static int say(const struct gcal_run_device *device,
               const struct gcal_record_header *newer,
               const struct gcal_record_header *older, struct gcal_strings *said,
               struct gcal_error *err)
{
    return gcal_strings_take(said,
                             gcal_buf_format("%s %s: run %s counts, the older run %s "
                                             "does not",
                                             device->node, device->info.uid,
                                             newer->run_id, older->run_id),
                             err);
}

/* Settles between device 'last', just added, and device 'i' of an earlier run. */
static int settle(struct gcal_record *all, size_t i, size_t last,
                  const struct gcal_config *config, struct gcal_strings *said,
                  struct gcal_error *err)
{
    bool newer = is_newer(all->device_run[last], all->device_run[i]);
    size_t new = newer ? last : i, old = newer ? i : last;
    bool any = false;
    char *kept = kept_beside(&all->devices[old], &all->devices[new], config, &any, err);

    if (!kept)
        return -1;
    gcal_record_set_kept(all, old, kept);
    return any ? say(&all->devices[old], all->device_run[new], all->device_run[old], said,
                     err)
               : 0;
}

/* A device that was given up has no rows, and takes none away. */
static int add_device(struct gcal_record *all, const struct gcal_run_device *device,
                      const struct gcal_config *config, struct gcal_strings *said,
                      struct gcal_error *err)
{
    size_t last = all->n_devices;

    if (gcal_record_add_device(all, device, err) < 0)
        return -1;
    for (size_t i = 0; i < last && !device->failure; i++) {
        const struct gcal_run_device *other = &all->devices[i];

        if (!other->failure && is_same_device(other, device) &&
            settle(all, i, last, config, said, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- all of a record ---- */

static int find_speeds(const struct gcal_record *run, struct gcal_result_speeds *speeds,
                       struct gcal_strings *said, struct gcal_error *err)
{
    struct gcal_result_rows rows = { 0 };
    int rc = gcal_result_rows_read(run, &rows, speeds, err);

    free(rows.rows);
    for (size_t i = 0; i < speeds->n && rc == 0; i++)
        rc = gcal_strings_add(said, speeds->items[i].text, err);
    return rc;
}

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
            rc = gcal_record_add_measurement(all, first_device + device,
                                             kernel_of[kernel], &m, err);
        gcal_measurement_clear(&m);
    }
    return rc;
}

/* Each with the run that it is of: 'run' may be a record of several. */
static int add_devices(struct gcal_record *all, const struct gcal_record *run,
                       const struct gcal_config *config, struct gcal_strings *said,
                       struct gcal_error *err)
{
    const struct gcal_record_header *last = NULL;

    for (size_t i = 0; i < run->n_devices; i++) {
        const struct gcal_record_header *header = run->device_run[i];

        if (header != last && gcal_record_add_run(all, header, err) < 0)
            return -1;
        last = header;
        if (add_device(all, &run->devices[i], config, said, err) < 0)
            return -1;
    }
    return last ? 0 : gcal_record_add_run(all, run->header, err);
}

int gcal_results_collect(struct gcal_record *all, const struct gcal_record *run,
                         const char *name, const struct gcal_config *config,
                         struct gcal_strings *said, struct gcal_error *err)
{
    struct gcal_result_speeds speeds = { 0 };
    size_t first_device = all->n_devices;
    size_t *kernel_of = calloc(run->n_kernels + 1, sizeof(*kernel_of));
    int rc =
        kernel_of ? add_devices(all, run, config, said, err) : gcal_error_memory(err);

    for (size_t i = 0; i < run->n_kernels && rc == 0; i++)
        rc = gcal_record_add_kernel(all, &run->kernels[i], &kernel_of[i], err);
    for (size_t i = 0; i < run->n_lost && rc == 0; i++)
        rc = gcal_record_add_lost(all, run->lost[i], err);
    if (rc == 0)
        rc = find_speeds(run, &speeds, said, err);
    for (size_t i = 0; i < speeds.n_devices && rc == 0; i++)
        all->devices[first_device + i].shared_error = speeds.error[i];
    if (rc == 0)
        rc = add_measurements(all, run, &speeds, first_device, kernel_of, err);
    gcal_result_speeds_clear(&speeds);
    if (rc < 0)
        gcal_error_prefix(err, "%s", name);
    free(kernel_of);
    return rc;
}
