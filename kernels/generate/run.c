/* run.c - how a kernel is run: launches, timing, and transfers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/wire.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/generate/private.h"

#define MAX_LAUNCHES 1e6 /* of a run, and pieces of a transfer */

/* Directions of a transfer; the last is none of a copy. */
enum { BOTH = GCAL_FEATURE_FROM_DEVICE + 1, N_DIRECTIONS };
static const char *const directions[N_DIRECTIONS] = { "", "to_device", "from_device",
                                                      "both" };

/* ---- reading ---- */

int gcal_generator_check_transfer(const struct gcal_yaml *root, struct gcal_error *err)
{
    static const char *const of_kernels[] = { "defines",   "local_size", "global_size",
                                              "args",      "reference",  "companions",
                                              "tolerance", NULL };
    const struct gcal_yaml *run = gcal_yaml_find(root, "run"), *node;

    for (size_t i = 0; of_kernels[i]; i++)
        if ((node = gcal_yaml_find(root, of_kernels[i])))
            return gcal_yaml_error(
                node, err, "%s: a transfer without a kernel does not have this key",
                of_kernels[i]);
    if (run && (node = gcal_yaml_find(run, "launches")))
        return gcal_yaml_error(
            node, err, "launches: a transfer without a kernel does not have this key");
    return 0;
}

/* The index of 'key's text among 'names', from 1: the first of them is not a choice. */
static int read_choice(struct gcal_arena *arena, const struct gcal_generator_setting *s,
                       const struct gcal_yaml *map, const char *key,
                       const char *const *names, int n, int *choice,
                       struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_generator_require(map, key, err);
    char *text = node ? gcal_generator_expand(arena, s, node, key, err) : NULL;
    struct gcal_buf known = { 0 };

    if (!text)
        return -1;
    for (*choice = 1; *choice < n && strcmp(names[*choice], text) != 0; ++*choice)
        gcal_buf_printf(&known, "%s%s", *choice > 1 ? ", " : "", names[*choice]);
    if (*choice == n)
        gcal_yaml_error(node, err, "%s: expected one of %s, found '%s'", key,
                        known.data ? (const char *)known.data : "", text);
    gcal_buf_free(&known);
    return *choice == n ? -1 : 0;
}

/* Two queues copy at once: the host, which copies mapped memory, is one, and a kernel has the
 * other queue.
 */
static int check_both(const struct gcal_generator_setting *s, const struct gcal_yaml *map,
                      int host, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, "direction");

    if (host == GCAL_FEATURE_MAPPED)
        return gcal_yaml_error(node, err,
                               "direction: the host copies mapped memory itself, one "
                               "direction after the other: not both");
    if (!gcal_generator_is_transfer(s->generator->root))
        return gcal_yaml_error(node, err,
                               "direction: both is of a transfer without a kernel");
    return 0;
}

static int read_transfer(struct gcal_arena *arena, const struct gcal_generator_setting *s,
                         struct gcal_transfer *t, struct gcal_error *err)
{
    static const char *const keys[] = { "direction", "memory", "bytes", "pieces", NULL };
    const struct gcal_yaml *map = gcal_yaml_find(s->generator->root, "transfer");
    const struct gcal_yaml *bytes, *pieces;
    int way, host;

    if (!map)
        return 0;
    if (gcal_yaml_check_keys(map, keys, err) < 0 ||
        read_choice(arena, s, map, "direction", directions, N_DIRECTIONS, &way, err) <
            0 ||
        read_choice(arena, s, map, "memory", gcal_feature_host_memory_names, 4, &host,
                    err) < 0 ||
        (way == BOTH && check_both(s, map, host, err) < 0))
        return -1;
    if (!(bytes = gcal_generator_require(map, "bytes", err)))
        return -1;
    t->both = way == BOTH;
    t->way = t->both ? GCAL_FEATURE_TO_DEVICE : (enum gcal_feature_copy_direction)way;
    t->host = (enum gcal_feature_host_memory)host;
    pieces = gcal_yaml_find(map, "pieces");
    if (!(t->bytes = gcal_generator_expand_expr(arena, s, bytes, "bytes", err)))
        return -1;
    t->pieces = pieces ? gcal_generator_expand_expr(arena, s, pieces, "pieces", err)
                       : gcal_arena_strdup(arena, "1");
    return t->pieces ? 0 : -1;
}

