#include "calib/plan/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"

/* ---- families of a list ---- */

static struct gcal_plan_family *find(struct gcal_plan_families *f, const char *name)
{
    for (size_t i = f->n; i-- > 0;) /* a family's kernels mostly follow each other */
        if (strcmp(f->families[i].name, name) == 0)
            return &f->families[i];
    return NULL;
}

static struct gcal_plan_family *add(struct gcal_plan_families *f, const char *name)
{
    struct gcal_plan_family *family = &f->families[f->n++];
    size_t n = f->kernels->n_kernels;

    *family = (struct gcal_plan_family){ .name = name,
                                         .optional = true,
                                         .fixed = calloc(n, sizeof(size_t)),
                                         .sizes = calloc(n, sizeof(size_t)) };
    return family->fixed && family->sizes ? family : NULL;
}

/* Among the rungs, by size. */
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

int gcal_plan_families_init(struct gcal_plan_families *f, struct gcal_plan *plan,
                            const struct gcal_kernel_list *kernels)
{
    size_t n = kernels->n_kernels;

    *f = (struct gcal_plan_families){ .plan = plan, .kernels = kernels };
    f->families = calloc(n + 1, sizeof(*f->families));
    f->family_of = calloc(n + 1, sizeof(*f->family_of));
    f->row = calloc(n + 1, sizeof(*f->row));
    if (!f->families || !f->family_of || !f->row)
        return gcal_error_memory(plan->err);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct gcal_plan_family *family = find(f, kernel->family);

        if (!family && !(family = add(f, kernel->family)))
            return gcal_error_memory(plan->err);
        f->family_of[i] = (size_t)(family - f->families);
        if (gcal_plan_find_done(plan, kernel)) {
            family->n_chosen += kernel->sweep;
            family->n_done_sizes += kernel->sweep;
            family->n_done += !kernel->sweep;
        } else if (kernel->sweep)
            insert_size(f, family, i);
        else
            family->fixed[family->n_fixed++] = i;
    }
    return 0;
}

void gcal_plan_families_clear(struct gcal_plan_families *f)
{
    for (size_t i = 0; f->families && i < f->n; i++) {
        free(f->families[i].fixed);
        free(f->families[i].sizes);
    }
    free(f->families);
    free(f->family_of);
    free(f->row);
}

/* ---- what may be taken ---- */

static bool size_offered(const struct gcal_plan_families *f,
                         const struct gcal_plan_family *family, size_t kernel)
{
    if (family->n_chosen >= f->plan->options->sizes)
        return false;
    if (family->ended || family->n_tried == family->n_sizes)
        return false;
    return !family->n_tried || family->sizes[family->n_tried] == kernel;
}

bool gcal_plan_families_offers(const struct gcal_plan_families *f, size_t kernel)
{
    const struct gcal_plan_family *family = &f->families[f->family_of[kernel]];
    const struct gcal_plan_row *row = f->row[kernel];

    if (gcal_plan_find_done(f->plan, f->kernels->kernels[kernel]) ||
        (family->checked && family->verdict.wrong))
        return false;
    if (!f->kernels->kernels[kernel]->sweep)
        return !row;
    if (row)
        return row->parked && family->n_chosen < f->plan->options->sizes &&
               gcal_plan_limit_distance(f->plan, row) == 0;
    return size_offered(f, family, kernel);
}

/* ---- taking ---- */

/* 0 with the row parked, 1 when the kernel cannot be measured. */
static int try_kernel(struct gcal_plan_families *f, size_t kernel, bool smallest)
{
    struct gcal_plan_family *family = &f->families[f->family_of[kernel]];
    size_t at = f->plan->n_rows;
    int rc;

    f->n_opened += !family->opened;
    family->opened = true;
    if ((rc = gcal_plan_try(f->plan, f->kernels->kernels[kernel], smallest)) < 0)
        return -1;
    f->row[kernel] = &f->plan->rows[at];
    f->row[kernel]->parked = true;
    return rc;
}

