/* private.h - what the parts of the catalogue share; internal to kernels/
 *
 * A generator is one .yaml file, kept as its tree: what it says is read from the nodes
 * when kernels are made, so that every complaint can name file, line and column.
 */
#ifndef GCAL_KERNELS_GENERATE_PRIVATE_H
#define GCAL_KERNELS_GENERATE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/base/buf.h"
#include "calib/base/embed.h"
#include "calib/base/hash.h"
#include "calib/base/yaml.h"
#include "kernels/generate/generate.h"
#include "kernels/remove/remove.h"

/* The built-in catalogue: the .cl and .yaml files of kernels/catalogue. */
extern const struct gcal_embedded_file gcal_catalogue_builtin_files[];

/* Owned texts. */
struct gcal_catalogue_texts {
    size_t n, capacity;
    char **items;
};

enum gcal_generator_values {
    GCAL_GENERATOR_VALUES_LISTED,
    GCAL_GENERATOR_VALUES_RANGE,  /* first, first + step, .. last */
    GCAL_GENERATOR_VALUES_POWERS, /* of two, first .. last */
    GCAL_GENERATOR_VALUES_SIZE,   /* any positive integer */
    GCAL_GENERATOR_VALUES_LOADS,  /* global loads by name, joined by '+'; "all", "each" */
};

/* An argument of a generator.  'size': a size parameter of the kernel, which stays a
 * name in expressions; other arguments are replaced by their value wherever they stand.
 */
struct gcal_generator_arg {
    const char *name;
    bool size, sweep;
    enum gcal_generator_values form;
    struct gcal_catalogue_texts listed;
    long long first, last, step;
    struct gcal_catalogue_texts defaults; /* taken when no tag fixes the argument */
    const struct gcal_yaml *footprint;    /* the defaults follow from a device, or NULL */
    long long multiple;                   /* of a footprint's size */
};

/* What of a kernel's work its generator leaves: all of it, or see gcal_remove_form. */
enum gcal_generator_form {
    GCAL_GENERATOR_FORM_FULL,
    GCAL_GENERATOR_FORM_LOADS,
    GCAL_GENERATOR_FORM_ONCHIP,
    GCAL_GENERATOR_FORM_MEMORY,
    GCAL_GENERATOR_N_FORMS
};

struct gcal_generator {
    struct gcal_yaml *root;
    char *name;
    const char *source_name;
    char *source;
    enum gcal_generator_form form;
    const struct gcal_generator *origin; /* of a companion, which shares its root and
                                            source; else NULL */
    void **found; /* of a companion: which loads there are, as far as known */
    struct gcal_catalogue_texts tags;
    size_t n_arguments;
    struct gcal_generator_arg *arguments;
    double tolerance;
    bool short_run;
};

struct gcal_catalogue_tags;
struct gcal_generator_wheel;

struct gcal_catalogue {
    size_t n_generators, capacity;
    struct gcal_generator **generators;
    void **counted;        /* what is known of kernels' counts (cache.c) */
    struct gcal_buf texts; /* of all files, while they are read */
    char fingerprint[GCAL_HASH_TEXT_SIZE];
};

/* What removal and counting gave for a variant. */
struct gcal_kernel_cache_entry {
    char *variant, *source;
    struct gcal_remove_element element; /* of a companion's result */
    char *profile;                      /* YAML */
};

/* One value per argument, borrowed. */
struct gcal_generator_setting {
    const struct gcal_generator *generator;
    const char **values;
    bool sweep; /* the ladder's argument was not fixed by a tag */
};

/* ---- read.c ---- */

/* Takes 'root' (destroyed on failure too).  'source' is copied. */
struct gcal_generator *gcal_generator_create(struct gcal_yaml *root, const char *source,
                                             struct gcal_error *err);
void gcal_generator_destroy(struct gcal_generator *generator);
/* The name of the .cl file in 'root', "" where there is no kernel, or NULL with 'err'. */
const char *gcal_generator_source_name(const struct gcal_yaml *root,
                                       struct gcal_error *err);
int gcal_generator_read_args(struct gcal_generator *generator, struct gcal_error *err);
/* The argument of that name, or NULL; its value. */
const struct gcal_generator_arg *
gcal_generator_find_arg(const struct gcal_generator *generator, const char *name);
const char *gcal_generator_setting_value(const struct gcal_generator_setting *setting,
                                         const char *argument);

/* ---- values.c ---- */

