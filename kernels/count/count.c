/* count.c - from a request to its loop nest, and from that to the profile */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/count/count.h"
#include "kernels/count/private.h"
#include "kernels/interpret/sample.h"
#include "kernels/model/dtype.h"
#include "kernels/walk/walk.h"

static int check_request(const struct gcal_count_request *r, struct gcal_error *err)
{
    if (r->n_dims < 1 || r->n_dims > GCAL_MAX_DIMS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "an NDRange has 1 to %d dimensions, not %zu", GCAL_MAX_DIMS,
                              r->n_dims);
    for (size_t d = 0; d < r->n_dims; d++)
        if (!r->global_size[d])
            return gcal_error_set(err, GCAL_EINPUT, "dimension %zu needs a global size",
                                  d);
    if (r->sub_group_size > 65536 || r->n_banks > 65536)
        return gcal_error_set(err, GCAL_EINPUT,
                              "a sub-group size and a number of banks are at most "
                              "65536");
    if (r->n_banks && !r->sub_group_size)
        return gcal_error_set(err, GCAL_EINPUT,
                              "bank conflicts need a sub-group size: give it with the "
                              "number of banks");
    if (r->sector_bytes && !r->sub_group_size)
        return gcal_error_set(err, GCAL_EINPUT,
                              "memory traffic needs a sub-group size: give it with the "
                              "traffic");
    if (r->sector_bytes & (r->sector_bytes - 1) || r->sector_bytes > 128 ||
        (r->sector_bytes && r->sector_bytes < 8))
        return gcal_error_set(err, GCAL_EINPUT,
                              "a sector has 8, 16, 32, 64 or 128 bytes, not %zu",
                              r->sector_bytes);
    return 0;
}

static int check_work_group(const struct gcal_count_request *r, struct gcal_error *err)
{
    size_t items = 1;

    for (size_t d = 0; d < r->n_dims; d++) {
        if (r->local_size[d] < 1 || r->local_size[d] > 65536)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "dimension %zu needs a work-group size of 1 to 65536",
                                  d);
        items *= r->local_size[d];
    }
    if (items > 65536)
        return gcal_error_set(err, GCAL_EINPUT,
                              "a work-group has at most 65536 work-items, not %zu",
                              items);
    return 0;
}

/* ---- sizes ---- */

/* 'assume' with "n % 16 = 0" for each global size "n" or "n+number": in OpenCL,
 * work-groups divide the global size.  It makes counts simpler, and prediction checks it.
 */
static const char *implied_assumptions(struct gcal_poly_context *c,
                                       const struct gcal_count_request *r,
                                       const char *assume, struct gcal_error *err)
{
    for (size_t d = 0; d < r->n_dims; d++) {
        int64_t local = (int64_t)r->local_size[d], shift;
        const struct gcal_poly *global = gcal_poly_parse(c, r->global_size[d], err);
        const char *name, *clause;

        if (!global)
            return NULL;
        name = gcal_poly_shifted_parameter(c, global, &shift);
        if (!name || gcal_poly_is_integral(gcal_poly_scale(c, global, 1, local)))
            continue;
        shift = ((-shift) % local + local) % local;
        clause = gcal_poly_format(c, "%s %% %lld = %lld", name, (long long)local,
                                  (long long)shift);
        if (!strstr(assume, clause))
            assume =
                gcal_poly_format(c, "%s%s%s", assume, *assume ? " and " : "", clause);
    }
    return assume;
}

/* A context with all assumptions, whose text is '*text'. */
static struct gcal_poly_context *make_context(const struct gcal_count_request *r,
                                              const char **text, struct gcal_error *err)
{
    struct gcal_poly_context *c, *second;
    const char *assume =
        r->assume && r->assume[strspn(r->assume, " \t")] ? r->assume : "";

    if (!(c = gcal_poly_context_create(err)))
        return NULL;
    if ((*assume && gcal_poly_assume(c, assume, err) < 0) ||
        !(*text = implied_assumptions(c, r, assume, err)))
        goto fail;
    if (strcmp(*text, assume) == 0)
        return c;
    /* assumptions come before the first use of a parameter: start again */
    if (!(second = gcal_poly_context_create(err)))
        goto fail;
    *text = gcal_poly_format(second, "%s", *text);
    gcal_poly_context_destroy(c);
    c = second;
    if (gcal_poly_assume(c, *text, err) == 0)
        return c;
    gcal_error_prefix(err, "work-groups must divide the global size");
fail:
    gcal_poly_context_destroy(c);
    return NULL;
}

