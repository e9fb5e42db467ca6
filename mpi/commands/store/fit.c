/* fit.c - gpucal fit: models fitted to a record, without a device */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "kernels/model/model.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/run_header.h"
#include "store/record/record.h"
#include "calib/config/config.h"
#include "kernels/base/log.h"
#include "kernels/generate/generate.h"

/* ---- the records that are fitted: of several runs, and by another configuration ---- */

/* ---- several runs ---- */

/* The configuration that the record was made by. */
static int read_config(const struct gcal_record *record, struct gcal_config *config,
                       struct gcal_error *err)
{
    const struct gcal_record_header *h = record->header;

    return gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, config,
                             err);
}

/* Returns whether a run was measured as the first was. */
static int check_run(const struct gcal_record *all, const struct gcal_config *first,
                     const char *const *paths, size_t i, const struct gcal_record *record,
                     bool other_models, struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    const char *what = NULL;
    int rc = 0;

    if (strcmp(record->header->catalogue, all->header->catalogue) != 0)
        what = "catalogues of kernels";
    else if (!other_models && (rc = read_config(record, &config, err)) == 0 &&
             strcmp(config.fingerprint, first->fingerprint) != 0)
        what = "configurations";
    gcal_config_clear(&config);
    return what ? gcal_error_set(err, GCAL_EINPUT,
                                 "%s and %s were measured by different %s: their times "
                                 "are not those of one calibration",
                                 paths[0], paths[i], what)
                : rc;
}

/* Opens a record, or several as one (calib/results/results.h).  They must have been measured
 * by the same catalogue and, unless 'other_models', by the same configuration: GCAL_EINPUT
 * with the names of two files that were not.  'said': a sentence for each device of several
 * runs.
 */
static struct gcal_record *open_runs(const char *const *paths, size_t n,
                                     bool other_models, struct gcal_strings *said,
                                     struct gcal_error *err)
{
    struct gcal_config first = { 0 };
    struct gcal_record *all = NULL;
    int rc = 0;

    if (n > 1)
        all = gcal_record_collect();
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_record *record =
            gcal_record_try(paths[i], err) < 0 ? NULL : gcal_record_open(paths[i], err);

        if (n == 1)
            return record;
        rc = -1;
        if (record && (i ? check_run(all, &first, paths, i, record, other_models, err)
                         : read_config(record, &first, err)) == 0)
            rc = gcal_results_collect(all, record, paths[i], &first, said, err);
        gcal_record_close(record);
    }
    gcal_config_clear(&first);
    if (rc == 0)
        return all;
    gcal_record_close(all);
    return NULL;
}

/* ---- models of another configuration ---- */

static bool is_recorded(const struct gcal_record *record, const char *model)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_kernel_uses *uses = &record->kernels[i].uses;

        for (size_t k = 0; k < uses->n; k++)
            if (strcmp(uses->items[k].model, model) == 0)
                return true;
    }
    return false;
}

/* Targets are not fitted to. */
static bool is_measurement_kernel(const struct gcal_run_kernel *kernel)
{
    for (size_t i = 0; i < kernel->uses.n; i++)
        if (kernel->uses.items[i].role == GCAL_KERNEL_FITTED)
            return true;
    return false;
}

/* Gives the model the measurement kernels that its tags pick. */
static int find_kernels(const struct gcal_record *record,
                        const struct gcal_catalogue *catalogue,
                        struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];
        int picked = 0;

        if (!is_measurement_kernel(kernel))
            continue;
        for (size_t k = 0; k < m->n_tag_sets && picked == 0; k++)
            picked = gcal_select_picks(catalogue, &m->tag_sets[k], kernel->name, err);
        if (picked < 0)
            return -1;
        if (!picked)
            continue;
        m->recorded = gcal_arena_grow(m->arena, m->recorded, m->n_recorded,
                                      &m->recorded_capacity, sizeof(*m->recorded));
        m->recorded[m->n_recorded++] = gcal_arena_strdup(m->arena, kernel->id);
    }
    return 0;
}

/* Gives the models of 'config' that the record was made without those of its measurement
 * kernels that their tags pick.  A model that has fewer than parameters is marked as unrecorded,
 * with a warning, unless all are.
 */
static int find_recorded(const struct gcal_record *record,
                         const struct gcal_catalogue *catalogue,
                         struct gcal_config *config, struct gcal_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];
        bool recorded = is_recorded(record, m->name);

        if (!recorded && find_kernels(record, catalogue, m, err) < 0)
            return -1;
        m->unrecorded =
            !recorded && m->n_recorded < (m->model ? m->model->n_parameters : 1);
        n += m->unrecorded;
    }
    /* Models that the record says too little about are left out where there are others. */
    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];

        m->unrecorded = m->unrecorded && n < config->n_models;
        if (m->unrecorded)
            gcal_log(GCAL_LOG_WARN,
                     "model %s is left out: the record has %zu kernels of it, fewer than "
                     "its parameters",
                     m->name, m->n_recorded);
    }
    return 0;
}

