/* predict.c - gpucal predict: a kernel's time on a calibrated device */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/count/built.h"
#include "mpi/commands/own/own.h"
#include "mpi/commands/predict/remarks/remarks.h"
#include "mpi/commands/predict/step/step.h"
#include "mpi/commands/predict/subject.h"
#include "mpi/commands/predict/table.h"
#include "store/predict/predictor.h"

struct predict_command {
    struct gcal_predict_subject_options subject;
    struct gcal_own_options own; /* of --measure */
    struct gcal_step_options step;
    const char *csv;
    bool measure, refresh, json;
};

enum { KEY_REFRESH = 0x200 };

static const struct argp_option options[] = {
    { "measure", 'M', NULL, 0,
      "Time the kernel on this machine as well.  Its buffers have integers from 0 to "
      "1023 (of 8 bits, to 127), or those of --range: for the prediction, too",
      0 },
    { "refresh", KEY_REFRESH, NULL, 0,
      "Measure what a launch costs now on this machine, and predict with it", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct predict_command *c = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->subject, &c->json, &c->csv, &c->own, &c->step);
        break;
    case 'M':
        c->measure = true;
        break;
    case KEY_REFRESH:
        c->refresh = true;
        break;
    case ARGP_KEY_END:
        gcal_predict_subject_check_measure(&c->subject, &c->own, c->measure, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_subject_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(csv),
                                              { &gcal_own_options_argp, 0, NULL, 0 },
                                              { &gcal_step_options_argp, 0, NULL, 0 },
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "KERNEL.cl\n--profile FILE\nTAG | ARGUMENT:VALUE...",
    .children = children,
    .doc =
        "Predicts the run time of a kernel on a calibrated device, with its 90 % "
        "interval.\v"
        "Examples:\n"
        "  gpucal predict --node n0 --profile mm.yaml --at n=2048\n"
        "  gpucal predict my.cl -k saxpy --local 256 --global n --at n=1048576\n"
        "  gpucal predict my.cl -k saxpy -l 256 -g n --at n=2^20:2^26 --csv saxpy.csv\n"
        "  gpucal predict --node n0 mm.cl --local 16,16 --global n,n \\\n"
        "      --assume 'n % 16 = 0' --at n=2048\n"
        "  gpucal predict matmul_sq prefetch:True n:320 --measure\n"
        "  gpucal predict my.cl -k saxpy -l 256 -g n --at n=2^24 \\\n"
        "      --copy-in auto:pinned --copy-out 4*n:pinned",
};

/* ---- its time ---- */

#define INTERVAL_SIZE (2 * GCAL_UNITS_SIZE + 4)

struct answer {
    struct gcal_arena *arena;
    /* Of each point, or one of all; they own the texts of predictions. */
    size_t n_predictors;
    struct gcal_predictor **predictors, **generals; /* beside them; NULL: none */
    /* The point at hand. */
    struct gcal_predictor *predictor, *general;
    const double *sizes;
    struct gcal_step_plan *step; /* with its copies; NULL: the kernel alone */
    struct gcal_prediction prediction;
    const char *node, *device_name, *device_uid, *device_type;
    const struct gcal_built *built; /* on that type of device; NULL: unknown */
    struct gcal_timed timed;
};

static void set_point(struct answer *a, const struct gcal_predict_target *s,
                      const struct gcal_prediction *rows, size_t i)
{
    size_t k = s->each ? i : 0;

    a->predictor = a->predictors[k];
    a->general = a->generals[k];
    a->sizes = gcal_predict_point(s, i).sizes;
    a->prediction = rows[i];
}

/* The predictors of the kernel as it is counted for a point. */
static int add_predictor(const struct predict_command *c,
                         const struct gcal_predict_subject *subject, struct answer *a,
                         const struct gcal_profile *profile, struct gcal_error *err)
{
    const struct gcal_params_device *device = subject->published.device;
    size_t k = a->n_predictors++;
    double launch_s;

    if (!(a->predictors[k] =
              gcal_predictor_create(device, c->subject.published.model, profile, err)))
        return -1;
    if (!c->refresh)
        a->generals[k] =
            gcal_general_create(device, gcal_predictor_model(a->predictors[k]), profile);
    else if (gcal_predict_subject_measure_launch(&c->subject, subject,
                                                 gcal_predictor_model(a->predictors[k]),
                                                 &launch_s, err) < 0 ||
             gcal_predictor_set_launch(a->predictors[k], launch_s, err) < 0)
        return -1;
    return 0;
}

/* 'rows' gets a prediction for each point. */
static int predict(const struct predict_command *c,
                   const struct gcal_predict_subject *subject, struct answer *a,
                   struct gcal_prediction *rows, struct gcal_error *err)
{
    const struct gcal_params_device *device = subject->published.device;
    const struct gcal_predict_target *s = &subject->target;
    const char *changed;
    int rc = 0;

    if (!c->subject.published.model &&
        (changed = gcal_predictor_find_changed(device, s->profile)))
        gcal_log(GCAL_LOG_WARN,
                 "kernel %s is not the one that model %s was calibrated for: its source, "
                 "defines or launch have changed; 'gpucal learn' calibrates it",
                 s->profile->kernel, changed);
    a->predictors =
        gcal_arena_alloc(a->arena, s->points.n, sizeof(struct gcal_predictor *));
    a->generals =
        gcal_arena_alloc(a->arena, s->points.n, sizeof(struct gcal_predictor *));
    for (size_t i = 0; i < s->points.n && rc == 0; i++) {
        struct gcal_predict_point point = gcal_predict_point(s, i);

        if (!i || s->each)
            rc = add_predictor(c, subject, a, point.profile, err);
        if (rc == 0)
            rc = gcal_predictor_eval(a->predictors[a->n_predictors - 1], point.sizes,
                                     &rows[i], NULL, err);
    }
    if (rc == 0)
        set_point(a, s, rows, 0);
    return rc;
}

/* "22.9 to 44.23 ms", "980 us to 1.2 ms" */
static const char *format_interval(const struct gcal_prediction *p,
                                   char text[INTERVAL_SIZE])
{
    char low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];
    char *unit = strchr(gcal_units(p->low_s, "s", low), ' ');
    const char *unit_high = strchr(gcal_units(p->high_s, "s", high), ' ');

    if (unit && unit_high && strcmp(unit, unit_high) == 0)
        *unit = '\0';
    snprintf(text, INTERVAL_SIZE, "%s to %s", low, high);
    return text;
}

