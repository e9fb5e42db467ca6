/* quantity.c - parameters and rates of a device, as lists */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/facts/facts.h"
#include "store/lib/private.h"
#include "store/predict/predictor.h"

struct gpucal_quantities {
    size_t count;
    struct gpucal_quantity *items;
    char **names; /* of parameters: 'items' borrow them */
    char **units;
};

static struct gpucal_quantities *create(size_t count, struct gcal_error *err)
{
    struct gpucal_quantities *q = calloc(1, sizeof(*q));

    if (q && (q->items = calloc(count + 1, sizeof(*q->items))) &&
        (q->names = calloc(count + 1, sizeof(*q->names))) &&
        (q->units = calloc(count + 1, sizeof(*q->units)))) {
        q->count = count;
        return q;
    }
    gpucal_quantities_close(q);
    gcal_error_memory(err);
    return NULL;
}

API size_t gpucal_quantities_count(const struct gpucal_quantities *quantities)
{
    return quantities ? quantities->count : 0;
}

API const struct gpucal_quantity *
gpucal_quantities_item(const struct gpucal_quantities *quantities, size_t i)
{
    return quantities && i < quantities->count ? &quantities->items[i] : NULL;
}

API void gpucal_quantities_close(struct gpucal_quantities *quantities)
{
    if (!quantities)
        return;
    for (size_t i = 0; i < quantities->count; i++) {
        free(quantities->names[i]);
        free(quantities->units[i]);
    }
    free(quantities->names);
    free(quantities->units);
    free(quantities->items);
    free(quantities);
}

/* ---- parameters ---- */

static int fill_parameters(struct gpucal_quantities *q, const struct gcal_params_model *m,
                           struct gcal_error *err)
{
    for (size_t i = 0; i < q->count; i++) {
        double factor = strcmp(m->unit[i], "s") == 0 ? m->factor : 1;

        if (!(q->names[i] = strdup(m->parameter[i])) ||
            !(q->units[i] = strdup(m->unit[i])))
            return gcal_error_memory(err);
        q->items[i] = (struct gpucal_quantity){
            .name = q->names[i],
            .unit = q->units[i],
            .value = factor * m->value[i],
            .standard_error = factor * m->standard_error[i],
        };
    }
    return 0;
}

static const struct gcal_params_model *
find_model(const struct gcal_params_device *d, const char *name, struct gcal_error *err)
{
    const struct gcal_params_model *general;

    if (name)
        return gcal_predictor_choose(d, name, 0, NULL, err);
    if (!(general = gcal_predictor_find_general(d))) {
        gcal_error_set(
            err, GCAL_EINPUT,
            "device %s has no general model: give the name of one of its models",
            d->info.uid);
        gcal_error_because(err, GCAL_REASON_MODEL);
        return NULL;
    }
    return gcal_predictor_choose(d, NULL, 0, NULL, err); /* that, unless it is poor */
}

static struct gpucal_quantities *list_parameters(const struct gcal_params_device *d,
                                                 const char *name, struct gcal_error *err)
{
    const struct gcal_params_model *m = find_model(d, name, err);
    struct gpucal_quantities *q = m ? create(m->n_parameters, err) : NULL;

    if (!q || fill_parameters(q, m, err) == 0)
        return q;
    gpucal_quantities_close(q);
    return NULL;
}

/* ---- rates ---- */

/* Texts of facts are constants. */
static struct gpucal_quantities *list_facts(const struct gcal_params_device *d,
                                            const char *unused, struct gcal_error *err)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(d, facts);
    struct gpucal_quantities *q = create(n, err);

    (void)unused;
    for (size_t i = 0; i < n && q; i++)
        q->items[i] = (struct gpucal_quantity){ .name = facts[i].key,
                                                .unit = facts[i].unit,
                                                .text = facts[i].text,
                                                .value = facts[i].value,
                                                .standard_error = facts[i].error };
    return q;
}

/* ---- from a device ---- */

typedef struct gpucal_quantities *make_list(const struct gcal_params_device *device,
                                            const char *model, struct gcal_error *err);

/* With the device's models decoded. */
static struct gpucal_quantities *list(const struct gpucal_device *device,
                                      const char *model, make_list *make,
                                      struct gpucal_error *err)
{
    struct gcal_params_device decoded = { 0 };
    struct gpucal_quantities *q = NULL;
    struct gcal_error e = { 0 };

    if (gcal_params_index_models(device->index, device->at, NULL, &decoded, &e) < 0)
        gcal_error_because(&e, GCAL_REASON_FILE);
    else
        q = make(&decoded, model, &e);
    gcal_params_index_models_clear(&decoded);
    if (!q)
        gpucal_error_from(err, &e);
    return q;
}

API struct gpucal_quantities *gpucal_device_parameters(const struct gpucal_device *device,
                                                       const char *model,
                                                       struct gpucal_error *err)
{
    return GIVEN(err, device) ? list(device, model, list_parameters, err) : NULL;
}

API struct gpucal_quantities *gpucal_device_facts(const struct gpucal_device *device,
                                                  struct gpucal_error *err)
{
    return GIVEN(err, device) ? list(device, NULL, list_facts, err) : NULL;
}
