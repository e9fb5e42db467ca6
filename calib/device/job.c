/* job.c - encoding and decoding of jobs */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/model/dtype.h"
#include "calib/device/job.h"

#define MAX_ARGS     256
#define MAX_COMMANDS 10000000 /* launches or copies in a run */

static void clear_arg(struct gcal_device_job_arg *arg)
{
    free(arg->name);
    free(arg->dtype);
    free(arg->members);
    *arg = (struct gcal_device_job_arg){ 0 };
}

void gcal_device_job_clear(struct gcal_device_job *job)
{
    for (size_t i = 0; i < job->n_args; i++)
        clear_arg(&job->args[i]);
    free(job->args);

    free(job->source);
    free(job->entry);
    free(job->build_options);
    *job = (struct gcal_device_job){ 0 };
}

int gcal_device_job_put(struct gcal_buf *buf, const struct gcal_kernel *kernel,
                        size_t n_sizes, const struct gcal_size *sizes,
                        struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };

    if (gcal_kernel_geometry(kernel, n_sizes, sizes, &geometry, err) < 0)
        return -1;

    gcal_wire_put_u32(buf, kernel->language);
    gcal_wire_put_text(buf, kernel->source);
    gcal_wire_put_text(buf, kernel->entry);
    gcal_wire_put_text(buf, kernel->build_options ? kernel->build_options : "");
    gcal_wire_put_u32(buf, (uint32_t)kernel->n_dims);
    for (size_t i = 0; i < kernel->n_dims; i++) {
        gcal_wire_put_u64(buf, kernel->local_size[i]);
        gcal_wire_put_u64(buf, geometry.global_size[i]);
    }
    gcal_wire_put_u32(buf, (uint32_t)kernel->n_args);
    for (size_t i = 0; i < kernel->n_args; i++) {
        gcal_wire_put_u32(buf, kernel->args[i].kind);
        gcal_wire_put_u32(buf, kernel->args[i].output);
        gcal_wire_put_text(buf, kernel->args[i].name);
        gcal_wire_put_text(buf, kernel->args[i].dtype);
        gcal_wire_put_f64(buf, geometry.arg_values[i]);
        gcal_wire_put_f64(buf, geometry.arg_ranges[i].first);
        gcal_wire_put_f64(buf, geometry.arg_ranges[i].last);
        gcal_wire_put_u32(buf, geometry.arg_ranges[i].sorted);
        gcal_wire_put_text(buf, kernel->args[i].members ? kernel->args[i].members : "");
        gcal_wire_put_u32(buf, kernel->args[i].channels);
        uint32_t n = 0;
        while (n < GCAL_MAX_DIMS && kernel->args[i].extents[n])
            n++;
        gcal_wire_put_u32(buf, n);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            gcal_wire_put_u64(buf, geometry.arg_extents[i][d]);
        gcal_wire_put_u32(buf, kernel->args[i].layered);
        gcal_wire_put_u32(buf, kernel->args[i].member);
        gcal_wire_put_u64(buf, kernel->args[i].offset);
    }
    gcal_wire_put_u64(buf, geometry.launches);
    gcal_wire_put_u32(buf, kernel->timing);
    gcal_wire_put_u32(buf, kernel->transfer.way);
    gcal_wire_put_u32(buf, kernel->transfer.both);
    gcal_wire_put_u32(buf, kernel->transfer.host);
    gcal_wire_put_u64(buf, geometry.transfer_bytes);
    gcal_wire_put_u64(buf, geometry.transfer_pieces);
    gcal_kernel_geometry_clear(&geometry);
    return 0;
}

static void get_args(struct gcal_wire *wire, struct gcal_device_job *job)
{
    size_t n = gcal_wire_get_u32(wire);

    if (n > MAX_ARGS || !(job->args = calloc(n + 1, sizeof(*job->args)))) {
        wire->bad = true;
        return;
    }
    for (; job->n_args < n; job->n_args++) {
        struct gcal_device_job_arg *arg = &job->args[job->n_args];

        arg->kind = (enum gcal_arg_kind)gcal_wire_get_u32(wire);
        arg->output = gcal_wire_get_u32(wire) != 0;
        arg->name = gcal_wire_get_text(wire);
        arg->dtype = gcal_wire_get_text(wire);
        arg->value = gcal_wire_get_f64(wire);
        arg->range.first = gcal_wire_get_f64(wire);
        arg->range.last = gcal_wire_get_f64(wire);
        arg->range.sorted = gcal_wire_get_u32(wire) != 0;
        arg->members = gcal_wire_get_text(wire);
        arg->range.members = arg->members && *arg->members ? arg->members : NULL;
        arg->channels = gcal_wire_get_u32(wire);
        arg->n_extents = gcal_wire_get_u32(wire);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            arg->extents[d] = gcal_wire_get_u64(wire);
        arg->layered = gcal_wire_get_u32(wire) != 0;
        arg->member = gcal_wire_get_u32(wire) != 0;
        arg->offset = gcal_wire_get_u64(wire);
        if (!arg->dtype || !gcal_dtype_size(arg->dtype) ||
            (arg->range.members && !gcal_dtype_members_size(arg->members)) ||
            !arg->channels != !arg->n_extents || arg->n_extents > GCAL_MAX_DIMS) {
            clear_arg(arg);
            wire->bad = true;
            return;
        }
    }
}

int gcal_device_job_get(struct gcal_wire *wire, struct gcal_device_job *job,
                        struct gcal_error *err)
{
    *job = (struct gcal_device_job){ 0 };

    job->language = gcal_wire_get_u32(wire);
    job->source = gcal_wire_get_text(wire);
    job->entry = gcal_wire_get_text(wire);
    job->build_options = gcal_wire_get_text(wire);
    job->n_dims = gcal_wire_get_u32(wire);
    if (job->n_dims > GCAL_MAX_DIMS)
        wire->bad = true;
    for (size_t i = 0; !wire->bad && i < job->n_dims; i++) {
        job->local_size[i] = gcal_wire_get_u64(wire);
        job->global_size[i] = gcal_wire_get_u64(wire);
    }
    get_args(wire, job);
    struct gcal_device_job_transfer *t = &job->transfer;
    uint32_t timing, way, host;
    job->launches = gcal_wire_get_u64(wire);
    timing = gcal_wire_get_u32(wire);
    way = gcal_wire_get_u32(wire);
    t->both = gcal_wire_get_u32(wire) != 0;
    host = gcal_wire_get_u32(wire);
    t->size_bytes = gcal_wire_get_u64(wire);
    t->pieces = gcal_wire_get_u64(wire);
    if (job->launches > MAX_COMMANDS || timing > GCAL_TIMING_HOST ||
        way > GCAL_FEATURE_FROM_DEVICE || host > GCAL_FEATURE_MAPPED ||
        t->pieces > MAX_COMMANDS ||
        (t->pieces && (!way || !host || t->size_bytes < t->pieces)) ||
        (t->both && (t->size_bytes % 2 || host == GCAL_FEATURE_MAPPED || job->launches ||
                     way != GCAL_FEATURE_TO_DEVICE)))
        wire->bad = true;
    job->timing = (enum gcal_timing)timing;
    t->way = (enum gcal_feature_copy_direction)way;
    t->host = (enum gcal_feature_host_memory)host;
    if (!wire->bad && job->source && job->entry && job->build_options)
        return 0;
    gcal_device_job_clear(job);
    return gcal_error_set(err, GCAL_EINPUT, "damaged request to a worker");
}
