/* families.c - the families of a list of kernels */
#include <string.h>

#include "kernels/base/arena.h"
#include "calib/plan/sweep.h"

double gcal_plan_product_of_sizes(const struct gcal_kernel *kernel)
{
    double product = 1;

    for (size_t i = 0; i < kernel->n_sizes; i++)
        product *= kernel->sizes[i].value;
    return product;
}

struct gcal_plan_family *gcal_plan_family_of(const struct gcal_plan_families *f,
                                             size_t kernel)
{
    return &f->families[f->family_of[kernel]];
}

static struct gcal_plan_family *find(struct gcal_plan_families *f, const char *name)
{
    for (size_t i = f->n; i-- > 0;) /* a family's kernels mostly follow each other */
        if (strcmp(f->families[i].name, name) == 0)
            return &f->families[i];
    return NULL;
}

/* Among the sizes of the sweep, in order. */
static void insert_size(const struct gcal_plan_families *f,
                        struct gcal_plan_family *family, size_t kernel)
{
    struct gcal_kernel *const *kernels = f->kernels->kernels;
    double size = gcal_plan_product_of_sizes(kernels[kernel]);
    size_t i = family->n_sizes++;

    for (; i > 0 && gcal_plan_product_of_sizes(kernels[family->sizes[i - 1]]) > size; i--)
        family->sizes[i] = family->sizes[i - 1];
    family->sizes[i] = kernel;
}

struct gcal_plan_families gcal_plan_families_make(struct gcal_plan *plan,
                                                  const struct gcal_kernel_list *kernels)
{
    size_t n = kernels->n_kernels;
    struct gcal_arena *arena = plan->arena;
    struct gcal_plan_families f = {
        .plan = plan,
        .kernels = kernels,
        .families = gcal_arena_alloc(arena, n, sizeof(*f.families)),
        .family_of = gcal_arena_alloc(arena, n, sizeof(*f.family_of)),
        .row = gcal_arena_alloc(arena, n, sizeof(*f.row)),
        .order = gcal_arena_alloc(arena, n, sizeof(*f.order)),
    };

    for (size_t i = 0; i < n; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct gcal_plan_family *family = find(&f, kernel->family);

        if (!family) {
            family = &f.families[f.n++];
            *family = (struct gcal_plan_family){
                .name = kernel->family,
                .first = i,
                .n_wanted = 1,
                .fixed = gcal_arena_alloc(arena, n, sizeof(*family->fixed)),
                .sizes = gcal_arena_alloc(arena, n, sizeof(*family->sizes)),
            };
        }
        f.family_of[i] = (size_t)(family - f.families);
        if (kernel->sweep)
            family->n_wanted = plan->options->sizes;
        if (gcal_plan_find_done(plan, kernel))
            family->n_chosen += kernel->sweep;
        else if (kernel->sweep)
            insert_size(&f, family, i);
        else
            family->fixed[family->n_fixed++] = i;
    }
    return f;
}
