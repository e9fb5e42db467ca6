/* remarks.c - what is said of a prediction beside its time, as text and as JSON */
#include "mpi/commands/predict/remarks/remarks.h"

#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/units.h"
#include "kernels/model/binding.h"
#include "kernels/model/roofs/roofs.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

/* ---- work without a cost ---- */

void gcal_gaps_print(const struct gcal_predictor *predictor, const double *sizes)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_binding_gap *gaps =
        gcal_arena_alloc(arena, gcal_predictor_gap_count(predictor), sizeof(*gaps));
    size_t n = gcal_predictor_gaps(predictor, sizes, gaps);
    const char *absent;
    double lack;

    if (n)
        printf(
            "not covered: model %s has no cost for this work, which the time lacks and "
            "the interval allows for:\n",
            gcal_predictor_model(predictor));
    for (size_t i = 0; i < n; i++)
        printf("  %9.3g %% of all work: %.4g of %s\n", 100 * gaps[i].share, gaps[i].count,
               gaps[i].feature);
    gcal_arena_destroy(arena);
    if ((lack = gcal_predictor_lack(predictor, sizes, &absent)) > 0)
        printf("too little: the costs of model %s stand for work without a cost of its "
               "own, of which this kernel lacks %.3g %% of all work, mostly %s: the time "
               "may "
               "be too long, and the interval allows for it\n",
               gcal_predictor_model(predictor), 100 * lack, absent);
}

json_t *gcal_gaps_json(const struct gcal_predictor *predictor, const double *sizes)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_binding_gap *gaps =
        gcal_arena_alloc(arena, gcal_predictor_gap_count(predictor), sizeof(*gaps));
    size_t n = gcal_predictor_gaps(predictor, sizes, gaps);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f}", "feature", gaps[i].feature,
                                        "count", gaps[i].count, "share", gaps[i].share));
    gcal_arena_destroy(arena);
    return list;
}

/* ---- the general model ---- */

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

/* ---- outside of what was calibrated ---- */

void gcal_outside_print(const struct gcal_prediction *p)
{
    if (!p->extrapolates)
        return;
    if (isinf(p->outside_by))
        printf("extrapolated: no calibrated kernel has %s\n", p->outside);
    else
        printf("extrapolated: %s is %.3g times the %s calibrated value\n", p->outside,
               p->outside_by, p->outside_by > 1 ? "largest" : "smallest");
}

/* ---- limits and estimates ---- */

void gcal_roofs_print(const struct gcal_prediction *p)
{
    char time[GCAL_UNITS_SIZE];

    if (p->roof)
        printf("bound by %s: alone %s, %.0f %% of the time\n", p->roof,
               gcal_units(p->roof_s, "s", time), 100 * p->roof_s / p->time_s);
    if (p->estimated >= GCAL_PREDICTOR_ESTIMATED)
        printf("estimated: the time changes by %.0f %% where counts that are estimates "
               "double\n",
               100 * (exp2(p->estimated) - 1));
}

int gcal_roofs_add_json(json_t *answer, const struct gcal_predictor *predictor,
                        const double *sizes, const struct gcal_prediction *p,
                        struct gcal_error *err)
{
    size_t n = gcal_predictor_roof_count(predictor);
    double seconds[GCAL_ROOFS_MAX];
    json_t *roofs;

    json_object_set_new(answer, "class", json_string(p->class));
    json_object_set_new(answer, "estimated", json_real(p->estimated));
    if (!n)
        return 0;
    if (gcal_predictor_roofs(predictor, sizes, seconds, err) < 0)
        return -1;
    roofs = json_object();
    for (size_t i = 0; i < n; i++)
        json_object_set_new(roofs, gcal_predictor_roof(predictor, i),
                            json_real(seconds[i]));
    json_object_set_new(answer, "bound_by", p->roof ? json_string(p->roof) : json_null());
    json_object_set_new(answer, "roofs", roofs);
    return 0;
}
