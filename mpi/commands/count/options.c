/* options.c - options that select a kernel and control its counting */
#include "mpi/commands/count/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/count/count.h"
#include "kernels/includes/includes.h"
#include "mpi/cli/escape.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/quiet.h"
#include "mpi/cli/terms.h"
#include "mpi/commands/count/contents.h"

#define MAX_SOURCE_BYTES (16u << 20)

enum { ASSUME = 256, STD, BUILD, BUFFER, RANGE, LANGUAGE, BLOCK, GRID };

static const struct argp_option kernel_options[] = {
    { "kernel", 'k', "NAME", 0, "The kernel of the file (default: the only one)", 1 },
    { "local", 'l', "X[,Y[,Z]]", 0,
      "Work-group size (default: the kernel's reqd_work_group_size)", 1 },
    { "global", 'g', "EXPR[,EXPR[,EXPR]]", 0,
      "Global size, as expressions in the kernel's size arguments, e.g. 'n,n'", 1 },
    { "block", BLOCK, "X[,Y[,Z]]", 0, "--local, as CUDA and HIP call it", 1 },
    { "grid", GRID, "EXPR[,EXPR[,EXPR]]", 0,
      "The number of blocks, as expressions, e.g. 'ceil(w/32),ceil(h/8)', instead of "
      "--global",
      1 },
    { "define", 'D', "NAME[=VALUE]", 0,
      "Define a macro, as for an OpenCL compiler; may be repeated", 1 },
    { "include", 'I', "FOLDER", 0,
      "Look for included files in this folder, after that of the including file; may be "
      "repeated",
      1 },
    { "language", LANGUAGE, "opencl|cuda|hip", 0,
      "The language of the file (default: by the end of its name, .cu, .cuh or .hip; "
      "else OpenCL C)",
      1 },
    { "std", STD, "CL1.0|CL1.1|CL1.2|CL2.0|CL3.0", 0,
      "The version of OpenCL C (default: CL1.2)", 1 },
    { "assume", ASSUME, "CONDITIONS", 0,
      "Conditions on the sizes, e.g. 'n % 16 = 0 and n >= 16'", 1 },
    { "trips", 'T', "LINE:NAME", 0,
      "Average trip count of the data-dependent loop in that line: NAME becomes a size; "
      "may be repeated",
      1 },
    { "buffer", BUFFER, "NAME=COUNT", 0,
      "The number of items of a buffer, or the WIDTH,HEIGHT,DEPTH of an image, in sizes; "
      "or FILE.npy with its contents, which counts then follow; may be repeated",
      3 },
    { "range", RANGE, "NAME=FIRST:LAST[:sorted]", 0,
      "The range of a buffer's values, in sizes, random or rising evenly; may be "
      "repeated",
      3 },
    { 0 },
};

static const struct argp_option count_options[] = {
    { "at", 'A', "NAME=VALUE,..", 0,
      "Values of the sizes, e.g. n=2048,m=64; several by a list (n=512,1024), a range "
      "that "
      "doubles (n=512:8192), or repeating the option",
      2 },
    { "allow-estimates", 'E', NULL, 0,
      "Estimate and mark loops whose length or exit cannot be counted exactly, and bank "
      "conflicts, instead of refusing them",
      2 },
    { "build", BUILD, "DEVICE", OPTION_ARG_OPTIONAL,
      "Build the kernel on this machine's devices (those whose name, type, uid or kind "
      "matches DEVICE) and add what their drivers say: registers, private memory",
      2 },
    { 0 },
};

/* The global size of so many work-groups of 'local', an expression that lives as long as options. */
static char *options_blocks(size_t local, const char *blocks)
{
    return gcal_arena_format(gcal_option_arena(), "%zu*(%s)", local, blocks);
}

static void parse_local(struct gcal_count_options *o, const char *option,
                        const char *text, struct argp_state *state)
{
    size_t n = 0;
    char *end = (char *)text - 1;

    do {
        const char *start = end + 1;
        long long size = strtoll(start, &end, 10);

        if (end == start || size < 1 || size > 1 << 20 || n == GCAL_MAX_DIMS ||
            (*end && *end != ','))
            argp_error(state,
                       "--%s: expected one to three sizes such as 16,16, found '%s'",
                       option, text);
        o->local[n++] = (size_t)size;
    } while (*end);
    o->n_dims = n;
}

/* Commas inside parentheses belong to the expression. */
static void parse_global(char *global[GCAL_MAX_DIMS], const char *option,
                         const char *text, struct argp_state *state)
{
    size_t n = 0;
    int depth = 0;

    global[n++] = gcal_arena_strdup(gcal_option_arena(), text);
    for (char *c = global[0]; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c != ',' || depth)
            continue;
        if (n == GCAL_MAX_DIMS)
            argp_error(state, "--%s: more than three dimensions in '%s'", option, text);
        *c = '\0';
        global[n++] = c + 1;
    }
}

