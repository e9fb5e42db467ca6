/* counting.c - counting, and removing the work of, the kernel that options select */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/count/count.h"
#include "kernels/generate/generate.h"
#include "kernels/model/profile.h"
#include "mpi/cli/count_cache.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/count/sizes.h"
#include "kernels/base/buf.h"
#include "mpi/cli/escape.h"

/* ---- one message for all that a command line lacks to count a kernel ---- */

struct missing {
    bool kernel, local, global, sizes;
};

/* ---- the command that would do ---- */

/* 'd' describes the kernel of the request. */
static void put_command(struct gcal_buf *out, const struct gcal_count_options *o,
                        const struct gcal_count_request *request, const struct missing *m,
                        const struct gcal_count_description *d)
{
    static const int usual[GCAL_MAX_DIMS][GCAL_MAX_DIMS] = { { 64 },
                                                             { 16, 16 },
                                                             { 8, 8, 4 } };
    size_t n_dims = request->n_dims ? request->n_dims : o->n_dims ? o->n_dims : d->n_dims;
    bool is_local = m->local && !d->local_size[0];
    bool is_grid = is_local && request->language != GCAL_SOURCE_OPENCL_C;

    gcal_buf_puts(out, o->argv[0]);
    for (int i = 1; i < o->argc; i++) {
        gcal_buf_puts(out, " ");
        gcal_escape_shell(out, o->argv[i]);
    }
    if (m->kernel) {
        gcal_buf_puts(out, " --kernel ");
        gcal_escape_shell(out, request->kernel);
    }
    for (size_t i = 0; i < n_dims && is_local; i++)
        gcal_buf_printf(out, "%s%d",
                        i         ? ","
                        : is_grid ? " --block "
                                  : " --local ",
                        usual[n_dims - 1][i]);
    /* One size for each dimension; the last one again where there are too few. */
    for (size_t i = 0; i < n_dims && m->global; i++) {
        const char *size =
            d->sizes.n ? d->sizes.items[i < d->sizes.n ? i : d->sizes.n - 1] : "1024";

        if (is_grid)
            gcal_buf_printf(out, "%sceil(%s/%d)%s", i ? "," : " --grid '", size,
                            usual[n_dims - 1][i], i + 1 < n_dims ? "" : "'");
        else
            gcal_buf_printf(out, "%s%s", i ? "," : " --global ", size);
    }
    for (size_t i = 0; i < d->sizes.n && m->sizes; i++)
        gcal_buf_printf(out, "%s%s=1024", i ? "," : " --at ", d->sizes.items[i]);
}

/* ---- the message ---- */

static int refuse(const struct gcal_count_options *o,
                  const struct gcal_count_request *request, const struct missing *m,
                  const struct gcal_count_description *all, struct gcal_error *err)
{
    struct gcal_count_request first = *request;
    struct gcal_count_description one = { 0 };
    struct gcal_buf list = { 0 }, command = { 0 };
    const struct gcal_strings *names = &all->kernels;
    bool is_opencl = request->language == GCAL_SOURCE_OPENCL_C;

    first.kernel = m->kernel ? all->kernels.items[0] : request->kernel;
    /* "the kernel (--kernel saxpy, conv5x5 or reduce), the global size (--global)" */
    for (size_t i = 0; i < names->n && m->kernel; i++)
        gcal_buf_printf(&list, "%s%s%s",
                        !i                 ? "the kernel (--kernel "
                        : i + 1 < names->n ? ", "
                                           : " or ",
                        names->items[i], i + 1 == names->n ? ")" : "");
    if (m->local)
        gcal_buf_printf(&list, "%sthe work-group size (--%s)", list.size ? ", " : "",
                        is_opencl ? "local" : "block");
    if (m->global)
        gcal_buf_printf(&list, "%sthe global size (--%s)", list.size ? ", " : "",
                        is_opencl ? "global" : "grid");
    if (m->sizes)
        gcal_buf_printf(&list, "%sthe sizes (--at)", list.size ? ", " : "");
    if (gcal_count_describe(&first, &one, err) == 0) {
        put_command(&command, o, &first, m, &one);
        gcal_error_set(err, GCAL_EINPUT, "%s: missing: %s; for example: %s", o->file,
                       list.data ? list.data : "", command.data ? command.data : "");
        gcal_count_description_clear(&one);
    }
    gcal_buf_free(&list);
    gcal_buf_free(&command);
    return -1;
}

/* A kernel that is not there, or a template whose arguments are missing. */
static int refuse_name(const struct gcal_count_options *o,
                       const struct gcal_strings *names, struct gcal_error *err)
{
    struct gcal_buf list = { 0 };
    bool is_template = false;

    for (size_t i = 0; i < names->n; i++) {
        gcal_buf_printf(&list, "%s%s", i ? ", " : "", names->items[i]);
        is_template = is_template || strstr(names->items[i], "<...>");
    }
    gcal_error_set(err, GCAL_EINPUT, "%s: no kernel named '%s'; there are: %s%s", o->file,
                   o->kernel, list.data ? list.data : "",
                   is_template ? "; of a template give the arguments, as in --kernel "
                                 "'name<float, 16>'"
                               : "");
    gcal_buf_free(&list);
    return -1;
}

