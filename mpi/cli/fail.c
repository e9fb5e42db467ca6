/* fail.c - how a command fails */
#include <stdio.h>

#include "calib/base/error.h"
#include "mpi/cli/command.h"

int gcal_command_fail(const struct gcal_error *err)
{
    fprintf(stderr, "gpucal: %s\n", err->text);
    return err->code ? (int)err->code : GCAL_EINPUT;
}
