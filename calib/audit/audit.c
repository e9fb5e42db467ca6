/* audit.c - the audit of a store: nodes in parallel, first all types, then each device */
#include "calib/audit/audit.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/threads.h"
#include "calib/config/config.h"
#include "store/params/params.h"

/* Nodes that are in memory at a time, and threads that work on them. */
enum { BATCH = 32, MAX_THREADS = 8 };

/* A node and its devices. */
struct slot {
    struct gcal_arena *arena; /* of the devices and their track; NULL: there are none */
    struct gcal_audit_device *devices;
    size_t n_devices;
};

/* A node's place among those whose devices represent their types. */
struct place {
    uint64_t place;
    size_t node;
};

struct audit {
    struct gcal_arena *arena; /* of one thread: that of the audit */
    const struct gcal_store *store;
    const struct gcal_audit_policy *policy;
    const char *pattern;
    const char **nodes;
    struct gcal_error *why; /* by node: of its track; code 0: none */
    size_t n_nodes;
    struct place *places; /* n_nodes, the first place first */
    struct gcal_audit_types *types;
    struct slot slots[BATCH];
    size_t first; /* node of slots[0], or places[first] while types are sampled */
};

static int run_jobs(struct audit *a, size_t n,
                    int (*job)(void *context, size_t i, struct gcal_error *err),
                    struct gcal_error *err)
{
    size_t processors = gcal_threads_processors();

    return gcal_threads_run(n, processors < MAX_THREADS ? processors : MAX_THREADS, job,
                            a, err);
}

/* ---- a node ---- */

static bool is_wanted(const struct audit *a, size_t node)
{
    return !a->pattern || fnmatch(a->pattern, a->nodes[node], 0) == 0;
}

GCAL_ARENA_DESTROYER(clear_track, gcal_track_clear)

/* Leaves the slot empty, with the error in a->why, when the track cannot be read. */
static struct slot load_slot(struct audit *a, size_t node)
{
    struct slot s = { 0 };
    struct gcal_track *track;

    if (a->why[node].code)
        return s;
    s.arena = gcal_arena_create();
    track = gcal_arena_alloc(s.arena, 1, sizeof(*track));
    gcal_arena_own(s.arena, track, clear_track);
    if (gcal_track_load(a->store, a->nodes[node], track, &a->why[node]) == 0)
        gcal_audit_histories(s.arena, a->nodes[node], track, &s.devices, &s.n_devices);
    return s;
}

static int judge(void *context, size_t i, struct gcal_error *err)
{
    struct audit *a = context;
    struct slot *s = &a->slots[i];

    (void)err;
    *s = is_wanted(a, a->first + i) ? load_slot(a, a->first + i) : (struct slot){ 0 };
    for (size_t k = 0; k < s->n_devices; k++) {
        /* Categories take time to find.  A change is reported even where the parameter file
         * does not show its category.
         */
        struct gcal_audit_device *d = &s->devices[k];
        struct gcal_audit_norm *norms =
            gcal_arena_alloc(d->arena, d->n_series, sizeof(*norms));
        struct gcal_error why;

        gcal_audit_types_norms(a->types, d, norms);
        gcal_audit_judge(d, norms, a->policy);
        if (gcal_audit_needs_attention(d->verdict) &&
            gcal_audit_find_categories(a->store, d, &why) < 0)
            gcal_log(GCAL_LOG_WARN, "%s: the categories of its costs are unknown: %s",
                     d->node, why.text);
        gcal_audit_make_findings(d, a->policy);
    }
    return 0;
}

/* ---- the devices that represent their types ---- */

static int want_types(void *context, size_t i, struct gcal_error *err)
{
    struct audit *a = context;
    struct slot s = is_wanted(a, i) ? load_slot(a, i) : (struct slot){ 0 };

    (void)err;
    for (size_t k = 0; k < s.n_devices; k++)
        gcal_audit_types_want(a->types, s.devices[k].type);
    gcal_arena_destroy(s.arena);
    return 0;
}

static bool is_published(const struct gcal_params *published,
                         const struct gcal_audit_device *d)
{
    for (size_t i = 0; i < published->n_devices; i++) {
        const struct gcal_device_info *info = &published->devices[i].info;

        if (strcmp(info->uid, d->uid) == 0 && strcmp(info->type, d->type) == 0)
            return true;
    }
    return false;
}

static void add_devices(struct audit *a, const struct place *at,
                        const struct gcal_params *published)
{
    bool take = false;
    struct slot s;

    for (size_t i = 0; i < published->n_devices && !take; i++)
        take =
            gcal_audit_types_take(a->types, published->devices[i].info.type, at->place);
    if (!take)
        return;
    s = load_slot(a, at->node);
    for (size_t k = 0; k < s.n_devices; k++)
        if (is_published(published, &s.devices[k]))
            gcal_audit_types_add(a->types, &s.devices[k], a->policy->of);
    gcal_arena_destroy(s.arena);
}

