/* predict.c - gpucal predict: a kernel's time on a calibrated device */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/base/units.h"
#include "calib/model/profile.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/count/built.h"
#include "mpi/count/options.h"
#include "mpi/own/own.h"
#include "mpi/predict/gaps.h"
#include "mpi/predict/general.h"
#include "mpi/predict/inputs.h"
#include "mpi/predict/roofs.h"
#include "mpi/predict/table.h"
#include "store/predict/predictor.h"

struct predict_command {
    struct gcal_count_options count;
    struct gcal_predict_device_options published;
    struct gcal_own_options own; /* of --measure */
    const char *profile, *config, *csv;
    struct gcal_option_list tags, catalogue; /* of a catalogue kernel */
    bool measure, json;
};

static const struct argp_option options[] = {
    { "profile", 'p', "FILE", 0, "A counted kernel, written by 'gpucal count -o FILE'",
      0 },
    { "tag", 't', "TAG", 0,
      "A tag or ARGUMENT:VALUE that selects a catalogue kernel instead of a file, sizes "
      "included; may be repeated",
      0 },
    { "measure", 'M', NULL, 0, "Time the kernel on this machine as well", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct predict_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->published, &c->count, &c->json, &c->config,
                           &c->catalogue, &c->csv, &c->own);
        c->count.requires_sizes = true;
        break;
    case 'p':
        c->profile = arg;
        break;
    case 't':
        gcal_option_list_add(&c->tags, arg, state);
        break;
    case 'M':
        c->measure = true;
        break;
    case ARGP_KEY_END:
        if (!!c->profile + !!c->count.file + !!c->tags.n != 1)
            argp_error(state, "expected one of --profile FILE, KERNEL.cl, or --tag TAG");
        if (c->count.ats.n && c->tags.n)
            argp_error(state, "--at excludes --tag: give sizes as n:4096");
        if (c->measure && c->profile)
            argp_error(state,
                       "--measure requires KERNEL.cl or a catalogue kernel (--tag): "
                       "a profile cannot be run");
        if (c->count.build && !c->count.file)
            argp_error(state, "--build requires KERNEL.cl");
        if (gcal_own_options_given(&c->own) && !(c->measure && c->count.file))
            argp_error(state, "--set, --buffer and --range require --measure and "
                              "KERNEL.cl");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_device_argp, 0, NULL, 0 },
                                              { &gcal_count_options_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(catalogue),
                                              GCAL_OPTION(csv),
                                              { &gcal_own_options_argp, 0, NULL, 0 },
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[KERNEL.cl]",
    .children = children,
    .doc =
        "Predicts the run time of a kernel on a calibrated device, with its 90 % "
        "interval.\v"
        "Examples:\n"
        "  gpucal predict --node n0 --profile mm.yaml --at n=2048\n"
        "  gpucal predict my.cl -k saxpy --local 256 --global n --at n=1048576\n"
        "  gpucal predict my.cl -k saxpy -l 256 -g n --at n=2^20:2^26 --csv saxpy.csv\n"
        "  gpucal predict --node n0 mm.cl --local 16,16 --global n,n --assume 'n % 16 = "
        "0' --at n=2048\n"
        "  gpucal predict --tag matmul_sq --tag prefetch:True --tag n:320 --measure",
};

/* ---- the kernel ---- */

/* Fills 'list' with the one kernel that the tags select. */
static int pick_kernel(const struct predict_command *c, struct gcal_catalogue *catalogue,
                       const struct gcal_kernel_counting *counting,
                       struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_kernel_nominal_limits;

    limits.counting = *counting;
    if (gcal_catalogue_check(catalogue, c->tags.n, c->tags.items, GCAL_MATCH_SUPERSET,
                             err) < 0 ||
        gcal_catalogue_generate(catalogue, c->tags.n, c->tags.items, GCAL_MATCH_SUPERSET,
                                &limits, list, err) < 0 ||
        gcal_kernel_list_check(list, err) < 0)
        return -1;
    if (list->n_kernels != 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the tags select %zu kernels, expected one; 'gpucal "
                              "kernels' with the same tags lists them",
                              list->n_kernels);
    return 0;
}

/* 'device' may be NULL. */
static int take_target(const struct predict_command *c,
                       const struct gcal_params_device *device,
                       struct gcal_kernel_list *list, struct gcal_predict_target *s,
                       struct gcal_error *err)
{
    const struct gcal_kernel_counting counting =
        gcal_predict_counting(device, c->published.model);
    struct gcal_count_options count = c->count;
    struct gcal_catalogue *catalogue;
    int rc = -1;

