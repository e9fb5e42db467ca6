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
 */
#ifndef GCAL_MPI_COMMANDS_EXPLAIN_PRIVATE_H
#define GCAL_MPI_COMMANDS_EXPLAIN_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/roofs/roofs.h"
#include "mpi/commands/predict/step/step.h"
#include "mpi/commands/predict/subject.h"
#include "store/predict/predictor.h"

struct gcal_error;
struct gcal_explain_lab;
struct gcal_model_parts;
struct gcal_own_options;

/* ---- lab.c: the model's expressions at one point ---- */

/* Texts are the model's expression, its roofs, and its named expressions, in this order. */
struct gcal_explain_lab {
    const struct gcal_params_device *device;
    const struct gcal_params_model *published;
    struct gcal_predictor_inside inside;
    size_t n_roofs, n_texts;
    const char **texts, **names; /* names[0]: "time" */
    struct gcal_model_parts *parts;
    double *parameters, *features; /* at this point; may be changed for what-ifs */
    double *factors;               /* of the texts; 1: as the model has it */
    double *values;                /* of the texts; those of time and roofs in seconds */
};

/* 'predictor' is bound to the kernel; clear the lab in any case. */
int gcal_explain_lab_open(struct gcal_explain_lab *lab,
                          const struct gcal_params_device *device,
                          const struct gcal_predictor *predictor, const double *sizes,
                          struct gcal_error *err);
void gcal_explain_lab_clear(struct gcal_explain_lab *lab);

/* Evaluates all texts; returns the time in seconds. */
double gcal_explain_lab_eval(struct gcal_explain_lab *lab);
/* The index of a named expression or roof; n_texts: there is none. */
size_t gcal_explain_lab_find(const struct gcal_explain_lab *lab, const char *name);
/* The value of a named expression as last evaluated; NaN: there is none. */
double gcal_explain_lab_value(const struct gcal_explain_lab *lab, const char *name);
/* The index of a feature or parameter of the model; the number of all: there is none. */
size_t gcal_explain_lab_feature(const struct gcal_explain_lab *lab, const char *name);
size_t gcal_explain_lab_parameter(const struct gcal_explain_lab *lab, const char *name);
/* The value of any expression in the model's names; NaN: it has others. */
double gcal_explain_lab_compute(const struct gcal_explain_lab *lab, const char *text);

/* ---- label.c: what a cost is multiplied by ---- */

enum gcal_explain_unit {
    GCAL_EXPLAIN_NO_RATE,
    GCAL_EXPLAIN_BYTES, /* counted in sectors */
    GCAL_EXPLAIN_OPERATIONS,
    GCAL_EXPLAIN_PASSES,
    GCAL_EXPLAIN_ATOMICS,
    GCAL_EXPLAIN_GROUPS,
};

struct gcal_explain_label {
    char *counted; /* "fp32", "l2_loads + ..", or the expression that has the cost */
    const char *granularity; /* "sub-group"; "-": several, or none */
    enum gcal_explain_unit unit;
    size_t owner; /* the first text that names the cost; n_texts: none */
};

int gcal_explain_label_find(const struct gcal_explain_lab *lab, const char *parameter,
                            struct gcal_explain_label *label, struct gcal_error *err);

/* ---- limits.c ---- */

struct gcal_explain_limit {
    const char *name;
    double alone_s; /* what the kernel would take if this were all */
    double adds_s;  /* its part of the time */
};

struct gcal_explain_cost {
    const char *parameter; /* "p_fp32" */
    struct gcal_explain_label label;
    double cost_s; /* of one */
    double count;  /* how many the kernel has; NaN: unknown */
    double adds_s; /* its part of the time */
    size_t limit;  /* the limit that it is the largest part of; the number of all: none */
    double of_limit[GCAL_ROOFS_MAX]; /* its shares of the limits */
    double per_unit;                 /* bytes or operations of one; 1 */
    double rate, peak; /* per second: here, and were it alone; NaN: it is none */
    double per_clock;  /* the peak, by compute unit and clock; NaN: unknown */
    double vendor;     /* the peak as the vendor publishes it; NaN: unknown */
};

struct gcal_explain_limits {
    double time_s, other_s; /* other: part of the time that no limit has */
    size_t n_limits, n_costs;
    struct gcal_explain_limit *limits; /* the largest part first */
    struct gcal_explain_cost *costs;   /* of all that are not 0, the largest part first */
    size_t order[GCAL_ROOFS_MAX];      /* of limits: their numbers in the model */
};

/* Clear 'limits' in any case. */
int gcal_explain_limits_find(struct gcal_explain_lab *lab,
                             struct gcal_explain_limits *limits, struct gcal_error *err);
void gcal_explain_limits_clear(struct gcal_explain_limits *limits);

/* ---- occupancy.c ---- */

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
    double local_bytes, unit_local_bytes, unit_registers;
};

void gcal_explain_occupancy_find(const struct gcal_explain_lab *lab,
                                 struct gcal_explain_occupancy *occupancy);

/* ---- accesses.c: accesses to memory by their places in the source ---- */

