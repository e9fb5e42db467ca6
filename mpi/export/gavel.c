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

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/export/export.h"
#include "mpi/export/speed.h"

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

static char *make_text(const struct gcal_export_speeds *s, struct gcal_error *err)
{
    const struct gcal_export_speed_device *d;
    json_t *types = json_object();
    struct gcal_buf buf = { 0 };
    char *text;

    for (size_t i = 0; (d = device_at(s, i)); i++)
        if (!json_object_get(types, d->type))
            json_object_set_new(types, d->type, jobs_of(s, d->type));
    if ((text = json_dumps(types, JSON_INDENT(4) | JSON_REAL_PRECISION(6))))
        gcal_buf_printf(&buf, "%s\n", text);
    else
        buf.failed = true;
    free(text);
    json_decref(types);
    return gcal_buf_take(&buf, err);
}

static int export_gavel(const struct gcal_export *e, const void *options,
                        struct gcal_error *err)
{
    struct gcal_export_speeds speeds = { 0 };
    char *text = NULL;
    int rc;

    (void)options;
    if (!e->n_kernels)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--to gavel has a throughput for each kernel: give "
                              "--profile FILE --at SIZES");
    rc = gcal_export_speeds_find(e, &speeds, err);
    if (rc == 0)
        rc = (text = make_text(&speeds, err)) ? gcal_command_write(e->output, text, err)
                                              : -1;
    free(text);
    gcal_export_speeds_clear(&speeds);
    return rc;
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
    .run = export_gavel,
};
