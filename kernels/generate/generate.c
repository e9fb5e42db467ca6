/* generate.c - kernels of the generators that tags pick, and the list they go into */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"

void gcal_kernel_list_clear(struct gcal_kernel_list *list)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        gcal_kernel_destroy(list->kernels[i]);
    free(list->kernels);
    gcal_strings_clear(&list->failed);
    memset(list, 0, sizeof(*list));
}

int gcal_kernel_list_check(const struct gcal_kernel_list *list, struct gcal_error *err)
{
    if (list->n_kernels || !list->failed.n)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s", list->failed.items[0]);
}

/* What became of a setting. */
enum verdict {
    SKIPPED, /* without a word: one size sweep serves variants with other conditions */
    EXCLUDED,
    FAILED,
    READY,
};

/* A setting on its way to the list, with its own copy of the values. */
struct candidate {
    struct gcal_generator_setting setting;
    struct gcal_kernel *kernel;
    struct gcal_geometry geometry;
    enum verdict verdict;
    enum gcal_kernel_exclusion reason; /* of EXCLUDED */
    const char *failed;                /* what failed, of FAILED */
    struct gcal_error why;
};

/* Candidates that are made ready together, by several threads. */
enum { BATCH = 512 };

/* The state of one generation. */
struct making {
    struct gcal_arena *arena;
    struct gcal_kernel_cache *counted;
    size_t n_candidates, n_jobs;
    struct candidate *candidates;            /* BATCH; NULL before the first */
    struct candidate **jobs;                 /* those of one run of the threads */
    const struct gcal_kernel_limits *limits; /* NULL: any device */
    struct gcal_kernel_list *list;
    void *ids; /* tree of the list's kernels */
    size_t n_settings;
    struct gcal_buf left;    /* reason why the first setting was left out, or empty */
    const char *left_family; /* of the last kernel that the device cannot run, or NULL */
};

static const struct gcal_kernel_limits *limits_of(const struct making *m)
{
    return m->limits ? m->limits : &gcal_kernel_nominal_limits;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct gcal_kernel *)a)->id,
                  ((const struct gcal_kernel *)b)->id);
}

static void keep_kernel(void *kernel)
{
    (void)kernel;
}

/* The list's kernel with the id of 'kernel', or else 'kernel', which is added. */
static struct gcal_kernel *find_or_add(struct making *m, struct gcal_kernel *kernel,
                                       struct gcal_error *err)
{
    struct gcal_kernel *const *found = tsearch(kernel, &m->ids, compare_ids);

    if (found)
        return *found;
    gcal_error_memory(err);
    return NULL;
}

static int start(struct making *m, struct gcal_error *err)
{
    for (size_t i = 0; i < m->list->n_kernels; i++)
        if (!find_or_add(m, m->list->kernels[i], err))
            return -1;
    return 0;
}

static void clear_candidates(struct making *m)
{
    for (size_t i = 0; i < m->n_candidates; i++) {
        gcal_kernel_destroy(m->candidates[i].kernel);
        gcal_kernel_geometry_clear(&m->candidates[i].geometry);
    }
    m->n_candidates = 0;
}

static void stop(struct making *m)
{
    clear_candidates(m);
    tdestroy(m->ids, keep_kernel);
    gcal_buf_free(&m->left);
    gcal_arena_destroy(m->arena);
}

/* Whether the local memory that a finished kernel declares and gets as arguments fits. */
static bool has_local_memory(const struct making *m, const struct gcal_kernel *kernel,
                             const struct gcal_geometry *geometry)
{
    struct gcal_needs needs = { .local_memory_bytes =
                                    gcal_profile_local_bytes(kernel->profile) };
    struct gcal_limits limits;

    if (!m->limits)
        return true;
    limits = gcal_kernel_device_limits(m->limits);
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].kind == GCAL_ARG_LOCAL)
            needs.local_memory_bytes +=
                geometry->arg_values[i] * (double)gcal_dtype_size(kernel->args[i].dtype);
    limits.fp16 = limits.fp64 = true; /* checked before */
    return gcal_limits_find(&limits, &needs) == GCAL_N_LIMITS;
}