int gcal_kernel_run_read(const struct gcal_generator_setting *setting,
                         struct gcal_kernel *kernel, struct gcal_error *err)
{
    static const char *const keys[] = { "launches", "timing", NULL };
    const struct gcal_yaml *run = gcal_yaml_find(setting->generator->root, "run");
    const struct gcal_yaml *launches = NULL;

    if (run && gcal_yaml_check_keys(run, keys, err) < 0)
        return -1;
    if (run && (launches = gcal_yaml_find(run, "launches")) &&
        !(kernel->launches = gcal_generator_expand_expr(kernel->arena, setting, launches,
                                                        "launches", err)))
        return -1;
    if (read_transfer(kernel->arena, setting, &kernel->transfer, err) < 0)
        return -1;
    /* Events cover all of a copy from or to pinned memory.  Pageable memory is first copied
     * by the driver, and mapped memory by the host itself, outside of any event: a transfer
     * alone is then timed by the host's clock.  Beside a kernel, the kernel's events enclose
     * it.
     */
    static const char *const names[] = { "", "event", "host" };
    bool by_host = gcal_generator_is_transfer(setting->generator->root) &&
                   kernel->transfer.host != GCAL_FEATURE_PINNED;
    int choice;

    kernel->timing = by_host ? GCAL_TIMING_HOST : GCAL_TIMING_EVENT;
    if (!run || !gcal_yaml_find(run, "timing"))
        return 0;
    if (read_choice(kernel->arena, setting, run, "timing", names, 3, &choice, err) < 0)
        return -1;
    if (by_host && choice == 1)
        return gcal_yaml_error(
            gcal_yaml_find(run, "timing"), err,
            "timing: events do not cover the host's part of copying %s "
            "memory: use host",
            gcal_feature_host_memory_names[kernel->transfer.host]);
    kernel->timing = choice == 1 ? GCAL_TIMING_EVENT : GCAL_TIMING_HOST;
    return 0;
}

void gcal_kernel_run_put(struct gcal_buf *buf, const struct gcal_kernel *kernel)
{
    gcal_wire_put_text(buf, kernel->launches);
    gcal_wire_put_u32(buf, kernel->timing);
    gcal_wire_put_u32(buf, kernel->transfer.way);
    gcal_wire_put_u32(buf, kernel->transfer.host);
    gcal_wire_put_text(buf, kernel->transfer.bytes);
    gcal_wire_put_text(buf, kernel->transfer.pieces);
    if (kernel->transfer.both)
        gcal_wire_put_u32(buf, kernel->transfer.both);
}

/* ---- for some sizes ---- */

int gcal_kernel_size_values(const struct gcal_kernel *kernel, double *values,
                            struct gcal_error *err)
{
    const struct gcal_profile *profile = kernel->profile;

    for (size_t i = 0; i < profile->n_parameters; i++) {
        size_t k = 0;

        while (k < kernel->n_sizes &&
               strcmp(kernel->sizes[k].name, profile->parameters[i]) != 0)
            k++;
        if (k == kernel->n_sizes)
            return gcal_error_set(
                err, GCAL_EINPUT,
                "the counts need size '%s', which %s does not have: make it one of its "
                "arguments",
                profile->parameters[i], kernel->generator);
        values[i] = kernel->sizes[k].value;
    }
    return 0;
}

bool gcal_kernel_is_transfer(const struct gcal_kernel *kernel)
{
    return !*kernel->entry;
}

/* An integer from 0 to 'most'. */
static int eval_count(const struct gcal_kernel *kernel, const char *what,
                      const char *text, double most, size_t n_sizes,
                      const struct gcal_size *sizes, size_t *count,
                      struct gcal_error *err)
{
    double value;

    if (gcal_kernel_eval_sizes(text, n_sizes, sizes, &value, err) < 0)
        return -1;
    if (!(value >= 0 && value <= most) || value != floor(value))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: %s, '%s', is %g: expected an integer from 0 to %g",
                              kernel->name, what, text, value, most);
    *count = (size_t)value;
    return 0;
}

