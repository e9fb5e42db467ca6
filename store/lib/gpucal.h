/* gpucal.h - libgpucal: predicts kernel times from published calibrations
 *
 *   struct gpucal_store *store = gpucal_store_open("/shared/gpucal", &err);
 *   struct gpucal_device *device = gpucal_device_open(store, "node17", NULL, &err);
 *   struct gpucal_profile *profile = gpucal_profile_open("matmul.profile.yaml", &err);
 *   struct gpucal_model *model = gpucal_model_bind(device, "matmul", profile, &err);
 *   double sizes[] = { 2048 };          (in the order of gpucal_profile_parameter)
 *   struct gpucal_prediction p;
 *   if (gpucal_predict(model, sizes, &p, &err) == 0)
 *       printf("%g s, %g to %g s\n", p.time_s, p.low_s, p.high_s);
 *
 * On failure, functions that return a pointer return NULL and functions that return int
 * return -1 (unless said otherwise), with 'err' (which may be NULL) filled: so does each that is
 * given NULL for a handle, a text or an array; functions without 'err' return NULL, 0 or NaN then.
 * A handle may be used from several threads at once, and is closed once.  A bound model does not need its store, device or
 * profile.  The library has no global state, prints nothing and touches no signal.
 *
 * Structures that programs allocate end in 'reserved', in whose place later versions may have
 * members: their sizes stay.  Where members are read, it must be 0, as after "= { 0 }"; results
 * have 0 there.
 */
#ifndef GPUCAL_H
#define GPUCAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; the library has one of its own, see below. */
#define GPUCAL_VERSION_MAJOR 0
#define GPUCAL_VERSION_MINOR 1
#define GPUCAL_VERSION_PATCH 0
#define GPUCAL_VERSION_NUMBER                                                            \
    (GPUCAL_VERSION_MAJOR * 1000000 + GPUCAL_VERSION_MINOR * 1000 + GPUCAL_VERSION_PATCH)

/* What failed.  The low eight bits are the exit status of the gpucal command: 1 for all that
 * are listed here.  A later library may have further codes.
 */
enum gpucal_code {
    GPUCAL_OK = 0,
    GPUCAL_EINPUT = 0x001,   /* an argument, or anything without a code of its own */
    GPUCAL_EMEMORY = 0x101,  /* out of memory */
    GPUCAL_ESTORE = 0x201,   /* no store there, or not one to be trusted */
    GPUCAL_ENODE = 0x301,    /* the node is not calibrated */
    GPUCAL_EFILE = 0x401,    /* the node's file: damaged, too new, not to be trusted */
    GPUCAL_EDEVICE = 0x501,  /* no device matches, or several do */
    GPUCAL_EMODEL = 0x601,   /* no such model, or none for this kernel */
    GPUCAL_EPROFILE = 0x701, /* not a profile, or without counts that the model needs */
    GPUCAL_ESIZES = 0x801,   /* sizes that the profile does not hold for */
    GPUCAL_ENOTCOVERED = 0x901, /* the model has no cost for most of the work */
    GPUCAL_EUNCERTAIN = 0xa01,  /* the parameters are too uncertain for this kernel */
    GPUCAL_ELIMITS = 0xb01,     /* of a division of work: they cannot be met */
    GPUCAL_EFRONTEND = 0xc01,   /* libgpucal-count: libclang is missing */
    GPUCAL_ESOURCE = 0xd01,     /* libgpucal-count: the source cannot be counted */
    GPUCAL_ECANNOTRUN = 0xe01   /* the device cannot run the launch: work-groups, local
                                   memory or buffers beyond its limits, or a data type that
                                   it lacks */
};

struct gpucal_error {
    int code; /* of enum gpucal_code */
    char text[1000];
    uint64_t reserved[4];
};

struct gpucal_store;
struct gpucal_list;
struct gpucal_quantities;
struct gpucal_device;
struct gpucal_profile;
struct gpucal_model;

