/* kept.c - the models that are not measured on a device */
#include "calib/config/config.h"
#include "mpi/ranks/ranks.h"

void gcal_ranks_set_kept(struct gcal_config *config, char *kept)
{
    const struct gcal_run_device device = { .kept = kept };

    for (size_t i = 0; i < config->n_models; i++)
        config->models[i].kept = gcal_run_device_keeps(&device, config->models[i].name);
}