/* A node's file is smaller than its track, and says whether the track is of use. */
static int add_node(void *context, size_t i, struct gcal_error *err)
{
    struct audit *a = context;
    const struct place *at = &a->places[a->first + i];
    struct gcal_error why = { 0 };
    struct gcal_params_index *index =
        gcal_store_load_index(a->store, a->nodes[at->node], NULL, &why);

    (void)err;
    if (index)
        add_devices(a, at, gcal_params_index_devices(index));
    else
        gcal_log(GCAL_LOG_WARN, "not among the devices of its type: %s", why.text);
    gcal_params_index_destroy(index);
    return 0;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static int sample_types(struct audit *a, struct gcal_error *err)
{
    int rc = 0;

    a->places = gcal_arena_alloc(a->arena, a->n_nodes, sizeof(*a->places));
    for (size_t i = 0; i < a->n_nodes; i++)
        a->places[i] = (struct place){ gcal_audit_node_place(a->nodes[i]), i };
    qsort(a->places, a->n_nodes, sizeof(*a->places), compare_places);
    for (a->first = 0;
         a->first < a->n_nodes && !gcal_audit_types_are_full(a->types) && rc == 0;
         a->first += BATCH) {
        size_t left = a->n_nodes - a->first;

        rc = run_jobs(a, left < BATCH ? left : BATCH, add_node, err);
    }
    return rc;
}

/* ---- the store ---- */

static int check_policy(const struct gcal_audit_policy *p, struct gcal_error *err)
{
    if (!(p->warn > 0 && p->fail >= p->warn))
        return gcal_error_set(err, GCAL_EINPUT,
                              "audit: warn (%g) must be above 0 and at most fail (%g)",
                              p->warn, p->fail);
    if (!(p->false_alarms > 0 && p->false_alarms < 1))
        return gcal_error_set(err, GCAL_EINPUT,
                              "audit: false_alarms (%g) must be between 0 and 1",
                              p->false_alarms);
    if (p->confirm < 1 || p->confirm > p->of || p->of > GCAL_AUDIT_MOST_RUNS)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "audit: confirm (%zu) must be from 1 to of (%zu), and of at most %d",
            p->confirm, p->of, GCAL_AUDIT_MOST_RUNS);
    return 0;
}

/* Counts the nodes that match. */
static int count_wanted(const struct audit *a, size_t *n, struct gcal_error *err)
{
    *n = 0;
    for (size_t i = 0; i < a->n_nodes; i++)
        *n += is_wanted(a, i);
    return *n || !a->pattern
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "no published node matches '%s'",
                                a->pattern);
}

typedef int each_device(void *context, const struct gcal_audit_device *device,
                        struct gcal_error *err);

static int audit_nodes(struct audit *a, each_device *each, void *context,
                       struct gcal_audit_summary *made, struct gcal_error *err)
{
    a->why = gcal_arena_alloc(a->arena, a->n_nodes, sizeof(*a->why));
    a->types = gcal_audit_types_create(!a->pattern);
    if (count_wanted(a, &made->n_nodes, err) < 0 ||
        (a->pattern && run_jobs(a, a->n_nodes, want_types, err) < 0) ||
        sample_types(a, err) < 0)
        return -1;
    gcal_audit_types_pool(a->types);
    for (a->first = 0; a->first < a->n_nodes; a->first += BATCH) {
        size_t left = a->n_nodes - a->first, n = left < BATCH ? left : BATCH;
        int rc = run_jobs(a, n, judge, err);

        for (size_t i = 0; i < n; i++) {
            struct slot *s = &a->slots[i];

            for (size_t k = 0; rc == 0 && k < s->n_devices; k++) {
                enum gcal_audit_verdict v = s->devices[k].verdict;

                made->n_devices++;
                made->n_runs += s->devices[k].n_runs;
                made->n_verdicts[v]++;
                if (v != GCAL_AUDIT_UNKNOWN && v > made->worst)
                    made->worst = v;
                rc = each(context, &s->devices[k], err);
            }
            gcal_arena_destroy(s->arena);
            *s = (struct slot){ 0 };
        }
        if (rc < 0)
            return -1;
    }
    /* Errors of nodes that match go to the summary; others to the log, as their devices are
     * missing from the statistics of their types.
     */
    made->unread = gcal_arena_alloc(a->arena, a->n_nodes, sizeof(*made->unread));
    for (size_t i = 0; i < a->n_nodes; i++)
        if (a->why[i].code && is_wanted(a, i))
            made->unread[made->n_unread++] =
                (struct gcal_audit_unread){ a->nodes[i], a->why[i].text };
        else if (a->why[i].code)
            gcal_log(GCAL_LOG_WARN, "not among the devices of its type: %s",
                     a->why[i].text);
    return 0;
}

struct gcal_audit_policy gcal_audit_policy_of(const struct gcal_config *config)
{
    return (struct gcal_audit_policy){
        .warn = config->audit_warn,
        .fail = config->audit_fail,
        .false_alarms = config->audit_false_alarms,
        .confirm = config->audit_confirm,
        .of = config->audit_of,
    };
}

int gcal_audit_store(struct gcal_arena *arena, const struct gcal_store *store,
                     const char *pattern, const struct gcal_audit_policy *policy,
                     int (*each)(void *context, const struct gcal_audit_device *device,
                                 struct gcal_error *err),
                     void *context, struct gcal_audit_summary *summary,
                     struct gcal_error *err)
{
    struct audit a = {
        .arena = arena, .store = store, .policy = policy, .pattern = pattern
    };
    struct gcal_audit_summary made = { 0 };
    char **nodes;
    int rc;

    if (check_policy(policy, err) < 0 ||
        gcal_store_nodes(store, &nodes, &a.n_nodes, err) < 0)
        return -1;
    a.nodes = gcal_arena_alloc(arena, a.n_nodes, sizeof(*a.nodes));
    for (size_t i = 0; i < a.n_nodes; i++)
        a.nodes[i] = gcal_arena_own(arena, nodes[i], free);
    free(nodes);
    rc = audit_nodes(&a, each, context, &made, err);
    gcal_audit_types_destroy(a.types);
    if (rc == 0)
        *summary = made;
    return rc;
}
