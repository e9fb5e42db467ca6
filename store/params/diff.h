/* diff.h - what differs between two parameter files */
#ifndef GCAL_STORE_PARAMS_DIFF_H
#define GCAL_STORE_PARAMS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "store/params/params.h"

struct gcal_error;

/* One parameter of a model, or the device's factor, that both files have. */
struct gcal_params_diff_change {
    const struct gcal_params_device *from, *to; /* the device in both files */
    const char *model, *parameter, *unit;
    double before, after, before_error, after_error;
    double change; /* (after - before) / |before|; infinite where that was 0 */
    double sigmas; /* |after - before| over the combined standard error; infinite where
                      both are known exactly */
    bool noise;    /* not beyond GCAL_PARAMS_DIFF_SIGMAS */
    bool cost;     /* seconds or a factor of these: more is slower */
};

/* Changes within so many standard errors are noise, however large they are. */
#define GCAL_PARAMS_DIFF_SIGMAS 3

/* Texts are those of the two files, which must live as long. */
struct gcal_params_diff {
    size_t n_devices; /* that were compared */
    size_t n_changes;
    struct gcal_params_diff_change *changes; /* those that are no noise first, of each the
                                         largest first */
    size_t n_notes;
    char **notes; /* a sentence each: what was done another way (driver, configuration,
                     kernels, version), then what cannot be compared */
};

/* Devices are the same if their uid is; one whose uid the other file does not have is
 * compared with the one device of its type there that has no partner either.
 */
int gcal_params_diff_find(const struct gcal_params *before,
                          const struct gcal_params *after, struct gcal_params_diff *diff,
                          struct gcal_error *err);
void gcal_params_diff_clear(struct gcal_params_diff *diff);

#endif
