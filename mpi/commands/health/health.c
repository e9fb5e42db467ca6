/* health.c - gpucal health: whether a node's devices are there and as fast as they were */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/audit/audit.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "calib/config/config.h"
#include "calib/worker/worker.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "store/files/store.h"

/* OpenCL answers in less. */
#define LIST_S 20.0
#define DAY_S  86400.0

struct health_command {
    const char *node, *store, *config;
    double max_age_s; /* 0: any age */
    bool require, json;
};

enum verdict { GOOD, WARNING, FAILURE, UNKNOWN };

static const char *const names[] = { "good", "warning", "failure", "unknown" };

struct health {
    char *node;
    enum verdict verdict;
    char *reason;     /* of the verdict */
    const char *code; /* stable, for scripts; "" if it is good */
    size_t n_published, n_present;
    bool looked; /* at the devices: it is this node */
};

enum { REQUIRE = 256, MAX_AGE };

static const struct argp_option options[] = {
    { "node", 'N', "NODE", 0, "The node (default: this one)", 0 },
    { "require", REQUIRE, NULL, 0, "A node that is not calibrated is a failure", 0 },
    { "max-age", MAX_AGE, "DAYS", 0,
      "A model that was calibrated longer ago is a warning (default: any age)", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct health_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->store, &c->config, &c->json);
        break;
    case 'N':
        c->node = arg;
        break;
    case REQUIRE:
        c->require = true;
        break;
    case MAX_AGE:
        c->max_age_s = gcal_option_positive(arg, "", "--max-age", state) * DAY_S;
        break;
    case ARGP_KEY_ARG:
        gcal_option_refuse_argument(arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(config), GCAL_OPTION(json), { 0 }
};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Says in one line whether a node is well: whether the devices that are published "
        "of "
        "it are there, if it is this node, and whether 'gpucal audit' finds a confirmed "
        "drift.\v"
        "Examples:\n"
        "  gpucal health --node n1\n"
        "  gpucal health --require --max-age 90\n\n"
        "A failure is what was seen, never that it could not look: this is 'unknown', as "
        "is a node given by --node of which nothing is published.  Without --node, this "
        "node is good then, unless --require is given.\n"
        "Exit status: 0 good, 2 a warning, 3 a failure, 1 unknown.",
};

/* ---- verdicts ---- */

/* How much a verdict says: what was seen counts more than what could not be. */
static int weight(enum verdict verdict)
{
    static const int weights[] = {
        [GOOD] = 0, [WARNING] = 1, [UNKNOWN] = 2, [FAILURE] = 3
    };

    return weights[verdict];
}

/* The first of the gravest counts.  Takes 'reason'. */
static int judge(struct health *h, enum verdict verdict, const char *code, char *reason,
                 struct gcal_error *err)
{
    if (!reason)
        return gcal_error_memory(err);
    if (h->reason && weight(verdict) <= weight(h->verdict)) {
        free(reason);
        return 0;
    }
    free(h->reason);
    h->verdict = verdict;
    h->code = code;
    h->reason = reason;
    return 0;
}

/* ---- devices ---- */

static bool has(const struct gcal_device_info *devices, size_t n, const char *uid)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(devices[i].uid, uid) == 0)
            return true;
    return false;
}

static int compare(struct health *h, const struct gcal_params *published,
                   const struct gcal_device_info *devices, struct gcal_error *err)
{
    for (size_t i = 0; i < published->n_devices; i++) {
        const struct gcal_device_info *info = &published->devices[i].info;

        if (!has(devices, h->n_present, info->uid) &&
            judge(h, FAILURE, "GPUCAL-DEVICE-GONE",
                  gcal_buf_format("%s (%s) is gone", info->name, info->uid), err) < 0)
            return -1;
    }
    return 0;
}

/* The outcome of listing; REFUSED: there is none. */
static int judge_list(struct health *h, enum gcal_worker_outcome outcome, double took_s,
                      const struct gcal_error *why, struct gcal_error *err)
{
    if (outcome == GCAL_WORKER_TIMED_OUT || took_s >= LIST_S)
        return judge(h, FAILURE, "GPUCAL-OPENCL-HANGS",
                     gcal_buf_format("OpenCL does not answer within %.0f s", LIST_S),
                     err);
    if (outcome == GCAL_WORKER_DIED)
        return judge(h, UNKNOWN, "GPUCAL-BLIND",
                     gcal_buf_format("the devices are not known: %s", why->text), err);
    return 0;
}

