/* work.c - bytes and operations of the kernels that were measured
 *
 * Loads of global memory are those of the device's sub-groups, which the kernels were
 * counted for.  All other work is that of work-items, and so is counted again, for
 * sub-groups of one.
 */
#include "kernels/model/run/work.h"

#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "mpi/commands/bench/bench.h"
#include "mpi/commands/count/sizes.h"

/* A launch of the kernels of one variant, which differ in sizes only. */
struct by_item {
    const struct gcal_kernel *kernel; /* the first of them; NULL: none yet */
    struct gcal_profile *profile;     /* NULL: it cannot be counted */
    struct gcal_error why;
};

static void count_by_item(struct by_item *b, const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = gcal_kernel_request(kernel);

    if (b->kernel && strcmp(b->kernel->variant, kernel->variant) == 0)
        return;
    gcal_profile_destroy(b->profile);
    *b = (struct by_item){ .kernel = kernel };
    request.sub_group_size = 1;
    b->profile = gcal_count(&request, &b->why);
}

/* Of a profile of the kernel, at the kernel's sizes. */
static int count_profile(const struct gcal_kernel *kernel,
                         const struct gcal_profile *profile, size_t sub_group_size,
                         struct gcal_work *work, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = profile->n_parameters;
    double *sizes = gcal_arena_alloc(arena, n, sizeof(*sizes));
    int rc = -1;

    if (gcal_count_sizes_of_kernel(kernel, n, (const char *const *)profile->parameters,
                                   sizes, err) == 0)
        rc = gcal_work_count(profile, profile, sizes, (double)sub_group_size, work, err);
    gcal_arena_destroy(arena);
    return rc;
}

/* Replaces the work of sub-groups by that of work-items; 'b' has a profile. */
static int take_by_item(const struct gcal_kernel *kernel, const struct by_item *b,
                        struct gcal_work *work, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_work one;
    int rc = -1;

    if (gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, err) ==
            0 &&
        count_profile(kernel, b->profile, 1, &one, err) == 0) {
        double launches = (double)geometry.launches;

        work->local_bytes = launches * one.local_bytes;
        work->float_ops = launches * one.float_ops;
        work->integer_ops = launches * one.integer_ops;
        work->estimated = work->estimated || one.estimated;
        rc = 0;
    }
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

void gcal_bench_count_work(struct gcal_bench_run *run)
{
    struct by_item b = { 0 };

    for (size_t i = 0; i < run->list.n_kernels; i++) {
        const struct gcal_kernel *kernel = run->list.kernels[i];
        uint64_t sub_group_size = kernel->counting.sub_group_size;
        struct gcal_bench_row *row = &run->rows[i];
        struct gcal_error why = { 0 };
        int rc;

        if (!row->present || row->status != GCAL_MEASUREMENT_GOOD)
            continue;
        /* Work that cannot be counted leaves a kernel without rates. */
        rc = count_profile(kernel, kernel->profile, sub_group_size, &row->work, &why);
        if (rc == 0 && sub_group_size) {
            row->work.local_bytes = row->work.float_ops = row->work.integer_ops = 0;
            count_by_item(&b, kernel);
            why = b.why;
            rc = b.profile ? take_by_item(kernel, &b, &row->work, &why) : -1;
        }
        if (rc < 0)
            gcal_log(GCAL_LOG_WARN, "%s: its work is not counted exactly: %s",
                     kernel->name, why.text);
    }
    gcal_profile_destroy(b.profile);
}
