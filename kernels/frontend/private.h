/* private.h - the front end's process: questions and answers; internal to kernels/frontend */
#ifndef GCAL_KERNELS_FRONTEND_PRIVATE_H
#define GCAL_KERNELS_FRONTEND_PRIVATE_H

#include "kernels/base/wire.h"
#include "kernels/frontend/frontend.h"

/* ---- limits of one call ---- */

#define GCAL_FRONTEND_MEMORY_GIB 1 /* of address space, libclang's own 0.2 included */
enum {
    GCAL_FRONTEND_PARSE_S = 5,  /* of processors, for clang; 1.5 s for a text of 4 MB */
    GCAL_FRONTEND_CPU_S = 30,   /* of processors, for reading a source and counting */
    GCAL_FRONTEND_WALL_S = 300, /* until the answer, however busy the machine is */
    /* The interpreter counts its own steps, and its buffers are the caller's. */
    GCAL_FRONTEND_INTERPRET_S = 1800,
    GCAL_FRONTEND_INTERPRET_GIB = 16,
};

/* A process that died, or was refused memory, when it had as much failed for want of it: what grows is
 * copied to twice the room.
 */
#define GCAL_FRONTEND_MUCH_KIB (GCAL_FRONTEND_MEMORY_GIB << 18)

/* ---- messages: frames of kernels/base/wire.h ---- */

enum gcal_frontend_call {
    GCAL_FRONTEND_COUNT = 1,
    GCAL_FRONTEND_SIGNATURE,
    GCAL_FRONTEND_DESCRIBE,
    GCAL_FRONTEND_REMOVE,
    GCAL_FRONTEND_LOADS,
    GCAL_FRONTEND_LOAD_DEPENDENCES,
    GCAL_FRONTEND_RUN_KERNEL,
    GCAL_FRONTEND_RUN_FUNCTION,
};

enum gcal_frontend_answer {
    GCAL_FRONTEND_DONE = 100, /* results */
    GCAL_FRONTEND_FAILED,     /* an error */
    GCAL_FRONTEND_DIED,       /* a wait status, and the most memory, in KiB */
};

/* Where the fields of a structure go to, or come from: one of the two.  What is got is the
 * caller's; of the process it is freed when that ends, after so many questions.  Getting marks
 * the wire as bad, as its own functions do.
 */
struct gcal_frontend_codec {
    struct gcal_buf *buf;   /* puts */
    struct gcal_wire *wire; /* gets */
};

/* gcal_frontend_put_request() is in frontend.h. */
void gcal_frontend_code_request(struct gcal_frontend_codec c,
                                struct gcal_count_request *r);
void gcal_frontend_code_description(struct gcal_frontend_codec c,
                                    struct gcal_count_description *d);
void gcal_frontend_code_signature(struct gcal_frontend_codec c,
                                  struct gcal_count_signature *s);
void gcal_frontend_code_loads(struct gcal_frontend_codec c,
                              struct gcal_remove_load_list *loads);
void gcal_frontend_code_removal(struct gcal_frontend_codec c,
                                struct gcal_remove_options *removal);

void gcal_frontend_put_error(struct gcal_buf *buf, const struct gcal_error *err);
void gcal_frontend_get_error(struct gcal_wire *wire, struct gcal_error *err);

/* '*n' arguments of the interpreter with the contents of their buffers, which the caller gets
 * back.  Returns 'args', or those that were got.
 */
struct gcal_interp_arg *gcal_frontend_code_args(struct gcal_frontend_codec c, size_t *n,
                                                struct gcal_interp_arg *args);
void gcal_frontend_put_contents(struct gcal_buf *buf, size_t n,
                                const struct gcal_interp_arg *args);
void gcal_frontend_get_contents(struct gcal_wire *wire, size_t n,
                                const struct gcal_interp_arg *args);

/* ---- client.c ---- */

/* Asks the process, which is started if need be.  Returns the answer's payload, the caller's
 * to free; on failure 'failed' in it, with 'err'.
 */
struct gcal_buf gcal_frontend_ask(enum gcal_frontend_call call, const char *file,
                                  const struct gcal_buf *question,
                                  struct gcal_error *err);

/* ---- load.c ---- */

/* The module's functions; NULL with 'err'. */
const struct gcal_frontend *gcal_frontend_load(struct gcal_error *err);

#endif
