/* kernel.c - the arguments and sizes of a user's kernel */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/own/own.h"

/* ---- options for what counting does not say about a kernel's arguments ---- */

enum { SET = 256 };

static const struct argp_option options[] = {
    { "set", SET, "NAME=VALUE", 0,
      "The value of a scalar argument or of a member of a structure (part_first), in "
      "sizes (default: 1, of floating point 0.5), or the words of a sampler (default: "
      "nearest); may be repeated",
      3 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_own_options *o = state->input;
    const char *equals = arg ? strchr(arg, '=') : NULL;

    if (key != SET)
        return ARGP_ERR_UNKNOWN;
    if (!equals || equals == arg || !equals[1])
        argp_error(state, "--set: expected NAME=VALUE, found '%s'", arg);
    gcal_option_list_add(&o->set, arg);
    return 0;
}

const struct argp gcal_own_options_argp = { .options = options, .parser = parse };

/* The text after "NAME=", of the last such item; NULL: not given. */
static const char *parse_own_option(const struct gcal_option_list *list, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = list->n; i-- > 0;)
        if (strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')
            return list->items[i] + length + 1;
    return NULL;
}

/* ---- sizes ---- */

static const struct gcal_count_signature_arg *
find_arg(const struct gcal_count_signature *signature, const char *name)
{
    for (size_t i = 0; i < signature->n_args; i++)
        if (strcmp(signature->args[i].name, name) == 0)
            return &signature->args[i];
    return NULL;
}

static bool is_integer(const struct gcal_count_signature_arg *arg)
{
    return arg->kind == GCAL_COUNT_SIGNATURE_SCALAR && *arg->dtype != 'f';
}

static int add_size(struct gcal_own_kernel *own, const char *name, bool in_extents,
                    struct gcal_error *err)
{
    const struct gcal_count_signature_arg *arg = find_arg(&own->signature, name);
    size_t i = gcal_own_sizes_find(own, name, strlen(name));

    if (strcmp(name, GCAL_SUB_GROUP_SIZE) == 0)
        return 0;
    if (arg && !is_integer(arg))
        return gcal_error_set(err, GCAL_EINPUT,
                              "'%s' is not an integer argument, so it cannot be a size",
                              name);
    if (i == own->n_sizes) {
        own->sizes = gcal_arena_grow(own->arena, own->sizes, i, &own->capacity,
                                     sizeof(*own->sizes));
        own->sizes[own->n_sizes++] =
            (struct gcal_own_size){ .name = gcal_arena_strdup(own->arena, name),
                                    .fixed = NAN };
    }
    own->sizes[i].in_extents = own->sizes[i].in_extents || in_extents;
    return 0;
}

/* The names in an expression become sizes. */
static int add_names(struct gcal_own_kernel *own, const char *text, bool in_extents,
                     const char *what, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    int rc = expr ? 0 : gcal_error_prefix(err, "%s '%s'", what, text);

    for (size_t i = 0; rc == 0 && i < gcal_expr_symbol_count(expr); i++)
        rc = add_size(own, gcal_expr_symbol(expr, i), in_extents, err);
    gcal_expr_destroy(expr);
    return rc;
}

/* Returns whether it has elements, of which 'value' is the number. */
static bool has_elements(const struct gcal_count_signature_arg *arg)
{
    return arg->kind == GCAL_COUNT_SIGNATURE_BUFFER ||
           arg->kind == GCAL_COUNT_SIGNATURE_LOCAL ||
           arg->kind == GCAL_COUNT_SIGNATURE_IMAGE;
}

static int add_sizes(struct gcal_own_kernel *own, struct gcal_error *err)
{
    for (size_t i = 0; i < own->profile->n_parameters; i++)
        if (add_size(own, own->profile->parameters[i], false, err) < 0)
            return -1;
    for (size_t d = 0; d < own->signature.n_dims; d++)
        if (add_names(own, own->signature.global_size[d], true, "--global", err) < 0)
            return -1;
    for (size_t i = 0; i < own->signature.n_args; i++) {
        const struct gcal_count_signature_arg *arg = &own->signature.args[i];

        if (has_elements(arg) &&
            add_names(own, own->args[i].value, true, "--buffer", err) < 0)
            return -1;
        if (own->args[i].first &&
            (add_names(own, own->args[i].first, false, "--range", err) < 0 ||
             add_names(own, own->args[i].last, false, "--range", err) < 0))
            return -1;
    }
    if (own->n_sizes)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: nothing that kernel '%s' does depends on a size: give "
                          "--global as an expression in one",
                          own->request.file, own->signature.kernel);
}

