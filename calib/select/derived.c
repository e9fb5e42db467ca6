/* derived.c - measurement kernels derived from others by removing work */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"

static bool has_feature(const struct gcal_model *model, const char *kind, const char *tag)
{
    char *name = gcal_buf_format("%s_tag:%s", kind, tag);
    bool found = false;

    for (size_t i = 0; name && i < model->n_features && !found; i++)
        found = strcmp(model->features[i], name) == 0;
    free(name);
    return found;
}

/* The forms of derived kernels that identify the model's costs. */
struct wanted {
    bool memory, onchip, loads;
};

static struct wanted wanted_of(const struct gcal_model *costs, bool loads,
                               const struct gcal_profile *profile)
{
    struct wanted w = { .loads = loads };

    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if (!e->tag)
            continue;
        if (e->kind == GCAL_FEATURE_MEMORY)
            w.memory = w.memory || has_feature(costs, "f_memory", e->tag);
        else if (e->kind == GCAL_FEATURE_ONCHIP)
            w.onchip = w.onchip || has_feature(costs, "f_onchip", e->tag);
        else if (e->kind == GCAL_FEATURE_MEM_ACCESS &&
                 e->space == GCAL_FEATURE_SPACE_GLOBAL &&
                 e->direction == GCAL_FEATURE_LOAD)
            w.loads = w.loads || has_feature(costs, "f_mem_access", e->tag);
    }
    return w;
}

bool gcal_select_find_derived(const struct gcal_catalogue *catalogue,
                              const struct gcal_kernel *kernel,
                              enum gcal_kernel_form form,
                              struct gcal_generator_view *view)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        *view = gcal_catalogue_view(catalogue, i);
        if (view->form == form && view->origin &&
            strcmp(view->origin, kernel->generator) == 0)
            return true;
    }
    return false;
}

/* The tag set of the derived kernels of that form, if there are any. */
static int add_derived(const struct gcal_catalogue *catalogue,
                       const struct gcal_kernel *kernel, enum gcal_kernel_form form,
                       const char *more, struct gcal_config_model *m,
                       struct gcal_error *err)
{
    struct gcal_generator_view view;

    if (!gcal_select_find_derived(catalogue, kernel, form, &view))
        return 0;
    return gcal_select_add_tag_set(catalogue, &view, kernel->family, more, m, err);
}

static int add_all_derived(const struct gcal_catalogue *catalogue,
                           const struct wanted *wanted, const struct gcal_kernel *kernel,
                           struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_generator_view view;
    /* If not all accesses can be kept in place, the kernel with all loads replaces them.
     */
    bool in_place =
        gcal_select_find_derived(catalogue, kernel, GCAL_KERNEL_MEMORY, &view);
    const struct {
        enum gcal_kernel_form form;
        const char *more;
        bool wanted;
    } forms[] = {
        { GCAL_KERNEL_MEMORY, NULL, wanted->memory || wanted->loads }, /* stores, too */
        { GCAL_KERNEL_ONCHIP, NULL, wanted->onchip },
        { GCAL_KERNEL_LOADS, "keep:each", wanted->loads },
        { GCAL_KERNEL_LOADS, "keep:all", wanted->loads || (wanted->memory && !in_place) },
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (forms[i].wanted &&
            add_derived(catalogue, kernel, forms[i].form, forms[i].more, m, err) < 0)
            return -1;
    return 0;
}

int gcal_select_add_derived(const struct gcal_catalogue *catalogue,
                            const struct gcal_model *costs, bool loads,
                            const struct gcal_kernel_list *kernels,
                            struct gcal_config_model *m, struct gcal_error *err)
{
    const char *family = "";

    for (size_t i = 0; i < kernels->n_kernels; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct wanted wanted;

        if (strcmp(kernel->family, family) == 0)
            continue;
        family = kernel->family;
        wanted = wanted_of(costs, loads, kernel->profile);
        if (add_all_derived(catalogue, &wanted, kernel, m, err) < 0)
            return -1;
    }
    return 0;
}
