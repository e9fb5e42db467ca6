/* private.h - what the files of kernels/generate share
 *
 * A generator is one .yaml file, kept as its syntax tree: keys are read from the nodes
 * when kernels are made, so that every error names file, line and column.
 *
 * The sections below follow the files from the lowest up: a file calls only files of the
 * sections above its own.
 */
#ifndef GCAL_KERNELS_GENERATE_PRIVATE_H
#define GCAL_KERNELS_GENERATE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/embed.h"
#include "kernels/base/hash.h"
#include "kernels/base/strings.h"
#include "kernels/base/yaml.h"
#include "kernels/generate/generate.h"
#include "kernels/remove/remove.h"

/* The built-in catalogue: the .cl and .yaml files of kernels/catalogue. */
extern const struct gcal_embedded_file gcal_catalogue_builtin_files[];

enum gcal_generator_values {
    GCAL_GENERATOR_VALUES_LISTED,
    GCAL_GENERATOR_VALUES_RANGE,  /* first, first + step, .. last */
    GCAL_GENERATOR_VALUES_POWERS, /* of two, first .. last */
    GCAL_GENERATOR_VALUES_SIZE,   /* any positive integer */
    GCAL_GENERATOR_VALUES_LOADS,  /* global loads by name, joined by '+'; "all", "each" */
};

/* An argument of a generator.  'size': a size parameter of the kernel, which stays a
 * name in expressions; all other arguments are replaced by their value.
 */
struct gcal_generator_arg {
    const char *name;
    bool size, sweep;
    bool tuned; /* its values do the same work in other ways */
    bool many;  /* needs no 'default', however many values it has */
    enum gcal_generator_values form;
    struct gcal_strings listed;
    long long first, last, step;
    struct gcal_strings defaults;      /* used when no tag fixes the argument */
    const struct gcal_yaml *footprint; /* its map, if the device gives the defaults */
    long long multiple;                /* a footprint's size is a multiple of this */
};

struct gcal_generator {
    struct gcal_arena *arena; /* the catalogue's */
    struct gcal_yaml *root;
    char *name;
    const char *source_name;
    char *source;
    enum gcal_kernel_form form;          /* of its kernels */
    const struct gcal_generator *origin; /* of a derived generator, which shares its root
                                            and source; else NULL */
    struct gcal_generator_loads **loads; /* global loads by macros (kept_loads.c) */
    char sha256[GCAL_HASH_TEXT_SIZE];    /* of description and source; unset if derived */
    struct gcal_strings tags;
    size_t n_arguments;
    struct gcal_generator_arg *arguments;
    double tolerance;
    bool short_run, unchecked;
};

struct gcal_catalogue_tags;
struct gcal_generator_wheel;
struct gcal_profile;

struct gcal_catalogue {
    struct gcal_arena *arena; /* of it and its generators */
    size_t n_generators, capacity;
    struct gcal_generator **generators;
    size_t n_builtin;                  /* the first ones */
    struct gcal_catalogue_files files; /* of the others */
    struct gcal_kernel_cache *counted;
    struct gcal_buf texts; /* of all files, while they are read */
    char fingerprint[GCAL_HASH_TEXT_SIZE];
};

struct gcal_kernel_cache {
    struct gcal_memo *entries;     /* of struct gcal_kernel_cache_entry */
    gcal_catalogue_counter *count; /* what counts the others; NULL: gcal_count() */
    void *context;
};

/* Results of work removal and counting for a variant, counted for one sub-group size. */
struct gcal_kernel_cache_entry {
    char *source;
    struct gcal_remove_element element; /* of a derived kernel's result */
    struct gcal_profile *profile;
    char *failure; /* why there is no profile, or NULL */
};

/* One value per argument, borrowed. */
struct gcal_generator_setting {
    const struct gcal_generator *generator;
    const char **values;
    bool sweep; /* no tag fixed the argument with the size sweep */
};

/* ---- texts.c ---- */

/* Reads a list, not empty, of distinct words; 'what' is its key, for messages. */
int gcal_catalogue_texts_read(const struct gcal_yaml *list, const char *what,
                              struct gcal_strings *texts, struct gcal_error *err);
