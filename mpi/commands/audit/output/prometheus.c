/* prometheus.c - an audit as metrics, in a file for node_exporter's textfile collector
 *
 * The format wants all samples of a metric together, and devices come one by one: each
 * metric is written to its own temporary file, and these are concatenated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "mpi/commands/audit/output/output.h"
#include "mpi/cli/escape.h"
#include "mpi/cli/file_replace.h"
#include "store/files/store.h"
#include "store/params/params.h"

enum metric {
    INFO,
    STATUS,
    CALIBRATED,
    CALIBRATIONS,
    CHANGE,
    AGAINST_TYPE,
    RESIDUAL,
    FINDING,
    NOT_AUDITED,
    N_METRICS
};

static const struct {
    const char *name, *help;
} metrics[N_METRICS] = {
    [INFO] = { "gpucal_device_info",
               "1 for each device; labels say what it is: type, name, driver." },
    [STATUS] = { "gpucal_device_status",
                 "Verdict on the device: 0 pass (or not confirmed), "
                 "1 warning, 2 failure, 3 unknown (too few calibrations)." },
    [CALIBRATED] = { "gpucal_calibration_timestamp_seconds",
                     "Time of the last calibration, in seconds since 1970." },
    [CALIBRATIONS] = { "gpucal_device_calibrations",
                       "Calibrations that are compared: those since driver, "
                       "configuration or kernels last changed." },
    [CHANGE] = { "gpucal_device_change_ratio",
                 "Relative change of time of the gravest finding, positive if slower; 0 "
                 "without findings." },
    [AGAINST_TYPE] = { "gpucal_device_against_type_ratio",
                       "Median over the costs of the device: relative difference from "
                       "the "
                       "median device of its type, positive if slower." },
    [RESIDUAL] = { "gpucal_fit_residual_ratio",
                   "Root mean square of the relative residuals of the published fit "
                   "(general model)." },
    [FINDING] = { "gpucal_finding_change_ratio",
                  "A finding of the audit: relative change of time, positive if slower; "
                  "0.05 is 5 percent." },
    [NOT_AUDITED] = { "gpucal_node_not_audited",
                      "1 for a node whose track in the store cannot be read." },
};

struct prometheus {
    struct gcal_file_replace out;
    FILE *part[N_METRICS];
    const struct gcal_store *store; /* NULL: no residuals are known */
    /* The parameter file of the last node, as devices of a node follow one after the other. */
    char *node;
    struct gcal_params_index *index;
};

static int device_status(enum gcal_audit_verdict verdict)
{
    switch (verdict) {
    case GCAL_AUDIT_WARN:
        return 1;
    case GCAL_AUDIT_FAIL:
        return 2;
    case GCAL_AUDIT_UNKNOWN:
        return 3;
    default:
        return 0;
    }
}

static void put_label(struct gcal_buf *buf, const char *name, const char *value)
{
    gcal_buf_printf(buf, "%s%s=\"", buf->size ? "," : "", name);
    gcal_escape_label(buf, value);
    gcal_buf_puts(buf, "\"");
}

/* 'labels': "node=.." and those of the metric.  Nothing if the value is not known. */
static void put_sample(struct prometheus *p, enum metric metric,
                       const struct gcal_buf *labels, double value)
{
    if (isfinite(value) && !labels->failed)
        fprintf(p->part[metric], "%s{%.*s} %.10g\n", metrics[metric].name,
                (int)labels->size, labels->data, value);
}

/* A reader refuses the file if a set of labels occurs twice. */
static bool came_before(const struct gcal_audit_device *device, size_t finding)
{
    for (size_t i = 0; i < finding; i++)
        if (strcmp(device->findings[i].code, device->findings[finding].code) == 0)
            return true;
    return false;
}

static bool is_cost(const struct gcal_audit_device *device,
                    const struct gcal_audit_series *series)
{
    return device->n_runs && isfinite(series->value[series->newest]) &&
           strcmp(series->column.unit, "s") == 0;
}

static void put_findings(struct prometheus *p, const struct gcal_audit_device *device,
                         struct gcal_buf *labels)
{
    size_t size = labels->size;

    for (size_t i = 0; i < device->n_findings; i++) {
        if (came_before(device, i))
            continue;
        put_label(labels, "code", device->findings[i].code);
        put_label(labels, "verdict",
                  gcal_audit_verdict_name(device->findings[i].verdict));
        put_sample(p, FINDING, labels, device->findings[i].change);
        labels->size = size;
    }
}

/* The median over the device's costs; NaN if the type has too few devices. */
static double against_type(const struct gcal_audit_device *device)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *values = gcal_arena_alloc(arena, device->n_series, sizeof(*values)), median;
    size_t n = 0;

    for (size_t i = 0; i < device->n_series; i++)
        if (is_cost(device, &device->series[i]) &&
            isfinite(device->series[i].against_type))
            values[n++] = device->series[i].against_type;
    median = gcal_median(values, n);
    gcal_arena_destroy(arena);
    return median;
}

