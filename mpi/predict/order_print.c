/* order_print.c - ordered variants as a table and as JSON */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "calib/base/units.h"
#include "calib/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/predict/kernel_names.h"
#include "mpi/predict/order.h"

/* "97 %"; never 0 % or 100 %, as no order is certain. */
static const char *percent(double probability, char text[16])
{
    if (isnan(probability))
        snprintf(text, 16, "-");
    else if (probability > 0.995)
        snprintf(text, 16, ">99 %%");
    else if (probability < 0.005)
        snprintf(text, 16, "<1 %%");
    else
        snprintf(text, 16, "%.0f %%", 100 * probability);
    return text;
}

static void print_variant(const struct gcal_order *r, size_t i, const char *name)
{
    const struct gcal_prediction *p = &r->variants[i].prediction;
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE], next[16];

    printf("%5zu %9s%c %9s to %-9s %8.3f %10s  %s\n", i + 1,
           gcal_units(p->time_s, "s", time), p->extrapolates ? '*' : ' ',
           gcal_units(p->low_s, "s", low), gcal_units(p->high_s, "s", high),
           p->time_s / r->variants[0].prediction.time_s,
           percent(r->variants[i].faster_than_next, next), name);
}

static void print_end(const struct gcal_order *r)
{
    char probability[16];
    bool marked = false;

    for (size_t i = 0; i < r->n; i++)
        marked = marked || r->variants[i].prediction.extrapolates;
    if (marked)
        printf("* outside the calibrated range\n");
    if (r->n > 1)
        printf("probability that the first is the fastest: %s\n",
               percent(r->fastest, probability));
}

static int print_rows(const struct gcal_order *r, const char *const *names,
                      struct gcal_error *err)
{
    char *shared = gcal_kernel_names_shared(r->n, names, err);

    if (!shared)
        return -1;
    printf("%s on node %s, model %s%s%s\n", r->device, r->node, r->model,
           r->n > 1 && *shared ? ": " : "", r->n > 1 ? shared : "");
    printf("%5s %10s %22s %8s %10s\n", "", "predicted", "90 % interval", "ratio to",
           "faster");
    printf("%5s %10s %22s %8s %10s  %s\n", "place", "time", "low to high  ", "fastest",
           "than next", "variant");
    free(shared);
    for (size_t i = 0; i < r->n; i++) {
        char *name = gcal_kernel_name_distinct(names[i], r->n, names, err);

        if (!name)
            return -1;
        print_variant(r, i, name);
        free(name);
    }
    print_end(r);
    return 0;
}

int gcal_order_print(const struct gcal_order *r, struct gcal_error *err)
{
    const char **names = calloc(r->n + 1, sizeof(*names));
    int rc;

    if (!names)
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        names[i] = r->variants[i].name;
    rc = print_rows(r, names, err);
    free(names);
    return rc;
}

static json_t *variant_json(const struct gcal_order *r, size_t i)
{
    const struct gcal_order_variant *v = &r->variants[i];
    const struct gcal_prediction *p = &v->prediction;
    json_t *sizes = json_object(), *next = json_null();

    for (size_t k = 0; k < v->target.profile->n_parameters; k++)
        json_object_set_new(sizes, v->target.profile->parameters[k],
                            json_real(v->target.sizes[k]));
    if (!isnan(v->faster_than_next))
        next = json_real(v->faster_than_next);
    return json_pack("{s:I, s:s, s:o, s:f, s:f, s:f, s:f, s:b, s:f, s:o}", "place",
                     (json_int_t)i + 1, "variant", v->name, "sizes", sizes, "time_s",
                     p->time_s, "standard_error_s", p->standard_error_s, "low_s",
                     p->low_s, "high_s", p->high_s, "extrapolates", p->extrapolates,
                     "times_fastest", p->time_s / r->variants[0].prediction.time_s,
                     "probability_faster_than_next", next);
}

int gcal_order_print_json(const struct gcal_order *r, struct gcal_error *err)
{
    json_t *variants = json_array(), *all;

    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(variants, variant_json(r, i));
    all = json_pack("{s:s, s:s, s:s, s:o, s:f}", "node", r->node, "device", r->device,
                    "model", r->model, "variants", variants,
                    "probability_first_is_fastest", r->fastest);
    if (!all)
        return gcal_error_memory(err);
    gcal_json_print(all);
    json_decref(all);
    return 0;
}
