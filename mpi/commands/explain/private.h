/* private.h - a predicted time taken apart
 *
 * A model has limits (its roofs): what a kernel would take if one resource of the device were
 * all that counts.  The time is some norm of them, so that most of a shorter limit hides
 * behind the longest.  What a limit adds is its share of the time: the derivative of the time
 * by the logarithm of the limit.  As doubled limits double the time, the shares sum up to it.
 * The same holds of the costs (parameters in seconds) that limits are made of.
 *
 * Nothing here knows the expressions of a model.  A few named ones (resident, waves) are looked
 * up by name, and what needs them is left out for models that have none.
 *
 * All results live in the arena of the command.
 */
#ifndef GCAL_MPI_COMMANDS_EXPLAIN_PRIVATE_H
#define GCAL_MPI_COMMANDS_EXPLAIN_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"
#include "kernels/base/units.h"
#include "kernels/model/roofs/roofs.h"
#include "mpi/commands/predict/step/step.h"
#include "mpi/commands/predict/subject.h"
#include "store/predict/predictor.h"

struct gcal_error;
struct gcal_model_parts;
struct gcal_own_options;

/* ---- lab.c: the model's expressions at one point ---- */

/* Texts are the model's expression, its roofs, and its named expressions, in this order.  Each use of
 * a cost is a parameter of its own, so that the parts of a norm can be distinguished.
 */
struct gcal_explain_lab {
    struct gcal_arena *arena;
    const struct gcal_params_device *device;
    const struct gcal_params_model *published;
    struct gcal_predictor *predictor;
    struct gcal_predictor_inside inside;
    struct gcal_expr_names
        *names_of_uses;       /* the published ones, and their uses of costs */
    struct gcal_model *model; /* of these */
    const struct gcal_model_parameter *
        *costs; /* by parameter: the published one it is a use of */
    size_t n_roofs, n_texts;
    const char **names;   /* names[0]: "time" */
    const char **texts;   /* as they are evaluated: the name of a named expression */
    const char **sources; /* as the model has them: its text */
    struct gcal_model_parts *parts;
    double *parameters, *features; /* at this point; may be changed for what-ifs */
    double *factors;               /* of the texts; 1: as the model has it */
    double *values;                /* of the texts; those of time and roofs in seconds */
};

/* 'model' NULL: as predict chooses.  NULL with 'err'. */
struct gcal_explain_lab *
gcal_explain_lab_open(struct gcal_arena *arena, const struct gcal_params_device *device,
                      const char *model, const struct gcal_profile *profile,
                      const double *sizes, struct gcal_error *err);
/* Evaluates all texts; returns the time in seconds. */
double gcal_explain_lab_eval(struct gcal_explain_lab *lab);
/* The index of a named expression or roof; n_texts: there is none. */
size_t gcal_explain_lab_find(const struct gcal_explain_lab *lab, const char *name);
/* The value of a named expression as last evaluated; NaN: there is none. */
double gcal_explain_lab_value(const struct gcal_explain_lab *lab, const char *name);
/* The index of a feature of the model; the number of all: there is none. */
size_t gcal_explain_lab_feature(const struct gcal_explain_lab *lab, const char *name);
/* The value of any expression in the model's names; NaN: it has others. */
double gcal_explain_lab_compute(const struct gcal_explain_lab *lab, const char *text);

/* ---- limits.c ---- */

enum gcal_explain_unit {
    GCAL_EXPLAIN_NO_RATE,
    GCAL_EXPLAIN_BYTES, /* counted in sectors */
    GCAL_EXPLAIN_OPERATIONS,
    GCAL_EXPLAIN_PASSES,
    GCAL_EXPLAIN_ATOMICS,
    GCAL_EXPLAIN_GROUPS,
};

struct gcal_explain_limit {
    const char *name;
    size_t roof;    /* its number in the model */
    double alone_s; /* what the kernel would take if this were all */
    double adds_s;  /* its part of the time */
};

