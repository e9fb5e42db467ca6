/* starpu_write.c - a performance model as StarPU 1.3 writes it */
#include <inttypes.h>

#include "kernels/base/buf.h"
#include "mpi/commands/export/starpu.h"

#define OPENCL_WORKER 2 /* in StarPU's list of kinds */

static void write_laws(struct gcal_buf *out, const struct gcal_export_starpu_task *tasks,
                       const double *time_us, size_t n)
{
    struct gcal_export_starpu_laws laws;
    uint64_t least = UINT64_MAX, most = 0;

    gcal_export_starpu_laws(tasks, time_us, n, &laws);
    for (size_t i = 0; i < n; i++) {
        least = tasks[i].size < least ? tasks[i].size : least;
        most = tasks[i].size > most ? tasks[i].size : most;
    }
    gcal_buf_puts(out,
                  "# sumlnx\tsumlnx2\t\tsumlny\t\tsumlnxlny\talpha\t\tbeta\t\tn\tminx"
                  "\t\tmaxx\n");
    gcal_buf_printf(out,
                    "%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%zu\t%-15" PRIu64
                    "\t%-15" PRIu64 "\n",
                    laws.sum_x, laws.sum_xx, laws.sum_y, laws.sum_xy, laws.alpha,
                    laws.beta, n * GCAL_EXPORT_STARPU_SAMPLES, least, most);
    gcal_buf_printf(out, "# a\t\tb\t\tc\n%-15e\t%-15e\t%-15e\n", laws.a, laws.b, laws.c);
    gcal_buf_puts(out, "# not multiple-regression-base\n0\n");
}

/* The sums are those of measurements with this mean and standard deviation. */
static void write_entry(struct gcal_buf *out, const struct gcal_export_starpu_task *task,
                        double mean, double deviation)
{
    double n = GCAL_EXPORT_STARPU_SAMPLES;

    gcal_buf_printf(out,
                    "%08" PRIx32 "\t%-15" PRIu64 "\t%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%d"
                    "\n",
                    task->footprint, task->size, 0.0, mean, deviation, n * mean,
                    n * (mean * mean + deviation * deviation),
                    GCAL_EXPORT_STARPU_SAMPLES);
}

static void write_worker(struct gcal_buf *out, size_t id,
                         const struct gcal_export_starpu_task *tasks, size_t n_tasks,
                         const struct gcal_export_starpu_worker *w)
{
    gcal_buf_printf(
        out, "####################\n# COMB_%zu\n# number of types devices\n1\n", id);
    gcal_buf_printf(out,
                    "####################\n# DEV_0\n# device type (CPU - 0, CUDA - 1, "
                    "OPENCL - 2, MIC - 3, MPI_MS - 5)\n%d\n",
                    OPENCL_WORKER);
    gcal_buf_printf(out, "####################\n# DEV_0\n# device id \n%zu\n", id);
    gcal_buf_puts(out, "####################\n# DEV_0\n# number of cores \n1\n");
    gcal_buf_puts(out, "##########\n# number of implementations\n1\n");
    gcal_buf_printf(out,
                    "#####\n# Model for opencl%zu_impl0 (Comb%zu)\n# %s\n"
                    "# number of entries\n%zu\n",
                    id, id, w->comment, n_tasks);
    write_laws(out, tasks, w->time_us, n_tasks);
    gcal_buf_puts(out,
                  "# hash\t\tsize\t\tflops\t\tmean (us)\tdev (us)\tsum\t\tsum2\t\tn\n");
    for (size_t i = 0; i < n_tasks; i++)
        write_entry(out, &tasks[i], w->time_us[i], w->error_us[i]);
    gcal_buf_puts(out, "\n");
}

void gcal_export_starpu_write(struct gcal_buf *out,
                              const struct gcal_export_starpu_task *tasks, size_t n_tasks,
                              const struct gcal_export_starpu_worker *workers,
                              size_t n_workers)
{
    gcal_buf_printf(out, "##################\n# Performance Model Version\n%d\n\n",
                    GCAL_EXPORT_STARPU_VERSION);
    gcal_buf_printf(out, "####################\n# COMBs\n# number of combinations\n%zu\n",
                    n_workers);
    for (size_t i = 0; i < n_workers; i++)
        write_worker(out, i, tasks, n_tasks, &workers[i]);
}
