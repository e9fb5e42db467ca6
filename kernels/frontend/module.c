/* module.c - the functions of the module */
#include "kernels/frontend/frontend.h"
#include "kernels/source/source.h"

__attribute__((visibility("default"))) const struct gcal_frontend gcal_frontend = {
    .version = GPUCAL_VERSION,
    .read_headers = gcal_source_read_headers,
    .limit_parses = gcal_source_limit_parses,
    .count = gcal_count,
    .read_signature = gcal_count_signature_read,
    .describe = gcal_count_describe,
    .remove = gcal_remove_work,
    .find_loads = gcal_remove_find_loads,
    .find_load_dependences = gcal_remove_find_load_dependences,
    .run_kernel = gcal_interp_run_kernel,
    .run_function = gcal_interp_run_function,
};