static int set_sizes(struct gcal_sets_nest *nest, const struct gcal_count_request *r,
                     struct gcal_error *err)
{
    struct gcal_poly_context *c = nest->c;

    nest->n_dims = r->n_dims;
    for (size_t d = 0; d < r->n_dims; d++) {
        int64_t local = (int64_t)r->local_size[d];
        const struct gcal_poly *global = gcal_poly_parse(c, r->global_size[d], err);

        if (!global)
            return gcal_error_prefix(err, "global size");
        nest->local_size[d] = local;
        nest->groups[d] = gcal_poly_floor(
            c, gcal_poly_add(c, global, gcal_poly_integer(c, local - 1)), local);
        /* a launched NDRange has work-groups */
        gcal_poly_assume_nonnegative(
            c, gcal_poly_sub(c, nest->groups[d], gcal_poly_integer(c, 1)));
        nest->lid[d] = gcal_poly_dimension(c, gcal_poly_format(c, "lid%zu", d),
                                           gcal_poly_integer(c, local - 1));
        nest->gid[d] = gcal_poly_dimension(
            c, gcal_poly_format(c, "gid%zu", d),
            gcal_poly_sub(c, nest->groups[d], gcal_poly_integer(c, 1)));
    }
    return gcal_poly_context_check(c, err);
}

/* ---- the walk ---- */

/* The request's work-group, or that of the kernel's reqd_work_group_size, with which a
 * given one must agree.
 */
static int take_work_group(CXCursor kernel, struct gcal_count_request *r,
                           struct gcal_error *err)
{
    size_t wanted[GCAL_MAX_DIMS];
    bool given = r->local_size[0] > 0;

    if (!gcal_source_work_group(kernel, wanted))
        return given ? check_work_group(r, err)
                     : gcal_source_error(kernel, err,
                                         "the kernel has no reqd_work_group_size, so the "
                                         "work-group size must be given");
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        if (!given && d < r->n_dims)
            r->local_size[d] = wanted[d];
        if (wanted[d] != (d < r->n_dims ? r->local_size[d] : 1))
            return gcal_source_error(kernel, err,
                                     "the kernel requires work-groups of %zux%zux%zu",
                                     wanted[0], wanted[1], wanted[2]);
    }
    return check_work_group(r, err);
}

/* The kernel's arguments in order, for the order of the profile's parameters. */
static int name_arguments(CXCursor kernel, struct gcal_strings *names,
                          struct gcal_error *err)
{
    int n = clang_Cursor_getNumArguments(kernel);