int gcal_catalogue_texts_add(struct gcal_catalogue_texts *texts, const char *text,
                             struct gcal_error *err);
/* A list, not empty, of words that differ. */
int gcal_catalogue_texts_read(const struct gcal_yaml *list, const char *what,
                              struct gcal_catalogue_texts *texts, struct gcal_error *err);
bool gcal_catalogue_texts_contain(const struct gcal_catalogue_texts *texts,
                                  const char *text);
void gcal_catalogue_texts_clear(struct gcal_catalogue_texts *texts);
bool gcal_catalogue_is_name(const char *text);
/* Digits without leading zeros; a size is above 0. */
bool gcal_catalogue_is_integer(const char *text);
bool gcal_catalogue_is_size(const char *text);

/* Fills all but the name of an argument, whose values 'node' gives. */
int gcal_generator_arg_read(const struct gcal_yaml *node, struct gcal_generator_arg *a,
                            struct gcal_error *err);
void gcal_generator_arg_clear(struct gcal_generator_arg *a);
bool gcal_generator_arg_allows(const struct gcal_generator_arg *a, const char *value);
/* Whether all its values are integers from 0. */
bool gcal_generator_arg_is_integer(const struct gcal_generator_arg *a);
/* "1 to 64", for messages. */
void gcal_generator_arg_put_values(const struct gcal_generator_arg *a,
                                   struct gcal_buf *out);

/* ---- where.c ---- */

/* 'when: {argument: [values]}': complains unless the generator has these; whether the
 * setting has one of them (NULL: yes).
 */
int gcal_generator_when_check(const struct gcal_generator *g,
                              const struct gcal_yaml *when, struct gcal_error *err);
bool gcal_generator_when_holds(const struct gcal_generator_setting *setting,
                               const struct gcal_yaml *when);
/* The generator's 'where': complains unless it is right; the first condition that the
 * setting breaks, or NULL, in '*broken'; "name: 'condition' does not hold for a:1 b:2".
 */
int gcal_generator_where_check(const struct gcal_generator *g, struct gcal_error *err);
int gcal_generator_where_broken(const struct gcal_generator_setting *setting,
                                const struct gcal_yaml **broken, struct gcal_error *err);
void gcal_generator_where_put_broken(const struct gcal_generator_setting *setting,
                                     const struct gcal_yaml *broken,
                                     struct gcal_buf *out);

/* ---- product.c ---- */

/* All settings that 'tags' (NULL: the defaults) pick and 'where' allows, with footprints
 * for 'limits'.
 */
struct gcal_generator_product {
    struct gcal_generator_setting setting; /* the current one */
    struct gcal_buf broken; /* what broke the first that 'where' left out */
    const struct gcal_kernel_limits *limits;
    size_t n_too_small; /* left out, as no size fits their footprint */
    size_t n_wheels;
    struct gcal_generator_wheel *wheels;
    size_t footprint; /* the argument that follows from 'limits'; n_wheels: none does */
    char size[32];    /* its value */
    bool started, ended;
};

int gcal_generator_product_open(const struct gcal_generator *g,
                                const struct gcal_catalogue_tags *tags,
                                const struct gcal_kernel_limits *limits,
                                struct gcal_generator_product *product,
                                struct gcal_error *err);
void gcal_generator_product_close(struct gcal_generator_product *product);
/* 1 with the next setting, 0 behind the last, -1. */
int gcal_generator_product_next(struct gcal_generator_product *product,
                                struct gcal_error *err);

/* ---- expand.c ---- */

/* 'node's text with the arguments that are no sizes replaced by their values. */
char *gcal_generator_expand(const struct gcal_generator_setting *setting,
                            const struct gcal_yaml *node, const char *what,
                            struct gcal_error *err);
/* gcal_generator_expand() for an expression: complains unless it parses and all its names
 * are size parameters.
 */
char *gcal_generator_expand_expr(const struct gcal_generator_setting *setting,
                                 const struct gcal_yaml *node, const char *what,
                                 struct gcal_error *err);
/* gcal_generator_expand_expr() without any size, as a positive integer. */
int gcal_generator_expand_count(const struct gcal_generator_setting *setting,
                                const struct gcal_yaml *node, const char *what,
                                size_t *value, struct gcal_error *err);
/* The value of expression 'text' with these sizes. */
int gcal_kernel_eval_sizes(const char *text, size_t n_sizes,
                           const struct gcal_size *sizes, double *value,
                           struct gcal_error *err);
