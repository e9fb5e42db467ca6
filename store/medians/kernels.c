/* kernels.c - files of kernels: places of kernels there, and a file of those without one */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

/* ---- the line of a kernel ---- */

const char *gcal_medians_role(enum gcal_kernel_role role)
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
        gcal_buf_printf(buf, "\tuse=%s ", gcal_medians_role(kernel->uses.items[i].role));
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

/* Of one type. */
struct type {
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

static void known_free(void *node)
{
    free(((struct known *)node)->line);
    free(node);
}

static void type_clear(struct type *t)
{
    if (t->folder >= 0)
        close(t->folder);
    tdestroy(t->tree, known_free);
    tdestroy(t->profiles, free);
    free(t->files);
    gcal_buf_free(&t->text);
}

static struct file *add_file(struct type *t, const char *sha256, struct gcal_error *err)
{
    struct file *grown =
        gcal_array_grow(t->files, t->n_files, &t->capacity, sizeof(*grown), err);

    if (!grown)
        return NULL;
    t->files = grown;
    grown += t->n_files++;
    *grown = (struct file){ 0 };
    strcpy(grown->sha256, sha256);
    return grown;
}

/* Adds a line to the last file, of 'length' bytes. */
static int remember(struct type *t, const char *line, size_t length,
                    struct gcal_error *err)
{
    struct known *known = malloc(sizeof(*known)), **found;

    if (!known || !(known->line = strndup(line, length))) {
        free(known);
        return gcal_error_memory(err);
    }
    known->file = t->n_files - 1;
    known->place = t->files[known->file].n++;
    found = tsearch(known, &t->tree, by_line);
    if (!found || *found != known) /* another file has it, too */
        known_free(known);
    return found ? 0 : gcal_error_memory(err);
}

/* ---- reading ---- */

bool gcal_medians_is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == GCAL_HASH_TEXT_SIZE - 1 &&
           strlen(text) == GCAL_HASH_TEXT_SIZE - 1;
}

/* The names of files are hashes of what anyone may have written: a profile with another one's hash
 * would count for that.
 */
static bool has_right_profiles(const char *text, size_t size)
{
    char *copy = strndup(text, size), hash[GCAL_HASH_TEXT_SIZE];
    struct gcal_medians_lines lines = { .at = copy, .end = copy ? copy + size : NULL };
    bool right = copy;
    int rc = 0;

    while (right && (rc = gcal_medians_next(&lines, NULL)) > 0)
        if (strcmp(lines.words[0], "profile") == 0) {
            if ((right = lines.n == 3))
                gcal_hash(lines.words[2], strlen(lines.words[2]), hash);
            right = right && strcmp(hash, lines.words[1]) == 0;
        }
    free(lines.words);
    free(copy);
    return right && rc == 0;
}

int gcal_medians_kernels_fetch(const struct gcal_store *store, int folder,
                               const char *type, const char *sha256, char **text,
                               size_t *size, struct gcal_error *err)
{
    char *file = gcal_buf_format("%s.%s.tsv", type, sha256);
    char *shown = gcal_buf_format("kernels/%s.%s.tsv", type, sha256);
    char found[GCAL_HASH_TEXT_SIZE];
    int rc = -1;

    *text = NULL;
    if (!file || !shown)
        gcal_error_memory(err);
    else
        rc = gcal_store_fetch(store, folder, file, shown, GCAL_STORE_MAX_BYTES, text,
                              size, err);
    if (rc > 0) {
        gcal_hash(*text, *size, found);
        if (strcmp(found, sha256) != 0 || !has_right_profiles(*text, *size))
            rc = gcal_error_set(err, GCAL_EINPUT, "store %s: %s is damaged", store->path,
                                shown);
    }
    if (rc < 0) {
        free(*text);
        *text = NULL;
    }
    free(file);
    free(shown);
    return rc;
}

static int remember_file(struct type *t, const char *sha256, const char *text,
                         size_t size, struct gcal_error *err)
{
    const char *end = text + size, *next;

    if (!add_file(t, sha256, err))
        return -1;
    for (; text < end && (next = memchr(text, '\n', (size_t)(end - text)));
         text = next + 1)
        if (strncmp(text, "kernel\t", strlen("kernel\t")) == 0 &&
            remember(t, text, (size_t)(next - text), err) < 0)
            return -1;
    return 0;
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
        char *text = NULL;

        if (strncmp(names[i], t->name, length) != 0 || names[i][length] != '.' ||
            !gcal_medians_is_hash(sha256))
            continue;
        if (gcal_medians_kernels_fetch(t->store, t->folder, t->name, sha256, &text, &size,
                                       NULL) > 0)
            rc = remember_file(t, sha256, text, size, err);
        free(text);
    }
    gcal_strings_free(names, n);
    return rc;
}

static int type_open(struct type *t, struct gcal_store *store, const char *name,
                     struct gcal_error *err)
{
    *t = (struct type){ .store = store, .name = name, .folder = -1 };
    if (gcal_store_check_name("device type", name, err) < 0)
        return -1;
    t->folder = gcal_store_make_folder(store, store->dirfd, "kernels", "kernels", err);
    return t->folder < 0 ? -1 : read_files(t, err);
}

/* ---- writing ---- */

