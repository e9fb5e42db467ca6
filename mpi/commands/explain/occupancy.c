/* occupancy.c - how many work-groups a compute unit holds, what bounds them, and waves */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/expr.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

/* What an expression bounds is known by the first of these features that it has. */
static const struct {
    const char *feature, *by;
} subjects[] = {
    { "f_device_local_memory_bytes", "local memory" },
    { "f_device_registers", "registers" },
    { "f_device_work_items", "size of work-groups" },
    { "f_device_work_groups", "work-groups of a compute unit" },
};

static void add_bound(const struct gcal_explain_lab *lab, const char *text,
                      struct gcal_explain_occupancy *o)
{
    char *whole = gcal_expr_names_resolve(lab->names_of_uses, text, NULL);
    double groups = gcal_explain_lab_compute(lab, text);
    const char *by = NULL;

    for (size_t i = 0; whole && !by && i < sizeof(subjects) / sizeof(*subjects); i++)
        if (strstr(whole, subjects[i].feature))
            by = subjects[i].by;
    free(whole);
    /* Where the device does not say how many registers it has, they bound nothing. */
    if (by && isfinite(groups) && groups < 1e6 && o->n_bounds < GCAL_EXPLAIN_MAX_BOUNDS)
        o->bounds[o->n_bounds++] = (struct gcal_explain_bound){ by, groups };
}

/* The arguments of the first min() of the expression. */
static void find_bounds(const struct gcal_explain_lab *lab,
                        struct gcal_explain_occupancy *o)
{
    const char *resident = lab->sources[gcal_explain_lab_find(lab, "resident")];
    struct gcal_expr_span bounds[GCAL_EXPLAIN_MAX_BOUNDS];
    size_t n = gcal_expr_find_arguments(resident, "min", GCAL_EXPLAIN_MAX_BOUNDS, bounds);

    for (size_t i = 0; i < n; i++)
        add_bound(lab,
                  gcal_arena_format(lab->arena, "%.*s", (int)bounds[i].length,
                                    resident + bounds[i].start),
                  o);
}

static int compare_groups(const void *a, const void *b)
{
    const struct gcal_explain_bound *x = a, *y = b;

    return (x->groups > y->groups) - (x->groups < y->groups);
}

void gcal_explain_occupancy_find(const struct gcal_explain_lab *lab,
                                 struct gcal_explain_occupancy *o)
{
    double most = gcal_explain_lab_compute(lab, "f_device_work_items"), held, full;
    double lanes = (double)lab->device->info.sub_group_size;

    *o = (struct gcal_explain_occupancy){
        .resident = gcal_explain_lab_value(lab, "resident"),
        .units = gcal_explain_lab_compute(lab, "f_device_compute_units"),
        .groups = gcal_explain_lab_compute(lab, "f_thread_groups"),
        .registers = gcal_explain_lab_value(lab, "registers"),
        .built = gcal_explain_lab_compute(lab, "f_kernel_registers") > 0,
        .local_bytes = gcal_explain_lab_compute(lab, "f_local_memory_bytes"),
        .unit_local_bytes = gcal_explain_lab_compute(lab, "f_device_local_memory_bytes"),
    };
    o->items = gcal_explain_lab_compute(lab, "f_work_items") / o->groups;
    o->known =
        o->resident > 0 && o->units > 0 && o->groups > 0 && most > 0 && o->items > 0;
    if (!o->known)
        return;
    /* Sub-groups are held as a whole. */
    held = lanes > 0 ? ceil(o->items / lanes) * lanes : o->items;
    full = o->units * o->resident;
    o->occupancy = fmin(1, o->resident * held / most);
    o->achieved = fmin(o->occupancy, o->groups / o->units * held / most);
    o->waves = o->groups / full;
    o->last_wave = o->waves - (ceil(o->waves) - 1);
    find_bounds(lab, o);
    qsort(o->bounds, o->n_bounds, sizeof(*o->bounds), compare_groups);
}
