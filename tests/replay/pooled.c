/* pooled.c - how long a pooled fit of many devices takes
 *
 *   test_pooled RECORD.h5 DEVICES KERNELS [EVERY]   prints seconds and the largest resident memory
 *
 * Each device is one of the record with its times multiplied by a factor of its own (2 %) and
 * by noise for each kernel (0.5 %); of EVERY devices (200), one is 1.3 times slower.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "store/record/record.h"

static uint64_t state = 713;
static size_t every = 200;

/* About normal, of standard deviation 1. */
static double deviate(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(gcal_random_next(&state) >> 11) * 0x1p-53;
    return sum;
}

_Noreturn static void fail(const struct gcal_error *err)
{
    fprintf(stderr, "pooled: %s\n", err->text);
    exit(1);
}

static void put_device(struct gcal_record *all, const struct gcal_record *from,
                       const struct gcal_result_rows *rows, size_t i, size_t n_kernels)
{
    struct gcal_run_device device = from->devices[0];
    double factor = exp(0.02 * deviate()) * (i % every == every - 1 ? 1.3 : 1);
    size_t n = 0;

    device.node = gcal_buf_format("n%zu", i / 4);
    device.info.uid = gcal_buf_format("uuid:%zu", i);
    gcal_record_add_device(all, &device);
    for (size_t k = 0; k < rows->n && n < n_kernels; k++) {
        const struct gcal_result_row *row = &rows->rows[k];
        struct gcal_measurement m = { .status = GCAL_MEASUREMENT_GOOD,
                                      .n_samples = row->n_samples,
                                      .median_s =
                                          row->time_s * factor * exp(0.005 * deviate()),
                                      .spread = row->spread,
                                      .built = row->built };

        if (row->device != 0)
            continue;
        gcal_record_add_measurement(all, i, row->kernel, &m);
        n++;
    }
    free(device.node);
    free(device.info.uid);
}

static struct gcal_record *multiply(const struct gcal_record *from, size_t n,
                                    size_t n_kernels)
{
    struct gcal_record *all = gcal_record_collect();
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_result_rows rows;
    struct gcal_result_speeds speeds;
    struct gcal_error err;

    gcal_record_add_run(all, from->header);
    if (gcal_result_rows_read(scratch, from, &rows, &speeds, &err) < 0)
        fail(&err);
    for (size_t i = 0; i < from->n_kernels; i++)
        gcal_record_add_kernel(all, &from->kernels[i]);
    for (size_t i = 0; i < n; i++)
        put_device(all, from, &rows, i, n_kernels);
    gcal_arena_destroy(scratch);
    return all;
}

int main(int argc, char **argv)
{
    struct gcal_results results = { 0 };
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_params *params;
    struct gcal_record *from, *all;
    const struct gcal_record_header *h;
    struct rusage usage;
    size_t count;
    double start_s;

    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: test_pooled RECORD.h5 DEVICES KERNELS [EVERY]\n");
        return 2;
    }
    if (argc == 5)
        every = strtoul(argv[4], NULL, 10);
    if (!(from = gcal_record_open(argv[1], &err)))
        fail(&err);
    h = from->header;
    if (gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, &config,
                          &err) < 0)
        fail(&err);
    all = multiply(from, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    start_s = gcal_clock_now_s();
    if (gcal_results_fit(all, &config, &results, &err) < 0)
        fail(&err);
    printf(
        "%zu devices, %zu measurements: %zu fits, %zu rejected, %zu outliers in %.1f s",
        all->n_devices, all->n_measurements, results.n_fits, results.n_rejected,
        results.n_outliers, gcal_clock_now_s() - start_s);
    start_s = gcal_clock_now_s();
    if (gcal_results_params(&results, all, &config, &params, &count, &err) < 0)
        fail(&err);
    getrusage(RUSAGE_SELF, &usage);
    printf("; files of %zu nodes in %.1f s; %.0f MB\n", count,
           gcal_clock_now_s() - start_s, (double)usage.ru_maxrss / 1024);
    for (size_t i = 0; i < results.n_fits; i++)
        if (!results.fits[i].is_outlier)
            printf("  %s: form %zu, %zu rows\n",
                   config.models[results.fits[i].model].name, results.fits[i].best,
                   results.fits[i].n_rows);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(all);
    gcal_record_close(from);
    return 0;
}
