/* kernels.c - files of kernels: written, and read into a record */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

/* ---- files of kernels: places of kernels there, and a file of those without one ---- */

/* ---- the line of a kernel ---- */

/* "fitted": a role as in records. */
static const char *find_role(enum gcal_kernel_role role)
{
    const struct gcal_field *f = gcal_kernel_use_fields;

    while (strcmp(f->name, "role") != 0)
        f++;
    return gcal_field_value_name(f->values, role);
}

/* With the hash of its profile in the place of that; without its source. */
static void put_kernel(struct gcal_buf *buf, const struct gcal_run_kernel *kernel)
{
    struct gcal_run_kernel bare = *kernel;
    char hash[GCAL_HASH_TEXT_SIZE];

    gcal_hash(kernel->profile, strlen(kernel->profile), hash);
    bare.source = "";
    bare.profile = hash;
    gcal_buf_puts(buf, "kernel");
    gcal_medians_put_fields(buf, "", gcal_run_kernel_fields, &bare);
    gcal_medians_put_fields(buf, "of.", gcal_kernel_origin_fields, &bare.origin);
    for (size_t i = 0; i < kernel->uses.n; i++) {
        gcal_buf_printf(buf, "\tuse=%s ", find_role(kernel->uses.items[i].role));
        gcal_medians_put_text(buf, kernel->uses.items[i].model);
    }
    for (size_t i = 0; i < kernel->n_sizes; i++) {
        gcal_buf_printf(buf, "\tsize=%.17g ", kernel->size_values[i]);
        gcal_medians_put_text(buf, kernel->size_names[i]);
    }
}

/* ---- the kernels that there are ---- */

/* A line in a file, or one that is still to be written. */
struct known {
    char *line;
    size_t file, place;
};

struct file {
    char sha256[GCAL_HASH_TEXT_SIZE];
    size_t n; /* kernels */
};

/* The kernels of one type. */
struct type {
    struct gcal_arena *arena;
    struct gcal_store *store;
    const char *name;
    int folder;
    size_t n_files, capacity;
    struct file *files; /* the last one is new, if its sha256 is "" */
    void *tree;         /* of struct known */
    struct gcal_buf text;
    void *profiles; /* hashes in 'text' */
};

static int by_line(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->line, ((const struct known *)b)->line);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Trees are of nodes in the arena. */
static void keep_node(void *node)
{
    (void)node;
}

static void add_file(struct type *t, const char *sha256)
{
    t->files =
        gcal_arena_grow(t->arena, t->files, t->n_files, &t->capacity, sizeof(*t->files));
    strcpy(t->files[t->n_files++].sha256, sha256);
}

/* Adds a line to the last file.  Another file may have it, too. */
static void remember(struct type *t, char *line)
{
    struct known *known = gcal_arena_alloc(t->arena, 1, sizeof(*known));

    *known = (struct known){ line, t->n_files - 1, t->files[t->n_files - 1].n++ };
    if (!tsearch(known, &t->tree, by_line))
        gcal_arena_out_of_memory();
}

/* ---- reading ---- */

static bool is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == GCAL_HASH_TEXT_SIZE - 1 &&
           strlen(text) == GCAL_HASH_TEXT_SIZE - 1;
}

/* The names of files are hashes of what anyone may have written: a profile with another one's hash
 * would count for that.
 */
static bool has_right_profiles(struct gcal_arena *arena, const char *text, size_t size)
{
    char *copy = memcpy(gcal_arena_alloc(arena, size + 1, 1), text, size);
    struct gcal_medians_lines lines = { .arena = arena, .at = copy, .end = copy + size };
    char hash[GCAL_HASH_TEXT_SIZE];
    int rc;

    while ((rc = gcal_medians_next(&lines, NULL)) > 0)
        if (strcmp(lines.words[0], "profile") == 0) {
            if (lines.n != 3)
                return false;
            gcal_hash(lines.words[2], strlen(lines.words[2]), hash);
            if (strcmp(hash, lines.words[1]) != 0)
                return false;
        }
    return rc == 0;
}

