/* json.c - an audit as JSON, which gpucal(1) documents
 *
 * Devices are printed one by one, so that a large site need not fit into memory.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/utf8.h"
#include "mpi/commands/audit/output/output.h"
#include "mpi/commands/audit/output/private.h"
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

json_t *gcal_audit_json_text(const char *text)
{
    json_t *string = json_string(text);
    struct gcal_arena *arena;

    if (string)
        return string;
    arena = gcal_arena_create();
    string = json_string(gcal_utf8_clean(gcal_arena_strdup(arena, text)));
    gcal_arena_destroy(arena);
    return string;
}

static json_t *numbers_json(const double *values, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, gcal_json_number(values[i]));
    return list;
}

static json_t *run_id(const struct gcal_audit_device *d, size_t run)
{
    return run < d->n_runs ? gcal_audit_json_text(d->run[run]->run_id) : json_null();
}

static json_t *findings_json(const struct gcal_audit_device *d)
{
    json_t *list = json_array(), *parameters;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct gcal_audit_finding *f = &d->findings[i];

        parameters = json_array();
        for (size_t k = 0; k < f->n_series; k++) {
            const struct gcal_track_column *c = &d->series[f->series[k]].column;

            json_array_append_new(parameters,
                                  json_pack("{s:o, s:o, s:o}", "model",
                                            gcal_audit_json_text(c->model), "form",
                                            gcal_audit_json_text(c->form), "parameter",
                                            gcal_audit_json_text(c->parameter)));
        }
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "code",
                            gcal_audit_json_text(f->code), "verdict",
                            gcal_audit_verdict_name(f->verdict), "what",
                            gcal_audit_json_text(f->what), "next",
                            gcal_audit_json_text(f->next), "change",
                            gcal_json_number(f->change), "change_low",
                            gcal_json_number(f->change_low), "change_high",
                            gcal_json_number(f->change_high), "since",
                            run_id(d, f->since), "false_alarm",
                            gcal_json_number(f->false_alarm), "parameters", parameters));
    }
    return list;
}

json_t *gcal_audit_json_series(const struct gcal_audit_device *d, bool all)
{
    json_t *list = json_array(), *o;

    for (size_t i = 0; i < d->n_series; i++) {
        const struct gcal_audit_series *s = &d->series[i];

        if (!all && !gcal_audit_needs_attention(s->verdict))
            continue;
        o = json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "model",
                      gcal_audit_json_text(s->column.model), "form",
                      gcal_audit_json_text(s->column.form), "parameter",
                      gcal_audit_json_text(s->column.parameter), "unit",
                      gcal_audit_json_text(s->column.unit), "subject",
                      gcal_audit_category_name(s->category), "verdict",
                      gcal_audit_verdict_name(s->verdict));
        json_object_set_new(o, "value", numbers_json(s->value, d->n_runs));
        json_object_set_new(o, "error", numbers_json(s->error, d->n_runs));
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
        json_array_append_new(list, o);
    }
    return list;
}

json_t *gcal_audit_json_runs(const struct gcal_audit_device *d)
{
    json_t *list = json_array(), *o;

    for (size_t i = 0; i < d->n_runs; i++) {
        const struct gcal_track_run *r = d->run[i];
        const char *what = d->epoch_description[d->epoch[i]];

        o = json_pack("{s:o, s:o, s:o, s:o, s:i}", "run", gcal_audit_json_text(r->run_id),
                      "utc", gcal_audit_json_text(r->utc), "driver",
                      gcal_audit_json_text(r->driver), "gpucal_version",
                      gcal_audit_json_text(r->gpucal_version), "epoch", (int)d->epoch[i]);
        if (what && d->epoch[i] != d->epoch[i - 1])
            json_object_set_new(o, "became", gcal_audit_json_text(what));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *gcal_audit_json_device(const struct gcal_audit_device *d)
{
    json_t *o = json_pack(
        "{s:o, s:o, s:o, s:o, s:s}", "node", gcal_audit_json_text(d->node), "uid",
        gcal_audit_json_text(d->uid), "type", gcal_audit_json_text(d->type), "name",
        gcal_audit_json_text(d->name), "verdict", gcal_audit_verdict_name(d->verdict));

    if (d->verdict == GCAL_AUDIT_UNKNOWN) {
        json_object_set_new(o, "needs", json_integer(GCAL_AUDIT_LEAST_RUNS));
        json_object_set_new(o, "has", json_integer((json_int_t)d->n_epoch_runs));
    }
    json_object_set_new(o, "findings", findings_json(d));
    return o;
}

static int print_device(void *context, const struct gcal_audit_device *d,
                        struct gcal_error *err)
{
    struct json *j = context;
    json_t *o;
    int rc;

    if (!j->about->all && d->n_findings == 0)
        return 0;
    o = gcal_audit_json_device(d);
    json_object_set_new(o, "runs", gcal_audit_json_runs(d));
    json_object_set_new(o, "series", gcal_audit_json_series(d, j->about->all));
    gcal_quiet_keep_all();
    fputs(j->n_printed++ ? ",\n" : HEAD "[\n", stdout);
    rc = json_dumpf(o, stdout, FLAGS);
    json_decref(o);
    return rc < 0 ? gcal_error_set(err, GCAL_EINPUT, "the audit could not be printed")
                  : 0;
}

static void add_type(void *context, const struct gcal_audit_fits *fits)
{
    const struct gcal_audit_device *d = fits->device;
    struct json *j = context;

    if (j->about->all || d->n_findings)
        json_array_append_new(
            j->types,
            json_pack("{s:o, s:o, s:s, s:I, s:o}", "type", gcal_audit_json_text(d->type),
                      "name", gcal_audit_json_text(d->name), "verdict",
                      gcal_audit_verdict_name(d->verdict), "fits", (json_int_t)fits->n,
                      "findings", findings_json(d)));
}

json_t *gcal_audit_json_policy(const struct gcal_audit_policy *p)
{
    return json_pack("{s:f, s:f, s:f, s:I, s:I}", "warn", p->warn, "fail", p->fail,
                     "false_alarms", p->false_alarms, "confirm", (json_int_t)p->confirm,
                     "of", (json_int_t)p->of);
}

json_t *gcal_audit_json_summary(const struct gcal_audit_summary *s)
{
    json_t *verdicts = json_object(), *unread = json_array();
    /* Of devices without a verdict, none is the worst. */
    enum gcal_audit_verdict worst =
        s->n_verdicts[GCAL_AUDIT_UNKNOWN] == s->n_devices ? GCAL_AUDIT_UNKNOWN : s->worst;

    for (int v = 0; v <= GCAL_AUDIT_UNKNOWN; v++)
        json_object_set_new(verdicts, gcal_audit_verdict_name((enum gcal_audit_verdict)v),
                            json_integer((json_int_t)s->n_verdicts[v]));
    for (size_t i = 0; i < s->n_unread; i++)
        json_array_append_new(unread,
                              json_pack("{s:o, s:o}", "node",
                                        gcal_audit_json_text(s->unread[i].node), "why",
                                        gcal_audit_json_text(s->unread[i].why)));
    return json_pack("{s:I, s:I, s:I, s:o, s:s, s:o}", "nodes", (json_int_t)s->n_nodes,
                     "devices", (json_int_t)s->n_devices, "calibrations",
                     (json_int_t)s->n_runs, "verdicts", verdicts, "worst",
                     gcal_audit_verdict_name(worst), "not_audited", unread);
}

