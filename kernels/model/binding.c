/* binding.c - model features as sums of a profile's counts
 *
 * Constraints that do not depend on sizes are decided in gcal_binding_create(); others
 * become tests that guard a count.
 */
#include "kernels/model/binding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/built.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "kernels/model/profile_private.h"

void gcal_binding_destroy(struct gcal_binding *binding)
{
    if (!binding)
        return;
    for (size_t i = 0; i < binding->n_features; i++) {
        struct gcal_binding_feature *feature = &binding->features[i];

        for (size_t k = 0; k < feature->n_terms; k++)
            gcal_binding_term_clear(&feature->terms[k]);
        free(feature->terms);
        free(feature->name);
    }
    gcal_binding_clear_work(binding);
    gcal_binding_clear_needs(binding);
    for (size_t i = 0; i < binding->n_parameters + GCAL_PROFILE_DEVICE_NAMES; i++)
        free(binding->symbols[i]);
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        free(binding->way_out[i]);
    for (size_t i = 0; i < binding->n_counts; i++)
        gcal_expr_destroy(binding->counts[i]);
    free(binding->counts);
    free(binding->features);
    gcal_assume_destroy(binding->assume);
    free(binding);
}

/* The tag of a component is the subject's word for it; NULL 'subject': the profile's. */
static bool same_tag(const struct gcal_feature *f, const struct gcal_profile_entry *entry,
                     const struct gcal_binding_subject *subject)
{
    if (!subject || !gcal_feature_is_component(entry->kind))
        return gcal_feature_field_has(f->tag, entry->tag);
    return subject->component && gcal_feature_field_has(f->tag, subject->component);
}

/* Names without a width match vectors by their strides where the profile's names have none. */
static bool same_width(const struct gcal_feature *f,
                       const struct gcal_profile_entry *entry)
{
    bool is_named = entry->vector_width <= 1 || strstr(entry->feature, "_width:");

    return gcal_feature_has_width(f, entry->vector_width) || (!f->width && !is_named);
}

/* Without a space, names are of memory that work-items share, and images. */
static bool same_space(const struct gcal_feature *f,
                       const struct gcal_profile_entry *entry)
{
    return f->space == entry->space || (f->space == GCAL_FEATURE_SPACE_ANY &&
                                        entry->space != GCAL_FEATURE_SPACE_PRIVATE);
}

/* All fields but the constraints. */
static bool matches(const struct gcal_feature *f, const struct gcal_profile_entry *entry,
                    const struct gcal_binding_subject *subject)
{
    return gcal_feature_counted_kind(f->kind) == entry->kind &&
           gcal_feature_field_has(f->dtype, entry->dtype) &&
           gcal_feature_field_has(f->op, entry->op) && same_tag(f, entry, subject) &&
           same_space(f, entry) &&
           (f->way == GCAL_FEATURE_COPY_ANY || f->way == entry->way) &&
           (f->host == GCAL_FEATURE_HOST_ANY || f->host == entry->host) &&
           same_width(f, entry) &&
           (f->direction == GCAL_FEATURE_DIRECTION_ANY ||
            f->direction == entry->direction);
}

static bool depends_on_sizes(const struct gcal_binding *binding,
                             const struct gcal_expr *expr)
{
    for (size_t i = 0; i < binding->n_parameters; i++)
        if (gcal_expr_uses(expr, i))
            return true;
    return false;
}

/* 1 if the constraint may hold (then perhaps with a test added), 0 if it never does, -1
 * with 'err'.  'actual' is NULL if it is unknown.
 */
static int add_test(const struct gcal_binding *binding, struct gcal_binding_term *term,
                    const struct gcal_feature_constraint *constraint, const char *actual,
                    struct gcal_error *err)
{
    double values[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES] = { 0 };
    struct gcal_binding_test *test = &term->tests[term->n_tests];
    int rc;