static int print_answer(const struct answer *a, struct gcal_error *err)
{
    char time[GCAL_UNITS_SIZE], interval[INTERVAL_SIZE];
    const double *sizes = a->sizes;
    const struct gcal_prediction *p = &a->prediction;

    gcal_quiet_result(true);
    printf("%s on node %s: predicted %s, 90 %% interval %s (model %s)\n", a->device_name,
           a->node, gcal_units(p->time_s, "s", time), format_interval(p, interval),
           gcal_predictor_model(a->predictor));
    gcal_quiet_result(false);
    gcal_count_built_print(a->device_type, a->built);
    gcal_roofs_print(p);
    gcal_general_print(a->general, sizes, p);
    gcal_gaps_print(a->predictor, sizes);
    gcal_outside_print(p);
    gcal_quiet_result(true);
    if (!isnan(a->timed.median_s))
        gcal_timed_print(&a->timed, p->time_s);
    return a->step ? gcal_step_print(a->step, sizes, p, err) : 0;
}

static json_t *answer_json(const struct answer *a, struct gcal_error *err)
{
    const double *sizes = a->sizes;
    const struct gcal_prediction *p = &a->prediction;
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:b}",
                            "node", a->node, "device", a->device_name, "device_uid",
                            a->device_uid, "model", gcal_predictor_model(a->predictor),
                            "time_s", p->time_s, "standard_error_s", p->standard_error_s,
                            "low_s", p->low_s, "high_s", p->high_s, "not_covered",
                            p->not_covered, "gaps", gcal_gaps_json(a->predictor, sizes),
                            "extrapolates", (int)p->extrapolates);

    if (gcal_roofs_add_json(all, a->predictor, sizes, p, err) < 0 ||
        (a->step && gcal_step_add_json(all, a->step, sizes, p, err) < 0)) {
        json_decref(all);
        return NULL;
    }
    gcal_general_add_json(all, a->general, sizes);
    if (a->built)
        json_object_set_new(all, "built", gcal_count_built_json(a->built));
    if (p->extrapolates)
        json_object_set_new(all, "outside", json_string(p->outside));
    if (p->extrapolates && isfinite(p->outside_by)) /* JSON has no infinity */
        json_object_set_new(all, "outside_by", json_real(p->outside_by));
    if (!isnan(a->timed.median_s)) {
        json_object_set_new(all, "measured_s", json_real(a->timed.median_s));
        json_object_set_new(all, "measured_least_s", json_real(a->timed.least_s));
        json_object_set_new(all, "measured_error", json_real(a->timed.spread));
    }
    return all;
}

