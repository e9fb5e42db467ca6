/* json.c - an audit as JSON, which gpucal(1) documents
 *
 * Devices are printed one by one, so that a large site need not fit into memory.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "mpi/commands/audit/output/output.h"
#include "mpi/cli/json.h"
#include "mpi/cli/quiet.h"

/* Digits enough for people and scripts. */
#define FLAGS (JSON_REAL_PRECISION(9) | JSON_INDENT(1))

/* Printed piece by piece, as gcal_json_print() would. */
#define HEAD "{\"schema\": \"gpucal-audit-1\",\n\"devices\": "

struct json {
    const struct gcal_audit_output_options *about;
    size_t n_printed;
    json_t *types;
};

static json_t *numbers(const double *values, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, gcal_json_number(values[i]));
    return list;
}

static json_t *run_id(const struct gcal_audit_device *d, size_t run)
{
    return run < d->n_runs ? json_string(d->run[run]->run_id) : json_null();
}

static json_t *finding_json(const struct gcal_audit_device *d,
                            const struct gcal_audit_finding *f)
{
    json_t *parameters = json_array();

    for (size_t i = 0; i < f->n_series; i++) {
        const struct gcal_track_column *c = &d->series[f->series[i]].column;

        json_array_append_new(parameters,
                              json_pack("{s:s, s:s, s:s}", "model", c->model, "form",
                                        c->form, "parameter", c->parameter));
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "code", f->code, "verdict",
        gcal_audit_verdict_name(f->verdict), "what", f->what, "next", f->next, "change",
        gcal_json_number(f->change), "change_low", gcal_json_number(f->change_low),
        "change_high", gcal_json_number(f->change_high), "since", run_id(d, f->since),
        "false_alarm", gcal_json_number(f->false_alarm), "parameters", parameters);
}

static json_t *series_json(const struct gcal_audit_device *d,
                           const struct gcal_audit_series *s)
{
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "model", s->column.model, "form",
                  s->column.form, "parameter", s->column.parameter, "unit",
                  s->column.unit, "subject", gcal_audit_category_name(s->category),
                  "verdict", gcal_audit_verdict_name(s->verdict));

    json_object_set_new(o, "value", numbers(s->value, d->n_runs));
    json_object_set_new(o, "error", numbers(s->error, d->n_runs));
    json_object_set_new(o, "repeatability", gcal_json_number(s->repeatability));
    json_object_set_new(o, "reference", gcal_json_number(s->reference));
    json_object_set_new(o, "change", gcal_json_number(s->change));
    json_object_set_new(o, "change_low", gcal_json_number(s->change_low));
    json_object_set_new(o, "change_high", gcal_json_number(s->change_high));
    json_object_set_new(o, "since", run_id(d, s->since));
    json_object_set_new(o, "false_alarm", gcal_json_number(s->false_alarm));
    json_object_set_new(o, "epoch_change", gcal_json_number(s->driver_change));
    json_object_set_new(o, "against_type", gcal_json_number(s->against_type));
    json_object_set_new(o, "against_type_sigmas",
                        gcal_json_number(s->against_type_sigmas));
    json_object_set_new(o, "by_type", json_boolean(s->by_type));
    return o;
}

static json_t *run_json(const struct gcal_audit_device *d, size_t i)
{
    const struct gcal_track_run *r = d->run[i];
    const char *what = d->epoch_description[d->epoch[i]];
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i}", "run", r->run_id, "utc", r->utc,
                          "driver", r->driver, "gpucal_version", r->gpucal_version,
                          "epoch", (int)d->epoch[i]);

    if (what && d->epoch[i] != d->epoch[i - 1])
        json_object_set_new(o, "became", json_string(what));
    return o;
}

static json_t *findings_json(const struct gcal_audit_device *d)
{
    json_t *list = json_array();

    for (size_t i = 0; i < d->n_findings; i++)
        json_array_append_new(list, finding_json(d, &d->findings[i]));
    return list;
}

static json_t *device_json(const struct gcal_audit_device *d, bool all)
{
    json_t *runs = json_array(), *series = json_array();
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "node", d->node, "uid", d->uid,
                          "type", d->type, "name", d->name, "verdict",
                          gcal_audit_verdict_name(d->verdict));

    if (d->verdict == GCAL_AUDIT_UNKNOWN) {
        json_object_set_new(o, "needs", json_integer(GCAL_AUDIT_LEAST_RUNS));
        json_object_set_new(o, "has", json_integer((json_int_t)d->n_epoch_runs));
    }
    for (size_t i = 0; i < d->n_runs; i++)
        json_array_append_new(runs, run_json(d, i));
    for (size_t i = 0; i < d->n_series; i++)
        if (all || gcal_audit_needs_attention(d->series[i].verdict))
            json_array_append_new(series, series_json(d, &d->series[i]));
    json_object_set_new(o, "findings", findings_json(d));
    json_object_set_new(o, "runs", runs);
    json_object_set_new(o, "series", series);
    return o;
}

