/* kernels_read.c - a file of kernels, read into a record */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

struct read_file {
    const char *name; /* type and hash */
    size_t n, capacity;
    size_t *places;
};

struct gcal_medians_cache {
    struct gcal_arena *arena;
    struct gcal_medians_ledger ledger;
    size_t n, capacity;
    struct read_file *files;
};

/* A profile of the file that is read. */
struct profile {
    const char *hash, *text;
};

static int by_hash(const void *a, const void *b)
{
    return strcmp(((const struct profile *)a)->hash, ((const struct profile *)b)->hash);
}

struct gcal_medians_cache *gcal_medians_cache_create(const struct gcal_store *store)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_medians_cache *cache = gcal_arena_alloc(arena, 1, sizeof(*cache));

    cache->arena = arena;
    gcal_medians_ledger_init(&cache->ledger, store);
    return cache;
}

void gcal_medians_cache_destroy(struct gcal_medians_cache *cache)
{
    gcal_medians_ledger_clear(&cache->ledger);
    gcal_arena_destroy(cache->arena);
}

struct gcal_medians_ledger *gcal_medians_cache_ledger(struct gcal_medians_cache *cache)
{
    return &cache->ledger;
}

/* Reads the uses and the sizes of a kernel. */
static int get_lists(const struct gcal_medians_lines *lines,
                     struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    struct gcal_arena *arena = lines->arena;
    struct gcal_kernel_uses *uses = &kernel->uses;

    kernel->size_names = gcal_arena_alloc(arena, lines->n, sizeof(*kernel->size_names));
    kernel->size_values = gcal_arena_alloc(arena, lines->n, sizeof(*kernel->size_values));
    uses->items = gcal_arena_alloc(arena, lines->n, sizeof(*uses->items));
    for (size_t i = 1; i < lines->n; i++) {
        const char *use = gcal_medians_value(lines, i, "use");
        const char *size = gcal_medians_value(lines, i, "size");
        char *name = strchr(lines->words[i], ' ');

        if ((use || size) && !name)
            return gcal_error_set(err, GCAL_EINPUT, "'%s' is no use and no size",
                                  lines->words[i]);
        if (use || size)
            *name++ = '\0';
        if (size) {
            if (gcal_medians_number(size, &kernel->size_values[kernel->n_sizes], err) < 0)
                return -1;
            kernel->size_names[kernel->n_sizes++] = name;
        }
        if (use) {
            enum gcal_kernel_role role = GCAL_KERNEL_FITTED;

            while (role <= GCAL_KERNEL_CHECK && strcmp(gcal_medians_role(role), use) != 0)
                role++;
            if (role > GCAL_KERNEL_CHECK)
                return gcal_error_set(err, GCAL_EINPUT, "unknown use of a kernel: '%s'",
                                      use);
            uses->items[uses->n++] = (struct gcal_kernel_use){ name, role };
        }
    }
    return 0;
}

static int take_kernel(const struct gcal_medians_lines *lines, void *const *profiles,
                       struct gcal_medians_cache *cache, struct read_file *file,
                       struct gcal_record *record, struct gcal_error *err)
{
    struct gcal_run_kernel kernel = { 0 };
    struct profile wanted = { 0 }, **found;

    file->places = gcal_arena_grow(cache->arena, file->places, file->n, &file->capacity,
                                   sizeof(*file->places));
    if (gcal_medians_get_fields(lines, "", gcal_run_kernel_fields, &kernel, err) < 0 ||
        gcal_medians_get_fields(lines, "of.", gcal_kernel_origin_fields, &kernel.origin,
                                err) < 0 ||
        get_lists(lines, &kernel, err) < 0)
        return -1;
    wanted.hash = kernel.profile;
    if (!(found = tfind(&wanted, profiles, by_hash)))
        return gcal_error_set(err, GCAL_EINPUT, "kernel %s has no profile", kernel.name);
    kernel.profile = (char *)(*found)->text;
    file->places[file->n++] = gcal_record_add_kernel(record, &kernel);
    return 0;
}

