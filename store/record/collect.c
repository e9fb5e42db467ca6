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

/* ---- runs ---- */

/* Copies the texts of an object, which is a copy of another one otherwise. */
static void copy_fields(struct gcal_arena *arena, const struct gcal_field *fields,
                        void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++) {
        char **text = (void *)((char *)object + f->offset);

        if ((f->type == GCAL_FIELD_TEXT || f->type == GCAL_FIELD_OPTIONAL_TEXT) && *text)
            *text = gcal_arena_strdup(arena, *text);
    }
}

/* A run that is not in a store yet is newer than all that are. */
static bool is_newer(const struct gcal_record_header *a,
                     const struct gcal_record_header *b)
{
    if (a->in_store != b->in_store)
        return b->in_store;
    return strcmp(a->started_utc, b->started_utc) > 0;
}

void gcal_record_add_run(struct gcal_record *record,
                         const struct gcal_record_header *header)
{
    struct gcal_arena *arena = record->rest->arena;
    struct gcal_record_header *run = gcal_arena_alloc(arena, 1, sizeof(*run));
    char **texts[] = { &run->run_id,         &run->started_utc, &run->finished_utc,
                       &run->gpucal_version, &run->launcher,    &run->config,
                       &run->config_file,    &run->catalogue };
    struct gcal_catalogue_files *files = &run->catalogue_files;

    *run = *header;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (*texts[i])
            *texts[i] = gcal_arena_strdup(arena, *texts[i]);
    files->items = gcal_arena_alloc(arena, files->n, sizeof(*files->items));
    for (size_t i = 0; i < files->n; i++) {
        files->items[i] = header->catalogue_files.items[i];
        copy_fields(arena, gcal_catalogue_file_fields, &files->items[i]);
    }
    record->rest->run = run;
    if (!record->header || is_newer(run, record->header))
        record->header = run;
}

/* ---- devices ---- */

void gcal_record_add_device(struct gcal_record *record,
                            const struct gcal_run_device *device)
{
    struct gcal_record_rest *rest = record->rest;
    size_t n = record->n_devices++, capacity = rest->device_capacity;

    record->devices = gcal_arena_grow(rest->arena, record->devices, n,
                                      &rest->device_capacity, sizeof(*record->devices));
    record->device_run = gcal_arena_grow(rest->arena, record->device_run, n, &capacity,
                                         sizeof(*record->device_run));
    record->device_run[n] = rest->run;
    record->devices[n] = *device;
    copy_fields(rest->arena, gcal_run_device_fields, &record->devices[n]);
    copy_fields(rest->arena, gcal_device_info_fields, &record->devices[n].info);
}

void gcal_record_set_kept(struct gcal_record *record, size_t i, char *kept)
{
    record->devices[i].kept = gcal_arena_own(record->rest->arena, kept, free);
}

/* ---- kernels ---- */

/* Adds a use, unless it is there. */
static void add_use(struct gcal_arena *arena, struct gcal_kernel_uses *uses,
                    const struct gcal_kernel_use *use)
{
    if (gcal_kernel_uses_have(uses, use->model, use->role))
        return;
    uses->items = gcal_arena_grow(arena, uses->items, uses->n, &uses->capacity,
                                  sizeof(*uses->items));
    uses->items[uses->n++] =
        (struct gcal_kernel_use){ gcal_arena_strdup(arena, use->model), use->role };
}

size_t gcal_record_add_kernel(struct gcal_record *record,
                              const struct gcal_run_kernel *kernel)
{
    struct gcal_record_rest *rest = record->rest;
    struct gcal_arena *arena = rest->arena;
    const struct known_kernel wanted = { 0, kernel->sub_group_size, kernel->id };
    struct known_kernel *known,
        **found = tfind(&wanted, &rest->known_kernels, compare_known);
    size_t index = found ? (*found)->index : record->n_kernels;
    struct gcal_run_kernel *to;

    if (!found) {
        record->kernels =
            gcal_arena_grow(arena, record->kernels, record->n_kernels++,
                            &rest->kernel_capacity, sizeof(*record->kernels));
        to = &record->kernels[index];
        *to = *kernel;
        to->source = "";
        copy_fields(arena, gcal_run_kernel_fields, to);
        copy_fields(arena, gcal_kernel_origin_fields, &to->origin);
        to->uses = (struct gcal_kernel_uses){ 0 };
        to->size_names = gcal_arena_alloc(arena, to->n_sizes, sizeof(*to->size_names));
        to->size_values = gcal_arena_alloc(arena, to->n_sizes, sizeof(*to->size_values));
        for (size_t i = 0; i < to->n_sizes; i++) {
            to->size_names[i] = gcal_arena_strdup(arena, kernel->size_names[i]);
            to->size_values[i] = kernel->size_values[i];
        }
        known = gcal_arena_alloc(arena, 1, sizeof(*known));
        *known = (struct known_kernel){ index, to->sub_group_size, to->id };
        if (!tsearch(known, &rest->known_kernels, compare_known))
            gcal_arena_out_of_memory();
    }
    for (size_t i = 0; i < kernel->uses.n; i++)
        add_use(arena, &record->kernels[index].uses, &kernel->uses.items[i]);
    return index;
}

/* ---- measurements ---- */

void gcal_record_add_measurement(struct gcal_record *record, size_t device, size_t kernel,
                                 const struct gcal_measurement *m)
{
    struct gcal_record_rest *rest = record->rest;

    /* The largest array of a record: not in the arena, where what it grows out of would stay. */
    rest->collected =
        gcal_array_grow(rest->collected, record->n_measurements,
                        &rest->collected_capacity, sizeof(*rest->collected), NULL);
    if (!rest->collected)
        gcal_arena_out_of_memory();
    rest->collected[record->n_measurements++] = (struct gcal_record_collected){
        .device = device,
        .kernel = kernel,
        .status = m->status,
        .n_samples = m->n_samples,
        .median_s = m->median_s,
        .spread = m->spread,
        .built = m->built,
        .detail = m->detail ? gcal_arena_strdup(rest->arena, m->detail) : NULL,
    };
}

int gcal_record_collected_get(const struct gcal_record *record, size_t i,
                              struct gcal_record_measurement_row *row,
                              struct gcal_error *err)
{
    const struct gcal_record_collected *from = &record->rest->collected[i];
    const struct gcal_run_device *device;
    struct gcal_measurement *m = &row->m;

    if (i >= record->n_measurements)
        return gcal_error_set(err, GCAL_EINPUT, "no measurement %zu", i);
    device = &record->devices[from->device];
    row->device = from->device;
    row->kernel = from->kernel;
    *m =
        (struct gcal_measurement){ .node = strdup(device->node),
                                   .device_uid = strdup(device->info.uid),
                                   .kernel_id = strdup(record->kernels[from->kernel].id),
                                   .status = from->status,
                                   .n_samples = from->n_samples,
                                   .median_s = from->median_s,
                                   .spread = from->spread,
                                   .built = from->built,
                                   .detail = from->detail ? strdup(from->detail) : NULL };
    if (m->node && m->device_uid && m->kernel_id && !m->detail == !from->detail)
        return 0;
    gcal_measurement_clear(m);
    return gcal_error_memory(err);
}

/* ---- lost ranks ---- */

void gcal_record_add_lost(struct gcal_record *record, const char *text)
{
    record->lost = gcal_arena_grow(record->rest->arena, record->lost, record->n_lost,
                                   &record->rest->lost_capacity, sizeof(*record->lost));
    record->lost[record->n_lost++] = gcal_arena_strdup(record->rest->arena, text);
}