int gcal_medians_kernels_fetch(struct gcal_arena *arena, const struct gcal_store *store,
                               int folder, const char *type, const char *sha256,
                               char **text, size_t *size, struct gcal_error *err)
{
    const char *shown = gcal_arena_format(arena, "kernels/%s.%s.tsv", type, sha256);
    char found[GCAL_HASH_TEXT_SIZE];
    int rc;

    *text = NULL;
    rc = gcal_store_fetch(store, folder, shown + strlen("kernels/"), shown,
                          GCAL_STORE_MAX_BYTES, text, size, err);
    gcal_arena_own(arena, *text, free);
    if (rc > 0) {
        gcal_hash(*text, *size, found);
        if (strcmp(found, sha256) != 0 || !has_right_profiles(arena, *text, *size))
            rc = gcal_error_set(err, GCAL_EINPUT, "store %s: %s is damaged", store->path,
                                shown);
    }
    return rc;
}

/* A file that cannot be read is of no use, but harms nobody. */
static int read_files(struct type *t, struct gcal_error *err)
{
    size_t length = strlen(t->name), n = 0;
    char **names = NULL;
    int again = dup(t->folder), rc;

    if (again < 0)
        return gcal_store_fail(t->store, "kernels", err);
    rc = gcal_store_list(again, ".tsv", &names, &n, err);
    for (size_t i = 0; i < n && rc == 0; i++) {
        const char *sha256 = names[i] + length + 1;
        size_t size;
        char *text, *next;

        if (strncmp(names[i], t->name, length) != 0 || names[i][length] != '.' ||
            !is_hash(sha256) ||
            gcal_medians_kernels_fetch(t->arena, t->store, t->folder, t->name, sha256,
                                       &text, &size, NULL) <= 0)
            continue;
        add_file(t, sha256);
        for (char *end = text + size;
             text < end && (next = memchr(text, '\n', (size_t)(end - text)));
             text = next + 1) {
            *next = '\0';
            if (strncmp(text, "kernel\t", strlen("kernel\t")) == 0)
                remember(t, text);
        }
    }
    gcal_strings_free(names, n);
    return rc;
}

static int type_open(struct type *t, struct gcal_arena *arena, struct gcal_store *store,
                     const char *name, struct gcal_error *err)
{
    *t = (struct type){ .arena = arena, .store = store, .name = name, .folder = -1 };
    if (gcal_store_check_name("device type", name, err) < 0)
        return -1;
    t->folder = gcal_store_make_folder(store, store->dirfd, "kernels", "kernels", err);
    return t->folder < 0 ? -1 : read_files(t, err);
}

/* ---- writing ---- */

static bool has_new_file(const struct type *t)
{
    return t->n_files && !t->files[t->n_files - 1].sha256[0];
}

/* The kernel, which is added to the new file if no file has it. */
static const struct known *find_kernel(struct type *t,
                                       const struct gcal_run_kernel *kernel)
{
    char hash[GCAL_HASH_TEXT_SIZE];
    struct gcal_buf buf = { 0 };
    struct known wanted = { 0 };
    void *found;

    put_kernel(&buf, kernel);
    wanted.line = gcal_arena_take(t->arena, &buf);
    if ((found = tfind(&wanted, &t->tree, by_line)))
        return *(struct known **)found;
    if (!has_new_file(t)) {
        add_file(t, "");
        gcal_buf_puts(&t->text, GCAL_KERNELS_HEADER "\n");
    }
    gcal_hash(kernel->profile, strlen(kernel->profile), hash);
    if (!tfind(hash, &t->profiles, by_text)) {
        if (!tsearch(gcal_arena_strdup(t->arena, hash), &t->profiles, by_text))
            gcal_arena_out_of_memory();
        gcal_buf_printf(&t->text, "profile\t%s\t", hash);
        gcal_medians_put_text(&t->text, kernel->profile);
        gcal_buf_puts(&t->text, "\n");
    }
    gcal_buf_printf(&t->text, "%s\n", wanted.line);
    remember(t, wanted.line);
    return *(struct known **)tfind(&wanted, &t->tree, by_line);
}