/* The sizes of a size sweep follow each other and count as one kernel left out. */
static int leave_out(struct making *m, const struct gcal_kernel *kernel,
                     enum gcal_kernel_exclusion reason)
{
    if (!m->left_family || strcmp(m->left_family, kernel->family) != 0) {
        m->list->left_out[reason]++;
        m->left_family = gcal_arena_strdup(m->arena, kernel->family);
    }
    return 0;
}

/* Names what cannot be made in list->failed, once.  A variant fails at any size when it
 * is counted, and other steps for a kernel's own sizes.
 */
static int note_failed(struct making *m, const char *what, const struct gcal_error *why,
                       struct gcal_error *err)
{
    char *text = gcal_buf_format("%s: %s", what, why->text);
    int rc =
        text ? gcal_strings_include(&m->list->failed, text, err) : gcal_error_memory(err);

    free(text);
    return rc;
}

/* Whether sizes and NDRange are valid; 'geometry' is the caller's to clear. */
static int check_geometry(const struct gcal_kernel *kernel,
                          struct gcal_geometry *geometry, struct gcal_error *err)
{
    if (gcal_kernel_check_assume(kernel->assume, kernel->n_sizes, kernel->sizes, err) < 0)
        return -1;
    return gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, geometry, err);
}

/* ---- candidates, by several threads ---- */

/* Whether the kernel can be counted: into c->verdict.  -1: an error of the entry. */
static int examine(const struct making *m, struct candidate *c, struct gcal_error *err)
{
    struct gcal_kernel *kernel = c->kernel = gcal_kernel_create(&c->setting, err);

    if (!kernel)
        return -1;
    if (kernel->sweep && gcal_kernel_check_assume(kernel->assume, kernel->n_sizes,
                                                  kernel->sizes, NULL) < 0)
        return 0;
    c->verdict = READY;
    if (m->limits &&
        !gcal_kernel_limits_allow(m->limits, &c->setting, kernel, &c->reason))
        c->verdict = EXCLUDED;
    else if (check_geometry(kernel, &c->geometry, &c->why) < 0) {
        c->verdict = FAILED;
        c->failed = kernel->name;
    }
    return 0;
}

static int examine_one(void *context, size_t i, struct gcal_error *err)
{
    struct making *m = context;

    /* 'keep' may have failed before */
    return m->candidates[i].verdict == FAILED ? 0 : examine(m, &m->candidates[i], err);
}

/* Completes the kernel; its counts must have values at its sizes. */
static int finish(const struct making *m, struct candidate *c, struct gcal_error *err)
{
    struct gcal_kernel *kernel = c->kernel;

    if (!gcal_kernel_is_transfer(kernel))
        kernel->counting = limits_of(m)->counting;
    if (gcal_kernel_finish(&c->setting, kernel, m->counted, err) < 0)
        return -1;
    double values[kernel->profile->n_parameters + 1];
    return gcal_kernel_size_values(kernel, values, err);
}

/* A variant fails at any size when it is counted. */
static int finish_one(void *context, size_t i, struct gcal_error *err)
{
    const struct making *m = context;
    struct candidate *c = m->jobs[i];

    (void)err;
    if (finish(m, c, &c->why) < 0) {
        c->verdict = FAILED;
        c->failed = c->kernel->variant;
    }
    return 0;
}

static int compare_variants(const void *a, const void *b)
{
    return strcmp(((const struct gcal_kernel *)a)->variant,
                  ((const struct gcal_kernel *)b)->variant);
}

/* Makes jobs of the ready candidates that are the first of their variant, or of the
 * others.
 */
static int choose_jobs(struct making *m, bool first, struct gcal_error *err)
{
    void *variants = NULL;
    int rc = 0;

    m->n_jobs = 0;
    for (size_t i = 0; i < m->n_candidates && rc == 0; i++) {
        struct candidate *c = &m->candidates[i];
        struct gcal_kernel *const *found;

        if (!c->kernel || !(found = tsearch(c->kernel, &variants, compare_variants)))
            rc = c->kernel ? gcal_error_memory(err) : 0;
        else if (c->verdict == READY && (*found == c->kernel) == first)
            m->jobs[m->n_jobs++] = c;
    }
    tdestroy(variants, keep_kernel);
    return rc;
}

