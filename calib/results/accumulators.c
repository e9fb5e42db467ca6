/* accumulators.c - accumulator variants of memory components
 *
 * A model is fitted to a kernel's memory component with one accumulator.  If that is
 * slower than the kernel, as removing work changed what caches hold, the variant with
 * more accumulators may replace it.  The fit sees only one of them: both have the same
 * feature, and their times differ.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

/* Ratio of times per access, component to kernel, from which on a variant is replaced. */
#define SLOWER_BY_FAR 1.05

struct search {
    const struct gcal_record *record;
    const struct gcal_result_rows *all, *rows;
    struct gcal_result_by_device of_all, of_rows;
    struct gcal_result_counts accesses;
};

/* A family of memory components, compared with the target kernel. */
struct variant {
    const struct gcal_run_kernel *kernel; /* any of the family; NULL: no such variant */
    const struct gcal_run_kernel *target;
    double ratio; /* of times per access at the nearest sizes; NaN: the target was not
                     measured */
};

static const struct gcal_run_kernel *kernel_of(const struct search *s,
                                               const struct gcal_result_row *row)
{
    return &s->record->kernels[row->kernel];
}

static bool is_memory_component(const struct gcal_run_kernel *kernel)
{
    return kernel->origin.form == GCAL_KERNEL_MEMORY;
}

/* Whether there may be variants of it with other numbers of accumulators. */
static bool has_variants(const struct gcal_run_kernel *kernel)
{
    return is_memory_component(kernel) && kernel->origin.n_accumulators > 0;
}

static bool same_but_accumulators(const struct gcal_run_kernel *a,
                                  const struct gcal_run_kernel *b)
{
    return has_variants(a) && has_variants(b) &&
           a->origin.barriers == b->origin.barriers &&
           strcmp(a->origin.family, b->origin.family) == 0;
}

/* Whether 'component' has the global accesses of 'target', at any size. */
static bool is_component_of(const struct gcal_run_kernel *component,
                            const struct gcal_run_kernel *target)
{
    return is_memory_component(component) &&
           target->origin.form == GCAL_KERNEL_COMPLETE &&
           strcmp(component->origin.family, target->family) == 0;
}

/* ---- comparing with the target ---- */

/* On one device; leaves 'nearest' alone if the target was not measured there. */
static int compare_on(struct search *s, size_t device, struct variant *variant,
                      struct gcal_result_nearest *nearest, struct gcal_error *err)
{
    const size_t *of_all = &s->of_all.first[device], *of_rows = &s->of_rows.first[device];

    for (size_t k = of_all[0]; k < of_all[1]; k++) {
        const struct gcal_result_row *target = &s->all->rows[s->of_all.row[k]];

        if (target->brief || !is_component_of(variant->kernel, kernel_of(s, target)))
            continue;
        variant->target = kernel_of(s, target);
        for (size_t i = of_rows[0]; i < of_rows[1]; i++) {
            const struct gcal_result_row *component = &s->rows->rows[s->of_rows.row[i]];

            if (!component->brief &&
                strcmp(kernel_of(s, component)->family, variant->kernel->family) == 0 &&
                gcal_result_compare_component(&s->accesses, component, target, nearest,
                                              err) < 0)
                return -1;
        }
    }
    return 0;
}

/* The geometric mean over devices. */
static int find_ratio(struct search *s, struct variant *variant, struct gcal_error *err)
{
    double sum = 0;
    size_t n = 0;

    for (size_t d = 0; d < s->record->n_devices; d++) {
        struct gcal_result_nearest nearest = { .distance = INFINITY };

        if (compare_on(s, d, variant, &nearest, err) < 0)
            return -1;
        if (isfinite(nearest.distance)) {
            sum += log(nearest.ratio);
            n++;
        }
    }
    variant->ratio = n ? exp(sum / (double)n) : NAN;
    return 0;
}

/* ---- choosing a variant ---- */

/* The variant with the fewest accumulators that the model is fitted to. */
static struct variant first_variant(const struct search *s,
                                    const struct gcal_run_kernel *any)
{
    struct variant variant = { .ratio = NAN };

    for (size_t i = 0; i < s->rows->n; i++) {
        const struct gcal_run_kernel *kernel = kernel_of(s, &s->rows->rows[i]);

        if (!s->rows->rows[i].fallback && same_but_accumulators(kernel, any) &&
            (!variant.kernel ||
             kernel->origin.n_accumulators < variant.kernel->origin.n_accumulators))
            variant.kernel = kernel;
    }
    return variant;
}