static int take_profile(const struct gcal_medians_lines *lines, void **profiles,
                        struct gcal_error *err)
{
    struct profile *p = gcal_arena_alloc(lines->arena, 1, sizeof(*p));

    if (lines->n != 3)
        return gcal_medians_damaged(lines, err);
    *p = (struct profile){ lines->words[1], lines->words[2] };
    if (tfind(p, profiles, by_hash))
        return gcal_medians_damaged(lines, err);
    if (!tsearch(p, profiles, by_hash))
        gcal_arena_out_of_memory();
    return 0;
}

/* Trees are of nodes in an arena. */
static void keep_node(void *node)
{
    (void)node;
}

static int take_text(struct gcal_arena *arena, char *text, size_t size,
                     struct gcal_medians_cache *cache, struct read_file *file,
                     struct gcal_record *record, struct gcal_error *err)
{
    struct gcal_medians_lines lines = { .arena = arena, .at = text, .end = text + size };
    void *profiles = NULL;
    int rc = gcal_medians_next(&lines, err);

    if (rc >= 0 && (!rc || strcmp(lines.words[0], GCAL_KERNELS_HEADER) != 0))
        rc = gcal_error_set(err, GCAL_EINPUT, "it is not of this version");
    while (rc >= 0 && (rc = gcal_medians_next(&lines, err)) > 0) {
        if (strcmp(lines.words[0], "profile") == 0)
            rc = take_profile(&lines, &profiles, err);
        else if (strcmp(lines.words[0], "kernel") == 0)
            rc = take_kernel(&lines, &profiles, cache, file, record, err);
        else
            rc = gcal_medians_damaged(&lines, err);
    }
    tdestroy(profiles, keep_node);
    return rc;
}

static int read_file(struct gcal_arena *arena, const struct gcal_store *store,
                     const char *type, const char *sha256,
                     struct gcal_medians_cache *cache, struct read_file *file,
                     struct gcal_record *record, struct gcal_error *err)
{
    char *text;
    size_t size;
    int folder = gcal_medians_open_folder(store, "kernels", err);
    int rc = folder < 0 ? folder + 1
                        : gcal_medians_kernels_fetch(arena, store, folder, type, sha256,
                                                     &text, &size, err);

    if (folder >= 0)
        close(folder);
    if (rc == 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "it does not exist");
    else if (rc > 0)
        rc = take_text(arena, text, size, cache, file, record, err);
    return rc < 0 ? gcal_error_prefix(err, "store %s: kernels/%s.%s.tsv", store->path,
                                      type, sha256)
                  : 0;
}

int gcal_medians_kernels_read(const struct gcal_store *store, const char *type,
                              const char *sha256, struct gcal_medians_cache *cache,
                              struct gcal_record *record, const size_t **places,
                              size_t *n, struct gcal_error *err)
{
    const char *name = gcal_arena_format(cache->arena, "%s.%s", type, sha256);
    struct read_file *file = NULL;

    if (!gcal_medians_is_hash(sha256) || !gcal_store_is_name(type))
        return gcal_error_set(err, GCAL_EINPUT, "'%s' names no file of kernels", name);
    for (size_t i = 0; i < cache->n && !file; i++)
        if (strcmp(cache->files[i].name, name) == 0)
            file = &cache->files[i];
    if (!file) {
        struct gcal_arena *arena = gcal_arena_create();
        int rc;

        cache->files = gcal_arena_grow(cache->arena, cache->files, cache->n,
                                       &cache->capacity, sizeof(*cache->files));
        file = &cache->files[cache->n];
        *file = (struct read_file){ .name = name };
        rc = read_file(arena, store, type, sha256, cache, file, record, err);
        gcal_arena_destroy(arena);
        if (rc < 0)
            return -1;
        cache->n++;
    }
    *places = file->places;
    *n = file->n;
    return 0;
}
