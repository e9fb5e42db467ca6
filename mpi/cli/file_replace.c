/* file_replace.c - files that are replaced atomically */
#include "mpi/cli/file_replace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"

int gcal_file_replace_start(struct gcal_file_replace *r, const char *path,
                            struct gcal_error *err)
{
    const char *slash = strrchr(path, '/');
    int fd = -1;

    r->path = strdup(path);
    r->temp =
        gcal_buf_format("%.*s.gpucal.XXXXXX", slash ? (int)(slash - path) + 1 : 0, path);
    if (!r->path || !r->temp) {
        gcal_file_replace_clear(r);
        return gcal_error_memory(err);
    }
    if ((fd = mkstemp(r->temp)) < 0) {
        free(r->temp); /* nothing to remove */
        r->temp = NULL;
    } else if (!(r->file = fdopen(fd, "w")))
        close(fd);
    if (r->file)
        return 0;
    gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    gcal_file_replace_clear(r);
    return -1;
}

int gcal_file_replace_finish(struct gcal_file_replace *r, struct gcal_error *err)
{
    int failed = fflush(r->file) == EOF || ferror(r->file) ||
                 fchmod(fileno(r->file), 0644) < 0 || fsync(fileno(r->file)) < 0;

    if (failed)
        gcal_error_set(err, GCAL_EINPUT, "%s: %m", r->path);
    if (fclose(r->file) == EOF && !failed)
        failed = gcal_error_set(err, GCAL_EINPUT, "%s: %m", r->path);
    r->file = NULL;
    if (!failed && rename(r->temp, r->path) < 0)
        failed = gcal_error_set(err, GCAL_EINPUT, "%s: %m", r->path);
    if (failed)
        return -1;
    free(r->temp);
    r->temp = NULL;
    return 0;
}

void gcal_file_replace_clear(struct gcal_file_replace *r)
{
    if (r->file)
        fclose(r->file);
    if (r->temp)
        unlink(r->temp);
    free(r->temp);
    free(r->path);
    *r = (struct gcal_file_replace){ 0 };
}