static int add_profile(struct type *t, const char *profile, struct gcal_error *err)
{
    char hash[GCAL_HASH_TEXT_SIZE], *copy, **found;

    gcal_hash(profile, strlen(profile), hash);
    if (!(copy = strdup(hash)))
        return gcal_error_memory(err);
    found = (char **)tsearch(copy, &t->profiles, by_text);
    if (!found || *found != copy) {
        free(copy);
        return found ? 0 : gcal_error_memory(err);
    }
    gcal_buf_printf(&t->text, "profile\t%s\t", hash);
    gcal_medians_put_text(&t->text, profile);
    gcal_buf_puts(&t->text, "\n");
    return 0;
}

static bool has_new_file(const struct type *t)
{
    return t->n_files && !t->files[t->n_files - 1].sha256[0];
}

/* A kernel that no file has. */
static int add_new(struct type *t, const struct gcal_run_kernel *kernel, const char *line,
                   struct gcal_error *err)
{
    if (!has_new_file(t)) {
        if (!add_file(t, "", err))
            return -1;
        gcal_buf_puts(&t->text, GCAL_KERNELS_HEADER "\n");
    }
    if (add_profile(t, kernel->profile, err) < 0)
        return -1;
    gcal_buf_printf(&t->text, "%s\n", line);
    return remember(t, line, strlen(line), err);
}

static int find_kernel(struct type *t, const struct gcal_run_kernel *kernel,
                       const struct known **known, struct gcal_error *err)
{
    struct known wanted = { 0 }, **found;
    struct gcal_buf buf = { 0 };
    int rc = 0;

    put_kernel(&buf, kernel);
    if (!(wanted.line = gcal_buf_take(&buf, err)))
        return -1;
    found = tfind(&wanted, &t->tree, by_line);
    if (!found && (rc = add_new(t, kernel, wanted.line, err)) == 0)
        found = tfind(&wanted, &t->tree, by_line);
    free(wanted.line);
    if (rc == 0)
        *known = *found;
    return rc;
}

static int write_new(struct type *t, struct gcal_error *err)
{
    struct file *file = &t->files[t->n_files - 1];
    char *name = NULL, *temp = NULL;
    int rc = -1;

    if (t->text.failed)
        return gcal_error_memory(err);
    gcal_hash(t->text.data, t->text.size, file->sha256);
    name = gcal_buf_format("%s.%s.tsv", t->name, file->sha256);
    temp = gcal_buf_format(".publish.%s.%d", t->name, (int)getpid());
    if (!name || !temp)
        gcal_error_memory(err);
    else if (gcal_store_prepare(t->store, t->folder, temp, "kernels", t->text.data,
                                t->text.size, err) == 0)
        rc = gcal_store_replace(t->store, t->folder, temp, name, "kernels", err);
    free(name);
    free(temp);
    return rc;
}

/* ---- places ---- */

void gcal_medians_places_clear(struct gcal_medians_places *places)
{
    gcal_strings_clear(&places->files);
    free(places->place);
}

/* Lists the files that a section needs: 'base' (by file) is the place of its first kernel. */
static int list_files(const struct type *t, const bool *used, size_t *base,
                      struct gcal_medians_places *places, struct gcal_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < t->n_files; i++) {
        base[i] = at;
        at += used[i] ? t->files[i].n : 0;
        if (used[i] && gcal_strings_add(&places->files, t->files[i].sha256, err) < 0)
            return -1;
    }
    return 0;
}

/* places->place: of row i, the place in file of_file[i]. */
static int place_rows(const struct type *t, const struct gcal_medians_section *section,
                      const size_t *of_file, struct gcal_medians_places *places,
                      struct gcal_error *err)
{
    bool *used = calloc(t->n_files + 1, sizeof(*used));
    size_t *base = calloc(t->n_files + 1, sizeof(*base));
    int rc = used && base ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < section->n_rows && rc == 0; i++)
        used[of_file[i]] = true;
    if (rc == 0)
        rc = list_files(t, used, base, places, err);
    for (size_t i = 0; i < section->n_rows && rc == 0; i++)
        places->place[i] += base[of_file[i]];
    free(used);
    free(base);
    return rc;
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
        if (!is_of(&sections[i], t->name))
            continue;
        if (!(of_file[i] = calloc(sections[i].n_rows + 1, sizeof(**of_file))))
            return gcal_error_memory(err);
        if (!(places[i].place = calloc(sections[i].n_rows + 1, sizeof(*places[i].place))))
            return gcal_error_memory(err);
        for (size_t j = 0; j < sections[i].n_rows; j++) {
            const struct known *known = NULL;

            if (find_kernel(t, &record->kernels[sections[i].rows[j].kernel], &known,
                            err) < 0)
                return -1;
            of_file[i][j] = known->file;
            places[i].place[j] = known->place;
        }
    }
    if (has_new_file(t) && write_new(t, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (is_of(&sections[i], t->name) &&
            place_rows(t, &sections[i], of_file[i], &places[i], err) < 0)
            return -1;
    return 0;
}

int gcal_medians_kernels_place(struct gcal_store *store, const struct gcal_record *record,
                               const struct gcal_medians_section *sections, size_t n,
                               struct gcal_medians_places *places, struct gcal_error *err)
{
    size_t **of_file = calloc(n + 1, sizeof(*of_file));
    int rc = of_file ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct type t;

        if (of_file[i])
            continue; /* with an earlier one of its type */
        if ((rc = type_open(&t, store, sections[i].device->info.type, err)) == 0)
            rc = place_type(&t, record, sections, n, of_file, places, err);
        type_clear(&t);
    }
    for (size_t i = 0; i < n && of_file; i++)
        free(of_file[i]);
    free(of_file);
    return rc;
}
