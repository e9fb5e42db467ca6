/* heuristic.c - the choice of a simple model of occupancy, bandwidth and arithmetic
 *
 * Haigh and McCreath 2015, section 2.1, on counted features; bandwidth, latencies and the
 * rate of arithmetic are the calibrated ones of the general model.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/tune/private.h"
#include "store/params/params.h"

enum { SECTOR = 32, INSTRUCTIONS_PER_OPERATION = 5, BYTES = 4 };

struct facts {
    struct gcal_binding_device device;
    double bandwidth;    /* bytes per second */
    double latency_s;    /* of global memory */
    double rate;         /* operations per second of a compute unit */
    double op_latency_s; /* from an operation to its result */
};

/* What a configuration does, in total. */
struct work {
    double bytes, operations, stores, work_items;
    double local_bytes, barriers; /* of a work-group */
};

/* ---- the device ---- */

static int find_cost(const struct gcal_params_model *model, const char *name,
                     double *value, struct gcal_error *err)
{
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameter[i], name) == 0 && model->value[i] > 0) {
            *value = model->value[i];
            return 0;
        }
    return gcal_error_set(err, GCAL_EINPUT,
                          "--baseline: model %s has no parameter '%s' above 0, which the "
                          "heuristic takes from the general model of GPUs",
                          model->name, name);
}

static int find_facts(const struct gcal_params_device *device, const char *name,
                      struct facts *facts, struct gcal_error *err)
{
    const struct gcal_params_model *model = NULL;
    double sector_s, operation_s;

    for (size_t i = 0; i < device->n_models && !model; i++)
        if (strcmp(device->models[i].name, name) == 0)
            model = &device->models[i];
    facts->device = gcal_device_info_facts(&device->info);
    if (!model)
        return gcal_error_set(err, GCAL_EINPUT, "--baseline: no model '%s'", name);
    if (find_cost(model, "p_dram", &sector_s, err) < 0 ||
        find_cost(model, "p_fp32", &operation_s, err) < 0 ||
        find_cost(model, "p_latency_dram", &facts->latency_s, err) < 0 ||
        find_cost(model, "p_latency_op", &facts->op_latency_s, err) < 0)
        return -1;
    facts->bandwidth = SECTOR / sector_s;
    facts->rate = facts->device.sub_group_size / operation_s;
    return 0;
}

/* ---- the configuration ---- */

static int count_of(const struct gcal_profile_entry *e, const struct gcal_profile *p,
                    const double *sizes, double *value, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse_in(e->count, p->n_parameters,
                                                (const char *const *)p->parameters, err);

    if (!expr)
        return -1;
    *value = gcal_expr_eval(expr, sizes);
    gcal_expr_destroy(expr);
    return 0;
}

/* Neighbours share sectors; others, and single elements, load one each. */
static double access_bytes(const struct gcal_profile_entry *e, double count, double items)
{
    const char *stride = e->lid_stride[0];

    if (stride && strcmp(stride, "0") == 0)
        return count * SECTOR;
    if (stride && strcmp(stride, "1") == 0)
        return items * (double)(gcal_dtype_size(e->dtype) * e->vector_width);
    return items * SECTOR;
}

static void add_entry(const struct gcal_profile_entry *e, double count, double lanes,
                      struct work *work)
{
    double items = e->granularity == GCAL_FEATURE_PER_SUB_GROUP ? lanes * count : count;

    if (e->kind == GCAL_FEATURE_OP && strncmp(e->dtype, "float", 5) == 0)
        work->operations += items;
    else if (e->kind == GCAL_FEATURE_MEM_ACCESS &&
             e->space == GCAL_FEATURE_SPACE_GLOBAL) {
        work->bytes += access_bytes(e, count, items);
        if (e->direction == GCAL_FEATURE_STORE)
            work->stores += items;
    } else if (e->kind == GCAL_FEATURE_LOCAL_MEMORY_BYTES)
        work->local_bytes += count;
    else
        work->barriers += count;
}

