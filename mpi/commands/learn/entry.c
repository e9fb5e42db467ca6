/* entry.c - the catalogue entry of a learned kernel, in memory and kept */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/commands/learn/private.h"

/* The entry with what is known so far, beside the built-in kernels. */
int gcal_learn_open_catalogue(struct gcal_learning *l, struct gcal_error *err)
{
    gcal_catalogue_close(l->catalogue);
    l->catalogue = NULL;
    gcal_catalogue_files_clear(&l->files);
    if (gcal_own_kernel_describe(&l->own, &l->description, &l->files, err) < 0)
        return -1;
    l->catalogue = gcal_catalogue_open_with(&l->files, err);
    return l->catalogue ? 0 : -1;
}

int gcal_learn_keep_entry(const struct gcal_learning *l, struct gcal_error *err)
{
    const char *folder = l->c->keep;

    if (!folder)
        return 0;
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return gcal_error_set(err, GCAL_EINPUT, "cannot create folder %s: %s", folder,
                              strerror(errno));
    for (size_t i = 0; i < l->files.n; i++) {
        const struct gcal_catalogue_file *file = &l->files.items[i];

        if (gcal_command_write(gcal_arena_format(l->arena, "%s/%s", folder, file->name),
                               file->text, err) < 0)
            return -1;
    }
    return 0;
}