/* Of the library: "0.1.0" and, as GPUCAL_VERSION_NUMBER, 1000. */
const char *gpucal_version(void);
int gpucal_version_number(void);

/* 'path' NULL: $GPUCAL_STORE.  Calls gpucal_store_trust() with the file that
 * $GPUCAL_TRUSTED_KEYS names, if it is set.
 */
struct gpucal_store *gpucal_store_open(const char *path, struct gpucal_error *err);
void gpucal_store_close(struct gpucal_store *store);
/* Refuses files from now on unless one of the public keys in the file 'path' (one per
 * line, made by 'gpucal store keygen') has signed them.  Call it before other threads use
 * 'store'.
 */
int gpucal_store_trust(struct gpucal_store *store, const char *path,
                       struct gpucal_error *err);

/* Sorted lists: the names of calibrated nodes, and the uids of a node's devices. */
struct gpucal_list *gpucal_store_nodes(const struct gpucal_store *store,
                                       struct gpucal_error *err);
struct gpucal_list *gpucal_node_devices(const struct gpucal_store *store,
                                        const char *node, struct gpucal_error *err);
size_t gpucal_list_count(const struct gpucal_list *list);
/* NULL when there is no item 'i'. */
const char *gpucal_list_item(const struct gpucal_list *list, size_t i);
void gpucal_list_close(struct gpucal_list *list);

/* The device of 'node' whose uid, type, kind or name matches 'pattern' (with * and ?;
 * NULL: the only device).
 */
struct gpucal_device *gpucal_device_open(const struct gpucal_store *store,
                                         const char *node, const char *pattern,
                                         struct gpucal_error *err);
/* The device of 'node' at a PCI address ("0000:3b:00.0"; digits of either case, the domain
 * optional and of any length) or with a UUID ("GPU-64dfe64c-..." as NVML has it, "uuid:..." or
 * the digits alone).  gpucal_opencl.h does this for an OpenCL device.
 */
struct gpucal_device *gpucal_device_open_at(const struct gpucal_store *store,
                                            const char *node, const char *address,
                                            struct gpucal_error *err);
void gpucal_device_close(struct gpucal_device *device);
/* 1 when the node's file was replaced since 'device' was opened: '*fresh' is the device
 * in the new file, and 'device' stays valid and unchanged.  0 when it was not replaced;
 * this takes microseconds.
 */
int gpucal_device_reload(const struct gpucal_store *store,
                         const struct gpucal_device *device, struct gpucal_device **fresh,
                         struct gpucal_error *err);
const char *gpucal_device_node(const struct gpucal_device *device);
/* The run that calibrated it. */
const char *gpucal_device_run(const struct gpucal_device *device);
const char *gpucal_device_uid(const struct gpucal_device *device);
const char *gpucal_device_name(const struct gpucal_device *device);
const char *gpucal_device_type(const struct gpucal_device *device);
/* "gpu", "cpu", "accelerator" or "custom". */
const char *gpucal_device_kind(const struct gpucal_device *device);
/* The driver's version when it was calibrated. */
const char *gpucal_device_driver(const struct gpucal_device *device);
/* "0000:3b:00.0"; "": unknown. */
const char *gpucal_device_pci(const struct gpucal_device *device);
/* When the latest run calibrated it, "2026-11-22T03:37:51Z", and the seconds since then by
 * this host's clock (NaN: the file does not say).
 */
const char *gpucal_device_calibrated_utc(const struct gpucal_device *device);
double gpucal_device_age_s(const struct gpucal_device *device);
/* Work-items per sub-group (warp, wavefront), used for counts per sub-group. */
size_t gpucal_device_sub_group_size(const struct gpucal_device *device);
size_t gpucal_device_model_count(const struct gpucal_device *device);
const char *gpucal_device_model_name(const struct gpucal_device *device, size_t i);