/* ---- several sizes ---- */

/* A list with an object for each point, or the object of the only one. */
static int print_json(struct answer *a, const struct gcal_predict_target *s,
                      const struct gcal_prediction *rows, struct gcal_error *err)
{
    json_t *list = json_array(), *one;
    int rc = 0;

    for (size_t i = 0; i < s->points.n && rc == 0; i++) {
        set_point(a, s, rows, i);
        if ((one = answer_json(a, err)))
            json_object_set_new(one, "sizes",
                                gcal_json_sizes(s->profile->n_parameters,
                                                s->profile->parameters,
                                                s->sizes + i * s->points.n_sizes));
        rc = one ? json_array_append_new(list, one) : -1;
    }
    if (rc == 0)
        gcal_json_print(s->points.n > 1 ? list : json_array_get(list, 0), "predict");
    json_decref(list);
    return rc;
}

static int print(const struct predict_command *c, struct answer *a,
                 const struct gcal_predict_target *s, const struct gcal_prediction *rows,
                 struct gcal_error *err)
{
    if (c->csv && gcal_predict_csv(c->csv, s, rows, a->generals, a->step, err) < 0)
        return -1;
    if (c->json)
        return print_json(a, s, rows, err);
    if (s->points.n == 1)
        return print_answer(a, err);
    gcal_quiet_result(true);
    gcal_predict_print_table(a->device_name, a->node, gcal_predictor_model(a->predictor),
                             s, rows);
    return a->step ? gcal_step_print_table(a->step, s->profile, s->points.n, s->sizes,
                                           rows, err)
                   : 0;
}

/* ---- the command ---- */

/* The copies of --copy-in and --copy-out. */
static int plan_step(const struct predict_command *c,
                     const struct gcal_predict_subject *s, struct answer *a,
                     struct gcal_error *err)
{
    const struct gcal_step_source source = { .profile = s->target.profile,
                                             .count = &c->subject.count,
                                             .kernel = s->list.n_kernels
                                                           ? s->list.kernels[0]
                                                           : NULL };

    if (!gcal_step_options_given(&c->step))
        return 0;
    a->step =
        gcal_step_plan_create(a->arena, &c->step, &source, s->published.device, err);
    return a->step ? 0 : -1;
}

static int run(const struct predict_command *c, struct gcal_error *err)
{
    struct answer a = { .arena = gcal_arena_create(), .timed.median_s = NAN };
    struct gcal_predict_subject s = { 0 };
    struct gcal_prediction *rows;
    int rc = -1;

    if (gcal_predict_subject_open(&c->subject, &s, err) < 0 ||
        plan_step(c, &s, &a, err) < 0)
        goto out;
    rows = gcal_arena_alloc(a.arena, s.target.points.n, sizeof(*rows));
    a.node = s.published.params.node;
    a.device_name = s.published.device->info.name;
    a.device_uid = s.published.device->info.uid;
    a.device_type = s.published.device->info.type;
    a.built = gcal_built_find(s.target.profile, a.device_type);
    if (c->measure &&
        gcal_predict_subject_measure(&c->subject, &c->own, &s, GCAL_KERNEL_COMPLETE,
                                     &a.timed, err) < 0)
        goto out;
    if (predict(c, &s, &a, rows, err) < 0) {
        if (err->reason == GCAL_REASON_NOT_COVERED) /* perhaps by estimates */
            gcal_predict_target_print_notes(&s.target, &c->subject.count);
        /* A kernel that the model does not predict was measured all the same. */
        if (!isnan(a.timed.median_s))
            gcal_timed_print(&a.timed, NAN);
        goto out;
    }
    gcal_predict_target_print_notes(&s.target, &c->subject.count);
    rc = print(c, &a, &s.target, rows, err);
out:
    for (size_t i = 0; i < a.n_predictors; i++) {
        gcal_predictor_destroy(a.predictors[i]);
        gcal_predictor_destroy(a.generals[i]);
    }
    gcal_arena_destroy(a.arena);
    gcal_predict_subject_clear(&s);
    return rc;
}

int gcal_command_predict(int argc, char **argv)
{
    struct predict_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = c.measure ? gcal_predict_subject_prepare_measure(&c.subject, &c.own, &err) : 0;
    if (rc == 0)
        rc = run(&c, &err);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
