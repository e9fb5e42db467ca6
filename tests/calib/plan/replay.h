/* replay.h - a plan on a recorded device, which answers at once with the times recorded: what
 * the plan takes is choosing
 */
#ifndef GCAL_TESTS_CALIB_PLAN_REPLAY_H
#define GCAL_TESTS_CALIB_PLAN_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/plan/plan.h"
#include "store/record/record.h"

struct gcal_error;

/* A record: the kernels of its first device, and their times. */
struct replay {
    struct gcal_record *record;
    const struct gcal_device_info *info;
    struct gcal_config config;
    struct gcal_kernel_list list;
    struct gcal_measurement *measured; /* by kernel of the list */
    double *time_s, *spread;           /* likewise: medians */
    size_t *n_taken;                   /* likewise: samples */
    bool *is_chosen;                   /* likewise */
    struct gcal_plan_selection selection;
    double scale; /* of all times: how much slower the device is than the recorded one */
    double choosing_s, launches_s;
    size_t n_prepared, prepared;       /* the last one */
    struct gcal_record_writer *writer; /* NULL: nothing is written */
};

/* 'scale': see above; the models expect such a device. */
void replay_open(struct replay *r, const char *path, double scale);
void replay_close(struct replay *r);

/* A whole plan with this precision. */
void replay_run(struct replay *r, double precision);

/* Time of all threads: other programs do not count. */
double cpu_s(void);

_Noreturn void fail_with(const struct gcal_error *err);

#endif
