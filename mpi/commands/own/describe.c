/* describe.c - a user's kernel as a catalogue entry: its description and source */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/own/own.h"

/* ---- YAML ---- */

/* Plain, or in quotes where YAML demands it. */
static void put_text(struct gcal_buf *out, const char *text)
{
    static const char plain[] = " _.+-*/^()%=<>";
    const char *c = text;

    while (isalnum((unsigned char)*c) || (*c && strchr(plain, *c)))
        c++;
    if (!*c && (isalnum((unsigned char)*text) || *text == '(')) {
        gcal_buf_puts(out, text);
        return;
    }
    gcal_buf_puts(out, "\"");
    for (c = text; *c; c++)
        gcal_buf_printf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    gcal_buf_puts(out, "\"");
}

/* ---- macros ---- */

/* The standard, and the -D options as a map; values with spaces or quotes have no place
 * in it.
 */
static int put_defines(struct gcal_buf *out, const char *options, struct gcal_error *err)
{
    static const char standard[] = "-cl-std=";
    const char *separator = "defines: {";
    struct gcal_buf std = { 0 };

    for (; options && *(options += strspn(options, " "));
         options += strcspn(options, " ")) {
        int length = (int)strcspn(options, " ");
        int name = (int)strcspn(options, "= ") - 2;

        if (strncmp(options, standard, strlen(standard)) == 0) {
            gcal_buf_printf(&std, "std: %.*s\n", length - (int)strlen(standard),
                            options + strlen(standard));
            continue;
        }
        if (strncmp(options, "-D", 2) != 0 || memchr(options, '"', (size_t)length) ||
            name < 1) {
            gcal_buf_free(&std);
            return gcal_error_set(err, GCAL_EINPUT,
                                  "the build option '%.*s' has no place in a catalogue "
                                  "entry: write it into the source by #define",
                                  length, options);
        }
        gcal_buf_printf(out, "%s%.*s: ", separator, name, options + 2);
        if (name + 3 < length)
            gcal_buf_printf(out, "\"%.*s\"", length - name - 3, options + name + 3);
        else
            gcal_buf_puts(out, "1");
        separator = ", ";
    }
    if (*separator == ',')
        gcal_buf_puts(out, "}\n");
    if (std.size)
        gcal_buf_puts(out, std.data);
    gcal_buf_free(&std);
    return 0;
}

/* ---- sizes ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All values of a size under 'key', or that of the middle if there is no key. */
static void put_size(struct gcal_buf *out, const struct gcal_own_kernel *own,
                     const struct gcal_own_description *d, size_t i, const char *key)
{
    double *values = gcal_arena_alloc(own->arena, d->n_points, sizeof(*values));
    size_t n = 0;

    for (size_t k = 0; k < d->n_points; k++)
        values[k] = d->points[k * own->n_sizes + i];
    qsort(values, d->n_points, sizeof(*values), compare_numbers);
    gcal_buf_printf(out, "  %s: {%s: [", own->sizes[i].name, key ? key : "size");
    if (!key)
        gcal_buf_printf(out, "%.0f", values[d->n_points / 2]);
    for (size_t k = 0; key && k < d->n_points; k++)
        if (!k || values[k] > values[k - 1])
            gcal_buf_printf(out, "%s%.0f", n++ ? ", " : "", values[k]);
    gcal_buf_puts(out, "]}\n");
}

static bool has_several_values(const struct gcal_own_kernel *own,
                               const struct gcal_own_description *d, size_t i)
{
    for (size_t k = 1; k < d->n_points; k++)
        if (d->points[k * own->n_sizes + i] != d->points[i])
            return true;
    return false;
}

/* ---- the NDRange and the arguments ---- */

