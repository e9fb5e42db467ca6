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
 * Functions that return a pointer return NULL, those that return int -1, with 'err'
 * (which may be NULL) filled.  Handles may be used from several threads at once once
 * made; each is closed once.  A bound model does not need its store, device or profile
 * any more.  No global state; nothing is printed; no signal is touched.
 */
#ifndef GPUCAL_H
#define GPUCAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpucal_error {
    int code; /* as the exit status of the gpucal command */
    char text[1000];
};

struct gpucal_store;
struct gpucal_list;
struct gpucal_device;
struct gpucal_profile;
struct gpucal_model;

/* "0.1.0" */
const char *gpucal_version(void);

/* 'path' NULL: $GPUCAL_STORE.  Where GPUCAL_TRUSTED_KEYS names a file, that is as
 * gpucal_store_trust() of it.
 */
struct gpucal_store *gpucal_store_open(const char *path, struct gpucal_error *err);
void gpucal_store_close(struct gpucal_store *store);
/* From now on only files are read that one of the public keys in the file 'path' (one
 * per line, made by 'gpucal store keygen') has signed.  Before other threads use 'store'.
 */
int gpucal_store_trust(struct gpucal_store *store, const char *path,
                       struct gpucal_error *err);

/* Texts, sorted: the names of calibrated nodes, the uids of a node's devices. */
struct gpucal_list *gpucal_store_nodes(const struct gpucal_store *store,
                                       struct gpucal_error *err);
struct gpucal_list *gpucal_node_devices(const struct gpucal_store *store,
                                        const char *node, struct gpucal_error *err);
size_t gpucal_list_count(const struct gpucal_list *list);
const char *gpucal_list_item(const struct gpucal_list *list, size_t i); /* NULL: none */
void gpucal_list_close(struct gpucal_list *list);

/* The device of 'node' that 'pattern' matches (uid, type, kind or name, with * and ?;
 * NULL: the only one).
 */
struct gpucal_device *gpucal_device_open(const struct gpucal_store *store,
                                         const char *node, const char *pattern,
                                         struct gpucal_error *err);
void gpucal_device_close(struct gpucal_device *device);
/* 1 when the node's file was replaced since 'device' was opened: '*fresh' is then the
 * device as it is published now, and 'device' stays as it was, for who still uses it.  0
 * when it was not; that takes microseconds.
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
/* Work-items that run in step, which counts per sub-group are evaluated with. */
size_t gpucal_device_sub_group_size(const struct gpucal_device *device);
size_t gpucal_device_model_count(const struct gpucal_device *device);
const char *gpucal_device_model_name(const struct gpucal_device *device, size_t i);

/* A counted kernel, written by 'gpucal count -o FILE'. */
struct gpucal_profile *gpucal_profile_open(const char *path, struct gpucal_error *err);
/* The same from memory; 'name' stands in messages. */
struct gpucal_profile *gpucal_profile_parse(const char *text, size_t size,
                                            const char *name, struct gpucal_error *err);
void gpucal_profile_close(struct gpucal_profile *profile);
size_t gpucal_profile_parameter_count(const struct gpucal_profile *profile);
const char *gpucal_profile_parameter(const struct gpucal_profile *profile, size_t i);

/* 'model' NULL: the device's only one. */
struct gpucal_model *gpucal_model_bind(const struct gpucal_device *device,
                                       const char *model,
                                       const struct gpucal_profile *profile,
                                       struct gpucal_error *err);
void gpucal_model_close(struct gpucal_model *model);

struct gpucal_prediction {
    double time_s;
    double standard_error_s; /* of the parameters' covariance and the model's misfit
                                the larger, together with the device's deviation */
    double low_s, high_s;    /* the time lies between with a probability of 90 % */
    int extrapolates;        /* some feature lies outside the calibrated range: */
    const char *outside;     /* the one that lies farthest outside, the model's; NULL */
    double outside_by;       /* it is so many times the largest that was calibrated,
                                infinitely many where all were 0; below 1, so many times
                                the smallest */
};

/* 'sizes': one per profile parameter, in order.  Allocates nothing. */
int gpucal_predict(const struct gpucal_model *model, const double *sizes,
                   struct gpucal_prediction *prediction, struct gpucal_error *err);

/* 'count' times gpucal_predict(): 'sizes' is count x parameters, a row per prediction.
 * -1 for the first that fails; what comes before it is filled.
 */
int gpucal_predict_batch(const struct gpucal_model *model, const double *sizes,
                         size_t count, struct gpucal_prediction *predictions,
                         struct gpucal_error *err);

/* One device's part of work that is divided.  It takes
 *
 *   start_s + transfer_s * units + predicted time of the kernel with
 *   sizes[unit] = size_per_unit * units
 *
 * and no time at all without units.
 */
struct gpucal_share {
    const struct gpucal_model *model; /* the kernel on this device */
    const double *sizes;              /* as for gpucal_predict() */
    size_t unit;                      /* which of them the units are */
    double size_per_unit;
    double start_s;    /* once, e.g. the latency of a copy */
    double transfer_s; /* for each unit, e.g. its bytes over the bus */
    double least;      /* units it gets at least */
    double most;       /* and at most; 0: no limit */
    /* Found: */
    double units;
    double time_s;        /* when it ends */
    double low_s, high_s; /* it ends between with a probability of 90 % */
    int extrapolates;     /* as in gpucal_prediction */
};

/* Divides 'units' of work over 'count' devices, in multiples of 'granularity', so that
 * the last of them ends as early as possible: their predicted times are then equal but
 * for granularity, limits and devices that are not worth their start.  What is left of
 * 'units' by the granularity comes on top of one device's; a 'least' between two
 * multiples counts as the one above, a 'most' as the one below.  Times should not fall as
 * units grow.  '*makespan_s' (may be NULL) is the longest time.  On failure 'shares' is
 * as it was.
 */
int gpucal_split(struct gpucal_share *shares, size_t count, double units,
                 double granularity, double *makespan_s, struct gpucal_error *err);

#ifdef __cplusplus
}
#endif
#endif
