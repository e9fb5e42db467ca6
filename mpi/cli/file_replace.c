/* file_replace.c - files that are replaced atomically */
#include "mpi/cli/file_replace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"

/* Devices, pipes and links (/dev/stdout) are written to, and not replaced. */
static bool is_replaceable(const char *path)
{
    struct stat status;

    return lstat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* Sets r->file, if it can be opened; -1: memory ran out. */
static int open_temporary(struct gcal_file_replace *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    int fd;

    r->temp =
        gcal_buf_format("%.*s.gpucal.XXXXXX", slash ? (int)(slash - path) + 1 : 0, path);
    if (!r->temp)
        return -1;
    if ((fd = mkstemp(r->temp)) < 0) {
        free(r->temp); /* nothing to remove */
        r->temp = NULL;
    } else if (!(r->file = fdopen(fd, "w")))
        close(fd);
    return 0;
}

int gcal_file_replace_start(struct gcal_file_replace *r, const char *path,
                            struct gcal_error *err)
{
    int rc = (r->path = strdup(path)) ? 0 : -1;

    if (rc == 0 && is_replaceable(path))
        rc = open_temporary(r, path);
    else if (rc == 0)
        r->file = fopen(path, "we");
    if (rc < 0)
        gcal_error_memory(err);
    else if (r->file)
        return 0;
    else
        gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    gcal_file_replace_clear(r);
    return -1;
}

int gcal_file_replace_finish(struct gcal_file_replace *r, struct gcal_error *err)
{
    int failed =
        fflush(r->file) == EOF || ferror(r->file) ||
        (r->temp && (fchmod(fileno(r->file), 0644) < 0 || fsync(fileno(r->file)) < 0));

    if (failed)
        gcal_error_set(err, GCAL_EINPUT, "%s: %m", r->path);
    if (fclose(r->file) == EOF && !failed)
        failed = gcal_error_set(err, GCAL_EINPUT, "%s: %m", r->path);
    r->file = NULL;
    if (!failed && r->temp && rename(r->temp, r->path) < 0)
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
