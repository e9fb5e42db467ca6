/* origin.c - tables of fields; where a model comes from, and what it shares with its device */
#include <string.h>

#include "store/params/params.h"

#define ORIGIN(...) GCAL_FIELD(struct gcal_params_origin, __VA_ARGS__)

const struct gcal_field gcal_params_origin_fields[] = {
    ORIGIN(TEXT, "run_id", run_id, NULL, "run that it was fitted to"),
    ORIGIN(TEXT, "calibrated_utc", calibrated_utc, NULL, "time of the calibration"),
    ORIGIN(TEXT, "gpucal_version", gpucal_version, NULL, "version of gpucal"),
    ORIGIN(TEXT, "configuration", configuration, NULL,
           "fingerprint of the model's part of the configuration"),
    ORIGIN(TEXT, "catalogue", catalogue, NULL, "fingerprint of the catalogue"),
    ORIGIN(TEXT, "driver", driver, NULL, "driver of the device"),
    ORIGIN(TEXT, "type", type, NULL, "type of the device"),
    ORIGIN(U64, "fitted", n_fitted, NULL, "devices in the pooled fit"),
    { 0 },
};

#define DEVICE(...) GCAL_FIELD(struct gcal_params_device, __VA_ARGS__)

const struct gcal_field gcal_params_run_fields[] = {
    DEVICE(TEXT, "run_id", run_id, NULL, "latest run that calibrated the device"),
    DEVICE(TEXT, "calibrated_utc", calibrated_utc, NULL, "time of the calibration"),
    DEVICE(TEXT, "gpucal_version", gpucal_version, NULL, "version of gpucal"),
    DEVICE(TEXT, "configuration", configuration, NULL,
           "fingerprint of the configuration"),
    DEVICE(TEXT, "catalogue", catalogue, NULL, "fingerprint of the catalogue"),
    DEVICE(U64, "fitted", n_fitted, NULL, "devices in the pooled fit"),
    { 0 },
};

#define MODEL(...) GCAL_FIELD(struct gcal_params_model, __VA_ARGS__)

const struct gcal_field gcal_params_fit_fields[] = {
    MODEL(U64, "kernels", n_kernels, NULL, "kernels that it was fitted to"),
    MODEL(U64, "samples", n_samples, NULL, "their samples"),
    MODEL(F64, "residual", residual, "1", "root mean square of relative residuals"),
    MODEL(F64, "mean_error", mean_error, "1", "geometric mean of relative residuals"),
    MODEL(F64, "worst_error", worst_error, "1", "largest relative residual"),
    MODEL(F64, "condition", condition, "1", "condition number", .optional = true),
    MODEL(U64, "held_out", n_held_out, NULL, "predictions without their kernel"),
    MODEL(F64, "held_out_rms", held_out_rms, "1", "root mean square of their errors"),
    MODEL(F64, "error_90", error_90, "1", "90 % bound of their errors"),
    MODEL(F64, "absolute_error_90_s", absolute_error_90_s, "s",
          "bound of absolute errors, instead", .optional = true),
    MODEL(F64, "spread_types", spread_types, "1", "of a kernel between device types",
          .optional = true),
    MODEL(F64, "spread_devices", spread_devices, "1",
          "of a kernel between devices of the type", .optional = true),
    { 0 },
};

struct gcal_params_origin
gcal_params_model_origin(const struct gcal_params_device *device,
                         const struct gcal_params_model *model)
{
    struct gcal_params_origin origin = {
        .run_id = device->run_id,
        .calibrated_utc = device->calibrated_utc,
        .gpucal_version = device->gpucal_version,
        .configuration = device->configuration,
        .catalogue = device->catalogue,
        .driver = device->info.driver,
        .type = device->info.type,
        .n_fitted = device->n_fitted,
    };

    for (const struct gcal_field *f = gcal_params_origin_fields; f->name; f++)
        if (f->type == GCAL_FIELD_TEXT) {
            char *own = *(char *const *)((const char *)&model->origin + f->offset);

            if (own)
                *(char **)((char *)&origin + f->offset) = own;
        }
    if (model->origin.n_fitted)
        origin.n_fitted = model->origin.n_fitted;
    return origin;
}

static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool gcal_params_model_is_current(const struct gcal_params_device *device,
                                  const struct gcal_params_model *model)
{
    struct gcal_params_origin origin = gcal_params_model_origin(device, model);

    return is_same(origin.driver, device->info.driver) &&
           is_same(origin.type, device->info.type);
}
