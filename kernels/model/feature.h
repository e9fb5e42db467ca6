/* feature.h - the names of kernel features (Stevens and Kloeckner 2020, section 6.1)
 *
 *   f_op[_<dtype>[_<op>]]         add (and sub), mul, madd, div, a built-in function;
 *                                 div_constant and rem_constant: of integers by a constant
 *   f_index[_<dtype>[_<op>]]      the same for subscripts and loop control
 *   f_aux[_<dtype>[_<op>]]        cmp, select, neg, convert of other values
 *   f_joined[_<dtype>[_<op>]]     of f_op, bitwise operations and shifts that are one instruction
 *                                 with the operation that uses their result, where devices have
 *                                 such of three values; products of 64 bits that are one
 *   f_mma[_<type>]                products of matrices, as multiply-adds of a work-item; type:
 *                                 f16, bf16, tf32, f64, int8
 *   f_mem_access[_tag:<name>][_<global|local|constant|image|private>][_<dtype>]
 *               [_<load|store>]
 *               [_width:<elements>][_lstrides:{axis:constraint;..}][_gstrides:{..}]
 *               [_afr:<constraint>]
 *   f_local_pass[_tag:<name>][_<dtype>][_<load|store>]
 *                                 passes of accesses to the banks of local memory
 *   f_sector[_tag:<name>][_<global|constant>][_<dtype>][_<load|store>]
 *                                 sectors of memory that sub-groups' accesses touch
 *   f_loop_sector.., f_line.., f_partial_sector.., f_cache_pass..
 *                                 the same: distinct ones in an execution of the innermost
 *                                 loop; lines of 128 bytes; sectors that a sub-group's
 *                                 store covers only in part; passes of accesses to the
 *                                 banks of a first-level cache
 *   f_register_access[_<dtype>][_<load|store>]
 *                                 accesses to private arrays that compilers keep in
 *                                 registers, in words: what is moved if they are spilled
 *   f_footprint_group[_tag:data][_<global|constant>][_<dtype>][_<load|store>]
 *                                 distinct sectors of each work-group, summed over groups; of
 *                                 arrays whose places are data, in no order, alone
 *   f_footprint_sub_group.., f_footprint_launch.., f_footprint_wave.., f_overlap_wave..
 *                                 the same: of each sub-group; of all work-groups; of a wave of 'wave_groups'
 *                                 work-groups; those that a wave shares with the next
 *   f_footprint_block..           the same as f_footprint_launch, in blocks of two sectors
 *   f_footprint_unit..            f_footprint_group, but of each array at most its f_footprint_launch
 *                                 for each compute unit of the device: not in profiles
 *   f_footprint_shared..          f_footprint_launch of arrays for which that is less
 *   f_load_chain                  loads of global memory that a work-item makes one after
 *                                 another: each waits for those before it
 *   f_load_round                  the same where iterations of loops do not overlap
 *   f_load_trip                   the same where loops are not unrolled entirely either
 *   f_loads_in_flight             loads of a work-item per round, in registers of 4 bytes
 *   f_op_chain[_<dtype>[_<op>]]   operations of a work-item on its longest chain, in which
 *                                 each waits for the one before
 *   f_serial_op[_<dtype>[_<op>]]  operations, comparisons and so on, and accesses (load, store,
 *                                 atomic) that runtimes without lanes execute for one
 *                                 work-item after another: where loops keep the work-items
 *                                 of a group from being vectorised
 *   f_serial_index[_<dtype>[_<op>]]   the same of index arithmetic
 *   f_atomic[_tag:<name>][_<global|local>][_<dtype>][_<op>]
 *               [_lstrides:{..}][_gstrides:{..}][_afr:<constraint>]
 *               op: add sub inc dec xchg cmpxchg min max and or xor load store
 *   f_atomic_pass[_tag:<name>][_<global|local>][_<dtype>][_<op>]
 *                                 of the lanes of a sub-group, the most that meet on one
 *                                 address, summed over its atomic operations
 *   f_atomic_address.., f_atomic_sector..
 *                                 the same: distinct addresses; sectors of global memory
 *   f_atomic_sector_pass..        for each of these sectors, the most lanes that meet on one address
 *   f_atomic_footprint[_<global|local>][_<dtype>][_<op>]
 *                                 distinct addresses of the launch, or of work-groups
 *   f_atomic_block..              the same: distinct blocks of 16 sectors of global memory
 *   f_divergent_branch            branches at which the work-items of a sub-group diverge
 *   f_sync_barrier_local          barriers met by one work-item
 *   f_sync_kernel_launch          1
 *   f_thread_groups               work-groups of the NDRange
 *   f_work_items                  work-items of the NDRange
 *   f_local_memory_bytes          local arrays of a work-group
 *   f_private_array_bytes         private arrays of a work-item
 *   f_transfer_bytes[_<to_device|from_device>][_<pageable|pinned|mapped>]
 *   f_transfer_copies[_<to_device|from_device>][_<pageable|pinned|mapped>]
 *                                 copies between host and device, by the host's memory
 *   f_memory[_tag:<kernel>]       memory component: all accesses to global memory and images, atomics
 *                                 included
 *   f_onchip[_tag:<kernel>]       on-chip component: operations, accesses to local memory,
 *                                 and barriers times work-groups
 *                                 Kernels derived by work removal have the component that
 *                                 they keep, with tag and count of the original kernel.
 *   f_device_compute_units        compute units of the device: the same for all its kernels
 *   f_device_work_items           work-items that a compute unit holds at a time, at most
 *   f_device_work_groups          work-groups, likewise
 *   f_device_local_memory_bytes   local memory of a compute unit
 *   f_device_cache_bytes          last-level cache of the device
 *   f_device_sub_group_size       work-items of a sub-group
 *   f_device_registers            registers of a compute unit; 0: unknown
 *                                 Fallbacks: gcal_device_info_facts().
 *   f_kernel_registers            registers of a work-item, as the device builds the kernel
 *                                 (built.h); 0: unknown
 *   f_kernel_private_bytes        memory of a work-item: spilled registers, private arrays;
 *                                 0: none, or unknown
 *   f_cl_wall_time[_<platform>_<device>]   output only: seconds
 *
 * A constraint is an expression in the kernel's sizes, optionally after > < >= <= or %
 * (a multiple of it, and not 0).  A tag
 * is [A-Za-z0-9]+.  An absent field matches everything, but for two: without a space, a name
 * is not of private memory; and without a width, a name
 * with strides (other than multiples) is of scalars, as strides are in elements: neighbours
 * that load float4 one after the other have stride 4.  Without strides it is of vectors,
 * too.  Names of profiles have a width unless it is 1.  docs/gpucal-profile.5 has the
 * details.  What distinguishes one kind from another is a row of the table in feature.c.
 *
 * In models, a data type or an operation may also be a set in braces: words, of which any
 * will do, and words after '!', which are left out (of all, where nothing else is named);
 * '*' is any part of a word.  f_op_{float*}_{native_*,!native_exp} has all native functions
 * but one, in all floating-point types.  Only braces have such patterns, because '*' means
 * a product elsewhere in an expression.
 */
