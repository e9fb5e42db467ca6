/* changes.c - times of changed kernels beside that of the kernel */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

void gcal_explain_changes_clear(struct gcal_explain_changes *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        free(changes->all[i].what);
    free(changes->all);
    *changes = (struct gcal_explain_changes){ 0 };
}

/* The limit that adds most; the model's own text, so that it outlives the lab. */
static int find_limit(struct gcal_explain_lab *lab, const char **limit,
                      struct gcal_error *err)
{
    struct gcal_explain_limits limits;
    int rc = gcal_explain_limits_find(lab, &limits, err);

    *limit = rc == 0 && limits.n_limits ? limits.limits[0].name : NULL;
    gcal_explain_limits_clear(&limits);
    return rc;
}

int gcal_explain_changes_add(struct gcal_explain_changes *changes,
                             struct gcal_explain_lab *lab, char *what,
                             struct gcal_error *err)
{
    struct gcal_explain_change *all, one = { .what = what };
    int rc = what ? find_limit(lab, &one.limit, err) : gcal_error_memory(err);

    if (rc < 0 || !(all = gcal_array_grow(changes->all, changes->n, &changes->capacity,
                                          sizeof(*all), err))) {
        free(what);
        return -1;
    }
    changes->all = all;
    one.time_s = gcal_explain_lab_eval(lab);
    one.resident = gcal_explain_lab_value(lab, "resident");
    all[changes->n++] = one;
    return 0;
}

int gcal_explain_changes_add_profile(struct gcal_explain_changes *changes,
                                     const struct gcal_explain_case *c,
                                     const struct gcal_profile *profile, char *what,
                                     struct gcal_error *err)
{
    struct gcal_predictor *predictor = gcal_predictor_create(
        c->lab.device, gcal_predictor_model(c->predictor), profile, err);
    struct gcal_explain_lab lab = { 0 };
    int rc = predictor
                 ? gcal_explain_lab_open(&lab, c->lab.device, predictor, c->sizes, err)
                 : -1;

    if (rc == 0)
        rc = gcal_explain_changes_add(changes, &lab, what, err);
    else
        free(what);
    gcal_explain_lab_clear(&lab);
    gcal_predictor_destroy(predictor);
    return rc;
}

/* ---- output ---- */

static void print_change(const struct gcal_explain_case *c,
                         const struct gcal_explain_change *change)
{
    double before = c->limits.time_s;
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];

    printf("%+6.1f %%  %s: %s -> %s", 100 * (change->time_s / before - 1), change->what,
           gcal_units(before, "s", from), gcal_units(change->time_s, "s", to));
    if (change->resident != c->occupancy.resident && isfinite(change->resident) &&
        isfinite(c->occupancy.resident))
        printf("; resident work-groups %.4g -> %.4g", c->occupancy.resident,
               change->resident);
    if (change->limit)
        printf("; limited by %s", change->limit);
    printf("\n");
}

void gcal_explain_changes_print(const struct gcal_explain_case *c,
                                const struct gcal_explain_changes *changes,
                                const char *title)
{
    if (changes->n)
        printf("\n%s\n", title);
    for (size_t i = 0; i < changes->n; i++)
        print_change(c, &changes->all[i]);
}

json_t *gcal_explain_changes_json(const struct gcal_explain_changes *changes,
                                  double time_s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < changes->n; i++) {
        const struct gcal_explain_change *change = &changes->all[i];

        json_array_append_new(
            list, json_pack("{s:s, s:f, s:f, s:o, s:s?}", "what", change->what, "time_s",
                            change->time_s, "change", change->time_s / time_s - 1,
                            "resident_groups", gcal_json_number(change->resident),
                            "limited_by", change->limit));
    }
    return list;
}
