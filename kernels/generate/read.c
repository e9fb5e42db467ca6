/* read.c - a generator, read from its description and checked */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/includes/includes.h"
#include "kernels/generate/private.h"

static const char *require_name(const struct gcal_yaml *map, const char *key,
                                struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_generator_require(map, key, err);
    const char *text = node ? gcal_yaml_text(node, key, err) : NULL;

    if (text && !gcal_catalogue_is_name(text)) {
        gcal_yaml_error(node, err, "%s: expected a name of letters, digits and '_'", key);
        return NULL;
    }
    return text;
}

/* In C++, it may have namespaces and template arguments, which the front end checks. */
static bool has_kernel(const struct gcal_generator *g, struct gcal_error *err)
{
    return gcal_includes_language(g->source_name) == GCAL_SOURCE_OPENCL_C
               ? require_name(g->root, "kernel", err) != NULL
               : gcal_generator_require(g->root, "kernel", err) != NULL;
}

static int check_version(const struct gcal_yaml *root, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_generator_require(root, "gpucal_kernel", err);
    long long version;

    return node ? gcal_yaml_integer(node, "gpucal_kernel", 1, 1, &version, err) : -1;
}

/* 'check' fixes every size and nothing else; its values are read for each kernel. */
static int check_sizes(const struct gcal_generator *g, const struct gcal_yaml *map,
                       struct gcal_error *err)
{
    size_t n_sizes = 0;

    for (size_t i = 0; i < g->n_arguments; i++) {
        if (g->arguments[i].size && !gcal_yaml_find(map, g->arguments[i].name))
            return gcal_yaml_error(map, err, "check: size '%s' is missing",
                                   g->arguments[i].name);
        n_sizes += g->arguments[i].size;
    }
    if (map->kind != GCAL_YAML_MAP || map->n_items != n_sizes)
        return gcal_yaml_error(map, err, "check: expected a map of the sizes only");
    return 0;
}

static int check_check(const struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_generator_require(g->root, "check", err);
    const struct gcal_yaml *cases = gcal_yaml_find(g->root, "cases");

    if (!map || check_sizes(g, map, err) < 0)
        return -1;
    for (size_t i = 0; cases && i < cases->n_items; i++)
        if ((map = gcal_yaml_find(cases->items[i], "check")) &&
            check_sizes(g, map, err) < 0)
            return -1;
    return 0;
}

static bool is_form(const char *text)
{
    for (int i = GCAL_KERNEL_LOADS; i < GCAL_KERNEL_N_FORMS; i++)
        if (strcmp(text, gcal_kernel_form_name((enum gcal_kernel_form)i)) == 0)
            return true;
    return false;
}

static int check_companions(const struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = { "tag", "forms", NULL };
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions"), *tag, *forms;

    if (!map)
        return 0;
    if (gcal_yaml_check_keys(map, keys, err) < 0)
        return -1;
    tag = gcal_yaml_find(map, "tag");
    forms = gcal_yaml_find(map, "forms");
    if (!tag || !forms || forms->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(
            map, err, "companions: expected {tag: word, forms: [loads, onchip, memory]}");
    if (!gcal_yaml_text(tag, "tag", err))
        return -1;
    if (!gcal_catalogue_is_name(tag->text))
        return gcal_yaml_error(tag, err, "tag: '%s' is not a name", tag->text);
    for (size_t i = 0; i < forms->n_items; i++) {
        const struct gcal_yaml *item = forms->items[i];

        if (!gcal_yaml_text(item, "forms", err))
            return -1;
        if (!is_form(item->text))
            return gcal_yaml_error(item, err,
                                   "forms: expected loads, onchip or memory, found '%s'",
                                   item->text);
        for (size_t j = 0; j < i; j++)
            if (strcmp(item->text, forms->items[j]->text) == 0)
                return gcal_yaml_error(item, err, "forms: duplicate '%s'", item->text);
    }
    return 0;
}

static int read_options(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *tolerance = gcal_yaml_find(g->root, "tolerance");
    const struct gcal_yaml *short_run = gcal_yaml_find(g->root, "short");
    const struct gcal_yaml *unchecked = gcal_yaml_find(g->root, "unchecked");

    g->tolerance = 1e-5;
    if (tolerance && gcal_yaml_double(tolerance, "tolerance", &g->tolerance, err) < 0)
        return -1;
    if (!(g->tolerance >= 0 && g->tolerance < 1))
        return gcal_yaml_error(tolerance, err, "tolerance: expected 0 to 1");
    if (unchecked && gcal_yaml_bool(unchecked, "unchecked", &g->unchecked, err) < 0)
        return -1;
    return short_run ? gcal_yaml_bool(short_run, "short", &g->short_run, err) : 0;
}

/* Makes the first kernel of the defaults, at the sizes of 'check'. */
static int check_first(const struct gcal_generator *g, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_kernel *kernel = NULL;
    struct gcal_generator_product product;
    int rc = -1, found;

    gcal_generator_product_open(g, NULL, &gcal_kernel_nominal_limits, &product);
    if ((found = gcal_generator_product_next(&product, err)) == 0)
        gcal_yaml_error(product.broken.data ? gcal_yaml_find(g->root, "where") : g->root,
                        err, "%s%s: %s", product.broken.data ? "where: " : "",
                        gcal_yaml_find(g->root, "tune")
                            ? "no combination of values is allowed"
                            : "no kernel for the default values",
                        product.broken.data ? product.broken.data
                                            : "no size is small enough for the "
                                              "footprint on a nominal device");
    if (found <= 0 || !(kernel = gcal_kernel_create(&product.setting, err)))
        goto out;
    if (gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, err) < 0) {
        gcal_error_prefix(err, "%s: check", g->root->file);
        goto out;
    }
    rc = 0;
out:
    gcal_kernel_geometry_clear(&geometry);
    gcal_kernel_destroy(kernel);
    gcal_generator_product_close(&product);
    return rc;
}

