/* compare.c - predictions of measured kernels by the published models, and by baselines */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/select/select.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/predict/kernel_names.h"
#include "store/predict/predictor.h"

/* ---- baselines ---- */

static void add_baseline(struct gcal_evaluation_targets *t, const char *label,
                         const struct gcal_params_device *device,
                         const struct gcal_params_model *model, size_t *capacity)
{
    struct gcal_baseline *items = gcal_arena_grow(
        t->arena, (void *)t->baselines, t->n_baselines, capacity, sizeof(*items));

    items[t->n_baselines++] = (struct gcal_baseline){ label, device, model };
    t->baselines = items;
}

GCAL_ARENA_DESTROYER(clear_params, gcal_params_clear)

/* The general models of a file. */
static int read_baselines(struct gcal_evaluation_targets *t, const char *file,
                          struct gcal_error *err)
{
    const struct gcal_device_info *wanted = &t->published->info;
    struct gcal_params *params = gcal_arena_alloc(t->arena, 1, sizeof(*params));
    const struct gcal_params_device *device;
    const char *slash = strrchr(file, '/');
    size_t capacity = 0;

    gcal_arena_own(t->arena, params, clear_params);
    if (gcal_predict_params_read(file, params, err) < 0)
        return -1;
    device = gcal_params_find_uid(params, wanted->uid);
    for (size_t i = 0; i < params->n_devices && !device; i++)
        if (strcmp(params->devices[i].info.type, wanted->type) == 0)
            device = &params->devices[i];
    if (!device)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s has neither device %s nor another of its type (%s)",
                              file, wanted->name, wanted->type);
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_model *model = &device->models[i];
        bool is_taken = gcal_params_find_model(t->published, model->name);

        if (gcal_params_model_is_general(model))
            add_baseline(t,
                         is_taken ? gcal_arena_format(t->arena, "%s of %s", model->name,
                                                      slash ? slash + 1 : file)
                                  : model->name,
                         device, model, &capacity);
    }
    if (t->n_baselines)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s has no general model for device %s", file,
                          device->info.name);
}

int gcal_evaluation_open_baselines(struct gcal_evaluation_targets *t, const char *file,
                                   struct gcal_error *err)
{
    static const char *const names[] = { "roofline", "linear", "overlap" };
    size_t capacity = 0;

    if (file)
        return read_baselines(t, file, err);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct gcal_params_model *model =
            gcal_params_find_model(t->published, names[i]);

        if (model)
            add_baseline(t, model->name, t->published, model, &capacity);
    }
    if (t->n_baselines)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "device %s has no published model roofline, linear or overlap; "
                          "--baseline=FILE names a parameter file with others",
                          t->published->info.name);
}

struct gcal_kernel_counting
gcal_evaluation_counting(const struct gcal_evaluation_targets *t, const char *model,
                         const struct gcal_device_info *info)
{
    struct gcal_kernel_counting counting = gcal_predict_counting(t->published, model);

    counting.sub_group_size = info->sub_group_size;
    for (size_t i = 0; i < t->n_baselines; i++)
        gcal_select_add_counting(t->baselines[i].model->n_features,
                                 (const char *const *)t->baselines[i].model->feature,
                                 &counting);
    return counting;
}

/* ---- which kernels ---- */

/* "n:1024,2048" */
static bool has_argument(const char *kernel, const char *tag, const char *colon)
{
    char name[64];
    const char *value;
    size_t length, name_length = (size_t)(colon - tag);

    if (name_length >= sizeof(name))
        return false;
    memcpy(name, tag, name_length);
    name[name_length] = '\0';
    if (!(value = gcal_kernel_name_argument(kernel, name, &length)))
        return false;
    for (const char *at = colon + 1;; at++) {
        size_t item = strcspn(at, ",");

        if (item == length && strncmp(at, value, length) == 0)
            return true;
        at += item;
        if (!*at)
            return false;
    }
}

bool gcal_evaluation_has_tags(const struct gcal_evaluation_targets *t, const char *name,
                              size_t n_own, char *const *own)
{
    bool any_plain = false, has_one = false;

    for (size_t i = 0; i < t->n_tags; i++) {
        const char *colon = strchr(t->tags[i], ':');

        if (colon && !has_argument(name, t->tags[i], colon))
            return false;
        any_plain = any_plain || !colon;
        for (size_t k = 0; !colon && k < n_own; k++)
            has_one = has_one || strcmp(own[k], t->tags[i]) == 0;
    }
    return has_one || !any_plain;
}

