#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "store/store.h"

/* A change within this many standard errors is noise, however large it is. */
#define SIGMAS 3

struct auditor {
    const struct gcal_audit_limits *limits;
    struct gcal_audit *audit;
    size_t capacity;
    struct gcal_buf notes;
    struct gcal_error *err;
};

static void change_clear(struct gcal_audit_change *c)
{
    free(c->device_uid);
    free(c->device_name);
    free(c->model);
    free(c->parameter);
    free(c->unit);
}

void gcal_audit_clear(struct gcal_audit *audit)
{
    for (size_t i = 0; i < audit->n_changes; i++)
        change_clear(&audit->changes[i]);
    free(audit->changes);
    free(audit->notes);
    *audit = (struct gcal_audit){ 0 };
}

static void judge(const struct gcal_audit_limits *limits, struct gcal_audit_change *c)
{
    double difference = c->after - c->before;
    double error = hypot(c->before_error, c->after_error);

    c->change = difference == 0 ? 0 : difference / fabs(c->before);
    c->sigmas = difference == 0 ? 0 : fabs(difference) / error;
    c->drift = GCAL_DRIFT_NONE;
    if (c->sigmas > SIGMAS && fabs(c->change) > limits->fail)
        c->drift = GCAL_DRIFT_FAIL;
    else if (c->sigmas > SIGMAS && fabs(c->change) > limits->warn)
        c->drift = GCAL_DRIFT_WARN;
}

/* Takes what 'change' says of values and copies its texts. */
static int add_change(struct auditor *a, const struct gcal_audit_change *change)
{
    struct gcal_audit *audit = a->audit;
    struct gcal_audit_change *moved, *c;

    if (!(moved = gcal_array_grow(audit->changes, audit->n_changes, &a->capacity,
                                  sizeof(*moved), a->err)))
        return -1;
    audit->changes = moved;
    c = &moved[audit->n_changes++];
    *c = *change;
    c->device_uid = strdup(change->device_uid);
    c->device_name = strdup(change->device_name);
    c->model = strdup(change->model);
    c->parameter = strdup(change->parameter);
    c->unit = strdup(change->unit);
    if (!c->device_uid || !c->device_name || !c->model || !c->parameter || !c->unit)
        return gcal_error_memory(a->err);
    judge(a->limits, c);
    if (c->drift > audit->drift)
        audit->drift = c->drift;
    return 0;
}

static size_t find_text(char *const *texts, size_t count, const char *text)
{
    size_t i = 0;

    while (i < count && strcmp(texts[i], text) != 0)
        i++;
    return i;
}

static int compare_models(struct auditor *a, const struct gcal_params_device *device,
                          const struct gcal_params_model *before,
                          const struct gcal_params_model *after)
{
    struct gcal_audit_change c = { .device_uid = device->info.uid,
                                   .device_name = device->info.name,
                                   .model = after->name,
                                   .parameter = "factor",
                                   .unit = "1",
                                   .before = before->factor,
                                   .after = after->factor,
                                   .before_error = before->factor_error,
                                   .after_error = after->factor_error };

    if (strcmp(before->expression, after->expression) != 0 ||
        strcmp(before->output, after->output) != 0) {
        gcal_buf_printf(&a->notes, "device %s: model %s is another now: not compared\n",
                        device->info.uid, after->name);
        return 0;
    }
    if (add_change(a, &c) < 0)
        return -1;
    for (size_t i = 0; i < after->n_parameters; i++) {
        size_t k =
            find_text(before->parameter, before->n_parameters, after->parameter[i]);

        if (k == before->n_parameters || strcmp(before->unit[k], after->unit[i]) != 0) {
            gcal_buf_printf(&a->notes, "device %s: model %s: %s was not there before\n",
                            device->info.uid, after->name, after->parameter[i]);
            continue;
        }
        c.parameter = after->parameter[i];
        c.unit = after->unit[i];
        c.before = before->value[k];
        c.after = after->value[i];
        c.before_error = before->standard_error[k];
        c.after_error = after->standard_error[i];
        if (add_change(a, &c) < 0)
            return -1;
    }
    return 0;
}

static const struct gcal_params_model *find_model(const struct gcal_params_device *device,
                                                  const char *name)
{
    for (size_t i = 0; i < device->n_models; i++)
        if (strcmp(device->models[i].name, name) == 0)
            return &device->models[i];
    return NULL;
}

static int compare_devices(struct auditor *a, const struct gcal_params_device *before,
                           const struct gcal_params_device *after)
{
    const struct gcal_params_model *old;

    if (strcmp(before->info.driver, after->info.driver) != 0)
        gcal_buf_printf(&a->notes, "device %s: driver %s became %s\n", after->info.uid,
                        before->info.driver, after->info.driver);
    for (size_t i = 0; i < before->n_models; i++)
        if (!find_model(after, before->models[i].name))
            gcal_buf_printf(&a->notes, "device %s: model %s is gone\n", after->info.uid,
                            before->models[i].name);
    for (size_t i = 0; i < after->n_models; i++) {
        if (!(old = find_model(before, after->models[i].name)))
            gcal_buf_printf(&a->notes, "device %s: model %s is new\n", after->info.uid,
                            after->models[i].name);
        else if (compare_models(a, after, old, &after->models[i]) < 0)
            return -1;
    }
    return 0;
}

static const struct gcal_params_device *find_device(const struct gcal_params *params,
                                                    const char *uid)
{
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].info.uid, uid) == 0)
            return &params->devices[i];
    return NULL;
}

static int compare_nodes(struct auditor *a, const struct gcal_params *before,
                         const struct gcal_params *after)
{
    const struct gcal_params_device *old, *d;

    for (size_t i = 0; i < before->n_devices; i++) {
        d = &before->devices[i];
        if (!find_device(after, d->info.uid))
            gcal_buf_printf(&a->notes, "device %s (%s) is gone\n", d->info.uid,
                            d->info.name);
    }
    for (size_t i = 0; i < after->n_devices; i++) {
        d = &after->devices[i];
        if (!(old = find_device(before, d->info.uid)))
            gcal_buf_printf(&a->notes, "device %s (%s) is new\n", d->info.uid,
                            d->info.name);
        else if (compare_devices(a, old, d) < 0)
            return -1;
    }
    return 0;
}

int gcal_audit_compare(const struct gcal_params *before, const struct gcal_params *after,
                       const struct gcal_audit_limits *limits, struct gcal_audit *audit,
                       struct gcal_error *err)
{
    struct auditor a = { .limits = limits, .audit = audit, .err = err };
    int rc;

    *audit = (struct gcal_audit){ 0 };
    if (!(limits->warn >= 0 && limits->fail >= limits->warn))
        return gcal_error_set(err, GCAL_EINPUT,
                              "audit: limits %g (warn) and %g (fail): expected 0 <= warn "
                              "<= fail",
                              limits->warn, limits->fail);
    rc = compare_nodes(&a, before, after);
    if (rc == 0 && (a.notes.size || a.notes.failed) &&
        !(audit->notes = gcal_buf_take(&a.notes, err)))
        rc = -1;
    gcal_buf_free(&a.notes);
    if (rc < 0)
        gcal_audit_clear(audit);
    return rc;
}
