/* outside.c - a prediction outside of what the model was calibrated for, as text */
#include "mpi/commands/predict/remarks/outside.h"

#include <math.h>
#include <stdio.h>

#include "store/predict/predictor.h"

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
