/* files.c - the files of a folder of measurement kernels, read into memory */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/generate/private.h"
#include "kernels/includes/includes.h"

#define MAX_FILE_BYTES (1 << 20)

bool gcal_catalogue_is_description(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && dot != name && strcmp(dot, ".yaml") == 0;
}

char *gcal_catalogue_path(struct gcal_arena *arena, const char *folder, const char *name)
{
    return gcal_arena_format(arena, "%s%s%s", folder, *folder ? "/" : "", name);
}

/* Reads a file into 'files'; its text is theirs.  OpenCL C gets the files that it includes,
 * as records keep it without the folder.
 */
static const char *read_text(struct gcal_arena *arena, const char *folder,
                             const char *name, struct gcal_catalogue_files *files,
                             struct gcal_error *err)
{
    const char *path = gcal_catalogue_path(arena, folder, name);
    char *text = gcal_catalogue_is_description(name)
                     ? gcal_file_read(path, MAX_FILE_BYTES, NULL, err)
                     : gcal_includes_read(path, MAX_FILE_BYTES, 0, NULL, err);
    int rc = text ? gcal_catalogue_files_add(files, folder, name, text, err) : -1;

    free(text);
    return rc < 0 ? NULL : files->items[files->n - 1].text;
}

/* The OpenCL C that a description names, unless another one named it before. */
static int read_source(struct gcal_arena *arena, const char *folder, const char *name,
                       const char *description, struct gcal_catalogue_files *files,
                       struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(
        description, strlen(description), gcal_catalogue_path(arena, folder, name), err);
    const char *source = root ? gcal_generator_source_name(root, err) : NULL;
    int rc = source ? 0 : -1;

    if (source && *source && !gcal_catalogue_files_find(files, folder, source) &&
        !read_text(arena, folder, source, files, err))
        rc = gcal_error_prefix(err, "%s", root->file);
    gcal_yaml_destroy(root);
    return rc;
}

static int select_description(const struct dirent *entry)
{
    return gcal_catalogue_is_description(entry->d_name);
}

/* By name, not by locale: the same order on every machine. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int gcal_catalogue_read_folder(const char *folder, struct gcal_catalogue_files *files,
                               struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, select_description, compare_names), rc = 0;

    if (n < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "cannot read folder %s: %s", folder,
                            strerror(errno));
    if (n == 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "no .yaml file in %s", folder);
    for (int i = 0; i < n; i++) {
        if (rc == 0) {
            const char *name = entries[i]->d_name;
            const char *description = read_text(arena, folder, name, files, err);

            rc = description ? read_source(arena, folder, name, description, files, err)
                             : -1;
        }
        free(entries[i]);
    }
    free(entries);
    gcal_arena_destroy(arena);
    return rc;
}