/* ---- arguments ---- */

static int check_kind(const struct gcal_own_kernel *own,
                      const struct gcal_count_signature_arg *arg, struct gcal_error *err)
{
    if (arg->kind != GCAL_COUNT_SIGNATURE_OTHER)
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "%s: kernel '%s': the argument '%s' of type '%s' cannot be made up: only "
        "numbers, "
        "vectors and structures of these, pointers to them in __global, __constant or "
        "__local memory, images of one to three dimensions and samplers can; pass it by "
        "one "
        "of these",
        own->request.file, own->signature.kernel, arg->name, arg->type);
}

/* What --buffer and --range say of it; NULL: nothing. */
static const struct gcal_count_buffer *find_buffer(const struct gcal_own_kernel *own,
                                                   const char *name)
{
    for (size_t i = 0; i < own->request.n_buffers; i++)
        if (strcmp(own->request.buffers[i].argument, name) == 0)
            return &own->request.buffers[i];
    return NULL;
}

static const char *find_items(const struct gcal_own_kernel *own, const char *name)
{
    const struct gcal_count_buffer *b = find_buffer(own, name);

    return b ? b->elements : NULL;
}

static int set_extent(const struct gcal_own_kernel *own,
                      const struct gcal_count_signature_arg *arg,
                      struct gcal_own_arg *made, struct gcal_error *err)
{
    const char *given = find_items(own, arg->name);

    if (!given && arg->unknown)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: guard the access, or assume more of the sizes "
                              "(--assume); or give the number of "
                              "items (--buffer %s=COUNT) and, if integers select them, "
                              "their range (--range "
                              "NAME=0:LAST)",
                              arg->unknown, arg->name);
    if (given && arg->per_item == 1)
        made->value = given;
    else if (given) /* items as elements of the dtype */
        made->value =
            gcal_arena_format(own->arena, strpbrk(given, "+-/ ") ? "%zu*(%s)" : "%zu*%s",
                              arg->per_item, given);
    else
        made->value = arg->elements ? arg->elements
                                    : gcal_arena_format(own->arena, "%zu", arg->per_item);
    return 0;
}

/* Part 'd' of "w,h", with commas inside parentheses as parts of an expression; NULL: it has no
 * such part, or with 'd' the last more than that.
 */
static const char *find_part(struct gcal_arena *arena, const char *text, size_t d,
                             bool is_last)
{
    const char *from = text;
    size_t at = 0;
    int depth = 0;

    for (const char *c = text;; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && (*c != ',' || depth))
            continue;
        if (at == d)
            return c == from || (is_last && *c)
                       ? NULL
                       : gcal_arena_format(arena, "%.*s", (int)(c - from), from);
        if (!*c)
            return NULL;
        at++;
        from = c + 1;
    }
}

/* The size that the kernel asks the image for, "in_width"; NULL: counts do not depend on it. */
static const char *find_asked(const struct gcal_own_kernel *own, const char *image,
                              size_t d)
{
    static const char *const extents[] = { "width", "height", "depth" };
    const char *name = gcal_arena_format(own->arena, "%s_%s", image, extents[d]);

    for (size_t i = 0; i < own->profile->n_parameters; i++)
        if (strcmp(own->profile->parameters[i], name) == 0)
            return name;
    return NULL;
}

/* The extents of an image: those that the kernel asks it for, those given by
 * "--buffer NAME=WIDTH,HEIGHT", or those that its accesses reach.
 */
static int set_image(const struct gcal_own_kernel *own,
                     const struct gcal_count_signature_arg *arg,
                     struct gcal_own_arg *made, struct gcal_error *err)
{
    static const char *const forms[] = { "WIDTH", "WIDTH,HEIGHT", "WIDTH,HEIGHT,DEPTH" };
    const char *given = find_items(own, arg->name);

