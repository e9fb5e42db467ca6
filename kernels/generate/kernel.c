/* kernel.c - a kernel from the setting of a generator */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/model/feature.h"
#include "kernels/includes/includes.h"
#include "kernels/generate/private.h"

void gcal_kernel_destroy(struct gcal_kernel *kernel)
{
    if (!kernel)
        return;
    gcal_kernel_uses_clear(&kernel->uses);
    gcal_profile_destroy(kernel->profile);
    gcal_arena_destroy(kernel->arena);
}

/* The name of a dtype in OpenCL C and C, or NULL. */
static const char *c_type(const char *dtype)
{
    static const char *const names[][2] = {
        { "int8", "char" },     { "uint8", "uchar" },    { "int16", "short" },
        { "uint16", "ushort" }, { "int32", "int" },      { "uint32", "uint" },
        { "int64", "long" },    { "uint64", "ulong" },   { "float16", "half" },
        { "float32", "float" }, { "float64", "double" },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i][0], dtype) == 0)
            return names[i][1];
    return NULL;
}

/* "-DT=float -DN=2" into 'options', the same as #define lines into 'lines'. */
static int make_defines(struct gcal_arena *arena, const struct gcal_generator_setting *s,
                        struct gcal_buf *options, struct gcal_buf *lines,
                        struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(s->generator->root, "defines");
    const struct gcal_yaml *std = gcal_yaml_find(s->generator->root, "std");

    gcal_buf_puts(options, "");
    gcal_buf_puts(lines, "");
    if (std && !gcal_yaml_text(std, "std", err))
        return -1;
    if (std && (strncmp(std->text, "CL", 2) != 0 || strpbrk(std->text, " \t\n\"'")))
        return gcal_yaml_error(std, err, "std: expected a standard such as CL2.0");
    if (std)
        gcal_buf_printf(options, "-cl-std=%s%s", std->text, map ? " " : "");
    if (!map)
        return 0;
    if (map->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(map, err, "defines: expected a map of macro: value");
    for (size_t i = 0; i < map->n_items; i++) {
        const char *macro = map->keys[i]->text, *value;
        char *text = gcal_generator_expand(arena, s, map->items[i], macro, err);

        if (!text)
            return -1;
        value = c_type(text) ? c_type(text) : text;
        if (strpbrk(value, " \t\n\"'\\") || strpbrk(macro, " \t\n\"'\\="))
            return gcal_yaml_error(map->items[i], err,
                                   "defines: '%s' holds a space or a quote", value);
        gcal_buf_printf(options, "%s-D%s=%s", i ? " " : "", macro, value);
        gcal_buf_printf(lines, "#define %s %s\n", macro, value);
    }
    return 0;
}

/* A reference runs at the sizes of 'check' only, and not all of them are its arguments.
 */
static void define_check_sizes(const struct gcal_kernel *kernel, struct gcal_buf *lines)
{
    for (size_t i = 0; i < kernel->n_check_sizes; i++)
        gcal_buf_printf(lines, "#define CHECK_%s %.0f\n", kernel->check_sizes[i].name,
                        kernel->check_sizes[i].value);
}

static int make_texts(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator;
    const struct gcal_yaml *reference =
        g->origin ? NULL : gcal_yaml_find(g->root, "reference");
    struct gcal_buf options = { 0 }, lines = { 0 };
    bool alone = gcal_generator_is_transfer(g->root);
    const char *text = reference ? gcal_yaml_text(reference, "reference", err) : "";
    int rc = text ? make_defines(kernel->arena, s, &options, &lines, err) : -1;

    if (rc == 0 && reference) {
        define_check_sizes(kernel, &lines);
        gcal_buf_puts(&lines, text);
        kernel->reference = gcal_arena_take(kernel->arena, &lines);
    }
    if (rc == 0)
        kernel->build_options = gcal_arena_take(kernel->arena, &options);
    kernel->language = gcal_includes_language(g->source_name);
    kernel->generator = gcal_arena_strdup(kernel->arena, g->name);
    kernel->entry = gcal_arena_strdup(
        kernel->arena, alone ? "" : gcal_yaml_find(g->root, "kernel")->text);
    kernel->source =
        gcal_arena_format(kernel->arena, "%s%s", alone ? "" : gcal_source_tag_prelude,
                          alone ? "" : g->source);
    kernel->tolerance = g->tolerance;
    kernel->short_run = g->short_run;
    kernel->unchecked = g->unchecked;
    kernel->sweep = s->sweep;
    gcal_buf_free(&options);
    gcal_buf_free(&lines);
    return rc;
}

/* The names of the kernel of generator 'g' with these values: its own, or the origin. */
struct names {
    char *name, *family, *variant;
};

/* Arguments are listed in the order of the generator's file. */
static struct names make_names(struct gcal_arena *arena, const struct gcal_generator *g,
                               const struct gcal_generator_setting *s)
{
    struct gcal_buf name = { 0 }, family = { 0 }, variant = { 0 };

    gcal_buf_puts(&name, g->name);
    gcal_buf_puts(&family, g->name);
    gcal_buf_puts(&variant, g->name);
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];
        const char *value = gcal_generator_setting_value(s, a->name);

        gcal_buf_printf(&name, " %s:%s", a->name, value);
        if (!a->sweep)
            gcal_buf_printf(&family, " %s:%s", a->name, value);
        if (!a->size)
            gcal_buf_printf(&variant, " %s:%s", a->name, value);
    }
    return (struct names){ gcal_arena_take(arena, &name), gcal_arena_take(arena, &family),
                           gcal_arena_take(arena, &variant) };
}

