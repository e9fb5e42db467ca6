/* components.c - single loads that take longer than all accesses of their kernel
 *
 * Removing work may change what a compiler makes of the rest, or what the caches hold.  If one of a
 * kernel's loads alone takes longer than all its accesses in place, at the same size, then costs of
 * single accesses are too large, and a warning names it.
 */
#include <string.h>

#include "kernels/base/arena.h"
#include "calib/results/private.h"

void gcal_result_warn(struct gcal_result_type_fit *t, char *text)
{
    t->warnings = gcal_arena_grow(t->arena, t->warnings, t->n_warnings,
                                  &t->warnings_capacity, sizeof(*t->warnings));
    t->warnings[t->n_warnings++] = text;
}

/* Smaller differences are noise. */
#define SLOWER 1.02

/* The slowest load of one generator of derived kernels. */
struct slow {
    const struct gcal_run_kernel *load;
    double ratio;
    size_t n; /* its loads and sizes that are slower than all accesses */
};

/* How many times as long as all accesses the load of row 'i' takes; 0: they were not measured. */
static double find_ratio(const struct gcal_result_type_fit *t,
                         const struct gcal_record *record, size_t i)
{
    const struct gcal_kernel_origin *load = &record->kernels[t->row_kernel[i]].origin;

    for (size_t k = 0; k < t->n_rows; k++) {
        const struct gcal_kernel_origin *all = &record->kernels[t->row_kernel[k]].origin;

        if (all->form == GCAL_KERNEL_MEMORY && t->row_device[k] == t->row_device[i] &&
            strcmp(all->name, load->name) == 0 &&
            all->n_accumulators == load->n_accumulators)
            return t->row_time_s[i] / t->row_time_s[k];
    }
    return 0;
}

void gcal_result_find_slow_loads(struct gcal_arena *scratch,
                                 struct gcal_result_type_fit *t,
                                 const struct gcal_record *record)
{
    struct slow *found = gcal_arena_alloc(scratch, t->n_rows, sizeof(*found));
    size_t count = 0;

    for (size_t i = 0; i < t->n_rows; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[t->row_kernel[i]];
        double ratio =
            kernel->origin.form == GCAL_KERNEL_LOADS ? find_ratio(t, record, i) : 0;
        size_t k = 0;

        if (ratio <= SLOWER)
            continue;
        while (k < count && strcmp(found[k].load->generator, kernel->generator) != 0)
            k++;
        count += k == count;
        found[k].n++;
        if (ratio > found[k].ratio) {
            found[k].load = kernel;
            found[k].ratio = ratio;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct slow *s = &found[i];
        const char *others =
            s->n > 1 ? gcal_arena_format(scratch, ", and %zu more", s->n - 1) : "";

        gcal_result_warn(
            t, gcal_arena_format(
                   t->arena,
                   "%s: one of its loads alone takes %.3g times as long as all "
                   "its accesses to memory (%s%s)%s",
                   s->load->origin.generator, s->ratio, s->load->name, others,
                   t->good ? "; predictions of the kernel may be too long" : ""));
    }
}