    made->value = "4";
    for (size_t d = 0; d < arg->n_extents; d++) {
        const char *part =
            given ? find_part(own->arena, given, d, d + 1 == arg->n_extents) : NULL;
        const char *asked = find_asked(own, arg->name, d);

        made->extents[d] = part ? part : asked ? asked : given ? NULL : arg->extents[d];
        if (asked && part && strcmp(asked, part) != 0)
            return gcal_error_set(
                err, GCAL_EINPUT,
                "--buffer %s=%s: counts depend on the size that the kernel asks "
                "the image for: write %s for '%s', and give it as a size (or "
                "--assume \"%s = %s\")",
                arg->name, given, asked, part, asked, part);
        if (!made->extents[d])
            return gcal_error_set(
                err, GCAL_EINPUT,
                given ? "--buffer %s=%s: expected the size of an image, as in %s=%s"
                      : "%s%s: the size of the image is unknown: give it by "
                        "--buffer %s=%s",
                given          ? arg->name
                : arg->unknown ? arg->unknown
                               : arg->name,
                given ? given : "", arg->name, forms[arg->n_extents - 1]);
        made->value =
            gcal_arena_format(own->arena, "%s*(%s)", made->value, made->extents[d]);
    }
    return 0;
}

/* A sampler has words instead of a number. */
static int set_sampler(struct gcal_own_kernel *own, const struct gcal_own_options *o,
                       const struct gcal_count_signature_arg *arg,
                       struct gcal_own_arg *made, struct gcal_error *err)
{
    const char *given = parse_own_option(&o->set, arg->name);
    unsigned bits;
    char *words;

    if (given && gcal_sampler_parse(given, &bits) < 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--set %s=%s: expected nearest or linear, and perhaps "
                              "normalized, and edge, border or repeat (which needs "
                              "normalized), as in %s=linear,normalized",
                              arg->name, given, arg->name);
    made->value = words = gcal_arena_strdup(own->arena, given ? given : "nearest");
    for (char *c = words; *c; c++)
        *c = *c == ',' ? ' ' : *c;
    if (given)
        return 0;
    return gcal_strings_take(
        &own->defaults,
        gcal_buf_format("%s = nearest (--set %s=WORDS)", arg->name, arg->name), err);
}

static int set_range(const struct gcal_own_kernel *own,
                     const struct gcal_count_signature_arg *arg,
                     struct gcal_own_arg *made, struct gcal_error *err)
{
    const struct gcal_count_buffer *b = find_buffer(own, arg->name);

    if (!b || !b->first)
        return 0;
    if (arg->kind != GCAL_COUNT_SIGNATURE_BUFFER &&
        arg->kind != GCAL_COUNT_SIGNATURE_IMAGE)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--range %s=%s:%s: only buffers and images have values",
                              arg->name, b->first, b->last);
    made->first = b->first;
    made->last = b->last;
    made->sorted = b->sorted;
    return 0;
}

static int read_buffers(struct gcal_own_kernel *own, const struct gcal_own_options *o,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < own->signature.n_args; i++) {
        const struct gcal_count_signature_arg *arg = &own->signature.args[i];

        if (check_kind(own, arg, err) < 0)
            return -1;
        if (arg->kind == GCAL_COUNT_SIGNATURE_STRUCT)
            own->args[i].value = gcal_arena_format(own->arena, "%zu", arg->per_item);
        else if (arg->kind == GCAL_COUNT_SIGNATURE_SAMPLER
                     ? set_sampler(own, o, arg, &own->args[i], err) < 0
                 : arg->kind == GCAL_COUNT_SIGNATURE_IMAGE
                     ? set_image(own, arg, &own->args[i], err) < 0
                     : arg->kind != GCAL_COUNT_SIGNATURE_SCALAR &&
                           set_extent(own, arg, &own->args[i], err) < 0)
            return -1;
        if (arg->kind != GCAL_COUNT_SIGNATURE_SCALAR &&
            set_range(own, arg, &own->args[i], err) < 0)
            return -1;
    }
    return 0;
}

static int fix_size(struct gcal_own_size *size, const char *given, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(given, err);

    if (!expr)
        return gcal_error_prefix(err, "--set %s=%s", size->name, given);
    size->fixed = gcal_expr_symbol_count(expr) ? NAN : gcal_expr_eval(expr, NULL);
    gcal_expr_destroy(expr);
    if (size->fixed >= 1 && size->fixed == floor(size->fixed) && size->fixed < 0x1p53)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--set %s=%s: counts depend on '%s', so it is a size: expected "
                          "a positive integer",
                          size->name, given, size->name);
}

