/* module.c - what the module exports */
#include "kernels/frontend/frontend.h"

__attribute__((visibility("default"))) const struct gcal_frontend gcal_frontend = {
    .version = GPUCAL_VERSION,
    .count = gcal_count,
    .remove = gcal_work_remove,
    .loads = gcal_work_loads,
    .loads_apart = gcal_work_loads_apart,
    .run_kernel = gcal_host_run_kernel,
    .run_function = gcal_host_run_function,
};
