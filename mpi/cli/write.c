/* write.c - what commands write to files that users name */
#include <stdio.h>

#include "calib/base/error.h"
#include "mpi/cli/command.h"

int gcal_command_write(const char *path, const char *text, struct gcal_error *err)
{
    FILE *file = path ? fopen(path, "we") : stdout;
    int failed;

    if (!path)
        path = "standard output";
    if (!file)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    failed = fputs(text, file) == EOF || fflush(file) == EOF;
    if (failed)
        gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    if (file != stdout && fclose(file) == EOF && !failed)
        failed = gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    return failed ? -1 : 0;
}
