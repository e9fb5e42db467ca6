/* known.c - the kernels that a model has all costs of
 *
 * A cost of a component is the cost of one kernel; and of a kernel that the model was
 * fitted to as a whole, no work is left out.  The parameter file lists these kernels by
 * their fingerprints, and those among them that the model is made to predict.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "calib/results/private.h"

static const char *generator_of(const struct gcal_run_kernel *kernel)
{
    const char *origin = kernel->origin.generator;

    return origin && *origin ? origin : kernel->generator;
}

bool gcal_result_uses_model(const struct gcal_run_kernel *kernel, const char *model)
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

/* The tag of the kernel's components, if the model has a cost of one. */
static const char *component_of(const struct gcal_profile *profile,
                                const struct gcal_model *model)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        for (size_t k = 0;
             gcal_feature_is_component(profile->entries[i].kind) && k < model->n_features;
             k++)
            if (strcmp(model->features[k], profile->entries[i].feature) == 0)
                return profile->entries[i].tag;
    return NULL;
}

static int add_kernel(struct gcal_result_type_fit *t, const struct gcal_record *record,
                      const struct gcal_run_kernel *kernel,
                      const struct gcal_model *model, struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_run_kernel_profile(kernel, err);
    struct gcal_params_model so_far = { .known = t->known, .n_known = t->n_known };
    const char *component, *fingerprint;

    if (!profile)
        return -1;
    component = component_of(profile, model);
    fingerprint = gcal_profile_identity(profile);
    if ((component ||
         (kernel->origin.form == GCAL_KERNEL_COMPLETE &&
          (gcal_kernel_uses_have(&kernel->uses, model->name, GCAL_KERNEL_FITTED) ||
           gcal_kernel_uses_have(&kernel->uses, model->name, GCAL_KERNEL_TARGET)))) &&
        fingerprint && !gcal_params_find_kernel(&so_far, fingerprint))
        t->known[t->n_known++] = (struct gcal_params_kernel){
            .name = gcal_arena_strdup(t->arena, generator_of(kernel)),
            .component = component ? gcal_arena_strdup(t->arena, component) : NULL,
            .fingerprint = gcal_arena_strdup(t->arena, fingerprint),
            .target = is_target(record, generator_of(kernel), model->name)
        };
    gcal_profile_destroy(profile);
    return 0;
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

/* 1 with the kernel's proportions in t->stands_for; 0 if it shows none; -1. */
static int add_proportions(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_model *model, size_t row,
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
        rc = gcal_binding_add_proportions(binding, kernel->size_values, row,
                                          &t->stands_for, err);
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
    return rc;
}

GCAL_ARENA_DESTROYER(clear_proportions, gcal_proportions_clear)

int gcal_result_find_known(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config, struct gcal_error *err)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_strings seen = { 0 }; /* kernels of a variant have the same counts */
    int rc = 0;

    if (!t->good)
        return 0;
    t->known = gcal_arena_alloc(t->arena, record->n_kernels, sizeof(*t->known));
    for (size_t i = 0; i < record->n_kernels && rc == 0; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];

        if (gcal_result_uses_model(kernel, model->name) &&
            !gcal_strings_contain(&seen, kernel->variant) &&
            (rc = gcal_strings_add(&seen, kernel->variant, err)) == 0)
            rc = add_kernel(t, record, kernel, model, err);
    }
    gcal_strings_clear(&seen);
    if (rc < 0)
        return -1;
    qsort(t->known, t->n_known, sizeof(*t->known), compare);
    /* What all kernels had that the form was fitted to. */
    gcal_arena_own(t->arena, &t->stands_for, clear_proportions);
    rc = 1;
    for (size_t i = 0; i < t->n_rows && rc > 0; i++)
        if (!i || t->row_kernel[i] != t->row_kernel[i - 1])
            rc = add_proportions(t, record, model, i, err);
    if (rc <= 0)
        gcal_proportions_clear(&t->stands_for);
    return rc < 0 ? -1 : 0;
}