static void set_origin(const struct gcal_generator_setting *s, struct gcal_kernel *kernel)
{
    const struct gcal_generator *origin = s->generator->origin;
    const char *accumulators = gcal_generator_setting_value(s, "accumulators");
    const char *barriers = gcal_generator_setting_value(s, "barriers");
    struct gcal_kernel_origin *o = &kernel->origin;
    struct names names;

    if (!origin)
        return;
    o->form = s->generator->form;
    if (o->form != GCAL_KERNEL_ONCHIP && accumulators)
        o->n_accumulators = strtoul(accumulators, NULL, 10);
    o->barriers =
        o->form == GCAL_KERNEL_MEMORY && !(barriers && strcmp(barriers, "False") == 0);
    names = make_names(kernel->arena, origin, s);
    o->name = names.name;
    o->family = names.family;
    o->generator = gcal_arena_strdup(kernel->arena, origin->name);
}

static int make_sizes(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator;
    const struct gcal_yaml *check = gcal_generator_setting_node(s, "check");
    const struct gcal_yaml *args = gcal_yaml_find(g->root, "args");
    size_t n;

    n = g->n_arguments + (args ? args->n_items : 0);
    kernel->sizes = gcal_arena_alloc(kernel->arena, n, sizeof(*kernel->sizes));
    kernel->check_sizes =
        gcal_arena_alloc(kernel->arena, n, sizeof(*kernel->check_sizes));
    for (size_t i = 0; i < g->n_arguments; i++) {
        const char *name = g->arguments[i].name;
        struct gcal_size *size = &kernel->sizes[kernel->n_sizes];
        struct gcal_size *small = &kernel->check_sizes[kernel->n_check_sizes];
        size_t small_value;

        if (!g->arguments[i].size)
            continue;
        if (gcal_generator_expand_count(kernel->arena, s, gcal_yaml_find(check, name),
                                        "check", &small_value, err) < 0)
            return -1;
        size->value = strtod(s->values[i], NULL);
        small->value = (double)small_value;
        size->name = small->name = gcal_arena_strdup(kernel->arena, name);
        kernel->n_sizes++;
        kernel->n_check_sizes++;
    }
    return 0;
}

static int make_ndrange(const struct gcal_generator_setting *s,
                        struct gcal_kernel *kernel, struct gcal_error *err)
{
    const struct gcal_yaml *root = s->generator->root, *local, *global;

    if (!(local = gcal_generator_require(root, "local_size", err)) ||
        !gcal_generator_require(root, "global_size", err))
        return -1;
    global = gcal_generator_setting_node(s, "global_size");
    if (local->kind != GCAL_YAML_LIST || local->n_items < 1 ||
        local->n_items > GCAL_MAX_DIMS)
        return gcal_yaml_error(local, err, "local_size: expected a list of 1 to 3 sizes");
    if (global->kind != GCAL_YAML_LIST || global->n_items != local->n_items)
        return gcal_yaml_error(global, err,
                               "global_size: expected a list as long as local_size");
    kernel->n_dims = local->n_items;
    for (size_t i = 0; i < kernel->n_dims; i++) {
        if (gcal_generator_expand_count(kernel->arena, s, local->items[i], "local_size",
                                        &kernel->local_size[i], err) < 0)
            return -1;
        if (!(kernel->global_size[i] = gcal_generator_expand_expr(
                  kernel->arena, s, global->items[i], "global_size", err)))
            return -1;
    }
    return 0;
}

