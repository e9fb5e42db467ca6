/* collect.c - several runs as one record, in memory */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "store/record/private.h"

/* A kernel in the tree of a record. */
struct known_kernel {
    size_t index;
    uint64_t sub_group_size;
    const char *id; /* the record's */
};

static int compare_known(const void *a, const void *b)
{
    const struct known_kernel *x = a, *y = b;

    if (x->sub_group_size != y->sub_group_size)
        return x->sub_group_size < y->sub_group_size ? -1 : 1;
    return strcmp(x->id, y->id);
}

void gcal_record_collected_clear(struct gcal_record *record)
{
    for (size_t i = 0; i < record->n_measurements && record->rest->collected; i++)
        free(record->rest->collected[i].detail);
    free(record->rest->collected);
    tdestroy(record->rest->known_kernels, free);
}

/* ---- runs ---- */

static int copy_text(char **to, const char *from)
{
    if (from && !(*to = strdup(from)))
        return -1;
    return 0;
}

/* A run that is not in a store yet is newer than all that are. */
static bool is_newer(const struct gcal_record_header *a,
                     const struct gcal_record_header *b)
{
    if (a->in_store != b->in_store)
        return b->in_store;
    return strcmp(a->started_utc, b->started_utc) > 0;
}

int gcal_record_add_run(struct gcal_record *record,
                        const struct gcal_record_header *header, struct gcal_error *err)
{
    struct gcal_record_header *run = gcal_record_new_run(record, err);
    struct gcal_record_header *to;

    if (!run)
        return -1;
    /* 'to' is the caller's to clear, after -1, too. */
    to = run;
    *to = (struct gcal_record_header){ .seed = header->seed,
                                       .n_ranks = header->n_ranks,
                                       .simulated = header->simulated,
                                       .in_store = header->in_store };
    if (copy_text(&to->run_id, header->run_id) < 0 ||
        copy_text(&to->started_utc, header->started_utc) < 0 ||
        copy_text(&to->finished_utc, header->finished_utc) < 0 ||
        copy_text(&to->gpucal_version, header->gpucal_version) < 0 ||
        copy_text(&to->launcher, header->launcher) < 0 ||
        copy_text(&to->config, header->config) < 0 ||
        copy_text(&to->config_file, header->config_file) < 0 ||
        copy_text(&to->catalogue, header->catalogue) < 0)
        return gcal_error_memory(err);
    if (gcal_catalogue_files_copy(&to->catalogue_files, &header->catalogue_files, err) <
        0)
        return -1;
    if (!record->header || is_newer(run, record->header))
        record->header = run;
    return 0;
}

/* ---- devices ---- */

int gcal_record_add_device(struct gcal_record *record,
                           const struct gcal_run_device *device, struct gcal_error *err)
{
    struct gcal_record_rest *rest = record->rest;
    size_t n = record->n_devices, capacity = rest->device_capacity;
    const struct gcal_record_header **runs;
    struct gcal_run_device *grown =
        gcal_array_grow(record->devices, n, &rest->device_capacity, sizeof(*grown), err);
    struct gcal_run_device *to;

    if (!grown)
        return -1;
    record->devices = grown;
    runs = gcal_array_grow(record->device_run, n, &capacity, sizeof(*runs), err);
    if (!runs)
        return -1;
    record->device_run = runs;
    runs[n] = rest->runs[rest->n_runs - 1];
    record->n_devices++;
    to = &grown[n];
    *to = (struct gcal_run_device){ .shared_error = device->shared_error };
    return gcal_fields_copy(gcal_run_device_fields, to, device, err) < 0 ||
                   gcal_device_info_copy(&to->info, &device->info, err) < 0
               ? -1
               : 0;
}

void gcal_record_set_kept(struct gcal_record *record, size_t i, char *kept)
{
    free(record->devices[i].kept);
    record->devices[i].kept = kept;
}

/* ---- kernels ---- */

