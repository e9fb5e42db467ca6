/* diff.c - differences between two parameter files */
#include "store/params/diff.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

struct differ {
    struct gcal_params_diff *diff;
    size_t changes_capacity, notes_capacity;
    const struct gcal_params *before, *after;
    struct gcal_error *err;
};

void gcal_params_diff_clear(struct gcal_params_diff *diff)
{
    for (size_t i = 0; i < diff->n_notes; i++)
        free(diff->notes[i]);
    free(diff->notes);
    free(diff->changes);
    *diff = (struct gcal_params_diff){ 0 };
}

static int note(struct differ *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int note(struct differ *d, const char *fmt, ...)
{
    char **notes = gcal_array_grow(d->diff->notes, d->diff->n_notes, &d->notes_capacity,
                                   sizeof(*notes), d->err);
    char *text;
    va_list args;
    int length;

    if (!notes)
        return -1;
    d->diff->notes = notes;
    va_start(args, fmt);
    length = vasprintf(&text, fmt, args);
    va_end(args);
    if (length < 0)
        return gcal_error_memory(d->err);
    notes[d->diff->n_notes++] = text;
    return 0;
}

static int add(struct differ *d, const struct gcal_params_diff_change *change)
{
    struct gcal_params_diff_change *changes =
        gcal_array_grow(d->diff->changes, d->diff->n_changes, &d->changes_capacity,
                        sizeof(*changes), d->err);
    struct gcal_params_diff_change *c;
    double difference, error;

    if (!changes)
        return -1;
    d->diff->changes = changes;
    changes[d->diff->n_changes] = *change;
    c = &changes[d->diff->n_changes++];
    difference = c->after - c->before;
    error = hypot(c->before_error, c->after_error);
    c->change = difference == 0 ? 0 : difference / fabs(c->before);
    c->sigmas = difference == 0 ? 0 : fabs(difference) / error;
    c->noise = !(c->sigmas > GCAL_PARAMS_DIFF_SIGMAS);
    c->cost = strcmp(c->unit, "s") == 0 || strcmp(c->parameter, "factor") == 0;
    return 0;
}

static size_t find_parameter(const struct gcal_params_model *model, const char *name,
                             const char *unit)
{
    size_t i = 0;

    while (i < model->n_parameters &&
           (strcmp(model->parameter[i], name) != 0 || strcmp(model->unit[i], unit) != 0))
        i++;
    return i;
}

/* Notes the parameters of 'b' that 'a' lacks; 'what': "new" or "gone". */
static int note_missing(struct differ *d, const struct gcal_params_device *device,
                        const struct gcal_params_model *a,
                        const struct gcal_params_model *b, const char *what)
{
    for (size_t i = 0; i < b->n_parameters; i++)
        if (find_parameter(a, b->parameter[i], b->unit[i]) == a->n_parameters &&
            note(d, "%s: model %s: %s is %s", device->info.uid, b->name, b->parameter[i],
                 what) < 0)
            return -1;
    return 0;
}

static int compare_models(struct differ *d, const struct gcal_params_device *from,
                          const struct gcal_params_device *to,
                          const struct gcal_params_model *before,
                          const struct gcal_params_model *after)
{
    struct gcal_params_diff_change c = { .from = from,
                                         .to = to,
                                         .model = after->name,
                                         .parameter = "factor",
                                         .unit = "1",
                                         .before = before->factor,
                                         .after = after->factor,
                                         .before_error = before->factor_error,
                                         .after_error = after->factor_error };

    if (strcmp(before->form, after->form) != 0)
        return note(d, "%s: model %s: form %s became %s: not compared", to->info.uid,
                    after->name, before->form, after->form);
    if (strcmp(before->output, after->output) != 0)
        return note(d, "%s: model %s: its output %s became %s: not compared",
                    to->info.uid, after->name, before->output, after->output);
    if (note_missing(d, to, after, before, "gone") < 0 ||
        note_missing(d, to, before, after, "new") < 0 || add(d, &c) < 0)
        return -1;
    for (size_t i = 0; i < after->n_parameters; i++) {
        size_t k = find_parameter(before, after->parameter[i], after->unit[i]);

        if (k == before->n_parameters)
            continue;
        c.parameter = after->parameter[i];
        c.unit = after->unit[i];
        c.before = before->value[k];
        c.after = after->value[i];
        c.before_error = before->standard_error[k];
        c.after_error = after->standard_error[i];
        if (add(d, &c) < 0)
            return -1;
    }
    return 0;
}

/* ---- partners ---- */

/* The only device of that type whose uid 'other' lacks; NULL for none or several. */
static const struct gcal_params_device *alone_of_type(const struct gcal_params *params,
                                                      const struct gcal_params *other,
                                                      const char *type)
{
    const struct gcal_params_device *found = NULL;

    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *device = &params->devices[i];

        if (strcmp(device->info.type, type) != 0 ||
            gcal_params_find_uid(other, device->info.uid))
            continue;
        if (found)
            return NULL;
        found = device;
    }
    return found;
}