/* A number that the calibration found. */
struct gpucal_quantity {
    const char *name; /* "p_dram", a parameter; "rate_dram", a rate */
    const char *unit; /* "s", "B", "B/s", "FLOP/s", "op/s", "1" */
    const char *text; /* what it is: "memory"; NULL for parameters */
    double value;
    double standard_error; /* NaN: unknown */
};

/* The parameters of a model of the device (NULL: its general model), in the file's order.
 * Those in seconds are costs of one execution on this device, with its factor.
 */
struct gpucal_quantities *gpucal_device_parameters(const struct gpucal_device *device,
                                                   const char *model,
                                                   struct gpucal_error *err);
/* Rates, latencies and capacities, as 'gpucal show --node' prints them; few or none if the
 * default configuration was not calibrated.  Decodes all models, which takes milliseconds.
 */
struct gpucal_quantities *gpucal_device_facts(const struct gpucal_device *device,
                                              struct gpucal_error *err);
size_t gpucal_quantities_count(const struct gpucal_quantities *quantities);
/* Owned by the list; NULL when there is no item 'i'. */
const struct gpucal_quantity *
gpucal_quantities_item(const struct gpucal_quantities *quantities, size_t i);
void gpucal_quantities_close(struct gpucal_quantities *quantities);

/* A kernel profile written by 'gpucal count -o FILE'. */
struct gpucal_profile *gpucal_profile_open(const char *path, struct gpucal_error *err);
/* The same from memory; 'name': the file in messages. */
struct gpucal_profile *gpucal_profile_parse(const char *text, size_t size,
                                            const char *name, struct gpucal_error *err);
void gpucal_profile_close(struct gpucal_profile *profile);
size_t gpucal_profile_parameter_count(const struct gpucal_profile *profile);
const char *gpucal_profile_parameter(const struct gpucal_profile *profile, size_t i);
/* The place of the size 'name' in 'sizes' below; -1 with 'err' that lists the sizes. */
int gpucal_profile_parameter_index(const struct gpucal_profile *profile, const char *name,
                                   struct gpucal_error *err);

/* 'model' NULL: the model made for this kernel, by its profile's fingerprint, or what the store
 * has learned of it on any device by now; if there is neither, the general model.
 */
struct gpucal_model *gpucal_model_bind(const struct gpucal_device *device,
                                       const char *model,
                                       const struct gpucal_profile *profile,
                                       struct gpucal_error *err);
void gpucal_model_close(struct gpucal_model *model);
/* The name of the bound model. */
const char *gpucal_model_name(const struct gpucal_model *model);

/* The cost of a launch (p_launch) differs between hosts and hours.  From now on it is what makes the
 * prediction at these sizes the measured time: that of a launch of some microseconds, such as the
 * median of launches during 50 ms by their events.  Nothing is published.  -1, and no change: the
 * model has no such cost, it is less than half of the time at these sizes, or it would be more than
 * twice or less than half of what it was, as on a device that is busy.  Not while other threads use
 * 'model'.
 */
int gpucal_refresh(struct gpucal_model *model, const double *sizes, double measured_s,
                   struct gpucal_error *err);

/* Tells the store of a time, in seconds, that a launch of the kernel took on the device: the store's
 * folder 'observed' has it until 'gpucal store merge', or the next publication, corrects the kernel's
 * model by it; a model bound after that is sharper, here and on all devices.  1 when the time was
 * written, 0 when enough are known by now (most of many launches; the first one of a kernel in a
 * process, which may build or wait), -1.  Takes a few microseconds, and some ten when it writes.  The
 * process must be allowed to write to the store; with $GPUCAL_SIGN_KEY, it signs.
 */
int gpucal_observe(const struct gpucal_device *device,
                   const struct gpucal_profile *profile, const double *sizes,
                   double seconds, struct gpucal_error *err);

