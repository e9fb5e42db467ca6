/* outlook.h - what a plan amounts to, before anything is measured */
#ifndef GCAL_CALIB_PLAN_OUTLOOK_H
#define GCAL_CALIB_PLAN_OUTLOOK_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_config;
struct gcal_device_info;
struct gcal_error;
struct gcal_kernel_list;

struct gcal_plan_outlook_model {
    const char *name;    /* the configuration's */
    size_t n_kernels;    /* that it is fitted to, each size for itself */
    size_t n_parameters; /* of the first form that is determined, else of the last */
    bool determined;     /* the kernels determine all parameters of some form */
    const char
        *undetermined;  /* "p_a, p_b": those of the last form, if none is determined */
    const char *merged; /* "p_a and p_b": costs that the kernels cannot separate */
};

struct gcal_plan_outlook {
    size_t n_kernels;  /* at all sizes of size sweeps */
    size_t n_families; /* kernels, without their sizes */
    size_t n_measured; /* about: at the sizes that are expected to be measured */
    size_t n_launches_least, n_launches_most;
    double time_s; /* about, by the times that launches should take; at most budget_s */
    double budget_s;
    double memory_bytes; /* of the buffers of the largest kernel */
    size_t n_models;
    struct gcal_plan_outlook_model *models;
};

/* Of these kernels of the configuration on the device.  'config' must outlive the result. */
int gcal_plan_outlook_make(struct gcal_arena *arena, const struct gcal_config *config,
                           const struct gcal_device_info *info,
                           const struct gcal_kernel_list *kernels,
                           struct gcal_plan_outlook *outlook, struct gcal_error *err);

#endif