/* The partner in 'other' of a device of 'params'. */
static const struct gcal_params_device *partner(const struct gcal_params *other,
                                                const struct gcal_params *params,
                                                const struct gcal_params_device *device)
{
    const struct gcal_params_device *same = gcal_params_find_uid(other, device->info.uid);

    if (!same && alone_of_type(params, other, device->info.type))
        same = alone_of_type(other, params, device->info.type);
    return same;
}

static bool both_given_and_differ(const char *a, const char *b)
{
    return a && b && *a && *b && strcmp(a, b) != 0;
}

static int note_conditions(struct differ *d, const struct gcal_params_device *from,
                           const struct gcal_params_device *to)
{
    const char *uid = to->info.uid;

    if (strcmp(from->info.uid, uid) != 0 &&
        note(d, "%s is compared with %s, another device of type %s", uid, from->info.uid,
             to->info.type) < 0)
        return -1;
    if (strcmp(from->info.driver, to->info.driver) != 0 &&
        note(d, "%s: driver %s became %s", uid, from->info.driver, to->info.driver) < 0)
        return -1;
    if (both_given_and_differ(from->configuration, to->configuration) &&
        note(d, "%s: calibrated with another configuration", uid) < 0)
        return -1;
    if (both_given_and_differ(from->catalogue, to->catalogue) &&
        note(d, "%s: calibrated with other measurement kernels", uid) < 0)
        return -1;
    if (strcmp(from->gpucal_version, to->gpucal_version) != 0 &&
        note(d, "%s: gpucal %s became %s", uid, from->gpucal_version,
             to->gpucal_version) < 0)
        return -1;
    return 0;
}

static int note_alone(struct differ *d, const struct gcal_params *params,
                      const struct gcal_params *other, const char *what)
{
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_device_info *info = &params->devices[i].info;

        if (!partner(other, params, &params->devices[i]) &&
            note(d, "%s (%s) is %s", info->uid, info->name, what) < 0)
            return -1;
    }
    return 0;
}

static int compare_files(struct differ *d)
{
    const struct gcal_params_device *from, *to;

    for (size_t i = 0; i < d->after->n_devices; i++) {
        to = &d->after->devices[i];
        if ((from = partner(d->before, d->after, to)) && note_conditions(d, from, to) < 0)
            return -1;
    }
    if (note_alone(d, d->before, d->after, "gone") < 0 ||
        note_alone(d, d->after, d->before, "new") < 0)
        return -1;
    for (size_t i = 0; i < d->after->n_devices; i++) {
        const struct gcal_params_model *old;

        to = &d->after->devices[i];
        if (!(from = partner(d->before, d->after, to)))
            continue;
        d->diff->n_devices++;
        for (size_t j = 0; j < from->n_models; j++)
            if (!gcal_params_find_model(to, from->models[j].name) &&
                note(d, "%s: model %s is gone", to->info.uid, from->models[j].name) < 0)
                return -1;
        for (size_t j = 0; j < to->n_models; j++) {
            old = gcal_params_find_model(from, to->models[j].name);
            if (!old) {
                if (note(d, "%s: model %s is new", to->info.uid, to->models[j].name) < 0)
                    return -1;
            } else if (compare_models(d, from, to, old, &to->models[j]) < 0)
                return -1;
        }
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const struct gcal_params_diff_change *x = a, *y = b;
    double size_x = fabs(x->change), size_y = fabs(y->change);

    if (x->noise != y->noise)
        return x->noise ? 1 : -1;
    if (size_x != size_y)
        return size_x > size_y ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return strcmp(x->model, y->model) ? strcmp(x->model, y->model)
                                      : strcmp(x->parameter, y->parameter);
}

int gcal_params_diff_find(const struct gcal_params *before,
                          const struct gcal_params *after, struct gcal_params_diff *diff,
                          struct gcal_error *err)
{
    struct differ d = { .diff = diff, .before = before, .after = after, .err = err };

    *diff = (struct gcal_params_diff){ 0 };
    if (compare_files(&d) < 0) {
        gcal_params_diff_clear(diff);
        return -1;
    }
    if (diff->n_changes)
        qsort(diff->changes, diff->n_changes, sizeof(*diff->changes), by_size);
    return 0;
}