/* The fastest other variant. */
static int other_variant(struct search *s, const struct variant *first,
                         struct variant *best, struct gcal_error *err)
{
    *best = (struct variant){ .ratio = NAN };
    for (size_t i = 0; i < s->rows->n; i++) {
        struct variant variant = { .kernel = kernel_of(s, &s->rows->rows[i]) };

        if ((i && s->rows->rows[i].kernel == s->rows->rows[i - 1].kernel) ||
            !same_but_accumulators(variant.kernel, first->kernel) ||
            strcmp(variant.kernel->family, first->kernel->family) == 0 ||
            (best->kernel && strcmp(variant.kernel->family, best->kernel->family) == 0))
            continue;
        if (find_ratio(s, &variant, err) < 0)
            return -1;
        if (isnan(best->ratio) || variant.ratio < best->ratio)
            *best = variant;
    }
    return 0;
}

static int add_warning(struct gcal_result_type_fit *t, const struct variant *first,
                       const struct variant *other, struct gcal_error *err)
{
    char *text = gcal_buf_format("%s: its memory component takes %.2f times as long as "
                                 "the full kernel; the one with "
                                 "%llu accumulators (%.2f times) replaces it",
                                 first->target->family, first->ratio,
                                 (unsigned long long)other->kernel->origin.n_accumulators,
                                 other->ratio);
    char **grown =
        text ? realloc(t->warnings, (t->n_warnings + 1) * sizeof(*grown)) : NULL;

    if (!grown) {
        free(text);
        return gcal_error_memory(err);
    }
    t->warnings = grown;
    t->warnings[t->n_warnings++] = text;
    return 0;
}

/* 'family': of the variants of 'any', the one to be fitted; NULL: none is. */
static int choose_variant(struct search *s, const struct gcal_run_kernel *any,
                          struct gcal_result_type_fit *t, const char **family,
                          struct gcal_error *err)
{
    struct variant first = first_variant(s, any), other;

    *family = first.kernel ? first.kernel->family : NULL;
    if (!first.kernel)
        return 0;
    if (other_variant(s, &first, &other, err) < 0)
        return -1;
    if (!other.kernel)
        return 0;
    if (find_ratio(s, &first, err) < 0)
        return -1;
    /* Without a target, the ratio is NaN. */
    if (first.target && first.ratio > SLOWER_BY_FAR && other.ratio < first.ratio) {
        *family = other.kernel->family;
        return add_warning(t, &first, &other, err);
    }
    return 0;
}

/* ---- rows ---- */

/* 'family': of each row with variants ('known'), the variant that is fitted. */
static int choose_variants(struct search *s, struct gcal_result_type_fit *t,
                           const char **family, bool *known, struct gcal_error *err)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        const struct gcal_run_kernel *kernel = kernel_of(s, &s->rows->rows[i]);

        if (known[i] || !has_variants(kernel))
            continue;
        if (choose_variant(s, kernel, t, &family[i], err) < 0)
            return -1;
        for (size_t k = i; k < s->rows->n; k++)
            if (same_but_accumulators(kernel, kernel_of(s, &s->rows->rows[k]))) {
                family[k] = family[i];
                known[k] = true;
            }
    }
    return 0;
}

static void keep_chosen(struct gcal_result_rows *rows, const struct gcal_record *record,
                        const char *const *family, const bool *known)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[rows->rows[i].kernel];

        if (known[i] ? family[i] && strcmp(kernel->family, family[i]) == 0
                     : !rows->rows[i].fallback)
            rows->rows[n++] = rows->rows[i];
    }
    rows->n = n;
}

int gcal_result_choose_accumulators(struct gcal_result_type_fit *t,
                                    const struct gcal_record *record,
                                    const struct gcal_result_rows *all,
                                    struct gcal_result_rows *rows, struct gcal_error *err)
{
    const char **family = calloc(rows->n + 1, sizeof(*family));
    bool *known = calloc(rows->n + 1, sizeof(*known));
    struct search s = { .record = record, .all = all, .rows = rows };
    int rc = family && known ? 0 : gcal_error_memory(err);

    if (rc == 0 && (gcal_result_sort_by_device(record, all, &s.of_all, err) < 0 ||
                    gcal_result_sort_by_device(record, rows, &s.of_rows, err) < 0))
        rc = -1;
    if (rc == 0 && (gcal_result_counts_init(&s.accesses, record, "f_memory", err) < 0 ||
                    choose_variants(&s, t, family, known, err) < 0))
        rc = -1;
    if (rc == 0)
        keep_chosen(rows, record, family, known);
    gcal_result_counts_clear(&s.accesses);
    gcal_result_by_device_clear(&s.of_all);
    gcal_result_by_device_clear(&s.of_rows);
    free(family);
    free(known);
    return rc;
}
