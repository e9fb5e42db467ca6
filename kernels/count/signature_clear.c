/* signature_clear.c - freeing a signature, for callers without the front end */
#include <stdlib.h>

#include "kernels/count/signature.h"

void gcal_count_signature_clear(struct gcal_count_signature *signature)
{
    for (size_t i = 0; i < signature->n_args; i++) {
        free(signature->args[i].name);
        free(signature->args[i].type);
        free(signature->args[i].dtype);
        free(signature->args[i].elements);
        free(signature->args[i].unknown);
        for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
            free(signature->args[i].extents[d]);
    }
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        free(signature->global_size[d]);
    free(signature->kernel);
    free(signature->args);
    *signature = (struct gcal_count_signature){ 0 };
}