    if (constraint->relation == GCAL_FEATURE_ANY)
        return 1;
    if (!actual)
        return 0;
    test->relation = constraint->relation;
    test->actual = gcal_binding_parse(binding, actual, err);
    test->bound =
        test->actual ? gcal_binding_parse(binding, constraint->bound, err) : NULL;
    if (test->bound && (depends_on_sizes(binding, test->actual) ||
                        depends_on_sizes(binding, test->bound))) {
        term->n_tests++;
        return 1;
    }
    values[binding->n_parameters] = binding->sub_group_size;
    rc = !test->bound ? -1 : gcal_binding_test_holds(test, values);
    gcal_expr_destroy(test->actual);
    gcal_expr_destroy(test->bound);
    return rc;
}

/* The same for the AFR, which is unknown where its premise does not hold. */
static int add_afr_test(const struct gcal_binding *binding,
                        const struct gcal_feature_constraint *constraint,
                        const struct gcal_profile_entry *entry,
                        struct gcal_binding_term *term, struct gcal_error *err)
{
    int rc = add_test(binding, term, constraint, entry->afr, err);

    if (rc <= 0 || constraint->relation == GCAL_FEATURE_ANY || !entry->afr_premise)
        return rc;
    term->premise = gcal_assume_parse(entry->afr_premise,
                                      binding->n_parameters + GCAL_PROFILE_DEVICE_NAMES,
                                      (const char *const *)binding->symbols, err);
    return term->premise ? rc : -1;
}

/* The launch's footprint of the array whose footprint of work-groups 'group' is; or NULL. */
static const struct gcal_profile_entry *
find_launch(const struct gcal_profile *profile, const struct gcal_profile_entry *group)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if (e->kind == GCAL_FEATURE_FOOTPRINT_LAUNCH &&
            e->direction == group->direction && strcmp(e->dtype, group->dtype) == 0 &&
            e->array && group->array && strcmp(e->array, group->array) == 0)
            return e;
    }
    return NULL;
}

/* An array's footprint by compute units: where work-groups share it, each unit has it once. */
static struct gcal_expr *parse_by_unit(const struct gcal_binding *binding,
                                       const struct gcal_profile *profile,
                                       enum gcal_feature_kind kind,
                                       const struct gcal_profile_entry *group,
                                       struct gcal_error *err)
{
    const struct gcal_profile_entry *launch = find_launch(profile, group);
    const char *once = launch ? launch->count : group->count;
    struct gcal_expr *count;
    char *text;

    if (!binding->device) {
        gcal_error_set(err, GCAL_EINPUT, "it depends on the device's compute units");
        return NULL;
    }
    text = gcal_buf_format(kind == GCAL_FEATURE_FOOTPRINT_UNIT
                               ? "min(%2$s,%3$.17g*(%1$s))"
                               : "min(%1$s,max(0,%2$s-%3$.17g*(%1$s)))",
                           once, group->count, binding->device->compute_units);
    if (!text) {
        gcal_error_memory(err);
        return NULL;
    }
    count = gcal_binding_parse(binding, text, err);
    free(text);
    return count;
}

static int add_term(struct gcal_binding *binding, const struct gcal_profile *profile,
                    const struct gcal_feature *f, const struct gcal_profile_entry *entry,
                    struct gcal_binding_feature *bound, struct gcal_error *err)
{
    struct gcal_binding_term term = { 0 }, *terms;
    size_t n_dims = profile->n_dims;
    int rc = add_afr_test(binding, &f->afr, entry, &term, err);

    for (size_t i = 0; i < GCAL_MAX_DIMS && rc > 0; i++) {
        bool none = i >= n_dims; /* the kernel does not have this axis */

        rc = add_test(binding, &term, &f->lid_stride[i],
                      none ? "0" : entry->lid_stride[i], err);
        if (rc > 0)
            rc = add_test(binding, &term, &f->gid_stride[i],
                          none ? "0" : entry->gid_stride[i], err);
    }

