/* write.c - text output of commands, to a file or standard output */
#include <stdio.h>

#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/quiet.h"

static int write_stream(FILE *file, const char *name, const char *text,
                        struct gcal_error *err)
{
    if (fputs(text, file) == EOF || fflush(file) == EOF)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", name);
    return 0;
}

int gcal_command_write(const char *path, const char *text, struct gcal_error *err)
{
    struct gcal_file_replace out = { 0 };
    int rc;

    if (!path) {
        gcal_quiet_keep_all();
        return write_stream(stdout, "standard output", text, err);
    }
    rc = gcal_file_replace_start(&out, path, err);
    if (rc == 0)
        rc = write_stream(out.file, path, text, err);
    if (rc == 0)
        rc = gcal_file_replace_finish(&out, err);
    gcal_file_replace_clear(&out);
    return rc;
}
