/* evaluate.c - gpucal evaluate: predictions compared with measurements */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"

struct evaluate_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list tags, catalogue, replays;
    const char *config, *record, *times, *csv;
    bool with_baselines, json;
    size_t seen;
    const char *baseline; /* a parameter file, or NULL */
};

enum { REPLAY = 256, TIMES, BASELINE, SEEN, MOST_SEEN = 1000 };

static const struct argp_option options[] = {
    { "record", 'r', "FILE.h5", 0, "Write the measurements to this record", 0 },
    { "replay", REPLAY, "FILE.h5", 0,
      "Take kernels and times from this record and measure nothing; may be repeated", 0 },
    { "times", TIMES, "FILE.csv", 0,
      "Take times from this file of 'gpucal kernels --run --csv', count its kernels, and "
      "measure nothing",
      0 },
    { "baseline", BASELINE, "FILE", OPTION_ARG_OPTIONAL,
      "Print beside it, for the same kernels, the figures of the general models of this "
      "parameter file; by default those of the published models roofline, linear and "
      "overlap",
      0 },
    { "seen", SEEN, "N", 0,
      "Predict each launch by the general model as N other launches of its kernel "
      "correct it; "
      "kernels with fewer are left out",
      0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct evaluate_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->published, &c->config, &c->csv, &c->catalogue,
                           &c->json);
        break;
    case 'r':
        c->record = arg;
        break;
    case REPLAY:
        gcal_option_list_add(&c->replays, arg);
        break;
    case TIMES:
        c->times = arg;
        break;
    case BASELINE:
        c->with_baselines = true;
        c->baseline = arg;
        break;
    case SEEN:
        c->seen = gcal_option_count(arg, "--seen", MOST_SEEN, state);
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->tags, arg);
        break;
    case ARGP_KEY_END:
        if (c->replays.n && (c->record || c->config || c->catalogue.n))
            argp_error(state, "--replay excludes --record, --config and --catalogue: the "
                              "record has its kernels");
        if (c->times && (c->record || c->replays.n))
            argp_error(state, "--times excludes --record and --replay");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_device_argp, 0, NULL, 0 },
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(csv),
                                              GCAL_OPTION(catalogue),
                                              GCAL_OPTION(json),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[TAG | ARGUMENT:VALUE[,VALUE]]...",
    .children = children,
    .doc =
        "Measures kernels, predicts each from the published parameters, and prints the "
        "errors, their means over all launches and over short, medium and long ones, the "
        "share of measured times inside the 90 % interval, and how often the fastest "
        "variant was found. "
        "Without tags, the kernels are the targets of all models of the configuration, "
        "or "
        "of --model; the built-in one has none.\v"
        "Examples:\n"
        "  gpucal evaluate --config products.yaml --record evaluation.h5 \\\n"
        "      --csv evaluation.csv\n"
        "  gpucal evaluate matmul_sq dtype:float32 n:2048,4096 --device '*H200*'\n"
        "  gpucal evaluate --replay evaluation.h5 --params node17.yaml -m rates\n"
        "  gpucal evaluate --times stream.csv --params node17.yaml --model rates\n"
        "  gpucal evaluate --times stream.csv --params node17.yaml --baseline=n1.yaml\n\n"
        "With tags and without --model, the model made for each kernel predicts it, or "
        "else the general one.  With "
        "--replay, a tag selects kernels of the record by their generator (matmul_tiled) "
        "or an argument (n:2048,4096); the default is all kernels measured as targets.  "
        "With --times, a tag selects kernels of the file by any of their tags; the "
        "default is all.\n"
        "Exit status: 0 for any errors of the predictions, 1 bad input, 5 the device or "
        "a "
        "kernel could not be measured, 6 the record cannot be written.",
};

/* ---- kernels and times ---- */

/* The device of the record that was calibrated, or one of its type. */
static int find_recorded(const struct gcal_record *record,
                         const struct gcal_device_info *wanted, size_t *device,
                         struct gcal_error *err)
{
    size_t n = record->n_devices;

    for (size_t i = 0; i < n; i++)
        if (strcmp(record->devices[i].info.uid, wanted->uid) == 0) {
            *device = i;
            return 0;
        }
    for (size_t i = 0; i < n; i++)
        if (strcmp(record->devices[i].info.type, wanted->type) == 0) {
            *device = i;
            return 0;
        }
    return gcal_error_set(err, GCAL_EINPUT,
                          "the record has neither device %s nor another of its type (%s)",
                          wanted->name, wanted->type);
}

static bool has_target(const struct gcal_measured_kernels *measured, const char *model)
{
    for (size_t i = 0; i < measured->n; i++)
        if (gcal_kernel_uses_have(&measured->kernels[i].kernel.uses, model,
                                  GCAL_KERNEL_TARGET))
            return true;
    return false;
}