    for (int i = 0; i < n; i++) {
        char *name =
            gcal_source_cursor_name(clang_Cursor_getArgument(kernel, (unsigned)i), err);
        int rc = name ? gcal_strings_include(names, name, err) : -1;

        free(name);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* ---- what is known of buffers ---- */

/* Its bytes; NULL: unknown, or dependent on more than sizes. */
static const struct gcal_poly *find_bytes(struct gcal_poly_context *c,
                                          const struct gcal_count_buffer *b)
{
    const struct gcal_poly *elements = NULL;

    if (b->data)
        return gcal_poly_integer(c, (int64_t)b->data_bytes);
    if (b->elements)
        elements = gcal_poly_parse(c, b->elements, NULL);
    return elements ? gcal_poly_scale(c, elements, (int64_t)b->bytes, 1) : NULL;
}

/* The type of what an argument points to, itself for an image; false: it is neither. */
static bool find_element(CXCursor kernel, int i, CXType *element)
{
    CXType type = gcal_source_type(clang_Cursor_getArgument(kernel, (unsigned)i));

    *element = type.kind == CXType_Pointer
                   ? clang_getCanonicalType(clang_getPointeeType(type))
                   : type;
    return type.kind == CXType_Pointer || gcal_source_is_image(type);
}

static int refuse_buffer(const struct gcal_count_walked *walked, const char *name,
                         struct gcal_error *err)
{
    struct gcal_buf names = { 0 };
    CXType element;

    for (size_t i = 0; i < walked->arguments.n; i++)
        if (find_element(walked->kernel, (int)i, &element))
            gcal_buf_printf(&names, "%s%s", names.size ? ", " : "",
                            walked->arguments.items[i]);
    gcal_error_set(err, GCAL_EINPUT, "kernel '%s' has no buffer argument '%s'%s%s",
                   walked->name, name, names.size ? ": there are " : "",
                   names.data ? names.data : "");
    gcal_buf_free(&names);
    return -1;
}

/* What a user says of a buffer of such elements. */
static int check_stated(struct gcal_poly_context *c, const struct gcal_count_buffer *b,
                        CXType element, struct gcal_error *err)
{
    const char *dtype = gcal_source_dtype(element);
    const struct gcal_poly *first, *last;
    struct gcal_dtype_range range = { .first = 0 };
    int64_t from, to;

    if (gcal_source_is_image(element))
        return 0;
    if (b->elements && !gcal_poly_parse(c, b->elements, err))
        return gcal_error_prefix(err, "the number of items of '%s'", b->argument);
    if (b->data && (!dtype || strcmp(dtype, b->dtype) != 0))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "the file for '%s' has elements of %s, and the kernel's are "
            "%s: convert them",
            b->argument, b->dtype, dtype ? dtype : "structures");
    if (!b->first || !dtype || *dtype == 'f')
        return 0;
    if (!(first = gcal_poly_parse(c, b->first, err)) ||
        !(last = gcal_poly_parse(c, b->last, err)))
        return gcal_error_prefix(err, "the values of '%s'", b->argument);
    if (gcal_poly_is_constant(first, &from) && gcal_poly_is_constant(last, &to)) {
        range.first = (double)from;
        range.last = (double)to;
    }
    if (gcal_poly_is_nonnegative(
            c, gcal_poly_sub(c, gcal_poly_sub(c, first, last), gcal_poly_integer(c, 1))))
        return gcal_error_set(err, GCAL_EINPUT,
                              "the range of the values of '%s', %s:%s, is empty",
                              b->argument, b->first, b->last);
    if (!gcal_dtype_has_range(dtype, &range))
        return gcal_error_set(err, GCAL_EINPUT,
                              "the range of the values of '%s', %s:%s, is not one of %s",
                              b->argument, b->first, b->last, dtype);
    return 0;
}

/* What users say has to be right; catalogues know more sizes than counts do. */
static int take_buffers(struct gcal_count_walked *walked, struct gcal_error *err)
{
    struct gcal_count_request *r = &walked->request;
    struct gcal_poly_context *c;
    const char *assumptions;
    int rc = 0;

    if (!r->n_buffers)
        return 0;
    if (!(walked->buffers = calloc(r->n_buffers, sizeof(*walked->buffers))))
        return gcal_error_memory(err);
    if (!(c = make_context(r, &assumptions, err)))
        return -1;
    memcpy(walked->buffers, r->buffers, r->n_buffers * sizeof(*walked->buffers));
    r->buffers = walked->buffers;
    for (size_t i = 0; i < r->n_buffers && rc == 0; i++) {
        struct gcal_count_buffer *b = &walked->buffers[i];
        CXType element;
        int arg = -1;

        if (b->bytes)
            continue;
        for (size_t k = 0; k < walked->arguments.n; k++)
            if (strcmp(walked->arguments.items[k], b->argument) == 0)
                arg = (int)k;
        if (arg < 0 || !find_element(walked->kernel, arg, &element))
            rc = refuse_buffer(walked, b->argument, err);
        else if ((rc = check_stated(c, b, element, err)) == 0)
            b->bytes = (size_t)gcal_source_size(element);
        if (rc == 0 && gcal_source_is_image(element))
            b->elements = NULL; /* but extents */
        if (rc == 0 && !gcal_source_dtype(element))
            b->first = b->last = NULL; /* of which member? */
    }
    gcal_poly_context_destroy(c);
    return rc;
}

/* ---- loops that are counted by running the kernel ---- */

enum { MOST_SAMPLED = 8 };

struct gcal_count_sample {
    struct gcal_interp_loop *loops; /* of the kernel */
    size_t n_loops, n;
    const struct gcal_interp_loop *used[MOST_SAMPLED]; /* n of them */
    char names[MOST_SAMPLED][32];
    struct gcal_count_sampled request[MOST_SAMPLED];
};

static bool find_size(void *context, const char *name, int64_t *value)
{
    struct gcal_poly_context *c = context;

    return gcal_poly_is_constant(gcal_poly_parameter(c, name), value);
}

static bool find_number(struct gcal_poly_context *c, const char *text, double *value)
{
    const struct gcal_poly *p = gcal_poly_parse(c, text, NULL);
    int64_t number;
    char *end;

    if (p && gcal_poly_is_constant(p, &number)) {
        *value = (double)number;
        return true;
    }
    *value = strtod(text, &end); /* of floating-point numbers */
    return end > text && !*end;
}

/* What is known of the values in buffers; returns of how many. */
static size_t find_contents(struct gcal_poly_context *c,
                            const struct gcal_count_request *r,
                            struct gcal_interp_contents *contents)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_buffers; i++) {
        const struct gcal_count_buffer *b = &r->buffers[i];
        struct gcal_interp_contents *to = &contents[n];
        const struct gcal_poly *p = find_bytes(c, b);
        int64_t bytes;

        *to = (struct gcal_interp_contents){ .argument = b->argument,
                                             .data = b->data,
                                             .range.sorted = b->sorted };
        if (p && gcal_poly_is_constant(p, &bytes) && bytes > 0)
            to->bytes = (size_t)bytes;
        n += b->data || (b->first && (to->bytes || !b->sorted) &&
                         find_number(c, b->first, &to->range.first) &&
                         find_number(c, b->last, &to->range.last));
    }
    return n;
}

