/* hdf5.c - records, by the module that knows HDF5, or in memory */
#include <dlfcn.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/record/private.h"

static const struct gcal_record_module *module;
static struct gcal_error load_error;

static void load(void)
{
    void *object = dlopen(GPUCAL_RECORD_MODULE, RTLD_LAZY | RTLD_LOCAL);
    const struct gcal_record_module *found =
        object ? dlsym(object, "gcal_record_module") : NULL;

    if (found && strcmp(found->version, GPUCAL_VERSION) == 0)
        module = found;
    else if (object)
        gcal_error_set(&load_error, GCAL_EINPUT,
                       GPUCAL_RECORD_MODULE " is not of gpucal " GPUCAL_VERSION
                                            ": install gpucal again");
    else
        gcal_error_set(&load_error, GCAL_EINPUT,
                       "records need " GPUCAL_RECORD_MODULE
                       " and libhdf5: install gpucal again (%s)",
                       dlerror());
}

static int need_module(struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!module && err)
        *err = load_error;
    return module ? 0 : -1;
}

/* ---- writing ---- */

struct gcal_record_writer *gcal_record_create(const char *path, struct gcal_error *err)
{
    return need_module(err) < 0 ? NULL : module->create(path, err);
}

struct gcal_run_sink gcal_record_sink(struct gcal_record_writer *writer)
{
    return module->sink(writer);
}

int gcal_record_finish(struct gcal_record_writer *writer,
                       const struct gcal_record_header *header, struct gcal_error *err)
{
    return module->finish(writer, header, err);
}

void gcal_record_abandon(struct gcal_record_writer *writer)
{
    if (writer)
        module->abandon(writer);
}

/* ---- reading ---- */

struct gcal_record *gcal_record_collect(void)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_record *r = gcal_arena_alloc(arena, 1, sizeof(*r));

    r->rest = gcal_arena_alloc(arena, 1, sizeof(*r->rest));
    *r->rest = (struct gcal_record_rest){ .arena = arena };
    return r;
}

struct gcal_record *gcal_record_open(const char *path, struct gcal_error *err)
{
    struct gcal_record *r;

    if (need_module(err) < 0)
        return NULL;
    r = gcal_record_collect();
    if (module->open(r, path, err) == 0)
        return r;
    gcal_error_prefix(err, "record %s", path);
    gcal_record_close(r);
    return NULL;
}

/* What the tree of kernels has is in the arena. */
static void keep_node(void *node)
{
    (void)node;
}

void gcal_record_close(struct gcal_record *record)
{
    struct gcal_record_rest *rest = record ? record->rest : NULL;

    if (!record)
        return;
    if (rest->file)
        module->close(rest->file);
    tdestroy(rest->known_kernels, keep_node);
    free(rest->collected);
    gcal_arena_destroy(rest->arena);
}

int gcal_record_measurement(const struct gcal_record *record, size_t i,
                            struct gcal_measurement *m, size_t *device, size_t *kernel,
                            struct gcal_error *err)
{
    struct gcal_record_measurement_row row = { 0 };
    int rc = record->rest->file ? module->measurement(record, i, &row, err)
                                : gcal_record_collected_get(record, i, &row, err);

    *m = row.m;
    if (rc < 0)
        return -1;
    if (device)
        *device = row.device;
    if (kernel)
        *kernel = row.kernel;
    return 0;
}
