/* health.c - gpucal health: whether a node's devices are there and as fast as they were */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/audit/audit.h"
#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "calib/config/config.h"
#include "calib/worker/worker.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/health/private.h"
#include "store/files/store.h"

/* OpenCL answers in less. */
#define LIST_S 20.0
#define DAY_S  86400.0

struct health_command {
    const char *node, *store, *config;
    double max_age_s; /* 0: any age */
    bool require, check, json;
};

struct health {
    struct gcal_verdicts v;
    size_t n_published, n_present;
    bool looked;    /* at the devices: it is this node */
    json_t *checks; /* NULL: none is asked for */
};

enum { REQUIRE = 256, MAX_AGE, CHECK };

static const struct argp_option options[] = {
    { "node", 'N', "NODE", 0, "The node (default: this one)", 0 },
    { "require", REQUIRE, NULL, 0, "A node that is not calibrated is a failure", 0 },
    { "max-age", MAX_AGE, "DAYS", 0,
      "A model that was calibrated longer ago is a warning (default: any age)", 0 },
    { "check", CHECK, NULL, 0,
      "Measure each device for at most 5 s of its time, and compare it with its checks "
      "before "
      "and with its type",
      0 },
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
    case CHECK:
        c->check = true;
        break;
    case ARGP_KEY_END:
        if (c->check && c->node)
            argp_error(state, "--check measures the devices of this node: it excludes "
                              "--node");
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
        "drift.  --check measures them as well, in seconds.\v"
        "Examples:\n"
        "  gpucal health --node n1\n"
        "  gpucal health --require --max-age 90\n"
        "  gpucal health --check --json\n\n"
        "A failure is what was seen, never that it could not look: this is 'unknown', as "
        "is a node given by --node of which nothing is published.  Without --node, this "
        "node is good then, unless --require is given.\n"
        "Exit status: 0 good, 2 a warning, 3 a failure, 1 unknown.",
};

/* ---- devices ---- */

static const struct gcal_device_info *find_device(const struct gcal_device_info *devices,
                                                  size_t n, const char *uid)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(devices[i].uid, uid) == 0)
            return &devices[i];
    return NULL;
}

/* Whether they are there; with 'check', each is measured.  REFUSED: there is no device. */
static void check_devices(struct health *h, const struct gcal_params *published,
                          struct gcal_check_context *check)
{
    struct gcal_worker_spawner *spawner;
    struct gcal_worker *worker = NULL;
    struct gcal_device_info *devices = NULL;
    enum gcal_worker_outcome outcome = GCAL_WORKER_DIED;
    struct gcal_error why = { 0 };
    double start_s = gcal_clock_now_s();

    if ((spawner = gcal_worker_spawner_start(&why)) &&
        (worker = gcal_worker_start(spawner, NULL, &why)))
        outcome = gcal_worker_list_devices(worker, LIST_S, &devices, &h->n_present, &why);
    h->looked = outcome == GCAL_WORKER_DONE || outcome == GCAL_WORKER_REFUSED;
    if (outcome == GCAL_WORKER_TIMED_OUT || gcal_clock_now_s() - start_s >= LIST_S)
        gcal_verdicts_add(&h->v, GCAL_VERDICT_FAILURE, "GPUCAL-OPENCL-HANGS",
                          gcal_arena_format(h->v.arena,
                                            "OpenCL does not answer within %.0f s",
                                            LIST_S));
    else if (outcome == GCAL_WORKER_DIED)
        gcal_verdicts_add(
            &h->v, GCAL_VERDICT_UNKNOWN, "GPUCAL-BLIND",
            gcal_arena_format(h->v.arena, "the devices are not known: %s", why.text));
    for (size_t i = 0; i < published->n_devices && h->looked; i++) {
        const struct gcal_device_info *info = &published->devices[i].info;

        if (!find_device(devices, h->n_present, info->uid))
            gcal_verdicts_add(
                &h->v, GCAL_VERDICT_FAILURE, "GPUCAL-DEVICE-GONE",
                gcal_arena_format(h->v.arena, "%s (%s) is gone", info->name, info->uid));
    }
    gcal_worker_stop(worker);
    for (size_t i = 0; i < published->n_devices && h->looked && check; i++) {
        const struct gcal_params_device *d = &published->devices[i];
        const struct gcal_device_info *info =
            find_device(devices, h->n_present, d->info.uid);

        check->spawner = spawner;
        if (info)
            json_array_append_new(h->checks, gcal_check_device(&h->v, check, d, info));
    }
    for (size_t i = 0; i < h->n_present && devices; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_spawner_stop(spawner);
}

/* ---- drift ---- */

static int add_device(void *context, const struct gcal_audit_device *device,
                      struct gcal_error *err)
{
    struct health *h = context;

