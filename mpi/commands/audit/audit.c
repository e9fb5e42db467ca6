/* audit.c - gpucal audit: changes of the devices of a store */
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/audit.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "calib/config/config.h"
#include "calib/learn/observed.h"
#include "mpi/commands/audit/output/output.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"

_Static_assert(GCAL_CONFIG_MAX_AUDIT_RUNS <= GCAL_AUDIT_MOST_RUNS,
               "an audit keeps as many runs as a configuration may ask for");

enum { KEY_FALSE_ALARMS = 256, KEY_HTML, KEY_PROMETHEUS };

enum { MOST_OUTPUTS = 3 }; /* text or JSON, and files */

/* Fits of a type that its audit reads: enough to know their repeatability. */
enum { MOST_FITS = 100 };

struct audit_command {
    const char *store, *node, *config, *html, *prometheus;
    struct gcal_option_limits limits; /* 0: the configuration's */
    double false_alarms;              /* the same */
    bool json, all;
    size_t n_outputs;
    struct gcal_audit_output outputs[MOST_OUTPUTS];
};

static const struct argp_option options[] = {
    { "false-alarms", KEY_FALSE_ALARMS, "SHARE", 0,
      "Largest share of the calibrations of unchanged devices that may be reported as "
      "changed, e.g. 0.001",
      0 },
    { "html", KEY_HTML, "FILE", 0, "Write a page with plots as well", 0 },
    { "prometheus", KEY_PROMETHEUS, "FILE", 0,
      "Write metrics for the textfile collector of node_exporter as well", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct audit_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->config, &c->node, &c->limits, &c->all,
                           &c->json);
        break;
    case KEY_FALSE_ALARMS:
        c->false_alarms = gcal_option_positive(arg, "", "--false-alarms", state);
        break;
    case KEY_HTML:
        c->html = arg;
        break;
    case KEY_PROMETHEUS:
        c->prometheus = arg;
        break;
    case ARGP_KEY_ARG:
        gcal_option_refuse_argument(arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(store),
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(nodes),
                                              GCAL_OPTION(limits),
                                              GCAL_OPTION(all),
                                              GCAL_OPTION(json),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Compares the calibrations of all devices in a store and reports what changed on "
        "which device, when, and by how much.\v"
        "Examples:\n"
        "  gpucal audit\n"
        "  gpucal audit --node n1 --all --json\n\n"
        "A device is compared with its earlier calibrations and with the other devices "
        "of "
        "its type.  A change counts if it is not explained by chance and if several "
        "consecutive calibrations confirm it.\n"
        "Exit status: 0 no warning, 2 a warning, 3 a failure, 1 bad input, or a track in "
        "the store that cannot be read.",
};

static struct gcal_audit_policy policy_of(const struct audit_command *c,
                                          const struct gcal_config *config)
{
    struct gcal_audit_policy policy = gcal_audit_policy_of(config);

    policy.warn = c->limits.warn > 0 ? c->limits.warn : policy.warn;
    policy.fail = c->limits.fail > 0 ? c->limits.fail : policy.fail;
    policy.false_alarms = c->false_alarms > 0 ? c->false_alarms : policy.false_alarms;
    return policy;
}

static int give_device(void *context, const struct gcal_audit_device *device,
                       struct gcal_error *err)
{
    const struct audit_command *c = context;

    for (size_t i = 0; i < c->n_outputs; i++)
        if (c->outputs[i].device(c->outputs[i].context, device, err) < 0)
            return -1;
    return 0;
}

/* Of each type its newest fits; not by the ledger, which of a large site takes long to read. */
static int audit_types(const struct audit_command *c, const struct gcal_store *store,
                       const struct gcal_audit_policy *policy, struct gcal_error *err)
{
    char **types = NULL;
    size_t n = 0;
    int rc = gcal_store_types(store, &types, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_audit_fits fits;
        struct gcal_error why;

        if (gcal_audit_type(store, NULL, types[i], MOST_FITS, policy, &fits, &why) < 0)
            gcal_log(GCAL_LOG_WARN, "type %s has no verdict: %s", types[i], why.text);
        for (size_t k = 0; k < c->n_outputs && fits.n; k++)
            if (c->outputs[k].type)
                c->outputs[k].type(c->outputs[k].context, &fits);
        gcal_audit_fits_clear(&fits);
    }
    gcal_strings_free(types, n);
    return rc;
}

static int audit(struct gcal_arena *arena, struct audit_command *c,
                 const struct gcal_audit_output_options *about,
                 struct gcal_audit_summary *summary, struct gcal_error *err)
{
    struct gcal_audit_output_options page = *about;

    /* The page has all devices of nodes given by --node. */
    page.all = about->all || c->node;
    c->outputs[c->n_outputs++] = c->json ? gcal_audit_output_json(arena, about)
                                         : gcal_audit_output_text(arena, about);
    if ((c->html && gcal_audit_output_html(arena, &page, c->html,
                                           &c->outputs[c->n_outputs++], err) < 0) ||
        (c->prometheus &&
         gcal_audit_output_prometheus(arena, about, c->prometheus,
                                      &c->outputs[c->n_outputs++], err) < 0) ||
        gcal_audit_store(arena, about->files, c->node, &about->policy, give_device, c,
                         summary, err) < 0 ||
        (!c->node && audit_types(c, about->files, &about->policy, err) < 0))
        return -1;
    for (size_t i = 0; i < c->n_outputs; i++)
        if (c->outputs[i].end(c->outputs[i].context, summary, err) < 0)
            return -1;
    return 0;
}

/* Of the nodes that match. */
static int find_observed(struct gcal_arena *arena, struct gcal_store *store,
                         const char *pattern, struct gcal_observed *observed,
                         struct gcal_error *err)
{
    size_t n = 0;

    if (gcal_learn_observed(arena, store, NULL, true, observed, err) < 0)
        return -1;
    for (size_t i = 0; i < observed->n; i++)
        if (!pattern || fnmatch(pattern, observed->kernels[i].node, 0) == 0)
            observed->kernels[n++] = observed->kernels[i];
    observed->n = n;
    return 0;
}

static int status_of(const struct gcal_audit_summary *summary,
                     const struct gcal_observed *observed)
{
    bool warns = summary->worst == GCAL_AUDIT_WARN;

    if (summary->worst == GCAL_AUDIT_FAIL)
        return GCAL_EDRIFT;
    if (summary->n_unread)
        return GCAL_EINPUT;
    for (size_t i = 0; i < observed->n; i++)
        warns = warns || (observed->kernels[i].drifts && observed->kernels[i].ratio > 1);
    return warns ? GCAL_EDRIFT_WARN : GCAL_OK;
}

int gcal_command_audit(int argc, char **argv)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_audit_summary summary = { 0 };
    struct gcal_config config = { 0 };
    struct gcal_store *store;
    struct gcal_error err = { 0 };
    struct audit_command c = { 0 };
    struct gcal_audit_output_options about;
    struct gcal_observed observed = { 0 };
    const char *path;
    int rc = -1, status;

    gcal_command_parse(&argp, argc, argv, &c);
    if (gcal_config_read_settings(c.config, &config, &err) == 0 &&
        (path = gcal_command_store_path(arena, c.store, c.config, &err)) &&
        (store = gcal_command_store_open(arena, path, false, &err)) &&
        find_observed(arena, store, c.node, &observed, &err) == 0) {
        about = (struct gcal_audit_output_options){ .store = path,
                                                    .files = store,
                                                    .policy = policy_of(&c, &config),
                                                    .observed = &observed,
                                                    .all = c.all };
        rc = audit(arena, &c, &about, &summary, &err);
    }
    status = rc < 0 ? gcal_command_fail(&err) : status_of(&summary, &observed);
    gcal_arena_destroy(arena);
    gcal_config_clear(&config);
    return status;
}