static void put_arg(struct gcal_buf *out, const struct gcal_count_signature_arg *arg,
                    const struct gcal_own_arg *made)
{
    static const char *const kinds[] = { [GCAL_COUNT_SIGNATURE_BUFFER] = "buffer",
                                         [GCAL_COUNT_SIGNATURE_LOCAL] = "local",
                                         [GCAL_COUNT_SIGNATURE_SCALAR] = "scalar",
                                         [GCAL_COUNT_SIGNATURE_IMAGE] = "image",
                                         [GCAL_COUNT_SIGNATURE_SAMPLER] = "sampler",
                                         [GCAL_COUNT_SIGNATURE_STRUCT] = "struct" };
    static const char *const extents[] = { "width", "height", "depth" };
    bool is_whole = arg->kind == GCAL_COUNT_SIGNATURE_SAMPLER ||
                    arg->kind == GCAL_COUNT_SIGNATURE_STRUCT;

    gcal_buf_printf(out, "  - {name: %s, %s: %s", arg->name, kinds[arg->kind],
                    is_whole ? made->value : arg->dtype);
    for (size_t d = 0; d < arg->n_extents; d++) {
        gcal_buf_printf(out, "%s, %s: ", d ? "" : ", channels: 4", extents[d]);
        put_text(out, made->extents[d]);
    }
    if (arg->is_layered)
        gcal_buf_puts(out, ", array: true");
    if (!is_whole && !arg->n_extents) {
        gcal_buf_puts(out, arg->kind == GCAL_COUNT_SIGNATURE_SCALAR ? ", value: "
                                                                    : ", elements: ");
        put_text(out, made->value);
    }
    if (arg->is_member)
        gcal_buf_printf(out, ", member: %zu", arg->offset);
    if (arg->members)
        gcal_buf_printf(out, ", members: %s", arg->members);
    if (made->first) {
        gcal_buf_puts(out, ", range: [");
        put_text(out, made->first);
        gcal_buf_puts(out, ", ");
        put_text(out, made->last);
        gcal_buf_puts(out, made->sorted ? ", sorted]" : "]");
    }
    if ((arg->kind == GCAL_COUNT_SIGNATURE_BUFFER || arg->n_extents) && arg->written)
        gcal_buf_puts(out, ", output: true");
    gcal_buf_puts(out, "}\n");
}

/* Sums in another order, and functions of other libraries, differ in the last digits. */
static double tolerance_of(const struct gcal_count_signature *s)
{
    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].dtype && strcmp(s->args[i].dtype, "float16") == 0)
            return 0.02;
    return 0.001;
}

static void put_derived(struct gcal_buf *out, const struct gcal_own_kernel *own,
                        const struct gcal_own_description *d)
{
    const char *separator = "";
    bool any = false;

    for (int form = 0; form < GCAL_KERNEL_N_FORMS; form++)
        any = any || d->derived[form];
    if (!any)
        return;
    gcal_buf_printf(out, "companions: {tag: own_%s, forms: [", own->name);
    for (int form = 0; form < GCAL_KERNEL_N_FORMS; form++)
        if (d->derived[form]) {
            gcal_buf_printf(out, "%s%s", separator,
                            gcal_kernel_form_name((enum gcal_kernel_form)form));
            separator = ", ";
        }
    gcal_buf_puts(out, "]}\n");
}

/* The name of its source in the catalogue, which has the language. */
static const char *name_source(const struct gcal_own_kernel *own)
{
    static const char *const ends[] = { [GCAL_SOURCE_OPENCL_C] = "cl",
                                        [GCAL_SOURCE_CUDA] = "cu",
                                        [GCAL_SOURCE_HIP] = "hip" };

    return gcal_arena_format(own->arena, "%s.%s", own->name, ends[own->request.language]);
}

static const char *make_description(const struct gcal_own_kernel *own,
                                    const struct gcal_own_description *d,
                                    struct gcal_error *err)
{
    const struct gcal_count_signature *s = &own->signature;
    const char *slash = strrchr(own->request.file, '/');
    struct gcal_buf out = { 0 };

