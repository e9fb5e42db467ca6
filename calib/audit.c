#include "calib/audit.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/audit_private.h"
#include "calib/base/error.h"

/* Nodes that are in memory at a time, and threads that work on them. */
enum { BATCH = 32, MOST_THREADS = 8 };

/* A node and what was found there. */
struct slot {
    struct gcal_track track;
    struct gcal_audit_device *devices;
    size_t n_devices;
};

struct audit {
    const struct gcal_store *store;
    const struct gcal_audit_policy *policy;
    char **nodes;
    size_t n_nodes;
    struct gcal_audit_types *types;
    struct slot slots[BATCH];
    size_t first; /* node of slots[0] */
};

/* ---- several at a time ---- */

/* Work on items 0..n-1, by several threads. */
struct crew {
    int (*work)(struct audit *a, size_t i, struct gcal_error *err);
    struct audit *audit;
    size_t n;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock;
    size_t failed_item; /* the first of those that failed: the same in every run */
    struct gcal_error error;
};

static void keep_error(struct crew *c, size_t item, const struct gcal_error *err)
{
    pthread_mutex_lock(&c->lock);
    if (!atomic_load(&c->failed) || item < c->failed_item) {
        c->error = *err;
        c->failed_item = item;
    }
    atomic_store(&c->failed, true);
    pthread_mutex_unlock(&c->lock);
}

static void *crew_main(void *context)
{
    struct crew *c = context;
    struct gcal_error err = { 0 };
    size_t i;

    while (!atomic_load(&c->failed) && (i = atomic_fetch_add(&c->next, 1)) < c->n)
        if (c->work(c->audit, i, &err) < 0)
            keep_error(c, i, &err);
    return NULL;
}

static int crew_run(struct audit *audit, size_t n,
                    int (*work)(struct audit *a, size_t i, struct gcal_error *err),
                    struct gcal_error *err)
{
    struct crew c = { .work = work, .audit = audit, .n = n };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[MOST_THREADS];
    size_t n_threads = 0;

    pthread_mutex_init(&c.lock, NULL);
    while (n_threads + 1 < MOST_THREADS && (long)n_threads + 1 < cores &&
           n_threads + 1 < n &&
           pthread_create(&threads[n_threads], NULL, crew_main, &c) == 0)
        n_threads++;
    crew_main(&c);
    while (n_threads > 0)
        pthread_join(threads[--n_threads], NULL);
    pthread_mutex_destroy(&c.lock);
    if (!atomic_load(&c.failed))
        return 0;
    if (err)
        *err = c.error;
    return -1;
}

/* ---- a node ---- */

static void slot_clear(struct slot *s)
{
    gcal_audit_histories_free(s->devices, s->n_devices);
    gcal_track_clear(&s->track);
    *s = (struct slot){ 0 };
}

static int slot_load(const struct audit *a, const char *node, struct slot *s,
                     struct gcal_error *err)
{
    *s = (struct slot){ 0 };
    return gcal_store_track(a->store, node, &s->track, err) < 0 ||
                   gcal_audit_histories(node, &s->track, &s->devices, &s->n_devices,
                                        err) < 0
               ? -1
               : 0;
}

static int learn(struct audit *a, size_t i, struct gcal_error *err)
{
    struct slot s;
    int rc = slot_load(a, a->nodes[i], &s, err);

    for (size_t k = 0; rc == 0 && k < s.n_devices; k++)
        rc = gcal_audit_types_add(a->types, &s.devices[k], a->policy->of, err);
    slot_clear(&s);
    return rc;
}

/* Is there anything to put into words?  Subjects take time to find. */
static bool has_findings(const struct gcal_audit_device *d)
{
    return d->verdict != GCAL_AUDIT_PASS && d->verdict != GCAL_AUDIT_UNKNOWN;
}

static int judge_device(const struct audit *a, struct gcal_audit_device *d,
                        struct gcal_error *err)
{
    struct gcal_audit_norm *norms = calloc(d->n_series + 1, sizeof(*norms));
    int rc;

    if (!norms)
        return gcal_error_memory(err);
    gcal_audit_types_norms(a->types, d, norms);
    rc = gcal_audit_judge(d, norms, a->policy, err);
    free(norms);
    if (rc == 0 && has_findings(d))
        rc = gcal_audit_subjects(a->store, d, err);
    return rc < 0 ? -1 : gcal_audit_find(d, a->policy, err);
}

