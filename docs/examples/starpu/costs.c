/* costs.c - costs of StarPU's tasks, predicted by libgpucal */
#include "costs.h"

#include <gpucal.h>
#include <math.h>
#include <starpu_opencl.h>
#include <stdatomic.h>
#include <stdio.h>

/* StarPU's callbacks have no argument for the caller's data, so this is global. */
static struct gpucal_model *models[STARPU_MAXOPENCLDEVS]; /* by StarPU's device number */
static struct gpucal_device *devices[STARPU_MAXOPENCLDEVS];
static struct gpucal_profile *profile;
static struct gpucal_model *core_model; /* one of them, or its own */
static double cpu_factor = 1;
static atomic_ulong asked_cpu, asked_opencl;

static struct gpucal_model *bind(const struct gpucal_store *store,
                                 const struct costs_source *s, const char *node,
                                 const char *pattern, struct gpucal_device **device)
{
    struct gpucal_error err = { 0 };
    struct gpucal_model *model;

    *device = gpucal_device_open(store, node, pattern, &err);
    model = *device ? gpucal_model_bind(*device, s->model, profile, &err) : NULL;
    if (!model)
        fprintf(stderr, "gpucal: node %s: %s\n", node, err.text);
    return model;
}

static int bind_worker(const struct gpucal_store *store, const struct costs_source *s,
                       int number)
{
    cl_device_id device;
    char name[256];

    starpu_opencl_get_device(number, &device);
    if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL) != CL_SUCCESS) {
        fprintf(stderr, "OpenCL device %d: its name cannot be read\n", number);
        return -1;
    }
    models[number] =
        bind(store, s, s->node, s->device ? s->device : name, &devices[number]);
    return models[number] ? 0 : -1;
}

static int bind_workers(const struct gpucal_store *store, const struct costs_source *s)
{
    struct gpucal_device *core = NULL;
    int workers[STARPU_NMAXWORKERS];
    unsigned n =
        starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, STARPU_NMAXWORKERS);

    for (unsigned i = 0; i < n; i++)
        if (bind_worker(store, s, starpu_worker_get_devid(workers[i])) < 0)
            return -1;
    if (!n) {
        fprintf(stderr, "StarPU has no OpenCL worker; for OpenCL on the CPU set "
                        "STARPU_OPENCL_ON_CPUS=1\n");
        return -1;
    }
    core_model = s->cpu_node ? bind(store, s, s->cpu_node, NULL, &core)
                             : models[starpu_worker_get_devid(workers[0])];
    gpucal_device_close(core); /* a bound model does not need it */
    return core_model ? 0 : -1;
}

int costs_open(const struct costs_source *s)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(s->store, &err);
    int rc = -1;

    profile = store ? gpucal_profile_open(s->profile, &err) : NULL;
    if (!profile)
        fprintf(stderr, "gpucal: %s\n", err.text);
    else if (gpucal_profile_parameter_count(profile) != 1)
        fprintf(stderr, "gpucal: %s: expected a kernel with one size, n\n", s->profile);
    else
        rc = bind_workers(store, s);
    gpucal_store_close(store); /* devices hold what they need of it */
    return rc;
}

void costs_close(void)
{
    for (size_t i = 0; i < STARPU_MAXOPENCLDEVS; i++) {
        if (core_model == models[i])
            core_model = NULL;
        gpucal_model_close(models[i]);
        gpucal_device_close(devices[i]);
    }
    gpucal_model_close(core_model);
    gpucal_profile_close(profile);
}

static double predict_s(const struct gpucal_model *model, double n)
{
    struct gpucal_prediction p;

    return gpucal_predict(model, &n, &p, NULL) == 0 ? p.time_s : NAN;
}

double costs_core_s(double n)
{
    return predict_s(core_model, n);
}

void costs_set_cpu_factor(double factor)
{
    cpu_factor = factor;
}

double costs_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                unsigned implementation)
{
    const struct starpu_perfmodel_device *d = &arch->devices[0];
    double n = *(const int *)task->cl_arg;

    (void)implementation;
    if (d->type == STARPU_OPENCL_WORKER) {
        asked_opencl++;
        return 1e6 * predict_s(models[d->devid], n);
    }
    asked_cpu++;
    return 1e6 * cpu_factor * predict_s(core_model, n);
}

int costs_observe(int number, double n, double seconds, double n_to_come)
{
    struct gpucal_prediction p;
    struct gpucal_error err;

    if (!models[number] || gpucal_predict(models[number], &n, &p, NULL) < 0 ||
        p.pays_after > n_to_come)
        return 0;
    return gpucal_observe(devices[number], profile, &n, seconds, &err);
}

void costs_asked(unsigned long *cpu, unsigned long *opencl)
{
    *cpu = asked_cpu;
    *opencl = asked_opencl;
}
