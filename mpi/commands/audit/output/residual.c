/* residual.c - residuals of published fits */
#include "mpi/commands/audit/output/residual.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/files/store.h"
#include "store/params/params.h"

void gcal_audit_residuals_clear(struct gcal_audit_residuals *r)
{
    gcal_params_index_destroy(r->index);
    free(r->node);
    r->index = NULL;
    r->node = NULL;
}

/* A file that cannot be read is no index: the audit is of tracks, and says what it misses. */
static void open_node(struct gcal_audit_residuals *r, const char *node)
{
    if (r->node && strcmp(r->node, node) == 0)
        return;
    gcal_audit_residuals_clear(r);
    if (r->store && (r->node = strdup(node)))
        r->index = gcal_store_load_index(r->store, node, NULL, NULL);
}

/* Of the model by its name; *is_general as it is. */
static double residual_of(struct gcal_audit_residuals *r, size_t device,
                          const char *model, bool *is_general)
{
    struct gcal_params_device d = { 0 };
    double residual = NAN;

    if (gcal_params_index_models(r->index, device, model, &d, NULL) == 0 && d.n_models) {
        residual = d.models[0].residual;
        *is_general = gcal_params_model_is_general(&d.models[0]);
    }
    gcal_params_index_models_clear(&d);
    return residual;
}

/* Models are decoded up to the general one. */
static double residual_of_device(struct gcal_audit_residuals *r, size_t device)
{
    const struct gcal_params_device *d =
        &gcal_params_index_devices(r->index)->devices[device];
    double first = NAN;
    bool is_general = false;

    for (size_t i = 0; i < d->n_models; i++) {
        double residual = residual_of(r, device, d->models[i].name, &is_general);

        if (is_general)
            return residual;
        if (i == 0)
            first = residual;
    }
    return first;
}

double gcal_audit_residual(struct gcal_audit_residuals *r, const char *node,
                           const char *uid)
{
    const struct gcal_params *params;

    open_node(r, node);
    if (!r->index)
        return NAN;
    params = gcal_params_index_devices(r->index);
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].info.uid, uid) == 0)
            return residual_of_device(r, i);
    return NAN;
}