/* The extents of an image, and its elements: channels of all texels. */
static int make_image(struct gcal_arena *arena, const struct gcal_generator_setting *s,
                      const struct gcal_yaml *node, struct gcal_arg *arg,
                      struct gcal_error *err)
{
    static const char *const keys[GCAL_MAX_DIMS] = { "width", "height", "depth" };
    const struct gcal_yaml *channels = gcal_yaml_find(node, "channels"), *extent;

    if (!gcal_yaml_find(node, "width") || !channels ||
        channels->kind != GCAL_YAML_SCALAR ||
        (strcmp(channels->text, "1") != 0 && strcmp(channels->text, "2") != 0 &&
         strcmp(channels->text, "4") != 0))
        return gcal_yaml_error(node, err,
                               "an image needs 'channels', 1, 2 or 4, and 'width', and "
                               "may have 'height' and 'depth'");
    arg->channels = (unsigned)(channels->text[0] - '0');
    arg->value = gcal_arena_strdup(arena, channels->text);
    for (size_t d = 0; d < GCAL_MAX_DIMS && (extent = gcal_yaml_find(node, keys[d]));
         d++) {
        if (!(arg->extents[d] =
                  gcal_generator_expand_expr(arena, s, extent, keys[d], err)))
            return -1;
        arg->value = gcal_arena_format(arena, "%s*(%s)", arg->value, arg->extents[d]);
    }
    return 0;
}

int gcal_sampler_parse(const char *text, unsigned *bits)
{
    static const char *const words[] = { "nearest", "linear", "normalized",
                                         "edge",    "border", "repeat" };
    static const unsigned values[] = { 0, GCAL_SAMPLER_LINEAR, GCAL_SAMPLER_NORMALIZED,
                                       0, GCAL_SAMPLER_BORDER, GCAL_SAMPLER_REPEAT };

    enum { N = sizeof(words) / sizeof(*words) };

    for (*bits = 0; *(text += strspn(text, " ,")); text += strcspn(text, " ,")) {
        size_t length = strcspn(text, " ,"), i = 0;

        while (i < N &&
               (strlen(words[i]) != length || strncmp(words[i], text, length) != 0))
            i++;
        if (i == N)
            return -1;
        *bits |= values[i];
    }
    return (*bits & GCAL_SAMPLER_REPEAT) && !(*bits & GCAL_SAMPLER_NORMALIZED) ? -1 : 0;
}

/* "linear normalized repeat" as bits. */
static int make_sampler(struct gcal_arena *arena, const struct gcal_yaml *node,
                        struct gcal_arg *arg, struct gcal_error *err)
{
    unsigned bits = 0;

    if (!gcal_yaml_text(node, "sampler", err))
        return -1;
    if (gcal_sampler_parse(node->text, &bits) < 0)
        return gcal_yaml_error(node, err,
                               "sampler: expected nearest or linear, and perhaps "
                               "normalized, and edge, border or repeat (which needs "
                               "normalized), found '%.60s'",
                               node->text);
    arg->value = gcal_arena_format(arena, "%u", bits);
    arg->dtype = gcal_arena_strdup(arena, "uint32");
    return 0;
}

/* The bytes of a structure, and the place of a member in the one before it. */
static int make_struct(struct gcal_arena *arena, const struct gcal_yaml *bytes,
                       const struct gcal_yaml *member, struct gcal_arg *arg,
                       struct gcal_error *err)
{
    const struct gcal_yaml *node = bytes ? bytes : member;
    char *end = node->text;
    long number = node->kind == GCAL_YAML_SCALAR ? strtol(node->text, &end, 10) : -1;

    if (node->kind != GCAL_YAML_SCALAR || *end || end == node->text || number < !!bytes ||
        number > 1 << 16 || (member && arg->kind != GCAL_ARG_SCALAR))
        return gcal_yaml_error(node, err,
                               "expected the bytes of a structure, or of 'member' the "
                               "offset of a scalar in the structure before it");
    arg->member = member != NULL;
    arg->offset = member ? (size_t)number : 0;
    if (member)
        return 0;
    arg->value = gcal_arena_format(arena, "%ld", number);
    arg->dtype = gcal_arena_strdup(arena, "uint8");
    return 0;
}

/* One argument of the kernel; its node has one of the keys buffer, image, local, scalar, struct,
 * sampler.
 */