/* Other counts may need facts of the device. */
static bool is_work(const struct gcal_profile_entry *e)
{
    return (e->kind == GCAL_FEATURE_OP && strncmp(e->dtype, "float", 5) == 0) ||
           (e->kind == GCAL_FEATURE_MEM_ACCESS &&
            e->space == GCAL_FEATURE_SPACE_GLOBAL) ||
           e->kind == GCAL_FEATURE_LOCAL_MEMORY_BYTES ||
           e->kind == GCAL_FEATURE_BARRIER_LOCAL;
}

static int count_work(const struct gcal_kernel *kernel, double lanes, struct work *work,
                      struct gcal_error *err)
{
    const struct gcal_profile *p = kernel->profile;
    double *sizes = calloc(p->n_parameters + 1, sizeof(*sizes)), count;
    struct gcal_geometry geometry = { 0 };
    int rc = sizes ? gcal_kernel_size_values(kernel, sizes, err) : gcal_error_memory(err);

    *work = (struct work){ .work_items = 1 };
    for (size_t i = 0; i < p->n_entries && rc == 0; i++)
        if (is_work(&p->entries[i]) &&
            (rc = count_of(&p->entries[i], p, sizes, &count, err)) == 0)
            add_entry(&p->entries[i], count, lanes, work);
    if (rc == 0)
        rc = gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, err);
    for (size_t d = 0; d < kernel->n_dims && rc == 0; d++)
        work->work_items *= (double)geometry.global_size[d];
    gcal_kernel_geometry_clear(&geometry);
    free(sizes);
    return rc;
}

/* ---- the heuristic ---- */

/* Elements of a work-item: the parameter F, else what it stores. */
static double elements(const struct gcal_tune_space *space, size_t config,
                       const struct work *work)
{
    for (size_t i = 0; i < space->n_parameters; i++)
        if (strcmp(space->parameters[i].name, "F") == 0) {
            const char *value = gcal_tune_value(space, config, i);

            return value ? strtod(value, NULL) : 1;
        }
    return fmax(1, work->stores / work->work_items);
}

/* The time of a configuration; infinite if none of its work-groups fits.  '*in_flight': the
 * elements that a compute unit works on at a time.
 */
static double cost(const struct facts *f, const struct gcal_kernel *kernel,
                   const struct work *w, double each, double *in_flight)
{
    const struct gcal_binding_device *d = &f->device;
    double group = 1, k, memory, compute;

    for (size_t i = 0; i < kernel->n_dims; i++)
        group *= (double)kernel->local_size[i];
    k = fmin(d->work_groups, floor(d->work_items / group));
    if (w->local_bytes > 0)
        k = fmin(k, floor(d->local_memory_bytes / w->local_bytes));
    *in_flight = group * each * k;
    if (k < 1)
        return INFINITY;
    memory =
        w->bytes / f->bandwidth /
        fmin(1, BYTES * *in_flight / (f->bandwidth / d->compute_units * f->latency_s));
    compute = INSTRUCTIONS_PER_OPERATION * w->operations / (d->compute_units * f->rate) /
              fmin(1, group * k / (f->rate * f->op_latency_s));
    /* A group that waits at barriers in a loop leaves its unit idle if it is alone. */
    return (memory + compute) * (k == 1 && w->barriers > 2 ? 2 : 1);
}

int gcal_tune_heuristic(const struct gcal_tune_space *space,
                        const struct gcal_params_device *device, size_t *choice,
                        struct gcal_error *err)
{
    double least = INFINITY, most = 0;
    struct facts facts;

    *choice = space->n_configs;
    if (find_facts(device, space->model, &facts, err) < 0)
        return -1;
    for (size_t i = 0; i < space->n_configs; i++) {
        const struct gcal_kernel *kernel = space->configs[i].kernel;
        double in_flight, c;
        struct work work;

        if (count_work(kernel, facts.device.sub_group_size, &work, err) < 0)
            return -1;
        c = cost(&facts, kernel, &work, elements(space, i, &work), &in_flight);
        /* Of equal ones, that with the most in flight. */
        if (c < 0.999999 * least || (c < 1.000001 * least && in_flight > most)) {
            least = c;
            most = in_flight;
            *choice = i;
        }
    }
    return 0;
}