/* The global size of --grid blocks. */
static void multiply_grid(struct gcal_count_options *o, struct argp_state *state)
{
    size_t n = 0;

    if (!o->grid[0])
        return;
    while (n < GCAL_MAX_DIMS && o->grid[n])
        n++;
    if (o->global[0] || n != o->n_dims)
        argp_error(state, o->global[0] ? "--grid and --global: give one of them"
                                       : "--grid: give --block with as many dimensions");
    for (size_t d = 0; d < n; d++)
        o->global[d] = options_blocks(o->local[d], o->grid[d]);
}

/* "12:nnz" */
static void parse_trips(struct gcal_count_options *o, const char *text,
                        struct argp_state *state)
{
    char *end;
    long line = strtol(text, &end, 10);
    const char *name = end + 1;

    if (end == text || *end != ':' || line < 1 || line > 1 << 30 ||
        (!isalpha((unsigned char)*name) && *name != '_') ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
            strlen(name))
        argp_error(state,
                   "--trips: expected a line and a name such as 12:nnz, found '%s'",
                   text);
    o->trips = gcal_arena_grow(gcal_option_arena(), o->trips, o->n_trips,
                               &o->trips_capacity, sizeof(*o->trips));
    o->trips[o->n_trips++] = (struct gcal_count_trips){ (int)line, name };
}

/* What is said of the buffer "NAME=..", which ends at the sign; '*text': after it. */
static struct gcal_count_buffer *find_buffer(struct gcal_count_options *o,
                                             const char *option, const char *arg,
                                             const char **text, struct argp_state *state)
{
    struct gcal_arena *arena = gcal_option_arena();
    const char *equals = strchr(arg, '=');

    if (!equals || equals == arg || !equals[1])
        argp_error(state, "--%s: expected NAME=%s, found '%s'", option,
                   strcmp(option, "range") == 0 ? "FIRST:LAST" : "COUNT", arg);
    *text = equals + 1;
    for (size_t i = 0; i < o->n_buffers; i++)
        if (strncmp(o->buffers[i].argument, arg, (size_t)(equals - arg)) == 0 &&
            !o->buffers[i].argument[equals - arg])
            return &o->buffers[i];
    o->buffers = gcal_arena_grow(arena, o->buffers, o->n_buffers, &o->buffers_capacity,
                                 sizeof(*o->buffers));
    o->buffers[o->n_buffers] = (struct gcal_count_buffer){
        .argument = gcal_arena_format(arena, "%.*s", (int)(equals - arg), arg)
    };
    return &o->buffers[o->n_buffers++];
}

static void parse_buffer(struct gcal_count_options *o, const char *arg,
                         struct argp_state *state)
{
    struct gcal_error err = { 0 };
    const char *text, *end;
    struct gcal_count_buffer *b = find_buffer(o, "buffer", arg, &text, state);

    end = strrchr(text, '.');
    if (!end || strcmp(end, ".npy") != 0)
        b->elements = text;
    else if (gcal_count_contents_read(gcal_option_arena(), text, b, &err) < 0)
        argp_error(state, "--buffer %s: %s", arg, err.text);
}

/* "first=0:nnz:sorted" */
static void parse_range(struct gcal_count_options *o, const char *arg,
                        struct argp_state *state)
{
    const char *text, *colon, *end;
    struct gcal_count_buffer *b = find_buffer(o, "range", arg, &text, state);

    colon = strchr(text, ':');
    end = colon ? colon + 1 + strcspn(colon + 1, ":") : NULL;
    if (!colon || colon == text || end == colon + 1 ||
        (*end && strcmp(end, ":sorted") != 0))
        argp_error(state,
                   "--range %s: expected a buffer and FIRST:LAST, such as 0:n-1, or "
                   "FIRST:LAST:sorted",
                   arg);
    b->first = gcal_arena_format(gcal_option_arena(), "%.*s", (int)(colon - text), text);
    b->last =
        gcal_arena_format(gcal_option_arena(), "%.*s", (int)(end - colon - 1), colon + 1);
    b->sorted = *end != '\0';
}

/* Adds to build options; quoted where their parser needs it. */
static void add_define(struct gcal_count_options *o, const char *definition)
{
    bool quoted = strpbrk(definition, " \t\"'\\") != NULL;
    struct gcal_buf all = { 0 }, *out = &all;

    gcal_buf_puts(out, o->build_options ? o->build_options : "");
    gcal_buf_puts(out, quoted ? "-D\"" : "-D");
    for (const char *c = definition; *c; c++)
        gcal_buf_printf(out, quoted && (*c == '"' || *c == '\\') ? "\\%c" : "%c", *c);
    gcal_buf_puts(out, quoted ? "\" " : " ");
    o->build_options = gcal_arena_take(gcal_option_arena(), out);
}

