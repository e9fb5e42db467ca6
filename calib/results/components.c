/* components.c - components of kernels: their variants, and those slower than their kernel
 *
 * They are there for the tailored models (docs/examples/applications.yaml, gpucal learn).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

void gcal_result_warn(struct gcal_result_type_fit *t, char *text)
{
    t->warnings = gcal_arena_grow(t->arena, t->warnings, t->n_warnings,
                                  &t->warnings_capacity, sizeof(*t->warnings));
    t->warnings[t->n_warnings++] = text;
}

/* ---- the counts of one feature in the kernels of a record ---- */

struct counts {
    const struct gcal_record *record;
    const struct gcal_model *model; /* of that feature alone */
    double *counts;                 /* of the record's kernels; NaN: not evaluated yet */
};

GCAL_ARENA_DESTROYER(destroy_model, gcal_model_destroy)

static int counts_init(struct gcal_arena *scratch, struct counts *c,
                       const struct gcal_record *record, const char *feature,
                       struct gcal_error *err)
{
    const char *expression = gcal_arena_format(scratch, "p_each * %s", feature);

    *c = (struct counts){
        .record = record,
        .model = gcal_arena_own(
            scratch, gcal_model_create("counts", "f_cl_wall_time", expression, err),
            destroy_model),
        .counts = gcal_arena_alloc(scratch, record->n_kernels, sizeof(*c->counts))
    };
    for (size_t i = 0; i < record->n_kernels; i++)
        c->counts[i] = NAN;
    return c->model ? 0 : -1;
}

/* The count of the row's kernel; NaN if it is 0. */
static int count_of(struct counts *c, const struct gcal_result_row *row, double *count,
                    struct gcal_error *err)
{
    struct gcal_result_row one = *row;
    const struct gcal_result_rows rows = { .n = 1, .rows = &one };

    if (isnan(c->counts[row->kernel])) {
        struct gcal_arena *scratch = gcal_arena_create();
        const double *features =
            gcal_result_features(scratch, c->record, c->model, &rows, err);

        if (features)
            c->counts[row->kernel] = features[0];
        gcal_arena_destroy(scratch);
        if (!features)
            return -1;
    }
    *count = c->counts[row->kernel] > 0 ? c->counts[row->kernel] : NAN;
    return 0;
}

/* A component and its kernel at the sizes that are nearest to each other; of equally near
 * ones, the longest.
 */
struct nearest {
    double distance; /* logarithm of the counts' ratio; infinite: none yet */
    double time_s;   /* of the component */
    double ratio;    /* of times per count, component to kernel */
};

/* Replaces 'nearest' if these two are nearer to each other. */
static int compare_counts(struct counts *c, const struct gcal_result_row *component,
                          const struct gcal_result_row *target, struct nearest *nearest,
                          struct gcal_error *err)
{
    double of_component, of_target, distance;

    if (count_of(c, component, &of_component, err) < 0 ||
        count_of(c, target, &of_target, err) < 0)
        return -1;
    distance = fabs(log(of_component / of_target));
    if (distance < nearest->distance ||
        (distance == nearest->distance && component->time_s > nearest->time_s))
        *nearest = (struct nearest){ distance, component->time_s,
                                     component->time_s / of_component * of_target /
                                         target->time_s };
    return 0;
}

/* ---- accumulator variants of memory components
 *
 * A model is fitted to a kernel's memory component with one accumulator.  If that is
 * slower than the kernel, as removing work changed what caches hold, the variant with
 * more accumulators may replace it.  The fit sees only one of them: both have the same
 * feature, and their times differ.
 */

/* Ratio of times per access, component to kernel, from which on a variant is replaced. */
#define SLOWER_BY_FAR 1.05

struct search {
    const struct gcal_record *record;
    const struct gcal_result_rows *all, *rows;
    struct gcal_result_by_device of_all, of_rows;
    struct counts accesses;
};

/* A family of memory components, compared with the target kernel. */
struct variant {
    const struct gcal_run_kernel *kernel; /* any of the family; NULL: no such variant */
    const struct gcal_run_kernel *target;
    double ratio; /* of times per access at the nearest sizes; NaN: the target was not
                     measured */
};

/* Returns whether there may be variants of it with other numbers of accumulators. */
static bool has_variants(const struct gcal_run_kernel *kernel)
{
    return kernel->origin.form == GCAL_KERNEL_MEMORY && kernel->origin.n_accumulators > 0;
}

static bool same_but_accumulators(const struct gcal_run_kernel *a,
                                  const struct gcal_run_kernel *b)
{
    return has_variants(a) && has_variants(b) &&
           a->origin.barriers == b->origin.barriers &&
           strcmp(a->origin.family, b->origin.family) == 0;
}

