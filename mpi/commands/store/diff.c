/* diff.c - gpucal diff: comparison of two parameter files or two records */
#include <jansson.h>
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "calib/compare/compare.h"
#include "store/params/diff.h"
#include "kernels/base/units.h"

struct gcal_diff_view {
    const char *before, *after; /* the two files */
    double warn, fail;          /* relative slowdowns: a warning, a failure */
    bool all;                   /* equal ones as well */
};

/* ---- differences between two records, as tables and as JSON ---- */

/* Kernels of a device that are listed without --all. */
#define KERNELS_LISTED 10

static int find_record_status(const struct gcal_compare_records *diff,
                              const struct gcal_diff_view *view)
{
    int status = GCAL_OK;

    for (size_t i = 0; i < diff->n_generators; i++) {
        const struct gcal_compare_ratio *is = &diff->generators[i].is;

        if (!(is->low > 1) || !(is->ratio - 1 > view->warn))
            continue;
        if (is->ratio - 1 > view->fail)
            return GCAL_EDRIFT;
        status = GCAL_EDRIFT_WARN;
    }
    return status;
}

/* The verdict on a ratio. */
static const char *word_of(const struct gcal_compare_ratio *is)
{
    if (isnan(is->low))
        return "unknown";
    if (!gcal_compare_ratio_differs(is))
        return "noise";
    return is->ratio > 1 ? "slower" : "faster";
}

static void print_ratio(const struct gcal_compare_ratio *is)
{
    printf("  %-7s %7.4f ", word_of(is), is->ratio);
    if (isnan(is->low))
        printf(" %16s ", "-");
    else
        printf(" %7.4f - %6.4f ", is->low, is->high);
}

static void print_groups(const char *what, const struct gcal_compare_mean *groups,
                         size_t n, size_t device, bool all)
{
    size_t left_out = 0;
    bool head = false;

    for (size_t i = 0; i < n; i++) {
        if (groups[i].device != device)
            continue;
        if (!all && !gcal_compare_ratio_differs(&groups[i].is)) {
            left_out++;
            continue;
        }
        if (!head)
            printf("  %-7s %7s  %16s  %7s  %s\n", "", "ratio", "90 % interval", "kernels",
                   what);
        head = true;
        print_ratio(&groups[i].is);
        printf(" %7zu  %s\n", groups[i].n, groups[i].name);
    }
    if (left_out)
        printf("  %zu %s%s%s within the noise\n", left_out, head ? "other " : "", what,
               left_out == 1 ? "" : "s");
}

static void print_only(const char *file, const char *const *names, size_t n, bool all)
{
    if (!n)
        return;
    printf("%zu kernel%s only in %s%s\n", n, n == 1 ? " is" : "s are", file,
           all ? ":" : "; --all lists them");
    for (size_t i = 0; all && i < n; i++)
        printf("  %s\n", names[i]);
}

static void print_record(const struct gcal_compare_records *diff,
                         const struct gcal_diff_view *view)
{
    printf("ratios of times, %s over %s: above 1 is slower\n", view->after, view->before);
    for (size_t i = 0; i < diff->n_devices; i++) {
        const struct gcal_run_device *a = diff->devices[i].before,
                                     *b = diff->devices[i].after;
        size_t n = 0, differ = 0, printed = 0;

        printf("\n%s on node %s (%s)\n", b->info.name, b->node, b->info.uid);
        if (strcmp(a->info.uid, b->info.uid) != 0 || strcmp(a->node, b->node) != 0)
            printf("note: compared with the device on node %s (%s)\n", a->node,
                   a->info.uid);
        if (strcmp(a->info.driver, b->info.driver) != 0)
            printf("note: driver changed from %s to %s\n", a->info.driver,
                   b->info.driver);
        print_groups("category", diff->groups, diff->n_groups, i, true);
        print_groups("generator", diff->generators, diff->n_generators, i, view->all);
        for (size_t j = 0; j < diff->n_kernels; j++) {
            const struct gcal_compare_kernel *k = &diff->kernels[j];
            bool differs = gcal_compare_ratio_differs(&k->is);
            char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE];

            if (k->device != i)
                continue;
            n++;
            differ += differs;
            if (!view->all && (!differs || differ > KERNELS_LISTED))
                continue;
            if (!printed++)
                printf("  %-7s %7s  %16s  %10s %10s  %s\n", "", "ratio", "90 % interval",
                       "before", "after", "kernel");
            print_ratio(&k->is);
            printf(" %10s %10s  %s\n", gcal_units(k->before_s, "s", before),
                   gcal_units(k->after_s, "s", after), k->name);
        }
        printf("  %zu of %zu kernels differ; about a tenth is expected by chance%s\n",
               differ, n, printed == n ? "" : "; --all prints all");
    }
    if (diff->n_only_before || diff->n_only_after)
        putchar('\n');
    print_only(view->before, diff->only_before, diff->n_only_before, view->all);
    print_only(view->after, diff->only_after, diff->n_only_after, view->all);
}

