/* standing.c - what the tracks of the store say of devices */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/config/config.h"
#include "mpi/commands/show/private.h"

/* 1 over the geometric mean of its newest costs, each relative to its type's median. */
static double speed_of(const struct gcal_audit_device *device)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < device->n_series; i++) {
        const struct gcal_audit_series *s = &device->series[i];

        if (s->category == GCAL_AUDIT_SHAPE || isnan(s->against_type))
            continue;
        sum += log1p(s->against_type);
        n++;
    }
    return n ? exp(-sum / (double)n) : NAN;
}

static int add_standing(void *context, const struct gcal_audit_device *device,
                        struct gcal_error *err)
{
    struct gcal_show_standings *all = context;

    (void)err;
    all->items = gcal_arena_grow(all->arena, all->items, all->n, &all->capacity,
                                 sizeof(*all->items));
    all->items[all->n++] =
        (struct gcal_show_standing){ .node = gcal_arena_strdup(all->arena, device->node),
                                     .uid = gcal_arena_strdup(all->arena, device->uid),
                                     .verdict = device->verdict,
                                     .n_runs = device->n_runs,
                                     .n_epoch_runs = device->n_epoch_runs,
                                     .speed = speed_of(device) };
    return 0;
}

int gcal_show_policy(struct gcal_audit_policy *policy, struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    int rc = gcal_config_read_settings(NULL, &config, err);

    if (rc == 0)
        *policy = gcal_audit_policy_of(&config);
    gcal_config_clear(&config);
    return rc;
}

int gcal_show_audit(const struct gcal_show_query *q,
                    int (*each)(void *context, const struct gcal_audit_device *device,
                                struct gcal_error *err),
                    void *context, struct gcal_error *err)
{
    struct gcal_audit_summary summary = { 0 };
    struct gcal_audit_policy policy;
    int rc = gcal_show_policy(&policy, err);

    if (rc == 0)
        rc = gcal_audit_store(q->arena, q->store, q->nodes, &policy, each, context,
                              &summary, err);
    for (size_t i = 0; i < summary.n_unread; i++)
        gcal_log(GCAL_LOG_WARN, "node %s has no verdict: %s", summary.unread[i].node,
                 summary.unread[i].why);
    return rc;
}

int gcal_show_standings_find(const struct gcal_show_query *q,
                             struct gcal_show_standings *standings,
                             struct gcal_error *err)
{
    *standings = (struct gcal_show_standings){ .arena = q->arena };
    return gcal_show_audit(q, add_standing, standings, err);
}

static int compare_nodes(const void *name, const void *item)
{
    return strcmp(name, ((const struct gcal_show_standing *)item)->node);
}

struct gcal_show_standing
gcal_show_standing_of(const struct gcal_show_standings *standings, const char *node,
                      const char *uid)
{
    const struct gcal_show_standing *end = standings->items + standings->n,
                                    *at = bsearch(node, standings->items, standings->n,
                                                  sizeof(*at), compare_nodes);

    while (at && at > standings->items && strcmp(at[-1].node, node) == 0)
        at--;
    for (; at && at < end && strcmp(at->node, node) == 0; at++)
        if (strcmp(at->uid, uid) == 0)
            return *at;
    return (struct gcal_show_standing){ .verdict = GCAL_AUDIT_UNKNOWN, .speed = NAN };
}

const char *gcal_show_speed(const struct gcal_show_standing *standing,
                            char text[GCAL_SHOW_SPEED_SIZE])
{
    if (isnan(standing->speed))
        strcpy(text, "-");
    else
        snprintf(text, GCAL_SHOW_SPEED_SIZE, "%.3f", standing->speed);
    return text;
}
