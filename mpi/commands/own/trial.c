/* trial.c - the first runs of a user's kernel: whether it can be measured at all
 *
 * The bytes around its buffers differ from run to run, so that a kernel that reads there
 * gives other results.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/plan/plan.h"
#include "kernels/interpret/interpret.h"
#include "mpi/commands/own/own.h"

enum { SEED = 20261122, GUARD = 0xff, OTHER_GUARD = 0x3f };

struct trial {
    struct gcal_arena *arena; /* of all results */
    struct gcal_local_devices *devices;
    const char *uid;
    const struct gcal_kernel *kernel;
    double limit_s;
};

/* ---- one run ---- */

static int run_in(struct gcal_worker *worker, const struct trial *t, int guard,
                  void **results, struct gcal_error *err)
{
    enum gcal_measurement_status status;
    enum gcal_worker_outcome outcome = gcal_worker_check(
        worker, t->kernel, SEED, guard, t->limit_s, results, &status, err);
    const char *name = t->kernel->entry;

    if (outcome == GCAL_WORKER_DONE)
        return 0;
    if (outcome == GCAL_WORKER_TIMED_OUT)
        gcal_error_set(err, GCAL_EDEVICE, "it did not end within %g s", t->limit_s);
    err->code = GCAL_EDEVICE;
    return gcal_error_prefix(err, "kernel '%s'%s", name,
                             outcome == GCAL_WORKER_DIED ? " ended its process" : "");
}

/* The results; NULL with 'err'. */
static void **run(const struct trial *t, int guard, struct gcal_error *err)
{
    struct gcal_worker *worker =
        gcal_worker_start_on(t->devices->spawner, t->uid, NULL, err);
    void **results = gcal_arena_alloc(t->arena, t->kernel->n_args + 1, sizeof(*results));
    bool is_done = worker && run_in(worker, t, guard, results, err) == 0;

    for (size_t i = 0; is_done && i <= t->kernel->n_args; i++)
        gcal_arena_own(t->arena, results[i], free);
    gcal_worker_stop(worker);
    return is_done ? results : NULL;
}

/* ---- several runs ---- */

/* The first element in which they differ; false: they are equal. */
static bool find_difference(const struct gcal_kernel *kernel,
                            const struct gcal_geometry *geometry, void *const *a,
                            void *const *b, size_t *arg, size_t *element)
{
    for (size_t i = 0; i < kernel->n_args; i++) {
        size_t size = gcal_dtype_size(kernel->args[i].dtype);
        const unsigned char *x = a[i], *y = b[i];

        for (size_t k = 0; x && y && k < (size_t)geometry->arg_values[i]; k++)
            if (memcmp(x + k * size, y + k * size, size) != 0) {
                *arg = i;
                *element = k;
                return true;
            }
    }
    return false;
}

/* As often again, a kernel that reads outside of its buffers has to give what it gave with the same
 * bytes there: one that gives one of two results each time does so by chance now and then.
 */
#define ROUNDS 4

/* After two runs, with other bytes around their buffers, that differ. */
static int explain_difference(const struct trial *t, const struct gcal_geometry *geometry,
                              void *const *first, void *const *second, size_t arg,
                              size_t element, struct gcal_error *err)
{
    bool repeats = true;
    size_t a, e;

    for (int round = 0; repeats && round < 2 * ROUNDS; round++) {
        void **again = run(t, round % 2 ? OTHER_GUARD : GUARD, err);

        if (!again)
            return -1;
        repeats = !find_difference(t->kernel, geometry, round % 2 ? second : first, again,
                                   &a, &e);
    }
    if (repeats)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "kernel '%s' reads outside of its buffers: %s[%zu] depends "
                              "on what is there; give their numbers of items (--buffer "
                              "NAME=COUNT)",
                              t->kernel->entry, t->kernel->args[arg].name, element);
    return gcal_error_set(err, GCAL_EDEVICE,
                          "kernel '%s' gives other results in each run, first in "
                          "%s[%zu]: a race, atomics on floating point, or memory that is "
                          "not initialised",
                          t->kernel->entry, t->kernel->args[arg].name, element);
}