static int make_arg(struct gcal_arena *arena, const struct gcal_generator_setting *s,
                    const struct gcal_yaml *node, struct gcal_arg *arg,
                    struct gcal_error *err)
{
    static const char *const kinds[] = { [GCAL_ARG_BUFFER] = "buffer",
                                         [GCAL_ARG_LOCAL] = "local",
                                         [GCAL_ARG_SCALAR] = "scalar",
                                         [GCAL_ARG_STRUCT] = "struct",
                                         [GCAL_ARG_SAMPLER] = "sampler" };
    const struct gcal_yaml *name = gcal_yaml_find(node, "name"), *value, *dtype = NULL;
    const struct gcal_yaml *output = gcal_yaml_find(node, "output");
    const struct gcal_yaml *image = gcal_yaml_find(node, "image");
    const struct gcal_yaml *member = gcal_yaml_find(node, "member");
    const struct gcal_yaml *layered = gcal_yaml_find(node, "array");
    const char *amount;
    size_t n_kinds = 0;
    bool is_whole;

    for (size_t i = 0; i <= GCAL_ARG_SAMPLER; i++)
        if (gcal_yaml_find(node, kinds[i])) {
            dtype = gcal_yaml_find(node, kinds[i]);
            arg->kind = (enum gcal_arg_kind)i;
            n_kinds++;
        }
    if (image) {
        dtype = image;
        n_kinds++;
    }
    amount = arg->kind == GCAL_ARG_SCALAR ? "value" : "elements";
    value = gcal_yaml_find(node, amount);
    is_whole = image || arg->kind >= GCAL_ARG_STRUCT;
    if (!name || n_kinds != 1 || !value == !is_whole || (layered && !image))
        return gcal_yaml_error(node, err,
                               "an argument needs 'name', one of 'buffer', 'local', "
                               "'scalar' with its dtype, and '%s', or 'image' with its "
                               "dtype, 'struct' with its bytes, or 'sampler'",
                               amount);
    if (output && gcal_yaml_bool(output, "output", &arg->output, err) < 0)
        return -1;
    if (output && arg->kind != GCAL_ARG_BUFFER)
        return gcal_yaml_error(output, err,
                               "output: only a buffer or an image can be an output");
    if (layered && gcal_yaml_bool(layered, "array", &arg->layered, err) < 0)
        return -1;
    if (!gcal_yaml_text(name, "name", err) ||
        (arg->kind < GCAL_ARG_STRUCT &&
         !(arg->dtype = gcal_generator_expand(arena, s, dtype, kinds[arg->kind], err))))
        return -1;
    if (member && make_struct(arena, NULL, member, arg, err) < 0)
        return -1;
    if (is_whole) {
        if ((image ? make_image(arena, s, node, arg, err)
             : arg->kind == GCAL_ARG_SAMPLER
                 ? make_sampler(arena, dtype, arg, err)
                 : make_struct(arena, dtype, NULL, arg, err)) < 0)
            return -1;
        if (arg->layered && !arg->extents[1])
            return gcal_yaml_error(
                layered, err,
                "array: the last of two or three extents is the number "
                "of images");
    } else if (!(arg->value = gcal_generator_expand_expr(arena, s, value, amount, err))) {
        return -1;
    }
    if (!gcal_dtype_size(arg->dtype))
        return gcal_yaml_error(dtype, err, "'%s' is not a dtype such as float32",
                               arg->dtype);
    arg->name = gcal_arena_strdup(arena, name->text);
    const struct gcal_yaml *members = gcal_yaml_find(node, "members");
    if (members &&
        (arg->kind != GCAL_ARG_BUFFER || image || members->kind != GCAL_YAML_SCALAR ||
         !gcal_dtype_members_size(members->text)))
        return gcal_yaml_error(
            members, err,
            "members: expected those of a buffer's structures, such as "
            "'int32 pad*4 float32*2'");
    if (members)
        arg->members = gcal_arena_strdup(arena, members->text);
    /* 'range: [first, last]' or '[first, last, sorted]' of a buffer's values. */
    const struct gcal_yaml *range = gcal_yaml_find(node, "range");
    if (!range)
        return 0;
    if (arg->kind != GCAL_ARG_BUFFER || range->kind != GCAL_YAML_LIST ||
        range->n_items < 2 || range->n_items > 3 ||
        (range->n_items == 3 && (range->items[2]->kind != GCAL_YAML_SCALAR ||
                                 strcmp(range->items[2]->text, "sorted") != 0)))
        return gcal_yaml_error(range, err,
                               "range: expected [first, last] of a buffer's values, or "
                               "[first, last, sorted]");
    arg->sorted = range->n_items == 3;
    return (arg->first =
                gcal_generator_expand_expr(arena, s, range->items[0], "range", err)) &&
                   (arg->last = gcal_generator_expand_expr(arena, s, range->items[1],
                                                           "range", err))
               ? 0
               : -1;
}