/* ---- JSON ---- */

static void set_ratio(json_t *object, const struct gcal_compare_ratio *is)
{
    json_object_set_new(object, "what", json_string(word_of(is)));
    json_object_set_new(object, "ratio", json_real(is->ratio));
    json_object_set_new(object, "low", gcal_json_number(is->low));
    json_object_set_new(object, "high", gcal_json_number(is->high));
}

static json_t *groups_json(const struct gcal_compare_mean *groups, size_t n,
                           size_t device)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *object;

        if (groups[i].device != device)
            continue;
        object = json_pack("{s:s, s:I}", "name", groups[i].name, "kernels",
                           (json_int_t)groups[i].n);
        set_ratio(object, &groups[i].is);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *kernels_json(const struct gcal_compare_records *diff, size_t device,
                            bool all)
{
    json_t *list = json_array();

    for (size_t i = 0; i < diff->n_kernels; i++) {
        const struct gcal_compare_kernel *k = &diff->kernels[i];
        json_t *object;

        if (k->device != device || (!all && !gcal_compare_ratio_differs(&k->is)))
            continue;
        object = json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", k->name, "generator",
                           k->generator, "subject", k->group, "before_s", k->before_s,
                           "after_s", k->after_s);
        set_ratio(object, &k->is);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *device_json(const struct gcal_compare_records *diff, size_t device,
                           bool all)
{
    const struct gcal_run_device *a = diff->devices[device].before,
                                 *b = diff->devices[device].after;

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "node",
                     b->node, "device", b->info.uid, "name", b->info.name, "node_before",
                     a->node, "device_before", a->info.uid, "driver", b->info.driver,
                     "driver_before", a->info.driver, "subjects",
                     groups_json(diff->groups, diff->n_groups, device), "generators",
                     groups_json(diff->generators, diff->n_generators, device), "kernels",
                     kernels_json(diff, device, all));
}

static json_t *names_json(const char *const *names, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *make_record_json(const struct gcal_compare_records *diff,
                                const struct gcal_diff_view *view)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < diff->n_devices; i++)
        json_array_append_new(devices, device_json(diff, i, view->all));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i}", "compared", "records",
                     "before", view->before, "after", view->after, "devices", devices,
                     "only_before", names_json(diff->only_before, diff->n_only_before),
                     "only_after", names_json(diff->only_after, diff->n_only_after),
                     "exit_status", find_record_status(diff, view));
}

/* ---- differences between two parameter files, as tables and as JSON ---- */

/* GCAL_EDRIFT_WARN or GCAL_EDRIFT if something is slower, beyond noise and by more than
 * the limit; else GCAL_OK.
 */
static int find_params_status(const struct gcal_params_diff *diff,
                              const struct gcal_diff_view *view)
{
    int status = GCAL_OK;

    for (size_t i = 0; i < diff->n_changes; i++) {
        const struct gcal_params_diff_change *c = &diff->changes[i];

        if (c->noise || !c->cost || !(c->change > view->warn))
            continue;
        if (c->change > view->fail)
            return GCAL_EDRIFT;
        status = GCAL_EDRIFT_WARN;
    }
    return status;
}

/* The verdict on a change. */
static const char *word(const struct gcal_params_diff_change *c)
{
    if (c->noise)
        return c->change == 0 ? "same" : "noise";
    if (!c->cost)
        return "other";
    return c->change > 0 ? "slower" : "faster";
}

