/* components.c - components that take longer than the kernel that they are derived from
 *
 * Removing work may change what a compiler makes of the rest, or what the caches hold.
 * If a component takes longer than its origin, the kernel's time does not follow from its
 * components, and a warning names it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

/* Smaller differences are noise; or, between kernels of different sizes, may come from
 * that.
 */
#define SLOWER      1.02
#define SLOWER_SIZE 1.05

/* What kernels of a form are compared with. */
static const struct kind {
    enum gcal_kernel_form form, of_form;
    const char *what;
    const char *feature; /* of which both have the same amount per size; NULL: none */
} kinds[] = {
    { GCAL_KERNEL_MEMORY, GCAL_KERNEL_COMPLETE, "its memory component", "f_memory" },
    { GCAL_KERNEL_ONCHIP, GCAL_KERNEL_COMPLETE, "its on-chip component", "f_onchip" },
    { GCAL_KERNEL_LOADS, GCAL_KERNEL_MEMORY, "one of its loads alone", NULL },
};

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static const struct kind *find_kind(const struct gcal_run_kernel *kernel)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].form == kernel->origin.form)
            return &kinds[i];
    return NULL;
}

/* Whether 'of' is what 'component' is compared with, at the same size. */
static bool is_component(const struct kind *kind, const struct gcal_run_kernel *component,
                         const struct gcal_run_kernel *of)
{
    if (of->origin.form != kind->of_form)
        return false;
    return kind->of_form == GCAL_KERNEL_COMPLETE
               ? strcmp(component->origin.name, of->name) == 0
               : strcmp(component->origin.name, of->origin.name) == 0 &&
                     component->origin.n_accumulators == of->origin.n_accumulators;
}

/* The same at any size. */
static bool is_component_of_family(const struct kind *kind,
                                   const struct gcal_run_kernel *component,
                                   const struct gcal_run_kernel *of)
{
    return kind->of_form == GCAL_KERNEL_COMPLETE &&
           of->origin.form == GCAL_KERNEL_COMPLETE &&
           strcmp(component->origin.family, of->family) == 0;
}

/* Rows that components are compared with. */
struct others {
    const struct gcal_record *record;
    const struct gcal_result_rows *all;
    struct gcal_result_by_device sorted;
};

/* The time of the kernel that a component is compared with, at its size; NaN if that was
 * not measured.
 */
static double time_of_target(const struct others *o, const struct kind *kind,
                             const struct gcal_run_kernel *component, size_t device)
{
    const size_t *first = &o->sorted.first[device];

    for (size_t k = first[0]; k < first[1]; k++) {
        const struct gcal_result_row *row = &o->all->rows[o->sorted.row[k]];

        if (!row->brief &&
            is_component(kind, component, &o->record->kernels[row->kernel]))
            return row->time_s;
    }
    return NAN;
}

/* The slowest component of one generator of derived kernels. */
struct slow {
    const struct kind *kind;
    const struct gcal_run_kernel *component;
    double ratio;
    size_t n; /* its sizes and variants that are slower than their kernels */
};

/* 'found' has room for one more. */
static void note(struct slow *found, size_t *count, const struct slow *seen)
{
    size_t i = 0;

    while (i < *count &&
           strcmp(found[i].component->generator, seen->component->generator) != 0)
        i++;
    if (i == *count) {
        found[(*count)++] = *seen;
    } else if (seen->ratio > found[i].ratio) {
        size_t n = found[i].n;

        found[i] = *seen;
        found[i].n = n;
    }
    found[i].n++;
}

/* Compares with the kernel at the nearest size; '*ratio' is 0 if not clearly slower. */
static int compare_sizes(const struct others *o, const struct kind *kind,
                         const struct gcal_result_row *component,
                         struct gcal_result_counts *counts, double *ratio,
                         struct gcal_error *err)
{
    const struct gcal_run_kernel *kernel = &o->record->kernels[component->kernel];
    struct gcal_result_nearest nearest = { .distance = INFINITY };
    const size_t *first = &o->sorted.first[component->device];