static int make_args(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                     struct gcal_error *err)
{
    static const char *const keys[] = {
        "name",   "buffer", "local",  "scalar", "dtype",    "elements", "value",
        "output", "range",  "when",   "image",  "channels", "width",    "height",
        "depth",  "array",  "struct", "member", "sampler",  "members",  NULL
    };
    const struct gcal_yaml *list = gcal_yaml_find(s->generator->root, "args");

    if (!list || list->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(list ? list : s->generator->root, err,
                               "args: expected a list of the kernel's arguments");
    /* One more than listed: work removal adds one. */
    kernel->args =
        gcal_arena_alloc(kernel->arena, list->n_items + 1, sizeof(*kernel->args));
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *node = list->items[i];
        const struct gcal_yaml *when = gcal_yaml_find(node, "when");

        if (gcal_yaml_check_keys(node, keys, err) < 0 ||
            (when && gcal_generator_when_check(s->generator, when, err) < 0))
            return -1;
        if (gcal_generator_when_holds(s, when) &&
            make_arg(kernel->arena, s, node, &kernel->args[kernel->n_args++], err) < 0)
            return -1;
    }
    return 0;
}

static bool is_size(const struct gcal_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        if (strcmp(kernel->sizes[i].name, name) == 0)
            return true;
    return false;
}

/* Appends a size with the value of the expression 'text' at the sizes before it. */
static int add_size(struct gcal_size *sizes, size_t *n, char *name, const char *text,
                    struct gcal_error *err)
{
    double value;

    if (gcal_kernel_eval_sizes(text, *n, sizes, &value, err) < 0)
        return -1;
    sizes[*n].name = name;
    sizes[(*n)++].value = trunc(value); /* as converted to the argument's type */
    return 0;
}

/* Whether the argument has the value of the size with its name, for which counts take it. */
static int check_named_size(const struct gcal_arg *a, size_t n,
                            const struct gcal_size *sizes, struct gcal_error *err)
{
    double value;

    if (gcal_kernel_eval_sizes(a->value, n, sizes, &value, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(sizes[i].name, a->name) == 0 && sizes[i].value != trunc(value))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "argument '%s' is '%s', not the size '%s' that it is "
                                  "named like: give one of the two another name",
                                  a->name, a->value, a->name);
    return 0;
}

/* ---- conditions and loops ---- */

static int make_assume(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                       struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_generator_setting_node(s, "assume");
    struct gcal_error reason = { 0 };

    if (!node)
        return 0;
    if (!(kernel->assume = gcal_generator_expand(kernel->arena, s, node, "assume", err)))
        return -1;
    /* Only names of sizes are allowed, and 'check' has all of these. */
    if (gcal_kernel_check_assume(kernel->assume, kernel->n_check_sizes,
                                 kernel->check_sizes, &reason) == 0)
        return 0;
    return gcal_yaml_error(node, err, "assume, at the sizes of 'check': %s", reason.text);
}

static int compare_lines(const void *a, const void *b)
{
    return ((const struct gcal_count_trips *)a)->line -
           ((const struct gcal_count_trips *)b)->line;
}