/* Returns whether the kernel is a target of 'model', or of any if that suffices. */
static bool is_wanted(const struct gcal_evaluation_targets *t,
                      const struct gcal_measured_kernel *k, const char *model)
{
    const struct gcal_kernel_uses *uses = &k->kernel.uses;
    bool any = false;

    for (size_t i = 0; i < uses->n; i++)
        any = any || uses->items[i].role == GCAL_KERNEL_TARGET;
    return k->measured && (!t->model || strcmp(t->model, model) == 0) &&
           (t->all_targets ? any
                           : gcal_kernel_uses_have(uses, model, GCAL_KERNEL_TARGET));
}

/* A kernel of a record that tags select. */
static bool is_tagged(const struct gcal_evaluation_targets *t,
                      const struct gcal_measured_kernel *k)
{
    return k->measured &&
           gcal_evaluation_has_tags(t, k->kernel.name, 1, &k->kernel.generator);
}

bool gcal_evaluation_selects(const struct gcal_evaluation_targets *t,
                             const struct gcal_measured_kernel *k)
{
    if (t->selects)
        return is_tagged(t, k);
    for (size_t i = 0; i < t->published->n_models; i++)
        if (is_wanted(t, k, t->published->models[i].name))
            return true;
    return false;
}

int gcal_evaluation_add_use(const struct gcal_evaluation_targets *t,
                            struct gcal_measured_kernel *k, struct gcal_error *err)
{
    struct gcal_profile *profile =
        k->uncounted ? NULL : gcal_run_kernel_profile(&k->kernel, err);
    const struct gcal_profile *known = profile;
    const struct gcal_params_model *model =
        (profile &&
         gcal_predict_device_add_learned(t->options, t->opened, profile, err) == 0) ||
                k->uncounted
            ? gcal_predictor_choose(t->published, t->model, known ? 1 : 0, &known, err)
            : NULL;

    gcal_profile_destroy(profile);
    return model ? gcal_kernel_uses_add(&k->kernel.uses, model->name, GCAL_KERNEL_TARGET,
                                        err)
                 : -1;
}

/* ---- predicting ---- */

static int predict_row(struct gcal_arena *arena, struct gcal_evaluation_row *row,
                       const struct gcal_profile *profile,
                       const struct gcal_params_device *device, const char *model,
                       struct gcal_error *err)
{
    const struct gcal_measured_kernel *k = row->of;
    struct gcal_predictor *predictor;
    struct gcal_prediction p;
    int rc;

    if (!profile)
        return gcal_error_set(err, GCAL_EINPUT, "%s", k->uncounted);
    if (!(predictor = gcal_predictor_create(device, model, profile, err)))
        return -1;
    if (row->baseline)
        gcal_predictor_disregard_gaps(predictor);
    if ((rc = gcal_predictor_eval(predictor, k->kernel.size_values, &p, NULL, err)) ==
        0) {
        row->predicted_s = p.time_s;
        row->low_s = p.low_s;
        row->high_s = p.high_s;
        row->extrapolates = p.extrapolates;
        row->not_covered = p.not_covered;
        row->estimated = p.estimated;
        row->roof = p.roof ? gcal_arena_strdup(arena, p.roof) : NULL;
        row->class = gcal_arena_strdup(arena, p.class);
    }
    gcal_predictor_destroy(predictor);
    return rc;
}

/* "n:2048 m:4", in the order in which the kernel is counted. */
static const char *name_sizes(struct gcal_arena *arena, const struct gcal_run_kernel *k)
{
    const char *name = "";

    for (size_t i = 0; i < k->n_sizes; i++)
        name = gcal_arena_format(arena, "%s%s%s:%.15g", name, i ? " " : "",
                                 k->size_names[i], k->size_values[i]);
    return name;
}

/* Appends a row by the model of that name (NULL: the one that is chosen), which is that of a
 * baseline if 'label' is not NULL.  What cannot be predicted says why.
 */