bool gcal_catalogue_is_name(const char *text);
/* Digits without leading zeros; a size is above 0. */
bool gcal_catalogue_is_integer(const char *text);
bool gcal_catalogue_is_size(const char *text);

/* ---- cache.c ---- */

struct gcal_kernel_cache *gcal_kernel_cache_create(struct gcal_arena *arena);

/* The results for the kernel's variant and counting, which stay as long as the cache.  '*is_new':
 * there are none yet, and the thread must fill it with those of this same kernel: until then,
 * other threads wait for it.  NULL with 'err' if memory runs out.
 */
struct gcal_kernel_cache_entry *gcal_kernel_cache_take(struct gcal_kernel_cache *cache,
                                                       const struct gcal_kernel *kernel,
                                                       bool *is_new,
                                                       struct gcal_error *err);
/* 'failure': why the variant cannot be counted, or NULL. */
int gcal_kernel_cache_fill(struct gcal_kernel_cache *cache,
                           struct gcal_kernel_cache_entry *entry,
                           const struct gcal_kernel *kernel,
                           const struct gcal_remove_element *element, const char *failure,
                           struct gcal_error *err);

/* ---- generator.c ---- */

/* The argument of that name, or NULL; its value in a setting, or NULL. */
const struct gcal_generator_arg *
gcal_generator_find_arg(const struct gcal_generator *generator, const char *name);
const char *gcal_generator_setting_value(const struct gcal_generator_setting *setting,
                                         const char *argument);
/* The node of a key that 'cases' may have, for these values; NULL: none. */
const struct gcal_yaml *
gcal_generator_setting_node(const struct gcal_generator_setting *setting,
                            const char *key);
/* The value of 'keep'; NULL where the generator has no such argument. */
const char *gcal_generator_keep_value(const struct gcal_generator_setting *setting);
/* Whether the entry describes a transfer without a kernel: it has 'transfer' and neither
 * 'source' nor 'kernel'.
 */
bool gcal_generator_is_transfer(const struct gcal_yaml *root);
/* The node of 'key' in 'map'; NULL with "key '...' is missing" in 'err'. */
const struct gcal_yaml *gcal_generator_require(const struct gcal_yaml *map,
                                               const char *key, struct gcal_error *err);

/* ---- values.c ---- */

enum { GCAL_GENERATOR_MAX_KEPT = 8 }; /* loads in one value of 'keep' */

bool gcal_generator_is_power_of_two(long long value);
bool gcal_generator_arg_allows(const struct gcal_generator_arg *a, const char *value);
/* Whether all its values are integers from 0. */
bool gcal_generator_arg_is_integer(const struct gcal_generator_arg *a);
/* Appends all its values, unless it is a size or selects loads. */
int gcal_generator_arg_list_values(const struct gcal_generator_arg *a,
                                   struct gcal_strings *values, struct gcal_error *err);
/* "1 to 64", for messages. */
void gcal_generator_arg_put_values(const struct gcal_generator_arg *a,
                                   struct gcal_buf *out);

/* ---- arguments.c ---- */

/* Reads the keys 'arguments' and 'tune'. */
int gcal_generator_read_args(struct gcal_generator *generator, struct gcal_error *err);

/* ---- expand.c ---- */

/* 'node's text with every argument but sizes replaced by its value. */
char *gcal_generator_expand(struct gcal_arena *arena,
                            const struct gcal_generator_setting *setting,
                            const struct gcal_yaml *node, const char *what,
                            struct gcal_error *err);
/* gcal_generator_expand() for an expression: an error unless it parses and all its names
 * are size parameters.
 */
char *gcal_generator_expand_expr(struct gcal_arena *arena,
                                 const struct gcal_generator_setting *setting,
                                 const struct gcal_yaml *node, const char *what,
                                 struct gcal_error *err);
/* gcal_generator_expand_expr() without any size, as a positive integer. */
int gcal_generator_expand_count(struct gcal_arena *arena,
                                const struct gcal_generator_setting *setting,
                                const struct gcal_yaml *node, const char *what,
                                size_t *value, struct gcal_error *err);
/* The value of expression 'text' with these sizes. */
int gcal_kernel_eval_sizes(const char *text, size_t n_sizes,
                           const struct gcal_size *sizes, double *value,
                           struct gcal_error *err);