/* 'trips' and 'allow_estimates', as the options of gpucal count. */
static int make_trips(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                      struct gcal_error *err)
{
    const struct gcal_yaml *root = s->generator->root;
    const struct gcal_yaml *map = gcal_yaml_find(root, "trips");
    const struct gcal_yaml *estimates = gcal_yaml_find(root, "allow_estimates");
    long long line;

    if (estimates &&
        gcal_yaml_bool(estimates, "allow_estimates", &kernel->allow_estimates, err) < 0)
        return -1;
    if (!map)
        return 0;
    if (map->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(map, err, "trips: expected a map of line: size");
    kernel->trips = gcal_arena_alloc(kernel->arena, map->n_items, sizeof(*kernel->trips));
    for (size_t i = 0; i < map->n_items; i++) {
        const char *name = gcal_yaml_text(map->items[i], "trips", err);

        if (!name || gcal_yaml_integer(map->keys[i], "trips: the line", 1, INT_MAX, &line,
                                       err) < 0)
            return -1;
        if (!is_size(kernel, name))
            return gcal_yaml_error(map->items[i], err,
                                   "trips: '%s' is not a size of this kernel", name);
        kernel->trips[i] = (struct gcal_count_trips){
            .line = (int)line, .parameter = gcal_arena_strdup(kernel->arena, name)
        };
        kernel->n_trips = i + 1;
    }
    qsort(kernel->trips, kernel->n_trips, sizeof(*kernel->trips), compare_lines);
    return 0;
}

static int make_launch(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                       struct gcal_error *err)
{
    if (gcal_generator_is_transfer(s->generator->root))
        return 0;
    if (make_ndrange(s, kernel, err) < 0 || make_args(s, kernel, err) < 0)
        return -1;
    /* Counts may contain the names of integer scalars: their values follow from the sizes. */
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct gcal_arg *a = &kernel->args[i];

        if (a->kind != GCAL_ARG_SCALAR ||
            !(strncmp(a->dtype, "int", 3) == 0 || strncmp(a->dtype, "uint", 4) == 0))
            continue;
        if (check_named_size(a, kernel->n_sizes, kernel->sizes, err) < 0)
            return -1;
        if (is_size(kernel, a->name))
            continue;
        if (add_size(kernel->sizes, &kernel->n_sizes, a->name, a->value, err) < 0 ||
            add_size(kernel->check_sizes, &kernel->n_check_sizes, a->name, a->value,
                     err) < 0)
            return -1;
    }
    return 0;
}

struct gcal_kernel *gcal_kernel_create(const struct gcal_generator_setting *setting,
                                       struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_kernel *kernel = gcal_arena_alloc(arena, 1, sizeof(*kernel));
    const char *dtype = gcal_generator_setting_value(setting, "dtype");
    struct names names = make_names(arena, setting->generator, setting);

    kernel->arena = arena;
    kernel->name = names.name;
    kernel->family = names.family;
    kernel->variant = names.variant;
    if (dtype)
        kernel->dtype = gcal_arena_strdup(arena, dtype);
    set_origin(setting, kernel);
    if (make_sizes(setting, kernel, err) == 0 && make_launch(setting, kernel, err) == 0 &&
        make_texts(setting, kernel, err) == 0 && make_assume(setting, kernel, err) == 0 &&
        make_trips(setting, kernel, err) == 0 &&
        gcal_kernel_run_read(setting, kernel, err) == 0)
        return kernel;
    gcal_arena_destroy(arena);
    return NULL;
}

struct gcal_count_request gcal_kernel_request(const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = {
        .source = kernel->source,
        .file = kernel->generator,
        .language = kernel->language,
        .kernel = kernel->entry,
        .build_options = kernel->build_options,
        .n_dims = kernel->n_dims,
        .assume = kernel->assume,
        .allow_estimates = kernel->allow_estimates,
        .n_trips = kernel->n_trips,
        .trips = kernel->trips,
    };

    for (size_t i = 0; i < kernel->n_dims; i++) {
        request.local_size[i] = kernel->local_size[i];
        request.global_size[i] = kernel->global_size[i];
    }
    return request;
}

size_t gcal_kernel_buffers(const struct gcal_kernel *kernel,
                           struct gcal_count_buffer *buffers)
{
    size_t n = 0;

    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct gcal_arg *arg = &kernel->args[i];

        if (arg->kind == GCAL_ARG_SCALAR && *arg->dtype == 'f')
            buffers[n++] =
                (struct gcal_count_buffer){ .argument = arg->name,
                                            .bytes = gcal_dtype_size(arg->dtype),
                                            .first = arg->value,
                                            .last = arg->value };
        if (arg->kind != GCAL_ARG_BUFFER)
            continue;
        /* Where no range is stated: the numbers of gcal_dtype_fill(), which the kernel may
         * overwrite in outputs. */
        bool filled = !arg->first && !arg->output;

        buffers[n++] = (struct gcal_count_buffer){
            .argument = arg->name,
            .elements = arg->value,
            .bytes = gcal_dtype_size(arg->dtype),
            .channels = arg->channels,
            .first = filled ? gcal_dtype_fill_first(arg->dtype) : arg->first,
            .last = filled ? gcal_dtype_fill_last(arg->dtype) : arg->last,
            .sorted = arg->sorted,
        };
    }
    return n;
}

struct gcal_count_request
gcal_generator_setting_request(const struct gcal_generator_setting *s,
                               const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = gcal_kernel_request(kernel);

    request.file = s->generator->source_name;
    return request;
}