static void close_node(struct prometheus *p)
{
    gcal_params_index_destroy(p->index);
    free(p->node);
    p->index = NULL;
    p->node = NULL;
}

/* The root mean square of the relative residuals of the device's general model, or of its first
 * if it has none; NaN if they cannot be read: the audit is of tracks, and says what it misses.
 * Models are decoded up to the general one.
 */
static double find_residual(struct prometheus *p, const char *node, const char *uid)
{
    const struct gcal_params *params;
    double first = NAN;

    if (!p->node || strcmp(p->node, node) != 0) {
        close_node(p);
        if (p->store && (p->node = strdup(node)))
            p->index = gcal_store_load_index(p->store, node, NULL, NULL);
    }
    params = p->index ? gcal_params_index_devices(p->index) : NULL;
    for (size_t i = 0; params && i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];

        if (strcmp(d->info.uid, uid) != 0)
            continue;
        for (size_t k = 0; k < d->n_models; k++) {
            struct gcal_params_device model = { 0 };
            double residual = NAN;
            bool is_general = false;

            if (gcal_params_index_models(p->index, i, d->models[k].name, &model, NULL) ==
                    0 &&
                model.n_models) {
                residual = model.models[0].residual;
                is_general = gcal_params_model_is_general(&model.models[0]);
            }
            gcal_params_index_models_clear(&model);
            if (is_general)
                return residual;
            if (k == 0)
                first = residual;
        }
        break;
    }
    return first;
}

static int put_device(void *context, const struct gcal_audit_device *device,
                      struct gcal_error *err)
{
    const struct gcal_track_run *newest =
        device->n_runs ? device->run[device->n_runs - 1] : NULL;
    struct prometheus *p = context;
    struct gcal_buf labels = { 0 };
    size_t size;
    bool failed;

    put_label(&labels, "node", device->node);
    put_label(&labels, "uuid", device->uid);
    size = labels.size;
    put_label(&labels, "device_type", device->type);
    put_label(&labels, "name", device->name);
    put_label(&labels, "driver", newest ? newest->driver : "");
    put_sample(p, INFO, &labels, 1);
    labels.size = size;
    put_sample(p, STATUS, &labels, device_status(device->verdict));
    put_sample(p, CALIBRATED, &labels, newest ? gcal_clock_parse_utc(newest->utc) : NAN);
    put_sample(p, CALIBRATIONS, &labels, (double)device->n_epoch_runs);
    put_sample(p, CHANGE, &labels, device->n_findings ? device->findings[0].change : 0);
    put_sample(p, AGAINST_TYPE, &labels, against_type(device));
    put_sample(p, RESIDUAL, &labels, find_residual(p, device->node, device->uid));
    put_findings(p, device, &labels);
    failed = labels.failed;
    gcal_buf_free(&labels);
    return failed ? gcal_error_memory(err) : 0;
}

static int write_file(void *context, const struct gcal_audit_summary *summary,
                      struct gcal_error *err)
{
    struct prometheus *p = context;
    char block[65536];
    size_t n;

    for (size_t i = 0; i < summary->n_unread; i++) {
        struct gcal_buf labels = { 0 };

        put_label(&labels, "node", summary->unread[i].node);
        put_sample(p, NOT_AUDITED, &labels, 1);
        gcal_buf_free(&labels);
    }
    for (size_t i = 0; i < N_METRICS; i++) {
        if (fflush(p->part[i]) == EOF || ferror(p->part[i]))
            return gcal_error_set(err, GCAL_EINPUT, "%s: temporary file: %m",
                                  p->out.path);
        if (ftell(p->part[i]) == 0)
            continue;
        fprintf(p->out.file, "# HELP %s %s\n# TYPE %s gauge\n", metrics[i].name,
                metrics[i].help, metrics[i].name);
        /* Errors remain in the files' error flags, which are checked later. */
        rewind(p->part[i]);
        while ((n = fread(block, 1, sizeof(block), p->part[i])) > 0)
            fwrite(block, 1, n, p->out.file);
    }
    return gcal_file_replace_finish(&p->out, err);
}

static void release_prometheus(void *context)
{
    struct prometheus *p = context;

    for (size_t i = 0; i < N_METRICS; i++)
        if (p->part[i])
            fclose(p->part[i]);
    close_node(p);
    gcal_file_replace_clear(&p->out);
}

int gcal_audit_output_prometheus(struct gcal_arena *arena,
                                 const struct gcal_audit_output_options *about,
                                 const char *path, struct gcal_audit_output *output,
                                 struct gcal_error *err)
{
    struct prometheus *p = gcal_arena_alloc(arena, 1, sizeof(*p));

    p->store = about->files;
    gcal_arena_own(arena, p, release_prometheus);
    *output = (struct gcal_audit_output){ .context = p,
                                          .device = put_device,
                                          .end = write_file };
    if (gcal_file_replace_start(&p->out, path, err) < 0)
        return -1;
    for (size_t i = 0; i < N_METRICS; i++)
        if (!(p->part[i] = tmpfile()))
            return gcal_error_set(err, GCAL_EINPUT, "%s: temporary file: %m", path);
    return 0;
}