/* An error when the sizes break the conditions (NULL: none). */
int gcal_kernel_check_assume(const char *text, size_t n_sizes,
                             const struct gcal_size *sizes, struct gcal_error *err);

/* ---- where.c ---- */

/* 'when: {argument: [values]}': an error unless the generator has these. */
int gcal_generator_when_check(const struct gcal_generator *g,
                              const struct gcal_yaml *when, struct gcal_error *err);
/* Whether the setting has one of the values (when NULL: yes). */
bool gcal_generator_when_holds(const struct gcal_generator_setting *setting,
                               const struct gcal_yaml *when);
/* Checks the keys 'where' and 'cases'. */
int gcal_generator_where_check(const struct gcal_generator *g, struct gcal_error *err);
int gcal_generator_cases_check(const struct gcal_generator *g, struct gcal_error *err);
/* '*broken': the first condition that the setting breaks, or NULL. */
int gcal_generator_where_broken(const struct gcal_generator_setting *setting,
                                const struct gcal_yaml **broken, struct gcal_error *err);
/* "name: 'condition' does not hold for a:1 b:2". */
void gcal_generator_where_put_broken(const struct gcal_generator_setting *setting,
                                     const struct gcal_yaml *broken,
                                     struct gcal_buf *out);

/* ---- run.c: 'run' and 'transfer' of an entry ---- */

/* An error for keys that need a kernel where there is none. */
int gcal_generator_check_transfer(const struct gcal_yaml *root, struct gcal_error *err);

/* Fills launches, timing and transfer of a kernel in which nothing else is filled but
 * 'source' and 'entry'.
 */
int gcal_kernel_run_read(const struct gcal_generator_setting *setting,
                         struct gcal_kernel *kernel, struct gcal_error *err);
/* Their part of the kernel's id. */
void gcal_kernel_run_put(struct gcal_buf *buf, const struct gcal_kernel *kernel);
/* Launches, bytes and pieces for some sizes. */
int gcal_kernel_run_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                             const struct gcal_size *sizes,
                             struct gcal_geometry *geometry, struct gcal_error *err);
/* Makes the profile of one launch that of a run: multiplies counts by the launches, and
 * adds the transfer's.  A kernel that is a transfer gets its profile here.
 */
int gcal_kernel_run_count(struct gcal_kernel *kernel, struct gcal_error *err);
/* Makes the sizes in expression 'count' parameters of the profile. */
int gcal_kernel_run_add_parameters(struct gcal_profile *profile, const char *count,
                                   struct gcal_error *err);

/* ---- kernel.c ---- */

/* The kernel of a setting, not counted yet, and with all its work: see
 * gcal_kernel_finish().
 */
struct gcal_kernel *gcal_kernel_create(const struct gcal_generator_setting *setting,
                                       struct gcal_error *err);
/* gcal_kernel_request() with the source's file for messages. */
struct gcal_count_request
gcal_generator_setting_request(const struct gcal_generator_setting *setting,
                               const struct gcal_kernel *kernel);

/* ---- limits.c ---- */

/* Those that are known before a kernel has buffers. */
struct gcal_limits gcal_kernel_device_limits(const struct gcal_kernel_limits *limits);
/* Checks work-group and dtypes; '*reason' is set where the result is false. */
bool gcal_kernel_limits_allow(const struct gcal_kernel_limits *limits,
                              const struct gcal_generator_setting *setting,
                              const struct gcal_kernel *kernel,
                              enum gcal_kernel_exclusion *reason);

/* ---- kept_loads.c ---- */

/* 1; 0 when 'keep' names anything but loads, and the reason added to 'why' where that is
 * empty; -1.
 */
int gcal_generator_keep_allows(const struct gcal_generator_setting *setting,
                               struct gcal_buf *why, struct gcal_error *err);
/* For 'keep:each' the loads, each to be kept in a kernel of its own, as the value of that
 * argument; otherwise NULL.
 */
int gcal_generator_keep_each(struct gcal_generator_setting *setting,
                             const struct gcal_remove_load_list **loads, size_t *argument,
                             struct gcal_error *err);

/* ---- finish.c ---- */