#ifndef GCAL_KERNELS_MODEL_FEATURE_H
#define GCAL_KERNELS_MODEL_FEATURE_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_buf;
struct gcal_error;
struct gcal_expr;

#define GCAL_MAX_DIMS 3

/* Entries of a profile are sorted in this order. */
enum gcal_feature_kind {
    GCAL_FEATURE_OP,
    GCAL_FEATURE_INDEX_OP,
    GCAL_FEATURE_AUXILIARY_OP,
    GCAL_FEATURE_MATRIX_OP,
    GCAL_FEATURE_JOINED_OP,
    GCAL_FEATURE_MEM_ACCESS,
    GCAL_FEATURE_LOCAL_PASS,
    GCAL_FEATURE_SECTOR,
    GCAL_FEATURE_LOOP_SECTOR,
    GCAL_FEATURE_LINE,
    GCAL_FEATURE_PARTIAL_SECTOR,
    GCAL_FEATURE_CACHE_PASS,
    GCAL_FEATURE_REGISTER_ACCESS,
    GCAL_FEATURE_FOOTPRINT_SUB_GROUP,
    GCAL_FEATURE_FOOTPRINT_GROUP,
    GCAL_FEATURE_FOOTPRINT_WAVE,
    GCAL_FEATURE_OVERLAP_WAVE,
    GCAL_FEATURE_FOOTPRINT_LAUNCH,
    GCAL_FEATURE_FOOTPRINT_BLOCK,
    GCAL_FEATURE_FOOTPRINT_UNIT,
    GCAL_FEATURE_FOOTPRINT_SHARED,
    GCAL_FEATURE_LOAD_CHAIN,
    GCAL_FEATURE_LOAD_ROUND,
    GCAL_FEATURE_LOAD_TRIP,
    GCAL_FEATURE_LOADS_IN_FLIGHT,
    GCAL_FEATURE_OP_CHAIN,
    GCAL_FEATURE_SERIAL_OP,
    GCAL_FEATURE_SERIAL_INDEX,
    GCAL_FEATURE_ATOMIC_PASS,
    GCAL_FEATURE_ATOMIC_ADDRESS,
    GCAL_FEATURE_ATOMIC_SECTOR,
    GCAL_FEATURE_ATOMIC_SECTOR_PASS,
    GCAL_FEATURE_ATOMIC_FOOTPRINT,
    GCAL_FEATURE_ATOMIC_BLOCK,
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
    GCAL_FEATURE_DEVICE_COMPUTE_UNITS,
    GCAL_FEATURE_DEVICE_WORK_ITEMS,
    GCAL_FEATURE_DEVICE_WORK_GROUPS,
    GCAL_FEATURE_DEVICE_LOCAL_MEMORY_BYTES,
    GCAL_FEATURE_DEVICE_CACHE_BYTES,
    GCAL_FEATURE_DEVICE_SUB_GROUP_SIZE,
    GCAL_FEATURE_DEVICE_REGISTERS,
    GCAL_FEATURE_KERNEL_REGISTERS,
    GCAL_FEATURE_KERNEL_PRIVATE_BYTES,
    GCAL_FEATURE_WALL_TIME,
    GCAL_FEATURE_N_KINDS,
};

