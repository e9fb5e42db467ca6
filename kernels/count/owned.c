/* owned.c - freeing what callers own, who have it without the front end's module */
#include <stdlib.h>

#include "kernels/count/count.h"
#include "kernels/count/signature.h"

void gcal_count_description_clear(struct gcal_count_description *d)
{
    gcal_strings_clear(&d->kernels);
    gcal_strings_clear(&d->arguments);
    gcal_strings_clear(&d->sizes);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        free(d->launch.grid[i]);
    *d = (struct gcal_count_description){ 0 };
}

void gcal_count_signature_clear(struct gcal_count_signature *signature)
{
    for (size_t i = 0; i < signature->n_args; i++) {
        free(signature->args[i].name);
        free(signature->args[i].type);
        free(signature->args[i].dtype);
        free(signature->args[i].members);
        free(signature->args[i].elements);
        free(signature->args[i].unknown);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            free(signature->args[i].extents[d]);
    }
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        free(signature->global_size[d]);
    free(signature->kernel);
    free(signature->device_text);
    free(signature->args);
    *signature = (struct gcal_count_signature){ 0 };
}