/* Of one use in the model. */
struct gcal_explain_cost {
    const char *parameter; /* "p_fp32" */
    size_t use;            /* its index in the lab */
    bool shared;           /* the parameter has other uses */
    const char
        *counted; /* "fp32", "l2_loads + ..", or the expression that has the cost */
    const char *granularity; /* "sub-group"; "-": several, or none */
    enum gcal_explain_unit unit;
    size_t owner;  /* the first text that names the cost; n_texts: none */
    double cost_s; /* of one */
    double count;  /* how many the kernel has; NaN: unknown */
    double adds_s; /* its part of the time */
    size_t limit;  /* the roof that it is the largest part of; the number of all: none */
    double of_limit[GCAL_ROOFS_MAX]; /* its shares of the roofs */
    double alone_s;    /* what its limit would take if the cost were all of it */
    double per_unit;   /* bytes or operations of one; 1 */
    double rate, peak; /* per second: here, and were it alone; NaN: it is none */
    double per_clock;  /* the peak, by compute unit and clock; NaN: unknown */
    double vendor;     /* the peak as the vendor publishes it; NaN: unknown */
};

struct gcal_explain_limits {
    double time_s, other_s; /* other: part of the time that no limit has */
    size_t n_limits, n_costs;
    struct gcal_explain_limit limits[GCAL_ROOFS_MAX]; /* the largest part first */
    struct gcal_explain_cost *costs; /* of all that are not 0, the largest part first */
};

void gcal_explain_limits_find(struct gcal_explain_lab *lab,
                              struct gcal_explain_limits *limits);
/* The limit that adds most; NULL: there is none. */
const char *gcal_explain_limits_first(struct gcal_explain_lab *lab);

/* ---- set.c: occupancy ---- */

enum { GCAL_EXPLAIN_MAX_BOUNDS = 8 };

/* What bounds the work-groups that a compute unit holds. */
struct gcal_explain_bound {
    const char *by; /* "registers" */
    double groups;
};

struct gcal_explain_occupancy {
    bool known;      /* the model has resident work-groups */
    double resident; /* work-groups that a compute unit holds, at most */
    size_t n_bounds;
    struct gcal_explain_bound bounds[GCAL_EXPLAIN_MAX_BOUNDS]; /* the lowest first */
    double groups, units; /* work-groups of the launch; compute units */
    double items;         /* work-items of a work-group */
    double occupancy;     /* work-items held over those that fit, of a full device */
    double achieved;      /* the same with the work-groups that the launch has */
    double waves,
        last_wave;    /* rounds of resident work-groups; how full the last one is */
    double registers; /* of a work-item, as built or estimated; NaN: unknown */
    bool built;       /* the driver said so */
    double local_bytes, unit_local_bytes;
};

/* ---- accesses.c: accesses to memory by their places in the source ---- */

struct gcal_explain_access {
    const struct gcal_profile_entry *entry; /* has place, array, type and direction */
    double
        wanted_bytes; /* of work-items, one that all of a sub-group share counted once */
    bool divided;     /* those of several places are divided among them in equal parts */
    double moved_bytes, wasted_bytes; /* wasted: moved, but not wanted; NaN: unknown */
    /* By sub-groups; NaN: not counted. */
    double executions, sectors, lines, partial, passes;
    bool estimated;
};

/* Loads or stores of an array, in sectors; NaN: not counted. */
struct gcal_explain_array {
    const struct gcal_profile_entry *entry;
    double sectors, loops, sub_groups, groups, launch; /* distinct ones of each */
    bool estimated;
};

struct gcal_explain_branch {
    int line, column;
    double diverges; /* times that a sub-group does */
};

struct gcal_explain_accesses {
    double sector_bytes; /* 0: traffic was not counted */
    double sub_groups;   /* of the launch */
    size_t n_accesses, n_arrays, n_branches;
    struct gcal_explain_access *accesses; /* in the order of the source */
    struct gcal_explain_array *arrays;
    struct gcal_explain_branch *branches;
};