/* The option as it was given, for another command line. */
static void keep_option(struct gcal_count_options *o, int key, const char *arg)
{
    const struct argp_option *k = kernel_options;
    struct gcal_buf all = { 0 };

    while (k->key != key)
        k++;
    gcal_buf_printf(&all, "%s --%s ", o->source_options ? o->source_options : "",
                    k->name);
    gcal_escape_shell(&all, arg);
    o->source_options = gcal_arena_take(gcal_option_arena(), &all);
}

/* The only one that --kernel, or nothing, leaves of a template's instances: "gemm<float, 16>". */
static const char *only_instance(const struct gcal_count_options *o,
                                 const struct gcal_strings *kernels)
{
    const char *only = NULL;

    for (size_t i = 0; i < kernels->n; i++) {
        const char *name = kernels->items[i], *end = strchr(name, '<');
        size_t n = end ? (size_t)(end - name) : strlen(name),
               given = o->kernel ? strlen(o->kernel) : 0;

        if (o->kernel && (n < given || strncmp(name + n - given, o->kernel, given) != 0 ||
                          (n > given && name[n - given - 1] != ':')))
            continue;
        if (only)
            return o->kernel;
        only = name;
    }
    return only && strchr(only, '<') && !strstr(only, "<...>")
               ? gcal_arena_strdup(gcal_option_arena(), only)
               : o->kernel;
}

/* Returns whether the kernel may be an instance of a template that is to be found. */
static bool has_template(const struct gcal_count_options *o)
{
    char *source =
        o->kernel && strchr(o->kernel, '<') ? NULL : gcal_count_options_source(o, NULL);
    bool has = source && strstr(source, "template");

    free(source);
    return has;
}

/* What the command line leaves open follows from the host code of a CUDA source: the only instance of a template
 * that it launches, and grid and block of the first launch that can be read.  Errors are found again
 * when the kernel is counted.
 */
static void complete(struct gcal_count_options *o)
{
    struct gcal_count_description d = { 0 };
    struct gcal_buf text = { 0 };
    const char *kernel;

    if (!o->file || gcal_count_options_language(o) == GCAL_SOURCE_OPENCL_C)
        return;
    gcal_terms_start(gcal_count_options_language(o) == GCAL_SOURCE_HIP ? "wavefront"
                                                                       : "warp");
    if ((o->n_dims || o->global[0]) && !has_template(o))
        return;
    if (gcal_count_options_describe(o, &d, NULL) < 0)
        return;
    kernel = d.selected ? o->kernel : only_instance(o, &d.kernels);
    if (kernel != o->kernel) {
        o->kernel = kernel;
        gcal_count_description_clear(&d);
        if (gcal_count_options_describe(o, &d, NULL) < 0)
            return;
    }
    if (d.selected && d.launch.n_dims && !o->n_dims && !o->global[0]) {
        gcal_buf_printf(&text, "gpucal: %s:%d: as it is launched there: --block ",
                        o->file, d.launch.line);
        o->n_dims = d.launch.n_dims;
        for (size_t i = 0; i < o->n_dims; i++) {
            o->local[i] = d.launch.block[i];
            o->global[i] = options_blocks(o->local[i], d.launch.grid[i]);
            gcal_buf_printf(&text, "%s%zu", i ? "," : "", o->local[i]);
        }
        for (size_t i = 0; i < o->n_dims; i++)
            gcal_buf_printf(&text, "%s%s", i ? "," : " --grid '", d.launch.grid[i]);
        if (!gcal_quiet_is_on())
            fprintf(stderr, "%s'\n", text.data ? text.data : "");
        gcal_buf_free(&text);
    }
    gcal_count_description_clear(&d);
}

