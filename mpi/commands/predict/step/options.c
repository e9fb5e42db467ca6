/* options.c - options --copy-in and --copy-out */
#include <stdlib.h>

#include "mpi/commands/predict/step/step.h"

enum { COPY_IN = 256, COPY_OUT };

static const struct argp_option options[] = {
    { "copy-in", COPY_IN, "BYTES[:MEMORY]", 0,
      "Predict a step: copies to the device before the kernel.  BYTES: an expression in "
      "the "
      "sizes (4*n), or auto: the buffers that the kernel reads.  MEMORY, of the host: "
      "pageable (default), pinned or mapped.  May be repeated, for a copy each",
      4 },
    { "copy-out", COPY_OUT, "BYTES[:MEMORY]", 0,
      "The same from the device after the kernel; auto: the buffers that it writes", 4 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_step_options *o = state->input;

    switch (key) {
    case COPY_IN:
        gcal_option_list_add(&o->in, arg, state);
        break;
    case COPY_OUT:
        gcal_option_list_add(&o->out, arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gcal_step_options_argp = { .options = options, .parser = parse };

void gcal_step_options_clear(struct gcal_step_options *o)
{
    free(o->in.items);
    free(o->out.items);
}

bool gcal_step_options_given(const struct gcal_step_options *o)
{
    return o->in.n || o->out.n;
}