/* ---- what is known of a kind ---- */

/* Fields of a name, in the order in which they follow it. */
enum gcal_feature_field {
    GCAL_FEATURE_FIELD_TAG = 1 << 0,
    GCAL_FEATURE_FIELD_SPACE = 1 << 1,
    GCAL_FEATURE_FIELD_ATOMIC_SPACE = 1 << 2, /* not constant memory */
    GCAL_FEATURE_FIELD_DTYPE = 1 << 3,
    GCAL_FEATURE_FIELD_DIRECTION = 1 << 4,
    GCAL_FEATURE_FIELD_ATOMIC_OP = 1 << 5,
    GCAL_FEATURE_FIELD_OP = 1 << 6, /* the rest of the name */
    GCAL_FEATURE_FIELD_WIDTH = 1 << 7,
    GCAL_FEATURE_FIELD_LSTRIDES = 1 << 8,
    GCAL_FEATURE_FIELD_GSTRIDES = 1 << 9,
    GCAL_FEATURE_FIELD_AFR = 1 << 10,
    GCAL_FEATURE_FIELD_COPY_DIRECTION = 1 << 11,
    GCAL_FEATURE_FIELD_HOST_MEMORY = 1 << 12,
    GCAL_FEATURE_FIELD_DEVICE = 1 << 13, /* <platform>_<device>, the rest of the name */
    /* tag:, width:, lstrides:, gstrides:, afr: */
    GCAL_FEATURE_FIELDS_WITH_COLON = GCAL_FEATURE_FIELD_TAG | GCAL_FEATURE_FIELD_WIDTH |
                                     GCAL_FEATURE_FIELD_LSTRIDES |
                                     GCAL_FEATURE_FIELD_GSTRIDES | GCAL_FEATURE_FIELD_AFR,
};