struct gpucal_prediction {
    double time_s;
    double standard_error_s; /* the larger of the parameters' error and the model's
                                misfit, combined with the error of the device factor */
    double low_s, high_s;    /* 90 % interval, wider if some work is not covered */
    double not_covered;  /* share of the kernel's work, 0 to 0.5, that the model has no
                                cost for: above 0, 'time_s' lacks it.  Above 0.5 there is
                                no prediction */
    const char *gap;     /* the feature with the largest part of that work, owned by
                                the model; NULL: none */
    int extrapolates;    /* some feature lies outside the calibrated range */
    const char *outside; /* the feature farthest outside, owned by the model; NULL:
                                none */
    double outside_by;   /* its ratio to the largest calibrated value (infinite when
                                that is 0), or below 1 to the smallest */
    const char *roof;    /* the device's limit that binds the kernel ("dram"), owned by
                                the model; NULL: the model names none */
    double roof_s;       /* the time that this limit alone allows; 0: no roof */
    double
        pays_after; /* so many further launches like it repay one that is made to be measured:
                            its time over what the prediction of each is expected to be less wrong by
                            then.  Infinite: measuring does not pay.  For a measurement that costs k
                            launches, k times as many.  0: no kernel */
    uint64_t reserved[7];
};

/* 'sizes': one per profile parameter, in order.  Allocates nothing.  GPUCAL_ECANNOTRUN: the
 * work-groups, local memory or buffers of the launch are beyond what the device's file says it
 * has (what it does not say limits nothing).
 */
int gpucal_predict(const struct gpucal_model *model, const double *sizes,
                   struct gpucal_prediction *prediction, struct gpucal_error *err);

/* gpucal_predict() for 'count' rows of 'sizes' (count x parameters).  -1 at the first
 * failure; the predictions before it are filled.
 */
int gpucal_predict_batch(const struct gpucal_model *model, const double *sizes,
                         size_t count, struct gpucal_prediction *predictions,
                         struct gpucal_error *err);

/* One of several variants of a kernel, or of its configurations. */
struct gpucal_variant {
    const struct gpucal_model *model; /* the variant on the device */
    const double *sizes;              /* as for gpucal_predict() */
    /* Results: */
    double time_s; /* predicted; infinite: there is no prediction */
    double faster; /* probability that it is faster than the first of the order, whose own
                       is 0.5; NaN: either is not covered.  As of gpucal_compare() */
    int is_covered; /* 0: there is no prediction, or the model has no cost for some work */
    uint64_t reserved[8];
};

/* Orders 'count' variants by predicted time: 'order' gets their indices, the fastest first;
 * those with work that has no cost follow all others, and those without a prediction come
 * last.  Takes the time of one gpucal_predict() for each.  -1 if none is predicted.
 */
int gpucal_rank(struct gpucal_variant *variants, size_t count, size_t *order,
                struct gpucal_error *err);

/* How two predictions compare.  Their errors are correlated as far as they come from the same
 * parameters and the same device.
 */
struct gpucal_ratio {
    double ratio;       /* time of a / time of b */
    double low, high;   /* 90 % interval, wider if some work is not covered */
    double correlation; /* of the errors of the logarithms of both times, -1 to 1 */
    double faster;      /* probability that a takes less time than b; NaN: either is not
                           covered */
    uint64_t reserved[4];
};

/* 'a_sizes', 'b_sizes': as for gpucal_predict().  Allocates nothing. */
int gpucal_compare(const struct gpucal_model *a, const double *a_sizes,
                   const struct gpucal_model *b, const double *b_sizes,
                   struct gpucal_ratio *ratio, struct gpucal_error *err);

/* The probability that variant 'which' takes less time than all others, accurate to 0.002; NaN:
 * it is not covered.  Others that are not covered or not predicted do not count.  -1 if it is
 * not predicted.  Takes microseconds for a few variants, and grows with the square of the number
 * of those that have a chance, of which there may be 1000.
 */
int gpucal_fastest(const struct gpucal_variant *variants, size_t count, size_t which,
                   double *probability, struct gpucal_error *err);