static int write_new(struct type *t, struct gcal_error *err)
{
    struct file *file = &t->files[t->n_files - 1];
    const char *temp =
        gcal_arena_format(t->arena, ".publish.%s.%d", t->name, (int)getpid());
    size_t size = t->text.size;
    const char *text = gcal_arena_take(t->arena, &t->text), *name;

    gcal_hash(text, size, file->sha256);
    name = gcal_arena_format(t->arena, "%s.%s.tsv", t->name, file->sha256);
    return gcal_store_prepare(t->store, t->folder, temp, "kernels", text, size, err) < 0
               ? -1
               : gcal_store_replace(t->store, t->folder, temp, name, "kernels", err);
}

/* ---- places ---- */

/* Lists the files that a section needs; places->place: of row i, the place in file of_file[i]
 * becomes that in the section.
 */
static void place_rows(const struct type *t, const struct gcal_medians_section *section,
                       const size_t *of_file, struct gcal_medians_places *places)
{
    bool *used = gcal_arena_alloc(t->arena, t->n_files, sizeof(*used));
    size_t *base = gcal_arena_alloc(t->arena, t->n_files, sizeof(*base)), at = 0;

    places->files = gcal_arena_alloc(t->arena, t->n_files, sizeof(*places->files));
    for (size_t i = 0; i < section->n_rows; i++)
        used[of_file[i]] = true;
    for (size_t i = 0; i < t->n_files; i++)
        if (used[i]) {
            base[i] = at; /* of its first kernel */
            at += t->files[i].n;
            places->files[places->n_files++] =
                gcal_arena_strdup(t->arena, t->files[i].sha256);
        }
    for (size_t i = 0; i < section->n_rows; i++)
        places->place[i] += base[of_file[i]];
}

static bool is_of(const struct gcal_medians_section *section, const char *type)
{
    return strcmp(section->device->info.type, type) == 0;
}

/* The sections of one type: all kernels first, then the file of those that are new. */
static int place_type(struct type *t, const struct gcal_record *record,
                      const struct gcal_medians_section *sections, size_t n,
                      size_t **of_file, struct gcal_medians_places *places,
                      struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        size_t n_rows = sections[i].n_rows;

        if (!is_of(&sections[i], t->name))
            continue;
        of_file[i] = gcal_arena_alloc(t->arena, n_rows, sizeof(**of_file));
        places[i].place = gcal_arena_alloc(t->arena, n_rows, sizeof(*places[i].place));
        for (size_t j = 0; j < n_rows; j++) {
            const struct known *known =
                find_kernel(t, &record->kernels[sections[i].rows[j].kernel]);

            of_file[i][j] = known->file;
            places[i].place[j] = known->place;
        }
    }
    if (has_new_file(t) && write_new(t, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (is_of(&sections[i], t->name))
            place_rows(t, &sections[i], of_file[i], &places[i]);
    return 0;
}

int gcal_medians_kernels_place(struct gcal_arena *arena, struct gcal_store *store,
                               const struct gcal_record *record,
                               const struct gcal_medians_section *sections, size_t n,
                               struct gcal_medians_places *places, struct gcal_error *err)
{
    size_t **of_file = gcal_arena_alloc(arena, n, sizeof(*of_file));
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct type t;

        if (of_file[i])
            continue; /* with an earlier one of its type */
        if ((rc = type_open(&t, arena, store, sections[i].device->info.type, err)) == 0)
            rc = place_type(&t, record, sections, n, of_file, places, err);
        if (t.folder >= 0)
            close(t.folder);
        tdestroy(t.tree, keep_node);
        tdestroy(t.profiles, keep_node);
        gcal_buf_free(&t.text);
    }
    return rc;
}

/* ---- a file of kernels, read into a record ---- */

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

            while (role <= GCAL_KERNEL_CHECK && strcmp(find_role(role), use) != 0)
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

    if (!is_hash(sha256) || !gcal_store_is_name(type))
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