static json_t *kernels_json(const struct gcal_observed *o)
{
    json_t *list = json_array();

    for (size_t i = 0; o && i < o->n; i++) {
        const struct gcal_observed_kernel *k = &o->kernels[i];

        if (k->drifts)
            json_array_append_new(
                list,
                json_pack("{s:o, s:s, s:o, s:o, s:o, s:f, s:I, s:I, s:b, s:s}", "kernel",
                          gcal_audit_json_text(k->kernel), "fingerprint", k->fingerprint,
                          "node", gcal_audit_json_text(k->node), "uid",
                          gcal_audit_json_text(k->uid), "name",
                          gcal_audit_json_text(k->device), "ratio", k->ratio, "times",
                          (json_int_t)k->n_times, "sizes", (json_int_t)k->n_sizes,
                          "all_of_device", (int)k->all_drift, "verdict",
                          gcal_audit_verdict_name(k->ratio > 1 ? GCAL_AUDIT_WARN
                                                               : GCAL_AUDIT_PASS)));
    }
    return list;
}

/* Takes the value. */
static void print_part(const char *before, json_t *value)
{
    fputs(before, stdout);
    json_dumpf(value, stdout, FLAGS);
    json_decref(value);
}

static int print_end(void *context, const struct gcal_audit_summary *s,
                     struct gcal_error *err)
{
    const struct json *j = context;

    (void)err;
    gcal_quiet_keep_all();
    print_part(j->n_printed ? "\n],\n\"types\": " : HEAD "[],\n\"types\": ",
               json_incref(j->types));
    print_part(",\n\"kernels\": ", kernels_json(j->about->observed));
    print_part(",\n\"policy\": ", gcal_audit_json_policy(&j->about->policy));
    print_part(",\n\"summary\": ", gcal_audit_json_summary(s));
    fputs("}\n", stdout);
    return 0;
}

static void release_json(void *context)
{
    json_decref(((struct json *)context)->types);
}

struct gcal_audit_output
gcal_audit_output_json(struct gcal_arena *arena,
                       const struct gcal_audit_output_options *about)
{
    struct json *j = gcal_arena_alloc(arena, 1, sizeof(*j));

    j->about = about;
    j->types = json_array();
    gcal_arena_own(arena, j, release_json);
    return (struct gcal_audit_output){
        .context = j, .device = print_device, .type = add_type, .end = print_end
    };
}