static const char *percent(double change, char text[16])
{
    if (isfinite(change))
        snprintf(text, 16, "%+.2f %%", 100 * change);
    else
        snprintf(text, 16, "from 0");
    return text;
}

static const char *sigmas(double value, char text[16])
{
    if (isfinite(value))
        snprintf(text, 16, "%.1f", value);
    else
        snprintf(text, 16, "-");
    return text;
}

static size_t count_real(const struct gcal_params_diff *diff)
{
    size_t n = 0;

    while (n < diff->n_changes && !diff->changes[n].noise)
        n++;
    return n;
}

static void print_params(const struct gcal_params_diff *diff,
                         const struct gcal_diff_view *view)
{
    size_t real = count_real(diff);

    printf("parameters of %s compared with %s\n", view->after, view->before);
    for (size_t i = 0; i < diff->n_notes; i++)
        printf("note: %s\n", diff->notes[i]);
    /* The devices in the order of their largest changes. */
    for (size_t i = 0; i < diff->n_changes; i++) {
        size_t first = 0;

        while (diff->changes[first].to != diff->changes[i].to)
            first++;
        if (first == i) {
            bool head = false;

            for (size_t j = 0; j < diff->n_changes; j++) {
                const struct gcal_params_diff_change *c = &diff->changes[j];
                char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE], change[16],
                    errors[16];

                if (c->to != diff->changes[i].to || (c->noise && !view->all))
                    continue;
                if (!head)
                    printf("%s (%s)\n  %-6s %9s %7s %12s %12s  %s\n",
                           diff->changes[i].to->info.name, diff->changes[i].to->info.uid,
                           "", "change", "errors", "before", "after", "parameter");
                head = true;
                printf("  %-6s %9s %7s %12s %12s  %s %s\n", word(c),
                       percent(c->change, change), sigmas(c->sigmas, errors),
                       gcal_units(c->before, c->unit, before),
                       gcal_units(c->after, c->unit, after), c->model, c->parameter);
            }
        }
    }
    printf("%zu device%s compared: %zu of %zu parameters differ by more than %d standard "
           "errors%s\n",
           diff->n_devices, diff->n_devices == 1 ? "" : "s", real, diff->n_changes,
           GCAL_PARAMS_DIFF_SIGMAS,
           view->all || real == diff->n_changes ? ""
                                                : "; --all prints the others as well");
}

static json_t *change_json(const struct gcal_params_diff_change *c)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "device", c->to->info.uid,
                  "device_before", c->from->info.uid, "model", c->model, "parameter",
                  c->parameter, "unit", c->unit, "what", word(c), "noise", (int)c->noise);

    json_object_set_new(object, "before", gcal_json_number(c->before));
    json_object_set_new(object, "after", gcal_json_number(c->after));
    json_object_set_new(object, "before_error", gcal_json_number(c->before_error));
    json_object_set_new(object, "after_error", gcal_json_number(c->after_error));
    json_object_set_new(object, "change", gcal_json_number(c->change));
    json_object_set_new(object, "standard_errors", gcal_json_number(c->sigmas));
    return object;
}

static json_t *make_params_json(const struct gcal_params_diff *diff,
                                const struct gcal_diff_view *view)
{
    json_t *changes = json_array(), *notes = json_array();

    for (size_t i = 0; i < diff->n_changes; i++)
        if (view->all || !diff->changes[i].noise)
            json_array_append_new(changes, change_json(&diff->changes[i]));
    for (size_t i = 0; i < diff->n_notes; i++)
        json_array_append_new(notes, json_string(diff->notes[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:i}", "compared",
                     "parameters", "before", view->before, "after", view->after,
                     "devices", (json_int_t)diff->n_devices, "parameters",
                     (json_int_t)diff->n_changes, "differ", (json_int_t)count_real(diff),
                     "notes", notes, "changes", changes, "exit_status",
                     find_params_status(diff, view));
}

/* ---- gpucal diff: comparison of two parameter files or two records ---- */

#define MAX_FILE_BYTES (16u << 20)

struct diff_command {
    const char *files[2];
    size_t n_files;
    const char *config;
    struct gcal_option_limits limits; /* 0: the configuration's */
    struct gcal_option_list catalogue;
    bool json, all;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct diff_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->all, &c->json, &c->limits, &c->config,
                           &c->catalogue);
        break;
    case ARGP_KEY_ARG:
        if (c->n_files == 2)
            argp_error(state, "unexpected argument '%s': two files are compared", arg);
        c->files[c->n_files++] = arg;
        break;
    case ARGP_KEY_END:
        if (c->n_files < 2)
            argp_error(state, "expected two files: parameter files or records");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(all),       GCAL_OPTION(json),
                                              GCAL_OPTION(limits),    GCAL_OPTION(config),
                                              GCAL_OPTION(catalogue), { 0 } };