/* What a count is a sum over; see profile.h. */
enum gcal_feature_granularity {
    GCAL_FEATURE_PER_WORK_ITEM,
    GCAL_FEATURE_PER_SUB_GROUP,
    GCAL_FEATURE_PER_WORK_GROUP,
    GCAL_FEATURE_PER_KERNEL,
};

/* What a count adds to the work that rates are computed from (work.h). */
enum gcal_feature_work {
    GCAL_FEATURE_WORK_NONE,
    GCAL_FEATURE_WORK_OPERATIONS,
    GCAL_FEATURE_WORK_MATRICES, /* two operations each */
    GCAL_FEATURE_WORK_ACCESSES, /* of a data type and vector width: bytes */
    GCAL_FEATURE_WORK_COPIED_BYTES,
};

/* How executions by work-items follow from a count (binding.h). */
enum gcal_feature_execution {
    GCAL_FEATURE_EXECUTION_NONE,           /* it is not work, or other counts have it */
    GCAL_FEATURE_EXECUTION_BY_GRANULARITY, /* times work-items of what executes it once */
    GCAL_FEATURE_EXECUTION_BY_ALL,         /* by each work-item of the NDRange */
    GCAL_FEATURE_EXECUTION_BYTES,          /* one for each 4 bytes */
};

/* The part of a device whose speed a feature's cost shows. */
enum gcal_feature_category {
    GCAL_FEATURE_CATEGORY_OTHER,
    GCAL_FEATURE_CATEGORY_ARITHMETIC,
    GCAL_FEATURE_CATEGORY_LOCAL_MEMORY,
    GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY,
    GCAL_FEATURE_CATEGORY_ONCHIP,
    GCAL_FEATURE_CATEGORY_BARRIER,
    GCAL_FEATURE_CATEGORY_WORK_GROUPS,
    GCAL_FEATURE_CATEGORY_LAUNCH,
    GCAL_FEATURE_CATEGORY_TRANSFER,
    GCAL_FEATURE_N_CATEGORIES,
};

/* When a profile has counts of a kind. */
enum gcal_feature_counted {
    GCAL_FEATURE_COUNTED_ALWAYS,
    GCAL_FEATURE_COUNTED_WITH_INDEX_ARITHMETIC,
    GCAL_FEATURE_COUNTED_WITH_BANKS,
    GCAL_FEATURE_COUNTED_WITH_SUB_GROUP,
    GCAL_FEATURE_COUNTED_WITH_TRAFFIC,
    GCAL_FEATURE_COUNTED_NEVER, /* it is measured */
    GCAL_FEATURE_COUNTED_DEVICE, /* it is the device's, of all kernels or one that it built */
};

struct gcal_feature_info {
    const char *name; /* without fields */
    unsigned fields;  /* of enum gcal_feature_field: those that may follow */
    bool in_order;    /* each may follow those before it alone, and not without them */
    enum gcal_feature_granularity granularity; /* the usual one */
    enum gcal_feature_work work;
    enum gcal_feature_execution execution;
    enum gcal_feature_category category; /* accesses: unless they are to local memory */
    enum gcal_feature_counted counted;
};

const struct gcal_feature_info *gcal_feature_info(enum gcal_feature_kind kind);

/* Kinds whose counts have a data type and an operation; accesses to arrays; copies between
 * host and device; the two components of a kernel's work.
 */
bool gcal_feature_is_op(enum gcal_feature_kind kind);
/* The kind of the entries of a profile that such a feature is a sum of: its own, but for footprints
 * by compute units.
 */
enum gcal_feature_kind gcal_feature_counted_kind(enum gcal_feature_kind kind);
/* Index arithmetic, which compilers mostly turn into steps of addresses, and comparisons,
 * selections, negations and conversions, which hardware often does as a part of another
 * operation: a model need not have a cost for them.
 */
