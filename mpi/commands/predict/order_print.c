/* order_print.c - ordered variants as a table and as JSON */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/predict/kernel_names.h"
#include "mpi/commands/predict/order.h"

static void print_variant(const struct gcal_order *r, size_t i, const char *name)
{
    const struct gcal_prediction *p = &r->variants[i].prediction;
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE],
        next[GCAL_UNITS_SIZE];
    char place[24] = "-";
    bool covered = i < r->n_covered;

    if (r->variants[i].refusal) {
        printf("%5s %9s  %22s %8s %10s  %s\n", "-", "none", "", "", "", name);
        return;
    }
    if (covered)
        snprintf(place, sizeof(place), "%zu", i + 1);
    printf("%5s %9s%c %9s to %-9s %8.3f %10s  %s\n", place,
           gcal_units(p->time_s, "s", time),
           !covered          ? '!'
           : p->extrapolates ? '*'
                             : ' ',
           gcal_units(p->low_s, "s", low), gcal_units(p->high_s, "s", high),
           p->time_s / r->variants[0].prediction.time_s,
           gcal_units_probability(r->variants[i].faster_than_next, next), name);
}

static void print_end(const struct gcal_order *r)
{
    const struct gcal_order_variant *last = &r->variants[r->n - 1];
    bool marked = false, incomplete = false;
    char probability[GCAL_UNITS_SIZE];

    for (size_t i = 0; i < r->n; i++) {
        const struct gcal_order_variant *v = &r->variants[i];

        marked = marked || (i < r->n_covered && v->prediction.extrapolates);
        incomplete = incomplete || (i >= r->n_covered && !v->refusal);
    }
    if (marked)
        printf("* outside the calibrated range\n");
    if (incomplete)
        printf(
            "! some of its work has no cost in the model: its time lacks that, and its "
            "place is not known\n");
    if (last->refusal)
        printf("none: %s\n", last->refusal);
    if (r->n_covered > 1)
        printf("probability that the first is the fastest%s: %s\n",
               r->n_covered < r->n ? " of those that are covered" : "",
               gcal_units_probability(r->fastest, probability));
}

static int print_rows(const struct gcal_order *r, const char *const *names,
                      struct gcal_error *err)
{
    char *shared = gcal_kernel_names_shared(r->n, names, err);
    int rc = 0;

    if (!shared)
        return -1;
    printf("%s on node %s, model %s%s%s\n", r->device, r->node, r->model,
           r->n > 1 && *shared ? ": " : "", r->n > 1 ? shared : "");
    printf("%5s %10s %22s %8s %10s\n", "", "predicted", "90 % interval", "ratio to",
           "faster");
    printf("%5s %10s %22s %8s %10s  %s\n", "place", "time", "low to high  ", "fastest",
           "than next", "variant");
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        char *name = gcal_kernel_name_distinct(names[i], shared, err);

        if (name)
            print_variant(r, i, name);
        else
            rc = -1;
        free(name);
    }
    free(shared);
    if (rc == 0)
        print_end(r);
    return rc;
}

int gcal_order_print(const struct gcal_order *r, struct gcal_error *err)
{
    const char **names = calloc(r->n + 1, sizeof(*names));
    int rc;

    if (!names)
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        names[i] = r->variants[i].name;
    gcal_quiet_result(true);
    rc = print_rows(r, names, err);
    free(names);
    return rc;
}

static json_t *variant_json(const struct gcal_order *r, size_t i)
{
    const struct gcal_order_variant *v = &r->variants[i];
    const struct gcal_prediction *p = &v->prediction;
    json_t *sizes = json_object(), *next = json_null(), *place = json_null();

    for (size_t k = 0; k < v->target.profile->n_parameters; k++)
        json_object_set_new(sizes, v->target.profile->parameters[k],
                            json_real(v->target.sizes[k]));
    if (!isnan(v->faster_than_next))
        next = json_real(v->faster_than_next);
    if (v->refusal) {
        json_decref(next);
        json_decref(place);
        return json_pack("{s:s, s:o, s:s}", "variant", v->name, "sizes", sizes,
                         "not_predicted", v->refusal);
    }
    if (i < r->n_covered)
        place = json_integer((json_int_t)i + 1);
    return json_pack("{s:o, s:s, s:o, s:f, s:f, s:f, s:f, s:b, s:f, s:f, s:o}", "place",
                     place, "variant", v->name, "sizes", sizes, "time_s", p->time_s,
                     "standard_error_s", p->standard_error_s, "low_s", p->low_s, "high_s",
                     p->high_s, "extrapolates", p->extrapolates, "not_covered",
                     p->not_covered, "times_fastest",
                     p->time_s / r->variants[0].prediction.time_s,
                     "probability_faster_than_next", next);
}

int gcal_order_print_json(const struct gcal_order *r, struct gcal_error *err)
{
    json_t *variants = json_array(), *all, *fastest = json_null();

    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(variants, variant_json(r, i));
    if (r->n_covered)
        fastest = json_real(r->fastest);
    all = json_pack("{s:s, s:s, s:s, s:o, s:o}", "node", r->node, "device", r->device,
                    "model", r->model, "variants", variants,
                    "probability_first_is_fastest", fastest);
    if (!all)
        return gcal_error_memory(err);
    gcal_json_print(all, "rank");
    json_decref(all);
    return 0;
}
