/* catalogue.c - catalogues: opened from built-in and other files, hashed, looked at */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/generate/private.h"

static int add_generator(struct gcal_catalogue *catalogue, struct gcal_generator *g,
                         struct gcal_error *err)
{
    struct gcal_generator **moved;

    if (!g)
        return -1;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (strcmp(catalogue->generators[i]->name, g->name) == 0) {
            gcal_yaml_error(gcal_yaml_find(g->root, "name"), err,
                            "name: '%s' is already used by %s%s: choose another", g->name,
                            i < catalogue->n_builtin ? "the built-in " : "",
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
    size_t start = catalogue->texts.size;

    /* With lengths: moving text from one to the other changes the fingerprint. */
    gcal_buf_printf(&catalogue->texts, "%zu %zu\n%s%s", strlen(description),
                    strlen(source), description, source);
    if (g && !catalogue->texts.failed)
        gcal_hash(catalogue->texts.data + start, catalogue->texts.size - start,
                  g->sha256);
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

/* Finds the text of a file beside a description. */
typedef const char *find_file(const void *context, const char *name);

/* Adds the generators of a description; 'path' is its name in messages. */
static int add_description(struct gcal_catalogue *catalogue, const char *path,
                           const char *text, find_file *find, const void *context,
                           struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), path, err);
    const char *name = root ? gcal_generator_source_name(root, err) : NULL;
    const char *source = !name ? NULL : *name ? find(context, name) : "";

    if (source)
        return add_all(catalogue, root, text, source, err);
    if (name)
        gcal_yaml_error(root, err, "source: no file '%s' in this folder", name);
    gcal_yaml_destroy(root);
    return -1;
}

static const char *find_builtin(const void *context, const char *name)
{
    const struct gcal_embedded_file *file = gcal_catalogue_builtin_files;

    (void)context;
    for (; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file->text;
    return NULL;
}

static int add_builtin(struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    for (const struct gcal_embedded_file *f = gcal_catalogue_builtin_files; f->name; f++)
        if (gcal_catalogue_is_description(f->name) &&
            add_description(catalogue, f->name, f->text, find_builtin, NULL, err) < 0)
            return -1;
    catalogue->n_builtin = catalogue->n_generators;
    return 0;
}

/* A folder among files. */
struct folder_of {
    const struct gcal_catalogue_files *files;
    const char *folder;
};

static const char *find_beside(const void *context, const char *name)
{
    const struct folder_of *in = context;

    return gcal_catalogue_files_find(in->files, in->folder, name);
}

static int add_files(struct gcal_catalogue *catalogue,
                     const struct gcal_catalogue_files *files, struct gcal_error *err)
{
    int rc = gcal_catalogue_files_copy(&catalogue->files, files, err);

    for (size_t i = 0; i < files->n && rc == 0; i++) {
        const struct gcal_catalogue_file *f = &files->items[i];
        const struct folder_of in = { files, f->folder };
        char *path;

        if (!gcal_catalogue_is_description(f->name))
            continue;
        if (!(path = gcal_catalogue_path(f->folder, f->name)))
            return gcal_error_memory(err);
        rc = add_description(catalogue, path, f->text, find_beside, &in, err);
        free(path);
    }
    return rc;
}

/* Of what was read so far. */
static void take_fingerprint(struct gcal_catalogue *catalogue)
{
    if (!catalogue->texts.failed)
        gcal_hash(catalogue->texts.data ? catalogue->texts.data : "",
                  catalogue->texts.size, catalogue->fingerprint);
}

static int end_texts(struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    bool failed = catalogue->texts.failed;

    gcal_buf_free(&catalogue->texts);
    return failed ? gcal_error_memory(err) : 0;
}

static struct gcal_catalogue *create(struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = calloc(1, sizeof(*catalogue));

    if (!catalogue)
        gcal_error_memory(err);
    else if ((catalogue->counted = gcal_kernel_cache_create(err)))
        return catalogue;
    free(catalogue);
    return NULL;
}

/* The built-in catalogue, if wanted, and 'files', which may be NULL. */
static struct gcal_catalogue *open_catalogue(bool builtin,
                                             const struct gcal_catalogue_files *files,
                                             struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = create(err);

    if (!catalogue)
        return NULL;
    if (builtin && add_builtin(catalogue, err) < 0)
        goto failed;
    if (builtin)
        take_fingerprint(catalogue);
    if (files && add_files(catalogue, files, err) < 0)
        goto failed;
    if (!builtin)
        take_fingerprint(catalogue);
    if (end_texts(catalogue, err) == 0)
        return catalogue;
failed:
    gcal_catalogue_close(catalogue);
    return NULL;
}

struct gcal_catalogue *gcal_catalogue_open_entry(struct gcal_yaml *root,
                                                 const char *source,
                                                 struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = create(err);

    if (!catalogue) {
        gcal_yaml_destroy(root);
        return NULL;
    }
    if (add_all(catalogue, root, "", source, err) == 0) {
        take_fingerprint(catalogue);
        if (end_texts(catalogue, err) == 0)
            return catalogue;
    }
    gcal_catalogue_close(catalogue);
    return NULL;
}

struct gcal_catalogue *gcal_catalogue_open_with(const struct gcal_catalogue_files *files,
                                                struct gcal_error *err)
{
    return open_catalogue(true, files, err);
}

struct gcal_catalogue *gcal_catalogue_open(const char *folder, struct gcal_error *err)
{
    struct gcal_catalogue_files files = { 0 };
    struct gcal_catalogue *catalogue = NULL;

    if (!folder || gcal_catalogue_read_folder(folder, &files, err) == 0)
        catalogue = open_catalogue(!folder, &files, err);
    gcal_catalogue_files_clear(&files);
    return catalogue;
}

void gcal_catalogue_close(struct gcal_catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        gcal_generator_destroy(catalogue->generators[i]);
    gcal_kernel_cache_destroy(catalogue->counted);
    free(catalogue->generators);
    gcal_buf_free(&catalogue->texts);
    gcal_catalogue_files_clear(&catalogue->files);
    free(catalogue);
}

const struct gcal_catalogue_files *
gcal_catalogue_added_files(const struct gcal_catalogue *catalogue)
{
    return &catalogue->files;
}

int gcal_catalogue_put_added(const struct gcal_catalogue *catalogue, size_t n_tags,
                             const char *const *tags, enum gcal_match match,
                             struct gcal_buf *hashes, struct gcal_error *err)
{
    struct gcal_catalogue_tags parsed;

    if (gcal_catalogue_tags_parse(n_tags, tags, &parsed, err) < 0)
        return -1;
    for (size_t i = catalogue->n_builtin; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        if (gcal_catalogue_tags_match(&parsed, match, g))
            gcal_buf_printf(hashes, "%s %s\n", g->name,
                            g->origin ? g->origin->sha256 : g->sha256);
    }
    gcal_catalogue_tags_clear(&parsed);
    return 0;
}

const char *gcal_catalogue_fingerprint(const struct gcal_catalogue *catalogue)
{
    return catalogue->fingerprint;
}

size_t gcal_catalogue_size(const struct gcal_catalogue *catalogue)
{
    return catalogue->n_generators;
}

struct gcal_generator_view gcal_catalogue_view(const struct gcal_catalogue *catalogue,
                                               size_t i)
{
    const struct gcal_generator *g = catalogue->generators[i];

    return (struct gcal_generator_view){
        .name = g->name,
        .origin = g->origin ? g->origin->name : NULL,
        .form = g->form,
        .n_tags = g->tags.n,
        .tags = g->tags.items,
        .automatic = gcal_generator_is_automatic(g),
    };
}

bool gcal_generator_has_tag(const struct gcal_generator_view *view, const char *tag)
{
    for (size_t i = 0; i < view->n_tags; i++)
        if (strcmp(view->tags[i], tag) == 0)
            return true;
    return false;
}

void gcal_catalogue_count_by(struct gcal_catalogue *catalogue,
                             gcal_catalogue_counter *counter, void *context)
{
    catalogue->counted->count = counter;
    catalogue->counted->context = context;
}