    gcal_buf_printf(&out, "gpucal_kernel: 1\nname: %s\ndescription: ", own->name);
    put_text(&out, slash ? slash + 1 : own->request.file);
    gcal_buf_printf(&out, "\ntags: [own, %s]\nsource: %s\nkernel: ", own->name,
                    name_source(own));
    put_text(&out, own->request.kernel ? own->request.kernel : s->kernel);
    gcal_buf_puts(&out, "\n");
    /* The only size with several values has a sweep; of several such sizes, which change
     * together, the last has all its values.  It comes last.
     */
    size_t last = own->n_sizes, n_several = 0;
    for (size_t i = 0; i < own->n_sizes; i++)
        if (has_several_values(own, d, i)) {
            last = i;
            n_several++;
        }
    gcal_buf_puts(&out, "arguments:\n");
    for (size_t i = 0; i < own->n_sizes; i++)
        if (i != last)
            put_size(&out, own, d, i, NULL);
    if (last < own->n_sizes)
        put_size(&out, own, d, last, n_several > 1 ? "size" : "ladder");
    if (put_defines(&out, own->request.build_options, err) < 0) {
        gcal_buf_free(&out);
        return NULL;
    }
    gcal_buf_puts(&out, "local_size: [");
    for (size_t i = 0; i < s->n_dims; i++)
        gcal_buf_printf(&out, "%s%zu", i ? ", " : "", s->local_size[i]);
    gcal_buf_puts(&out, "]\nglobal_size: [");
    for (size_t i = 0; i < s->n_dims; i++) {
        gcal_buf_puts(&out, i ? ", " : "");
        put_text(&out, s->global_size[i]);
    }
    gcal_buf_puts(&out, "]\n");
    gcal_buf_puts(&out, "args:\n");
    for (size_t i = 0; i < s->n_args; i++)
        put_arg(&out, &s->args[i], &own->args[i]);
    if (own->profile->assumptions && *own->profile->assumptions) {
        gcal_buf_puts(&out, "assume: ");
        put_text(&out, own->profile->assumptions);
        gcal_buf_puts(&out, "\n");
    }
    /* What counting was asked for. */
    for (size_t i = 0; i < own->request.n_trips; i++)
        gcal_buf_printf(&out, "%s%d: %s", i ? ", " : "trips: {",
                        own->request.trips[i].line, own->request.trips[i].parameter);
    gcal_buf_puts(&out, own->request.n_trips ? "}\n" : "");
    if (own->request.allow_estimates)
        gcal_buf_puts(&out, "allow_estimates: true\n");
    gcal_buf_puts(&out, "check: {");
    for (size_t i = 0; i < own->n_sizes; i++)
        gcal_buf_printf(&out, "%s%s: %.0f", i ? ", " : "", own->sizes[i].name,
                        own->check[i]);
    gcal_buf_puts(&out, "}\n");
    gcal_buf_printf(&out, "tolerance: %g\n", tolerance_of(s));
    if (d->unchecked)
        gcal_buf_puts(&out, "unchecked: true\n");
    put_derived(&out, own, d);
    return gcal_arena_take(own->arena, &out);
}

int gcal_own_kernel_describe(const struct gcal_own_kernel *own,
                             const struct gcal_own_description *d,
                             struct gcal_catalogue_files *files, struct gcal_error *err)
{
    const char *yaml = gcal_arena_format(own->arena, "%s.yaml", own->name);
    const char *text = make_description(own, d, err);

    if (!text || gcal_catalogue_files_add(files, own->request.file, yaml, text, err) < 0)
        return -1;
    return gcal_catalogue_files_add(files, own->request.file, name_source(own),
                                    own->source, err);
}

/* ---- kernels of the entry ---- */

/* Appends the tags that select the entry's kernel with these sizes. */
static int list_tags(const struct gcal_own_kernel *own, enum gcal_kernel_form form,
                     const double *sizes, struct gcal_strings *tags,
                     struct gcal_error *err)
{
    const char *text = form == GCAL_KERNEL_COMPLETE
                           ? own->name
                           : gcal_arena_format(own->arena, "own_%s_%s", own->name,
                                               gcal_kernel_form_name(form));
    int rc = gcal_strings_add(tags, text, err);

    if (rc == 0 && form == GCAL_KERNEL_COMPLETE)
        rc = gcal_strings_add(tags, "own", err);
    for (size_t i = 0; rc == 0 && i < own->n_sizes; i++)
        rc = gcal_strings_add(
            tags, gcal_arena_format(own->arena, "%s:%.0f", own->sizes[i].name, sizes[i]),
            err);
    return rc;
}

int gcal_own_kernel_generate(const struct gcal_own_kernel *own,
                             const struct gcal_catalogue *catalogue,
                             enum gcal_kernel_form form, const double *sizes,
                             const struct gcal_kernel_limits *limits,
                             struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct gcal_strings tags = { 0 };
    size_t n = list->n_kernels;
    int rc = list_tags(own, form, sizes, &tags, err);

    if (rc == 0)
        rc = gcal_catalogue_generate(catalogue, tags.n, (const char *const *)tags.items,
                                     GCAL_MATCH_SUPERSET, limits, list, err);
    if (rc == 0)
        rc = gcal_kernel_list_check(list, err);
    if (rc == 0 && list->n_kernels == n)
        rc = gcal_error_set(err, GCAL_EDEVICE,
                            "the device cannot run kernel '%s': its work-groups, local "
                            "memory or types are beyond what it has",
                            own->signature.kernel);
    gcal_strings_clear(&tags);
    return rc;
}
