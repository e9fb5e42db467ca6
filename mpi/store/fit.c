/* fit.c - gpucal fit: models fitted to a record, without a device */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/store/recorded.h"
#include "mpi/store/runs.h"
#include "store/record/record.h"

struct fit_command {
    const char *config, *store, *output;
    struct gcal_option_list records, catalogue;
};

static const struct argp_option options[] = {
    { "record", 'r', "FILE.h5", 0,
      "The record of a run (required); several runs are fitted as one", 0 },
    { "config", 'c', "FILE", 0,
      "The configuration with the models to fit (default: that of the record)", 0 },
    { "store", 's', "DIR", 0, "Publish the result to this store", 0 },
    { "output", 'o', "DIR", 0, "Write parameter files NODE.yaml to this folder", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct fit_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->catalogue);
        break;
    case 'r':
        gcal_option_list_add(&c->records, arg, state);
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
        if (!c->records.n)
            argp_error(state, "--record FILE.h5 is required");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(catalogue), { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Fits models to the record of a run, or of several runs together, and prints "
        "their parameters with units and standard errors.\v"
        "Exit status: 0 good, 1 bad input, 4 a fit was rejected, 6 the store cannot be "
        "written.",
};

/* Models of another configuration may need the catalogue. */
static int read_other(const struct fit_command *c, const struct gcal_record *record,
                      struct gcal_config *config, struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = { .folders = &c->catalogue,
                                                         .config = config,
                                                         .records = { record } };
    struct gcal_catalogue *catalogue = NULL;
    int rc = -1;

    if (gcal_config_read(c->config, config, err) == 0 &&
        (catalogue = gcal_command_catalogue_open(&from, err)) &&
        gcal_select_resolve(config, catalogue, err) == 0)
        rc = gcal_fit_find_recorded(record, catalogue, config, err);
    gcal_catalogue_close(catalogue);
    return rc;
}

static int read_config(const struct fit_command *c, const struct gcal_record *record,
                       struct gcal_config *config, struct gcal_error *err)
{
    const struct gcal_record_header *h = gcal_record_header(record);

    if (c->config)
        return read_other(c, record, config, err);
    return gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, config,
                             err);
}

static int write_params(const char *folder, const struct gcal_params *params,
                        struct gcal_error *err)
{
    char *path = gcal_buf_format("%s/%s.yaml", folder, params->node);
    size_t size;
    char *text = gcal_params_encode(params, &size, err);
    int rc = path && text ? gcal_command_write(path, text, err) : -1;

    free(path);
    free(text);
    return rc;
}

static int write_all(const char *folder, const struct gcal_results *results,
                     const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_error *err)
{
    struct gcal_params *params;
    size_t count;
    int rc = 0;

    if (gcal_results_params(results, record, config, &params, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (rc == 0)
            rc = write_params(folder, &params[i], err);
        gcal_params_clear(&params[i]);
    }
    free(params);
    return rc;
}

static int publish(const char *path, const struct gcal_results *results,
                   const struct gcal_record *record, const struct gcal_config *config,
                   struct gcal_error *err)
{
    struct gcal_store *store = gcal_command_store_open(path, true, err);
    size_t published;
    int rc;

    if (!store)
        return -1;
    rc = gcal_results_publish(results, record, config, store, &published, err);
    gcal_store_close(store);
    if (rc == 0)
        printf("%zu node%s published to %s\n", published, published == 1 ? "" : "s",
               path);
    return rc;
}

static void print_remarks(const struct gcal_record *record,
                          const struct gcal_strings *said)
{
    for (size_t i = 0; i < said->n; i++)
        printf("%s\n", said->items[i]);
    for (size_t i = 0; i < gcal_record_lost_count(record); i++)
        printf("lost: %s\n", gcal_record_lost(record, i));
}

/* Returns the exit status. */
static int run(const struct fit_command *c, struct gcal_error *err)
{
    struct gcal_strings said = { 0 };
    struct gcal_record *record =
        gcal_fit_open_runs(c->records.items, c->records.n, c->config != NULL, &said, err);
    struct gcal_results results = { 0 };
    struct gcal_config config = { 0 };
    char *table = NULL;
    int status = -1;

    if (!record || read_config(c, record, &config, err) < 0 ||
        gcal_results_fit(record, &config, &results, err) < 0 ||
        !(table = gcal_results_format(&results, record, &config, err)))
        goto out;
    fputs(table, stdout);
    print_remarks(record, &said);
    if (c->output && write_all(c->output, &results, record, &config, err) < 0)
        goto out;
    if (c->store && publish(c->store, &results, record, &config, err) < 0)
        goto out;
    status = results.n_rejected || !results.n_fits ? GCAL_EFIT : 0;
out:
    free(table);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(record);
    gcal_strings_clear(&said);
    return status;
}

int gcal_command_fit(int argc, char **argv)
{
    struct fit_command c = { 0 };
    struct gcal_error err = { 0 };
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    status = run(&c, &err);
    free(c.records.items);
    free(c.catalogue.items);
    return status < 0 ? gcal_command_fail(&err) : status;
}
