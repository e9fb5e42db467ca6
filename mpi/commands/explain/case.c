/* case.c - a kernel at one point on one device, taken apart */
#include "mpi/commands/explain/private.h"

void gcal_explain_case_clear(struct gcal_explain_case *c)
{
    gcal_explain_step_clear(&c->step);
    gcal_explain_accesses_clear(&c->accesses);
    gcal_explain_limits_clear(&c->limits);
    gcal_explain_lab_clear(&c->lab);
    gcal_predictor_destroy(c->predictor);
    *c = (struct gcal_explain_case){ 0 };
}

int gcal_explain_case_open(struct gcal_explain_case *c,
                           const struct gcal_predict_subject *subject, const char *model,
                           const struct gcal_step_plan *plan, const double *sizes,
                           struct gcal_error *err)
{
    const struct gcal_params_device *device = subject->published.device;

    *c = (struct gcal_explain_case){ .subject = subject, .plan = plan, .sizes = sizes };
    c->predictor = gcal_predictor_create(device, model, subject->target.profile, err);
    if (!c->predictor ||
        gcal_predictor_eval(c->predictor, sizes, &c->prediction, NULL, err) < 0 ||
        gcal_explain_lab_open(&c->lab, device, c->predictor, sizes, err) < 0 ||
        gcal_explain_limits_find(&c->lab, &c->limits, err) < 0)
        return -1;
    gcal_explain_occupancy_find(&c->lab, &c->occupancy);
    if (gcal_explain_accesses_find(c, &c->accesses, err) < 0)
        return -1;
    return gcal_explain_step_find(c, err);
}
