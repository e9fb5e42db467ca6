/* json.c - a ranked space as JSON */
#include <math.h>
#include <stdlib.h>

#include "mpi/cli/json.h"
#include "mpi/commands/tune/private.h"

/* An integer where it is one, else the text. */
static json_t *value_json(const char *value)
{
    char *end;
    long long number;

    if (!value)
        return json_null();
    number = strtoll(value, &end, 10);
    return *end || end == value ? json_string(value) : json_integer(number);
}

json_t *gcal_tune_config_json(const struct gcal_tune_space *space, size_t config)
{
    json_t *object = json_object();

    for (size_t i = 0; i < space->n_parameters; i++)
        json_object_set_new(object, space->parameters[i].name,
                            value_json(gcal_tune_value(space, config, i)));
    return object;
}

static json_t *place_json(const struct gcal_tune_space *space, size_t place)
{
    size_t config = space->ranking[place];
    const struct gcal_tune_config *c = &space->configs[config];
    json_t *object = json_pack(
        "{s:o, s:o}", "place",
        place < space->n_covered ? json_integer((json_int_t)place + 1) : json_null(),
        "configuration", gcal_tune_config_json(space, config));

    if (c->not_predicted) {
        json_object_set_new(object, "not_predicted", json_string(c->not_predicted));
        return object;
    }
    json_object_set_new(object, "time_s", gcal_json_number(c->predicted_s));
    json_object_set_new(object, "low_s", gcal_json_number(c->low_s));
    json_object_set_new(object, "high_s", gcal_json_number(c->high_s));
    json_object_set_new(object, "not_covered", json_real(c->not_covered));
    json_object_set_new(object, "extrapolates", json_boolean(c->extrapolates));
    json_object_set_new(object, "probability_faster_than_first",
                        gcal_json_number(place ? c->beats_first : NAN));
    return object;
}

json_t *gcal_tune_json(const struct gcal_tune_space *space)
{
    json_t *left_out = json_array(), *ranking = json_array();
    size_t n_equal = gcal_tune_count_equal(space);

    for (size_t i = 0; i < space->n_reasons; i++)
        json_array_append_new(left_out, json_string(space->reasons[i]));
    for (size_t i = 0; i < space->n_configs; i++)
        json_array_append_new(ranking, place_json(space, i));
    json_t *object = json_object();
    for (size_t i = 0; i < space->n_parameters; i++) {
        const struct gcal_tune_parameter *p = &space->parameters[i];
        json_t *values = json_array();

        for (size_t k = 0; k < p->n_values; k++)
            if (p->values[k])
                json_array_append_new(values, value_json(p->values[k]));
        json_object_set_new(object, p->name, values);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:o}", "node",
        space->node, "device", space->device, "model", space->model, "kernel",
        space->kernel, "parameters", object, "configurations",
        (json_int_t)space->n_configs, "n_left_out", (json_int_t)space->n_left_out,
        "left_out", left_out, "median_s", gcal_json_number(gcal_tune_median_s(space)),
        "probability_first_is_fastest",
        gcal_json_number(space->n_covered ? space->fastest : NAN), "not_distinguished",
        (json_int_t)(n_equal ? n_equal - 1 : 0), "ranking", ranking);
}
