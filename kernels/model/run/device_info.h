/* device_info.h - a device's description, and a device of a run
 *
 * Texts are owned by the struct that holds them.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_DEVICE_INFO_H
#define GCAL_KERNELS_MODEL_RUN_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/model/binding.h"
#include "kernels/model/limits.h"
#include "kernels/model/run/field.h"

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

struct gcal_device_info {
    char *uid;  /* "uuid:...", "pci:0000:01:00.0", else "cl:..." made of platform, name
                   and index: one value on a node is one physical device */
    char *type; /* "nvidia-cuda-nvidia-h200-132cu": devices that share a pooled fit */
    char *platform, *vendor, *name, *driver, *version;
    char *device_type; /* "gpu", "cpu", "accelerator" or "custom" */
    char *pci;         /* "" if unknown */
    uint64_t compute_units, max_work_group_size, sub_group_size;
    double max_clock_hz, global_memory_bytes, max_alloc_bytes, local_memory_bytes,
        cache_bytes, timer_resolution_s;
    bool fp16, fp64;
    /* What a compute unit holds at a time; 0: the driver does not say. */
    uint64_t resident_work_items, resident_work_groups;
    double unit_local_memory_bytes;
    uint64_t unit_registers; /* of 32 bits */
};

/* The platform of devices that only pretend to compute: what is measured on them is
 * published to stores for simulations alone (gcal_store_is_for_simulations()).
 */
#define GCAL_DEVICE_SIMULATED_PLATFORM "gpucal simulation"

bool gcal_device_info_is_simulated(const struct gcal_device_info *info);

/* All members. */
extern const struct gcal_field gcal_device_info_fields[];

void gcal_device_info_clear(struct gcal_device_info *info);
int gcal_device_info_copy(struct gcal_device_info *to,
                          const struct gcal_device_info *from, struct gcal_error *err);
void gcal_device_info_put(struct gcal_buf *buf, const struct gcal_device_info *info);
int gcal_device_info_get(struct gcal_wire *wire, struct gcal_device_info *info,
                         struct gcal_error *err);

/* What the device can run at most. */
struct gcal_limits gcal_device_info_limits(const struct gcal_device_info *info);

/* The device as features have it.  Where it is unknown what a compute unit holds at a time:
 * as many work-items as the largest work-group, the local memory of a work-group, and any
 * number of work-groups.  A core of a CPU runs the sub-groups of one work-group in turn.
 */
struct gcal_binding_device gcal_device_info_facts(const struct gcal_device_info *info);

/* A device that a run measured. */
struct gcal_run_device {
    char *node;
    int rank;      /* that measured it */
    char *failure; /* the reason for giving it up: its rows are kept, but not fitted; NULL
                      if it was not given up */
    char *kept;    /* names of the configuration's models that were not measured on it, as
                      their published calibrations hold, separated by newlines; NULL if
                      all were measured */
    double span_s; /* from the first launch to the end of the last; 0: unknown */
    double busy_s; /* of it, the time of launches and copies, without those of checks */
    double
        shared_error; /* relative, of all times of a device whose samples are not kept, which tell
                            it else: in medians, not in records */
    struct gcal_device_info info;
};

/* All members but 'info' and 'shared_error'. */
extern const struct gcal_field gcal_run_device_fields[];

/* Returns whether 'model' is in 'kept'. */
bool gcal_run_device_keeps(const struct gcal_run_device *device, const char *model);
void gcal_run_device_clear(struct gcal_run_device *device);
void gcal_run_device_put(struct gcal_buf *buf, const struct gcal_run_device *device);
int gcal_run_device_get(struct gcal_wire *wire, struct gcal_run_device *device,
                        struct gcal_error *err);

#endif