static int judge(struct audit *a, size_t i, struct gcal_error *err)
{
    struct slot *s = &a->slots[i];
    int rc = slot_load(a, a->nodes[a->first + i], s, err);

    for (size_t k = 0; rc == 0 && k < s->n_devices; k++)
        rc = judge_device(a, &s->devices[k], err);
    return rc;
}

/* ---- the store ---- */

static int check_policy(const struct gcal_audit_policy *p, struct gcal_error *err)
{
    if (!(p->warn > 0 && p->fail >= p->warn))
        return gcal_error_set(err, GCAL_EINPUT,
                              "audit: warn (%g) is to be above 0 and at most fail (%g)",
                              p->warn, p->fail);
    if (!(p->false_alarms > 0 && p->false_alarms < 1))
        return gcal_error_set(err, GCAL_EINPUT,
                              "audit: false_alarms (%g) is to be between 0 and 1",
                              p->false_alarms);
    if (p->confirm < 1 || p->confirm > p->of || p->of > GCAL_AUDIT_MOST_RUNS)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "audit: confirm (%zu) is to be from 1 to of (%zu), which is "
            "at most %d",
            p->confirm, p->of, GCAL_AUDIT_MOST_RUNS);
    return 0;
}

/* The nodes that match go to the front, in their order. */
static size_t keep_matching(char **nodes, size_t n, const char *pattern)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!pattern || fnmatch(pattern, nodes[i], 0) == 0) {
            char *node = nodes[i];

            nodes[i] = nodes[kept];
            nodes[kept++] = node;
        }
    return kept;
}

static void count(struct gcal_audit_summary *summary, const struct gcal_audit_device *d)
{
    enum gcal_audit_verdict v = d->verdict;

    summary->n_devices++;
    summary->n_runs += d->n_runs;
    summary->n_verdicts[v]++;
    if (v != GCAL_AUDIT_UNKNOWN && v > summary->worst)
        summary->worst = v;
}

typedef int each_device(void *context, const struct gcal_audit_device *device,
                        struct gcal_error *err);

static int judge_batch(struct audit *a, size_t n, each_device *each, void *context,
                       struct gcal_audit_summary *summary, struct gcal_error *err)
{
    int rc = crew_run(a, n, judge, err);

    for (size_t i = 0; i < n; i++) {
        struct slot *s = &a->slots[i];

        for (size_t k = 0; rc == 0 && k < s->n_devices; k++) {
            count(summary, &s->devices[k]);
            rc = each(context, &s->devices[k], err);
        }
        slot_clear(s);
    }
    return rc;
}

static int judge_all(struct audit *a, size_t n, each_device *each, void *context,
                     struct gcal_audit_summary *summary, struct gcal_error *err)
{
    for (a->first = 0; a->first < n; a->first += BATCH) {
        size_t left = n - a->first;

        if (judge_batch(a, left < BATCH ? left : BATCH, each, context, summary, err) < 0)
            return -1;
    }
    summary->n_nodes = n;
    return 0;
}

int gcal_audit_store(const struct gcal_store *store, const char *pattern,
                     const struct gcal_audit_policy *policy,
                     int (*each)(void *context, const struct gcal_audit_device *device,
                                 struct gcal_error *err),
                     void *context, struct gcal_audit_summary *summary,
                     struct gcal_error *err)
{
    struct audit a = { .store = store, .policy = policy };
    struct gcal_audit_summary made = { 0 };
    size_t n;
    int rc = -1;

    if (check_policy(policy, err) < 0 ||
        gcal_store_nodes(store, &a.nodes, &a.n_nodes, err) < 0)
        return -1;
    if ((a.types = gcal_audit_types_create(err)) &&
        crew_run(&a, a.n_nodes, learn, err) == 0 &&
        gcal_audit_types_settle(a.types, err) == 0) {
        n = keep_matching(a.nodes, a.n_nodes, pattern);
        rc = n || !pattern ? judge_all(&a, n, each, context, &made, err)
                           : gcal_error_set(err, GCAL_EINPUT,
                                            "no published node matches '%s'", pattern);
    }
    gcal_audit_types_destroy(a.types);
    gcal_names_free(a.nodes, a.n_nodes);
    if (rc == 0)
        *summary = made;
    return rc;
}
