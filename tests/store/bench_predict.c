/* bench_predict.c - nanoseconds per prediction: bench_predict STORE NODE DEVICE MODEL
 * PROFILE SIZE..  Not a test: it depends on the machine.  libgpucal promises less than a
 * microsecond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/gpucal.h"

#define CALLS 1000000

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct gpucal_error err = { 0, "" };
    struct gpucal_store *store;
    struct gpucal_device *device = NULL;
    struct gpucal_profile *profile = NULL;
    struct gpucal_model *model = NULL;
    struct gpucal_prediction p;
    double sizes[8] = { 0 }, sum_s = 0, start_s;

    if (argc < 7 || argc > 14) {
        fprintf(stderr, "usage: bench_predict STORE NODE DEVICE MODEL PROFILE SIZE..\n");
        return 1;
    }
    for (int i = 6; i < argc; i++)
        sizes[i - 6] = strtod(argv[i], NULL);
    if (!(store = gpucal_store_open(argv[1], &err)) ||
        !(device = gpucal_device_open(store, argv[2], argv[3], &err)) ||
        !(profile = gpucal_profile_open(argv[5], &err)) ||
        !(model = gpucal_model_bind(device, argv[4], profile, &err)) ||
        gpucal_predict(model, sizes, &p, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    start_s = now_s();
    for (int i = 0; i < CALLS; i++) {
        gpucal_predict(model, sizes, &p, NULL);
        sum_s += p.time_s;
    }
    printf("%.0f ns per prediction (%d of %g s)\n", 1e9 * (now_s() - start_s) / CALLS,
           CALLS, sum_s / CALLS);
    gpucal_model_close(model);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    gpucal_store_close(store);
    return 0;
}