/* One device's share of divided work.  Its time is
 *
 *   start_s + transfer_s * units + predicted time of the kernel with
 *   sizes[unit] = size_per_unit * units,
 *
 * and 0 without units.  Where it was measured, as between steps of a program, that time is
 * multiplied by measured / predicted, and what is left of the error is a few per cent.
 */
struct gpucal_share {
    const struct gpucal_model *model; /* the kernel on this device */
    const double *sizes;              /* as for gpucal_predict() */
    size_t unit;                      /* the size that grows with the units */
    double size_per_unit;
    double start_s;    /* once, e.g. the latency of a copy: gpucal_share_transfers() */
    double transfer_s; /* per unit, e.g. its bytes over the bus: likewise */
    double least;      /* lower limit of units */
    double most;       /* upper limit of units; 0: none */
    /* Results: */
    double units;
    double time_s;        /* predicted */
    double low_s, high_s; /* 90 % interval */
    double not_covered;   /* as in gpucal_prediction */
    int extrapolates;     /* likewise */
    /* What the device was measured to take, copies included; 0: it was not. */
    double measured_units, measured_s;
    uint64_t reserved[6];
};

enum gpucal_direction { GPUCAL_TO_DEVICE, GPUCAL_FROM_DEVICE, GPUCAL_BOTH_DIRECTIONS };
/* The memory of the host that a copy reads or writes: as malloc() gives it; allocated by the
 * driver (CL_MEM_ALLOC_HOST_PTR); or copied by the host to or from a mapped buffer.
 */
enum gpucal_memory { GPUCAL_PAGEABLE, GPUCAL_PINNED, GPUCAL_MAPPED };

/* The time of 'copies' copies of 'bytes' bytes in all between host and device, by the
 * device's model of transfers; the default calibration has one.  GPUCAL_BOTH_DIRECTIONS: as
 * many bytes and copies to the device and from it, at once.  'gap', 'outside' and 'roof' are
 * NULL.
 */
int gpucal_transfer(const struct gpucal_device *device, enum gpucal_direction direction,
                    enum gpucal_memory memory, double bytes, double copies,
                    struct gpucal_prediction *prediction, struct gpucal_error *err);

/* Sets start_s and transfer_s of a share by the same model: for each unit, 'in_bytes' are
 * copied to the device and 'out_bytes' back, in one copy each (0: none).
 */
int gpucal_share_transfers(struct gpucal_share *share, const struct gpucal_device *device,
                           enum gpucal_memory memory, double in_bytes, double out_bytes,
                           struct gpucal_error *err);

/* The time of a message of 'bytes' bytes from one node to another, or within a node ('to' the same as
 * 'from'), as a calibration of several nodes, or with two ranks on a node, measured it by MPI: half of
 * a round trip while other pairs of nodes are busy as well.  'standard_error_s' and the interval are of
 * this link; of one that was not measured, of links of its class.  'extrapolates': longer messages
 * than were measured.  Reads the node's file, which takes some 100 us.  GPUCAL_ENODE: not measured.
 */
int gpucal_link(const struct gpucal_store *store, const char *from, const char *to,
                double bytes, struct gpucal_prediction *prediction,
                struct gpucal_error *err);

/* Divides 'units' of work over 'count' devices, in multiples of 'granularity', for the least
 * expected time until the last device ends, '*makespan_s' (may be NULL).  Predictions err, alike on
 * devices of a type: so a device whose time is less certain, or that adds little, gets less than would
 * let all end at once, or nothing.  Devices whose times are as certain end together, except
 * for granularity, limits, units that the memory of a device does not hold, and devices whose
 * start time exceeds the gain.
 * One device also gets the rest of 'units' beyond the multiples; 'least' is rounded up to a
 * multiple, 'most' down.  Times should not decrease in units.
 * After the first steps of a program, dividing again with measured_units and measured_s corrects
 * the shares.  On failure 'shares' is unchanged.
 */
int gpucal_split(struct gpucal_share *shares, size_t count, double units,
                 double granularity, double *makespan_s, struct gpucal_error *err);

#ifdef __cplusplus
}
#endif
#endif
