/* binding_needs.c - what a kernel's launch needs of a device */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/expr.h"

/* Arithmetic needs the type.  Half is a storage type that every device has; double is none. */
static bool needs_dtype(const struct gcal_profile *profile, const char *dtype,
                        bool by_accesses)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if ((e->kind == GCAL_FEATURE_OP ||
             (by_accesses && e->kind == GCAL_FEATURE_MEM_ACCESS)) &&
            e->dtype && strcmp(e->dtype, dtype) == 0)
            return true;
    }
    return false;
}

int gcal_binding_find_needs(struct gcal_binding *b, const struct gcal_profile *profile,
                            struct gcal_error *err)
{
    b->needs =
        (struct gcal_needs){ .work_group_size = profile->n_dims > 0,
                             .local_memory_bytes = gcal_profile_local_bytes(profile),
                             .fp16 = needs_dtype(profile, "float16", false),
                             .fp64 = needs_dtype(profile, "float64", true) };
    for (size_t d = 0; d < profile->n_dims; d++)
        b->needs.work_group_size *= (double)profile->local_size[d];
    b->arguments = calloc(profile->n_arguments + 1, sizeof(struct gcal_expr *));
    b->local = calloc(profile->n_arguments + 1, sizeof(*b->local));
    if (!b->arguments || !b->local)
        return gcal_error_memory(err);
    for (size_t i = 0; i < profile->n_arguments; i++, b->n_arguments++) {
        b->local[i] = profile->arguments[i].space == GCAL_FEATURE_SPACE_LOCAL;
        if (!(b->arguments[i] = gcal_binding_parse(b, profile->arguments[i].bytes, err)))
            return -1;
    }
    return 0;
}

void gcal_binding_clear_needs(struct gcal_binding *b)
{
    for (size_t i = 0; i < b->n_arguments; i++)
        gcal_expr_destroy(b->arguments[i]);
    free(b->arguments);
    free(b->local);
}
