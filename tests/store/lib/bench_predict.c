/* bench_predict.c - the times of libgpucal's calls
 *
 *   bench_predict STORE MODEL PROFILE SIZE[,SIZE..] NODE..
 *
 * The first device of each node is loaded, loaded again, and MODEL bound to PROFILE: the
 * medians over the nodes.  Then predictions for these sizes, one by one and 1000 at a
 * time, and the division of 1000000 units, the first size's, over 2 and up to 8 of the
 * devices.  Not a test: the times depend on the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/lib/gpucal.h"

#define CALLS     200000
#define BATCH     1000
#define SPLITS    200
#define GRANULE   16
#define MAX_SIZES 8
#define MAX_PARTS 8

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (*p > *q) - (*p < *q);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* 'pointer' NULL or 'rc' negative: the previous call failed. */
static void need(const void *pointer, int rc, const struct gpucal_error *err)
{
    if (pointer && rc >= 0)
        return;
    fprintf(stderr, "bench_predict: %s\n", err->text);
    exit(1);
}

/* ---- loading ---- */

struct loads {
    size_t n;
    double *first_s, *again_s, *bind_s;
};

static struct gpucal_device *load(const struct gpucal_store *store, const char *node,
                                  double *time_s)
{
    struct gpucal_error err = { 0 };
    double start_s = now_s();
    struct gpucal_device *device = gpucal_device_open(store, node, NULL, &err);

    *time_s = now_s() - start_s;
    need(device, 0, &err);
    return device;
}

static struct gpucal_model *load_node(const struct gpucal_store *store, const char *node,
                                      const char *name,
                                      const struct gpucal_profile *profile,
                                      struct loads *loads)
{
    struct gpucal_error err = { 0 };
    struct gpucal_device *device;
    struct gpucal_model *model;
    double start_s;

    gpucal_device_close(load(store, node, &loads->first_s[loads->n]));
    device = load(store, node, &loads->again_s[loads->n]);
    start_s = now_s();
    model = gpucal_model_bind(device, name, profile, &err);
    loads->bind_s[loads->n++] = now_s() - start_s;
    need(model, 0, &err);
    gpucal_device_close(device);
    return model;
}

static void print_loads(struct loads *loads)
{
    printf("load, first %8.3f ms   median of %zu nodes\n",
           1e3 * median(loads->first_s, loads->n), loads->n);
    printf("load, again %8.3f ms\n", 1e3 * median(loads->again_s, loads->n));
    printf("bind        %8.3f ms\n", 1e3 * median(loads->bind_s, loads->n));
}

/* ---- predicting ---- */

static void bench_predict(const struct gpucal_model *model, const double *sizes)
{
    struct gpucal_error err = { 0 };
    struct gpucal_prediction p;
    double start_s, fastest_s = 1e9;

    need(model, gpucal_predict(model, sizes, &p, &err), &err);
    for (int run = 0; run < CALLS / BATCH; run++) {
        start_s = now_s();
        for (int i = 0; i < BATCH; i++)
            gpucal_predict(model, sizes, &p, NULL);
        start_s = now_s() - start_s;
        fastest_s = start_s < fastest_s ? start_s : fastest_s;
    }
    printf("predict     %8.0f ns   of %g s, the fastest of %d times %d\n",
           1e9 * fastest_s / BATCH, p.time_s, CALLS / BATCH, BATCH);
}

static void bench_batch(const struct gpucal_model *model, const double *sizes, size_t n)
{
    struct gpucal_prediction *p = calloc(BATCH, sizeof(*p));
    double *rows = calloc(BATCH * n, sizeof(*rows)), start_s;

    if (!p || !rows)
        exit(1);
    for (size_t i = 0; i < BATCH; i++)
        memcpy(&rows[i * n], sizes, n * sizeof(*rows));
    start_s = now_s();
    for (int i = 0; i < CALLS / BATCH; i++)
        gpucal_predict_batch(model, rows, BATCH, p, NULL);
    printf("batch       %8.0f ns   each of %d\n", 1e9 * (now_s() - start_s) / CALLS,
           BATCH);
    free(rows);
    free(p);
}

static void bench_split(struct gpucal_model *const *models, size_t count,
                        const double *sizes, size_t n)
{
    struct gpucal_error err = { 0 };
    struct gpucal_share shares[MAX_PARTS];
    double start_s = now_s();

    memset(shares, 0, sizeof(shares));
    for (size_t i = 0; i < count; i++) {
        shares[i].model = models[i];
        shares[i].sizes = sizes;
        shares[i].unit = n - 1;
        shares[i].size_per_unit = 1;
    }
    for (int i = 0; i < SPLITS; i++)
        need(shares, gpucal_split(shares, count, sizes[n - 1], GRANULE, NULL, &err),
             &err);
    printf("split       %8.1f us   %g units over %zu devices\n",
           1e6 * (now_s() - start_s) / SPLITS, sizes[n - 1], count);
}

static size_t parse_sizes(const char *text, double *sizes)
{
    size_t n = 0;
    char *end;

    while (n < MAX_SIZES) {
        sizes[n++] = strtod(text, &end);
        if (*end != ',')
            break;
        text = end + 1;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct gpucal_error err = { 0 };
    struct gpucal_model *models[MAX_PARTS] = { NULL };
    struct gpucal_profile *profile;
    struct gpucal_store *store;
    struct loads loads = { 0 };
    double sizes[MAX_SIZES];
    size_t count = argc > 5 ? (size_t)argc - 5 : 0, n;

    if (!count) {
        fprintf(stderr,
                "usage: bench_predict STORE MODEL PROFILE SIZE[,SIZE..] NODE..\n");
        return 1;
    }
    need(store = gpucal_store_open(argv[1], &err), 0, &err);
    need(profile = gpucal_profile_open(argv[3], &err), 0, &err);
    if ((n = parse_sizes(argv[4], sizes)) != gpucal_profile_parameter_count(profile)) {
        fprintf(stderr, "bench_predict: the profile has another number of sizes\n");
        return 1;
    }
    loads.first_s = calloc(count, sizeof(double));
    loads.again_s = calloc(count, sizeof(double));
    loads.bind_s = calloc(count, sizeof(double));
    if (!loads.first_s || !loads.again_s || !loads.bind_s)
        return 1;
    for (size_t i = 0; i < count; i++) {
        gpucal_model_close(models[i % MAX_PARTS]);
        models[i % MAX_PARTS] = load_node(store, argv[5 + i], argv[2], profile, &loads);
    }
    print_loads(&loads);
    bench_predict(models[0], sizes);
    bench_batch(models[0], sizes, n);
    for (size_t i = 2; i <= MAX_PARTS && i <= count; i *= 2)
        bench_split(models, i, sizes, n);

    for (size_t i = 0; i < MAX_PARTS; i++)
        gpucal_model_close(models[i]);
    gpucal_profile_close(profile);
    gpucal_store_close(store);
    free(loads.first_s);
    free(loads.again_s);
    free(loads.bind_s);
    return 0;
}