    if (rc <= 0)
        goto out;
    rc = -1;
    terms = gcal_array_grow(bound->terms, bound->n_terms, &bound->capacity,
                            sizeof(*terms), err);
    if (!terms)
        goto out;
    bound->terms = terms;
    term.entry = (size_t)(entry - profile->entries);
    term.count = f->kind == entry->kind
                     ? gcal_binding_count(binding, profile, term.entry, err)
                     : (term.own = parse_by_unit(binding, profile, f->kind, entry, err));
    if (!term.count)
        goto out;
    term.estimated = entry->estimated;
    terms[bound->n_terms++] = term;
    return 0;
out:
    gcal_binding_term_clear(&term);
    return rc;
}

/* The kernel as the device builds it; zeros where that is unknown. */
static struct gcal_built built_on(const struct gcal_binding_device *device,
                                  const struct gcal_profile *profile)
{
    const struct gcal_built *built = gcal_built_find(profile, device->type);

    return built ? *built : (struct gcal_built){ 0 };
}

/* The work-groups that the device holds at a time. */
static double wave_of(const struct gcal_binding_device *device,
                      const struct gcal_profile *profile)
{
    double items = 1, bytes = gcal_profile_local_bytes(profile), groups;
    double registers = (double)built_on(device, profile).registers;

    for (size_t d = 0; d < profile->n_dims; d++)
        items *= (double)profile->local_size[d];
    groups = fmin(device->work_groups, floor(device->work_items / items));
    if (bytes > 0)
        groups = fmin(groups, floor(device->local_memory_bytes / bytes));
    if (device->registers > 0 && registers > 0)
        groups = fmin(groups, floor(device->registers / (registers * items)));
    return device->compute_units * fmax(1, groups);
}

/* What the device gives a feature of its own, or of the kernel as it builds it; NaN for
 * another kind.
 */
static double of_device(const struct gcal_binding_device *device,
                        const struct gcal_profile *profile, enum gcal_feature_kind kind)
{
    switch (kind) {
    case GCAL_FEATURE_DEVICE_COMPUTE_UNITS:
        return device->compute_units;
    case GCAL_FEATURE_DEVICE_WORK_ITEMS:
        return device->work_items;
    case GCAL_FEATURE_DEVICE_WORK_GROUPS:
        return device->work_groups;
    case GCAL_FEATURE_DEVICE_LOCAL_MEMORY_BYTES:
        return device->local_memory_bytes;
    case GCAL_FEATURE_DEVICE_CACHE_BYTES:
        return device->cache_bytes;
    case GCAL_FEATURE_DEVICE_SUB_GROUP_SIZE:
        return device->sub_group_size;
    case GCAL_FEATURE_DEVICE_REGISTERS:
        return device->registers;
    case GCAL_FEATURE_KERNEL_REGISTERS:
        return (double)built_on(device, profile).registers;
    case GCAL_FEATURE_KERNEL_PRIVATE_BYTES:
        return (double)built_on(device, profile).private_bytes;
    default:
        return NAN;
    }
}

/* Costs are of passes over so many banks, and of sectors of so many bytes. */
static int check_number(size_t counted_for, size_t wanted, const char *what,
                        const char *option, struct gcal_error *err)
{
    if (counted_for == wanted)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "it was counted for %s of %zu, and devices are calibrated for "
                          "%zu: count the kernel without %s",
                          what, counted_for, wanted, option);
}

/* A feature that the profile was not counted for would wrongly count 0. */
static int check_counted(const struct gcal_binding *binding,
                         const struct gcal_profile *profile, enum gcal_feature_kind kind,
                         struct gcal_error *err)
{
    bool counted = true;

    switch (gcal_feature_info(kind)->counted) {
    case GCAL_FEATURE_COUNTED_ALWAYS:
        break;
    case GCAL_FEATURE_COUNTED_WITH_INDEX_ARITHMETIC:
        counted = profile->index_arithmetic;
        break;
    case GCAL_FEATURE_COUNTED_WITH_BANKS:
        if ((counted = profile->n_banks))
            return check_number(profile->n_banks, GCAL_PROFILE_BANKS, "a number of banks",
                                "--banks", err);
        break;
    case GCAL_FEATURE_COUNTED_WITH_SUB_GROUP:
        counted = profile->divergence;
        break;
    case GCAL_FEATURE_COUNTED_WITH_TRAFFIC:
        if ((counted = profile->sector_bytes))
            return check_number(profile->sector_bytes, GCAL_PROFILE_SECTOR_BYTES,
                                "sectors", "--traffic", err);
        break;
    case GCAL_FEATURE_COUNTED_NEVER:
        return gcal_error_set(err, GCAL_EINPUT, "it is measured, not counted");
    case GCAL_FEATURE_COUNTED_DEVICE:
        return binding->device
                   ? 0
                   : gcal_error_set(err, GCAL_EINPUT, "it is the device's, not counted");
    }
    return counted ? 0
                   : gcal_error_set(err, GCAL_EINPUT,
                                    "it was not counted: 'gpucal count -o FILE' counts "
                                    "all that models need");
}