/* The kernels of one record, counted for the models that predict them. */
static int read_record(const char *file, struct gcal_evaluation_targets *t,
                       struct gcal_measured_kernels *measured, struct gcal_error *err)
{
    struct gcal_record *record =
        gcal_record_try(file, err) < 0 ? NULL : gcal_record_open(file, err);
    size_t device = 0, first = measured->n;
    int rc = -1;

    if (!record)
        return -1;
    if (find_recorded(record, &t->published->info, &device, err) == 0 &&
        gcal_measured_kernels_read(measured, record, device, err) == 0) {
        t->selects = t->n_tags;
        t->all_targets = t->model && !has_target(measured, t->model);
        rc = gcal_evaluation_recount(t, record, measured, first, err);
    }
    measured->uid = measured->node = NULL; /* the record's */
    gcal_record_close(record);
    return rc < 0 ? gcal_error_prefix(err, "%s", file) : 0;
}

static int gather_kernels(const struct evaluate_command *c,
                          struct gcal_evaluation_targets *t,
                          struct gcal_measured_kernels *measured, struct gcal_error *err)
{
    for (size_t i = 0; i < c->replays.n; i++)
        if (read_record(c->replays.items[i], t, measured, err) < 0)
            return -1;
    if (c->replays.n)
        return 0;
    return c->times ? gcal_evaluation_read_times(t, c->times, measured, err)
                    : gcal_evaluation_measure_targets(t, c->record, measured, err);
}

static void release_json(void *json)
{
    json_decref(json);
}

static int report_rows(const struct evaluate_command *c,
                       const struct gcal_evaluation_report *r, struct gcal_error *err)
{
    json_t *lines = c->json || c->csv ? gcal_evaluation_lines(r) : NULL, *all;

    gcal_arena_own(r->targets->arena, lines, release_json);
    if (c->json) {
        all = json_pack("{s:s, s:s, s:s, s:O}", "node", r->node, "device",
                        r->targets->published->info.name, "missing", r->missing, "lines",
                        lines);
        gcal_json_print(all, "evaluate");
        json_decref(all);
    } else
        gcal_evaluation_print(r);
    return c->csv ? gcal_evaluation_csv(c->csv, lines, err) : 0;
}

/* Exit status, or -1. */
static int evaluate(const struct evaluate_command *c, struct gcal_evaluation_targets *t,
                    const char *node, struct gcal_measured_kernels *measured,
                    struct gcal_error *err)
{
    struct gcal_evaluation e = { .arena = t->arena };
    struct gcal_evaluation_report all = { .evaluation = &e, .targets = t, .node = node };
    bool lacks_some;

    if (gather_kernels(c, t, measured, err) < 0)
        return -1;
    all.missing = gcal_evaluation_missing(t, measured);
    if (gcal_evaluation_compare(t, measured, &e, err) < 0)
        return -1;
    if (!e.n && *all.missing)
        return gcal_error_set(err, GCAL_EINPUT,
                              "models without published parameters for this device: %s",
                              all.missing);
    if (!e.n)
        return gcal_error_set(err, GCAL_EINPUT,
                              c->tags.n
                                  ? "the tags select no measured kernel"
                                  : "no kernel was measured as a target of a model; "
                                    "give tags");
    if (report_rows(c, &all, err) < 0)
        return -1;
    /* Records and files of times have the failures of their runs.  A kernel that the device has no
     * room for did not fail.
     */
    lacks_some = measured->n_left_out > 0;
    for (size_t i = 0; i < measured->n; i++)
        lacks_some =
            lacks_some || (measured->kernels[i].measured &&
                           measured->kernels[i].status != GCAL_MEASUREMENT_GOOD &&
                           measured->kernels[i].status != GCAL_MEASUREMENT_SKIPPED);
    return lacks_some && !c->replays.n && !c->times ? GCAL_EDEVICE : 0;
}

int gcal_command_evaluate(int argc, char **argv)
{
    struct evaluate_command c = { 0 };
    struct gcal_predict_device published = { 0 };
    struct gcal_evaluation_targets targets = { .arena = gcal_arena_create() };
    struct gcal_measured_kernels measured = { .arena = targets.arena };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    targets.config = c.config;
    targets.catalogue = &c.catalogue;
    targets.model = c.published.model;
    targets.seen = c.seen;
    targets.n_tags = c.tags.n;
    targets.tags = c.tags.items;
    rc = gcal_predict_device_open(&c.published, &published, &err);
    targets.published = published.device;
    targets.options = &c.published;
    targets.opened = &published;
    if (rc == 0 && c.with_baselines)
        rc = gcal_evaluation_open_baselines(&targets, c.baseline, &err);
    if (rc == 0)
        rc = evaluate(&c, &targets, published.params.node, &measured, &err);
    gcal_measured_kernels_clear(&measured);
    gcal_arena_destroy(targets.arena);
    gcal_predict_device_clear(&published);
    return rc < 0 ? gcal_command_fail(&err) : rc;
}