/* The geometric mean over devices that the target was measured on. */
static int find_ratio(struct search *s, struct variant *variant, struct gcal_error *err)
{
    double sum = 0;
    size_t n = 0;

    for (size_t d = 0; d < s->record->n_devices; d++) {
        const size_t *of_all = &s->of_all.first[d], *of_rows = &s->of_rows.first[d];
        struct nearest nearest = { .distance = INFINITY };

        for (size_t k = of_all[0]; k < of_all[1]; k++) {
            const struct gcal_result_row *target = &s->all->rows[s->of_all.row[k]];
            const struct gcal_run_kernel *kernel = &s->record->kernels[target->kernel];

            /* The global accesses of the target, at any size. */
            if (target->brief || variant->kernel->origin.form != GCAL_KERNEL_MEMORY ||
                kernel->origin.form != GCAL_KERNEL_COMPLETE ||
                strcmp(variant->kernel->origin.family, kernel->family) != 0)
                continue;
            variant->target = kernel;
            for (size_t i = of_rows[0]; i < of_rows[1]; i++) {
                const struct gcal_result_row *row = &s->rows->rows[s->of_rows.row[i]];

                if (!row->brief &&
                    strcmp(s->record->kernels[row->kernel].family,
                           variant->kernel->family) == 0 &&
                    compare_counts(&s->accesses, row, target, &nearest, err) < 0)
                    return -1;
            }
        }
        if (isfinite(nearest.distance)) {
            sum += log(nearest.ratio);
            n++;
        }
    }
    variant->ratio = n ? exp(sum / (double)n) : NAN;
    return 0;
}

/* 'family': of the variants of 'any', the one to be fitted; NULL: none is. */
static int choose_variant(struct search *s, const struct gcal_run_kernel *any,
                          struct gcal_result_type_fit *t, const char **family,
                          struct gcal_error *err)
{
    struct variant first = { .ratio = NAN }, other = { .ratio = NAN };

    /* The one with the fewest accumulators that the model is fitted to. */
    for (size_t i = 0; i < s->rows->n; i++) {
        const struct gcal_run_kernel *kernel =
            &s->record->kernels[s->rows->rows[i].kernel];

        if (!s->rows->rows[i].fallback && same_but_accumulators(kernel, any) &&
            (!first.kernel ||
             kernel->origin.n_accumulators < first.kernel->origin.n_accumulators))
            first.kernel = kernel;
    }
    *family = first.kernel ? first.kernel->family : NULL;
    if (!first.kernel)
        return 0;
    /* The fastest of the others. */
    for (size_t i = 0; i < s->rows->n; i++) {
        struct variant v = { .kernel = &s->record->kernels[s->rows->rows[i].kernel] };

        if ((i && s->rows->rows[i].kernel == s->rows->rows[i - 1].kernel) ||
            !same_but_accumulators(v.kernel, first.kernel) ||
            strcmp(v.kernel->family, first.kernel->family) == 0 ||
            (other.kernel && strcmp(v.kernel->family, other.kernel->family) == 0))
            continue;
        if (find_ratio(s, &v, err) < 0)
            return -1;
        if (isnan(other.ratio) || v.ratio < other.ratio)
            other = v;
    }
    if (!other.kernel)
        return 0;
    if (find_ratio(s, &first, err) < 0)
        return -1;
    /* Without a target, the ratio is NaN. */
    if (!first.target || !(first.ratio > SLOWER_BY_FAR && other.ratio < first.ratio))
        return 0;
    *family = other.kernel->family;
    gcal_result_warn(
        t, gcal_arena_format(
               t->arena,
               "%s: its memory component takes %.2f times as long as the full "
               "kernel; the one with %llu accumulators (%.2f times) replaces it",
               first.target->family, first.ratio,
               (unsigned long long)other.kernel->origin.n_accumulators, other.ratio));
    return 0;
}

int gcal_result_choose_accumulators(struct gcal_arena *scratch,
                                    struct gcal_result_type_fit *t,
                                    const struct gcal_record *record,
                                    const struct gcal_result_rows *all,
                                    struct gcal_result_rows *rows, struct gcal_error *err)
{
    /* Of each row with variants ('known'), the variant that is fitted. */
    const char **family = gcal_arena_alloc(scratch, rows->n, sizeof(*family));
    bool *known = gcal_arena_alloc(scratch, rows->n, sizeof(*known));
    struct search s = { .record = record,
                        .all = all,
                        .rows = rows,
                        .of_all = gcal_result_sort_by_device(scratch, record, all),
                        .of_rows = gcal_result_sort_by_device(scratch, record, rows) };
    size_t n = 0;

    if (counts_init(scratch, &s.accesses, record, "f_memory", err) < 0)
        return -1;
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[rows->rows[i].kernel];

        if (known[i] || !has_variants(kernel))
            continue;
        if (choose_variant(&s, kernel, t, &family[i], err) < 0)
            return -1;
        for (size_t k = i; k < rows->n; k++)
            if (same_but_accumulators(kernel, &record->kernels[rows->rows[k].kernel])) {
                family[k] = family[i];
                known[k] = true;
            }
    }
    for (size_t i = 0; i < rows->n; i++)
        if (known[i] ? family[i] && strcmp(record->kernels[rows->rows[i].kernel].family,
                                           family[i]) == 0
                     : !rows->rows[i].fallback)
            rows->rows[n++] = rows->rows[i];
    rows->n = n;
    return 0;
}