static int add_terms(struct gcal_binding *binding, const struct gcal_profile *profile,
                     const struct gcal_binding_subject *subject,
                     const struct gcal_feature *f, struct gcal_binding_feature *bound,
                     struct gcal_error *err)
{
    int rc = check_counted(binding, profile, f->kind, err);

    bound->given =
        rc == 0 && binding->device ? of_device(binding->device, profile, f->kind) : NAN;
    for (size_t i = 0; i < profile->n_entries && rc == 0; i++) {
        const struct gcal_profile_entry *entry = &profile->entries[i];

        if (matches(f, entry, subject))
            rc = add_term(binding, profile, f, entry, bound, err);
    }
    if (rc < 0)
        gcal_error_prefix(err, "kernel %.60s, feature %.*s%s", profile->kernel,
                          GCAL_ERROR_CUT(bound->name, 100));
    return rc;
}

/* 'parsed': NULL if only the name is known. */
static int bind_feature(struct gcal_binding *binding, const struct gcal_profile *profile,
                        const struct gcal_binding_subject *subject, const char *name,
                        const struct gcal_feature *parsed,
                        struct gcal_binding_feature *bound, struct gcal_error *err)
{
    struct gcal_feature f;
    int rc;

    if (!(bound->name = strdup(name)))
        return gcal_error_memory(err);
    if (parsed)
        return add_terms(binding, profile, subject, parsed, bound, err);
    if (gcal_feature_parse(name, &f, err) < 0)
        return -1;
    rc = add_terms(binding, profile, subject, &f, bound, err);
    gcal_feature_clear(&f);
    return rc;
}

/* Counting assumes "n % 64 = 0" of a global size n.  A kernel that guards its accesses can be
 * launched with the next multiple instead.
 */
static int find_ways_out(struct gcal_binding *binding, const struct gcal_profile *profile,
                         struct gcal_error *err)
{
    for (size_t d = 0; d < profile->n_dims && profile->assumptions; d++)
        for (size_t i = 0; i < profile->n_parameters && !binding->way_out[d]; i++) {
            const char *name = profile->parameters[i];
            size_t local = profile->local_size[d];
            char *clause = gcal_buf_format("%s %% %zu = 0", name, local);
            struct gcal_expr *groups =
                gcal_binding_parse(binding, profile->groups[d], NULL);

            if (clause && groups && strstr(profile->assumptions, clause) &&
                gcal_expr_uses(groups, i))
                binding->way_out[d] = gcal_buf_format(
                    "'%s' does not hold: work-groups divide the global size; if the "
                    "kernel leaves out work-items beyond it, count it with --global "
                    "'%zu*ceil(%s/%zu)' in its place",
                    clause, local, name, local);
            gcal_expr_destroy(groups);
            if (!clause)
                return gcal_error_memory(err);
            free(clause);
        }
    return 0;
}

