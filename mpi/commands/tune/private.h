/* private.h - what the files of mpi/commands/tune share beside tune.h
 *
 * The order of the sections is that of the files, from the lowest up.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_PRIVATE_H
#define GCAL_MPI_COMMANDS_TUNE_PRIVATE_H

#include <jansson.h>
#include <stdio.h>

#include "mpi/cli/option_list.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/tune/tune.h"

struct gcal_order;

/* The value of a parameter that a configuration's kernel does not have. */
#define GCAL_TUNE_NO_VALUE "-"
/* A configuration whose chance to be faster than the first is above this cannot be
 * distinguished from it.
 */
#define GCAL_TUNE_DISTINGUISHED 0.05

/* ---- parameters.c ---- */

/* Fills the parameters, and the configurations with their names and values, of
 * space->kernels.
 */
int gcal_tune_parameters_find(struct gcal_tune_space *space,
                              const struct gcal_strings *always, struct gcal_error *err);
/* Names a configuration by its values of the parameters that vary. */
int gcal_tune_name_config(const struct gcal_tune_space *space,
                          struct gcal_tune_config *config, struct gcal_error *err);

/* ---- space.c ---- */

/* Predicts and ranks the configurations, whose targets 'order' has in the same order. */
int gcal_tune_space_rank(struct gcal_tune_space *space, struct gcal_order *order,
                         const struct gcal_params_device *device, struct gcal_error *err);

/* ---- entry.c ---- */

/* The space of a file, gpucal-space(5), and the kernel in 'source', a file that may include
 * others from 'folders'.  Clear 'entry' in any case.
 */
int gcal_tune_entry_read(const char *path, const char *source,
                         const struct gcal_option_list *folders,
                         struct gcal_tune_entry *entry, struct gcal_error *err);

/* ---- points.c ---- */

/* The sizes of --at or --over. */
struct gcal_tune_points {
    struct gcal_strings names;
    struct gcal_count_points points; /* at least one, perhaps without any size */
};

/* Clear 'points' in any case. */
int gcal_tune_points_parse(const struct gcal_option_list *texts,
                           struct gcal_tune_points *points, struct gcal_error *err);
/* Appends the tags "n:4096" of a point. */
int gcal_tune_points_tags(const struct gcal_tune_points *points, size_t point,
                          struct gcal_strings *tags, struct gcal_error *err);
/* "n=512,m=64"; the caller's to free. */
char *gcal_tune_points_name(const struct gcal_tune_points *points, size_t point);
void gcal_tune_points_clear(struct gcal_tune_points *points);

/* ---- ranking.c: what follows from a ranking ---- */

/* The median of the predicted times of the covered configurations. */
double gcal_tune_median_s(const struct gcal_tune_space *space);
/* How many of the ranking's first cannot be distinguished from the first one, itself
 * included.
 */
size_t gcal_tune_count_equal(const struct gcal_tune_space *space);

/* ---- heuristic.c ---- */

/* The choice of Haigh and McCreath's heuristic (2015); n_configs: none fits.  -1 if the
 * model that predicted lacks what it takes from the general model of GPUs.
 */
int gcal_tune_heuristic(const struct gcal_tune_space *space,
                        const struct gcal_params_device *device, size_t *choice,
                        struct gcal_error *err);

/* ---- print.c, json.c ---- */

/* The best 'most' configurations, and what is known of all, on standard output. */
void gcal_tune_print(const struct gcal_tune_space *space, size_t most);
/* The choice of another policy beside the first of the ranking; n_configs: it has none. */
void gcal_tune_print_policy(const struct gcal_tune_space *space, const char *name,
                            size_t choice);
/* {"N": 128, "F": 32}; numbers where values are integers. */
json_t *gcal_tune_config_json(const struct gcal_tune_space *space, size_t config);
json_t *gcal_tune_json(const struct gcal_tune_space *space);

/* ---- over.c ---- */

/* The best configurations by size. */
struct gcal_tune_over;

/* Room for n sizes. */
struct gcal_tune_over *gcal_tune_over_create(size_t n, struct gcal_error *err);
void gcal_tune_over_destroy(struct gcal_tune_over *over);
/* Adds the space at the size that is called 'name'; keeps what it needs of it. */
int gcal_tune_over_add(struct gcal_tune_over *over, const char *name,
                       const struct gcal_tune_space *space, struct gcal_error *err);
/* For each size the best configuration, and how much longer the choices of the others take;
 * the configuration with the least mean slowdown.
 */
void gcal_tune_over_print(const struct gcal_tune_over *over);
json_t *gcal_tune_over_json(const struct gcal_tune_over *over);

/* ---- header.c ---- */

/* Writes a C header with the macros and the work-group of a configuration; 'measured_s' NaN:
 * it was not measured.
 */
int gcal_tune_write_header(const char *path, const struct gcal_tune_space *space,
                           size_t config, double measured_s, struct gcal_error *err);

#endif
