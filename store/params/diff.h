/* diff.h - differences between two parameter files */
#ifndef GCAL_STORE_PARAMS_DIFF_H
#define GCAL_STORE_PARAMS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "store/params/params.h"

struct gcal_error;

/* A parameter of a model, or the device factor, in both files. */
struct gcal_params_diff_change {
    const struct gcal_params_device *from, *to; /* the device in both files */
    const char *model, *parameter, *unit;
    double before, after, before_error, after_error;
    double change; /* (after - before) / |before|; infinite when 'before' is 0 */
    double sigmas; /* |after - before| over the combined standard error; infinite when
                      both errors are 0 */
    bool noise;    /* within GCAL_PARAMS_DIFF_SIGMAS */
    bool cost;     /* seconds or a factor of a time: more is slower */
};

/* Changes up to this many standard errors are noise, however large they are. */
#define GCAL_PARAMS_DIFF_SIGMAS 3

/* Texts belong to the two files, which must outlive it. */
struct gcal_params_diff {
    size_t n_devices; /* compared */
    size_t n_changes;
    struct gcal_params_diff_change *changes; /* significant ones first, then noise; the
                                                largest first */
    size_t n_notes;
    char **notes; /* sentences: different conditions (driver, configuration, kernels,
                     version), then what cannot be compared */
};

/* Compares devices with the same uid; a device whose uid the other file lacks is compared
 * with the only device of its type there without a partner.
 */
int gcal_params_diff_find(const struct gcal_params *before,
                          const struct gcal_params *after, struct gcal_params_diff *diff,
                          struct gcal_error *err);
void gcal_params_diff_clear(struct gcal_params_diff *diff);

#endif
