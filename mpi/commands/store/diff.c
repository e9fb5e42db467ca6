/* diff.c - gpucal diff: comparison of two parameter files or two records */
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
#include "mpi/commands/store/diff.h"

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
            gcal_diff_params_print(&diff, view);
        status = show(c->json ? gcal_diff_params_json(&diff, view) : NULL, c,
                      gcal_diff_params_status(&diff, view), err);
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
            gcal_diff_record_print(&diff, view);
        status = show(c->json ? gcal_diff_record_json(&diff, view) : NULL, c,
                      gcal_diff_record_status(&diff, view), err);
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