struct gcal_explain_case;

/* Returns whether two entries are of the same access in the source; of the same array. */
bool gcal_explain_same_place(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b);
bool gcal_explain_same_array(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b);
/* Fills the case's accesses. */
int gcal_explain_accesses_find(struct gcal_explain_case *c, struct gcal_error *err);
void gcal_explain_accesses_print(const struct gcal_explain_accesses *accesses);
/* Adds the keys accesses, arrays and branches. */
void gcal_explain_accesses_add_json(json_t *all,
                                    const struct gcal_explain_accesses *accesses);

/* ---- changes.c: the time of a kernel that is changed in some way ---- */

struct gcal_explain_change {
    const char *what;  /* "local memory of 48 kB instead of 36 kB" */
    double time_s;     /* of the changed kernel */
    double resident;   /* work-groups of a compute unit; NaN: unknown */
    const char *limit; /* that then adds most; NULL: none */
};

struct gcal_explain_changes {
    bool of_step;    /* and not of the kernel */
    double before_s; /* without a change */
    size_t n, capacity;
    struct gcal_explain_change *all;
};

void gcal_explain_changes_put(struct gcal_arena *arena,
                              struct gcal_explain_changes *changes,
                              struct gcal_explain_change change);
/* Adds the time of a lab with changes, which 'what' describes. */
void gcal_explain_changes_add(struct gcal_explain_changes *changes,
                              struct gcal_explain_lab *lab, const char *what);
/* The best from 'first' on, n at most. */
void gcal_explain_changes_keep(struct gcal_explain_changes *changes, size_t first,
                               size_t n);
void gcal_explain_changes_print(const struct gcal_explain_case *c,
                                const struct gcal_explain_changes *changes,
                                const char *title);
json_t *gcal_explain_changes_json(const struct gcal_explain_changes *changes);

/* ---- step.c: copies to the device, the kernel, copies back ---- */

enum gcal_explain_step_name {
    GCAL_EXPLAIN_STEP_IN,
    GCAL_EXPLAIN_STEP_KERNEL,
    GCAL_EXPLAIN_STEP_OUT,
    GCAL_EXPLAIN_STEP_PARTS
};

/* "copies to the device" */
extern const char *const gcal_explain_step_parts[GCAL_EXPLAIN_STEP_PARTS];

struct gcal_explain_step {
    struct gcal_step step;
    double parts_s[GCAL_EXPLAIN_STEP_PARTS];
    enum gcal_explain_step_name longest;
    size_t n_copies;
    struct gcal_step_copy *copies;
    bool pinned;                         /* all of them are of pinned memory */
    struct gcal_explain_changes changes; /* best first; their limits are NULL */
};

/* Fills the case's step, if it has a plan of one. */
int gcal_explain_step_find(struct gcal_explain_case *c, struct gcal_error *err);
/* Nothing without a plan. */
void gcal_explain_step_print(const struct gcal_explain_case *c);
int gcal_explain_step_add_json(json_t *all, const struct gcal_explain_case *c,
                               struct gcal_error *err);

/* ---- explain.c: the kernel's time on this machine, and of its two parts ---- */

struct gcal_explain_measured {
    struct gcal_timed whole, memory, onchip;
    double hidden; /* share of the shorter part that the whole hides; NaN: unknown */
    const char *verdict; /* in words; NULL: unknown */
    const char *why_not; /* parts are not measured; NULL: they are */
};

/* ---- set.c: one explained point, and all of one command ---- */

struct gcal_explain_case {
    struct gcal_arena *arena;
    const struct gcal_predict_subject_options *options;
    const struct gcal_predict_subject *subject;
    bool notes_printed; /* those of the counts, when they were counted */
    const double *sizes;
    const char *point; /* "n=2048" */
    struct gcal_explain_lab *lab;
    struct gcal_prediction prediction;
    struct gcal_explain_limits limits;
    const char *sentence; /* "limited by dram: ..." */
    struct gcal_explain_occupancy occupancy;
    struct gcal_explain_accesses accesses;
    const struct gcal_step_plan *plan; /* NULL: the kernel alone */
    struct gcal_explain_step step;
    struct gcal_explain_changes advice, asked;    /* what helps; what a user asks for */
    const struct gcal_explain_measured *measured; /* NULL: it is not */
};