/* Puts a candidate into the list, or notes why it is not there. */
static int settle(struct making *m, struct candidate *c, struct gcal_error *err)
{
    struct gcal_kernel *kernel = c->kernel;

    if (c->verdict == SKIPPED)
        return 0;
    if (c->verdict == FAILED)
        return note_failed(m, c->failed, &c->why, err);
    if (c->verdict == EXCLUDED)
        return leave_out(m, kernel, c->reason);
    if (!has_local_memory(m, kernel, &c->geometry))
        return leave_out(m, kernel, GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY);
    c->kernel = NULL;
    /* Takes 'kernel'.  Where the list has it already, the list's one stays, and is not part
     * of a size sweep any more unless both are.
     */
    struct gcal_kernel_list *list = m->list;
    struct gcal_kernel **moved = gcal_array_grow(list->kernels, list->n_kernels,
                                                 &list->capacity, sizeof(*moved), err);
    struct gcal_kernel *there = NULL;

    if (moved) {
        list->kernels = moved;
        there = find_or_add(m, kernel, err);
    }
    if (there == kernel) {
        moved[list->n_kernels++] = kernel;
        return 0;
    }
    if (there)
        there->sweep = there->sweep && kernel->sweep;
    gcal_kernel_destroy(kernel);
    return there ? 0 : -1;
}

/* Each variant is counted once, by any thread, before its other sizes take the counts;
 * the list, its messages and numbers follow the order of the settings.
 */
static int flush(struct making *m, struct gcal_error *err)
{
    /* Counting takes tens of megabytes, and never more than 300. */
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double fit = pages > 0 && size > 0 ? (double)pages * (double)size / 2 / 300e6 : 1;
    size_t processors = gcal_threads_processors();
    size_t threads = fit < (double)processors ? (size_t)fmax(fit, 1) : processors;
    int rc = gcal_threads_run(m->n_candidates, threads, examine_one, m, err);

    for (int first = 1; first >= 0 && rc == 0; first--) {
        rc = choose_jobs(m, first, err);
        if (rc == 0)
            rc = gcal_threads_run(m->n_jobs, threads, finish_one, m, err);
    }
    for (size_t i = 0; i < m->n_candidates && rc == 0; i++)
        rc = settle(m, &m->candidates[i], err);
    clear_candidates(m);
    return rc;
}

/* A new candidate, for the caller to note a failure in; NULL with 'err'.  The values of a setting
 * change with the next one, so they are copied.
 */
static struct candidate *add_candidate(struct making *m,
                                       const struct gcal_generator_setting *setting,
                                       struct gcal_error *err)
{
    size_t n = setting->generator->n_arguments;
    struct candidate *c;

    if (m->n_candidates == BATCH && flush(m, err) < 0)
        return NULL;
    if (!m->candidates) {
        m->candidates = gcal_arena_alloc(m->arena, BATCH, sizeof(*m->candidates));
        m->jobs = gcal_arena_alloc(m->arena, BATCH, sizeof(struct candidate *));
    }
    c = &m->candidates[m->n_candidates++];
    *c = (struct candidate){ .setting = *setting };
    c->setting.values = gcal_arena_alloc(m->arena, n, sizeof(*c->setting.values));
    for (size_t i = 0; i < n; i++)
        c->setting.values[i] = gcal_arena_strdup(m->arena, setting->values[i]);
    return c;
}

/* ---- settings ---- */

/* One candidate, or for 'keep:each' one for each load. */
static int make(struct making *m, struct gcal_generator_setting *setting,
                struct gcal_error *err)
{
    const struct gcal_remove_load_list *loads;
    struct gcal_error why = { 0 };
    size_t argument;
    int rc = 0;

    if (gcal_generator_keep_each(setting, &loads, &argument, &why) < 0) {
        struct candidate *c = add_candidate(m, setting, err);

        if (!c)
            return -1;
        gcal_error_prefix(&why, "keep:each");
        c->verdict = FAILED;
        c->failed = setting->generator->name;
        c->why = why;
        return 0;
    }
    if (!loads)
        return add_candidate(m, setting, err) ? 0 : -1;
    for (size_t i = 0; i < loads->n && rc == 0; i++)
        if (loads->items[i].is_own) {
            setting->values[argument] = loads->items[i].with;
            rc = add_candidate(m, setting, err) ? 0 : -1;
        }
    return rc;
}

static void close_product(struct gcal_generator_product *product, struct making *m)
{
    if (product->broken.data && !m->left.data)
        gcal_buf_puts(&m->left, product->broken.data);
    gcal_generator_product_close(product);
}