static const struct argp argp = {
    .parser = parse,
    .children = children,
    .args_doc = "A B",
    .doc =
        "Compares two parameter files (NODE.yaml) or two records (.h5) and prints what "
        "changed from A to B.  For a parameter file and a record, the parameters are "
        "compared.\v"
        "Examples:\n"
        "  gpucal diff n1.yaml node17.yaml --all\n"
        "  gpucal diff run.h5 run.h5 --warn 2 --fail 10 --json\n"
        "Exit status: 0 nothing is slower by more than --warn, 2 something is, 3 "
        "something is slower by more than --fail, 1 bad input.  What is faster or within "
        "the noise does not count.",
};

/* ---- a file of either kind ---- */

struct input {
    const char *path;
    struct gcal_record *record;  /* NULL: a parameter file */
    size_t n_params;             /* nodes */
    struct gcal_params *params;  /* of a record: after fit_record() */
    struct gcal_results results; /* and all that they are made of */
    struct gcal_config config;
};

static void input_clear(struct input *in)
{
    if (!in->record && in->params) {
        gcal_params_clear(in->params);
        free(in->params);
    }
    gcal_results_clear(&in->results);
    gcal_config_clear(&in->config);
    gcal_record_close(in->record);
}

/* 1 yes, 0 no, -1 with 'err'.  A record begins with gpucal's seal, or, if others changed
 * it, as plain HDF5.
 */
static int is_record(const char *path, struct gcal_error *err)
{
    static const char sealed[] = "gpucal record,", plain[] = "\211HDF\r\n\032\n";
    char head[sizeof(sealed)] = "";
    int file = gcal_file_open(path, err), rc = 0;

    if (file < 0)
        return -1;
    if (read(file, head, sizeof(head) - 1) < 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    else if (strcmp(head, sealed) == 0 || memcmp(head, plain, sizeof(plain) - 1) == 0)
        rc = 1;
    close(file);
    return rc;
}

static int input_open(struct input *in, const char *path, struct gcal_error *err)
{
    int record = is_record(path, err);

    in->path = path;
    if (record < 0)
        return -1;
    if (!record) {
        size_t size;
        char *text = gcal_file_read(in->path, MAX_FILE_BYTES, &size, err);
        int rc = -1;

        if (!text)
            return -1;
        if (!(in->params = calloc(1, sizeof(*in->params))))
            gcal_error_memory(err);
        else
            rc = gcal_params_decode(text, size, in->path, in->params, err);
        if (rc == 0)
            in->n_params = 1;
        free(text);
        return rc;
    }
    if (gcal_record_try(path, err) < 0)
        return -1;
    return (in->record = gcal_record_open(path, err)) ? 0 : -1;
}

/* Fits the parameters as gpucal fit does. */
static int fit_record(struct input *in, struct gcal_error *err)
{
    const struct gcal_record_header *h = in->record->header;

    if (gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, &in->config,
                          err) == 0 &&
        gcal_results_fit(in->record, &in->config, &in->results, err) == 0 &&
        gcal_results_params(&in->results, in->record, &in->config, &in->params,
                            &in->n_params, err) == 0)
        return 0;
    return gcal_error_prefix(err, "%s", in->path);
}