static int bind(struct gcal_binding *binding, const struct gcal_profile *profile,
                const struct gcal_binding_subject *subject, size_t n_features,
                const char *const *features, struct gcal_error *err)
{
    if (!(binding->sub_group_size >= 1) || !isfinite(binding->sub_group_size))
        return gcal_error_set(err, GCAL_EINPUT, "invalid sub-group size %g",
                              binding->sub_group_size);
    size_t n = profile->n_parameters;

    if (n > GCAL_PROFILE_MAX_PARAMETERS)
        return gcal_error_set(err, GCAL_EINPUT, "kernel %.60s has more than %d sizes",
                              profile->kernel, GCAL_PROFILE_MAX_PARAMETERS);
    binding->n_parameters = n;
    for (size_t i = 0; i < n + GCAL_PROFILE_DEVICE_NAMES; i++) {
        const char *name = i < n    ? profile->parameters[i]
                           : i == n ? GCAL_SUB_GROUP_SIZE
                                    : GCAL_WAVE_GROUPS;

        if (!(binding->symbols[i] = strdup(name)))
            return gcal_error_memory(err);
    }

    if (profile->assumptions) {
        binding->assume = gcal_assume_parse(
            profile->assumptions, binding->n_parameters + GCAL_PROFILE_DEVICE_NAMES,
            (const char *const *)binding->symbols, err);
        if (!binding->assume)
            return gcal_error_prefix(err, "kernel %.60s", profile->kernel);
    }
    if (find_ways_out(binding, profile, err) < 0)
        return -1;
    if (gcal_assume_check_symbol(binding->assume, binding->n_parameters,
                                 binding->sub_group_size, err) < 0)
        return gcal_error_prefix(err,
                                 "kernel %.60s was counted for other sub-groups than "
                                 "the device's of %g work-items (count it with "
                                 "--sub-group %g)",
                                 profile->kernel, binding->sub_group_size,
                                 binding->sub_group_size);
    binding->features = calloc(n_features + 1, sizeof(*binding->features));
    binding->counts = calloc(profile->n_entries + 1, sizeof(struct gcal_expr *));
    if (!binding->features || !binding->counts)
        return gcal_error_memory(err);
    binding->n_counts = profile->n_entries;
    binding->n_features = n_features;
    for (size_t i = 0; i < n_features; i++)
        if (bind_feature(binding, profile, subject, features[i],
                         subject && subject->features ? &subject->features[i] : NULL,
                         &binding->features[i], err) < 0)
            return -1;
    if (!subject)
        return 0;
    return gcal_binding_find_needs(binding, profile, err) < 0
               ? -1
               : gcal_binding_find_gaps(binding, profile, subject, err);
}

static struct gcal_binding *create(const struct gcal_profile *profile,
                                   const struct gcal_binding_subject *subject,
                                   size_t n_features, const char *const *features,
                                   const struct gcal_binding_device *device,
                                   double sub_group_size, struct gcal_error *err)
{
    struct gcal_binding *binding = calloc(1, sizeof(*binding));

    if (!binding) {
        gcal_error_memory(err);
        return NULL;
    }
    binding->sub_group_size = sub_group_size;
    binding->wave_groups = device ? wave_of(device, profile) : NAN;
    binding->device = device;
    if (bind(binding, profile, subject, n_features, features, err) < 0) {
        gcal_binding_destroy(binding);
        return NULL;
    }
    binding->device = NULL; /* the caller's */
    return binding;
}

struct gcal_binding *gcal_binding_create(const struct gcal_profile *profile,
                                         size_t n_features, const char *const *features,
                                         double sub_group_size, struct gcal_error *err)
{
    return create(profile, NULL, n_features, features, NULL, sub_group_size, err);
}

struct gcal_binding *gcal_binding_create_on(const struct gcal_profile *profile,
                                            size_t n_features,
                                            const char *const *features,
                                            const struct gcal_binding_device *device,
                                            struct gcal_error *err)
{
    return create(profile, NULL, n_features, features, device, device->sub_group_size,
                  err);
}

struct gcal_binding *gcal_binding_create_for(const struct gcal_profile *profile,
                                             const struct gcal_binding_subject *subject,
                                             const struct gcal_binding_device *device,
                                             struct gcal_error *err)
{
    return create(profile, subject, subject->model->n_features,
                  (const char *const *)subject->model->features, device,
                  device->sub_group_size, err);
}

void gcal_binding_set_wave(struct gcal_binding *binding, double groups)
{
    binding->wave_groups = groups;
}

