/* profiles.c - a space whose configurations are counted kernels, from files */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/predict/order.h"
#include "mpi/commands/tune/private.h"

/* The file, before the names of sizes. */
#define FILE_PARAMETER "profile"

/* The targets of n files, and their values by parameter. */
struct reading {
    size_t n;
    struct gcal_predict_target *files;
    struct gcal_strings parameters, *values;
};

static int read_files(struct reading *r, const struct gcal_option_list *files,
                      const struct gcal_option_list *ats,
                      const struct gcal_params_device *device,
                      struct gcal_tune_space *space, struct gcal_error *err)
{
    size_t n_points = 0;

    if (!(r->files = calloc(files->n, sizeof(*r->files))))
        return gcal_error_memory(err);
    if (gcal_strings_add(&r->parameters, FILE_PARAMETER, err) < 0)
        return -1;
    for (; r->n < files->n; r->n++) {
        struct gcal_predict_target *target = &r->files[r->n];

        if (gcal_predict_target_read(target, files->items[r->n], device, ats, err) < 0) {
            r->n++; /* to be cleared */
            return -1;
        }
        n_points += target->points.n;
        for (size_t i = 0; i < target->profile->n_parameters; i++)
            if (gcal_strings_include(&r->parameters, target->profile->parameters[i], err) <
                0)
                return -1;
    }
    r->values = calloc(r->parameters.n, sizeof(*r->values));
    space->configs = calloc(n_points, sizeof(*space->configs));
    return r->values && space->configs ? 0 : gcal_error_memory(err);
}

/* The value of a parameter at a point of a file; the caller's to free. */
static char *value_text(const struct gcal_predict_target *at, const char *file,
                        const char *parameter)
{
    if (strcmp(parameter, FILE_PARAMETER) == 0)
        return strdup(file);
    for (size_t i = 0; i < at->profile->n_parameters; i++)
        if (strcmp(at->profile->parameters[i], parameter) == 0)
            return gcal_buf_format("%.15g", at->sizes[i]);
    return strdup(GCAL_TUNE_NO_VALUE);
}

static int add_config(struct reading *r, const char *file,
                      const struct gcal_predict_target *at,
                      struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_tune_config *config = &space->configs[space->n_configs++];
    int rc = 0;

    if (!(config->values = calloc(r->parameters.n, sizeof(*config->values))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->parameters.n && rc == 0; i++) {
        char *text = value_text(at, file, r->parameters.items[i]);

        rc = text ? gcal_strings_include(&r->values[i], text, err)
                  : gcal_error_memory(err);
        if (rc == 0)
            config->values[i] = gcal_strings_find(&r->values[i], text);
        free(text);
    }
    return rc;
}

static int add_configs(struct reading *r, const struct gcal_option_list *files,
                       struct gcal_tune_space *space, struct gcal_order *order,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].points.n; k++) {
            struct gcal_order_variant *v = gcal_order_add(order, err);

            if (!v || gcal_predict_target_at(&v->target, &r->files[i], k, err) < 0 ||
                add_config(r, files->items[i], &v->target, space, err) < 0)
                return -1;
        }
    return 0;
}

/* Moves the values, and names kernel and configurations by them. */
static int take_parameters(struct reading *r, struct gcal_tune_space *space,
                           struct gcal_error *err)
{
    const char *kernel = r->files[0].profile->kernel;

    for (size_t i = 1; i < r->n; i++)
        if (strcmp(r->files[i].profile->kernel, kernel) != 0)
            kernel = "kernels";
    if (!(space->kernel = strdup(kernel)) ||
        !(space->parameters = calloc(r->parameters.n, sizeof(*space->parameters))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->parameters.n; i++) {
        space->parameters[space->n_parameters++] =
            (struct gcal_tune_parameter){ .name = r->parameters.items[i],
                                          .n_values = r->values[i].n,
                                          .values = r->values[i].items };
        r->parameters.items[i] = NULL;
        r->values[i] = (struct gcal_strings){ 0 };
    }
    for (size_t i = 0; i < space->n_configs; i++)
        if (gcal_tune_name_config(space, &space->configs[i], err) < 0)
            return -1;
    return 0;
}

int gcal_tune_space_open_profiles(const struct gcal_option_list *files,
                                  const struct gcal_option_list *ats, const char *node,
                                  const struct gcal_params_device *device,
                                  const char *model, struct gcal_tune_space *space,
                                  struct gcal_error *err)
{
    struct gcal_order order = { .model = model };
    struct reading r = { 0 };
    int rc;

    *space = (struct gcal_tune_space){ .node = strdup(node),
                                       .device = strdup(device->info.name) };
    rc = space->node && space->device ? read_files(&r, files, ats, device, space, err)
                                      : gcal_error_memory(err);
    if (rc == 0)
        rc = add_configs(&r, files, space, &order, err);
    if (rc == 0)
        rc = take_parameters(&r, space, err);
    if (rc == 0)
        rc = gcal_tune_space_rank(space, &order, device, err);
    gcal_order_clear(&order);
    for (size_t i = 0; i < r.n; i++)
        gcal_predict_target_clear(&r.files[i]);
    for (size_t i = 0; r.values && i < r.parameters.n; i++)
        gcal_strings_clear(&r.values[i]);
    gcal_strings_clear(&r.parameters);
    free(r.values);
    free(r.files);
    return rc;
}
