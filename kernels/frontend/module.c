/* module.c - what the module exports */
#include "kernels/frontend/frontend.h"

__attribute__((visibility("default"))) const struct gcal_frontend gcal_frontend = {
    .version = GPUCAL_VERSION,
    .count = gcal_count,
    .remove = gcal_remove_work,
    .loads = gcal_remove_find_loads,
    .loads_apart = gcal_remove_find_load_dependences,
    .run_kernel = gcal_interp_run_kernel,
    .run_function = gcal_interp_run_function,
};
