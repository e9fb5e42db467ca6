/* entry.c - a space of configurations from a file, as a catalogue entry in memory
 *
 * What the file says is moved into the tree of an entry, so that errors have the positions
 * of the file, and one way leads from an entry to kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/count_cache.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/tune/private.h"

enum { MOST_BYTES = 1 << 20 };

/* Keys that an entry has as well. */
static const char *const common_keys[] = {
    "where",           "local_size", "global_size", "args", "assume",    "check",
    "tolerance",       "std",        "reference",   "run",  "unchecked", "trips",
    "allow_estimates", NULL
};

static const struct gcal_yaml *require(const struct gcal_yaml *file, const char *key,
                                       enum gcal_yaml_kind kind, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(file, key);

    if (!node)
        gcal_yaml_error(file, err, "key '%s' is missing", key);
    else if (node->kind != kind)
        gcal_yaml_error(node, err, "%s: expected %s", key,
                        kind == GCAL_YAML_MAP ? "a map" : "a list");
    else
        return node;
    return NULL;
}

/* ---- checks ---- */

static bool is_set(const struct gcal_yaml *map, const char *key, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);
    bool value = true;

    return !node || gcal_yaml_bool(node, key, &value, err) < 0 || value;
}

static int check_parameter(const struct gcal_yaml *key, const struct gcal_yaml *node,
                           struct gcal_error *err)
{
    static const char *const keys[] = { "values", "range", "powers_of_two", "define",
                                        NULL };
    struct gcal_error why = { 0 };

    if (node->kind == GCAL_YAML_SCALAR ||
        (node->kind == GCAL_YAML_LIST && !node->n_items))
        return gcal_yaml_error(node, err,
                               "%s: expected a list of values, {range: [first, last, "
                               "step]} or {powers_of_two: [first, last]}",
                               key->text);
    if (node->kind == GCAL_YAML_LIST)
        return 0;
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    is_set(node, "define", &why);
    if (!why.code)
        return 0;
    if (err)
        *err = why;
    return -1;
}

static int check_size(const struct gcal_yaml *key, const struct gcal_yaml *node,
                      struct gcal_error *err)
{
    long long value;

    return gcal_yaml_integer(node, key->text, 1, 1LL << 53, &value, err);
}

/* A name belongs to one of the maps. */
static int check_distinct(const struct gcal_yaml *map, const struct gcal_yaml *other,
                          const char *what, struct gcal_error *err)
{
    for (size_t i = 0; other && i < map->n_items; i++)
        if (gcal_yaml_find(other, map->keys[i]->text))
            return gcal_yaml_error(map->keys[i], err, "'%s' is also %s",
                                   map->keys[i]->text, what);
    return 0;
}

static int check_maps(const struct gcal_yaml *file, const struct gcal_yaml *parameters,
                      const struct gcal_yaml *sizes, struct gcal_error *err)
{
    for (size_t i = 0; i < parameters->n_items; i++)
        if (check_parameter(parameters->keys[i], parameters->items[i], err) < 0)
            return -1;
    if (!parameters->n_items)
        return gcal_yaml_error(parameters, err, "parameters: expected at least one");
    for (size_t i = 0; i < sizes->n_items; i++)
        if (check_size(sizes->keys[i], sizes->items[i], err) < 0)
            return -1;
    if (check_distinct(sizes, parameters, "a parameter", err) < 0)
        return -1;
    return check_distinct(parameters, gcal_yaml_find(file, "defines"),
                          "among the fixed defines", err);
}

static int check_file(const struct gcal_yaml *file, struct gcal_error *err)
{
    const char *keys[sizeof(common_keys) / sizeof(*common_keys) + 6] = {
        "gpucal_space", "kernel", "description", "parameters", "sizes", "defines"
    };
    const struct gcal_yaml *version = gcal_yaml_find(file, "gpucal_space");
    long long number;

    for (size_t i = 0; common_keys[i]; i++)
        keys[i + 6] = common_keys[i];
    if (gcal_yaml_check_keys(file, keys, err) < 0)
        return -1;
    if (!version)
        return gcal_yaml_error(file, err, "key 'gpucal_space' is missing");
    return gcal_yaml_integer(version, "gpucal_space", 1, 1, &number, err);
}

/* ---- the source ---- */

