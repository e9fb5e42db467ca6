/* evaluate.c - gpucal evaluate: predictions compared with measurements */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/predict/baselines.h"
#include "mpi/commands/predict/compare.h"
#include "mpi/commands/predict/evaluation_print.h"
#include "mpi/commands/predict/features_csv.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/predict/measure_targets.h"
#include "mpi/commands/predict/recount.h"
#include "mpi/commands/predict/times.h"
#include "store/predict/predictor.h"

struct evaluate_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list tags, catalogue, replays;
    const char *config, *record, *times, *csv, *features;
    bool with_baselines, json;
    const char *baseline; /* a parameter file, or NULL */
};

/* What is read and measured. */
struct inputs {
    struct gcal_predict_device published;
    struct gcal_baselines baselines; /* empty without --baseline */
    struct gcal_measured_kernels measured;
    /* Of records; kernels measured by tags are targets of their models. */
    struct gcal_evaluation_selection selection;
};

enum { REPLAY = 256, TIMES, BASELINE, FEATURES };

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
    { "features", FEATURES, "FILE.csv", 0,
      "Write the counts of the models' features, with the measured times, to this file",
      0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
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
        gcal_option_list_add(&c->replays, arg, state);
        break;
    case TIMES:
        c->times = arg;
        break;
    case BASELINE:
        c->with_baselines = true;
        c->baseline = arg;
        break;
    case FEATURES:
        c->features = arg;
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->tags, arg, state);
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
    .parser = parse,
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
        "  gpucal evaluate --replay evaluation.h5 --params node17.yaml\n"
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

/* The kernels of one record, counted for the models that predict them. */
static int replay(const struct evaluate_command *c, const char *file,
                  const struct gcal_evaluation_targets *targets, struct inputs *in,
                  struct gcal_error *err)
{
    const struct gcal_device_info *info = &targets->published->info;
    struct gcal_record *record =
        gcal_record_try(file, err) < 0 ? NULL : gcal_record_open(file, err);
    size_t device = 0, first = in->measured.n;
    int rc = -1;

    if (!record)
        return -1;
    if (find_recorded(record, info, &device, err) == 0 &&
        gcal_measured_kernels_read(&in->measured, record, device, err) == 0) {
        in->selection.n_tags = c->tags.n;
        in->selection.all_targets =
            c->published.model &&
            !gcal_measured_kernels_have_target(&in->measured, c->published.model);
        rc = gcal_evaluation_recount(targets, &in->selection, record, info, &in->measured,
                                     first, err);
    }
    in->measured.uid = in->measured.node = NULL; /* the record's */
    gcal_record_close(record);
    return rc < 0 ? gcal_error_prefix(err, "%s", file) : 0;
}

static int gather(const struct evaluate_command *c, struct inputs *in,
                  struct gcal_error *err)
{
    const struct gcal_device_info *info = &in->published.device->info;
    struct gcal_evaluation_targets targets = {
        .config = c->config,
        .catalogue = &c->catalogue,
        .model = c->published.model,
        .published = in->published.device,
        .baselines = &in->baselines,
        .n_tags = c->tags.n,
        .tags = c->tags.items,
    };

    for (size_t i = 0; i < c->replays.n; i++)
        if (replay(c, c->replays.items[i], &targets, in, err) < 0)
            return -1;
    if (c->replays.n)
        return 0;
    if (c->times)
        return gcal_evaluation_read_times(&targets, c->times, info, &in->measured, err);
    return gcal_evaluation_measure_targets(&targets, info, c->record, &in->measured, err);
}

/* ---- output ---- */

static int write_csv(const char *path, const struct gcal_evaluation_report *report,
                     struct gcal_error *err)
{
    FILE *file = fopen(path, "we");
    int failed, rc;

