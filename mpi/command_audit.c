/* command_audit.c - gpucal audit: what changed between calibrations */
#include <argp.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/units.h"
#include "calib/config.h"
#include "mpi/command.h"
#include "mpi/print_json.h"
#include "store/store.h"

struct audit_command {
    const char *store, *node, *since, *config;
    double warn, fail;
    bool json, all;
};

static const struct argp_option options[] = {
    { "store", 's', "DIR", 0, "The store (default: $GPUCAL_STORE)", 0 },
    { "config", 'c', "FILE", 0, "Take limits and store from this configuration", 0 },
    { "node", 'N', "PATTERN", 0, "Only nodes whose name matches", 0 },
    { "since", 'S', "RUN", 0, "Compare with this run (default: the one before the last)",
      0 },
    { "warn", 'w', "PERCENT", 0, "Change that is a warning", 0 },
    { "fail", 'f', "PERCENT", 0, "Change that is a failure", 0 },
    { "all", 'a', NULL, 0, "Print parameters that did not drift, too", 0 },
    { "json", 'j', NULL, 0, "As JSON", 0 },
    { 0 },
};

static double percent(const char *text, const char *what, struct argp_state *state)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || (*end && strcmp(end, "%") != 0) || !(value > 0))
        argp_error(state, "%s: expected a positive percentage, found '%s'", what, text);
    return value / 100;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct audit_command *c = state->input;

    switch (key) {
    case 's':
        c->store = arg;
        break;
    case 'c':
        c->config = arg;
        break;
    case 'N':
        c->node = arg;
        break;
    case 'S':
        c->since = arg;
        break;
    case 'w':
        c->warn = percent(arg, "--warn", state);
        break;
    case 'f':
        c->fail = percent(arg, "--fail", state);
        break;
    case 'a':
        c->all = true;
        break;
    case 'j':
        c->json = true;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is no option; did you mean --node %s?", arg, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Compares the calibrations of each node and says which parameters drifted.\v"
           "A change counts when it exceeds the limit and three standard errors.\n"
           "Exit status: 0 none, 2 a warning, 3 a failure, 1 bad input.",
};

static const char *const verdicts[] = { "ok", "warning", "failure" };

static void print_changes(const struct gcal_audit *audit, bool all)
{
    char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE];

    for (size_t i = 0; i < audit->n_changes; i++) {
        const struct gcal_audit_change *c = &audit->changes[i];

        if (c->drift == GCAL_DRIFT_NONE && !all)
            continue;
        printf("  %-8s %s, %s %s: %s -> %s (%+.2f%%, %.1f standard errors)\n",
               verdicts[c->drift], c->device_name, c->model, c->parameter,
               gcal_units(c->before, c->unit, before),
               gcal_units(c->after, c->unit, after), 100 * c->change, c->sigmas);
    }
}

static json_t *audit_json(const struct gcal_audit *audit, const char *node,
                          const char *before, const char *after)
{
    json_t *changes = json_array();

    for (size_t i = 0; i < audit->n_changes; i++) {
        const struct gcal_audit_change *c = &audit->changes[i];

        json_array_append_new(changes,
                              json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:s}",
                                        "device", c->device_uid, "model", c->model,
                                        "parameter", c->parameter, "unit", c->unit,
                                        "before", c->before, "after", c->after, "change",
                                        c->change, "verdict", verdicts[c->drift]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "node", node, "before", before, "after",
                     after, "verdict", verdicts[audit->drift], "changes", changes);
}

static int compare(const struct audit_command *c, const struct gcal_store *store,
                   const char *node, const char *before, const char *after, json_t *all,
                   enum gcal_drift *worst, struct gcal_error *err)
{
    struct gcal_audit_limits limits = { .warn = c->warn, .fail = c->fail };
    struct gcal_params old = { 0 }, new = { 0 };
    struct gcal_audit audit = { 0 };
    int rc = -1;

    if (gcal_store_load(store, node, before, &old, err) < 0 ||
        gcal_store_load(store, node, after, &new, err) < 0 ||
        gcal_audit_compare(&old, &new, &limits, &audit, err) < 0)
        goto out;
    if (c->json)
        json_array_append_new(all, audit_json(&audit, node, before, after));
    else {
        printf("node %s: %s, run %s against %s\n", node, verdicts[audit.drift], after,
               before);
        print_changes(&audit, c->all);
        if (audit.notes && *audit.notes)
            printf("  %s\n", audit.notes);
    }
    if (audit.drift > *worst)
        *worst = audit.drift;
    rc = 0;
out:
    gcal_audit_clear(&audit);
    gcal_params_clear(&old);
    gcal_params_clear(&new);
    return rc;
}

static int audit_node(const struct audit_command *c, const struct gcal_store *store,
                      const char *node, json_t *all, enum gcal_drift *worst,
                      struct gcal_error *err)
{
    char **runs;
    size_t count;
    int rc = 0;

    if (gcal_store_history(store, node, &runs, &count, err) < 0)
        return -1;
    if (count < 2 && !c->json)
        printf("node %s: calibrated once, nothing to compare with\n", node);
    else if (count >= 2)
        rc = compare(c, store, node, c->since ? c->since : runs[count - 2],
                     runs[count - 1], all, worst, err);
    gcal_names_free(runs, count);
    return rc;
}

static int audit_all(const struct audit_command *c, const struct gcal_store *store,
                     enum gcal_drift *worst, struct gcal_error *err)
{
    json_t *all = json_array();
    size_t count = 0, seen = 0;
    char **nodes = NULL;
    int rc = gcal_store_nodes(store, &nodes, &count, err);

    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (c->node && fnmatch(c->node, nodes[i], 0) != 0)
            continue;
        rc = audit_node(c, store, nodes[i], all, worst, err);
        seen++;
    }
    if (rc == 0 && !seen)
        rc = gcal_error_set(err, GCAL_EINPUT, "no published node matches");
    if (rc == 0 && c->json)
        gcal_print_json(all);
    gcal_names_free(nodes, count);
    json_decref(all);
    return rc;
}

int gcal_command_audit(int argc, char **argv)
{
    static const int status[] = { GCAL_OK, GCAL_EDRIFT_WARN, GCAL_EDRIFT };
    enum gcal_drift worst = GCAL_DRIFT_NONE;
    struct gcal_config config = { 0 };
    struct gcal_store *store = NULL;
    struct gcal_error err = { 0 };
    struct audit_command c = { 0 };
    char *path = NULL;
    int rc = -1;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    if (gcal_config_read_settings(c.config, &config, &err) == 0 &&
        (path = gcal_command_store(c.store, c.config, &err)) &&
        (store = gcal_command_store_open(path, false, &err))) {
        c.warn = c.warn > 0 ? c.warn : config.audit_warn;
        c.fail = c.fail > 0 ? c.fail : config.audit_fail;
        rc = audit_all(&c, store, &worst, &err);
    }
    gcal_store_close(store);
    gcal_config_clear(&config);
    free(path);
    return rc < 0 ? gcal_command_fail(&err) : status[worst];
}