static int json_device(void *context, const struct gcal_audit_device *d,
                       struct gcal_error *err)
{
    struct json *j = context;
    json_t *o;
    int rc;

    if (!j->about->all && d->n_findings == 0)
        return 0;
    if (!(o = device_json(d, j->about->all)))
        return gcal_error_set(err, GCAL_EINPUT,
                              "node %s: a device cannot be printed as JSON: its track "
                              "contains text that is not UTF-8",
                              d->node);
    gcal_quiet_keep_all();
    fputs(j->n_printed++ ? ",\n" : HEAD "[\n", stdout);
    rc = json_dumpf(o, stdout, FLAGS);
    json_decref(o);
    return rc < 0 ? gcal_error_set(err, GCAL_EINPUT, "the audit could not be printed")
                  : 0;
}

static int add_type(void *context, const struct gcal_audit_fits *fits,
                    struct gcal_error *err)
{
    const struct gcal_audit_device *d = fits->device;
    struct json *j = context;
    json_t *o;

    if (!j->about->all && d->n_findings == 0)
        return 0;
    o = json_pack("{s:s, s:s, s:s, s:I, s:o}", "type", d->type, "name", d->name,
                  "verdict", gcal_audit_verdict_name(d->verdict), "fits",
                  (json_int_t)fits->n, "findings", findings_json(d));
    return json_array_append_new(j->types, o) == 0 ? 0 : gcal_error_memory(err);
}

/* Of devices without a verdict, none is the worst. */
static const char *worst_of(const struct gcal_audit_summary *s)
{
    return gcal_audit_verdict_name(s->n_verdicts[GCAL_AUDIT_UNKNOWN] == s->n_devices
                                       ? GCAL_AUDIT_UNKNOWN
                                       : s->worst);
}

static json_t *unread_json(const struct gcal_audit_summary *s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->n_unread; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "node", s->unread[i].node,
                                              "why", s->unread[i].why));
    return list;
}

static int json_end(void *context, const struct gcal_audit_summary *s,
                    struct gcal_error *err)
{
    const struct json *j = context;
    const struct gcal_audit_policy *p = &j->about->policy;
    json_t *verdicts = json_object(), *policy, *summary;

    for (int v = 0; v <= GCAL_AUDIT_UNKNOWN; v++)
        json_object_set_new(verdicts, gcal_audit_verdict_name((enum gcal_audit_verdict)v),
                            json_integer((json_int_t)s->n_verdicts[v]));
    summary = json_pack("{s:I, s:I, s:I, s:o, s:s, s:o}", "nodes", (json_int_t)s->n_nodes,
                        "devices", (json_int_t)s->n_devices, "calibrations",
                        (json_int_t)s->n_runs, "verdicts", verdicts, "worst", worst_of(s),
                        "not_audited", unread_json(s));
    policy = json_pack("{s:f, s:f, s:f, s:I, s:I}", "warn", p->warn, "fail", p->fail,
                       "false_alarms", p->false_alarms, "confirm", (json_int_t)p->confirm,
                       "of", (json_int_t)p->of);
    if (!summary || !policy) {
        json_decref(summary);
        json_decref(policy);
        return gcal_error_memory(err);
    }
    gcal_quiet_keep_all();
    fputs(j->n_printed ? "\n],\n\"types\": " : HEAD "[],\n\"types\": ", stdout);
    json_dumpf(j->types, stdout, FLAGS);
    fputs(",\n\"policy\": ", stdout);
    json_dumpf(policy, stdout, FLAGS);
    fputs(",\n\"summary\": ", stdout);
    json_dumpf(summary, stdout, FLAGS);
    fputs("}\n", stdout);
    json_decref(summary);
    json_decref(policy);
    return 0;
}

static void json_destroy(void *context)
{
    struct json *j = context;

    json_decref(j->types);
    free(j);
}

int gcal_audit_output_json(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err)
{
    struct json *j = calloc(1, sizeof(*j));

    if (!j)
        return gcal_error_memory(err);
    j->about = about;
    j->types = json_array();
    *output = (struct gcal_audit_output){
        .context = j,
        .device = json_device,
        .type = add_type,
        .end = json_end,
        .destroy = json_destroy,
    };
    return 0;
}
