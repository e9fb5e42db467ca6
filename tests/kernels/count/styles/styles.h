/* styles.h - kernels in the styles of real code, counted and compared with Oclgrind
 *
 * A file of styles is OpenCL C; lines that begin with "//:" describe how its kernels run.
 * styles/README.md has the format.  A *style* is one kernel with its own source: what is
 * before the file's first "//: kernel", and the text to the next one.
 */
#ifndef GCAL_TESTS_KERNELS_COUNT_STYLES_H
#define GCAL_TESTS_KERNELS_COUNT_STYLES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "kernels/request.h"
#include "tests/kernels/count/oracle/oracle.h"

struct gcal_count_signature;
struct gcal_error;
struct gcal_profile;

/* ---- the format ---- */

enum { STYLE_MOST_SIZES = 16, STYLE_MOST_RUNS = 4 };

struct style_run {
    size_t n_sizes;
    struct gcal_size sizes[STYLE_MOST_SIZES];
};

/* Of an argument: expressions in the sizes, and 'i'; NULL: none. */
struct style_argument {
    char *name, *elements, *value;
};

/* What is right where Oclgrind's unoptimised code does otherwise: an expression in the
 * sizes and 'seen'.
 */
struct style_seen {
    char *quantity, *value, *reason;
};

struct style {
    char *name, *file, *source;
    int line; /* of its "//: kernel" */
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS];
    char *global_size[GCAL_MAX_DIMS];
    char *assume, *options; /* or NULL */
    bool allow_estimates;
    size_t n_trips;
    struct gcal_count_trips trips[8];
    size_t n_runs;
    struct style_run runs[STYLE_MOST_RUNS];
    size_t n_arguments;
    struct style_argument arguments[16];
    size_t n_seen;
    struct style_seen seen[16];
    struct gcal_strings marked;       /* quantities, or "all" */
    struct gcal_strings lanes_marked; /* with sub-groups of 32 only */
    bool sampled;                     /* its loops, even if they have closed forms */
    bool at_sizes;                    /* counted for each run's sizes by itself */
    struct gcal_strings contents;     /* buffers whose values are given to counting */
    char *no_lanes;                   /* why lanes are not enumerated, or NULL */
    char *refused;                    /* words of the message, or NULL */
    char *noted;                      /* words of a note on an estimate, or NULL */
    struct gcal_strings advice;       /* lines that make it pass */
};

struct styles {
    size_t n, capacity;
    struct style *items;
};

/* Clear 'styles' in any case; -1 with "file:line: reason". */
int styles_read(const char *path, struct styles *styles, struct gcal_error *err);
void styles_clear(struct styles *styles);
/* The advice becomes part of the style, which is not refused or noted any more. */
int style_take_advice(struct style *style, struct gcal_error *err);

/* As for gcal_count(); 'style' keeps what it points to. */
struct gcal_count_request style_request(const struct style *style, size_t sub_group_size);

/* Whether the list has the quantity (that of its bytes, too), or "all". */
bool style_lists(const struct gcal_strings *list, const char *quantity);

/* ---- running (run.c) ---- */

/* Oclgrind as an OpenCL platform of this process: false if it is not there. */
bool style_platform_open(void);

/* Runs the style at all its sizes in a process of its own, which inherits the platform;
 * 'texts' gets a histogram for each run, the caller's to free.
 */
int style_run(const struct style *style, const struct gcal_count_signature *signature,
              char *texts[STYLE_MOST_RUNS], struct gcal_error *err);

/* ---- values (values.c) ---- */

/* The contents of an argument at the sizes of a run. */
struct style_value {
    enum { STYLE_BUFFER, STYLE_LOCAL, STYLE_SCALAR, STYLE_OTHER } kind;
    const char *dtype; /* of its elements; NULL: OTHER */
    size_t n_elements; /* 1 for a scalar; bytes of a LOCAL */
    void *data;        /* NULL: LOCAL and OTHER */
};

/* Of all arguments in the signature, freed by style_values_free(); NULL with 'err'. */
struct style_value *style_values_make(const struct style *style,
                                      const struct gcal_count_signature *signature,
                                      const struct style_run *run,
                                      struct gcal_error *err);
void style_values_free(struct style_value *values, size_t n);

/* The NDRange; 1 beyond the style's dimensions. */
int style_global_size(const struct style *style, const struct style_run *run,
                      size_t global_size[GCAL_MAX_DIMS], struct gcal_error *err);

/* ---- sub-groups (lanes.c) ---- */

enum { STYLE_LANES = 32 };

/* Compares a profile for sub-groups of STYLE_LANES work-items with an enumeration; prints
 * what differs.  -1 with 'err' for wrong counts; '*enumerated' is false where the host
 * interpreter cannot run the kernel.
 */
int style_check_lanes(const struct style *style,
                      const struct gcal_count_signature *signature,
                      const struct gcal_profile *profile, const struct style_run *run,
                      bool *enumerated, struct gcal_error *err);

#endif
