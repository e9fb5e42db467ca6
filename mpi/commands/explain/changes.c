/* changes.c - times of changed kernels beside that of the kernel */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

void gcal_explain_changes_put(struct gcal_arena *arena,
                              struct gcal_explain_changes *changes,
                              struct gcal_explain_change change)
{
    changes->all = gcal_arena_grow(arena, changes->all, changes->n, &changes->capacity,
                                   sizeof(*changes->all));
    changes->all[changes->n++] = change;
}

void gcal_explain_changes_add(struct gcal_explain_changes *changes,
                              struct gcal_explain_lab *lab, const char *what)
{
    struct gcal_explain_change one = { what, 0, 0, gcal_explain_limits_first(lab) };

    one.time_s = gcal_explain_lab_eval(lab);
    one.resident = gcal_explain_lab_value(lab, "resident");
    gcal_explain_changes_put(lab->arena, changes, one);
}

static int compare_times(const void *a, const void *b)
{
    const struct gcal_explain_change *x = a, *y = b;

    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

void gcal_explain_changes_keep(struct gcal_explain_changes *changes, size_t first,
                               size_t n)
{
    if (changes->n > first)
        qsort(changes->all + first, changes->n - first, sizeof(*changes->all),
              compare_times);
    if (changes->n > first + n)
        changes->n = first + n;
}

void gcal_explain_changes_print(const struct gcal_explain_case *c,
                                const struct gcal_explain_changes *changes,
                                const char *title)
{
    double before = changes->before_s;
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];

    if (changes->n)
        puts(title);
    for (size_t i = 0; i < changes->n; i++) {
        const struct gcal_explain_change *change = &changes->all[i];

        printf("%+6.1f %%  %s: %s -> %s", 100 * (change->time_s / before - 1),
               change->what, gcal_units(before, "s", from),
               gcal_units(change->time_s, "s", to));
        if (change->resident != c->occupancy.resident && isfinite(change->resident) &&
            isfinite(c->occupancy.resident))
            printf("; resident work-groups %.4g -> %.4g", c->occupancy.resident,
                   change->resident);
        if (change->limit)
            printf("; limited by %s", change->limit);
        printf("\n");
    }
}

json_t *gcal_explain_changes_json(const struct gcal_explain_changes *changes)
{
    json_t *list = json_array();

    for (size_t i = 0; i < changes->n; i++) {
        const struct gcal_explain_change *change = &changes->all[i];
        json_t *one =
            json_pack("{s:s, s:f, s:f}", "what", change->what, "time_s", change->time_s,
                      "change", change->time_s / changes->before_s - 1);

        if (!changes->of_step)
            json_object_update_new(one, json_pack("{s:o, s:s?}", "resident_groups",
                                                  gcal_json_number(change->resident),
                                                  "limited_by", change->limit));
        json_array_append_new(list, one);
    }
    return list;
}