/* ---- gpucal fit: models fitted to a record, without a device ---- */

struct fit_command {
    const char *config, *store, *output;
    struct gcal_option_list records, catalogue;
    bool json;
};

static const struct argp_option options[] = {
    { "record", 'r', "FILE.h5", 0, "The record of a run; several runs are fitted as one",
      0 },
    { "config", 'c', "FILE", 0,
      "The configuration with the models to fit (default: that of the record)", 0 },
    { "store", 's', "DIR", 0,
      "Fit together with the devices of earlier runs in this store, and publish the "
      "result there; without a record, fit all of its devices again",
      0 },
    { "output", 'o', "DIR", 0, "Write parameter files NODE.yaml to this folder", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct fit_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->catalogue, &c->json);
        break;
    case 'r':
        gcal_option_list_add(&c->records, arg);
        break;
    case 'c':
        c->config = arg;
        break;
    case 's':
        c->store = arg;
        break;
    case 'o':
        c->output = arg;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (did you mean '--record %s'?)", arg,
                   arg);
        break;
    case ARGP_KEY_END:
        if (!c->records.n && !c->store)
            argp_error(state, "--record FILE.h5 or --store DIR is required");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(catalogue),
                                              GCAL_OPTION(json),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Fits models to the record of a run, or of several runs together, or to what a "
        "store has of its devices, and prints their parameters with units and standard "
        "errors.\v"
        "Examples:\n"
        "  gpucal fit --record run.h5\n"
        "  gpucal fit --record run.h5 --output fitted --json\n"
        "Exit status: 0 good, 1 bad input, 4 a fit was rejected, 6 the store cannot be "
        "written.",
};

/* What is fitted, and where it is published. */
struct fitting {
    struct gcal_arena *arena;
    struct gcal_store *store; /* NULL: nowhere */
    struct gcal_record *record;
    struct gcal_config config;
    struct gcal_strings said;
    struct gcal_result_speeds speeds;
    bool again; /* what the store has, without a record */
};

/* The configuration of --config, with which models of a record or of the store are fitted. */
static int read_other(const struct fit_command *c, struct fitting *f,
                      struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = { .folders = &c->catalogue,
                                                         .config = &f->config,
                                                         .records = { f->record } };
    struct gcal_catalogue *catalogue = NULL;
    int rc = -1;

    if (gcal_config_read(c->config, &f->config, err) == 0 &&
        (catalogue = gcal_command_catalogue_open(&from, err)) &&
        gcal_select_resolve(&f->config, catalogue, err) == 0) {
        if (f->again) /* all devices that the store has medians of */
            f->record = gcal_results_read_store(f->store, &f->config,
                                                gcal_catalogue_fingerprint(catalogue),
                                                &f->said, err);
        rc = f->again ? (f->record ? 0 : -1)
                      : find_recorded(f->record, catalogue, &f->config, err);
    }
    gcal_catalogue_close(catalogue);
    return rc;
}

static int read_all(const struct fit_command *c, struct fitting *f,
                    struct gcal_error *err)
{
    if (c->store && !(f->store = gcal_command_store_open(f->arena, c->store, true, err)))
        return -1;
    f->again = !c->records.n;
    if (f->again)
        return read_other(c, f, err) == 0
                   ? gcal_results_read_tracks(f->arena, f->record, f->store, &f->speeds,
                                              &f->said, err)
                   : -1;
    f->record =
        open_runs(c->records.items, c->records.n, c->config != NULL, &f->said, err);
    if (!f->record ||
        (c->config ? read_other(c, f, err) : read_config(f->record, &f->config, err)) < 0)
        return -1;
    if (f->store && gcal_results_publish_links(f->record, f->store, &f->said, err) < 0)
        return -1;
    return f->store ? gcal_results_pool(f->arena, &f->record, &f->config, f->store,
                                        &f->speeds, &f->said, err)
                    : 0;
}

