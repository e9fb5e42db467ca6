/* diff_params.c - differences between two parameter files, as tables and as JSON */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/store/diff.h"

int gcal_diff_params_status(const struct gcal_params_diff *diff,
                            const struct gcal_diff_view *view)
{
    int status = GCAL_OK;

    for (size_t i = 0; i < diff->n_changes; i++) {
        const struct gcal_params_diff_change *c = &diff->changes[i];

        if (c->noise || !c->cost || !(c->change > view->warn))
            continue;
        if (c->change > view->fail)
            return GCAL_EDRIFT;
        status = GCAL_EDRIFT_WARN;
    }
    return status;
}

/* The verdict on a change. */
static const char *word(const struct gcal_params_diff_change *c)
{
    if (c->noise)
        return c->change == 0 ? "same" : "noise";
    if (!c->cost)
        return "other";
    return c->change > 0 ? "slower" : "faster";
}

static const char *percent(double change, char text[16])
{
    if (isfinite(change))
        snprintf(text, 16, "%+.2f %%", 100 * change);
    else
        snprintf(text, 16, "from 0");
    return text;
}

static const char *sigmas(double value, char text[16])
{
    if (isfinite(value))
        snprintf(text, 16, "%.1f", value);
    else
        snprintf(text, 16, "-");
    return text;
}

static size_t count_real(const struct gcal_params_diff *diff)
{
    size_t n = 0;

    while (n < diff->n_changes && !diff->changes[n].noise)
        n++;
    return n;
}

void gcal_diff_params_print(const struct gcal_params_diff *diff,
                            const struct gcal_diff_view *view)
{
    size_t real = count_real(diff);

    printf("parameters of %s compared with %s\n", view->after, view->before);
    for (size_t i = 0; i < diff->n_notes; i++)
        printf("note: %s\n", diff->notes[i]);
    /* The devices in the order of their largest changes. */
    for (size_t i = 0; i < diff->n_changes; i++) {
        size_t first = 0;

        while (diff->changes[first].to != diff->changes[i].to)
            first++;
        if (first == i) {
            bool head = false;

            for (size_t j = 0; j < diff->n_changes; j++) {
                const struct gcal_params_diff_change *c = &diff->changes[j];
                char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE], change[16],
                    errors[16];

                if (c->to != diff->changes[i].to || (c->noise && !view->all))
                    continue;
                if (!head)
                    printf("%s (%s)\n  %-6s %9s %7s %12s %12s  %s\n",
                           diff->changes[i].to->info.name, diff->changes[i].to->info.uid,
                           "", "change", "errors", "before", "after", "parameter");
                head = true;
                printf("  %-6s %9s %7s %12s %12s  %s %s\n", word(c),
                       percent(c->change, change), sigmas(c->sigmas, errors),
                       gcal_units(c->before, c->unit, before),
                       gcal_units(c->after, c->unit, after), c->model, c->parameter);
            }
        }
    }
    printf("%zu device%s compared: %zu of %zu parameters differ by more than %d standard "
           "errors%s\n",
           diff->n_devices, diff->n_devices == 1 ? "" : "s", real, diff->n_changes,
           GCAL_PARAMS_DIFF_SIGMAS,
           view->all || real == diff->n_changes ? ""
                                                : "; --all prints the others as well");
}

static json_t *change_json(const struct gcal_params_diff_change *c)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "device", c->to->info.uid,
                  "device_before", c->from->info.uid, "model", c->model, "parameter",
                  c->parameter, "unit", c->unit, "what", word(c), "noise", (int)c->noise);

    json_object_set_new(object, "before", gcal_json_number(c->before));
    json_object_set_new(object, "after", gcal_json_number(c->after));
    json_object_set_new(object, "before_error", gcal_json_number(c->before_error));
    json_object_set_new(object, "after_error", gcal_json_number(c->after_error));
    json_object_set_new(object, "change", gcal_json_number(c->change));
    json_object_set_new(object, "standard_errors", gcal_json_number(c->sigmas));
    return object;
}

json_t *gcal_diff_params_json(const struct gcal_params_diff *diff,
                              const struct gcal_diff_view *view)
{
    json_t *changes = json_array(), *notes = json_array();

    for (size_t i = 0; i < diff->n_changes; i++)
        if (view->all || !diff->changes[i].noise)
            json_array_append_new(changes, change_json(&diff->changes[i]));
    for (size_t i = 0; i < diff->n_notes; i++)
        json_array_append_new(notes, json_string(diff->notes[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:i}", "compared",
                     "parameters", "before", view->before, "after", view->after,
                     "devices", (json_int_t)diff->n_devices, "parameters",
                     (json_int_t)diff->n_changes, "differ", (json_int_t)count_real(diff),
                     "notes", notes, "changes", changes, "exit_status",
                     gcal_diff_params_status(diff, view));
}