static int transfer_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                             const struct gcal_size *sizes,
                             struct gcal_geometry *geometry, struct gcal_error *err)
{
    const struct gcal_transfer *t = &kernel->transfer;
    size_t bytes, pieces;

    if (t->way == GCAL_FEATURE_COPY_ANY)
        return 0;
    if (eval_count(kernel, "bytes", t->bytes, 0x1p53, n_sizes, sizes, &bytes, err) < 0 ||
        eval_count(kernel, "pieces", t->pieces, MAX_LAUNCHES, n_sizes, sizes, &pieces,
                   err) < 0)
        return -1;
    if (pieces ? !bytes || bytes % pieces != 0 : bytes > 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: %zu bytes do not divide into %zu equal pieces",
                              kernel->name, bytes, pieces);
    geometry->transfer_bytes = t->both ? 2 * bytes : bytes;
    geometry->transfer_pieces = pieces;
    geometry->total_bytes += (double)geometry->transfer_bytes;
    return 0;
}

int gcal_kernel_run_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                             const struct gcal_size *sizes,
                             struct gcal_geometry *geometry, struct gcal_error *err)
{
    geometry->launches = gcal_kernel_is_transfer(kernel) ? 0 : 1;
    if (kernel->launches && eval_count(kernel, "launches", kernel->launches, MAX_LAUNCHES,
                                       n_sizes, sizes, &geometry->launches, err) < 0)
        return -1;
    if (transfer_geometry(kernel, n_sizes, sizes, geometry, err) < 0)
        return -1;
    if (!geometry->launches && !geometry->transfer_pieces)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: it launches no kernel and copies nothing",
                              kernel->name);
    return 0;
}

/* ---- counts ---- */

static int add_parameter(struct gcal_profile *profile, const char *name,
                         struct gcal_error *err)
{
    char **grown;

    for (size_t i = 0; i < profile->n_parameters; i++)
        if (strcmp(profile->parameters[i], name) == 0)
            return 0;
    grown = reallocarray(profile->parameters, profile->n_parameters + 1, sizeof(*grown));
    if (!grown)
        return gcal_error_memory(err);
    profile->parameters = grown;
    if (!(grown[profile->n_parameters] = strdup(name)))
        return gcal_error_memory(err);
    profile->n_parameters++;
    return 0;
}

int gcal_kernel_run_add_parameters(struct gcal_profile *profile, const char *text,
                                   struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    size_t n = expr ? gcal_expr_symbol_count(expr) : 0;
    int rc = expr ? 0 : -1;

    for (size_t i = 0; i < n && rc == 0; i++)
        if (strcmp(gcal_expr_symbol(expr, i), GCAL_SUB_GROUP_SIZE) != 0)
            rc = add_parameter(profile, gcal_expr_symbol(expr, i), err);
    gcal_expr_destroy(expr);
    return rc;
}

/* 'text' as a factor of a product. */
static char *as_factor(const char *text)
{
    return strpbrk(text, "+-") ? gcal_buf_format("(%s)", text) : strdup(text);
}

static char *product(const char *a, const char *b)
{
    char *left = as_factor(a), *right = as_factor(b), *text = NULL;

    if (left && right)
        text = strcmp(left, "1") == 0 ? strdup(right)
                                      : gcal_buf_format("%s*%s", left, right);
    free(left);
    free(right);
    return text;
}

/* Bytes per work-group or work-item do not grow with the launches, nor do averages. */
static bool is_per_launch(const struct gcal_profile_entry *entry)
{
    return entry->kind != GCAL_FEATURE_LOCAL_MEMORY_BYTES &&
           entry->kind != GCAL_FEATURE_PRIVATE_ARRAY_BYTES &&
           entry->kind != GCAL_FEATURE_LOADS_IN_FLIGHT;
}

static int multiply(struct gcal_profile *profile, const char *launches,
                    struct gcal_error *err)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        struct gcal_profile_entry *entry = &profile->entries[i];
        char *count;

        if (!is_per_launch(entry))
            continue;
        if (!(count = product(entry->count, launches)))
            return gcal_error_memory(err);
        free(entry->count);
        entry->count = count;
    }
    return gcal_kernel_run_add_parameters(profile, launches, err);
}