static void clear_touches(struct gcal_count_walked *walked)
{
    if (walked->touches)
        gcal_interp_touches_clear(walked->touches);
    free(walked->touches);
    walked->touches = NULL;
}

/* The context of a request whose launch has this many groups; NULL: some size is not given. */
static struct gcal_poly_context *find_groups(const struct gcal_count_request *r,
                                             int64_t *groups)
{
    const char *assumptions;
    struct gcal_poly_context *c = make_context(r, &assumptions, NULL);

    for (size_t d = 0; d < r->n_dims && c; d++) {
        const struct gcal_poly *global = gcal_poly_parse(c, r->global_size[d], NULL);

        if (!global || !gcal_poly_is_constant(global, &groups[d]) || groups[d] < 1) {
            gcal_poly_context_destroy(c);
            return NULL;
        }
        groups[d] = (groups[d] - 1) / (int64_t)r->local_size[d] + 1;
    }
    return c;
}

/* How often the kernel's loops run; false where sizes are not given, or it cannot be run. */
static bool sample_loops(struct gcal_count_walked *walked)
{
    const struct gcal_count_request *r = &walked->request;
    struct gcal_interp_contents contents[r->n_buffers + 1];
    int64_t groups[GCAL_MAX_DIMS];
    struct gcal_poly_context *c = find_groups(r, groups);
    bool known = c && gcal_interp_sample_loops(
                          walked->unit, walked->kernel, r, groups, find_size, c,
                          find_contents(c, r, contents), contents, &walked->sample->loops,
                          &walked->sample->n_loops, NULL) == 0;

    gcal_poly_context_destroy(c);
    return known;
}

static struct gcal_interp_touches *find_touches(struct gcal_count_walked *walked)
{
    const struct gcal_count_request *r = &walked->request;
    struct gcal_interp_contents contents[r->n_buffers + 1];
    int64_t groups[GCAL_MAX_DIMS];
    struct gcal_poly_context *c;

    if (walked->has_run || !r->samples_places || !r->sub_group_size)
        return walked->touches;
    walked->has_run = true;
    if (!(c = find_groups(r, groups)) ||
        !(walked->touches = calloc(1, sizeof(*walked->touches))) ||
        gcal_interp_sample_touches(walked->unit, walked->kernel, r, groups, find_size, c,
                                   find_contents(c, r, contents), contents,
                                   walked->touches, NULL) < 0)
        clear_touches(walked);
    gcal_poly_context_destroy(c);
    return walked->touches;
}

