/* json.c - an explanation as JSON */
#include <math.h>

#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"
#include "mpi/commands/predict/remarks/remarks.h"

static json_t *limits_json(const struct gcal_explain_limits *l)
{
    json_t *list = json_array();

    for (size_t i = 0; i < l->n_limits; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:f, s:f, s:f}", "limit", l->limits[i].name,
                            "what", gcal_explain_words(l->limits[i].name), "alone_s",
                            l->limits[i].alone_s, "adds_s", l->limits[i].adds_s, "share",
                            l->limits[i].adds_s / l->time_s));
    return list;
}

/* Its shares of the limits that it is part of. */
static json_t *shares_json(const struct gcal_explain_case *c,
                           const struct gcal_explain_cost *cost)
{
    json_t *shares = json_object();

    for (size_t i = 0; i < c->lab->n_roofs; i++)
        if (fabs(cost->of_limit[i]) > 1e-6)
            json_object_set_new(shares, c->lab->names[i + 1],
                                json_real(cost->of_limit[i]));
    return shares;
}

static json_t *costs_json(const struct gcal_explain_case *c)
{
    const struct gcal_explain_limits *l = &c->limits;
    json_t *list = json_array();

    for (size_t i = 0; i < l->n_costs; i++) {
        const struct gcal_explain_cost *cost = &l->costs[i];
        const char *unit = gcal_explain_unit_names[cost->unit];
        json_t *one = json_pack(
            "{s:s, s:s, s:s, s:o, s:f, s:f, s:f, s:o}", "cost", cost->parameter,
            "counted", cost->counted, "per", cost->granularity, "count",
            gcal_json_number(cost->count), "cost_s", cost->cost_s, "adds_s", cost->adds_s,
            "share", cost->adds_s / l->time_s, "of_limits", shares_json(c, cost));

        if (*unit && isfinite(cost->rate)) {
            json_object_set_new(one, "rate", json_real(cost->rate));
            json_object_set_new(one, "measured_rate", gcal_json_number(cost->peak));
            json_object_set_new(one, "measured_rate_per_clock",
                                gcal_json_number(cost->per_clock));
            json_object_set_new(one, "vendor_rate", gcal_json_number(cost->vendor));
            json_object_set_new(one, "unit", json_string(unit));
        }
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *occupancy_json(const struct gcal_explain_occupancy *o)
{
    json_t *bounds = json_array();

    for (size_t i = 0; i < o->n_bounds; i++)
        json_array_append_new(bounds, json_pack("{s:s, s:f}", "by", o->bounds[i].by,
                                                "groups", o->bounds[i].groups));
    return json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:b, s:o, s:o}", "occupancy",
        o->occupancy, "reached", o->achieved, "resident_groups", o->resident,
        "group_items", o->items, "groups", o->groups, "waves", o->waves, "last_wave",
        o->last_wave, "registers", gcal_json_number(o->registers), "built", (int)o->built,
        "local_memory_bytes", gcal_json_number(o->local_bytes), "bounds", bounds);
}

json_t *gcal_explain_json(const struct gcal_explain_case *c, struct gcal_error *err)
{
    const struct gcal_predict_device *d = &c->subject->published;
    const struct gcal_profile *profile = c->subject->target.profile;
    const struct gcal_prediction *p = &c->prediction;
    json_t *gaps = gcal_gaps_json(c->lab->predictor, c->sizes), *notes, *all;

    all = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:s?, s:s, s:f, s:b, s:f, s:o}",
        "kernel", profile->kernel, "sizes",
        gcal_json_sizes(profile->n_parameters, profile->parameters, c->sizes), "node",
        d->params.node, "device", d->device->info.name, "device_uid", d->device->info.uid,
        "model", gcal_predictor_model(c->lab->predictor), "time_s", p->time_s, "low_s",
        p->low_s, "high_s", p->high_s, "limited_by",
        c->limits.n_limits ? c->limits.limits[0].name : NULL, "sentence", c->sentence,
        "estimated", p->estimated, "extrapolates", (int)p->extrapolates, "not_covered",
        p->not_covered, "gaps", gaps);
    json_object_set_new(all, "notes", notes = json_array());
    for (size_t i = 0; i < profile->n_notes; i++)
        json_array_append_new(notes, json_string(profile->notes[i]));
    json_object_set_new(all, "limits", limits_json(&c->limits));
    json_object_set_new(all, "other_s", json_real(c->limits.other_s));
    json_object_set_new(all, "costs", costs_json(c));
    if (c->occupancy.known)
        json_object_set_new(all, "occupancy", occupancy_json(&c->occupancy));
    gcal_explain_accesses_add_json(all, &c->accesses);
    if (gcal_explain_step_add_json(all, c, err) < 0) {
        json_decref(all);
        return NULL;
    }
    json_object_set_new(all, "advice", gcal_explain_changes_json(&c->advice));
    if (c->asked.n)
        json_object_set_new(all, "what_if", gcal_explain_changes_json(&c->asked));
    if (c->measured)
        json_object_set_new(all, "measured", gcal_explain_measured_json(c->measured));
    return all;
}