static int check_devices(struct health *h, const struct gcal_params *published,
                         struct gcal_error *err)
{
    struct gcal_worker_spawner *spawner;
    struct gcal_worker *worker = NULL;
    struct gcal_device_info *devices = NULL;
    enum gcal_worker_outcome outcome = GCAL_WORKER_DIED;
    struct gcal_error why = { 0 };
    double start_s = gcal_clock_now_s();
    int rc;

    if ((spawner = gcal_worker_spawner_start(&why)) &&
        (worker = gcal_worker_start(spawner, NULL, &why)))
        outcome = gcal_worker_list_devices(worker, LIST_S, &devices, &h->n_present, &why);
    h->looked = outcome == GCAL_WORKER_DONE || outcome == GCAL_WORKER_REFUSED;
    rc = judge_list(h, outcome, gcal_clock_now_s() - start_s, &why, err);
    if (rc == 0 && h->looked && (h->verdict == GOOD || h->verdict == WARNING))
        rc = compare(h, published, devices, err);
    for (size_t i = 0; i < h->n_present && devices; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
    gcal_worker_spawner_stop(spawner);
    return rc;
}

/* ---- drift ---- */

static int add_device(void *context, const struct gcal_audit_device *device,
                      struct gcal_error *err)
{
    struct health *h = context;

    for (size_t i = 0; i < device->n_findings; i++) {
        const struct gcal_audit_finding *f = &device->findings[i];
        bool failed = f->verdict == GCAL_AUDIT_FAIL;

        if ((failed || f->verdict == GCAL_AUDIT_WARN) &&
            judge(h, failed ? FAILURE : WARNING, f->code,
                  gcal_buf_format("drift of %s: %s (%s)", device->name, f->what, f->code),
                  err) < 0)
            return -1;
    }
    return 0;
}

static int check_drift(struct health *h, const struct gcal_store *store,
                       const struct gcal_config *config, struct gcal_error *err)
{
    const struct gcal_audit_policy policy = gcal_audit_policy_of(config);
    struct gcal_audit_summary summary = { 0 };
    struct gcal_error why = { 0 };
    int rc = 0;

    if (gcal_audit_store(store, h->node, &policy, add_device, h, &summary, &why) < 0)
        rc = judge(h, UNKNOWN, "GPUCAL-BLIND",
                   gcal_buf_format("the node is not audited: %s", why.text), err);
    for (size_t i = 0; i < summary.n_unread && rc == 0; i++)
        rc = judge(h, UNKNOWN, "GPUCAL-BLIND",
                   gcal_buf_format("the node is not audited: %s", summary.unread[i].why),
                   err);
    gcal_audit_summary_clear(&summary);
    return rc;
}

/* ---- calibrations ---- */

/* The oldest model: another one that was measured since says nothing of it. */
static int check_age(struct health *h, const struct gcal_params *published,
                     double max_age_s, struct gcal_error *err)
{
    const char *oldest = NULL;
    double age_s = max_age_s;

    for (size_t i = 0; i < published->n_devices; i++) {
        const struct gcal_params_device *d = &published->devices[i];

        for (size_t k = 0; k < d->n_models; k++) {
            const char *utc = gcal_params_model_origin(d, &d->models[k]).calibrated_utc;
            double is_s = (double)time(NULL) - gcal_clock_parse_utc(utc);

            if (is_s > age_s) {
                oldest = d->models[k].name;
                age_s = is_s;
            }
        }
    }
    if (!oldest)
        return 0;
    return judge(h, WARNING, "GPUCAL-OLD",
                 gcal_buf_format("model %s was calibrated %.0f days ago: calibrate it "
                                 "again, or 'gpucal store forget' it",
                                 oldest, age_s / DAY_S),
                 err);
}

static int check_required(struct health *h, const struct gcal_params *published,
                          struct gcal_error *err)
{
    for (size_t i = 0; i < published->n_devices; i++) {
        const struct gcal_params_device *d = &published->devices[i];

        if (!d->n_models &&
            judge(h, FAILURE, "GPUCAL-NOT-CALIBRATED",
                  gcal_buf_format("%s (%s) is not calibrated", d->info.name, d->info.uid),
                  err) < 0)
            return -1;
    }
    return 0;
}

/* A name that is mistyped must not pass for ever. */
static int judge_unpublished(struct health *h, const struct health_command *c,
                             struct gcal_error *err)
{
    if (c->require)
        return judge(h, FAILURE, "GPUCAL-NOT-CALIBRATED",
                     strdup("nothing is published of it"), err);
    if (c->node)
        return judge(h, UNKNOWN, "GPUCAL-NOT-CALIBRATED",
                     strdup("nothing is published of it: 'gpucal show' lists the nodes "
                            "that are calibrated"),
                     err);
    return 0;
}

/* ---- the node ---- */

/* 1 with its file, 0 if nothing is published. */
static int read_published(struct health *h, const struct gcal_store *store,
                          struct gcal_params *published, struct gcal_error *err)
{
    char **nodes;
    size_t n;
    bool found = false;