    /* Without a pattern, on what it is predicted for. */
    if (!count.build_on && device)
        count.build_on = device->info.type;
    if (c->profile)
        return gcal_predict_target_read(s, c->profile, &c->count.ats, err);
    if (!c->tags.n)
        return gcal_predict_target_count(s, &count, &counting, err);
    if ((catalogue = gcal_command_catalogue_open_for(&c->catalogue, c->config, err)) &&
        pick_kernel(c, catalogue, &counting, list, err) == 0)
        rc = gcal_predict_target_from_catalogue(s, list->kernels[0], err);
    gcal_catalogue_close(catalogue);
    return rc;
}

/* ---- its time ---- */

#define INTERVAL_SIZE (2 * GCAL_UNITS_SIZE + 4)

struct answer {
    struct gcal_predictor *predictor; /* owns the texts of the prediction */
    struct gcal_predictor *general;   /* beside it; NULL: none */
    struct gcal_prediction prediction;
    const char *node, *device_name, *device_uid, *device_type;
    const struct gcal_built *built; /* on that type of device; NULL: unknown */
    double measured_s;              /* NaN: not measured */
    size_t launches;
};

/* 'rows' gets a prediction for each point. */
static int predict(const struct predict_command *c,
                   const struct gcal_params_device *device,
                   const struct gcal_predict_target *s, struct answer *a,
                   struct gcal_prediction *rows, struct gcal_error *err)
{
    const char *changed;
    int rc = 0;

    if (!c->published.model &&
        (changed = gcal_predictor_find_changed(device, s->profile)))
        gcal_log(GCAL_LOG_WARN,
                 "kernel %s is not the one that model %s was calibrated for: its source, "
                 "defines or launch have changed; 'gpucal learn' calibrates it",
                 s->profile->kernel, changed);
    if (!(a->predictor =
              gcal_predictor_create(device, c->published.model, s->profile, err)))
        return -1;
    a->general =
        gcal_general_create(device, gcal_predictor_model(a->predictor), s->profile);
    for (size_t i = 0; i < s->points.n && rc == 0; i++)
        rc = gcal_predictor_eval(a->predictor, s->sizes + i * s->points.n_sizes, &rows[i],
                                 NULL, err);
    a->prediction = rows[0];
    return rc;
}

/* A kernel of the user's own, whose buffers are made up. */
static int measure_own(const struct predict_command *c,
                       const struct gcal_predict_target *s,
                       struct gcal_local_devices *devices, struct answer *a,
                       struct gcal_error *err)
{
    const struct gcal_profile *p = s->profile;
    struct gcal_own_kernel own = { 0 };
    int rc = s->points.n == 1 ? 0
                              : gcal_error_set(err, GCAL_EINPUT,
                                               "--measure takes one value of each size, "
                                               "not several");

    if (rc == 0)
        rc = gcal_own_kernel_read(&c->count, &c->own, NULL, &own, err);
    if (rc == 0)
        rc = gcal_own_measure(&own, p->n_parameters, (const char *const *)p->parameters,
                              s->sizes, devices, a->device_uid, &a->measured_s,
                              &a->launches, err);
    gcal_own_kernel_clear(&own);
    return rc;
}

static int measure(const struct predict_command *c, const struct gcal_kernel_list *list,
                   const struct gcal_predict_target *s, struct answer *a,
                   struct gcal_error *err)
{
    struct gcal_local_devices devices = { 0 };
    int rc = gcal_local_devices_open(&devices, err);

    if (rc == 0)
        rc = list->n_kernels
                 ? gcal_local_device_measure(&devices, a->device_uid, list->kernels[0],
                                             &a->measured_s, &a->launches, err)
                 : measure_own(c, s, &devices, a, err);
    gcal_local_devices_close(&devices);
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

/* The feature outside the calibrated range, to be covered by another calibration. */
static void print_outside(const struct gcal_prediction *p)
{
    if (isinf(p->outside_by))
        printf("extrapolated: no calibrated kernel has %s\n", p->outside);
    else
        printf("extrapolated: %s is %.3g times the %s calibrated value\n", p->outside,
               p->outside_by, p->outside_by > 1 ? "largest" : "smallest");
}

static int print_answer(const struct answer *a, const double *sizes,
                        struct gcal_error *err)
{
    char time[GCAL_UNITS_SIZE], interval[INTERVAL_SIZE];
    const struct gcal_prediction *p = &a->prediction;

