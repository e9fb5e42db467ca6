/* starpu_laws.c - power laws through predicted times */
#include <math.h>

#include "mpi/commands/export/starpu.h"

/* StarPU uses a law only if the least size is below this share of the largest. */
#define LEAST_SPREAD 0.9

static void find_range(const struct gcal_export_starpu_task *tasks, size_t n,
                       double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        *least = fmin(*least, (double)tasks[i].size);
        *most = fmax(*most, (double)tasks[i].size);
    }
}

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

static void add_sums(const struct gcal_export_starpu_task *tasks, const double *time_us,
                     size_t n, struct gcal_export_starpu_laws *laws)
{
    for (size_t i = 0; i < n; i++) {
        double x = log((double)tasks[i].size), y = log(time_us[i]);

        laws->sum_x += GCAL_EXPORT_STARPU_SAMPLES * x;
        laws->sum_xx += GCAL_EXPORT_STARPU_SAMPLES * x * x;
        laws->sum_y += GCAL_EXPORT_STARPU_SAMPLES * y;
        laws->sum_xy += GCAL_EXPORT_STARPU_SAMPLES * x * y;
    }
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
    add_sums(tasks, time_us, n, laws);
    find_range(tasks, n, &least, &most);
    if (least >= LEAST_SPREAD * most)
        return;
    laws->beta = (samples * laws->sum_xy - laws->sum_x * laws->sum_y) /
                 (samples * laws->sum_xx - laws->sum_x * laws->sum_x);
    laws->alpha = exp((laws->sum_y - laws->beta * laws->sum_x) / samples);
    laws->linear_error = worst_error(tasks, time_us, n, laws->alpha, laws->beta, 0);
    fit_with_constant(tasks, time_us, n, laws);
}
