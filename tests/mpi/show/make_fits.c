/* make_fits.c - a store with the history of a device type
 *
 *   make_fits STORE FILE FITS FACTOR
 *
 * Publishes FITS fits of the type of FILE's first device, whose costs differ by 0.2 % from fit
 * to fit; from fit 4 on they are of 8 devices instead of 7, and the costs of the last 4 are FACTOR
 * times as large.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/random.h"
#include "store/files/store.h"
#include "store/publish/publish.h"

enum { FIRST_DEVICES = 7, FIRST_FITS = 4, SLOWER_FITS = 4 };

static void must(bool good, const struct gcal_error *err)
{
    if (good)
        return;
    fprintf(stderr, "make_fits: %s\n", err->text);
    exit(1);
}

static void load(const char *path, struct gcal_params *params)
{
    struct gcal_error err = { 0 };
    size_t size;
    char *text = gcal_file_read(path, 16 << 20, &size, &err);

    must(text && gcal_params_decode(text, size, path, params, &err) == 0, &err);
    free(text);
}

static double vary(uint64_t *random)
{
    return 1 + 0.004 * ((double)(gcal_random_next(random) >> 11) * 0x1p-53 - 0.5);
}

/* All models are of this run. */
static void change(struct gcal_params_device *d, double factor, uint64_t *random)
{
    for (size_t m = 0; m < d->n_models; m++) {
        struct gcal_params_model *model = &d->models[m];

        free(model->origin.run_id);
        model->origin.run_id = NULL;
        for (size_t i = 0; i < model->n_parameters; i++)
            if (strcmp(model->unit[i], "s") == 0)
                model->value[i] *= factor * vary(random);
    }
}

static void publish(struct gcal_store *store, const char *path, int fit, double factor)
{
    uint64_t random = (uint64_t)fit;
    struct gcal_error err = { 0 };
    struct gcal_params params;
    struct gcal_params_device *d;

    load(path, &params);
    d = params.devices;
    free(d->run_id);
    d->run_id = gcal_buf_format("r%02d", fit);
    d->n_fitted = FIRST_DEVICES + (fit >= FIRST_FITS);
    change(d, factor, &random);
    must(gcal_store_publish_type(store, &params, d->info.type, d->run_id, &err) == 1,
         &err);
    gcal_params_clear(&params);
}

int main(int argc, char **argv)
{
    struct gcal_error err = { 0 };
    struct gcal_store *store;
    int fits;

    if (argc != 5) {
        fprintf(stderr, "usage: make_fits STORE FILE FITS FACTOR\n");
        return 1;
    }
    fits = atoi(argv[3]);
    store = gcal_store_open_writable(argv[1], &err);
    must(store, &err);
    for (int i = 0; i < fits; i++)
        publish(store, argv[2], i, i + SLOWER_FITS < fits ? 1 : atof(argv[4]));
    gcal_store_close(store);
    return 0;
}