/* NaN where a wave is unknown. */
static double eval_feature(const struct gcal_binding *binding,
                           const struct gcal_binding_feature *feature,
                           const double *values)
{
    size_t wave = binding->n_parameters + 1;
    double sum = 0;

    if (!isnan(feature->given))
        return feature->given;
    for (size_t i = 0; i < feature->n_terms; i++) {
        const struct gcal_binding_term *term = &feature->terms[i];

        if (!gcal_binding_term_holds(term, values))
            continue;
        if (!(values[wave] > 0) && gcal_expr_uses(term->count, wave))
            return NAN;
        sum += gcal_expr_eval(term->count, values);
    }
    return sum;
}

/* Puts the sizes, "n 100, m 7: ", before the message. */
static int add_sizes(const struct gcal_binding *binding, const double *sizes,
                     struct gcal_error *err)
{
    char given[200] = "no sizes";
    size_t used = 0;

    for (size_t i = 0; i < binding->n_parameters && used < sizeof(given); i++)
        used += (size_t)snprintf(given + used, sizeof(given) - used, "%s%s %.10g",
                                 i ? ", " : "", binding->symbols[i], sizes[i]);
    return gcal_error_prefix(err, "%s", given);
}

/* 'err' has the clause of the assumptions that does not hold. */
static int refuse_sizes(const struct gcal_binding *binding, const double *sizes,
                        struct gcal_error *err)
{
    for (size_t d = 0; d < GCAL_MAX_DIMS && err; d++)
        if (binding->way_out[d] &&
            strncmp(binding->way_out[d], err->text, strlen(err->text)) == 0) {
            gcal_error_set(err, GCAL_EINPUT, "%s", binding->way_out[d]);
            break;
        }
    return add_sizes(binding, sizes, err);
}

/* 'values': of the binding's symbols. */
static void set_symbols(const struct gcal_binding *binding, const double *sizes,
                        double *values)
{
    for (size_t i = 0; i < binding->n_parameters; i++)
        values[i] = sizes[i];
    values[binding->n_parameters] = binding->sub_group_size;
    values[binding->n_parameters + 1] = binding->wave_groups;
}

int gcal_binding_check_limits(const struct gcal_binding *binding, const double *sizes,
                              const struct gcal_limits *limits, struct gcal_error *err)
{
    struct gcal_needs needs = binding->needs;
    double symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];

    set_symbols(binding, sizes, symbols);
    for (size_t i = 0; i < binding->n_arguments; i++) {
        double bytes = gcal_expr_eval(binding->arguments[i], symbols);

        if (binding->local[i]) {
            needs.local_memory_bytes += bytes;
        } else {
            needs.memory_bytes += bytes;
            needs.buffer_bytes = fmax(needs.buffer_bytes, bytes);
        }
    }
    return gcal_limits_check(limits, &needs, err) < 0 ? add_sizes(binding, sizes, err)
                                                      : 0;
}

int gcal_binding_check_sizes(const struct gcal_binding *binding, const double *sizes,
                             double *symbols, struct gcal_error *err)
{
    set_symbols(binding, sizes, symbols);
    return gcal_assume_check(binding->assume, symbols, err) < 0
               ? refuse_sizes(binding, sizes, err)
               : 0;
}

int gcal_binding_refuse_count(const struct gcal_binding *binding, size_t feature,
                              double count, const double *sizes, struct gcal_error *err)
{
    gcal_error_set(err, GCAL_EINPUT, "%.200s: invalid count %g",
                   binding->features[feature].name, count);
    return add_sizes(binding, sizes, err);
}

int gcal_binding_eval(const struct gcal_binding *binding, const double *sizes,
                      double *values, struct gcal_error *err)
{
    double symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];

    if (gcal_binding_check_sizes(binding, sizes, symbols, err) < 0)
        return -1;
    for (size_t i = 0; i < binding->n_features; i++) {
        values[i] = eval_feature(binding, &binding->features[i], symbols);
        if (!(values[i] >= 0) || isinf(values[i]))
            return gcal_binding_refuse_count(binding, i, values[i], sizes, err);
    }
    return 0;
}