const char *gcal_generator_source_name(const struct gcal_yaml *root,
                                       struct gcal_error *err)
{
    const struct gcal_yaml *node;
    const char *name;

    if (gcal_generator_is_transfer(root))
        return "";
    node = gcal_generator_require(root, "source", err);
    name = node ? gcal_yaml_text(node, "source", err) : NULL;
    if (name && (strchr(name, '/') || *name == '.' || !*name)) {
        gcal_yaml_error(node, err, "source: expected the name of a file in this folder");
        return NULL;
    }
    return name;
}

static int read_generator(struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = { "gpucal_kernel",
                                        "name",
                                        "description",
                                        "tags",
                                        "source",
                                        "kernel",
                                        "arguments",
                                        "where",
                                        "defines",
                                        "local_size",
                                        "global_size",
                                        "args",
                                        "assume",
                                        "check",
                                        "tolerance",
                                        "reference",
                                        "companions",
                                        "short",
                                        "run",
                                        "transfer",
                                        "trips",
                                        "allow_estimates",
                                        "unchecked",
                                        "std",
                                        "tune",
                                        "cases",
                                        NULL };
    const struct gcal_yaml *tags;
    const char *name;

    if (gcal_yaml_check_keys(g->root, keys, err) < 0 || check_version(g->root, err) < 0)
        return -1;
    if (!(name = require_name(g->root, "name", err)) ||
        !(g->source_name = gcal_generator_source_name(g->root, err)) ||
        (gcal_generator_is_transfer(g->root)
             ? gcal_generator_check_transfer(g->root, err) < 0
             : !has_kernel(g, err)) ||
        !(tags = gcal_generator_require(g->root, "tags", err)) ||
        gcal_catalogue_texts_read(tags, "tags", &g->tags, err) < 0)
        return -1;
    g->name = gcal_arena_strdup(g->arena, name);
    if (gcal_generator_read_args(g, err) < 0 || gcal_generator_where_check(g, err) < 0 ||
        gcal_generator_cases_check(g, err) < 0 || check_check(g, err) < 0 ||
        read_options(g, err) < 0 || check_companions(g, err) < 0)
        return -1;
    /* Making a kernel checks all other keys. */
    return check_first(g, err);
}

static void release_generator(void *object)
{
    struct gcal_generator *g = object;

    gcal_strings_clear(&g->tags);
    if (!g->origin)
        gcal_yaml_destroy(g->root);
}

struct gcal_generator *gcal_generator_alloc(struct gcal_arena *arena)
{
    struct gcal_generator *g = gcal_arena_alloc(arena, 1, sizeof(*g));

    g->arena = arena;
    g->loads = gcal_arena_alloc(arena, 1, sizeof(*g->loads));
    return gcal_arena_own(arena, g, release_generator);
}

struct gcal_generator *gcal_generator_create(struct gcal_arena *arena,
                                             struct gcal_yaml *root, const char *source,
                                             struct gcal_error *err)
{
    struct gcal_generator *g = gcal_generator_alloc(arena);

    g->root = root;
    g->source = gcal_arena_strdup(arena, source);
    return read_generator(g, err) == 0 ? g : NULL;
}