/* The parameters of 'node' in 'in', or of its only node. */
static const struct gcal_params *pick_node(const struct input *in, const char *node,
                                           struct gcal_error *err)
{
    for (size_t i = 0; i < in->n_params; i++)
        if (strcmp(in->params[i].node, node) == 0)
            return &in->params[i];
    if (in->n_params == 1)
        return in->params;
    gcal_error_set(err, GCAL_EINPUT,
                   in->n_params
                       ? "%s: no node %s among its nodes"
                       : "%s: no model could be fitted, for node %s or any other",
                   in->path, node);
    return NULL;
}

/* ---- comparing ---- */

static int show(json_t *document, const struct diff_command *c, int status,
                struct gcal_error *err)
{
    if (c->json && !document)
        return gcal_error_memory(err);
    if (c->json)
        gcal_json_print(document, "diff");
    json_decref(document);
    return status;
}

static int compare_params(struct input in[2], const struct diff_command *c,
                          const struct gcal_diff_view *view, struct gcal_error *err)
{
    const struct input *file = in[0].record ? &in[1] : &in[0];
    const struct gcal_params *before, *after;
    struct gcal_params_diff diff;
    int status;

    for (size_t i = 0; i < 2; i++)
        if (in[i].record && fit_record(&in[i], err) < 0)
            return -1;
    if (!(before =
              in[0].record ? pick_node(&in[0], file->params->node, err) : in[0].params) ||
        !(after =
              in[1].record ? pick_node(&in[1], file->params->node, err) : in[1].params) ||
        gcal_params_diff_find(before, after, &diff, err) < 0)
        return -1;
    if (!diff.n_devices)
        status =
            gcal_error_set(err, GCAL_EINPUT, "%s and %s have no device in common: %s",
                           in[0].path, in[1].path, diff.n_notes ? diff.notes[0] : "");
    else {
        if (!c->json)
            print_params(&diff, view);
        status = show(c->json ? make_params_json(&diff, view) : NULL, c,
                      find_params_status(&diff, view), err);
    }
    gcal_params_diff_clear(&diff);
    return status;
}

static int compare_records(struct input in[2], const struct diff_command *c,
                           const struct gcal_diff_view *view, struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = {
        .folders = &c->catalogue, .records = { in[0].record, in[1].record }
    };
    struct gcal_catalogue *catalogue = gcal_command_catalogue_open(&from, err);
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_compare_records diff;
    int status = -1;

    if (catalogue && gcal_compare_records(arena, in[0].record, in[1].record, catalogue,
                                          &diff, err) == 0) {
        if (!c->json)
            print_record(&diff, view);
        status = show(c->json ? make_record_json(&diff, view) : NULL, c,
                      find_record_status(&diff, view), err);
    }
    gcal_catalogue_close(catalogue);
    gcal_arena_destroy(arena);
    return status;
}

/* Returns the exit status, or -1. */
static int run(struct diff_command *c, struct gcal_error *err)
{
    struct input in[2] = { 0 };
    int status = -1;
    struct gcal_option_limits *l = &c->limits;
    struct gcal_config config = { 0 };
    int rc = gcal_config_read_settings(c->config, &config, err);

    if (rc == 0) {
        l->warn = l->warn > 0 ? l->warn : config.audit_warn;
        l->fail = l->fail > 0 ? l->fail : config.audit_fail;
    }
    gcal_config_clear(&config);
    if (rc == 0 && l->warn > l->fail)
        rc = gcal_error_set(err, GCAL_EINPUT, "--warn %g %% is above --fail %g %%",
                            100 * l->warn, 100 * l->fail);
    if (rc == 0 && input_open(&in[0], c->files[0], err) == 0 &&
        input_open(&in[1], c->files[1], err) == 0) {
        const struct gcal_diff_view view = { .before = c->files[0],
                                             .after = c->files[1],
                                             .warn = c->limits.warn,
                                             .fail = c->limits.fail,
                                             .all = c->all };

        status = in[0].record && in[1].record ? compare_records(in, c, &view, err)
                                              : compare_params(in, c, &view, err);
    }
    input_clear(&in[0]);
    input_clear(&in[1]);
    return status;
}

int gcal_command_diff(int argc, char **argv)
{
    struct diff_command c = { 0 };
    struct gcal_error err = { 0 };
    int status;

    gcal_command_parse(&argp, argc, argv, &c);
    status = run(&c, &err);
    return status < 0 ? gcal_command_fail(&err) : status;
}
