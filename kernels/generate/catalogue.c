/* catalogue.c - catalogues: opened from built-in and other files, hashed, looked at */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

/* ---- derived generators: the same kernels with work removed
 *
 * A derived generator shares its origin's tree and source, and has further arguments:
 * 'keep' for the loads that stay (known only when a source is parsed), 'accumulators' for
 * the number of accumulators, 'barriers' for whether barriers stay with the accesses.
 */

enum { MOST_ACCUMULATORS = 16 };

/* Whether the key 'companions' asks for this form. */
static bool wants_derived(const struct gcal_generator *g, enum gcal_kernel_form form)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    const struct gcal_yaml *forms = map ? gcal_yaml_find(map, "forms") : NULL;

    for (size_t i = 0; forms && i < forms->n_items; i++)
        if (strcmp(forms->items[i]->text, gcal_kernel_form_name(form)) == 0)
            return true;
    return false;
}

/* Adds the arguments that choose how much work stays, before the one with the size sweep. */
static int add_arguments(struct gcal_generator *g, struct gcal_error *err)
{
    static const struct added {
        const char *name, *preset;
        enum gcal_generator_values form;
    } added[GCAL_KERNEL_N_FORMS][2] = {
        [GCAL_KERNEL_LOADS] = { { "keep", "all", GCAL_GENERATOR_VALUES_LOADS },
                                { "accumulators", "1", GCAL_GENERATOR_VALUES_RANGE } },
        [GCAL_KERNEL_MEMORY] = { { "accumulators", "1", GCAL_GENERATOR_VALUES_RANGE },
                                 { "barriers", "True", GCAL_GENERATOR_VALUES_LISTED } },
    };
    size_t at = g->n_arguments - g->arguments[g->n_arguments - 1].sweep;

    for (size_t i = 0; i < 2 && added[g->form][i].name; i++, at++) {
        const struct added *with = &added[g->form][i];
        struct gcal_generator_arg *a = &g->arguments[at];

        if (gcal_generator_find_arg(g, with->name))
            return gcal_yaml_error(gcal_yaml_find(g->root, "companions"), err,
                                   "companions: the form '%s' adds an argument '%s': "
                                   "rename yours",
                                   gcal_kernel_form_name(g->form), with->name);
        memmove(a + 1, a, (g->n_arguments++ - at) * sizeof(*a));
        *a = (struct gcal_generator_arg){ .name = with->name, .form = with->form };
        if (a->form == GCAL_GENERATOR_VALUES_RANGE) {
            a->first = a->step = 1;
            a->last = MOST_ACCUMULATORS;
        }
        if (gcal_strings_add(&a->defaults, with->preset, err) < 0 ||
            (a->form == GCAL_GENERATOR_VALUES_LISTED &&
             (gcal_strings_add(&a->listed, "True", err) < 0 ||
              gcal_strings_add(&a->listed, "False", err) < 0)))
            return -1;
    }
    return 0;
}

/* Borrows from 'origin', which must outlive it. */
static struct gcal_generator *derive_generator(struct gcal_arena *arena,
                                               const struct gcal_generator *origin,
                                               enum gcal_kernel_form form,
                                               struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(origin->root, "companions");
    const char *of = gcal_kernel_form_name(form);
    struct gcal_generator *g = gcal_generator_alloc(arena);

    g->root = origin->root;
    g->source_name = origin->source_name;
    g->source = origin->source;
    g->tolerance = origin->tolerance;
    g->short_run = origin->short_run;
    g->unchecked = origin->unchecked;
    g->form = form;
    g->origin = origin;
    g->name = gcal_arena_format(arena, "%s_%s", origin->name, of);
    return gcal_strings_add(
               &g->tags,
               gcal_arena_format(arena, "%s_%s", gcal_yaml_find(map, "tag")->text, of),
               err) == 0 &&
                   gcal_strings_add(&g->tags, "work_removed", err) == 0 &&
                   gcal_generator_read_args(g, err) == 0 && add_arguments(g, err) == 0
               ? g
               : NULL;
}

/* ---- catalogues: opened from built-in and other files, hashed, looked at ---- */

