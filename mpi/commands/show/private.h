/* private.h - devices as gpucal show prints them */
#ifndef GCAL_MPI_COMMANDS_SHOW_PRIVATE_H
#define GCAL_MPI_COMMANDS_SHOW_PRIVATE_H

#include <jansson.h>
#include <stddef.h>

#include "calib/audit/audit.h"
#include "mpi/cli/columns.h"
#include "store/params/params.h"

struct gcal_arena;
struct gcal_error;
struct gcal_store;

/* What is asked for. */
struct gcal_show_query {
    struct gcal_arena *arena;
    const struct gcal_store *store;
    const char *nodes, *device, *types; /* patterns; NULL: all */
    bool json;
};

/* ---- standing.c: what the tracks of the store say of devices ---- */

struct gcal_show_standing {
    const char *node, *uid;
    enum gcal_audit_verdict verdict;
    size_t n_runs, n_epoch_runs; /* of the audit */
    double
        speed; /* relative to the median of its type; NaN with fewer than three devices */
};

struct gcal_show_standings {
    struct gcal_arena *arena;
    size_t n, capacity;
    struct gcal_show_standing *items; /* in the order of nodes */
};

/* The built-in limits. */
int gcal_show_policy(struct gcal_audit_policy *policy, struct gcal_error *err);

/* gcal_audit_store() with the built-in limits, and a warning for each node whose tracks cannot
 * be read.
 */
int gcal_show_audit(const struct gcal_show_query *query,
                    int (*each)(void *context, const struct gcal_audit_device *device,
                                struct gcal_error *err),
                    void *context, struct gcal_error *err);

/* By this audit. */
int gcal_show_standings_find(const struct gcal_show_query *query,
                             struct gcal_show_standings *standings,
                             struct gcal_error *err);

/* Of a device without a calibration in the tracks: unknown. */
struct gcal_show_standing
gcal_show_standing_of(const struct gcal_show_standings *standings, const char *node,
                      const char *uid);

/* ---- one device ---- */

struct gcal_show_device {
    const char *node;
    const struct gcal_params_device *params;
    struct gcal_show_standing standing;
};

/* "2026-11-22 03:37" of a time; "-": unknown. */
#define GCAL_SHOW_DAY_SIZE 20
const char *gcal_show_day(const char *utc, char text[GCAL_SHOW_DAY_SIZE]);

/* "12 s", "5 min", "3 h", "40 d" since the calibration; "-": unknown. */
#define GCAL_SHOW_AGE_SIZE 24
const char *gcal_show_age(const struct gcal_params_device *device,
                          char text[GCAL_SHOW_AGE_SIZE]);

/* "0.98"; "-" for NaN. */
#define GCAL_SHOW_SPEED_SIZE 16
const char *gcal_show_speed(const struct gcal_show_standing *standing,
                            char text[GCAL_SHOW_SPEED_SIZE]);

/* ---- facts.c: what the calibration found (store/facts), beside the vendor's peaks ---- */

/* Lines on standard output: of each fact value, standard error, what it is, and its share of the
 * vendor's peak.
 */
void gcal_facts_print(const struct gcal_params_device *device);

/* An object with value, standard_error, unit and the vendor's peak of each fact by its key. */
json_t *gcal_facts_json(const struct gcal_params_device *device);

/* ---- history.c: a line for each calibration ---- */

/* Of the devices whose calibrations the tracks have, by the audit with the built-in limits. */
int gcal_show_history(const struct gcal_show_query *query, struct gcal_error *err);

/* What began with the run: other conditions, or a change that was found; NULL: nothing. */
const char *gcal_show_began(const struct gcal_audit_device *device, size_t run);
/* Returns whether the run is one of those that the later ones of its epoch are compared with. */
bool gcal_show_is_reference(const struct gcal_audit_device *device, size_t run);
/* As the audit of all runs sees this one. */
enum gcal_audit_verdict gcal_show_verdict_of(const struct gcal_audit_device *device,
                                             size_t run);

/* ---- types.c: a line for each published fit of a type ---- */

/* Of the types whose histories the store has, by the audit with the built-in limits. */
int gcal_show_types(const struct gcal_show_query *query, struct gcal_error *err);

/* ---- kernels.c: a line for each type that a kernel was learned on ---- */

int gcal_show_kernels(const struct gcal_show_query *query, struct gcal_error *err);

/* ---- links.c: a line for each class of links, each link that is far off, and each of q->nodes ---- */

int gcal_show_links(const struct gcal_show_query *query, struct gcal_error *err);

/* ---- svg.c: a drawing ---- */

/* Writes to 'path' what the calibration found of the devices that match, beside the other
 * devices of their types in the store.
 */
int gcal_show_svg(const struct gcal_show_query *query, const char *path,
                  struct gcal_error *err);

/* ---- overview.c: a line for each device ---- */

enum gcal_column_colour gcal_show_colour_of(enum gcal_audit_verdict verdict);

struct gcal_columns *gcal_show_overview_create(struct gcal_arena *arena);
void gcal_show_overview_add(struct gcal_columns *overview,
                            const struct gcal_show_device *device);

/* The model whose errors an overview has: the general one, else the first; NULL: none. */
const struct gcal_params_model *
gcal_show_main_model(const struct gcal_params_device *device);

#endif
