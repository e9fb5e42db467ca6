/* at.c - a user's kernel at given sizes, to be timed without a model */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/commands/own/own.h"

#define LIMIT_S 60.0

/* The value of own size 'i': from --set, else of the given name. */
static int find_value(const struct gcal_own_kernel *own, size_t i, size_t n,
                      const char *const *names, const double *values, double *value,
                      struct gcal_error *err)
{
    *value = own->sizes[i].fixed;
    for (size_t k = 0; k < n; k++)
        if (strcmp(names[k], own->sizes[i].name) == 0)
            *value = values[k];
    if (!isnan(*value))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "no value for '%s', on which a buffer depends (--set %s=VALUE)",
                          own->sizes[i].name, own->sizes[i].name);
}

int gcal_own_measure(const struct gcal_own_kernel *own, enum gcal_kernel_form form,
                     size_t n, const char *const *names, const double *values,
                     struct gcal_local_devices *devices, const char *uid,
                     struct gcal_timed *timed, struct gcal_error *err)
{
    double *sizes = gcal_arena_alloc(own->arena, own->n_sizes, sizeof(*sizes));
    struct gcal_kernel_list list = { 0 };
    int rc = 0;

    for (size_t i = 0; i < own->n_sizes && rc == 0; i++)
        rc = find_value(own, i, n, names, values, &sizes[i], err);
    if (rc == 0)
        rc = gcal_own_sizes_check(own, sizes, err);
    if (rc == 0) {
        struct gcal_own_description description = { .n_points = 1, .points = sizes };
        struct gcal_catalogue_files files = { 0 };
        struct gcal_catalogue *catalogue = NULL;

        rc = -1;
        description.derived[form] = form != GCAL_KERNEL_COMPLETE;
        if (gcal_own_kernel_describe(own, &description, &files, err) == 0 &&
            (catalogue = gcal_catalogue_open_with(&files, err)))
            rc = gcal_own_kernel_generate(own, catalogue, form, sizes, NULL, &list, err);
        gcal_catalogue_close(catalogue);
        gcal_catalogue_files_clear(&files);
    }
    if (rc == 0)
        rc = gcal_own_repeat(devices, uid, list.kernels[0], LIMIT_S, err);
    if (rc == 0)
        rc = gcal_local_device_measure(devices, uid, list.kernels[0], timed, err);
    gcal_kernel_list_clear(&list);
    return rc;
}