/* Makes a loop one whose trips are a sample's; false where they are not known. */
static bool add_sampled(struct gcal_count_walked *walked, int line, int column)
{
    struct gcal_count_sample *s = walked->sample;

    if (!s) {
        if (!(s = walked->sample = calloc(1, sizeof(*s))) || !sample_loops(walked))
            return false;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->used[i]->line == line && s->used[i]->column == column)
            return false;
    for (size_t i = 0; i < s->n_loops && s->n < MOST_SAMPLED; i++) {
        const struct gcal_interp_loop *loop = &s->loops[i];

        if (loop->line != line || loop->column != column || loop->on_data)
            continue;
        s->used[s->n] = loop;
        snprintf(s->names[s->n], sizeof(s->names[0]), "trips_%d_%d", line, column);
        s->request[s->n] = (struct gcal_count_sampled){ line, column, s->names[s->n] };
        walked->request.sampled = s->request;
        walked->request.n_sampled = ++s->n;
        return true;
    }
    return false;
}

/* trips/begun, rounded where that has many digits. */
static const struct gcal_poly *average(struct gcal_poly_context *c, int64_t trips,
                                       int64_t begun)
{
    enum { DIGITS = 16384 };

    if (begun > DIGITS) {
        trips = llrint((double)trips / (double)begun * DIGITS);
        begun = DIGITS;
    }
    return gcal_poly_rational(c, trips, begun ? begun : 1);
}

/* The loops in the nest. */
static bool set_sampled(struct gcal_sets_nest *nest, const struct gcal_count_sample *s)
{
    static const char *const of[] = { "", "_sub_group", "_group" };

    if (!(nest->sampled = gcal_poly_alloc(nest->c, (s->n + 1) * sizeof(*nest->sampled))))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        struct gcal_sets_sampled *to = &nest->sampled[i];

        *to = (struct gcal_sets_sampled){ .line = s->used[i]->line,
                                          .column = s->used[i]->column,
                                          .error = s->used[i]->error };
        to->rough = (double)s->used[i]->begun[1] /
                    (double)(s->used[i]->trips[1] + s->used[i]->begun[1] + 1);
        for (int k = 0; k < 3; k++) {
            to->trips[k] = gcal_poly_parameter(
                nest->c, gcal_poly_format(nest->c, "%s%s", s->names[i], of[k]));
            to->value[k] = average(nest->c, s->used[i]->trips[k], s->used[i]->begun[k]);
        }
        to->divergence = average(nest->c, s->used[i]->exits - s->used[i]->begun[1],
                                 s->used[i]->trips[1]);
    }
    nest->n_sampled = s->n;
    return true;
}

static int walk_parsed(struct gcal_count_walked *walked, struct gcal_error *err)
{
    struct gcal_count_request *request = &walked->request;
    struct gcal_sets_nest *nest = &walked->nest;

    if (!(nest->c = make_context(request, &walked->assumptions, err)))
        return -1;
    nest->file = walked->unit->file;
    nest->sub_group_size = (int64_t)request->sub_group_size;
    if (request->budget_divisor) {
        nest->budget_divisor = (long)request->budget_divisor;
        gcal_poly_context_divide_budget(nest->c, nest->budget_divisor);
    }
    if (set_sizes(nest, request, err) == 0 &&
        (!walked->sample || set_sampled(nest, walked->sample)) &&
        gcal_walk_kernel(nest, walked->unit, walked->kernel, request, err) == 0) {
        for (size_t i = 0; i < request->n_buffers; i++)
            for (size_t k = 0; k < nest->n_arrays; k++) {
                const struct gcal_count_buffer *b = &request->buffers[i];

                if (strcmp(nest->arrays[k].name, b->argument) != 0)
                    continue;
                nest->arrays[k].given = find_bytes(nest->c, b);
                nest->arrays[k].texel_bytes = (int64_t)b->bytes * b->channels;
            }
        return 0;
    }
    if (gcal_poly_context_check(nest->c, NULL) < 0)
        gcal_error_prefix(err, "%s: kernel '%s'", nest->file, walked->name);
    return -1;
}

