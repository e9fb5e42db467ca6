/* starpu_model.c - a performance model as StarPU 1.3 writes it, with power laws through its times */
#include <inttypes.h>
#include <math.h>

#include "kernels/base/buf.h"
#include "mpi/commands/export/starpu.h"

/* ---- power laws ---- */

/* StarPU uses a law only if the least size is below this share of the largest. */
#define LEAST_SPREAD 0.9

/* Fits log(time - c) = log(a) + b log(size), with weights for least squares of the
 * relative errors of a size^b + c.  Returns the sum of these squares.
 */
static double fit_line(const struct gcal_export_starpu_task *tasks, const double *time_us,
                       size_t n, double c, double *a, double *b)
{
    double w = 0, x = 0, xx = 0, y = 0, xy = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        double share = (time_us[i] - c) / time_us[i], wi = share * share;
        double xi = log((double)tasks[i].size), yi = log(time_us[i] - c);

        w += wi;
        x += wi * xi;
        xx += wi * xi * xi;
        y += wi * yi;
        xy += wi * xi * yi;
    }
    *b = (w * xy - x * y) / (w * xx - x * x);
    *a = exp((y - *b * x) / w);
    for (size_t i = 0; i < n; i++) {
        double r = (*a * pow((double)tasks[i].size, *b) + c) / time_us[i] - 1;

        sum += r * r;
    }
    return sum;
}

static double worst_error(const struct gcal_export_starpu_task *tasks,
                          const double *time_us, size_t n, double a, double b, double c)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++)
        worst =
            fmax(worst, fabs((a * pow((double)tasks[i].size, b) + c) / time_us[i] - 1));
    return worst;
}

/* Finds the best c between 0 and the least time by trying 1000 values: the sum may have
 * several minima in c.
 */
static void fit_with_constant(const struct gcal_export_starpu_task *tasks,
                              const double *time_us, size_t n,
                              struct gcal_export_starpu_laws *laws)
{
    enum { STEPS = 1000 };
    double least = INFINITY, best = INFINITY;

    for (size_t i = 0; i < n; i++)
        least = fmin(least, time_us[i]);
    for (int step = 0; step < STEPS; step++) {
        double a, b, c = least * step / STEPS;
        double sum = fit_line(tasks, time_us, n, c, &a, &b);

        if (sum < best) {
            best = sum;
            laws->a = a;
            laws->b = b;
            laws->c = c;
        }
    }
    laws->error = worst_error(tasks, time_us, n, laws->a, laws->b, laws->c);
}

void gcal_export_starpu_laws(const struct gcal_export_starpu_task *tasks,
                             const double *time_us, size_t n,
                             struct gcal_export_starpu_laws *laws)
{
    double least, most, samples = (double)n * GCAL_EXPORT_STARPU_SAMPLES;

    *laws = (struct gcal_export_starpu_laws){ .alpha = NAN,
                                              .beta = NAN,
                                              .a = NAN,
                                              .b = NAN,
                                              .c = NAN,
                                              .linear_error = NAN,
                                              .error = NAN };
    for (size_t i = 0; i < n; i++) {
        double x = log((double)tasks[i].size), y = log(time_us[i]);

        laws->sum_x += GCAL_EXPORT_STARPU_SAMPLES * x;
        laws->sum_xx += GCAL_EXPORT_STARPU_SAMPLES * x * x;
        laws->sum_y += GCAL_EXPORT_STARPU_SAMPLES * y;
        laws->sum_xy += GCAL_EXPORT_STARPU_SAMPLES * x * y;
    }
    least = INFINITY;
    most = 0;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, (double)tasks[i].size);
        most = fmax(most, (double)tasks[i].size);
    }
    if (least >= LEAST_SPREAD * most)
        return;
    laws->beta = (samples * laws->sum_xy - laws->sum_x * laws->sum_y) /
                 (samples * laws->sum_xx - laws->sum_x * laws->sum_x);
    laws->alpha = exp((laws->sum_y - laws->beta * laws->sum_x) / samples);
    laws->linear_error = worst_error(tasks, time_us, n, laws->alpha, laws->beta, 0);
    fit_with_constant(tasks, time_us, n, laws);
}

/* ---- the file ---- */

#define OPENCL_WORKER 2 /* in StarPU's list of kinds */

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
    struct gcal_export_starpu_laws laws;
    uint64_t least = UINT64_MAX, most = 0;
    gcal_export_starpu_laws(tasks, w->time_us, n_tasks, &laws);
    for (size_t i = 0; i < n_tasks; i++) {
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
                    laws.beta, n_tasks * GCAL_EXPORT_STARPU_SAMPLES, least, most);
    gcal_buf_printf(out, "# a\t\tb\t\tc\n%-15e\t%-15e\t%-15e\n", laws.a, laws.b, laws.c);
    gcal_buf_puts(out, "# not multiple-regression-base\n0\n");
    gcal_buf_puts(out,
                  "# hash\t\tsize\t\tflops\t\tmean (us)\tdev (us)\tsum\t\tsum2\t\tn\n");
    for (size_t i = 0; i < n_tasks; i++) {
        double n = GCAL_EXPORT_STARPU_SAMPLES;

        /* The sums are those of measurements with this mean and standard deviation. */
        gcal_buf_printf(
            out,
            "%08" PRIx32 "\t%-15" PRIu64 "\t%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%d"
            "\n",
            tasks[i].footprint, tasks[i].size, 0.0, w->time_us[i], w->error_us[i],
            n * w->time_us[i],
            n * (w->time_us[i] * w->time_us[i] + w->error_us[i] * w->error_us[i]),
            GCAL_EXPORT_STARPU_SAMPLES);
    }
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
