/* bind.c - a model's parameters, bound to one kernel's counts */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "kernels/model/roofs/roofs.h"
#include "store/params/params.h"
#include "store/predict/private.h"

static int take_spreads(struct gcal_predictor *p, const struct gcal_params_model *from,
                        struct gcal_error *err)
{
    double usual = from->spreads.microbenchmarks;

    p->spread_scale = usual > 0 ? fmax(1, from->held_out_rms / usual) : 1;
    return gcal_spreads_copy(&p->spreads, &from->spreads, err);
}

/* The kernel, if the model knows it. */
static struct gcal_binding_subject find_subject(const struct gcal_predictor_model *m,
                                                const struct gcal_params_model *from,
                                                const struct gcal_profile *profile)
{
    const char *identity = gcal_profile_identity(profile);
    const struct gcal_params_kernel *k = gcal_params_find_kernel(from, identity);

    return (struct gcal_binding_subject){ .model = m->model,
                                          .parameters = m->value,
                                          .features = m->features,
                                          .has_cost = m->has_cost,
                                          .component = k ? k->component : NULL,
                                          .measured = k,
                                          .proportions = &from->stands_for };
}

/* Returns whether a kernel of that name was calibrated, which must be another one. */
static bool knows_name(const struct gcal_params_model *from, const char *component)
{
    for (size_t i = 0; i < from->n_known && component; i++)
        if (from->known[i].component && strcmp(from->known[i].component, component) == 0)
            return true;
    return false;
}

/* What a refusal adds to the list of work without a cost. */
static int explain(struct gcal_predictor *p, const struct gcal_params_model *from,
                   const struct gcal_profile *profile, struct gcal_error *err)
{
    char *targets = gcal_params_model_targets(from);
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    if (targets)
        gcal_buf_printf(&buf, "; the model is for %.300s", targets);
    if (knows_name(from, gcal_profile_component(profile)))
        gcal_buf_puts(
            &buf,
            "; the kernel of this name that was calibrated has another source, defines "
            "or launch: 'gpucal learn' calibrates this one");
    free(targets);
    p->kernel = strdup(profile->kernel);
    p->hint = gcal_buf_take(&buf, err);
    return p->kernel && p->hint ? 0 : gcal_error_memory(err);
}

static int compile(struct gcal_predictor *p, const double *parameters,
                   struct gcal_error *err)
{
    const struct gcal_roofs_program *roofs = p->shared->roofs;
    struct gcal_binding_program *program =
        gcal_binding_compile(p->binding, p->shared->model, parameters,
                             gcal_roofs_parts(roofs), gcal_roofs_count(roofs), err);

    if (!program)
        return -1;
    gcal_binding_program_destroy(p->program);
    p->program = program;
    return 0;
}

/* n_parameters: there is none. */
static size_t find_launch(const struct gcal_model *model)
{
    size_t i = 0;

    while (i < model->n_parameters &&
           strcmp(model->parameters[i].name, GCAL_PREDICTOR_LAUNCH) != 0)
        i++;
    return i;
}

int gcal_predictor_find_launch(const struct gcal_predictor *p, const double *sizes,
                               double measured_s, double *launch_s,
                               struct gcal_error *err)
{
    const struct gcal_model *model = p->shared->model;
    double of_log[GCAL_PREDICTOR_MAX_PARAMETERS], was_s, share;
    size_t launch = find_launch(model);
    struct gcal_prediction now;

    if (launch == model->n_parameters)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s has no cost of a launch (" GCAL_PREDICTOR_LAUNCH
                              "): there is nothing to refresh",
                              model->name);
    if (gcal_predictor_eval(p, sizes, &now, of_log, err) < 0)
        return -1;
    was_s = gcal_predictor_inside(p).parameters[launch];
    share = of_log[launch] * was_s;
    if (!(share >= 0.5))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "a launch is %.0f %% of the predicted time, %.3g us: only a "
            "kernel of which it is half or more tells its cost",
            100 * share, 1e6 * now.time_s);
    *launch_s = was_s + (measured_s / now.time_s - 1) / of_log[launch];
    if (*launch_s <= GCAL_PREDICTOR_MAX_REFRESH * was_s &&
        was_s <= GCAL_PREDICTOR_MAX_REFRESH * *launch_s)
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "the kernel takes %.3g us, and %.3g us are predicted: the device "
        "is busy, or another one than model %s was calibrated on; nothing "
        "is refreshed",
        1e6 * measured_s, 1e6 * now.time_s, model->name);
}

int gcal_predictor_set_launch(struct gcal_predictor *p, double launch_s,
                              struct gcal_error *err)
{
    const struct gcal_model *model = p->shared->model;
    double *values = calloc(model->n_parameters + 1, sizeof(*values));
    size_t launch = find_launch(model);

    if (!values)
        return gcal_error_memory(err);
    memcpy(values, p->shared->value, model->n_parameters * sizeof(*values));
    if (launch < model->n_parameters)
        values[launch] = launch_s;
    if (compile(p, values, err) < 0) {
        free(values);
        return -1;
    }
    free(p->refreshed);
    p->refreshed = values;
    return 0;
}

static int bind(struct gcal_predictor *p, const struct gcal_params_model *from,
                const struct gcal_device_info *info, const struct gcal_profile *profile,
                struct gcal_error *err)
{
    struct gcal_binding_device device = gcal_device_info_facts(info);
    struct gcal_binding_subject subject;

    if (!(p->shared = gcal_predictor_model_share(from, err)))
        return -1;
    p->limits = gcal_device_info_limits(info);
    p->factor = from->factor;
    /* The deviation of log(measured / predicted), from a bound of |predicted / measured - 1|: errors
     * above 1 are those of predictions that are too long.
     */
    double width =
        from->error_90 <= 1 ? from->error_90 : 1 + log((1 + from->error_90) / 2);
    p->misfit = width / GCAL_PARAMS_NORMAL_90;
    p->absolute_s = from->absolute_error_90_s * from->factor;
    p->factor_error = from->factor_error / from->factor;
    subject = find_subject(p->shared, from, profile);
    if (!subject.measured && !p->absolute_s && take_spreads(p, from, err) < 0)
        return -1;
    p->binding = gcal_binding_create_for(profile, &subject, &device, err);
    if (!p->binding || compile(p, p->shared->value, err) < 0)
        return -1;
    return gcal_binding_gap_count(p->binding) || from->stands_for.n
               ? explain(p, from, profile, err)
               : 0;
}

struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err)
{
    const struct gcal_params_model *from =
        gcal_predictor_choose(device, model, 1, &profile, err);
    struct gcal_predictor *p;

    if (!from)
        return NULL;
    if (!(p = calloc(1, sizeof(*p))))
        gcal_error_memory(err);
    else if (bind(p, from, &device->info, profile, err) < 0) {
        gcal_predictor_destroy(p);
        p = NULL;
    }
    return p;
}

void gcal_predictor_destroy(struct gcal_predictor *p)
{
    if (!p)
        return;
    gcal_binding_program_destroy(p->program);
    gcal_binding_destroy(p->binding);
    gcal_spreads_clear(&p->spreads);
    gcal_predictor_model_release(p->shared);
    free(p->refreshed);
    free(p->kernel);
    free(p->hint);
    free(p);
}
