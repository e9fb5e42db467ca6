/* origin.c - where a model comes from, and what it shares with its device */
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
