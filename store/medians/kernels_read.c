/* kernels_read.c - a file of kernels, read into a record */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

struct read_file {
    char *name; /* type and hash */
    size_t n, capacity;
    size_t *places;
};

struct gcal_medians_cache {
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
    struct gcal_medians_cache *cache = calloc(1, sizeof(*cache));

    if (cache)
        gcal_medians_ledger_init(&cache->ledger, store);
    return cache;
}

void gcal_medians_cache_destroy(struct gcal_medians_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->n; i++) {
        free(cache->files[i].name);
        free(cache->files[i].places);
    }
    free(cache->files);
    gcal_medians_ledger_clear(&cache->ledger);
    free(cache);
}

struct gcal_medians_ledger *gcal_medians_cache_ledger(struct gcal_medians_cache *cache)
{
    return &cache->ledger;
}

static int get_use(const char *text, struct gcal_run_kernel *kernel,
                   struct gcal_error *err)
{
    const char *model = strchr(text, ' ');

    for (enum gcal_kernel_role role = GCAL_KERNEL_FITTED;
         model && role <= GCAL_KERNEL_CHECK; role++) {
        const char *name = gcal_medians_role(role);

        if (strlen(name) == (size_t)(model - text) &&
            strncmp(name, text, strlen(name)) == 0)
            return gcal_kernel_uses_add(&kernel->uses, model + 1, role, err);
    }
    return gcal_error_set(err, GCAL_EINPUT, "unknown use of a kernel: '%s'", text);
}

static int get_size(char *text, struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    char *name = strchr(text, ' ');

    if (!name)
        return gcal_error_set(err, GCAL_EINPUT, "'%s' is not a size", text);
    *name++ = '\0';
    if (gcal_medians_number(text, &kernel->size_values[kernel->n_sizes], err) < 0)
        return -1;
    if (!(kernel->size_names[kernel->n_sizes] = strdup(name)))
        return gcal_error_memory(err);
    kernel->n_sizes++;
    return 0;
}

static int get_lists(const struct gcal_medians_lines *lines,
                     struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    kernel->size_names = calloc(lines->n, sizeof(*kernel->size_names));
    kernel->size_values = calloc(lines->n, sizeof(*kernel->size_values));
    if (!kernel->size_names || !kernel->size_values)
        return gcal_error_memory(err);
    for (size_t i = 1; i < lines->n; i++) {
        const char *use = gcal_medians_value(lines, i, "use");
        const char *size = gcal_medians_value(lines, i, "size");

        if ((use && get_use(use, kernel, err) < 0) ||
            (size && get_size((char *)size, kernel, err) < 0))
            return -1;
    }
    return 0;
}

/* Replaces the hash by the text. */
static int get_profile(void *const *profiles, struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    const struct profile wanted = { .hash = kernel->profile };
    struct profile **found = tfind(&wanted, profiles, by_hash);
    char *text;

    if (!found)
        return gcal_error_set(err, GCAL_EINPUT, "kernel %s has no profile", kernel->name);
    if (!(text = strdup((*found)->text)))
        return gcal_error_memory(err);
    free(kernel->profile);
    kernel->profile = text;
    return 0;
}

static int take_kernel(const struct gcal_medians_lines *lines, void *const *profiles,
                       struct read_file *file, struct gcal_record *record,
                       struct gcal_error *err)
{
    struct gcal_run_kernel kernel = { 0 };
    size_t *grown =
        gcal_array_grow(file->places, file->n, &file->capacity, sizeof(*grown), err);
    int rc = -1;

    if (!grown)
        return -1;
    file->places = grown;
    if (gcal_medians_get_fields(lines, "", gcal_run_kernel_fields, &kernel, err) == 0 &&
        gcal_medians_get_fields(lines, "of.", gcal_kernel_origin_fields, &kernel.origin,
                                err) == 0 &&
        get_lists(lines, &kernel, err) == 0 && get_profile(profiles, &kernel, err) == 0)
        rc = gcal_record_add_kernel(record, &kernel, &grown[file->n++], err);
    gcal_run_kernel_clear(&kernel);
    return rc;
}