    if (!file)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    rc = gcal_evaluation_csv(file, report, err);
    failed = ferror(file);
    if ((fclose(file) == EOF || failed) && rc == 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    return rc;
}

/* The lines of the CSV file, as objects. */
static int print_json(const struct gcal_evaluation_report *report, struct gcal_error *err)
{
    char *csv = NULL;
    size_t size;
    FILE *file = open_memstream(&csv, &size);
    json_t *lines = NULL, *all;
    int rc;

    if (!file)
        return gcal_error_memory(err);
    rc = gcal_evaluation_csv(file, report, err);
    if (fclose(file) == 0 && rc == 0)
        lines = gcal_json_rows(csv, size, err);
    free(csv);
    if (!lines)
        return -1;
    all =
        json_pack("{s:s, s:s, s:s, s:o}", "node", report->node, "device",
                  report->device->info.name, "missing", report->missing, "lines", lines);
    gcal_json_print(all, "evaluate");
    json_decref(all);
    return 0;
}

static int report(const struct evaluate_command *c, const struct inputs *in,
                  const struct gcal_evaluation *evaluation, const char *missing,
                  struct gcal_error *err)
{
    struct gcal_evaluation_set *sets;
    struct gcal_evaluation_report r = { .evaluation = evaluation,
                                        .node = in->published.params.node,
                                        .device = in->published.device,
                                        .missing = missing,
                                        .baselines = &in->baselines };
    int rc;

    if (gcal_evaluation_sets(evaluation, &sets, &r.n_sets, err) < 0)
        return -1;
    r.sets = sets;
    rc = c->json ? print_json(&r, err) : gcal_evaluation_print(&r, err);
    if (rc == 0 && c->csv)
        rc = write_csv(c->csv, &r, err);
    if (rc == 0 && c->features)
        rc = gcal_features_csv(c->features, evaluation, r.device, err);
    free(sets);
    return rc;
}

/* Why there is nothing to report. */
static int no_kernels(const struct evaluate_command *c, const char *missing,
                      struct gcal_error *err)
{
    if (*missing)
        return gcal_error_set(err, GCAL_EINPUT,
                              "models without published parameters for this device: %s",
                              missing);
    return gcal_error_set(err, GCAL_EINPUT,
                          c->tags.n ? "the tags select no measured kernel"
                                    : "no kernel was measured as a target of a model; "
                                      "give tags");
}

static int compare(const struct evaluate_command *c, const struct inputs *in,
                   struct gcal_error *err)
{
    const struct gcal_params_device *device = in->published.device;
    struct gcal_evaluation evaluation = { 0 };
    char *missing = gcal_evaluation_missing(&in->selection, &in->measured, device, err);
    int rc = -1;

    if (missing &&
        gcal_evaluation_compare(&in->selection, &in->measured, device, &evaluation,
                                err) == 0 &&
        gcal_baselines_compare(&in->baselines, &in->measured, &evaluation, err) == 0)
        rc = evaluation.n ? report(c, in, &evaluation, missing, err)
                          : no_kernels(c, missing, err);
    gcal_evaluation_clear(&evaluation);
    free(missing);
    return rc;
}

/* The published parameters, checked, and the models beside them. */
static int open_models(const struct evaluate_command *c, struct inputs *in,
                       struct gcal_error *err)
{
    if (gcal_predict_device_open(&c->published, &in->published, err) < 0)
        return -1;
    return c->with_baselines ? gcal_baselines_open(c->baseline, in->published.device,
                                                   &in->baselines, err)
                             : 0;
}

/* Exit status, or -1. */
static int run(const struct evaluate_command *c, struct gcal_error *err)
{
    struct inputs in = { .selection = { .model = c->published.model,
                                        .tags = c->tags.items } };
    int rc = -1;

    if (open_models(c, &in, err) == 0 && gather(c, &in, err) == 0)
        rc = compare(c, &in, err);
    /* Records and files of times have the failures of their runs. */
    if (rc == 0 && !c->replays.n && !c->times &&
        gcal_measured_kernels_lack_some(&in.measured))
        rc = GCAL_EDEVICE;
    gcal_measured_kernels_clear(&in.measured);
    gcal_baselines_clear(&in.baselines);
    gcal_predict_device_clear(&in.published);
    return rc;
}

int gcal_command_evaluate(int argc, char **argv)
{
    struct evaluate_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    free(c.tags.items);
    free(c.catalogue.items);
    free(c.replays.items);
    return rc < 0 ? gcal_command_fail(&err) : rc;
}
