/* missing.c - one message for all that a command line lacks to count a kernel */
#include "mpi/commands/count/missing.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/count/count.h"
#include "mpi/cli/escape.h"
#include "mpi/commands/count/options.h"

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

int gcal_count_missing_check(const struct gcal_count_options *o,
                             const struct gcal_count_request *request,
                             struct gcal_error *err)
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