    (void)err;
    for (size_t i = 0; i < device->n_findings; i++) {
        const struct gcal_audit_finding *f = &device->findings[i];
        bool failed = f->verdict == GCAL_AUDIT_FAIL;

        if (failed || f->verdict == GCAL_AUDIT_WARN)
            gcal_verdicts_add(&h->v, failed ? GCAL_VERDICT_FAILURE : GCAL_VERDICT_WARNING,
                              f->code,
                              gcal_arena_format(h->v.arena, "drift of %s: %s (%s)",
                                                device->name, f->what, f->code));
    }
    return 0;
}

/* ---- calibrations ---- */

/* The oldest model: another one that was measured since says nothing of it. */
static void check_age(struct health *h, const struct gcal_params *published,
                      double max_age_s)
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
    if (oldest)
        gcal_verdicts_add(
            &h->v, GCAL_VERDICT_WARNING, "GPUCAL-OLD",
            gcal_arena_format(h->v.arena,
                              "model %s was calibrated %.0f days ago: calibrate it "
                              "again, or 'gpucal store forget' it",
                              oldest, age_s / DAY_S));
}

/* ---- the node ---- */

GCAL_ARENA_DESTROYER(clear_published, gcal_params_clear)
GCAL_ARENA_DESTROYER(close_catalogue, gcal_catalogue_close)

