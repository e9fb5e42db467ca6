/* print.c - a predicted step, as text, table and JSON */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/commands/predict/step/private.h"

/* ---- text ---- */

/* "2 copies to the device 1.2 ms, " */
static void print_copies(const struct gcal_step_plan *plan,
                         enum gcal_feature_copy_direction way, double time_s)
{
    char time[GCAL_UNITS_SIZE];
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++)
        n += plan->copies[i].way == way;

    if (n)
        printf("%s%zu %s %s %s", way == GCAL_FEATURE_TO_DEVICE ? "" : ", ", n,
               n == 1 ? "copy" : "copies",
               way == GCAL_FEATURE_TO_DEVICE ? "to the device" : "back",
               gcal_units(time_s, "s", time));
}

int gcal_step_print(const struct gcal_step_plan *plan, const double *sizes,
                    const struct gcal_prediction *kernel, struct gcal_error *err)
{
    char a[GCAL_UNITS_SIZE], b[GCAL_UNITS_SIZE], c[GCAL_UNITS_SIZE];
    double exposed = gcal_transfers_exposed(plan->transfers),
           both = gcal_transfers_exposed_both(plan->transfers);
    struct gcal_step step;

    if (gcal_step_plan_eval(plan, sizes, kernel, &step, err) < 0)
        return -1;
    printf("step: ");
    print_copies(plan, GCAL_FEATURE_TO_DEVICE, step.in_s);
    printf("%skernel %s", step.in_s > 0 ? ", " : "", gcal_units(step.kernel_s, "s", a));
    print_copies(plan, GCAL_FEATURE_FROM_DEVICE, step.out_s);
    printf(": %s, 90 %% interval %s to %s (model %s%s)\n",
           gcal_units(step.time_s, "s", a), gcal_units(step.low_s, "s", b),
           gcal_units(step.high_s, "s", c), gcal_transfers_model(plan->transfers),
           step.extrapolates ? ", extrapolated" : "");
    if (isfinite(exposed))
        printf(
            "step, its copies beside the kernel of another: %s (%.2g %% of the shorter "
            "not hidden%s%s)\n",
            gcal_units(step.overlapped_s, "s", a), 100 * exposed,
            isfinite(both) && step.in_s > 0 && step.out_s > 0
                ? "; copies in both directions at once: "
                : "",
            isfinite(both) && step.in_s > 0 && step.out_s > 0
                ? gcal_units(step.copies_s, "s", b)
                : "");
    return 0;
}

/* ---- table ---- */

enum { LEAST_WIDTH = 8 };

static int width_of(const char *name)
{
    int length = (int)strlen(name);

    return length > LEAST_WIDTH ? length : LEAST_WIDTH;
}

static void print_row(const struct gcal_profile *profile, const double *sizes,
                      const struct gcal_step *step)
{
    const double times_s[] = { step->in_s,        step->kernel_s, step->out_s,
                               step->time_s,      step->low_s,    step->high_s,
                               step->overlapped_s };
    char text[GCAL_UNITS_SIZE];

    for (size_t i = 0; i < profile->n_parameters; i++)
        printf("%*.15g",
               i ? width_of(profile->parameters[i]) + 2
                 : width_of(profile->parameters[i]),
               sizes[i]);
    for (size_t i = 0; i < sizeof(times_s) / sizeof(*times_s); i++)
        printf("  %11s", isnan(times_s[i]) ? "-" : gcal_units(times_s[i], "s", text));
    puts(step->extrapolates ? "  extrapolated" : "");
}

int gcal_step_print_table(const struct gcal_step_plan *plan,
                          const struct gcal_profile *profile, size_t n,
                          const double *sizes, const struct gcal_prediction *kernels,
                          struct gcal_error *err)
{
    static const char *const columns[] = { "copies in", "kernel", "copies out", "step",
                                           "low",       "high",   "overlapped" };
    struct gcal_step step;

    printf("steps of copies and kernel (model %s)\n",
           gcal_transfers_model(plan->transfers));
    for (size_t i = 0; i < profile->n_parameters; i++)
        printf("%s%*s", i ? "  " : "", width_of(profile->parameters[i]),
               profile->parameters[i]);
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        printf("  %11s", columns[i]);
    putchar('\n');
    for (size_t i = 0; i < n; i++) {
        const double *at = sizes + i * profile->n_parameters;

        if (gcal_step_plan_eval(plan, at, &kernels[i], &step, err) < 0)
            return -1;
        print_row(profile, at, &step);
    }
    return 0;
}

/* ---- CSV ---- */

int gcal_step_put_csv(FILE *file, const struct gcal_step_plan *plan, const double *sizes,
                      const struct gcal_prediction *kernel, struct gcal_error *err)
{
    struct gcal_step step;

    if (gcal_step_plan_eval(plan, sizes, kernel, &step, err) < 0)
        return -1;
    fprintf(file, ",%.9g,%.9g,%.9g,%.9g,%.9g,", step.in_s, step.out_s, step.time_s,
            step.low_s, step.high_s);
    if (isfinite(step.overlapped_s))
        fprintf(file, "%.9g", step.overlapped_s);
    return 0;
}

/* ---- JSON ---- */

static json_t *copy_json(const struct gcal_step_copy *copy)
{
    json_t *all =
        json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:b}", "direction",
                  gcal_feature_copy_direction_names[copy->way], "memory",
                  gcal_feature_host_memory_names[copy->host], "bytes", copy->bytes,
                  "time_s", copy->time_s, "low_s", copy->low_s, "high_s", copy->high_s,
                  "start_s", copy->start_s, "extrapolates", (int)copy->extrapolates);

    if (copy->buffer)
        json_object_set_new(all, "buffer", json_string(copy->buffer));
    return all;
}

/* A list; NULL with 'err'. */
static json_t *copies_json(const struct gcal_step_plan *plan, const double *sizes,
                           struct gcal_error *err)
{
    json_t *list = json_array();
    struct gcal_step_copy copy;

    for (size_t i = 0; i < plan->n; i++) {
        if (gcal_step_plan_copy(plan, i, sizes, &copy, err) < 0) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, copy_json(&copy));
    }
    return list;
}

int gcal_step_add_json(json_t *answer, const struct gcal_step_plan *plan,
                       const double *sizes, const struct gcal_prediction *kernel,
                       struct gcal_error *err)
{
    struct gcal_step step;
    json_t *list, *all;

    if (gcal_step_plan_eval(plan, sizes, kernel, &step, err) < 0 ||
        !(list = copies_json(plan, sizes, err)))
        return -1;
    all = json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:o}", "model",
                    gcal_transfers_model(plan->transfers), "time_s", step.time_s, "low_s",
                    step.low_s, "high_s", step.high_s, "in_s", step.in_s, "kernel_s",
                    step.kernel_s, "out_s", step.out_s, "copies_s", step.copies_s,
                    "extrapolates", (int)step.extrapolates, "copies", list);
    if (isfinite(step.overlapped_s))
        json_object_set_new(all, "overlapped_s", json_real(step.overlapped_s));
    json_object_set_new(answer, "step", all);
    return 0;
}
