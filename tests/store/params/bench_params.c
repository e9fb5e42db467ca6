/* bench_params.c - the time of reading a parameter file
 *
 *   bench_params FILE
 *
 * prints median processor times: of reading the file and its first document, of decoding
 * each model, and of the whole file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "store/params/params.h"

#define N_TURNS 201

#define MAX_BYTES (64 << 20)

/* Processor time, independent of the machine's load. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(int rc, const struct gcal_error *err)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct gcal_params_index *open_index(const char *file)
{
    struct gcal_error err = { 0 };
    struct gcal_params_index *index = NULL;
    size_t size;
    char *text = gcal_file_read(file, MAX_BYTES, &size, &err);

    if (text)
        index = gcal_params_index_create(text, size, file, &err);
    check(index ? 0 : -1, &err);
    return index;
}

static double index_s(const char *file)
{
    double start_s = now_s(), taken_s;
    struct gcal_params_index *index = open_index(file);

    taken_s = now_s() - start_s;
    gcal_params_index_destroy(index);
    return taken_s;
}

static double model_s(const struct gcal_params_index *index, size_t device, size_t model)
{
    double start_s = now_s(), taken_s;
    struct gcal_params_model m;
    struct gcal_error err;

    check(gcal_params_index_model(index, device, model, &m, &err), &err);
    taken_s = now_s() - start_s;
    gcal_params_model_clear(&m);
    return taken_s;
}

static double whole_s(const char *file)
{
    double start_s = now_s(), taken_s;
    struct gcal_params params;
    struct gcal_error err;
    size_t size;
    char *text = gcal_file_read(file, MAX_BYTES, &size, &err);

    check(text ? gcal_params_decode(text, size, file, &params, &err) : -1, &err);
    taken_s = now_s() - start_s;
    gcal_params_clear(&params);
    free(text);
    return taken_s;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_ms(double times_s[N_TURNS])
{
    qsort(times_s, N_TURNS, sizeof(*times_s), by_size);
    return 1e3 * times_s[N_TURNS / 2];
}

static void bench_models(const char *file)
{
    struct gcal_params_index *index = open_index(file);
    const struct gcal_params *params = gcal_params_index_devices(index);
    double times_s[N_TURNS];

    for (size_t i = 0; i < params->n_devices; i++)
        for (size_t j = 0; j < params->devices[i].n_models; j++) {
            for (size_t k = 0; k < N_TURNS; k++)
                times_s[k] = model_s(index, i, j);
            printf("model %-30s %8.3f ms\n", params->devices[i].models[j].name,
                   median_ms(times_s));
        }
    gcal_params_index_destroy(index);
}

int main(int argc, char **argv)
{
    double times_s[N_TURNS];

    if (argc != 2) {
        fprintf(stderr, "usage: bench_params FILE\n");
        return 1;
    }
    for (size_t k = 0; k < N_TURNS; k++)
        times_s[k] = index_s(argv[1]);
    printf("%-36s %8.3f ms\n", "first document", median_ms(times_s));
    bench_models(argv[1]);
    for (size_t k = 0; k < N_TURNS; k++)
        times_s[k] = whole_s(argv[1]);
    printf("%-36s %8.3f ms\n", "whole file", median_ms(times_s));
    return 0;
}
