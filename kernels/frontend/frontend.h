/* frontend.h - the front end as one module, which alone is linked with libclang
 *
 * Commands that parse no OpenCL C start fast and run where libclang is not installed: the
 * module is loaded when one of the functions below is first called, by their forwarders
 * in load.c.
 */
#ifndef GCAL_KERNELS_FRONTEND_H
#define GCAL_KERNELS_FRONTEND_H

#include "kernels/count/count.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"

struct gcal_frontend {
    const char *version; /* of gpucal: a module of another one is refused */
    __typeof__(gcal_count) *count;
    __typeof__(gcal_remove_work) *remove;
    __typeof__(gcal_remove_find_loads) *loads;
    __typeof__(gcal_remove_find_load_dependences) *loads_apart;
    __typeof__(gcal_interp_run_kernel) *run_kernel;
    __typeof__(gcal_interp_run_function) *run_function;
};

/* What the module exports. */
extern const struct gcal_frontend gcal_frontend;

#endif
