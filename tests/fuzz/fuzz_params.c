/* fuzz_params.c - any bytes as a parameter file or as links of a node: refused, or written back the same;
 * models that are read one by one equal those of the whole file, and predict; links predict
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "store/links/links.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A kernel with some features of models. */
static struct gcal_profile *kernel(void)
{
    static const char text[] =
        "gpucal_profile: 6\n"
        "kernel: mm\n"
        "parameters: [n]\n"
        "local_size: [64]\n"
        "groups: [n]\n"
        "estimated: false\n"
        "entries:\n"
        "- {feature: f_op_float32_madd, count: 96*n^2, per: kernel,"
        " dtype: float32, op: madd}\n"
        "- {feature: f_sync_kernel_launch, count: \"1\","
        " per: kernel}\n";
    static struct gcal_profile *profile;

    if (!profile) {
        struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "kernel", NULL);

        if (!root || !(profile = gcal_profile_decode(root, NULL)))
            abort();
        gcal_yaml_destroy(root);
    }
    return profile;
}

static void predict(const struct gcal_params_device *device, const char *model)
{
    struct gcal_predictor *p = gcal_predictor_create(device, model, kernel(), NULL);
    struct gcal_prediction prediction;
    double n = 1024, time_s;

    if (p && gcal_predictor_eval(p, &n, &prediction, NULL, NULL) == 0 &&
        (gcal_predictor_time(p, &n, &time_s, NULL) < 0 || time_s != prediction.time_s))
        abort();
    gcal_predictor_destroy(p);
}

static void predict_all(const struct gcal_params *params)
{
    for (size_t i = 0; i < params->n_devices; i++)
        for (size_t j = 0; j < params->devices[i].n_models; j++)
            predict(&params->devices[i], params->devices[i].models[j].name);
}

/* 'text' read and written again, or NULL. */
static char *rewritten(const char *text, size_t size, size_t *out_size)
{
    struct gcal_params params = { 0 };
    char *out = NULL;

    if (gcal_params_decode(text, size, "fuzz", &params, NULL) == 0) {
        out = gcal_params_encode(&params, out_size, NULL);
        predict_all(&params);
        gcal_params_clear(&params);
    }
    return out;
}

/* Replaces the names of models by the models of 'index', the last first. */
static int take_models(const struct gcal_params_index *index, struct gcal_params *params)
{
    for (size_t i = params->n_devices; i-- > 0;)
        for (size_t j = params->devices[i].n_models; j-- > 0;) {
            struct gcal_params_model model;

            if (gcal_params_index_model(index, i, j, &model, NULL) < 0)
                return -1;
            /* the origin is in the first document */
            model.origin = params->devices[i].models[j].origin;
            params->devices[i].models[j].origin = (struct gcal_params_origin){ 0 };
            gcal_params_model_clear(&params->devices[i].models[j]);
            params->devices[i].models[j] = model;
        }
    return 0;
}

/* The same with an index.  An index owns its devices, so those of another one are
 * changed. */
static char *rewritten_by_models(const char *text, size_t size, size_t *out_size)
{
    char *copies[2] = { malloc(size + 1), malloc(size + 1) }, *out = NULL;
    struct gcal_params_index *index, *other;

    if (!copies[0] || !copies[1])
        abort();
    for (int i = 0; i < 2; i++)
        memcpy(copies[i], text, size);
    index = gcal_params_index_create(copies[0], size, "fuzz", NULL);
    other = gcal_params_index_create(copies[1], size, "fuzz", NULL);
    if (!index != !other)
        abort();
    if (index) {
        struct gcal_params *params =
            (struct gcal_params *)(uintptr_t)gcal_params_index_devices(other);

        if (take_models(index, params) == 0)
            out = gcal_params_encode(params, out_size, NULL);
    }
    gcal_params_index_destroy(index);
    gcal_params_index_destroy(other);
    return out;
}

/* The same of links. */
static char *rewritten_links(const char *text, size_t size, size_t *out_size)
{
    struct gcal_links links;
    struct gcal_links_time time;
    char *out = NULL;

    if (gcal_links_decode(text, size, "fuzz", &links, NULL) == 0) {
        if (gcal_links_predict(&links, "n2", 4096, &time, NULL) == 0 &&
            !(time.time_s >= 0))
            abort();
        out = gcal_links_encode(&links, out_size, NULL);
        gcal_links_clear(&links);
    }
    return out;
}

static void check_same(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (!a != !b || (a && (a_size != b_size || memcmp(a, b, a_size) != 0)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t once_size = 0, twice_size = 0, models_size = 0;
    char *once = rewritten(text, size, &once_size), *twice = NULL;
    char *by_models = rewritten_by_models(text, size, &models_size);

    check_same(once, once_size, by_models, models_size);
    if (once) {
        twice = rewritten(once, once_size, &twice_size);
        check_same(once, once_size, twice, twice_size);
    }
    free(by_models);
    free(twice);
    free(once);
    twice = NULL;
    if ((once = rewritten_links(text, size, &once_size))) {
        twice = rewritten_links(once, once_size, &twice_size);
        check_same(once, once_size, twice, twice_size);
    }
    free(twice);
    free(once);
    return 0;
}