static int add_row(struct gcal_evaluation *e, const struct gcal_measured_kernel *k,
                   const struct gcal_params_device *device, const char *name,
                   const char *label, struct gcal_error *err)
{
    struct gcal_profile *counts =
        k->uncounted ? NULL : gcal_measured_kernel_profile(k, device->info.type, err);
    const struct gcal_profile *profile = counts;
    const char *generator = k->kernel.generator;
    const struct gcal_params_model *model = NULL;
    struct gcal_evaluation_row *row;
    struct gcal_error why = { 0 };

    if (profile || k->uncounted)
        model = gcal_predictor_choose(device, name, profile ? 1 : 0, &profile, err);
    if (model) {
        row = gcal_evaluation_add(e);
        row->of = k;
        row->baseline = label;
        row->general = gcal_params_model_is_general(model);
        row->model = label ? label : model->name;
        row->kernel = k->kernel.name;
        row->generator = generator;
        row->application =
            gcal_arena_format(e->arena, "%.*s", (int)strcspn(generator, "_"), generator);
        row->variant = k->kernel.variant;
        row->sizes = name_sizes(e->arena, &k->kernel);
        row->status = gcal_measurement_status_name(k->status);
        row->detail = k->detail;
        if (k->status == GCAL_MEASUREMENT_GOOD && k->n_samples) {
            row->measured_s = k->time_s;
            row->spread = k->spread;
            row->n_samples = k->n_samples;
            row->detail = NULL;
        }
        if (predict_row(e->arena, row, profile, device, model->name, &why) < 0)
            row->detail = gcal_arena_strdup(e->arena, why.text);
    }
    gcal_profile_destroy(counts);
    return model ? 0 : -1;
}

/* For every kernel that an evaluated model predicts. */
static int add_baseline_rows(const struct gcal_evaluation_targets *t,
                             const struct gcal_measured_kernels *measured,
                             struct gcal_evaluation *e, struct gcal_error *err)
{
    size_t n_rows = e->n;

    for (size_t i = 0; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];
        bool predicted = false;

        for (size_t r = 0; r < n_rows; r++)
            predicted = predicted || (e->rows[r].of == k &&
                                      gcal_evaluation_row_is_complete(&e->rows[r]));
        for (size_t m = 0; m < t->n_baselines && predicted; m++) {
            const struct gcal_baseline *b = &t->baselines[m];

            if (add_row(e, k, b->device, b->model->name, b->label, err) < 0)
                return -1;
        }
    }
    return 0;
}

int gcal_evaluation_compare(const struct gcal_evaluation_targets *t,
                            const struct gcal_measured_kernels *measured,
                            struct gcal_evaluation *e, struct gcal_error *err)
{
    const struct gcal_params_device *device = t->published;

    for (size_t m = 0; m < (t->selects ? 1 : device->n_models); m++)
        for (size_t i = 0; i < measured->n; i++) {
            const struct gcal_measured_kernel *k = &measured->kernels[i];
            const char *name = t->selects ? t->model : device->models[m].name;

            if ((t->selects ? is_tagged(t, k) : is_wanted(t, k, name)) &&
                add_row(e, k, device, name, NULL, err) < 0)
                return -1;
        }
    if (add_baseline_rows(t, measured, e, err) < 0 ||
        (t->seen && gcal_evaluation_correct(t, e, err) < 0))
        return -1;
    gcal_evaluation_sort(e);
    gcal_evaluation_find_sets(e);
    return 0;
}

/* ---- what is not published ---- */

const char *gcal_evaluation_missing(const struct gcal_evaluation_targets *t,
                                    const struct gcal_measured_kernels *measured)
{
    struct gcal_strings missing = { 0 };
    const char *all = "";

    for (size_t i = 0; i < measured->n && !t->selects; i++) {
        const struct gcal_kernel_uses *uses = &measured->kernels[i].kernel.uses;

        for (size_t k = 0; k < uses->n; k++) {
            const char *model = uses->items[k].model;

            if (uses->items[k].role == GCAL_KERNEL_TARGET &&
                (!t->model || (!t->all_targets && strcmp(t->model, model) == 0)) &&
                !gcal_params_find_model(t->published, model))
                gcal_strings_include(&missing, model, NULL);
        }
    }
    for (size_t i = 0; i < missing.n; i++)
        all = gcal_arena_format(t->arena, "%s%s%s", all, i ? ", " : "", missing.items[i]);
    gcal_strings_clear(&missing);
    return all;
}