    if (gcal_store_nodes(store, &nodes, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        found = found || strcmp(nodes[i], h->node) == 0;
    gcal_strings_free(nodes, n);
    if (found && gcal_store_load(store, h->node, NULL, published, err) < 0)
        return -1;
    h->n_published = found ? published->n_devices : 0;
    return found;
}

static int check(struct health *h, const struct health_command *c,
                 const struct gcal_store *store, const struct gcal_config *config,
                 bool is_here, struct gcal_error *err)
{
    struct gcal_params published = { 0 };
    int rc = read_published(h, store, &published, err);

    if (rc == 0)
        rc = judge_unpublished(h, c, err);
    if (rc > 0 && c->require && check_required(h, &published, err) < 0)
        rc = -1;
    if (rc > 0 && is_here)
        rc = check_devices(h, &published, err) < 0 ? -1 : 1;
    if (rc > 0 && h->verdict != FAILURE)
        rc = check_drift(h, store, config, err) < 0 ? -1 : 1;
    if (rc > 0 && c->max_age_s > 0)
        rc = check_age(h, &published, c->max_age_s, err);
    gcal_params_clear(&published);
    return rc < 0 ? -1 : 0;
}

static int say_good(struct health *h, struct gcal_error *err)
{
    char *reason;

    if (h->reason)
        return 0;
    if (!h->n_published)
        reason = strdup("nothing is published of it");
    else
        reason = gcal_buf_format("%zu device%s%s", h->n_published,
                                 h->n_published == 1 ? "" : "s",
                                 h->looked ? "" : ", not looked at from here");
    return judge(h, GOOD, "", reason, err);
}

/* Any error is one of the check. */
static int look(struct health *h, const struct health_command *c, struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    struct gcal_store *store = NULL;
    char *path = NULL, *here = gcal_node_name(err);
    int rc = -1;

    h->node = c->node ? strdup(c->node) : here ? strdup(here) : NULL;
    if (!h->node)
        gcal_error_memory(err);
    else if (gcal_config_read_settings(c->config, &config, err) == 0 &&
             (path = gcal_command_store_path(c->store, c->config, err)) &&
             (store = gcal_command_store_open(path, false, err)) &&
             check(h, c, store, &config, here && strcmp(h->node, here) == 0, err) == 0)
        rc = say_good(h, err);
    gcal_store_close(store);
    gcal_config_clear(&config);
    free(path);
    free(here);
    return rc;
}

static void print(const struct health *h, bool json)
{
    json_t *all;

    if (!json) {
        printf("%s: %s: %s\n", h->node, names[h->verdict], h->reason);
        return;
    }
    all = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o}", "node", h->node, "status",
                    names[h->verdict], "code", h->code, "reason", h->reason, "published",
                    (int)h->n_published, "present",
                    h->looked ? json_integer((json_int_t)h->n_present) : json_null());
    gcal_json_print(all, "health");
    json_decref(all);
}

int gcal_command_health(int argc, char **argv)
{
    static const int status[] = { [GOOD] = GCAL_OK,
                                  [WARNING] = GCAL_EDRIFT_WARN,
                                  [FAILURE] = GCAL_EDRIFT,
                                  [UNKNOWN] = GCAL_EINPUT };
    struct health_command c = { 0 };
    struct health h = { .code = "" };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    if (c.node && gcal_store_check_name("node", c.node, &err) < 0)
        return gcal_command_fail(&err);
    rc = look(&h, &c, &err);
    if (rc < 0 && h.node)
        rc = judge(&h, UNKNOWN, "GPUCAL-BLIND", strdup(err.text), &err);
    if (rc == 0)
        print(&h, c.json);
    free(h.node);
    free(h.reason);
    return rc < 0 ? gcal_command_fail(&err) : status[h.verdict];
}
