/* roofs.c - what a predicted time depends on: limits of the device and estimates, as text and as JSON */
#include "mpi/commands/predict/remarks/roofs.h"

#include <math.h>
#include <stdio.h>

#include "kernels/base/units.h"
#include "kernels/model/roofs/roofs.h"
#include "store/predict/predictor.h"

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