struct gcal_explain_access {
    const struct gcal_profile_entry *entry; /* has place, array, type and direction */
    double
        wanted_bytes; /* of work-items, one that all of a sub-group share counted once */
    bool divided;     /* those of several places are divided among them in equal parts */
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

/* Whether two entries are of the same access in the source; of the same array. */
bool gcal_explain_same_place(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b);
bool gcal_explain_same_array(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b);

/* Clear 'accesses' in any case. */
int gcal_explain_accesses_find(const struct gcal_explain_case *c,
                               struct gcal_explain_accesses *accesses,
                               struct gcal_error *err);
void gcal_explain_accesses_clear(struct gcal_explain_accesses *accesses);
void gcal_explain_accesses_print(const struct gcal_explain_accesses *accesses);
/* Adds the keys accesses, arrays and branches. */
void gcal_explain_accesses_add_json(json_t *all,
                                    const struct gcal_explain_accesses *accesses);

/* ---- step.c: copies to the device, the kernel, copies back ---- */

enum gcal_explain_step_name {
    GCAL_EXPLAIN_STEP_IN,
    GCAL_EXPLAIN_STEP_KERNEL,
    GCAL_EXPLAIN_STEP_OUT,
    GCAL_EXPLAIN_STEP_PARTS
};

/* "copies to the device" */
extern const char *const gcal_explain_step_parts[GCAL_EXPLAIN_STEP_PARTS];

enum { GCAL_EXPLAIN_STEP_CHANGES = 6 };

struct gcal_explain_step_change {
    char *what;
    double time_s;
};

struct gcal_explain_step {
    struct gcal_step step;
    size_t n_copies, n_changes;
    struct gcal_step_copy *copies;
    double bytes_in_s, bytes_out_s; /* of the copies' times, what depends on bytes */
    struct gcal_explain_step_change changes[GCAL_EXPLAIN_STEP_CHANGES]; /* best first */
};

/* Fills the case's step, if it has a plan of one. */
int gcal_explain_step_find(struct gcal_explain_case *c, struct gcal_error *err);
void gcal_explain_step_clear(struct gcal_explain_step *step);
/* The seconds of a part; the longest part. */
double gcal_explain_step_part(const struct gcal_explain_step *step,
                              enum gcal_explain_step_name part);
enum gcal_explain_step_name
gcal_explain_step_longest(const struct gcal_explain_step *step);
/* Nothing without a plan. */
void gcal_explain_step_print(const struct gcal_explain_case *c);
int gcal_explain_step_add_json(json_t *all, const struct gcal_explain_case *c,
                               struct gcal_error *err);

/* ---- one explained point ---- */

struct gcal_explain_case {
    const struct gcal_predict_subject *subject;
    bool notes_printed; /* those of the counts, when they were counted */
    const double *sizes;
    struct gcal_predictor *predictor;
    struct gcal_prediction prediction;
    struct gcal_explain_lab lab;
    struct gcal_explain_limits limits;
    struct gcal_explain_occupancy occupancy;
    struct gcal_explain_accesses accesses;
    const struct gcal_step_plan *plan; /* NULL: the kernel alone */
    struct gcal_explain_step step;
};

/* 'model' NULL: as predict chooses; 'plan' NULL: the kernel alone.  The subject, the plan and
 * 'sizes' must outlive the case; clear it in any case.
 */
int gcal_explain_case_open(struct gcal_explain_case *c,
                           const struct gcal_predict_subject *subject, const char *model,
                           const struct gcal_step_plan *plan, const double *sizes,
                           struct gcal_error *err);
void gcal_explain_case_clear(struct gcal_explain_case *c);

/* ---- changes.c: the time of a kernel that is changed in some way ---- */

struct gcal_explain_change {
    char *what;        /* "local memory of 48 kB instead of 36 kB" */
    double time_s;     /* of the changed kernel */
    double resident;   /* work-groups of a compute unit; NaN: unknown */
    const char *limit; /* that then adds most; NULL: none */
};

struct gcal_explain_changes {
    size_t n, capacity;
    struct gcal_explain_change *all;
};

void gcal_explain_changes_clear(struct gcal_explain_changes *changes);
/* Adds the time of a lab with changes, which 'what' describes; takes ownership of 'what', also
 * on failure.
 */
int gcal_explain_changes_add(struct gcal_explain_changes *changes,
                             struct gcal_explain_lab *lab, char *what,
                             struct gcal_error *err);
/* The same of the case's kernel with another profile. */
int gcal_explain_changes_add_profile(struct gcal_explain_changes *changes,
                                     const struct gcal_explain_case *c,
                                     const struct gcal_profile *profile, char *what,
                                     struct gcal_error *err);
void gcal_explain_changes_print(const struct gcal_explain_case *c,
                                const struct gcal_explain_changes *changes,
                                const char *title);
json_t *gcal_explain_changes_json(const struct gcal_explain_changes *changes,
                                  double time_s);

/* ---- what_if.c, advice.c ---- */

/* The change that a user asks for: "NAME=VALUE,..", names of sizes, parameters, features, named
 * expressions or limits, local-memory, and local=XxYxZ.  -1 with 'err' if it cannot be made.
 */
int gcal_explain_what_if(const struct gcal_explain_case *c,
                         const struct gcal_predict_subject_options *options,
                         const char *text, struct gcal_explain_changes *changes,
                         struct gcal_error *err);
/* The few changes that would help most, the best first. */
int gcal_explain_advise(struct gcal_explain_case *c,
                        const struct gcal_predict_subject_options *options,
                        struct gcal_explain_changes *changes, struct gcal_error *err);

/* ---- work.c ---- */

/* A profile of the kernel's source in work-groups of another size, doing the same work at these
 * sizes: with the same global size, or else, in '*global', with one for as many work-groups
 * (NULL: the same; the caller's to free).  NULL with 'err' if neither does.
 */
struct gcal_profile *
gcal_explain_recount(const struct gcal_explain_case *c,
                     const struct gcal_predict_subject_options *options,
                     const double *sizes, size_t n_dims, const size_t *local,
                     char **global, struct gcal_error *err);

/* ---- set.c: the kernels, devices and sizes of one command ---- */

enum { GCAL_EXPLAIN_MOST_CASES = 24 };

struct gcal_explain_set {
    size_t n_subjects, n_cases;
    struct gcal_predict_subject *subjects[GCAL_EXPLAIN_MOST_CASES];
    struct gcal_step_plan *plans[GCAL_EXPLAIN_MOST_CASES]; /* of each; NULL: no copies */
    struct gcal_explain_case *cases[GCAL_EXPLAIN_MOST_CASES];
};

/* What the cases of a command are made of. */
struct gcal_explain_set_options {
    const struct gcal_predict_subject_options *subject;
    const struct gcal_step_options *step;
    const struct gcal_option_list *besides; /* nodes of the store, or parameter files */
};

/* All points of all kernels that the options select, on their device and on each of
 * 'besides'.  Clear 'set' in any case.
 */
int gcal_explain_set_open(struct gcal_explain_set *set,
                          const struct gcal_explain_set_options *options,
                          struct gcal_error *err);
void gcal_explain_set_clear(struct gcal_explain_set *set);

/* ---- compare.c: cases side by side ---- */

/* Each in a column, and what makes the others slower or faster than the first. */
int gcal_explain_compare_print(const struct gcal_explain_set *set,
                               struct gcal_error *err);
/* The case that case i is compared with: the same kernel on an earlier device, else the first. */
size_t gcal_explain_compare_base(const struct gcal_explain_set *set, size_t i);
/* What part of the difference to the first case each limit has; NULL with 'err'. */
json_t *gcal_explain_difference_json(const struct gcal_explain_case *first,
                                     const struct gcal_explain_case *other);

/* ---- measured.c: the kernel's time on this machine, and of its two parts ---- */

struct gcal_explain_measured {
    double whole_s, memory_s, onchip_s; /* NaN: not measured */
    size_t launches;                    /* of the whole kernel */
    double hidden; /* share of the shorter part that the whole hides; NaN: unknown */
    char *why_not; /* parts are not measured; NULL: they are */
};

/* Times the case's kernel, the kernel without on-chip work, and without memory accesses.  -1 if
 * the kernel itself cannot be timed.  Clear 'measured' in any case.
 */
int gcal_explain_measure(const struct gcal_explain_case *c,
                         const struct gcal_predict_subject_options *options,
                         const struct gcal_own_options *own,
                         struct gcal_explain_measured *measured, struct gcal_error *err);
void gcal_explain_measured_clear(struct gcal_explain_measured *measured);
void gcal_explain_measured_print(const struct gcal_explain_case *c,
                                 const struct gcal_explain_measured *measured);
json_t *gcal_explain_measured_json(const struct gcal_explain_measured *measured);

/* ---- svg.c ---- */

/* A drawing of all cases, with the roofs of the first; 'path' is replaced as a whole. */
int gcal_explain_svg(const char *path, const struct gcal_explain_set *set,
                     struct gcal_error *err);

/* ---- words.c ---- */

/* What a limit of that name is ("memory"); the name itself if it is an unknown one. */
const char *gcal_explain_words(const char *limit);
/* What a cost is of, in words; 'counted' for an unknown one. */
const char *gcal_explain_cost_words(const char *parameter, const char *counted);
/* "limited by dram: ...", the caller's to free; NULL if memory runs out. */
char *gcal_explain_sentence(const struct gcal_explain_case *c);
/* Whether rates are worth showing: not of what is a small part of its limit. */
bool gcal_explain_has_rate(const struct gcal_explain_cost *cost);
/* "3.91 TB/s", "12.4 Gop/s". */
const char *gcal_explain_rate(double rate, enum gcal_explain_unit unit, char *text,
                              size_t size);

/* ---- print.c, json.c ---- */

int gcal_explain_print(const struct gcal_explain_case *c, struct gcal_error *err);
/* NULL with 'err'. */
json_t *gcal_explain_json(const struct gcal_explain_case *c, struct gcal_error *err);

#endif