    printf("%s on node %s: predicted %s, 90 %% interval %s (model %s)\n", a->device_name,
           a->node, gcal_units(p->time_s, "s", time), format_interval(p, interval),
           gcal_predictor_model(a->predictor));
    gcal_count_built_print(a->device_type, a->built);
    gcal_roofs_print(p);
    gcal_general_print(a->general, sizes, p);
    if (gcal_gaps_print(a->predictor, sizes, err) < 0)
        return -1;
    if (p->extrapolates)
        print_outside(p);
    if (!isnan(a->measured_s))
        printf("measured %s (median of %zu launches): prediction error %+.1f %%\n",
               gcal_units(a->measured_s, "s", time), a->launches,
               100 * (p->time_s / a->measured_s - 1));
    return 0;
}

static json_t *answer_json(const struct answer *a, const double *sizes,
                           struct gcal_error *err)
{
    const struct gcal_prediction *p = &a->prediction;
    json_t *gaps = gcal_gaps_json(a->predictor, sizes, err);
    json_t *all =
        gaps
            ? json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:b}", "node",
                        a->node, "device", a->device_name, "device_uid", a->device_uid,
                        "model", gcal_predictor_model(a->predictor), "time_s", p->time_s,
                        "standard_error_s", p->standard_error_s, "low_s", p->low_s,
                        "high_s", p->high_s, "not_covered", p->not_covered, "gaps", gaps,
                        "extrapolates", (int)p->extrapolates)
            : NULL;

    if (!gaps)
        return NULL;
    if (gcal_roofs_add_json(all, a->predictor, sizes, p, err) < 0) {
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
    if (!isnan(a->measured_s))
        json_object_set_new(all, "measured_s", json_real(a->measured_s));
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
        const double *sizes = s->sizes + i * s->points.n_sizes;

        a->prediction = rows[i];
        if ((one = answer_json(a, sizes, err)))
            json_object_set_new(
                one, "sizes",
                gcal_json_sizes(s->profile->n_parameters, s->profile->parameters, sizes));
        rc = one ? json_array_append_new(list, one) : -1;
    }
    if (rc == 0)
        gcal_json_print(s->points.n > 1 ? list : json_array_get(list, 0));
    json_decref(list);
    return rc;
}

static int print(const struct predict_command *c, struct answer *a,
                 const struct gcal_predict_target *s, const struct gcal_prediction *rows,
                 struct gcal_error *err)
{
    if (c->csv && gcal_predict_csv(c->csv, s, rows, a->general, err) < 0)
        return -1;
    if (c->json)
        return print_json(a, s, rows, err);
    if (s->points.n == 1)
        return print_answer(a, s->sizes, err);
    gcal_predict_print_table(a->device_name, a->node, gcal_predictor_model(a->predictor),
                             s, rows);
    return 0;
}

/* A kernel that the model does not predict was measured all the same. */
static void print_measured_alone(const struct answer *a)
{
    char time[GCAL_UNITS_SIZE];

    if (!isnan(a->measured_s))
        printf("measured %s (median of %zu launches) on %s\n",
               gcal_units(a->measured_s, "s", time), a->launches, a->device_name);
}

/* ---- the command ---- */

/* The device and the kernel; what both lack is one message. */
static int open_inputs(const struct predict_command *c,
                       struct gcal_predict_device *published,
                       struct gcal_kernel_list *list, struct gcal_predict_target *s,
                       struct gcal_error *err)
{
    struct gcal_error second = { 0 };
    char *first;

    if (gcal_predict_device_open(&c->published, published, err) == 0)
        return take_target(c, published->device, list, s, err);
    if (take_target(c, NULL, list, s, &second) < 0 && (first = strdup(err->text))) {
        gcal_error_set(err, err->code, "%s; %s", first, second.text);
        free(first);
    }
    return -1;
}

static int run(const struct predict_command *c, struct gcal_error *err)
{
    struct answer a = { .measured_s = NAN };
    struct gcal_predict_device published = { 0 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_predict_target s = { 0 };
    struct gcal_prediction *rows = NULL;
    int rc = -1;

    if (open_inputs(c, &published, &list, &s, err) < 0)
        goto out;
    if (!(rows = calloc(s.points.n, sizeof(*rows)))) {
        gcal_error_memory(err);
        goto out;
    }
    a.node = published.params.node;
    a.device_name = published.device->info.name;
    a.device_uid = published.device->info.uid;
    a.device_type = published.device->info.type;
    a.built = gcal_built_find(s.profile, a.device_type);
    if (c->measure && measure(c, &list, &s, &a, err) < 0)
        goto out;
    if (predict(c, published.device, &s, &a, rows, err) < 0) {
        print_measured_alone(&a);
        goto out;
    }
    rc = print(c, &a, &s, rows, err);
out:
    free(rows);
    gcal_predictor_destroy(a.predictor);
    gcal_predictor_destroy(a.general);
    gcal_predict_target_clear(&s);
    gcal_kernel_list_clear(&list);
    gcal_predict_device_clear(&published);
    return rc;
}

int gcal_command_predict(int argc, char **argv)
{
    struct predict_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    gcal_own_options_clear(&c.own);
    gcal_count_options_clear(&c.count);
    free(c.tags.items);
    free(c.catalogue.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