/* What is published of it; NULL, without error: nothing. */
static struct gcal_params *
read_published(struct health *h, const struct gcal_store *store, struct gcal_error *err)
{
    struct gcal_params *published;
    char **nodes;
    size_t n;
    bool found = false;

    if (gcal_store_nodes(store, &nodes, &n, err) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        found = found || strcmp(nodes[i], h->v.node) == 0;
    gcal_strings_free(nodes, n);
    if (!found)
        return NULL;
    published = gcal_arena_alloc(h->v.arena, 1, sizeof(*published));
    gcal_arena_own(h->v.arena, published, clear_published);
    if (gcal_store_load(store, h->v.node, NULL, published, err) < 0)
        return NULL;
    h->n_published = published->n_devices;
    return published;
}

/* Any error is one of the check. */
static int look(struct health *h, const struct health_command *c,
                struct gcal_config *config, struct gcal_error *err)
{
    const char *here = gcal_node_name(h->v.arena), *path;
    struct gcal_store *store;
    struct gcal_params *published;

    h->v.node = c->node ? c->node : here;
    if (gcal_config_read_settings(c->config, config, err) < 0 ||
        !(path = gcal_command_store_path(h->v.arena, c->store, c->config, err)) ||
        !(store = gcal_command_store_open(h->v.arena, path, false, err)))
        return -1;
    *err = (struct gcal_error){ 0 };
    published = read_published(h, store, err);
    if (!published && err->code)
        return -1;
    if (!published && c->require)
        gcal_verdicts_add(&h->v, GCAL_VERDICT_FAILURE, "GPUCAL-NOT-CALIBRATED",
                          "nothing is published of it");
    else if (!published && c->node) /* a name that is mistyped must not pass for ever */
        gcal_verdicts_add(
            &h->v, GCAL_VERDICT_UNKNOWN, "GPUCAL-NOT-CALIBRATED",
            "nothing is published of it: 'gpucal show' lists the nodes that are "
            "calibrated");
    if (published && c->require) {
        for (size_t i = 0; i < published->n_devices; i++) {
            const struct gcal_params_device *d = &published->devices[i];

            if (!d->n_models)
                gcal_verdicts_add(&h->v, GCAL_VERDICT_FAILURE, "GPUCAL-NOT-CALIBRATED",
                                  gcal_arena_format(h->v.arena,
                                                    "%s (%s) is not calibrated",
                                                    d->info.name, d->info.uid));
        }
    }
    const struct gcal_audit_policy policy = gcal_audit_policy_of(config);
    struct gcal_check_context check = {
        .node = h->v.node, .store_path = path, .store = store, .policy = &policy
    };
    if (published && c->check) {
        const struct gcal_command_catalogue_sources built_in = { 0 };

        if (!(check.catalogue =
                  gcal_arena_own(h->v.arena, gcal_command_catalogue_open(&built_in, err),
                                 close_catalogue)))
            return -1;
        h->checks = json_array();
        gcal_log_set_level(
            GCAL_LOG_WARN); /* not what calibrations say of their progress */
    }
    if (published && here && strcmp(h->v.node, here) == 0)
        check_devices(h, published, h->checks ? &check : NULL);
    if (published && h->v.verdict != GCAL_VERDICT_FAILURE) {
        struct gcal_audit_summary summary = { 0 };
        struct gcal_error why = { 0 };

        if (gcal_audit_store(h->v.arena, store, h->v.node, &policy, add_device, h,
                             &summary, &why) < 0)
            gcal_verdicts_add(
                &h->v, GCAL_VERDICT_UNKNOWN, "GPUCAL-BLIND",
                gcal_arena_format(h->v.arena, "the node is not audited: %s", why.text));
        for (size_t i = 0; i < summary.n_unread; i++)
            gcal_verdicts_add(&h->v, GCAL_VERDICT_UNKNOWN, "GPUCAL-BLIND",
                              gcal_arena_format(h->v.arena, "the node is not audited: %s",
                                                summary.unread[i].why));
    }
    if (published && c->max_age_s > 0)
        check_age(h, published, c->max_age_s);
    if (!h->n_published)
        gcal_verdicts_add(&h->v, GCAL_VERDICT_GOOD, "", "nothing is published of it");
    else
        gcal_verdicts_add(
            &h->v, GCAL_VERDICT_GOOD, "",
            gcal_arena_format(h->v.arena, "%zu device%s%s", h->n_published,
                              h->n_published == 1 ? "" : "s",
                              h->looked ? "" : ", not looked at from here"));
    return 0;
}

static void print(const struct health *h, bool json)
{
    const json_t *check;
    json_t *all;
    size_t i;

    if (!json) {
        printf("%s: %s: %s\n", h->v.node, gcal_verdict_names[h->v.verdict], h->v.reason);
        json_array_foreach(h->checks, i, check) gcal_check_print(check);
        return;
    }
    all = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:O?}", "node", h->v.node, "status",
                    gcal_verdict_names[h->v.verdict], "code", h->v.code, "reason",
                    h->v.reason, "published", (int)h->n_published, "present",
                    h->looked ? json_integer((json_int_t)h->n_present) : json_null(),
                    "checks", h->checks);
    gcal_json_print(all, "health");
    json_decref(all);
}

int gcal_command_health(int argc, char **argv)
{
    static const int status[] = { [GCAL_VERDICT_GOOD] = GCAL_OK,
                                  [GCAL_VERDICT_WARNING] = GCAL_EDRIFT_WARN,
                                  [GCAL_VERDICT_FAILURE] = GCAL_EDRIFT,
                                  [GCAL_VERDICT_UNKNOWN] = GCAL_EINPUT };
    struct health_command c = { 0 };
    struct health h = { .v = { .code = "" } };
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    if (c.node && gcal_store_check_name("node", c.node, &err) < 0)
        return gcal_command_fail(&err);
    h.v.arena = gcal_arena_create();
    rc = look(&h, &c, &config, &err);
    if (rc < 0 && h.v.node) {
        gcal_verdicts_add(&h.v, GCAL_VERDICT_UNKNOWN, "GPUCAL-BLIND", err.text);
        rc = 0;
    }
    if (rc == 0)
        print(&h, c.json);
    json_decref(h.checks);
    gcal_config_clear(&config);
    gcal_arena_destroy(h.v.arena);
    return rc < 0 ? gcal_command_fail(&err) : status[h.v.verdict];
}