/* The value of a scalar that is not a size. */
static int set_value(struct gcal_own_kernel *own, const struct gcal_own_options *o,
                     size_t i, struct gcal_error *err)
{
    const struct gcal_count_signature_arg *arg = &own->signature.args[i];
    const char *given = parse_own_option(&o->set, arg->name);
    const char *value = given ? given : *arg->dtype == 'f' ? "0.5" : "1";

    own->args[i].value = value;
    if (given)
        return add_names(own, given, false, "--set", err);
    return gcal_strings_take(
        &own->defaults,
        gcal_buf_format("%s = %s (--set %s=VALUE)", arg->name, value, arg->name), err);
}

static int read_scalars(struct gcal_own_kernel *own, const struct gcal_own_options *o,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < own->signature.n_args; i++) {
        const char *name = own->signature.args[i].name;

        if (own->signature.args[i].kind != GCAL_COUNT_SIGNATURE_SCALAR)
            continue;
        if (gcal_own_sizes_find(own, name, strlen(name)) == own->n_sizes) {
            if (set_value(own, o, i, err) < 0)
                return -1;
        } else
            own->args[i].value = name;
    }
    for (size_t i = 0; i < own->n_sizes; i++) {
        const char *given = parse_own_option(&o->set, own->sizes[i].name);

        if (given && fix_size(&own->sizes[i], given, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- names in --set ---- */

static int check_names(const struct gcal_own_kernel *own,
                       const struct gcal_option_list *set, struct gcal_error *err)
{
    for (size_t i = 0; i < set->n; i++) {
        size_t length = strcspn(set->items[i], "=");
        bool found = gcal_own_sizes_find(own, set->items[i], length) < own->n_sizes;

        for (size_t j = 0; j < own->signature.n_args; j++) {
            const struct gcal_count_signature_arg *arg = &own->signature.args[j];

            found =
                found || (strlen(arg->name) == length &&
                          strncmp(arg->name, set->items[i], length) == 0 &&
                          arg->kind != GCAL_COUNT_SIGNATURE_STRUCT && !has_elements(arg));
        }
        if (!found)
            return gcal_error_set(
                err, GCAL_EINPUT, "--set %s: kernel '%s' has no scalar argument '%.*s'",
                set->items[i], own->signature.kernel, (int)length, set->items[i]);
    }
    return 0;
}

/* ---- expressions ---- */

static int parse_in_sizes(struct gcal_own_kernel *own, struct gcal_error *err)
{
    const char **names = gcal_arena_alloc(own->arena, own->n_sizes, sizeof(*names));
    const char *assume = own->profile->assumptions;

    own->extents =
        gcal_arena_alloc(own->arena, own->signature.n_args, sizeof(*own->extents));
    for (size_t i = 0; i < own->n_sizes; i++)
        names[i] = own->sizes[i].name;
    if (assume && *assume &&
        !(own->assume = gcal_assume_parse(assume, own->n_sizes, names, err)))
        return -1;
    for (size_t d = 0; d < own->signature.n_dims; d++)
        if (!(own->global[d] = gcal_expr_parse_in(own->signature.global_size[d],
                                                  own->n_sizes, names, err)))
            return -1;
    for (size_t i = 0; i < own->signature.n_args; i++)
        if (has_elements(&own->signature.args[i]) &&
            !(own->extents[i] =
                  gcal_expr_parse_in(own->args[i].value, own->n_sizes, names, err)))
            return -1;
    return 0;
}

/* ---- all of it ---- */

/* "gemm<float, 16>" as "gemm_float_16". */
static const char *name_entry(const struct gcal_own_kernel *own)
{
    const char *kernel =
        own->request.kernel ? own->request.kernel : own->signature.kernel;
    char *name = gcal_arena_strdup(own->arena, kernel), *to = name;

    for (const char *c = kernel; *c; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            *to++ = *c;
        else if (to > name && to[-1] != '_')
            *to++ = '_';
    while (to > name + 1 && to[-1] == '_')
        to--;
    *to = '\0';
    return name;
}

/* What a kernel is that is counted at its sizes alone.  They are no condition of its own: its
 * results are checked at smaller ones.
 */
static int read_at_sizes(struct gcal_own_kernel *own, struct gcal_error *err)
{
    struct gcal_count_request request = own->request;
    char *assume = own->request.assume ? strdup(own->request.assume) : NULL;

    request.assume = own->profile->assumptions;
    gcal_count_signature_clear(&own->signature);
    own->signature = (struct gcal_count_signature){ 0 };
    if (gcal_count_signature_read(&request, &own->signature, err) < 0) {
        free(assume);
        return -1;
    }
    free(own->profile->assumptions);
    own->profile->assumptions = assume;
    return 0;
}

static int read_source(const struct gcal_count_options *count,
                       struct gcal_own_kernel *own, struct gcal_error *err)
{
    if (gcal_count_options_request(count, &own->request, err) < 0)
        return -1;
    own->source = (char *)own->request.source;
    for (size_t i = 0; i < own->request.n_buffers; i++)
        if (own->request.buffers[i].data)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "--buffer %s: a file serves counts alone: to measure, "
                                  "give the number of items and --range %s=FIRST:LAST",
                                  own->request.buffers[i].argument,
                                  own->request.buffers[i].argument);
    if (!(own->profile = gcal_count_options_profile(count, 0, err)))
        return -1;
    if (gcal_count_signature_read(&own->request, &own->signature, err) < 0 &&
        read_at_sizes(own, err) < 0)
        return -1;
    own->args = gcal_arena_alloc(own->arena, own->signature.n_args, sizeof(*own->args));
    if (own->signature.device_text) {
        free(own->source);
        own->request.source = own->source = own->signature.device_text;
        own->signature.device_text = NULL;
    }
    return 0;
}

int gcal_own_kernel_read(const struct gcal_count_options *count,
                         const struct gcal_own_options *options, const char *name,
                         struct gcal_own_kernel *own, struct gcal_error *err)
{
    *own = (struct gcal_own_kernel){ .arena = gcal_arena_create() };
    if (read_source(count, own, err) < 0 || read_buffers(own, options, err) < 0 ||
        add_sizes(own, err) < 0 || read_scalars(own, options, err) < 0 ||
        check_names(own, &options->set, err) < 0 || parse_in_sizes(own, err) < 0)
        return -1;
    /* An entry must not have the name of a built-in one. */
    struct gcal_catalogue *built_in = gcal_catalogue_open(NULL, err);
    bool used = false;
    if (!built_in)
        return -1;
    own->model = name ? name : name_entry(own);
    for (size_t i = 0; i < gcal_catalogue_size(built_in); i++)
        used = used || strcmp(gcal_catalogue_view(built_in, i).name, own->model) == 0;
    gcal_catalogue_close(built_in);
    own->name = used ? gcal_arena_format(own->arena, "own_%s", own->model) : own->model;
    return gcal_own_sizes_find_check(own, err);
}

void gcal_own_kernel_clear(struct gcal_own_kernel *own)
{
    for (size_t i = 0; own->extents && i < own->signature.n_args; i++)
        gcal_expr_destroy(own->extents[i]);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        gcal_expr_destroy(own->global[d]);
    gcal_assume_destroy(own->assume);
    gcal_strings_clear(&own->defaults);
    gcal_profile_destroy(own->profile);
    gcal_count_signature_clear(&own->signature);
    free(own->source);
    gcal_arena_destroy(own->arena);
    *own = (struct gcal_own_kernel){ 0 };
}

int gcal_own_values_add(struct gcal_count_options *count,
                        const struct gcal_own_options *options, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_option_arena();
    struct gcal_own_kernel own = { 0 };
    struct gcal_count_buffer *all, *b;
    size_t n = count->n_buffers;
    int rc = gcal_own_kernel_read(count, options, NULL, &own, err);

    all = gcal_arena_alloc(arena, n + own.signature.n_args, sizeof(*all));
    for (size_t i = 0; i < n; i++)
        all[i] = count->buffers[i];
    for (size_t i = 0; rc == 0 && i < own.signature.n_args; i++) {
        const struct gcal_count_signature_arg *arg = &own.signature.args[i];

        if ((arg->kind != GCAL_COUNT_SIGNATURE_BUFFER &&
             arg->kind != GCAL_COUNT_SIGNATURE_IMAGE) ||
            arg->written || own.args[i].first)
            continue;
        for (b = all; b < all + n && strcmp(b->argument, arg->name) != 0; b++)
            ;
        n += b == all + n;
        b->argument = gcal_arena_strdup(arena, arg->name);
        b->first = gcal_dtype_fill_first(arg->dtype);
        b->last = gcal_dtype_fill_last(arg->dtype);
        if (!gcal_quiet_is_on() && *arg->dtype != 'f') /* on which loops often depend */
            fprintf(stderr,
                    "gpucal: predicted and measured with values of '%s' from 0 to %s "
                    "(--range %s=FIRST:LAST)\n",
                    arg->name, b->last, arg->name);
    }
    count->buffers = all;
    count->n_buffers = n;
    gcal_own_kernel_clear(&own);
    return rc;
}