static int add_count(struct gcal_profile *profile, const struct gcal_transfer *t,
                     enum gcal_feature_copy_direction way, enum gcal_feature_kind kind,
                     const char *count, struct gcal_error *err)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, err);

    if (!entry)
        return -1;
    entry->kind = kind;
    entry->granularity = GCAL_FEATURE_PER_KERNEL;
    entry->way = way;
    entry->host = t->host;
    entry->count = strdup(count);
    entry->feature = gcal_buf_format(
        "f_transfer_%s_%s_%s", kind == GCAL_FEATURE_TRANSFER_BYTES ? "bytes" : "copies",
        gcal_feature_copy_direction_names[way], gcal_feature_host_memory_names[t->host]);
    if (!entry->count || !entry->feature)
        return gcal_error_memory(err);
    return gcal_kernel_run_add_parameters(profile, count, err);
}

/* The profile of a transfer without a kernel.  All sizes are parameters, as 'assume' may
 * name any of them.
 */
static struct gcal_profile *empty_profile(const struct gcal_kernel *kernel,
                                          struct gcal_error *err)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));
    int rc = 0;

    if (!profile || !(profile->kernel = strdup(kernel->generator)) ||
        !(profile->parameters = calloc(1, sizeof(char *))) ||
        (kernel->assume && !(profile->assumptions = strdup(kernel->assume))))
        rc = gcal_error_memory(err);
    for (size_t i = 0; i < kernel->n_sizes && rc == 0; i++)
        rc = add_parameter(profile, kernel->sizes[i].name, err);
    if (rc == 0)
        return profile;
    gcal_profile_destroy(profile);
    return NULL;
}

static bool has_one_launch(const struct gcal_kernel *kernel)
{
    return !kernel->launches || strcmp(kernel->launches, "1") == 0;
}

/* A run of several launches, or beside a transfer, is another kernel than one launch. */
static int identify(struct gcal_kernel *kernel, struct gcal_error *err)
{
    struct gcal_profile *profile = kernel->profile;
    const struct gcal_transfer *t = &kernel->transfer;
    char hash[GCAL_HASH_TEXT_SIZE];
    struct gcal_buf buf = { 0 };
    bool failed;

    if (!profile->fingerprint ||
        (has_one_launch(kernel) && t->way == GCAL_FEATURE_COPY_ANY))
        return 0;
    gcal_wire_put_text(&buf, profile->fingerprint);
    gcal_wire_put_text(&buf, kernel->launches);
    gcal_wire_put_text(&buf, t->bytes);
    gcal_wire_put_text(&buf, t->pieces);
    gcal_wire_put_u32(&buf, t->way);
    gcal_wire_put_u32(&buf, t->host);
    if (t->both)
        gcal_wire_put_u32(&buf, t->both);
    failed = buf.failed;
    if (!failed) {
        gcal_hash(buf.data, buf.size, hash);
        memcpy(profile->fingerprint, hash, GCAL_PROFILE_FINGERPRINT_LENGTH);
    }
    gcal_buf_free(&buf);
    return failed ? gcal_error_memory(err) : 0;
}

static int add_counts(struct gcal_profile *profile, const struct gcal_transfer *t,
                      enum gcal_feature_copy_direction way, struct gcal_error *err)
{
    return add_count(profile, t, way, GCAL_FEATURE_TRANSFER_BYTES, t->bytes, err) < 0 ||
                   add_count(profile, t, way, GCAL_FEATURE_TRANSFER_COPIES, t->pieces,
                             err) < 0
               ? -1
               : 0;
}

int gcal_kernel_run_count(struct gcal_kernel *kernel, struct gcal_error *err)
{
    const struct gcal_transfer *t = &kernel->transfer;

    if (gcal_kernel_is_transfer(kernel) &&
        !(kernel->profile = empty_profile(kernel, err)))
        return -1;
    if (!has_one_launch(kernel) && multiply(kernel->profile, kernel->launches, err) < 0)
        return -1;
    if (identify(kernel, err) < 0)
        return -1;
    if (t->way == GCAL_FEATURE_COPY_ANY)
        return 0;
    if (add_counts(kernel->profile, t, t->way, err) < 0)
        return -1;
    return t->both ? add_counts(kernel->profile, t, GCAL_FEATURE_FROM_DEVICE, err) : 0;
}
