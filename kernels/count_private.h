/* count_private.h - from the nest of loops to the profile (count.c, count_profile.c) */
#ifndef GCAL_KERNELS_COUNT_PRIVATE_H
#define GCAL_KERNELS_COUNT_PRIVATE_H

#include "calib/model/profile.h"
#include "kernels/ir.h"

/* Names, each once. */
struct gcal_names {
    size_t n, capacity;
    char **names;
};

int gcal_names_add(struct gcal_names *names, const char *name, struct gcal_error *err);
void gcal_names_clear(struct gcal_names *names);

/* 'order': names whose parameters come first. */
struct gcal_profile *gcal_profile_make(struct gcal_nest *nest, const char *kernel,
                                       const char *assumptions,
                                       const struct gcal_names *order,
                                       struct gcal_error *err);
int gcal_profile_hash(struct gcal_profile *profile, const char *source,
                      struct gcal_error *err);

#endif