static error_t parse_kernel(int key, char *arg, struct argp_state *state)
{
    struct gcal_count_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        o->argc = state->argc;
        o->argv = state->argv;
        break;
    case 'k':
        o->kernel = arg;
        break;
    case 'l':
    case BLOCK:
        parse_local(o, key == 'l' ? "local" : "block", arg, state);
        break;
    case 'g':
        parse_global(o->global, "global", arg, state);
        break;
    case GRID:
        parse_global(o->grid, "grid", arg, state);
        break;
    case ARGP_KEY_END:
        multiply_grid(o, state);
        break;
    case ARGP_KEY_SUCCESS:
        complete(o);
        break;
    case 'D':
        add_define(o, arg);
        keep_option(o, key, arg);
        break;
    case 'I':
        gcal_option_list_add(&o->include_folders, arg);
        keep_option(o, key, arg);
        break;
    case LANGUAGE:
        if (strcmp(arg, "opencl") != 0 && strcmp(arg, "cuda") != 0 &&
            strcmp(arg, "hip") != 0)
            argp_error(state, "--language: expected opencl, cuda or hip, found '%s'",
                       arg);
        o->language = arg;
        keep_option(o, key, arg);
        break;
    case STD:
        o->build_options =
            gcal_arena_format(gcal_option_arena(), "%s-cl-std=%s ",
                              o->build_options ? o->build_options : "", arg);
        keep_option(o, key, arg);
        break;
    case ASSUME:
        o->assume = arg;
        keep_option(o, key, arg);
        break;
    case 'T':
        parse_trips(o, arg, state);
        keep_option(o, key, arg);
        break;
    case BUFFER:
        parse_buffer(o, arg, state);
        keep_option(o, key, arg);
        break;
    case RANGE:
        parse_range(o, arg, state);
        keep_option(o, key, arg);
        break;
    case ARGP_KEY_ARG:
        if (o->file)
            argp_error(state, "more than one file: '%s' and '%s'", o->file, arg);
        o->file = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gcal_count_options_kernel_argp = { .options = kernel_options,
                                                     .parser = parse_kernel };

static error_t parse_count(int key, char *arg, struct argp_state *state)
{
    struct gcal_count_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        break;
    case 'A':
        gcal_option_list_add(&o->ats, arg);
        break;
    case 'E':
        o->allow_estimates = true;
        break;
    case BUILD:
        o->build = true;
        o->build_on = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child kernel_child[] = {
    { &gcal_count_options_kernel_argp, 0, NULL, 0 }, { 0 }
};
const struct argp gcal_count_options_argp = { .options = count_options,
                                              .parser = parse_count,
                                              .children = kernel_child };

char *gcal_count_options_source(const struct gcal_count_options *o,
                                struct gcal_error *err)
{
    return gcal_includes_read(o->file, MAX_SOURCE_BYTES, o->include_folders.n,
                              o->include_folders.items, err);
}

enum gcal_source_language gcal_count_options_language(const struct gcal_count_options *o)
{
    if (!o->language)
        return gcal_includes_language(o->file);
    return strcmp(o->language, "cuda") == 0  ? GCAL_SOURCE_CUDA
           : strcmp(o->language, "hip") == 0 ? GCAL_SOURCE_HIP
                                             : GCAL_SOURCE_OPENCL_C;
}

int gcal_count_options_request(const struct gcal_count_options *o,
                               struct gcal_count_request *request, struct gcal_error *err)
{
    *request = (struct gcal_count_request){ .file = o->file,
                                            .kernel = o->kernel,
                                            .language = gcal_count_options_language(o),
                                            .build_options = o->build_options,
                                            .assume = o->assume,
                                            .n_banks = o->n_banks,
                                            .sector_bytes = o->sector_bytes,
                                            .index_arithmetic = o->index_arithmetic,
                                            .allow_estimates = o->allow_estimates,
                                            .estimate_passes = o->estimate_passes,
                                            .n_trips = o->n_trips,
                                            .trips = o->trips,
                                            .n_buffers = o->n_buffers,
                                            .buffers = o->buffers };
    for (size_t i = 0; i < GCAL_MAX_DIMS && o->global[i]; i++) {
        request->local_size[i] = o->local[i];
        request->global_size[i] = o->global[i];
        request->n_dims++;
    }
    request->source = gcal_count_options_source(o, err);
    return request->source ? 0 : -1;
}

int gcal_count_options_describe(const struct gcal_count_options *o,
                                struct gcal_count_description *description,
                                struct gcal_error *err)
{
    struct gcal_count_request request;
    int rc;

    if (gcal_count_options_request(o, &request, err) < 0)
        return -1;
    rc = gcal_count_describe(&request, description, err);
    free((char *)request.source);
    return rc;
}

/* Returns whether 'text' has the name as a word. */
static bool has_word(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

bool gcal_count_options_mention(const struct gcal_count_options *o, const char *name)
{
    for (size_t d = 0; d < GCAL_MAX_DIMS && o->global[d]; d++)
        if (has_word(o->global[d], name))
            return true;
    for (size_t i = 0; i < o->n_buffers; i++) {
        const char *const texts[] = { o->buffers[i].elements, o->buffers[i].first,
                                      o->buffers[i].last };

        for (size_t k = 0; k < 3; k++)
            if (texts[k] && has_word(texts[k], name))
                return true;
    }
    return false;
}