/* 0 if the kernel, --local and --global are given or follow from the source; else -1 with
 * 'err': everything that is missing, sizes included if the command requires them, and a
 * command that would do.
 */
static int check_missing(const struct gcal_count_options *o,
                         const struct gcal_count_request *request, struct gcal_error *err)
{
    struct gcal_count_description d;
    struct missing m = { 0 };
    int rc = 0;

    if (gcal_count_describe(request, &d, err) < 0)
        return -1;
    if (!d.selected && o->kernel && d.kernels.n)
        rc = refuse_name(o, &d.kernels, err);
    m.kernel = !o->kernel && d.kernels.n > 1;
    m.local = !request->local_size[0] && !(d.selected && d.local_size[0]);
    m.global = !o->global[0];
    /* which sizes there are is known when the kernel is */
    m.sizes = o->requires_sizes && !o->ats.n && (m.kernel || d.sizes.n);
    if (d.kernels.n && (d.selected || m.kernel) && (m.kernel || m.local || m.global))
        rc = refuse(o, request, &m, &d, err);
    gcal_count_description_clear(&d);
    return rc;
}

/* ---- counting, and removing the work of, the kernel that options select ---- */

static int check_dimensions(const struct gcal_count_options *o, size_t n_global,
                            struct gcal_error *err)
{
    if (!o->n_dims || !n_global || o->n_dims == n_global)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--local has %zu dimension%s and --global %zu", o->n_dims,
                          o->n_dims > 1 ? "s" : "", n_global);
}

/* After a failure: another message if it came from something that was not given. */
static void explain(const struct gcal_count_options *o,
                    const struct gcal_count_request *request, struct gcal_error *err)
{
    struct gcal_error missing = { 0 };

    if (o->kernel && request->local_size[0] && request->n_dims)
        return;
    if (check_missing(o, request, &missing) < 0 && err)
        *err = missing;
}

/* ---- counting ---- */

struct counting {
    const struct gcal_count_options *options;
    struct gcal_count_request request;
    struct gcal_count_description description;
    struct gcal_arena *arena;
};

static struct gcal_profile *count(void *context, const char *assume,
                                  struct gcal_error *err)
{
    const struct counting *c = context;
    struct gcal_count_request request = c->request;

    request.assume = assume;
    request.samples_places = assume != c->request.assume;
    return c->options->no_cache ? gcal_count(&request, err)
                                : gcal_command_count_cached(NULL, &request, err);
}

/* Integer arguments, their members ("size_x" of size), and names of the global size. */
static bool is_size(void *context, const char *name)
{
    const struct counting *c = context;
    const struct gcal_strings *arguments = &c->description.arguments;

    if (gcal_count_options_mention(c->options, name))
        return true;
    if (gcal_strings_contain(arguments, name))
        return gcal_strings_contain(&c->description.sizes, name);
    for (size_t i = 0; i < arguments->n; i++) {
        size_t length = strlen(arguments->items[i]);

        if (strncmp(name, arguments->items[i], length) == 0 && name[length] == '_')
            return true;
    }
    return false;
}

/* Those of a single point of --at. */
static size_t find_sizes(void *context, const struct gcal_size **sizes)
{
    struct counting *c = context;
    const struct gcal_option_list *ats = &c->options->ats;
    size_t n = 0;

    if (ats->n == 1 &&
        (c->options->no_cache
             ? gcal_count_describe(&c->request, &c->description, NULL)
             : gcal_command_describe_cached(&c->request, &c->description, NULL)) == 0) {
        n = gcal_count_points_known(c->arena, ats->items[0], is_size, c, sizes);
        gcal_count_description_clear(&c->description);
    }
    return n;
}

struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *o,
                                                size_t sub_group_size,
                                                struct gcal_error *err)
{
    struct counting c = { .options = o };
    struct gcal_count_known known = {
        .count = count, .sizes = find_sizes, .context = &c, .estimates = o->at_sizes
    };
    struct gcal_profile *profile = NULL;

    if (gcal_count_options_request(o, &c.request, err) < 0)
        return NULL;
    c.request.sub_group_size = sub_group_size;
    known.assume = c.request.assume;
    for (size_t i = 0; i < o->n_buffers; i++)
        known.contents = known.contents || o->buffers[i].data;
    if (check_dimensions(o, c.request.n_dims, err) == 0) {
        c.arena = gcal_arena_create();
        if (!(profile = gcal_count_known(&known, err)))
            explain(o, &c.request, err);
        gcal_arena_destroy(c.arena);
    }
    free((char *)c.request.source);
    return profile;
}

char *gcal_count_options_remove(const struct gcal_count_options *o,
                                const struct gcal_remove_options *removal,
                                struct gcal_error *err)
{
    struct gcal_count_request request;
    char *text = NULL;

    if (gcal_count_options_request(o, &request, err) < 0)
        return NULL;
    if (!request.local_size[0])
        request.local_size[0] = 1; /* the text does not depend on it */
    if (check_dimensions(o, request.n_dims, err) == 0) {
        if (!(text = gcal_remove_work(&request, removal, NULL, err)))
            explain(o, &request, err);
    }
    free((char *)request.source);
    return text;
}
