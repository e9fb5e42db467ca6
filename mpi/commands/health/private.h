/* private.h - the verdict on a node, and the check of its devices by measuring */
#ifndef GCAL_MPI_COMMANDS_HEALTH_PRIVATE_H
#define GCAL_MPI_COMMANDS_HEALTH_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "calib/audit/audit.h"

struct gcal_arena;
struct gcal_catalogue;
struct gcal_device_info;
struct gcal_params_device;
struct gcal_store;
struct gcal_worker_spawner;

enum gcal_verdict {
    GCAL_VERDICT_GOOD,
    GCAL_VERDICT_WARNING,
    GCAL_VERDICT_FAILURE,
    GCAL_VERDICT_UNKNOWN
};

/* "good", .. */
extern const char *const gcal_verdict_names[];

struct gcal_verdicts {
    struct gcal_arena *arena;
    const char *node;
    enum gcal_verdict verdict;
    const char *reason; /* of the verdict; NULL: none yet */
    const char *code;   /* stable, for scripts; "" if it is good */
};

/* The first of the gravest counts; what was seen counts more than what could not be. */
void gcal_verdicts_add(struct gcal_verdicts *v, enum gcal_verdict verdict,
                       const char *code, const char *reason);

/* ---- check.c ---- */

struct gcal_check_context {
    const char *node, *store_path;
    const struct gcal_store *store;
    struct gcal_worker_spawner *spawner;
    struct gcal_catalogue *catalogue;
    const struct gcal_audit_policy *policy;
};

/* Measures a device that is published, keeps what it measured in the store, and adds its verdict to
 * those of the node.  Returns the object that describes the check.
 */
json_t *gcal_check_device(struct gcal_verdicts *node, const struct gcal_check_context *c,
                          const struct gcal_params_device *published,
                          const struct gcal_device_info *info);

/* The line about a device, from that object. */
void gcal_check_print(const json_t *check);

#endif