static int add_new_kernel(struct gcal_record *record,
                          const struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    struct gcal_run_kernel bare = *kernel;
    struct gcal_run_kernel *grown =
        gcal_array_grow(record->kernels, record->n_kernels,
                        &record->rest->kernel_capacity, sizeof(*grown), err);
    size_t index;
    struct known_kernel *known;

    if (!grown)
        return -1;
    record->kernels = grown;
    bare.source = "";
    if (gcal_run_kernel_copy(&grown[record->n_kernels], &bare, err) < 0)
        return -1;
    /* The tree finds the new kernel. */
    index = record->n_kernels++;
    known = malloc(sizeof(*known));
    if (known)
        *known = (struct known_kernel){ index, record->kernels[index].sub_group_size,
                                        record->kernels[index].id };
    if (known && tsearch(known, &record->rest->known_kernels, compare_known))
        return 0;
    free(known);
    return gcal_error_memory(err);
}

int gcal_record_add_kernel(struct gcal_record *record,
                           const struct gcal_run_kernel *kernel, size_t *index,
                           struct gcal_error *err)
{
    const struct known_kernel wanted = { 0, kernel->sub_group_size, kernel->id };
    struct known_kernel **found =
        tfind(&wanted, &record->rest->known_kernels, compare_known);

    if (found) {
        *index = (*found)->index;
        for (size_t i = 0; i < kernel->uses.n; i++)
            if (gcal_kernel_uses_add(&record->kernels[*index].uses,
                                     kernel->uses.items[i].model,
                                     kernel->uses.items[i].role, err) < 0)
                return -1;
        return 0;
    }
    *index = record->n_kernels;
    return add_new_kernel(record, kernel, err);
}

/* ---- measurements ---- */

int gcal_record_add_measurement(struct gcal_record *record, size_t device, size_t kernel,
                                const struct gcal_measurement *m, struct gcal_error *err)
{
    struct gcal_record_collected *grown =
        gcal_array_grow(record->rest->collected, record->n_measurements,
                        &record->rest->collected_capacity, sizeof(*grown), err);

    if (!grown)
        return -1;
    record->rest->collected = grown;
    grown += record->n_measurements++;
    *grown = (struct gcal_record_collected){ .device = device,
                                             .kernel = kernel,
                                             .status = m->status,
                                             .n_samples = m->n_samples,
                                             .median_s = m->median_s,
                                             .spread = m->spread,
                                             .built = m->built };
    return copy_text(&grown->detail, m->detail) < 0 ? gcal_error_memory(err) : 0;
}

int gcal_record_collected_get(const struct gcal_record *record, size_t i,
                              struct gcal_measurement *m, struct gcal_error *err)
{
    const struct gcal_record_collected *from = &record->rest->collected[i];
    const struct gcal_run_device *device = &record->devices[from->device];

    *m = (struct gcal_measurement){ .node = strdup(device->node),
                                    .device_uid = strdup(device->info.uid),
                                    .kernel_id = strdup(record->kernels[from->kernel].id),
                                    .status = from->status,
                                    .n_samples = from->n_samples,
                                    .median_s = from->median_s,
                                    .spread = from->spread,
                                    .built = from->built };
    if (m->node && m->device_uid && m->kernel_id &&
        copy_text(&m->detail, from->detail) == 0)
        return 0;
    gcal_measurement_clear(m);
    return gcal_error_memory(err);
}

/* ---- lost ranks ---- */

int gcal_record_add_lost(struct gcal_record *record, const char *text,
                         struct gcal_error *err)
{
    char **grown = gcal_array_grow(record->lost, record->n_lost,
                                   &record->rest->lost_capacity, sizeof(*grown), err);

    if (!grown)
        return -1;
    record->lost = grown;
    grown[record->n_lost] = strdup(text);
    return grown[record->n_lost++] ? 0 : gcal_error_memory(err);
}

struct gcal_record_header *gcal_record_new_run(struct gcal_record *record,
                                               struct gcal_error *err)
{
    struct gcal_record_rest *rest = record->rest;
    struct gcal_record_header **grown = gcal_array_grow(
        rest->runs, rest->n_runs, &rest->run_capacity, sizeof(*grown), err);

    if (!grown)
        return NULL;
    rest->runs = grown;
    if (!(grown[rest->n_runs] = calloc(1, sizeof(**grown)))) {
        gcal_error_memory(err);
        return NULL;
    }
    return grown[rest->n_runs++];
}