static int generate(struct making *m, const struct gcal_generator *g,
                    const struct gcal_catalogue_tags *tags, struct gcal_error *err)
{
    struct gcal_generator_product product;
    int rc;

    gcal_generator_product_open(g, tags, limits_of(m), &product);
    while ((rc = gcal_generator_product_next(&product, err)) > 0) {
        m->n_settings++;
        if ((rc = make(m, &product.setting, err)) < 0)
            break;
    }
    m->n_settings += product.n_too_small;
    m->list->left_out[GCAL_KERNEL_EXCLUDED_FOOTPRINT] += product.n_too_small;
    m->list->nominal =
        m->list->nominal || (!m->limits && product.footprint < product.n_wheels);
    close_product(&product, m);
    return rc;
}

/* An error for tags that generators allow one by one, but none all of them. */
static int none_error(const struct making *m, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "the tags pick no kernel: %s",
                          m->left.data ? m->left.data
                                       : "no generator allows all of these values");
}

/* Checks 'assume' with 'value' for argument 'i' and the others as they are. */
static int check_value(struct gcal_generator_setting *setting, size_t i,
                       const char *value, struct gcal_error *err)
{
    const char *there = setting->values[i];
    struct gcal_kernel *kernel;
    int rc = -1;

    setting->values[i] = value;
    if ((kernel = gcal_kernel_create(setting, err)))
        rc =
            gcal_kernel_check_assume(kernel->assume, kernel->n_sizes, kernel->sizes, err);
    gcal_kernel_destroy(kernel);
    setting->values[i] = there;
    if (rc < 0)
        gcal_error_prefix(err, "%s: tag '%s:%s'", setting->generator->name,
                          setting->generator->arguments[i].name, value);
    return rc;
}

/* Checks the sizes in 'tags' with the first setting that the tags pick. */
static int check_sizes(const struct gcal_generator *g,
                       const struct gcal_catalogue_tags *tags, struct making *m,
                       struct gcal_error *err)
{
    struct gcal_generator_product product;
    int rc;

    gcal_generator_product_open(g, tags, limits_of(m), &product);
    rc = gcal_generator_product_next(&product, err);
    m->n_settings += rc > 0 || product.n_too_small;
    for (size_t i = 0; i < g->n_arguments && rc > 0; i++) {
        const struct gcal_catalogue_variant_tag *tag =
            gcal_catalogue_tags_find(tags, g->arguments[i].name);

        for (size_t j = 0; tag && g->arguments[i].size && j < tag->n_values; j++)
            if (check_value(&product.setting, i, tag->values[j], err) < 0)
                rc = -1;
    }
    close_product(&product, m);
    return rc < 0 ? -1 : 0;
}

int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err)
{
    struct making m = { .arena = gcal_arena_create() };
    struct gcal_catalogue_tags parsed;
    int rc = gcal_catalogue_tags_parse(m.arena, n_tags, tags, &parsed, err);

    if (rc == 0)
        rc = gcal_catalogue_tags_check(catalogue, &parsed, match, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_catalogue_tags_match(&parsed, match, catalogue->generators[i]))
            rc = check_sizes(catalogue->generators[i], &parsed, &m, err);
    if (rc == 0 && !m.n_settings)
        rc = none_error(&m, err);
    stop(&m);
    return rc;
}

int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            const struct gcal_kernel_limits *limits,
                            struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct making m = { .arena = gcal_arena_create(),
                        .counted = catalogue->counted,
                        .limits = limits,
                        .list = list };
    struct gcal_catalogue_tags parsed;
    struct gcal_error early = { 0 };
    int rc = gcal_catalogue_tags_parse(m.arena, n_tags, tags, &parsed, err);

    if (rc == 0)
        rc = gcal_catalogue_tags_check(catalogue, &parsed, match, err);
    if (rc == 0)
        rc = start(&m, err);
    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++)
        if (gcal_catalogue_tags_match(&parsed, match, catalogue->generators[i]))
            rc = generate(&m, catalogue->generators[i], &parsed, err);
    /* settings before one with an error come first */
    if (m.n_candidates && flush(&m, &early) < 0) {
        rc = -1;
        if (err)
            *err = early;
    }
    if (rc == 0 && !m.n_settings)
        rc = none_error(&m, err);
    stop(&m);
    return rc;
}