static int take_profile(const struct gcal_medians_lines *lines, void **profiles,
                        struct gcal_error *err)
{
    struct profile *p = lines->n == 3 ? malloc(sizeof(*p)) : NULL;

    if (lines->n != 3)
        return gcal_medians_damaged(lines, err);
    if (!p)
        return gcal_error_memory(err);
    *p = (struct profile){ lines->words[1], lines->words[2] };
    if (tfind(p, profiles, by_hash)) {
        free(p);
        return gcal_medians_damaged(lines, err);
    }
    if (tsearch(p, profiles, by_hash))
        return 0;
    free(p);
    return gcal_error_memory(err);
}

static int take_text(char *text, size_t size, struct read_file *file,
                     struct gcal_record *record, struct gcal_error *err)
{
    struct gcal_medians_lines lines = { .at = text, .end = text + size };
    void *profiles = NULL;
    int rc = gcal_medians_next(&lines, err);

    if (rc >= 0 && (!rc || strcmp(lines.words[0], GCAL_KERNELS_HEADER) != 0))
        rc = gcal_error_set(err, GCAL_EINPUT, "it is not of this version");
    while (rc >= 0 && (rc = gcal_medians_next(&lines, err)) > 0) {
        if (strcmp(lines.words[0], "profile") == 0)
            rc = take_profile(&lines, &profiles, err);
        else if (strcmp(lines.words[0], "kernel") == 0)
            rc = take_kernel(&lines, &profiles, file, record, err);
        else
            rc = gcal_medians_damaged(&lines, err);
    }
    tdestroy(profiles, free);
    free(lines.words);
    return rc;
}

static struct read_file *find_read(struct gcal_medians_cache *cache, const char *name)
{
    for (size_t i = 0; i < cache->n; i++)
        if (strcmp(cache->files[i].name, name) == 0)
            return &cache->files[i];
    return NULL;
}

static int read_file(const struct gcal_store *store, const char *type, const char *sha256,
                     struct read_file *file, struct gcal_record *record,
                     struct gcal_error *err)
{
    char *text = NULL;
    size_t size;
    int folder,
        rc = gcal_store_folder(store, store->dirfd, "kernels", "kernels", &folder, err);

    if (rc > 0)
        rc = gcal_medians_kernels_fetch(store, folder, type, sha256, &text, &size, err);
    if (folder >= 0)
        close(folder);
    if (rc == 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "it does not exist");
    else if (rc > 0)
        rc = take_text(text, size, file, record, err);
    free(text);
    return rc < 0 ? gcal_error_prefix(err, "store %s: kernels/%s.%s.tsv", store->path,
                                      type, sha256)
                  : 0;
}

int gcal_medians_kernels_read(const struct gcal_store *store, const char *type,
                              const char *sha256, struct gcal_medians_cache *cache,
                              struct gcal_record *record, const size_t **places,
                              size_t *n, struct gcal_error *err)
{
    char *name = gcal_buf_format("%s.%s", type, sha256);
    struct read_file *file = name ? find_read(cache, name) : NULL, *grown;
    int rc = 0;

    if (!name)
        return gcal_error_memory(err);
    if (!gcal_medians_is_hash(sha256) || !gcal_store_is_name(type)) {
        rc = gcal_error_set(err, GCAL_EINPUT, "'%s' names no file of kernels", name);
    } else if (!file) {
        grown = gcal_array_grow(cache->files, cache->n, &cache->capacity, sizeof(*grown),
                                err);
        if (!grown) {
            rc = -1;
        } else {
            cache->files = grown;
            file = &grown[cache->n];
            *file = (struct read_file){ 0 };
            rc = read_file(store, type, sha256, file, record, err);
        }
        if (rc == 0) {
            file->name = name;
            name = NULL;
            cache->n++;
        } else if (file) {
            free(file->places);
        }
    }
    free(name);
    if (rc == 0) {
        *places = file->places;
        *n = file->n;
    }
    return rc;
}
