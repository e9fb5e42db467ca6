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
    static const char *const usual[GCAL_MAX_DIMS] = { "64", "16,16", "8,8,4" };
    size_t n_dims = request->n_dims ? request->n_dims : o->n_dims ? o->n_dims : d->n_dims;

    gcal_buf_puts(out, o->argv[0]);
    for (int i = 1; i < o->argc; i++) {
        gcal_buf_puts(out, " ");
        gcal_escape_shell(out, o->argv[i]);
    }
    if (m->kernel)
        gcal_buf_printf(out, " --kernel %s", request->kernel);
    if (m->local && !d->local_size[0])
        gcal_buf_printf(out, " --local %s", usual[n_dims - 1]);
    /* One size for each dimension; the last one again where there are too few. */
    for (size_t i = 0; i < n_dims && m->global; i++)
        gcal_buf_printf(out, "%s%s", i ? "," : " --global ",
                        d->sizes.n ? d->sizes.items[i < d->sizes.n ? i : d->sizes.n - 1]
                                   : "1024");
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

    first.kernel = m->kernel ? all->kernels.items[0] : request->kernel;
    /* "the kernel (--kernel saxpy, conv5x5 or reduce), the global size (--global)" */
    for (size_t i = 0; i < names->n && m->kernel; i++)
        gcal_buf_printf(&list, "%s%s%s",
                        !i                 ? "the kernel (--kernel "
                        : i + 1 < names->n ? ", "
                                           : " or ",
                        names->items[i], i + 1 == names->n ? ")" : "");
    if (m->local)
        gcal_buf_printf(&list, "%sthe work-group size (--local)", list.size ? ", " : "");
    if (m->global)
        gcal_buf_printf(&list, "%sthe global size (--global)", list.size ? ", " : "");
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

int gcal_count_missing_check(const struct gcal_count_options *o,
                             const struct gcal_count_request *request,
                             struct gcal_error *err)
{
    struct gcal_count_description d;
    struct missing m = { 0 };
    int rc = 0;

    if (gcal_count_describe(request, &d, err) < 0)
        return -1;
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