    for (size_t k = first[0]; k < first[1]; k++) {
        const struct gcal_result_row *row = &o->all->rows[o->sorted.row[k]];

        if (!row->brief &&
            is_component_of_family(kind, kernel, &o->record->kernels[row->kernel]) &&
            gcal_result_compare_component(counts, component, row, &nearest, err) < 0)
            return -1;
    }
    *ratio = nearest.ratio > SLOWER_SIZE ? nearest.ratio : 0;
    return 0;
}

/* 'counts': for each kind with a feature. */
static int find_slow(const struct gcal_result_type_fit *t, const struct others *o,
                     struct gcal_result_counts *counts, struct slow *found, size_t *count,
                     struct gcal_error *err)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct gcal_result_row row = { .device = t->row_device[i],
                                             .kernel = t->row_kernel[i],
                                             .time_s = t->row_time_s[i] };
        struct slow seen = { .component = &o->record->kernels[row.kernel] };

        if (t->row_brief[i] || !(seen.kind = find_kind(seen.component)))
            continue;
        seen.ratio =
            row.time_s / time_of_target(o, seen.kind, seen.component, row.device);
        if (isnan(seen.ratio) && seen.kind->feature &&
            compare_sizes(o, seen.kind, &row, &counts[seen.kind - kinds], &seen.ratio,
                          err) < 0)
            return -1;
        if (seen.ratio > SLOWER) /* false for NaN */
            note(found, count, &seen);
    }
    return 0;
}

/* What a misleading component means for predictions. */
static const char *remedy(const struct gcal_result_type_fit *t,
                          const struct gcal_config_model *config)
{
    if (!t->good)
        return "";
    return config->forms[t->best].tailored
               ? "; the kernel is predicted from its times at other sizes"
               : "; predictions of the kernel may be too long";
}

static char *describe(const struct slow *s, const char *remedy)
{
    const char *of = s->kind->of_form == GCAL_KERNEL_COMPLETE
                         ? "the full kernel"
                         : "all its accesses to memory";
    char *others = s->n > 1 ? gcal_buf_format(", and %zu more", s->n - 1) : strdup("");
    char *text = NULL;

    if (others)
        text = gcal_buf_format("%s: %s takes %.3g times as long as %s (%s%s)%s",
                               s->component->origin.generator, s->kind->what, s->ratio,
                               of, s->component->name, others, remedy);
    free(others);
    return text;
}

static int add_warnings(struct gcal_result_type_fit *t, const struct slow *found,
                        size_t count, const char *remedy, struct gcal_error *err)
{
    char **grown = realloc(t->warnings, (t->n_warnings + count + 1) * sizeof(*grown));

    if (!grown)
        return gcal_error_memory(err);
    t->warnings = grown;
    for (size_t i = 0; i < count; i++) {
        if (!(t->warnings[t->n_warnings] = describe(&found[i], remedy)))
            return gcal_error_memory(err);
        t->n_warnings++;
    }
    return 0;
}

int gcal_result_find_slow_components(struct gcal_result_type_fit *t,
                                     const struct gcal_record *record,
                                     const struct gcal_config_model *config,
                                     const struct gcal_result_rows *all,
                                     struct gcal_error *err)
{
    struct slow *found = calloc(t->n_rows + 1, sizeof(*found));
    struct others o = { .record = record, .all = all };
    struct gcal_result_counts counts[N_KINDS] = { 0 };
    size_t count = 0;
    int rc = found ? gcal_result_sort_by_device(record, all, &o.sorted, err)
                   : gcal_error_memory(err);

    for (size_t i = 0; i < N_KINDS && rc == 0; i++)
        if (kinds[i].feature)
            rc = gcal_result_counts_init(&counts[i], record, kinds[i].feature, err);
    if (rc == 0)
        rc = find_slow(t, &o, counts, found, &count, err);
    if (rc == 0)
        rc = add_warnings(t, found, count, remedy(t, config), err);
    for (size_t i = 0; i < N_KINDS; i++)
        gcal_result_counts_clear(&counts[i]);
    gcal_result_by_device_clear(&o.sorted);
    free(found);
    return rc;
}
