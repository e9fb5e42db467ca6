/* general.c - what the general model predicts for a kernel that has a model of its own */
#include "mpi/commands/predict/remarks/general.h"

#include <string.h>

#include "kernels/base/units.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

struct gcal_predictor *gcal_general_create(const struct gcal_params_device *device,
                                           const char *model,
                                           const struct gcal_profile *profile)
{
    const struct gcal_params_model *general = gcal_predictor_find_general(device);
    const struct gcal_params_model *own = gcal_params_find_model(device, model);

    if (!general || !own || gcal_params_model_is_general(own))
        return NULL;
    return gcal_predictor_create(device, general->name, profile, NULL);
}

/* The model may not predict the kernel at these sizes. */
static bool eval(const struct gcal_predictor *general, const double *sizes,
                 struct gcal_prediction *p)
{
    return general && gcal_predictor_eval(general, sizes, p, NULL, NULL) == 0;
}

void gcal_general_print(const struct gcal_predictor *general, const double *sizes,
                        const struct gcal_prediction *own)
{
    char time[GCAL_UNITS_SIZE];
    struct gcal_prediction p;

    if (eval(general, sizes, &p))
        printf("%s predicts %s (%+.0f %%)\n", gcal_predictor_model(general),
               gcal_units(p.time_s, "s", time), 100 * (p.time_s / own->time_s - 1));
}

void gcal_general_add_json(json_t *answer, const struct gcal_predictor *general,
                           const double *sizes)
{
    struct gcal_prediction p;

    if (eval(general, sizes, &p))
        json_object_set_new(answer, "general",
                            json_pack("{s:s, s:f, s:f, s:f}", "model",
                                      gcal_predictor_model(general), "time_s", p.time_s,
                                      "low_s", p.low_s, "high_s", p.high_s));
}

void gcal_general_put_csv(FILE *file, const struct gcal_predictor *general,
                          const double *sizes)
{
    struct gcal_prediction p;

    if (eval(general, sizes, &p))
        fprintf(file, "%.9g", p.time_s);
}