static int compare_runs(const struct trial *t, void *const *first, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    void **second = run(t, OTHER_GUARD, err);
    size_t arg, element;
    int rc = second ? 0 : -1;

    if (rc == 0)
        rc = gcal_kernel_geometry(t->kernel, t->kernel->n_check_sizes,
                                  t->kernel->check_sizes, &geometry, err);
    if (rc == 0 && find_difference(t->kernel, &geometry, first, second, &arg, &element))
        rc = explain_difference(t, &geometry, first, second, arg, element, err);
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

/* The results of two runs that agree. */
static void **run_twice(const struct trial *t, struct gcal_error *err)
{
    void **first = run(t, GUARD, err);

    return first && compare_runs(t, first, err) == 0 &&
                   gcal_plan_check_numbers(t->kernel, first, err) == 0
               ? first
               : NULL;
}

int gcal_own_repeat(struct gcal_local_devices *devices, const char *uid,
                    const struct gcal_kernel *kernel, double limit_s,
                    struct gcal_error *err)
{
    const struct trial t = { gcal_arena_create(), devices, uid, kernel, limit_s };
    int rc = run_twice(&t, err) ? 0 : -1;

    gcal_arena_destroy(t.arena);
    return rc;
}

/* ---- another view of the results ---- */

static const struct gcal_device_info *other_device(const struct trial *t)
{
    for (size_t i = 0; i < t->devices->count; i++)
        if (strcmp(t->devices->info[i].uid, t->uid) != 0)
            return &t->devices->info[i];
    return NULL;
}

/* Where the interpreter cannot run the kernel, for the reason 'why'. */
static int compare_with_other(struct gcal_arena *arena, const struct trial *t,
                              void *const *results, const char *why,
                              struct gcal_own_trial *trial, struct gcal_error *err)
{
    const struct gcal_device_info *info = other_device(t);
    struct trial on_other = *t;
    struct gcal_error trouble = { 0 };
    double worst;
    void **others;

    if (!info) {
        trial->how = gcal_arena_format(arena, "%s; there is no second device", why);
        return 0;
    }
    on_other.uid = info->uid;
    if (!(others = run(&on_other, GUARD, &trouble))) {
        trial->how =
            gcal_arena_format(arena, "%s; %s: %s", why, info->name, trouble.text);
        return 0;
    }
    if (gcal_plan_compare_devices(t->kernel, results, others, &worst, err) != 0)
        return gcal_error_prefix(err, "compared with %s", info->name);
    trial->checked = true;
    trial->how = gcal_arena_format(arena, "device %s", info->name);
    return 0;
}

static int compare(struct gcal_arena *arena, const struct trial *t, void *const *results,
                   struct gcal_own_trial *trial, struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    double worst;
    int rc = gcal_plan_compare_outputs(NULL, t->kernel, SEED, results, &worst, &why);

    trial->interpreted = trial->checked = rc == 0;
    if (rc == 0) {
        trial->how = "the host's interpreter";
        return 0;
    }
    if (rc < 0 && !gcal_interp_is_outside(&why))
        return compare_with_other(arena, t, results, why.text, trial, err);
    if (err)
        *err = why;
    return rc > 0 ? gcal_error_prefix(err, "compared with the host's interpreter")
                  : gcal_error_prefix(err, "give the number of its items (--buffer "
                                           "NAME=COUNT), or guard the access");
}

int gcal_own_try(struct gcal_arena *arena, struct gcal_local_devices *devices,
                 const char *uid, const struct gcal_kernel *kernel, double limit_s,
                 struct gcal_own_trial *trial, struct gcal_error *err)
{
    const struct trial t = { gcal_arena_create(), devices, uid, kernel, limit_s };
    void **results = run_twice(&t, err);
    int rc = results ? compare(arena, &t, results, trial, err) : -1;

    gcal_arena_destroy(t.arena);
    return rc;
}
