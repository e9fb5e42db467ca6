/* known.c - the kernels that a model has all costs of
 *
 * A cost of a component is the cost of one kernel; and of a kernel that the model was
 * fitted to as a whole, no work is left out.  The parameter file lists these kernels by
 * their fingerprints, and those among them that the model is made to predict.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "calib/results/private.h"

static const char *generator_of(const struct gcal_run_kernel *kernel)
{
    const char *origin = kernel->origin.generator;

    return origin && *origin ? origin : kernel->generator;
}

static bool is_used(const struct gcal_run_kernel *kernel, const char *model)
{
    bool used = false;

    for (size_t i = 0; i < kernel->uses.n; i++)
        used = used || strcmp(kernel->uses.items[i].model, model) == 0;
    return used;
}

/* Models are fitted to components of their target kernels and never to these kernels as a
 * whole, except in the tailored form, where they have their own role.
 */
static bool is_target(const struct gcal_record *record, const char *generator,
                      const char *model)
{
    for (size_t i = 0; i < record->n_kernels; i++) {
        const struct gcal_run_kernel *k = &record->kernels[i];

        if (k->origin.form == GCAL_KERNEL_COMPLETE &&
            strcmp(k->generator, generator) == 0 &&
            gcal_kernel_uses_have(&k->uses, model, GCAL_KERNEL_FITTED))
            return false;
    }
    return true;
}

static bool is_fitted_whole(const struct gcal_run_kernel *kernel, const char *model)
{
    return kernel->origin.form == GCAL_KERNEL_COMPLETE &&
           (gcal_kernel_uses_have(&kernel->uses, model, GCAL_KERNEL_FITTED) ||
            gcal_kernel_uses_have(&kernel->uses, model, GCAL_KERNEL_TARGET));
}

static bool has_feature(const struct gcal_model *model, const char *feature)
{
    for (size_t i = 0; i < model->n_features; i++)
        if (strcmp(model->features[i], feature) == 0)
            return true;
    return false;
}

/* The tag of the kernel's components, if the model has a cost of one. */
static const char *component_of(const struct gcal_profile *profile,
                                const struct gcal_model *model)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        if (gcal_feature_is_component(profile->entries[i].kind) &&
            has_feature(model, profile->entries[i].feature))
            return profile->entries[i].tag;
    return NULL;
}

static int add(const struct gcal_record *record, const struct gcal_run_kernel *kernel,
               const char *component, const char *fingerprint,
               struct gcal_params_model *p, struct gcal_error *err)
{
    struct gcal_params_kernel *k = &p->known[p->n_known++];

    k->name = strdup(generator_of(kernel));
    k->component = component ? strdup(component) : NULL;
    k->fingerprint = strdup(fingerprint);
    if (!k->name || (component && !k->component) || !k->fingerprint)
        return gcal_error_memory(err);
    k->target = is_target(record, k->name, p->name);
    return 0;
}

/* Records of earlier versions have no fingerprints. */
static int add_kernel(const struct gcal_record *record,
                      const struct gcal_run_kernel *kernel,
                      const struct gcal_model *model, struct gcal_params_model *p,
                      struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_run_kernel_profile(kernel, err);
    const char *component, *fingerprint;
    int rc = 0;

    if (!profile)
        return -1;
    component = component_of(profile, model);
    fingerprint = gcal_profile_identity(profile);
    if ((component || is_fitted_whole(kernel, p->name)) && fingerprint &&
        !gcal_params_find_kernel(p, fingerprint))
        rc = add(record, kernel, component, fingerprint, p, err);
    gcal_profile_destroy(profile);
    return rc;
}

/* Targets first, kernels of one name next to each other. */
static int compare(const void *a, const void *b)
{
    const struct gcal_params_kernel *x = a, *y = b;
    int order = (int)y->target - (int)x->target;

    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0 && x->component && y->component)
        order = strcmp(x->component, y->component);
    return order ? order : strcmp(x->fingerprint, y->fingerprint);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep(void *name)
{
    (void)name;
}

/* 1 if no kernel of the same variant was seen, which has the same counts. */
static int is_new(void **seen, const struct gcal_run_kernel *kernel,
                  struct gcal_error *err)
{
    if (tfind(kernel->variant, seen, compare_names))
        return 0;
    return tsearch(kernel->variant, seen, compare_names) ? 1 : gcal_error_memory(err);
}

/* Of the kernels of p->name. */
static int set_known(const struct gcal_record *record, const struct gcal_model *model,
                     struct gcal_params_model *p, struct gcal_error *err)
{
    size_t n = record->n_kernels;
    void *seen = NULL;
    int rc = 0;

    if (!(p->known = calloc(n + 1, sizeof(*p->known))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];

        if (!is_used(kernel, p->name))
            continue;
        if ((rc = is_new(&seen, kernel, err)) > 0)
            rc = add_kernel(record, kernel, model, p, err);
    }
    tdestroy(seen, keep);
    qsort(p->known, p->n_known, sizeof(*p->known), compare);
    return rc < 0 ? -1 : 0;
}

void gcal_result_known_free(struct gcal_params_kernel *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(known[i].name);
        free(known[i].component);
        free(known[i].fingerprint);
    }
    free(known);
}

/* 1 with the kernel's proportions in t->stands_for; 0 if it shows none; -1. */
static int add_proportions(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_model *model, size_t row, size_t n_before,
                           struct gcal_error *err)
{
    const struct gcal_run_kernel *kernel = &record->kernels[t->row_kernel[row]];
    const struct gcal_binding_device device =
        gcal_device_info_facts(&record->devices[t->row_device[row]].info);
    const struct gcal_binding_subject subject = { .model = model,
                                                  .parameters =
                                                      t->forms[t->best].fit.value };
    struct gcal_profile *profile = gcal_run_kernel_profile(kernel, err);
    struct gcal_binding *binding = NULL;
    int rc = -1;

    if (profile && component_of(profile, model))
        rc = 0;
    else if (profile &&
             (binding = gcal_binding_create_for(profile, &subject, &device, err)))
        rc = gcal_binding_add_proportions(binding, kernel->size_values, n_before,
                                          &t->stands_for, err);
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
    return rc;
}

/* What all kernels had that the form was fitted to. */
static int find_proportions(struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_model *model, struct gcal_error *err)
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    int rc = 1;

    for (size_t i = 0; i < f->n_rows && rc > 0; i++)
        if (!i || t->row_kernel[f->row[i]] != t->row_kernel[f->row[i - 1]])
            rc = add_proportions(t, record, model, f->row[i], i, err);
    if (rc <= 0)
        gcal_proportions_clear(&t->stands_for);
    return rc < 0 ? -1 : 0;
}

int gcal_result_find_known(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config, struct gcal_error *err)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_params_model p = { .name = model->name };
    int rc;

    if (!t->good)
        return 0;
    rc = set_known(record, model, &p, err);
    t->known = p.known;
    t->n_known = p.n_known;
    return rc < 0 ? -1 : find_proportions(t, record, model, err);
}