enum { GCAL_EXPLAIN_MOST_CASES = 24 };

struct gcal_explain_set {
    size_t n_subjects, n_cases;
    struct gcal_predict_subject *subjects[GCAL_EXPLAIN_MOST_CASES];
    struct gcal_explain_case *cases[GCAL_EXPLAIN_MOST_CASES];
};

/* What the cases of a command are made of. */
struct gcal_explain_set_options {
    const struct gcal_predict_subject_options *subject;
    const struct gcal_step_options *step;
    const struct gcal_option_list *besides; /* nodes of the store, or parameter files */
};

/* All points of all kernels that the options select, on their device and on each of
 * 'besides', but for their changes.
 */
int gcal_explain_set_open(struct gcal_arena *arena, struct gcal_explain_set *set,
                          const struct gcal_explain_set_options *options,
                          struct gcal_error *err);

/* ---- compare.c: cases side by side ---- */

/* Each in a column, and what makes the others slower or faster than the first. */
void gcal_explain_compare_print(const struct gcal_explain_set *set);
/* What part of the difference each limit has between case i and the one that it is compared
 * with: the same kernel on an earlier device, else the first.
 */
json_t *gcal_explain_difference_json(const struct gcal_explain_set *set, size_t i);

/* ---- what_if.c, advice.c, work.c ---- */

/* The change that a user asks for: "NAME=VALUE,..", names of sizes, parameters, features, named
 * expressions or limits, local-memory, and local=XxYxZ.  -1 with 'err' if it cannot be made.
 */
int gcal_explain_what_if(struct gcal_explain_case *c, const char *text,
                         struct gcal_error *err);
/* The few changes that would help most, the best first. */
void gcal_explain_advise(struct gcal_explain_case *c);

/* Makes the case that of its file's or catalogue's kernel at other sizes, counted again: counts may be those of the
 * sizes alone.
 */
int gcal_explain_resize(struct gcal_explain_case *c, const double *sizes,
                        struct gcal_error *err);
/* A profile of the kernel's source in work-groups of another size, doing the same work at these
 * sizes: with the same global size, or else, in '*global', with one for as many work-groups
 * (NULL: the same).  NULL with 'err' if neither does.
 */
const struct gcal_profile *gcal_explain_recount(const struct gcal_explain_case *c,
                                                const double *sizes, size_t n_dims,
                                                const size_t *local, const char **global,
                                                struct gcal_error *err);

/* ---- words.c ---- */

/* "op/s"; "": none */
extern const char *const gcal_explain_unit_names[];
/* What a limit of that name is ("memory"); the name itself if it is an unknown one. */
const char *gcal_explain_words(const char *limit);
/* What a cost is of, in words. */
const char *gcal_explain_cost_words(const struct gcal_explain_cost *cost);
/* Its parameter; "p_fp32 (integer)" if that is of several classes of operations. */
const char *gcal_explain_cost_name(struct gcal_arena *arena,
                                   const struct gcal_explain_cost *cost);
const char *gcal_explain_sentence(const struct gcal_explain_case *c);
/* Returns whether rates are worth showing: not of what is a small part of its limit. */
bool gcal_explain_has_rate(const struct gcal_explain_cost *cost);
/* "3.91 TB/s", "12.4 Gop/s". */
const char *gcal_explain_rate(double rate, enum gcal_explain_unit unit,
                              char text[GCAL_UNITS_SIZE]);

/* ---- svg.c: a view of a case ---- */

/* A drawing of all cases, with the roofs of the first; 'path' is replaced as a whole. */
int gcal_explain_svg(const char *path, const struct gcal_explain_set *set,
                     struct gcal_error *err);

#endif
