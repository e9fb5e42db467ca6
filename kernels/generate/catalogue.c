/* catalogue.c - the catalogue's files: opened, read and hashed */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/file.h"
#include "kernels/generate/private.h"

#define MAX_FILE_BYTES (1 << 20)

static int add_generator(struct gcal_catalogue *catalogue, struct gcal_generator *g,
                         struct gcal_error *err)
{
    struct gcal_generator **moved;

    if (!g)
        return -1;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (strcmp(catalogue->generators[i]->name, g->name) == 0) {
            gcal_yaml_error(gcal_yaml_find(g->root, "name"), err,
                            "name: '%s' is already used by %s", g->name,
                            catalogue->generators[i]->root->file);
            gcal_generator_destroy(g);
            return -1;
        }
    if (!(moved = gcal_array_grow(catalogue->generators, catalogue->n_generators,
                                  &catalogue->capacity, sizeof(*moved), err))) {
        gcal_generator_destroy(g);
        return -1;
    }
    catalogue->generators = moved;
    catalogue->generators[catalogue->n_generators++] = g;
    return 0;
}

/* Adds a generator, and after it those derived from it, from a description and its
 * 'source'.  Takes 'root'.
 */
static int add_all(struct gcal_catalogue *catalogue, struct gcal_yaml *root,
                   const char *description, const char *source, struct gcal_error *err)
{
    struct gcal_generator *g = gcal_generator_create(root, source, err);

    /* With lengths: moving text from one to the other changes the fingerprint. */
    gcal_buf_printf(&catalogue->texts, "%zu %zu\n%s%s", strlen(description),
                    strlen(source), description, source);
    if (add_generator(catalogue, g, err) < 0)
        return -1;
    for (int form = GCAL_KERNEL_LOADS; form < GCAL_KERNEL_N_FORMS; form++)
        if (gcal_generator_wants_derived(g, (enum gcal_kernel_form)form) &&
            add_generator(catalogue,
                          gcal_generator_derive(g, (enum gcal_kernel_form)form, err),
                          err) < 0)
            return -1;
    return 0;
}

static const char *find_builtin(const char *name)
{
    const struct gcal_embedded_file *file = gcal_catalogue_builtin_files;

    for (; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file->text;
    return NULL;
}

static bool is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && dot != name && strcmp(dot, ".yaml") == 0;
}

static int read_builtin(struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    const struct gcal_embedded_file *file = gcal_catalogue_builtin_files;

    for (; file->name; file++) {
        struct gcal_yaml *root;
        const char *name, *source;

        if (!is_yaml(file->name))
            continue;
        if (!(root = gcal_yaml_parse(file->text, file->size, file->name, err)))
            return -1;
        name = gcal_generator_source_name(root, err);
        source = !name ? NULL : *name ? find_builtin(name) : "";
        if (!source) {
            if (name)
                gcal_yaml_error(root, err, "source: no file '%s' in this folder", name);
            gcal_yaml_destroy(root);
            return -1;
        }
        if (add_all(catalogue, root, file->text, source, err) < 0)
            return -1;
    }
    return 0;
}

/* Text of file 'name' in 'folder', the caller's to free; '*path' gets its path. */
static char *read_text(const char *folder, const char *name, char **path,
                       struct gcal_error *err)
{
    free(*path);
    if ((*path = gcal_buf_format("%s/%s", folder, name)))
        return gcal_file_read(*path, MAX_FILE_BYTES, NULL, err);
    gcal_error_memory(err);
    return NULL;
}

static int read_pair(struct gcal_catalogue *catalogue, const char *folder,
                     const char *name, struct gcal_error *err)
{
    char *path = NULL, *description = read_text(folder, name, &path, err), *source = NULL;
    struct gcal_yaml *root = NULL;
    const char *source_name;
    int rc = -1;

    if (!description ||
        !(root = gcal_yaml_parse(description, strlen(description), path, err)) ||
        !(source_name = gcal_generator_source_name(root, err)))
        goto out;
    source = *source_name ? read_text(folder, source_name, &path, err) : strdup("");
    if (!source) {
        gcal_error_prefix(err, "%s", root->file);
        goto out;
    }
    rc = add_all(catalogue, root, description, source, err);
    root = NULL; /* taken */
out:
    gcal_yaml_destroy(root);
    free(description);
    free(source);
    free(path);
    return rc;
}

static int select_yaml(const struct dirent *entry)
{
    return is_yaml(entry->d_name);
}

/* By name, not by locale: the same order on every machine. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_folder(struct gcal_catalogue *catalogue, const char *folder,
                       struct gcal_error *err)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, select_yaml, compare_names), rc = 0;

    if (n < 0)
        return gcal_error_set(err, GCAL_EINPUT, "cannot read folder %s: %s", folder,
                              strerror(errno));
    if (n == 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "no .yaml file in %s", folder);
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = read_pair(catalogue, folder, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int take_fingerprint(struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    size_t size = catalogue->texts.size;
    char *texts = gcal_buf_take(&catalogue->texts, err);

    if (texts)
        gcal_hash(texts, size, catalogue->fingerprint);
    free(texts);
    return texts ? 0 : -1;
}

struct gcal_catalogue *gcal_catalogue_open(const char *folder, struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = calloc(1, sizeof(*catalogue));

    if (!catalogue || !(catalogue->counted = calloc(1, sizeof(*catalogue->counted)))) {
        free(catalogue);
        gcal_error_memory(err);
        return NULL;
    }
    if ((folder ? read_folder(catalogue, folder, err) : read_builtin(catalogue, err)) <
            0 ||
        take_fingerprint(catalogue, err) < 0) {
        gcal_catalogue_close(catalogue);
        return NULL;
    }
    return catalogue;
}

void gcal_catalogue_close(struct gcal_catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        gcal_generator_destroy(catalogue->generators[i]);
    gcal_kernel_cache_clear(catalogue->counted);
    free(catalogue->counted);
    free(catalogue->generators);
    gcal_buf_free(&catalogue->texts);
    free(catalogue);
}

const char *gcal_catalogue_fingerprint(const struct gcal_catalogue *catalogue)
{
    return catalogue->fingerprint;
}