static int write_all(const char *folder, const struct gcal_results *results,
                     const struct fitting *f, struct gcal_error *err)
{
    struct gcal_params *params;
    size_t count, size;

    if (gcal_results_params(results, f->record, &f->config, &params, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const char *path =
            gcal_arena_format(f->arena, "%s/%s.yaml", folder, params[i].node);
        char *text = gcal_params_encode(&params[i], &size, err);
        int rc = text ? gcal_command_write(path, text, err) : -1;

        free(text);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* What the store has is published as a run of its own, in which nothing was measured. */
static int publish(const struct fitting *f, const struct gcal_results *results,
                   size_t *published, struct gcal_error *err)
{
    return gcal_results_publish(results, f->record, &f->config, f->store,
                                f->again ? gcal_run_id_new(f->arena) : NULL, published,
                                err);
}

/* ---- JSON ---- */

static json_t *parameters_json(const struct gcal_model *model, const struct gcal_fit *fit)
{
    json_t *all = json_object();

    for (size_t i = 0; i < fit->n_parameters; i++)
        json_object_set_new(
            all, model->parameters[i].name,
            json_pack("{s:o, s:o, s:s, s:b}", "value", gcal_json_number(fit->value[i]),
                      "standard_error", gcal_json_number(fit->standard_error[i]), "unit",
                      model->parameters[i].unit, "at_bound", (int)fit->at_bound[i]));
    return all;
}

static json_t *fit_json(const struct gcal_config *config,
                        const struct gcal_result_type_fit *t)
{
    const struct gcal_config_model *model = &config->models[t->model];
    char why[GCAL_PARAMS_WHY_SIZE];
    json_t *all =
        json_pack("{s:s, s:s, s:b, s:s, s:b, s:s, s:i, s:i}", "type", t->type, "model",
                  model->name, "good", (int)t->good, "verdict",
                  gcal_result_verdict_name(gcal_result_judge(t, config, why)), "outlier",
                  (int)t->is_outlier, "reason", t->reason ? t->reason : "", "devices",
                  (int)t->n_devices, "rows", (int)t->n_rows);
    const struct gcal_result_form_fit *best = t->good ? &t->forms[t->best] : NULL;

    /* Of a fit without a good form: null. */
    json_object_set_new(all, "form",
                        best ? json_string(model->forms[t->best].name) : json_null());
    json_object_set_new(all, "parameters",
                        best ? parameters_json(model->forms[t->best].model, &best->fit)
                             : json_null());
    json_object_set_new(all, "mean_error",
                        best ? gcal_json_number(best->fit.mean_error) : json_null());
    json_object_set_new(all, "held_out_mean_error",
                        best ? gcal_json_number(best->held_out.mean_error) : json_null());
    return all;
}

/* ---- the command ---- */

/* Returns the exit status. */
static int run(const struct fit_command *c, struct gcal_error *err)
{
    struct fitting f = { .arena = gcal_arena_create() };
    struct gcal_display *display = gcal_display_create(false);
    const struct gcal_result_progress progress = { gcal_display_fitted, display };
    struct gcal_results results = { 0 };
    size_t n_published = 0;
    char *table = NULL;
    int status = -1;

    if (read_all(c, &f, err) < 0 ||
        gcal_results_fit_with(f.record, &f.config, &f.speeds, &progress, &results, err) <
            0 ||
        !(table = gcal_results_format(&results, f.record, &f.config, err)))
        goto out;
    gcal_display_clear(display);
    if (!c->json) {
        fputs(table, stdout);
        for (size_t i = 0; i < f.said.n; i++)
            printf("%s\n", f.said.items[i]);
        for (size_t i = 0; i < f.record->n_lost; i++)
            printf("lost: %s\n", f.record->lost[i]);
    }
    if (c->output && write_all(c->output, &results, &f, err) < 0)
        goto out;
    if (f.store && publish(&f, &results, &n_published, err) < 0)
        goto out;
    if (c->json) {
        json_t *fits = json_array(), *outliers = json_array(), *all;

        for (size_t i = 0; i < results.n_fits; i++)
            json_array_append_new(fits, fit_json(&f.config, &results.fits[i]));
        for (size_t i = 0; i < results.n_outliers; i++)
            json_array_append_new(outliers, json_string(results.outliers[i].text));
        all = json_pack("{s:o, s:i, s:o, s:i}", "fits", fits, "rejected",
                        (int)results.n_rejected, "outliers", outliers, "nodes_published",
                        (int)n_published);
        gcal_json_print(all, "fit");
        json_decref(all);
    } else if (f.store)
        printf("%zu node%s published to %s\n", n_published, n_published == 1 ? "" : "s",
               c->store);
    status = results.n_rejected || !results.n_fits ? GCAL_EFIT : 0;
out:
    gcal_display_destroy(display);
    free(table);
    gcal_results_clear(&results);
    gcal_config_clear(&f.config);
    gcal_record_close(f.record);
    gcal_strings_clear(&f.said);
    gcal_arena_destroy(f.arena);
    return status;
}

int gcal_command_fit(int argc, char **argv)
{
    struct fit_command c = { 0 };
    struct gcal_error err = { 0 };
    int status;

    gcal_command_parse(&argp, argc, argv, &c);
    status = run(&c, &err);
    return status < 0 ? gcal_command_fail(&err) : status;
}