/* Removes work where the generator is derived, counts for kernel->counting, and makes the
 * id.  Takes results from 'cache', and adds new ones to it (NULL: there is none).
 */
int gcal_kernel_finish(const struct gcal_generator_setting *setting,
                       struct gcal_kernel *kernel, struct gcal_kernel_cache *cache,
                       struct gcal_error *err);

/* ---- tags.c ---- */

/* "n:1024,2048", parsed. */
struct gcal_catalogue_variant_tag {
    char *argument;
    size_t n_values;
    char **values;
};

struct gcal_catalogue_tags {
    size_t n_plain, n_variants;
    char **plain;
    struct gcal_catalogue_variant_tag *variants;
};

int gcal_catalogue_tags_parse(struct gcal_arena *arena, size_t n_tags,
                              const char *const *tags, struct gcal_catalogue_tags *out,
                              struct gcal_error *err);
/* Whether the tags pick this generator. */
bool gcal_catalogue_tags_match(const struct gcal_catalogue_tags *tags,
                               enum gcal_match match,
                               const struct gcal_generator *generator);
const struct gcal_catalogue_variant_tag *
gcal_catalogue_tags_find(const struct gcal_catalogue_tags *tags, const char *argument);
/* See gcal_catalogue_check(). */
int gcal_catalogue_tags_check(const struct gcal_catalogue *catalogue,
                              const struct gcal_catalogue_tags *tags,
                              enum gcal_match match, struct gcal_error *err);

/* ---- product.c ---- */

/* All settings that 'tags' (NULL: the defaults) pick and 'where' allows, with footprints
 * for 'limits'.
 */
struct gcal_generator_product {
    struct gcal_arena *arena;
    struct gcal_generator_setting setting; /* the current one */
    struct gcal_buf broken; /* reason why the first setting was excluded, or empty */
    const struct gcal_kernel_limits *limits;
    size_t n_too_small; /* settings without a size that fits their footprint */
    size_t n_wheels;
    struct gcal_generator_wheel *wheels;
    size_t footprint; /* the argument that follows from 'limits'; n_wheels: none does */
    char size[32];    /* its value */
    bool started, ended;
};

void gcal_generator_product_open(const struct gcal_generator *g,
                                 const struct gcal_catalogue_tags *tags,
                                 const struct gcal_kernel_limits *limits,
                                 struct gcal_generator_product *product);
void gcal_generator_product_close(struct gcal_generator_product *product);
/* 1 with the next setting, 0 after the last, -1. */
int gcal_generator_product_next(struct gcal_generator_product *product,
                                struct gcal_error *err);

/* ---- read.c ---- */

/* Empty. */
struct gcal_generator *gcal_generator_alloc(struct gcal_arena *arena);
/* Takes 'root' (on failure too).  'source' is copied. */
struct gcal_generator *gcal_generator_create(struct gcal_arena *arena,
                                             struct gcal_yaml *root, const char *source,
                                             struct gcal_error *err);
/* The name of the .cl file in 'root', "" where there is no kernel, or NULL with 'err'. */
const char *gcal_generator_source_name(const struct gcal_yaml *root,
                                       struct gcal_error *err);

/* ---- files.c ---- */

/* Whether the file is a .yaml. */
bool gcal_catalogue_is_description(const char *name);
/* "folder/name", or just the name without a folder (""). */
char *gcal_catalogue_path(struct gcal_arena *arena, const char *folder, const char *name);

/* ---- subjects.c ---- */

/* A subject: a tag that measurement kernels of one kind share (gpucal-catalogue(5),
 * TAGS), in the order of the catalogue's description.
 */
struct gcal_catalogue_subject {
    const char *tag; /* NULL in the last row: generators with no other subject */
    const char *heading;
    bool automatic; /* see struct gcal_generator_view */
};

extern const struct gcal_catalogue_subject gcal_catalogue_subjects[];
extern const size_t gcal_catalogue_n_subjects;

/* The row of the generator's subject. */
size_t gcal_generator_subject(const struct gcal_generator *generator);
/* False where one of its subjects is not automatic, and for derived generators. */
bool gcal_generator_is_automatic(const struct gcal_generator *generator);

#endif