static void clear_nest(struct gcal_count_walked *walked)
{
    struct gcal_poly_context *c = walked->nest.c;

    gcal_sets_nest_clear(&walked->nest);
    gcal_poly_context_destroy(c);
}

/* Walks again, each time with the trips of a sample for the loop that was refused; with the
 * first error if that does not help.  Where values are given, exits are estimated last, as a
 * sample knows more of them.
 */
static int walk_with_samples(struct gcal_count_walked *walked, struct gcal_error *err)
{
    struct gcal_sets_nest *nest = &walked->nest;
    struct gcal_error first = { 0 }, later = { 0 }, *why = &first;
    const bool allow_estimates = walked->request.allow_estimates;

    walked->request.allow_estimates = allow_estimates && !walked->request.samples_places;
    while (walk_parsed(walked, why) < 0) {
        if (nest->refused_line &&
            add_sampled(walked, nest->refused_line, nest->refused_column)) {
            why = &later;
        } else if (walked->request.allow_estimates != allow_estimates) {
            walked->request.allow_estimates = allow_estimates;
        } else {
            if (err)
                *err = first;
            for (size_t i = 0; i < walked->request.n_buffers; i++)
                if (walked->buffers[i].sorted && !walked->buffers[i].elements)
                    gcal_error_set(err, GCAL_EINPUT,
                                   "%s; the values of '%s' rise from its first item to "
                                   "its last: say how many there are (--buffer %s=COUNT)",
                                   first.text, walked->buffers[i].argument,
                                   walked->buffers[i].argument);
            return -1;
        }
        clear_nest(walked);
    }
    walked->request.allow_estimates = allow_estimates;
    return 0;
}

int gcal_count_walk(const struct gcal_count_request *given,
                    struct gcal_count_walked *walked, struct gcal_error *err)
{
    struct gcal_count_request *request = &walked->request;

    *request = *given;
    if (check_request(request, err) < 0 ||
        !(walked->unit = gcal_source_parse_kernel(request, &walked->kernel, err)) ||
        take_work_group(walked->kernel, request, err) < 0 ||
        !(walked->name = gcal_source_cursor_name(walked->kernel, err)) ||
        name_arguments(walked->kernel, &walked->arguments, err) < 0 ||
        take_buffers(walked, err) < 0)
        return -1;
    return walk_with_samples(walked, err);
}

void gcal_count_walked_clear(struct gcal_count_walked *walked)
{
    free(walked->name);
    free(walked->buffers);
    gcal_strings_clear(&walked->arguments);
    clear_nest(walked);
    if (walked->sample)
        free(walked->sample->loops);
    free(walked->sample);
    clear_touches(walked);
    gcal_source_close(walked->unit);
}

/* Whether the kernel can be counted under 'assume', in a share of what a count may take. */
static bool counts_under(const struct gcal_count_walked *refused, const char *assume)
{
    enum { SHARE = 8 };
    struct gcal_count_walked trial = *refused;
    bool counts;

    trial.nest = (struct gcal_sets_nest){ 0 };
    trial.request.assume = assume;
    trial.request.budget_divisor =
        SHARE * (refused->request.budget_divisor ? refused->request.budget_divisor : 1);
    counts = walk_parsed(&trial, NULL) == 0 &&
             gcal_count_is_possible(&trial.nest, &trial.request);
    clear_nest(&trial);
    return counts;
}

struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err)
{
    struct gcal_count_walked walked = { .find_touches = find_touches };
    struct gcal_profile *profile = NULL;

    if (gcal_count_walk(request, &walked, err) == 0) {
        profile = gcal_count_build_profile(&walked, err);
        if (!profile && gcal_poly_context_check(walked.nest.c, NULL) < 0)
            gcal_error_prefix(err, "%s: kernel '%s'", walked.nest.file, walked.name);
    }
    if (!profile && err && err->reason != GCAL_REASON_MEMORY && walked.nest.c &&
        !gcal_poly_context_has_failed(walked.nest.c)) /* of what takes too long, all do */
        gcal_count_advise_refused(&walked, counts_under, err);
    if (profile &&
        gcal_count_set_fingerprint(walked.kernel, &walked.request, profile, err) < 0) {
        gcal_profile_destroy(profile);
        profile = NULL;
    }
    gcal_count_walked_clear(&walked);
    return profile;
}
