/* occupancy.c - how many work-groups a compute unit holds, what bounds them, and waves */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *subject_of(const struct gcal_explain_lab *lab, const char *text)
{
    char *whole = gcal_expr_names_resolve(lab->published->names, text, NULL);
    const char *by = NULL;

    for (size_t i = 0; whole && !by && i < sizeof(subjects) / sizeof(*subjects); i++)
        if (strstr(whole, subjects[i].feature))
            by = subjects[i].by;
    free(whole);
    return by;
}

static const char *text_named(const struct gcal_explain_lab *lab, const char *name)
{
    const struct gcal_expr_names *names = lab->published->names;

    for (size_t i = 0; i < gcal_expr_names_count(names); i++)
        if (strcmp(gcal_expr_names_name(names, i), name) == 0)
            return gcal_expr_names_text(names, i);
    return NULL;
}

/* The end of the argument at 'at': a comma or a parenthesis that does not belong to it. */
static const char *end_of_argument(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        if (depth == 0 && (*at == ',' || *at == ')'))
            break;
        depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
    }
    return at;
}

static void add_bound(const struct gcal_explain_lab *lab, const char *text,
                      struct gcal_explain_occupancy *o)
{
    const char *by = subject_of(lab, text);
    double groups = gcal_explain_lab_compute(lab, text);

    /* Where the device does not say how many registers it has, they bound nothing. */
    if (by && isfinite(groups) && groups < 1e6 && o->n_bounds < GCAL_EXPLAIN_MAX_BOUNDS)
        o->bounds[o->n_bounds++] = (struct gcal_explain_bound){ by, groups };
}

/* The arguments of the first min() of the expression. */
static void find_bounds(const struct gcal_explain_lab *lab,
                        struct gcal_explain_occupancy *o)
{
    const char *text = text_named(lab, "resident");
    const char *at = text ? strstr(text, "min(") : NULL;

    for (at = at ? at + strlen("min(") : NULL; at && *at;) {
        const char *end = end_of_argument(at);
        char *argument = strndup(at, (size_t)(end - at));

        if (argument)
            add_bound(lab, argument, o);
        free(argument);
        at = *end == ',' ? end + 1 : NULL;
    }
}

static int by_groups(const void *a, const void *b)
{
    const struct gcal_explain_bound *x = a, *y = b;

    return (x->groups > y->groups) - (x->groups < y->groups);
}

static double feature(const struct gcal_explain_lab *lab, const char *name)
{
    return gcal_explain_lab_compute(lab, name);
}

/* Sub-groups are held as a whole. */
static double held_items(const struct gcal_explain_lab *lab, double items)
{
    double size = (double)lab->device->info.sub_group_size;

    return size > 0 ? ceil(items / size) * size : items;
}

void gcal_explain_occupancy_find(const struct gcal_explain_lab *lab,
                                 struct gcal_explain_occupancy *o)
{
    double held, most = feature(lab, "f_device_work_items"), full;

    *o = (struct gcal_explain_occupancy){
        .resident = gcal_explain_lab_value(lab, "resident"),
        .units = feature(lab, "f_device_compute_units"),
        .groups = feature(lab, "f_thread_groups"),
        .registers = gcal_explain_lab_value(lab, "registers"),
        .built = feature(lab, "f_kernel_registers") > 0,
        .local_bytes = feature(lab, "f_local_memory_bytes"),
        .unit_local_bytes = feature(lab, "f_device_local_memory_bytes"),
        .unit_registers = feature(lab, "f_device_registers"),
    };
    o->items = feature(lab, "f_work_items") / o->groups;
    o->known =
        o->resident > 0 && o->units > 0 && o->groups > 0 && most > 0 && o->items > 0;
    if (!o->known)
        return;
    held = held_items(lab, o->items);
    full = o->units * o->resident;
    o->occupancy = fmin(1, o->resident * held / most);
    o->achieved = fmin(o->occupancy, o->groups / o->units * held / most);
    o->waves = o->groups / full;
    o->last_wave = o->waves - (ceil(o->waves) - 1);
    find_bounds(lab, o);
    qsort(o->bounds, o->n_bounds, sizeof(*o->bounds), by_groups);
}
