/* gavel.c - throughputs of kernels on device types, as Gavel's simulator reads them
 *
 * Gavel (Narayanan et al. 2020) places jobs by the steps per second that they reach on each type
 * of accelerator: {"TYPE": {"('JOB', 1)": {"null": STEPS_PER_S}}}, where 1 is the number of
 * accelerators, and "null" means that the job does not share them.  A job is a kernel at given
 * sizes, a step its run.
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/json.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

/* The sum over the devices of a type, with their number. */
struct throughput {
    double per_s;
    size_t n;
};

static const struct gcal_export_speed_device *
device_at(const struct gcal_export_speeds *s, size_t at)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (at < s->nodes[i].n_devices)
            return &s->nodes[i].devices[at];
        at -= s->nodes[i].n_devices;
    }
    return NULL;
}

/* The mean over the devices of the type, NaN if the time is not known on any of them. */
static double throughput(const struct gcal_export_speeds *s, const char *type, size_t job)
{
    const struct gcal_export_speed_device *d;
    struct throughput of = { 0 };

    for (size_t i = 0; (d = device_at(s, i)); i++)
        if (strcmp(d->type, type) == 0 && job < d->costs.n &&
            isfinite(d->costs.seconds[job])) {
            of.per_s += 1 / d->costs.seconds[job];
            of.n++;
        }
    return of.n ? of.per_s / (double)of.n : NAN;
}

static json_t *jobs_of(const struct gcal_export_speeds *s, const char *type)
{
    json_t *jobs = json_object();

    for (size_t job = 0; job < s->costs.n; job++) {
        double per_s = throughput(s, type, job);
        char *key = gcal_buf_format("('%s', 1)", s->costs.items[job]);

        if (key && isfinite(per_s))
            json_object_set_new(jobs, key, json_pack("{s:f}", "null", per_s));
        free(key);
    }
    return jobs;
}

static char *gavel_text(const struct gcal_export *e, const struct gcal_export_speeds *s,
                        struct gcal_error *err)
{
    const struct gcal_export_speed_device *d;
    json_t *types;

    if (!e->n_kernels) {
        gcal_error_set(err, GCAL_EINPUT,
                       "--to gavel has a throughput for each kernel: give "
                       "--profile FILE --at SIZES");
        return NULL;
    }
    types = json_object();
    for (size_t i = 0; (d = device_at(s, i)); i++)
        if (!json_object_get(types, d->type))
            json_object_set_new(types, d->type, jobs_of(s, d->type));
    return gcal_json_text(types, JSON_INDENT(4) | JSON_REAL_PRECISION(6), err);
}

static const struct argp_option options[] = {
    { "gavel", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "Runs per second of the kernels on each device type, as JSON for Gavel's simulator",
      0 },
    { 0 },
};
static const struct argp argp = { .options = options };

const struct gcal_export_target gcal_export_gavel = {
    .name = "gavel",
    .argp = &argp,
    .text = gavel_text,
};
