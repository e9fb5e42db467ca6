/* bench_device.c - how fast configurations are timed on a device
 *
 *   bench_device DEVICE TAG... > times.csv
 *
 * DEVICE: a pattern of its name, or gpu or cpu.  Times every kernel that the tags pick, and
 * prints how long that took on standard error.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/model/run/device_match.h"
#include "calib/worker/worker.h"
#include "mpi/cli/local_device.h"
#include "mpi/commands/tune/device.h"
#include "mpi/commands/tune/times.h"
#include "tests/mpi/tune/catalogue_space.h"

static void fail(const struct gcal_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct gcal_kernel_limits limits_of(const struct gcal_device_info *info)
{
    return (struct gcal_kernel_limits){ .max_work_group_size = info->max_work_group_size,
                                        .local_memory_bytes = info->local_memory_bytes,
                                        .memory_bytes = info->global_memory_bytes,
                                        .max_alloc_bytes = info->max_alloc_bytes,
                                        .fp64 = true,
                                        .fp16 = true,
                                        .counting.sub_group_size = info->sub_group_size };
}

static void time_all(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source)
{
    size_t *all = calloc(space->n_configs + 1, sizeof(*all)), outcomes[4] = { 0 };
    double began_s = gcal_clock_now_s();
    struct gcal_error err = { 0 };

    for (size_t i = 0; i < space->n_configs; i++)
        all[i] = i;
    source->announce(source->context, all, space->n_configs);
    puts("configuration,outcome,seconds");
    for (size_t i = 0; i < space->n_configs; i++) {
        struct gcal_tune_time time;

        if (source->time(source->context, i, INFINITY, &time, &err) < 0)
            fail(&err);
        printf("%s,%s,%g\n", space->configs[i].name, gcal_tune_outcome_name(time.outcome),
               time.seconds);
        outcomes[time.outcome]++;
    }
    fprintf(stderr, "%zu configurations in %.1f s: %zu timed, %zu failed, %zu wrong\n",
            space->n_configs, gcal_clock_now_s() - began_s, outcomes[GCAL_TUNE_TIMED],
            outcomes[GCAL_TUNE_FAILED], outcomes[GCAL_TUNE_WRONG]);
    free(all);
}

int main(int argc, char **argv)
{
    struct gcal_local_devices devices = { 0 };
    const struct gcal_device_info *info = NULL;
    struct gcal_kernel_limits limits;
    struct gcal_tune_device *device;
    struct gcal_tune_source source;
    struct gcal_error err = { 0 };
    struct catalogue_space s;
    int status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    if (argc < 3 || gcal_local_devices_open(&devices, &err) < 0)
        fail(&err);
    for (size_t i = 0; i < devices.count && !info; i++)
        if (gcal_device_info_matches(&devices.info[i], argv[1]))
            info = &devices.info[i];
    if (!info)
        return 1;
    limits = limits_of(info);
    catalogue_space_open(&s, NULL, &limits, (size_t)argc - 2,
                         (const char *const *)argv + 2);
    device = gcal_tune_device_open(&s.space, devices.spawner, info,
                                   &gcal_tune_device_defaults, &err);
    if (!device)
        fail(&err);
    source = gcal_tune_device_source(device);
    time_all(&s.space, &source);
    gcal_tune_device_close(device);
    catalogue_space_close(&s);
    gcal_local_devices_close(&devices);
    return 0;
}