/* Others of a family that is wrong will not be wanted. */
static int take_row(struct gcal_plan_families *f, struct gcal_plan_row *row)
{
    struct gcal_plan_family *family = find(f, row->kernel->family);

    if (!family->checked && gcal_plan_check_family(f->plan, row, &family->verdict) < 0)
        return -1;
    family->checked = true;
    row->parked = false;
    family->n_chosen += row->kernel->sweep;
    return gcal_plan_apply_verdict(f->plan, row, &family->verdict);
}

/* The next rung: 0 with its row parked; 1 when there is none.  As the smallest may be too
 * short for the device's clock, that is no end.
 */
static int try_next(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    const struct gcal_plan *plan = f->plan;
    size_t n = family->n_tried, kernel = n < family->n_sizes ? family->sizes[n] : 0;
    const struct gcal_plan_row *last = n ? f->row[family->sizes[n - 1]] : NULL;
    const struct gcal_plan_row *before = n > 1 ? f->row[family->sizes[n - 2]] : NULL;
    bool known = before && before->first_s > 0 && last->first_s > 0;
    int rc;

    if (n == family->n_sizes || family->ended ||
        (known &&
         gcal_plan_is_too_long(plan, before, last, f->kernels->kernels[kernel]))) {
        family->ended = true;
        return 1;
    }
    family->n_tried++;
    rc = try_kernel(f, kernel, n == 0);
    if (rc == 0 && f->row[kernel]->first_s > plan->options->max_time_s)
        family->ended = true;
    if (rc > 0 && f->row[kernel]->status != GCAL_MEASUREMENT_BAD_EVENTS)
        family->ended = true;
    return rc < 0 ? -1 : 0;
}

static struct gcal_plan_row *nearest(const struct gcal_plan_families *f,
                                     const struct gcal_plan_family *family)
{
    struct gcal_plan_row *best = NULL;

    for (size_t i = 0; i < family->n_tried; i++) {
        struct gcal_plan_row *row = f->row[family->sizes[i]];

        if (!row->finished && (!best || gcal_plan_limit_distance(f->plan, row) <
                                            gcal_plan_limit_distance(f->plan, best)))
            best = row;
    }
    return best;
}

/* To the first rung that runs long enough, or else the nearest. */
static int run_sweep(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    double limit_s = f->plan->options->budget_s * GCAL_PLAN_CHOOSING_SHARE;
    struct gcal_plan_row *row;
    int rc = 0;

    do {
        if (family->n_tried && gcal_plan_elapsed_s(f->plan) > limit_s)
            break;
        if ((rc = try_next(f, family)) < 0)
            return -1;
        row = nearest(f, family);
    } while (rc == 0 && !(row && gcal_plan_limit_distance(f->plan, row) == 0));
    row = nearest(f, family);
    return row ? take_row(f, row) : 0;
}

int gcal_plan_families_take(struct gcal_plan_families *f, size_t kernel)
{
    struct gcal_plan_family *family = &f->families[f->family_of[kernel]];
    int rc;

    if (f->row[kernel])
        return take_row(f, f->row[kernel]);
    if (!f->kernels->kernels[kernel]->sweep) {
        if ((rc = try_kernel(f, kernel, false)) != 0)
            return rc < 0 ? -1 : 0;
        return take_row(f, f->row[kernel]);
    }
    if (!family->n_tried)
        return run_sweep(f, family);
    if ((rc = try_next(f, family)) != 0)
        return rc < 0 ? -1 : 0;
    if (f->row[kernel]->finished || gcal_plan_limit_distance(f->plan, f->row[kernel]) > 0)
        return 0;
    return take_row(f, f->row[kernel]);
}

int gcal_plan_families_take_all(struct gcal_plan_families *f,
                                struct gcal_plan_family *family)
{
    size_t first = f->plan->n_rows;

    f->n_opened += !family->opened;
    family->opened = family->ended = true;
    if (gcal_plan_sweep_family(f->plan, f->kernels, family->name) < 0)
        return -1;
    for (size_t i = first; i < f->plan->n_rows; i++)
        for (size_t k = 0; k < f->kernels->n_kernels; k++)
            if (f->kernels->kernels[k] == f->plan->rows[i].kernel)
                f->row[k] = &f->plan->rows[i];
    return 0;
}