/* The name of the kernel: the key of the file, else the only one of the source. */
static const char *choose_kernel(struct gcal_arena *arena, const struct gcal_yaml *file,
                                 const struct gcal_count_options *options,
                                 struct gcal_error *err)
{
    const struct gcal_yaml *name = gcal_yaml_find(file, "kernel");
    struct gcal_count_description d = { 0 };
    const char *kernel = NULL;

    if (name)
        return gcal_yaml_text(name, "kernel", err) ? name->text : NULL;
    if (gcal_count_options_describe(options, &d, err) == 0) {
        if (d.kernels.n == 1)
            kernel = gcal_arena_strdup(arena, d.kernels.items[0]);
        else
            gcal_error_set(err, GCAL_EINPUT,
                           "%s has %zu kernels: name one by the key 'kernel' of the "
                           "space",
                           options->file, d.kernels.n);
    }
    gcal_count_description_clear(&d);
    return kernel;
}

/* ---- the entry ---- */

/* The value of a map's key, for it to be moved; NULL. */
static struct gcal_yaml **find_place(const struct gcal_yaml *map, const char *key)
{
    for (size_t i = 0; map && i < map->n_items; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return &map->items[i];
    return NULL;
}

/* Exchanges the values of a key that both maps have. */
static void move_value(const struct gcal_yaml *from, const struct gcal_yaml *to,
                       const char *key)
{
    struct gcal_yaml **a = find_place(from, key), **b = find_place(to, key), *moved;

    if (!a || !b)
        return;
    moved = *a;
    *a = *b;
    *b = moved;
}

/* Removes the key from the map, which an entry's argument does not have. */
static void drop_define(struct gcal_yaml *map)
{
    for (size_t i = 0; map->kind == GCAL_YAML_MAP && i < map->n_items; i++)
        if (strcmp(map->keys[i]->text, "define") == 0) {
            gcal_yaml_destroy(map->keys[i]);
            gcal_yaml_destroy(map->items[i]);
            map->n_items--;
            map->keys[i] = map->keys[map->n_items];
            map->items[i] = map->items[map->n_items];
        }
}

static void put_quoted(struct gcal_buf *out, const char *text)
{
    gcal_buf_puts(out, "\"");
    for (const char *c = text; *c; c++)
        gcal_buf_printf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    gcal_buf_puts(out, "\"\n");
}

/* Without namespaces and template arguments: "gemm" of "la::gemm<float, TILE>". */
static const char *short_name(struct gcal_arena *arena, const char *kernel)
{
    char *name = gcal_arena_format(arena, "%.*s", (int)strcspn(kernel, "<"), kernel);
    char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

/* The text of an entry, with 'moved' where a value of the file is to be. */
static const char *write_entry(struct gcal_arena *arena, const struct gcal_yaml *file,
                               const struct gcal_yaml *parameters,
                               const struct gcal_yaml *sizes, const char *kernel)
{
    struct gcal_buf out = { 0 };

    gcal_buf_printf(&out, "gpucal_kernel: 1\nname: %s\ntags: [tune]\n",
                    short_name(arena, kernel));
    gcal_buf_puts(&out, "source: moved\nkernel: ");
    put_quoted(&out, kernel);
    const struct gcal_yaml *defines = gcal_yaml_find(file, "defines");
    gcal_buf_puts(&out, "arguments:\n");
    for (size_t i = 0; i < parameters->n_items; i++)
        gcal_buf_printf(&out, "  %s: moved\n", parameters->keys[i]->text);
    for (size_t i = 0; i < sizes->n_items; i++)
        gcal_buf_printf(&out, "  %s: {size: [%s]}\n", sizes->keys[i]->text,
                        sizes->items[i]->text);
    gcal_buf_puts(&out, "tune: [");
    for (size_t i = 0; i < parameters->n_items; i++)
        gcal_buf_printf(&out, "%s%s", i ? ", " : "", parameters->keys[i]->text);
    gcal_buf_puts(&out, "]\ndefines: {");
    for (size_t i = 0; i < parameters->n_items; i++)
        if (is_set(parameters->items[i], "define", NULL))
            gcal_buf_printf(&out, "%s: %s, ", parameters->keys[i]->text,
                            parameters->keys[i]->text);
    for (size_t i = 0; defines && i < defines->n_items; i++)
        gcal_buf_printf(&out, "%s: moved, ", defines->keys[i]->text);
    gcal_buf_puts(&out, "}\n");
    for (size_t i = 0; common_keys[i]; i++)
        if (gcal_yaml_find(file, common_keys[i]))
            gcal_buf_printf(&out, "%s: moved\n", common_keys[i]);
    if (!gcal_yaml_find(file, "args"))
        gcal_buf_puts(&out, "args: []\n");
    if (!gcal_yaml_find(file, "check")) {
        gcal_buf_puts(&out, "check: {");
        for (size_t i = 0; i < sizes->n_items; i++)
            gcal_buf_printf(&out, "%s%s: %s", i ? ", " : "", sizes->keys[i]->text,
                            sizes->items[i]->text);
        gcal_buf_puts(&out, "}\n");
    }
    return gcal_arena_take(arena, &out);
}

/* The name of the source in messages. */
static int set_source_name(struct gcal_arena *arena, struct gcal_yaml *root,
                           const char *path, struct gcal_error *err)
{
    const char *slash = strrchr(path, '/'), *quoted;
    struct gcal_buf text = { 0 };
    struct gcal_yaml *names;

    gcal_buf_puts(&text, "source: ");
    put_quoted(&text, slash ? slash + 1 : path);
    quoted = gcal_arena_take(arena, &text);
    if (!(names = gcal_yaml_parse(quoted, strlen(quoted), path, err)))
        return -1;
    move_value(names, root, "source");
    gcal_yaml_destroy(names);
    return 0;
}

static void destroy_yaml(void *yaml)
{
    gcal_yaml_destroy(yaml);
}

void gcal_tune_catalogue_close(void *catalogue)
{
    gcal_catalogue_close(catalogue);
}

int gcal_tune_entry_read(struct gcal_arena *arena, const char *path, const char *source,
                         const struct gcal_option_list *folders,
                         struct gcal_tune_entry *entry, struct gcal_error *err)
{
    const struct gcal_count_options options = { .file = source,
                                                .include_folders = *folders };
    struct gcal_yaml *file =
        gcal_arena_own(arena, gcal_yaml_read(path, MOST_BYTES, err), destroy_yaml);
    const struct gcal_yaml *parameters, *sizes;
    const char *text, *kernel, *code;
    struct gcal_yaml *root;

    if (!file || check_file(file, err) < 0 ||
        !(code = gcal_arena_own(arena, gcal_count_options_source(&options, err), free)) ||
        !(kernel = choose_kernel(arena, file, &options, err)) ||
        !(parameters = require(file, "parameters", GCAL_YAML_MAP, err)) ||
        !(sizes = require(file, "sizes", GCAL_YAML_MAP, err)) ||
        check_maps(file, parameters, sizes, err) < 0)
        return -1;
    for (size_t i = 0; i < parameters->n_items; i++)
        if (gcal_strings_add(&entry->parameters, parameters->keys[i]->text, err) < 0)
            return -1;
    text = write_entry(arena, file, parameters, sizes, kernel);
    if (!(root = gcal_yaml_parse(text, strlen(text), file->file, err)))
        return -1;
    /* Moves what the file has into the entry's tree. */
    const struct gcal_yaml *defines = gcal_yaml_find(file, "defines");
    for (size_t i = 0; i < parameters->n_items; i++) {
        drop_define(parameters->items[i]);
        move_value(parameters, gcal_yaml_find(root, "arguments"),
                   parameters->keys[i]->text);
    }
    for (size_t i = 0; defines && i < defines->n_items; i++)
        move_value(defines, gcal_yaml_find(root, "defines"), defines->keys[i]->text);
    for (size_t i = 0; common_keys[i]; i++)
        move_value(file, root, common_keys[i]);
    if (set_source_name(arena, root, source, err) < 0) {
        gcal_yaml_destroy(root);
        return -1;
    }
    entry->catalogue = gcal_arena_own(arena, gcal_catalogue_open_entry(root, code, err),
                                      gcal_tune_catalogue_close);
    if (!entry->catalogue)
        return -1;
    gcal_catalogue_count_by(entry->catalogue, gcal_command_count_cached, NULL);
    return gcal_strings_add(&entry->tags, "tune", err);
}