/* Complains when the sizes break the kernel's 'assume'. */
int gcal_kernel_check_assume(const struct gcal_kernel *kernel, size_t n_sizes,
                             const struct gcal_size *sizes, struct gcal_error *err);

/* ---- footprint.c ---- */

/* Fills what the map of 'footprint' says of an argument. */
int gcal_generator_footprint_read(const struct gcal_yaml *map,
                                  struct gcal_generator_arg *a, struct gcal_error *err);
/* The size that 'argument' takes for its factor 'which', the other arguments as they are;
 * 0 where no multiple is small enough.
 */
int gcal_generator_footprint_size(const struct gcal_generator_setting *setting,
                                  size_t argument, size_t which,
                                  const struct gcal_kernel_limits *limits,
                                  long long *size, struct gcal_error *err);

/* ---- limits.c ---- */

/* Of work-group and dtypes; the reason where it is false. */
bool gcal_kernel_limits_allow(const struct gcal_kernel_limits *limits,
                              const struct gcal_generator_setting *setting,
                              const struct gcal_kernel *kernel,
                              enum gcal_kernel_exclusion *reason);

/* ---- derived.c ---- */

/* The key 'companions'. */
int gcal_generator_check_derived(const struct gcal_generator *g, struct gcal_error *err);
bool gcal_generator_wants_derived(const struct gcal_generator *g,
                                  enum gcal_generator_form form);
/* Borrows from 'origin', which must outlive it. */
struct gcal_generator *gcal_generator_derive(const struct gcal_generator *origin,
                                             enum gcal_generator_form form,
                                             struct gcal_error *err);
/* Removes the work of a kernel, as 'counted' (or NULL) has it. */
int gcal_kernel_remove_work(const struct gcal_generator_setting *setting,
                            struct gcal_kernel *kernel,
                            const struct gcal_kernel_cache_entry *counted,
                            struct gcal_remove_element *element, struct gcal_error *err);

/* ---- kept_loads.c ---- */

enum { GCAL_GENERATOR_MAX_KEPT = 8 }; /* loads in one value */

void gcal_generator_clear_loads(struct gcal_generator *g);
/* The value of 'keep'; NULL where the generator has no such argument. */
const char *gcal_generator_keep_value(const struct gcal_generator_setting *setting);
/* Whether 'value' can be one of 'keep' at all. */
bool gcal_generator_keep_is_valid(const char *value);
/* 1, or 0 and the reason added to 'why' where that is empty when 'keep' names what is no
 * load; -1.
 */
int gcal_generator_keep_allows(const struct gcal_generator_setting *setting,
                               struct gcal_buf *why, struct gcal_error *err);
/* For 'keep:each' the loads, which 'setting' is to keep one after the other as that
 * argument; otherwise NULL.
 */
int gcal_generator_keep_each(struct gcal_generator_setting *setting,
                             const struct gcal_remove_load_list **loads, size_t *argument,
                             struct gcal_error *err);

/* ---- cache.c ---- */

/* A tree begins as NULL. */
struct gcal_kernel_cache_entry *gcal_kernel_cache_find(void *const *tree,
                                                       const struct gcal_kernel *kernel);
int gcal_kernel_cache_add(void **tree, const struct gcal_kernel *kernel,
                          const struct gcal_remove_element *element,
                          struct gcal_error *err);
void gcal_kernel_cache_clear(void **tree);

/* ---- kernel.c, finish.c ---- */

/* The kernel of a setting, neither counted nor, for a companion, with its work removed
 * yet: gcal_kernel_finish() does both, or takes them over from 'tree', to which it adds
 * what is new (NULL: there is none).
 */
struct gcal_kernel *gcal_kernel_create(const struct gcal_generator_setting *setting,
                                       struct gcal_error *err);
int gcal_kernel_finish(const struct gcal_generator_setting *setting,
                       struct gcal_kernel *kernel, void **tree, struct gcal_error *err);
/* gcal_kernel_request() with the source's file for messages. */
struct gcal_count_request
gcal_generator_setting_request(const struct gcal_generator_setting *setting,
                               const struct gcal_kernel *kernel);

/* ---- tags.c ---- */

/* "n:1024,2048", taken apart. */
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

int gcal_catalogue_tags_parse(size_t n_tags, const char *const *tags,
                              struct gcal_catalogue_tags *out, struct gcal_error *err);
void gcal_catalogue_tags_clear(struct gcal_catalogue_tags *tags);
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

#endif
