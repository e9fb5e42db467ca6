/* costs.h - costs of StarPU's tasks, predicted by libgpucal
 *
 * One calibrated device for each OpenCL worker, with its model bound once; then
 * costs_us() is the arch_cost_function of a performance model of type STARPU_PER_ARCH.
 */
#ifndef COSTS_H
#define COSTS_H

#include <starpu.h>

struct costs_source {
    const char *store;    /* NULL: $GPUCAL_STORE */
    const char *node;     /* the published name of this machine */
    const char *device;   /* pattern; NULL: each worker's OpenCL device, by its name */
    const char *cpu_node; /* its only device is one core of this machine; NULL: the first
                             OpenCL worker's device is */
    const char *model;    /* NULL: the device's only one */
    const char *profile;  /* of the kernel, with the one size n */
};

/* After starpu_init().  0, or -1 with the reason on standard error. */
int costs_open(const struct costs_source *source);
/* After starpu_shutdown(). */
void costs_close(void);

/* Seconds of the kernel at this size on one core; NaN on an error. */
double costs_core_s(double n);
/* Sets the time of the CPU implementation over that of the kernel on one core (default
 * 1).
 */
void costs_set_cpu_factor(double factor);

/* Microseconds: StarPU's unit.  The task's cl_arg begins with its size, an int. */
double costs_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                unsigned implementation);
/* Tells the store of a time that the kernel took on an OpenCL worker's device, if that pays for so many
 * launches to come (gpucal_prediction.pays_after): the next run of the program predicts it better.  1: written, 0:
 * not needed, -1: the store cannot be written.
 */
int costs_observe(int number, double n, double seconds, double n_to_come);
/* The numbers of StarPU's calls for CPU workers and for OpenCL workers. */
void costs_asked(unsigned long *cpu, unsigned long *opencl);

#endif