/* ---- components that take longer than the kernel that they are derived from
 *
 * Removing work may change what a compiler makes of the rest, or what the caches hold.
 * If a component takes longer than its origin, the kernel's time does not follow from its
 * components, and a warning names it.
 */

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

/* Rows that components are compared with. */
struct others {
    const struct gcal_record *record;
    const struct gcal_result_rows *all;
    struct gcal_result_by_device sorted;
};

/* The slowest component of one generator of derived kernels. */
struct slow {
    const struct kind *kind;
    const struct gcal_run_kernel *component;
    double ratio;
    size_t n; /* its sizes and variants that are slower than their kernels */
};

/* How many times as long as its kernel at the same size a component takes, or else, if that is
 * clearly more, as at the nearest size: 0 if it is not.
 */
static int find_slowness(const struct others *o, const struct kind *kind,
                         const struct gcal_result_row *component, struct counts *counts,
                         double *ratio, struct gcal_error *err)
{
    const struct gcal_run_kernel *kernel = &o->record->kernels[component->kernel];
    struct nearest nearest = { .distance = INFINITY };
    const size_t *first = &o->sorted.first[component->device];

    for (size_t k = first[0]; k < first[1]; k++) {
        const struct gcal_result_row *row = &o->all->rows[o->sorted.row[k]];

        /* 'component' is compared with 'of' at the same size. */
        if (!row->brief &&
            (o->record->kernels[row->kernel].origin.form == kind->of_form &&
             (kind->of_form == GCAL_KERNEL_COMPLETE
                  ? strcmp(kernel->origin.name, o->record->kernels[row->kernel].name) == 0
                  : strcmp(kernel->origin.name,
                           o->record->kernels[row->kernel].origin.name) == 0 &&
                        kernel->origin.n_accumulators ==
                            o->record->kernels[row->kernel].origin.n_accumulators))) {
            *ratio = component->time_s / row->time_s;
            return 0;
        }
    }
    for (size_t k = first[0]; kind->feature && k < first[1]; k++) {
        const struct gcal_result_row *row = &o->all->rows[o->sorted.row[k]];
        const struct gcal_run_kernel *of = &o->record->kernels[row->kernel];

        if (!row->brief && of->origin.form == GCAL_KERNEL_COMPLETE &&
            strcmp(kernel->origin.family, of->family) == 0 &&
            compare_counts(counts, component, row, &nearest, err) < 0)
            return -1;
    }
    *ratio = nearest.ratio > SLOWER_SIZE ? nearest.ratio : 0;
    return 0;
}

/* Adds to the slowest components of generators, which have room for one more. */
static void note_slow(struct slow *found, size_t *count, const struct slow *seen)
{
    size_t i = 0, n;

    while (i < *count &&
           strcmp(found[i].component->generator, seen->component->generator) != 0)
        i++;
    n = i < *count ? found[i].n : 0;
    if (i == *count || seen->ratio > found[i].ratio)
        found[i] = *seen;
    *count += i == *count;
    found[i].n = n + 1;
}

int gcal_result_find_slow_components(struct gcal_arena *scratch,
                                     struct gcal_result_type_fit *t,
                                     const struct gcal_record *record,
                                     const struct gcal_config_model *config,
                                     const struct gcal_result_rows *all,
                                     struct gcal_error *err)
{
    struct slow *found = gcal_arena_alloc(scratch, t->n_rows, sizeof(*found));
    struct others o = { .record = record,
                        .all = all,
                        .sorted = gcal_result_sort_by_device(scratch, record, all) };
    /* What a misleading component means for predictions. */
    const char *remedy = !t->good ? ""
                         : config->forms[t->best].tailored
                             ? "; the kernel is predicted from its times at other sizes"
                             : "; predictions of the kernel may be too long";
    struct counts counts[N_KINDS] = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].feature &&
            counts_init(scratch, &counts[i], record, kinds[i].feature, err) < 0)
            return -1;
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct gcal_result_row row = { .device = t->row_device[i],
                                             .kernel = t->row_kernel[i],
                                             .time_s = t->row_time_s[i] };
        struct slow seen = { .component = &record->kernels[row.kernel] };

        for (size_t k = 0; k < N_KINDS; k++)
            if (kinds[k].form == seen.component->origin.form)
                seen.kind = &kinds[k];
        if (t->row_brief[i] || !seen.kind)
            continue;
        if (find_slowness(&o, seen.kind, &row, &counts[seen.kind - kinds], &seen.ratio,
                          err) < 0)
            return -1;
        if (seen.ratio > SLOWER)
            note_slow(found, &count, &seen);
    }
    for (size_t i = 0; i < count; i++) {
        const struct slow *s = &found[i];
        const char *others =
            s->n > 1 ? gcal_arena_format(scratch, ", and %zu more", s->n - 1) : "";

        gcal_result_warn(
            t,
            gcal_arena_format(t->arena, "%s: %s takes %.3g times as long as %s (%s%s)%s",
                              s->component->origin.generator, s->kind->what, s->ratio,
                              s->kind->of_form == GCAL_KERNEL_COMPLETE
                                  ? "the full kernel"
                                  : "all its accesses to memory",
                              s->component->name, others, remedy));
    }
    return 0;
}
