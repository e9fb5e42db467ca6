/* read.c - taking and reading the files of observed times */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/observed/observed.h"

/* Publishers that merge take turns. */
#define LOCK "observed.lock"

#define MOST_TRIES 1000
#define TRY_S      0.002

/* The writer sees by its length that the file is taken.  It holds the lock for microseconds, but may be
 * stopped then: it is not waited for for ever.
 */
static int take_file(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, struct gcal_error *err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = gcal_store_open_append(store, folder, file, shown, err), rc;

    if (fd < 0)
        return -1;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        if (TEMP_FAILURE_RETRY(fcntl(fd, F_OFD_SETLK, &lock)) == 0 ||
            (errno != EAGAIN && errno != EACCES))
            break;
        gcal_clock_sleep_s(TRY_S);
    }
    rc = gcal_store_append(store, fd, shown, GCAL_OBSERVED_TAKEN "\n",
                           strlen(GCAL_OBSERVED_TAKEN "\n"), err);
    close(fd);
    return rc;
}

static int read_file(const struct gcal_store *store, int folder, const char *name,
                     bool take, struct gcal_observed_files *files, struct gcal_error *err)
{
    struct gcal_observed_file *moved =
        gcal_array_grow(files->items, files->n, &files->capacity, sizeof(*moved), err);
    struct gcal_observed_file f = { 0 };
    char *shown;
    int rc = -1;

    if (!moved)
        return -1;
    files->items = moved;
    f.name = gcal_buf_format("%s" GCAL_OBSERVED_SUFFIX, name);
    shown = f.name ? gcal_buf_format(GCAL_OBSERVED_FOLDER "/%s", f.name) : NULL;
    if (!shown)
        gcal_error_memory(err);
    else if (!take || (rc = take_file(store, folder, f.name, shown, err)) == 0)
        rc = gcal_store_fetch(store, folder, f.name, shown, GCAL_STORE_MAX_BYTES, &f.text,
                              &f.size, err);
    free(shown);
    if (rc <= 0) {
        free(f.name);
        return rc;
    }
    while (f.size && f.text[f.size - 1] != '\n')
        f.size--; /* being written, or cut */
    f.text[f.size] = '\0';
    files->items[files->n++] = f;
    return 0;
}

int gcal_observed_read(const struct gcal_store *store, bool take,
                       struct gcal_observed_files *files, struct gcal_error *err)
{
    int folder, again, rc;
    char **names = NULL;
    size_t n = 0;

    *files = (struct gcal_observed_files){ .lock = -1 };
    if (take && (files->lock = gcal_store_lock_briefly(store, LOCK, err)) < 0)
        return -1;
    rc = gcal_store_folder(store, store->dirfd, GCAL_OBSERVED_FOLDER,
                           GCAL_OBSERVED_FOLDER, &folder, err);
    if (rc <= 0)
        return rc;
    again = dup(folder);
    rc = again < 0 ? gcal_store_fail(store, GCAL_OBSERVED_FOLDER, err)
                   : gcal_store_list(again, GCAL_OBSERVED_SUFFIX, &names, &n, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = read_file(store, folder, names[i], take, files, err);
    gcal_strings_free(names, n);
    close(folder);
    return rc;
}

void gcal_observed_clear(struct gcal_observed_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->items[i].name);
        free(files->items[i].text);
    }
    free(files->items);
    if (files->lock >= 0)
        close(files->lock);
    *files = (struct gcal_observed_files){ .lock = -1 };
}

bool gcal_observed_is_signed(const struct gcal_store *store, const char *line)
{
    return gcal_store_line_is_signed(store, GCAL_OBSERVED_SIGNED, line);
}

/* First what is left, so that a crash doubles it rather than losing it. */
int gcal_observed_replace(const struct gcal_store *store,
                          const struct gcal_observed_files *files, const char *lines,
                          struct gcal_error *err)
{
    char host[GCAL_STORE_HOST_SIZE], *name = NULL, *temp = NULL;
    int folder, rc = gcal_store_folder(store, store->dirfd, GCAL_OBSERVED_FOLDER,
                                       GCAL_OBSERVED_FOLDER, &folder, err);

    if (rc <= 0)
        return rc;
    rc = 0;
    if (lines) {
        gcal_store_host(host);
        name = gcal_buf_format("%s-left-%lld" GCAL_OBSERVED_SUFFIX, host,
                               (long long)time(NULL));
        temp = gcal_store_temp("observed");
        rc = !name || !temp
                 ? gcal_error_memory(err)
                 : gcal_store_prepare(store, folder, temp, GCAL_OBSERVED_FOLDER, lines,
                                      strlen(lines), err);
        if (rc == 0)
            rc = gcal_store_replace(store, folder, temp, name, GCAL_OBSERVED_FOLDER, err);
    }
    for (size_t i = 0; rc == 0 && i < files->n; i++)
        if ((!name || strcmp(files->items[i].name, name) != 0) &&
            unlinkat(folder, files->items[i].name, 0) < 0 && errno != ENOENT)
            rc = gcal_store_fail(store, GCAL_OBSERVED_FOLDER, err);
    free(name);
    free(temp);
    close(folder);
    return rc;
}
