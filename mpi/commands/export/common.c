/* common.c - nodes, devices and models of an export; quoting for shells */
#include <fnmatch.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "mpi/cli/local_device.h"
#include "mpi/commands/export/export.h"
#include "store/files/store.h"
#include "store/learned/learned.h"
#include "store/params/params.h"

int gcal_export_nodes(const struct gcal_export *e, char ***names, size_t *count,
                      struct gcal_error *err)
{
    char **all;
    size_t n;

    if (gcal_store_nodes(e->store, &all, &n, err) < 0)
        return -1;
    *names = gcal_arena_alloc(e->arena, n, sizeof(**names));
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (!e->nodes || fnmatch(e->nodes, all[i], 0) == 0)
            (*names)[(*count)++] = gcal_arena_strdup(e->arena, all[i]);
    gcal_strings_free(all, n);
    return *count ? 0
                  : gcal_error_set(err, GCAL_EINPUT,
                                   "none of the %zu published nodes matches %s", n,
                                   e->nodes ? e->nodes : "*");
}

/* The first model that is made for no kernel in particular, decoding as few as possible. */
static int find_general(struct gcal_params_index *index, size_t device,
                        struct gcal_params_device *out, struct gcal_error *err)
{
    const struct gcal_params_device *d =
        &gcal_params_index_devices(index)->devices[device];

    for (size_t i = 0; i < d->n_models; i++) {
        if (gcal_params_index_models(index, device, d->models[i].name, out, err) < 0)
            return -1;
        if (d->n_models == 1 || gcal_params_model_is_general(&out->models[0]))
            return 0;
        gcal_params_index_models_clear(out);
    }
    return gcal_params_index_models(index, device, "", out, err); /* none */
}

int gcal_export_add_learned(const struct gcal_export *e, const char *node,
                            const struct gcal_profile *profile,
                            struct gcal_params_device *device, struct gcal_error *err)
{
    return !e->model && gcal_learned_add(e->store, node, profile, device, err) < 0 ? -1
                                                                                   : 0;
}

int gcal_export_models(const struct gcal_export *e, struct gcal_params_index *index,
                       size_t device, struct gcal_params_device *out,
                       struct gcal_error *err)
{
    *out = (struct gcal_params_device){ 0 };
    return e->model || e->n_kernels
               ? gcal_params_index_models(index, device, e->model, out, err)
               : find_general(index, device, out, err);
}

bool gcal_export_matches(const struct gcal_export *e,
                         const struct gcal_params_device *device)
{
    return gcal_local_device_matches(&device->info, e->device ? 1 : 0, &e->device);
}

void gcal_export_quote(struct gcal_buf *buf, const char *text)
{
    gcal_buf_puts(buf, "'");
    for (; *text; text++)
        if (*text == '\'')
            gcal_buf_puts(buf, "'\\''");
        else
            gcal_buf_put(buf, text, 1);
    gcal_buf_puts(buf, "'");
}