bool gcal_feature_is_auxiliary(enum gcal_feature_kind kind);
bool gcal_feature_is_access(enum gcal_feature_kind kind);
bool gcal_feature_is_transfer(enum gcal_feature_kind kind);
bool gcal_feature_is_component(enum gcal_feature_kind kind);

/* ---- names ---- */

enum gcal_feature_space {
    GCAL_FEATURE_SPACE_ANY,
    GCAL_FEATURE_SPACE_GLOBAL,
    GCAL_FEATURE_SPACE_LOCAL,
    GCAL_FEATURE_SPACE_CONSTANT,
    GCAL_FEATURE_SPACE_IMAGE,
    GCAL_FEATURE_SPACE_PRIVATE, /* arrays that are in no registers */
    GCAL_FEATURE_N_SPACES
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
/* The host's memory of a copy: from malloc(), locked in place by the driver, or the
 * device's buffer, mapped.
 */
enum gcal_feature_host_memory {
    GCAL_FEATURE_HOST_ANY,
    GCAL_FEATURE_PAGEABLE,
    GCAL_FEATURE_PINNED,
    GCAL_FEATURE_MAPPED
};
/* Words for these, by their enumerations; "any" is the first of each. */
extern const char *const gcal_feature_space_names[GCAL_FEATURE_N_SPACES];
extern const char *const gcal_feature_direction_names[3];
extern const char *const gcal_feature_copy_direction_names[3];
extern const char *const gcal_feature_host_memory_names[4];
extern const char *const gcal_feature_granularity_names[4]; /* "work-item", ... */

enum gcal_feature_relation {
    GCAL_FEATURE_ANY,
    GCAL_FEATURE_EQ,
    GCAL_FEATURE_GT,
    GCAL_FEATURE_LT,
    GCAL_FEATURE_GE,
    GCAL_FEATURE_LE,
    GCAL_FEATURE_MULTIPLE /* of the bound, and not 0 */
};

struct gcal_feature_constraint {
    enum gcal_feature_relation relation; /* GCAL_FEATURE_ANY: none */
    char *bound;                         /* expression in the kernel's sizes */
};

/* A parsed name.  Texts are owned; NULL for absent fields. */
struct gcal_feature {
    enum gcal_feature_kind kind;
    char *dtype; /* "float32", or a set: "{float*,!float64}" */
    char *op;    /* "madd", or a set */
    char *tag;
    enum gcal_feature_space space;
    enum gcal_feature_direction direction;
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    size_t width; /* elements of a vector; 0: absent */
    struct gcal_feature_constraint lid_stride[GCAL_MAX_DIMS]; /* elements */
    struct gcal_feature_constraint gid_stride[GCAL_MAX_DIMS]; /* elements */
    struct gcal_feature_constraint afr; /* access-to-footprint ratio */
    char *platform, *device;
};

/* 0, or -1 with 'err' (GCAL_EINPUT) that has the grammar of the kind and the place that
 * does not fit it.
 */
int gcal_feature_parse(const char *name, struct gcal_feature *feature,
                       struct gcal_error *err);
void gcal_feature_clear(struct gcal_feature *feature);

/* Returns whether a field that is a word or a set has 'word'; NULL 'field': all words, NULL 'word':
 * none but in an absent field.
 */
bool gcal_feature_field_has(const char *field, const char *word);
/* Returns whether the name is of several operations: it has a set in braces, or is f_op, f_index or
 * f_aux without type or operation.  Names of counts are not.
 */
bool gcal_feature_is_class(const struct gcal_feature *feature);

/* Returns whether the name is of accesses of 'width' elements. */
bool gcal_feature_has_width(const struct gcal_feature *feature, size_t width);

/* Precedes every source for an OpenCL compiler: GPUCAL_TAG(name, a[i]) gives a memory access
 * a name for features and work removal.
 */
extern const char gcal_source_tag_prelude[];

/* Appends 'text' as a tag of letters and digits: "matmul_tiled" as "matmulTiled", or as
 * "MatmulTiled" with 'capital'.
 */
void gcal_tag_put(const char *text, bool capital, struct gcal_buf *out);

#endif
