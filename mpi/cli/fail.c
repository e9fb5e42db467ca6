/* fail.c - the error message and exit status of a command */
#include <stdio.h>

#include "kernels/base/error.h"
#include "mpi/cli/command.h"

int gcal_command_fail(const struct gcal_error *err)
{
    fprintf(stderr, "gpucal: %s\n", err->text);
    return err->code ? (int)err->code : GCAL_EINPUT;
}
