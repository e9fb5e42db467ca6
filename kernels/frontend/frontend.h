/* frontend.h - the front end as a module, the only object that is linked with libclang
 *
 * Programs are linked with functions of the same names (calls.c), each of which asks a process
 * of its own, gpucal-frontend, that loads the module when it starts.  So what a source does
 * to clang, or to counting, does not happen in the program; and commands that read no
 * OpenCL C start fast, and run where libclang is not installed.
 */
#ifndef GCAL_KERNELS_FRONTEND_H
#define GCAL_KERNELS_FRONTEND_H

#include "kernels/count/count.h"
#include "kernels/count/signature.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"

struct gcal_frontend {
    const char *version;        /* of gpucal; must be the program's */
    void (*read_headers)(void); /* so that the functions below open no file */
    void (*limit_parses)(int seconds);
    __typeof__(gcal_count) *count;
    __typeof__(gcal_count_signature_read) *read_signature;
    __typeof__(gcal_count_describe) *describe;
    __typeof__(gcal_remove_work) *remove;
    __typeof__(gcal_remove_find_loads) *find_loads;
    __typeof__(gcal_remove_find_load_dependences) *find_load_dependences;
    __typeof__(gcal_interp_run_kernel) *run_kernel;
    __typeof__(gcal_interp_run_function) *run_function;
};

struct gcal_buf;
struct gcal_wire;

/* All that a count follows from, the source included, as bytes; the key of a count is their
 * hash, too.
 */
void gcal_frontend_put_request(struct gcal_buf *buf, const struct gcal_count_request *r);

/* A description as bytes, and of them. */
void gcal_frontend_put_description(struct gcal_buf *buf,
                                   const struct gcal_count_description *d);
void gcal_frontend_get_description(struct gcal_wire *wire,
                                   struct gcal_count_description *d);

/* The one symbol that the module exports. */
extern const struct gcal_frontend gcal_frontend;

#endif
