/* feature.h - the names of kernel features (seed 004 section 6.1)
 *
 *   f_op_<dtype>_<op>             add, sub counts as add, mul, madd, div, a built-in
 *   f_index_<dtype>_<op>          the same of subscripts and loops' steps
 *   f_mem_access[_tag:<name>][_<global|local|constant>][_<dtype>][_<load|store>]
 *               [_lstrides:{axis:constraint;..}][_gstrides:{..}][_afr:<constraint>]
 *   f_atomic[_tag:<name>][_<global|local>][_<dtype>][_<op>]
 *               [_lstrides:{..}][_gstrides:{..}][_afr:<constraint>]
 *               op: add sub inc dec xchg cmpxchg min max and or xor load store
 *   f_local_pass[_tag:<name>][_<dtype>][_<load|store>]
 *                                 passes that accesses to banks of local memory take
 *   f_divergent_branch            branches that work-items of a sub-group take apart
 *   f_sync_barrier_local          met by one work-item
 *   f_sync_kernel_launch          1
 *   f_thread_groups               work-groups of the NDRange
 *   f_work_items                  work-items of the NDRange
 *   f_local_memory_bytes          local arrays of a work-group
 *   f_private_array_bytes         private arrays of a work-item
 *   f_memory[_tag:<name>]         all accesses to global memory of a kernel, atomics
 * included f_onchip[_tag:<name>]         all of a kernel's work on the chip: operations,
 * accesses to local memory, and barriers times work-groups The tag is the kernel's own.
 * What is left of it when work is removed has the part that it keeps, with the whole
 *                                 kernel's tag and count.
 *   f_transfer_bytes[_<to_device|from_device>][_<pageable|pinned|mapped>]
 *   f_transfer_copies[_<to_device|from_device>][_<pageable|pinned|mapped>]
 *                                 copies between host and device, by the host's memory
 *   f_cl_wall_time[_<platform>_<device>]   output only: seconds
 *
 * A constraint is a number or an expression in sizes, or one behind > < >= <=.  A tag
 * is [A-Za-z0-9]+.  A field that is left out matches everything.
 */
#ifndef GCAL_CALIB_MODEL_FEATURE_H
#define GCAL_CALIB_MODEL_FEATURE_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_expr;

#define GCAL_MAX_DIMS 3

enum gcal_feature_kind {
    GCAL_FEATURE_OP,
    GCAL_FEATURE_INDEX_OP,
    GCAL_FEATURE_MEM_ACCESS,
    GCAL_FEATURE_LOCAL_PASS,
    GCAL_FEATURE_ATOMIC,
    GCAL_FEATURE_DIVERGENT_BRANCH,
    GCAL_FEATURE_BARRIER_LOCAL,
    GCAL_FEATURE_KERNEL_LAUNCH,
    GCAL_FEATURE_THREAD_GROUPS,
    GCAL_FEATURE_WORK_ITEMS,
    GCAL_FEATURE_LOCAL_MEMORY_BYTES,
    GCAL_FEATURE_PRIVATE_ARRAY_BYTES,
    GCAL_FEATURE_TRANSFER_BYTES,
    GCAL_FEATURE_TRANSFER_COPIES,
    GCAL_FEATURE_MEMORY,
    GCAL_FEATURE_ONCHIP,
    GCAL_FEATURE_WALL_TIME,
};

/* Those whose counts have a dtype and an operation; those that touch an array; those
 * between host and device; the two parts that a kernel's work consists of.
 */
bool gcal_feature_is_op(enum gcal_feature_kind kind);
bool gcal_feature_is_access(enum gcal_feature_kind kind);
bool gcal_feature_is_transfer(enum gcal_feature_kind kind);
bool gcal_feature_is_component(enum gcal_feature_kind kind);

enum gcal_feature_space {
    GCAL_FEATURE_SPACE_ANY,
    GCAL_FEATURE_SPACE_GLOBAL,
    GCAL_FEATURE_SPACE_LOCAL,
    GCAL_FEATURE_SPACE_CONSTANT
};
enum gcal_feature_direction {
    GCAL_FEATURE_DIRECTION_ANY,
    GCAL_FEATURE_LOAD,
    GCAL_FEATURE_STORE
};
enum gcal_feature_copy_direction {
    GCAL_FEATURE_COPY_ANY,
    GCAL_FEATURE_TO_DEVICE,
    GCAL_FEATURE_FROM_DEVICE
};
/* Of the host, that a copy reads or writes: as malloc() gives it, locked in place by the
 * driver, or the device's buffer itself, mapped.
 */
enum gcal_feature_host_memory {
    GCAL_FEATURE_HOST_ANY,
    GCAL_FEATURE_PAGEABLE,
    GCAL_FEATURE_PINNED,
    GCAL_FEATURE_MAPPED
};
/* "any", "to_device", ... and "any", "pageable", ..., by their enumerations. */
extern const char *const gcal_feature_copy_direction_names[3];
extern const char *const gcal_feature_host_memory_names[4];

enum gcal_feature_relation {
    GCAL_FEATURE_ANY,
    GCAL_FEATURE_EQ,
    GCAL_FEATURE_GT,
    GCAL_FEATURE_LT,
    GCAL_FEATURE_GE,
    GCAL_FEATURE_LE
};

struct gcal_feature_constraint {
    enum gcal_feature_relation relation; /* GCAL_FEATURE_ANY: none */
    char *bound;                         /* expression in the kernel's sizes */
};

/* A name, taken apart.  Texts are owned; NULL where the field is left out. */
struct gcal_feature {
    enum gcal_feature_kind kind;
    char *dtype; /* "float32" */
    char *op;    /* "madd" */
    char *tag;
    enum gcal_feature_space space;
    enum gcal_feature_direction direction;
    enum gcal_feature_copy_direction way;                     /* transfers only */
    enum gcal_feature_host_memory host;                       /* transfers only */
    struct gcal_feature_constraint lid_stride[GCAL_MAX_DIMS]; /* elements */
    struct gcal_feature_constraint gid_stride[GCAL_MAX_DIMS]; /* elements */
    struct gcal_feature_constraint afr; /* access-to-footprint ratio */
    char *platform, *device;            /* wall time only */
};

/* 0, or -1 with 'err' (GCAL_EINPUT) naming the part that was not understood. */
int gcal_feature_parse(const char *name, struct gcal_feature *feature,
                       struct gcal_error *err);
void gcal_feature_clear(struct gcal_feature *feature);

#endif
