/* try.c - reading a record in a process of its own, which libhdf5 may crash or hold
 *
 * A file that was damaged behind a right checksum, or changed by somebody, may make libhdf5 loop
 * without end or end the process.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/record/private.h"

/* Processor time that no good record needs, of which the largest have some 100 MB. */
#define LIMIT_S            60
#define BYTES_PER_SECOND_S 1000000

int gcal_record_try(const char *path, struct gcal_error *err)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        return gcal_error_set(err, GCAL_EINPUT, "record %s: fork: %s", path,
                              strerror(errno));
    if (child == 0) {
        struct gcal_record *record;
        size_t n;
        const struct rlimit none = { 0, 0 };
        struct stat info = { 0 };
        rlim_t most_s = LIMIT_S;

        if (stat(path, &info) == 0)
            most_s += (rlim_t)(info.st_size / BYTES_PER_SECOND_S);
        setrlimit(RLIMIT_CPU, &(struct rlimit){ most_s, most_s });
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGXCPU, SIG_DFL);
        /* What is wrong otherwise is found, and said, when it is read again. */
        record = gcal_record_open(path, NULL);
        n = record ? record->n_measurements : 0;
        for (size_t i = 0; i < n; i++) {
            struct gcal_measurement m = { 0 };
            size_t device, kernel;

            if (gcal_record_measurement(record, i, &m, &device, &kernel, NULL) < 0)
                break;
            gcal_measurement_clear(&m);
        }
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0; /* somebody else waited for it */
    if (!WIFSIGNALED(status))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "record %s: damaged: libhdf5 %s: measure again, or take a copy",
                          path,
                          WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
                              ? "does not come to its end"
                              : "crashes");
}