static int add_generator(struct gcal_catalogue *catalogue, struct gcal_generator *g,
                         struct gcal_error *err)
{
    if (!g)
        return -1;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (strcmp(catalogue->generators[i]->name, g->name) == 0)
            return gcal_yaml_error(gcal_yaml_find(g->root, "name"), err,
                                   "name: '%s' is already used by %s%s: choose another",
                                   g->name,
                                   i < catalogue->n_builtin ? "the built-in " : "",
                                   catalogue->generators[i]->root->file);
    catalogue->generators =
        gcal_arena_grow(catalogue->arena, catalogue->generators, catalogue->n_generators,
                        &catalogue->capacity, sizeof(*catalogue->generators));
    catalogue->generators[catalogue->n_generators++] = g;
    return 0;
}

/* Adds a generator, and after it those derived from it, from a description and its
 * 'source'.  Takes 'root'.
 */
static int add_all(struct gcal_catalogue *catalogue, struct gcal_yaml *root,
                   const char *description, const char *source, struct gcal_error *err)
{
    struct gcal_generator *g = gcal_generator_create(catalogue->arena, root, source, err);
    size_t start = catalogue->texts.size;

    /* With lengths: moving text from one to the other changes the fingerprint. */
    gcal_buf_printf(&catalogue->texts, "%zu %zu\n%s%s", strlen(description),
                    strlen(source), description, source);
    if (catalogue->texts.failed)
        gcal_arena_out_of_memory();
    if (g)
        gcal_hash(catalogue->texts.data + start, catalogue->texts.size - start,
                  g->sha256);
    if (add_generator(catalogue, g, err) < 0)
        return -1;
    for (int form = GCAL_KERNEL_LOADS; form < GCAL_KERNEL_N_FORMS; form++)
        if (wants_derived(g, (enum gcal_kernel_form)form) &&
            add_generator(
                catalogue,
                derive_generator(catalogue->arena, g, (enum gcal_kernel_form)form, err),
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

        if (gcal_catalogue_is_description(f->name))
            rc = add_description(
                catalogue, gcal_catalogue_path(catalogue->arena, f->folder, f->name),
                f->text, find_beside, &in, err);
    }
    return rc;
}

/* Of what was read so far. */
static void take_fingerprint(struct gcal_catalogue *catalogue)
{
    gcal_hash(catalogue->texts.data ? catalogue->texts.data : "", catalogue->texts.size,
              catalogue->fingerprint);
}

static struct gcal_catalogue *create_catalogue(void)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_catalogue *catalogue = gcal_arena_alloc(arena, 1, sizeof(*catalogue));

    catalogue->arena = arena;
    catalogue->counted = gcal_kernel_cache_create(arena);
    return catalogue;
}

/* The built-in catalogue, if wanted, and 'files', which may be NULL. */
static struct gcal_catalogue *open_catalogue(bool builtin,
                                             const struct gcal_catalogue_files *files,
                                             struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = create_catalogue();
    int rc = builtin ? add_builtin(catalogue, err) : 0;

    if (rc == 0 && builtin)
        take_fingerprint(catalogue);
    if (rc == 0 && files)
        rc = add_files(catalogue, files, err);
    if (rc == 0 && !builtin)
        take_fingerprint(catalogue);
    gcal_buf_free(&catalogue->texts);
    if (rc == 0)
        return catalogue;
    gcal_catalogue_close(catalogue);
    return NULL;
}

struct gcal_catalogue *gcal_catalogue_open_entry(struct gcal_yaml *root,
                                                 const char *source,
                                                 struct gcal_error *err)
{
    struct gcal_catalogue *catalogue = create_catalogue();
    int rc = add_all(catalogue, root, "", source, err);

    take_fingerprint(catalogue);
    gcal_buf_free(&catalogue->texts);
    if (rc == 0)
        return catalogue;
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
    gcal_catalogue_files_clear(&catalogue->files);
    gcal_arena_destroy(catalogue->arena);
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
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_catalogue_tags parsed;
    int rc = gcal_catalogue_tags_parse(arena, n_tags, tags, &parsed, err);

    for (size_t i = catalogue->n_builtin; i < catalogue->n_generators && rc == 0; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        if (gcal_catalogue_tags_match(&parsed, match, g))
            gcal_buf_printf(hashes, "%s %s\n", g->name,
                            g->origin ? g->origin->sha256 : g->sha256);
    }
    gcal_arena_destroy(arena);
    return rc;
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
