/* baselines.c - models that the evaluated ones are compared with */
#include "mpi/commands/predict/baselines.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/select/select.h"
#include "mpi/commands/predict/inputs.h"

/* In a parameter file beside the evaluated models. */
static const char *const names[] = { "roofline", "linear", "overlap" };

/* ---- which models ---- */

static int add(struct gcal_baselines *b, char *label,
               const struct gcal_params_device *device,
               const struct gcal_params_model *model, struct gcal_error *err)
{
    struct gcal_baseline *grown =
        label ? realloc(b->items, (b->n + 1) * sizeof(*grown)) : NULL;

    if (!grown) {
        free(label);
        return gcal_error_memory(err);
    }
    b->items = grown;
    grown[b->n++] = (struct gcal_baseline){ label, device, model };
    return 0;
}

static int take_named(const struct gcal_params_device *device, struct gcal_baselines *b,
                      struct gcal_error *err)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct gcal_params_model *model = gcal_params_find_model(device, names[i]);

        if (model && add(b, strdup(model->name), device, model, err) < 0)
            return -1;
    }
    if (b->n)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "device %s has no published model roofline, linear or overlap; "
                          "--baseline=FILE names a parameter file with others",
                          device->info.name);
}

/* The device itself, or another of its type. */
static const struct gcal_params_device *find_device(const struct gcal_params *params,
                                                    const struct gcal_device_info *wanted)
{
    const struct gcal_params_device *device = gcal_params_find_uid(params, wanted->uid);

    for (size_t i = 0; i < params->n_devices && !device; i++)
        if (strcmp(params->devices[i].info.type, wanted->type) == 0)
            device = &params->devices[i];
    return device;
}

static char *label(const struct gcal_params_model *model, const char *file,
                   const struct gcal_params_device *evaluated)
{
    const char *slash = strrchr(file, '/');

    if (!gcal_params_find_model(evaluated, model->name))
        return strdup(model->name);
    return gcal_buf_format("%s of %s", model->name, slash ? slash + 1 : file);
}

static int take_file(const char *file, const struct gcal_params_device *evaluated,
                     struct gcal_baselines *b, struct gcal_error *err)
{
    const struct gcal_params_device *device;

    if (gcal_predict_params_read(file, &b->params, err) < 0)
        return -1;
    if (!(device = find_device(&b->params, &evaluated->info)))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s has neither device %s nor another of its type (%s)",
                              file, evaluated->info.name, evaluated->info.type);
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_model *model = &device->models[i];

        if (gcal_params_model_is_general(model) &&
            add(b, label(model, file, evaluated), device, model, err) < 0)
            return -1;
    }
    return b->n
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "%s has no general model for device %s",
                                file, device->info.name);
}

int gcal_baselines_open(const char *file, const struct gcal_params_device *device,
                        struct gcal_baselines *b, struct gcal_error *err)
{
    return file ? take_file(file, device, b, err) : take_named(device, b, err);
}

void gcal_baselines_clear(struct gcal_baselines *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->items[i].label);
    free(b->items);
    gcal_params_clear(&b->params);
    *b = (struct gcal_baselines){ 0 };
}

/* ---- predictions ---- */

void gcal_baselines_add_counting(const struct gcal_baselines *b,
                                 struct gcal_kernel_counting *counting)
{
    for (size_t i = 0; i < b->n; i++)
        gcal_select_add_counting(b->items[i].model->n_features,
                                 (const char *const *)b->items[i].model->feature,
                                 counting);
}

/* Whether an evaluated model predicts the kernel. */
static bool is_predicted(const struct gcal_evaluation *e, size_t n_rows,
                         const struct gcal_measured_kernel *k)
{
    for (size_t i = 0; i < n_rows; i++)
        if (e->rows[i].of == k && gcal_evaluation_row_is_complete(&e->rows[i]))
            return true;
    return false;
}

int gcal_baselines_compare(const struct gcal_baselines *b,
                           const struct gcal_measured_kernels *measured,
                           struct gcal_evaluation *e, struct gcal_error *err)
{
    size_t n_rows = e->n;

    for (size_t i = 0; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];

        if (!is_predicted(e, n_rows, k))
            continue;
        for (size_t m = 0; m < b->n; m++) {
            const struct gcal_evaluation_model by = { .device = b->items[m].device,
                                                      .name = b->items[m].model->name,
                                                      .baseline = b->items[m].label };

            if (gcal_evaluation_add_kernel(e, k, &by, err) < 0)
                return -1;
        }
    }
    gcal_evaluation_sort(e);
    return 0;
}
