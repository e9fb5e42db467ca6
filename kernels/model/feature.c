/* feature.c - the table of feature kinds, and names of accesses and kernels in features */
#include <ctype.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/model/feature.h"

#define ACCESS_FIELDS                                                                    \
    (GCAL_FEATURE_FIELD_TAG | GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_LSTRIDES |   \
     GCAL_FEATURE_FIELD_GSTRIDES | GCAL_FEATURE_FIELD_AFR)
#define TRAFFIC_FIELDS                                                                   \
    (GCAL_FEATURE_FIELD_SPACE | GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_DIRECTION)
#define MEETING_FIELDS                                                                   \
    (GCAL_FEATURE_FIELD_ATOMIC_SPACE | GCAL_FEATURE_FIELD_DTYPE |                        \
     GCAL_FEATURE_FIELD_ATOMIC_OP)
#define TRAFFIC(what, fields_, granularity_)                                             \
    {                                                                                    \
        .name = (what), .fields = (fields_), .granularity = (granularity_),              \
        .category = GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY,                                 \
        .counted = GCAL_FEATURE_COUNTED_WITH_TRAFFIC                                     \
    }
#define DEVICE(what)                                                                     \
    {                                                                                    \
        .name = (what), .granularity = GCAL_FEATURE_PER_KERNEL,                          \
        .counted = GCAL_FEATURE_COUNTED_DEVICE                                           \
    }
#define TRANSFER_FIELDS                                                                  \
    (GCAL_FEATURE_FIELD_COPY_DIRECTION | GCAL_FEATURE_FIELD_HOST_MEMORY)

static const struct gcal_feature_info kinds[GCAL_FEATURE_N_KINDS] = {
    [GCAL_FEATURE_OP] = {
        .name = "f_op",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .work = GCAL_FEATURE_WORK_OPERATIONS,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
    },
    [GCAL_FEATURE_INDEX_OP] = {
        .name = "f_index",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_INDEX_ARITHMETIC,
    },
    [GCAL_FEATURE_AUXILIARY_OP] = {
        .name = "f_aux",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_INDEX_ARITHMETIC,
    },
    [GCAL_FEATURE_JOINED_OP] = {
        .name = "f_joined",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_TRAFFIC,
    },
    [GCAL_FEATURE_MATRIX_OP] = {
        .name = "f_mma",
        .fields = GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .work = GCAL_FEATURE_WORK_MATRICES,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
    },
    [GCAL_FEATURE_MEM_ACCESS] = {
        .name = "f_mem_access",
        .fields = ACCESS_FIELDS | GCAL_FEATURE_FIELD_SPACE | GCAL_FEATURE_FIELD_DIRECTION |
                  GCAL_FEATURE_FIELD_WIDTH,
        .granularity = GCAL_FEATURE_PER_WORK_ITEM,
        .work = GCAL_FEATURE_WORK_ACCESSES,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY,
    },
    [GCAL_FEATURE_LOCAL_PASS] = {
        .name = "f_local_pass",
        .fields = GCAL_FEATURE_FIELD_TAG | GCAL_FEATURE_FIELD_DTYPE |
                  GCAL_FEATURE_FIELD_DIRECTION,
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .category = GCAL_FEATURE_CATEGORY_LOCAL_MEMORY,
        .counted = GCAL_FEATURE_COUNTED_WITH_BANKS,
    },
    [GCAL_FEATURE_SECTOR] = TRAFFIC("f_sector", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG,
                                    GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_LOOP_SECTOR] =
        TRAFFIC("f_loop_sector", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_LINE] = TRAFFIC("f_line", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG,
                                  GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_PARTIAL_SECTOR] =
        TRAFFIC("f_partial_sector", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_CACHE_PASS] =
        TRAFFIC("f_cache_pass", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_REGISTER_ACCESS] =
        TRAFFIC("f_register_access",
                GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_DIRECTION,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_FOOTPRINT_SUB_GROUP] =
        TRAFFIC("f_footprint_sub_group", TRAFFIC_FIELDS, GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_FOOTPRINT_GROUP] =
        TRAFFIC("f_footprint_group", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG, GCAL_FEATURE_PER_WORK_GROUP),
    [GCAL_FEATURE_FOOTPRINT_WAVE] =
        TRAFFIC("f_footprint_wave", TRAFFIC_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_OVERLAP_WAVE] =
        TRAFFIC("f_overlap_wave", TRAFFIC_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_FOOTPRINT_LAUNCH] =
        TRAFFIC("f_footprint_launch", TRAFFIC_FIELDS | GCAL_FEATURE_FIELD_TAG, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_FOOTPRINT_BLOCK] =
        TRAFFIC("f_footprint_block", TRAFFIC_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_FOOTPRINT_UNIT] =
        TRAFFIC("f_footprint_unit", TRAFFIC_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_FOOTPRINT_SHARED] =
        TRAFFIC("f_footprint_shared", TRAFFIC_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_LOAD_CHAIN] = TRAFFIC("f_load_chain", 0, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_LOAD_ROUND] = TRAFFIC("f_load_round", 0, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_LOAD_TRIP] = TRAFFIC("f_load_trip", 0, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_LOADS_IN_FLIGHT] =
        TRAFFIC("f_loads_in_flight", 0, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_OP_CHAIN] = {
        .name = "f_op_chain",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_TRAFFIC,
    },
    [GCAL_FEATURE_SERIAL_OP] = {
        .name = "f_serial_op",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_WORK_ITEM,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_TRAFFIC,
    },
    [GCAL_FEATURE_SERIAL_INDEX] = {
        .name = "f_serial_index",
        .fields = GCAL_FEATURE_FIELD_DTYPE | GCAL_FEATURE_FIELD_OP,
        .in_order = true,
        .granularity = GCAL_FEATURE_PER_WORK_ITEM,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_TRAFFIC,
    },
    [GCAL_FEATURE_ATOMIC_PASS] =
        TRAFFIC("f_atomic_pass", MEETING_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_ATOMIC_ADDRESS] =
        TRAFFIC("f_atomic_address", MEETING_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_ATOMIC_SECTOR] =
        TRAFFIC("f_atomic_sector", MEETING_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_ATOMIC_SECTOR_PASS] =
        TRAFFIC("f_atomic_sector_pass", MEETING_FIELDS | GCAL_FEATURE_FIELD_TAG,
                GCAL_FEATURE_PER_SUB_GROUP),
    [GCAL_FEATURE_ATOMIC_FOOTPRINT] =
        TRAFFIC("f_atomic_footprint", MEETING_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_ATOMIC_BLOCK] =
        TRAFFIC("f_atomic_block", MEETING_FIELDS, GCAL_FEATURE_PER_KERNEL),
    [GCAL_FEATURE_ATOMIC] = {
        .name = "f_atomic",
        .fields = ACCESS_FIELDS | GCAL_FEATURE_FIELD_ATOMIC_SPACE |
                  GCAL_FEATURE_FIELD_ATOMIC_OP,
        .granularity = GCAL_FEATURE_PER_WORK_ITEM,
        .work = GCAL_FEATURE_WORK_ACCESSES,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY,
    },
    [GCAL_FEATURE_DIVERGENT_BRANCH] = {
        .name = "f_divergent_branch",
        .granularity = GCAL_FEATURE_PER_SUB_GROUP,
        .execution = GCAL_FEATURE_EXECUTION_BY_GRANULARITY,
        .category = GCAL_FEATURE_CATEGORY_ARITHMETIC,
        .counted = GCAL_FEATURE_COUNTED_WITH_SUB_GROUP,
    },
    [GCAL_FEATURE_BARRIER_LOCAL] = {
        .name = "f_sync_barrier_local",
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .execution = GCAL_FEATURE_EXECUTION_BY_ALL,
        .category = GCAL_FEATURE_CATEGORY_BARRIER,
    },
    [GCAL_FEATURE_KERNEL_LAUNCH] = {
        .name = "f_sync_kernel_launch",
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_LAUNCH,
    },
    [GCAL_FEATURE_THREAD_GROUPS] = {
        .name = "f_thread_groups",
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_WORK_GROUPS,
    },
    [GCAL_FEATURE_WORK_ITEMS] = {
        .name = "f_work_items",
        .granularity = GCAL_FEATURE_PER_KERNEL,
    },
    [GCAL_FEATURE_LOCAL_MEMORY_BYTES] = {
        .name = "f_local_memory_bytes",
        .granularity = GCAL_FEATURE_PER_KERNEL,
    },
    [GCAL_FEATURE_PRIVATE_ARRAY_BYTES] = {
        .name = "f_private_array_bytes",
        .granularity = GCAL_FEATURE_PER_KERNEL,
    },
    [GCAL_FEATURE_TRANSFER_BYTES] = {
        .name = "f_transfer_bytes",
        .fields = TRANSFER_FIELDS,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .work = GCAL_FEATURE_WORK_COPIED_BYTES,
        .execution = GCAL_FEATURE_EXECUTION_BYTES,
        .category = GCAL_FEATURE_CATEGORY_TRANSFER,
    },
    [GCAL_FEATURE_TRANSFER_COPIES] = {
        .name = "f_transfer_copies",
        .fields = TRANSFER_FIELDS,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_TRANSFER,
    },
    [GCAL_FEATURE_MEMORY] = {
        .name = "f_memory",
        .fields = GCAL_FEATURE_FIELD_TAG,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY,
    },
    [GCAL_FEATURE_ONCHIP] = {
        .name = "f_onchip",
        .fields = GCAL_FEATURE_FIELD_TAG,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .category = GCAL_FEATURE_CATEGORY_ONCHIP,
    },
    [GCAL_FEATURE_DEVICE_COMPUTE_UNITS] = DEVICE("f_device_compute_units"),
    [GCAL_FEATURE_DEVICE_WORK_ITEMS] = DEVICE("f_device_work_items"),
    [GCAL_FEATURE_DEVICE_WORK_GROUPS] = DEVICE("f_device_work_groups"),
    [GCAL_FEATURE_DEVICE_LOCAL_MEMORY_BYTES] = DEVICE("f_device_local_memory_bytes"),
    [GCAL_FEATURE_DEVICE_CACHE_BYTES] = DEVICE("f_device_cache_bytes"),
    [GCAL_FEATURE_DEVICE_SUB_GROUP_SIZE] = DEVICE("f_device_sub_group_size"),
    [GCAL_FEATURE_DEVICE_REGISTERS] = DEVICE("f_device_registers"),
    [GCAL_FEATURE_KERNEL_REGISTERS] = DEVICE("f_kernel_registers"),
    [GCAL_FEATURE_KERNEL_PRIVATE_BYTES] = DEVICE("f_kernel_private_bytes"),
    [GCAL_FEATURE_WALL_TIME] = {
        .name = "f_cl_wall_time",
        .fields = GCAL_FEATURE_FIELD_DEVICE,
        .granularity = GCAL_FEATURE_PER_KERNEL,
        .counted = GCAL_FEATURE_COUNTED_NEVER,
    },
};

const char *const gcal_feature_space_names[] = { "any",      "global", "local",
                                                 "constant", "image",  "private" };
const char *const gcal_feature_direction_names[] = { "any", "load", "store" };
const char *const gcal_feature_copy_direction_names[] = { "any", "to_device",
                                                          "from_device" };
const char *const gcal_feature_host_memory_names[] = { "any", "pageable", "pinned",
                                                       "mapped" };
const char *const gcal_feature_granularity_names[] = { "work-item", "sub-group",
                                                       "work-group", "kernel" };

const struct gcal_feature_info *gcal_feature_info(enum gcal_feature_kind kind)
{
    return &kinds[kind];
}

bool gcal_feature_is_op(enum gcal_feature_kind kind)
{
    return (kinds[kind].fields & GCAL_FEATURE_FIELD_DTYPE) &&
           (kinds[kind].fields & (GCAL_FEATURE_FIELD_OP | GCAL_FEATURE_FIELD_ATOMIC_OP));
}

enum gcal_feature_kind gcal_feature_counted_kind(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_FOOTPRINT_UNIT || kind == GCAL_FEATURE_FOOTPRINT_SHARED
               ? GCAL_FEATURE_FOOTPRINT_GROUP
               : kind;
}

bool gcal_feature_is_auxiliary(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_INDEX_OP || kind == GCAL_FEATURE_AUXILIARY_OP;
}

bool gcal_feature_is_access(enum gcal_feature_kind kind)
{
    return (kinds[kind].fields & GCAL_FEATURE_FIELD_DTYPE) &&
           (kinds[kind].fields &
            (GCAL_FEATURE_FIELD_DIRECTION | GCAL_FEATURE_FIELD_ATOMIC_OP));
}

bool gcal_feature_is_transfer(enum gcal_feature_kind kind)
{
    return kinds[kind].fields & GCAL_FEATURE_FIELD_COPY_DIRECTION;
}

bool gcal_feature_is_component(enum gcal_feature_kind kind)
{
    return kinds[kind].fields == GCAL_FEATURE_FIELD_TAG;
}

/* ---- sets of words ---- */

/* Returns whether 'word' is like the 'length' characters of 'pattern', in which '*' is any text:
 * what follows the last '*' is moved along the word.
 */
static bool is_like(const char *pattern, size_t length, const char *word)
{
    const char *end = pattern + length, *star = NULL, *from = word;

    while (*word)
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            from = word;
        } else if (pattern < end && *pattern == *word) {
            pattern++;
            word++;
        } else if (star) {
            pattern = star;
            word = ++from;
        } else {
            return false;
        }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

static bool set_has(const char *set, const char *word)
{
    bool found = false, named = false;

    for (const char *at = set; *at == '{' || *at == ',';) {
        bool without = *++at == '!';
        size_t length = strcspn(at += without, ",}");
        bool here = is_like(at, length, word);

        if (without && here)
            return false;
        named = named || !without;
        found = found || (here && !without);
        at += length;
    }
    return found || !named;
}

bool gcal_feature_field_has(const char *field, const char *word)
{
    if (!field)
        return true;
    if (!word)
        return false;
    return *field == '{' ? set_has(field, word) : strcmp(field, word) == 0;
}

bool gcal_feature_is_class(const struct gcal_feature *feature)
{
    return (kinds[feature->kind].in_order && !feature->op) ||
           (feature->dtype && *feature->dtype == '{') ||
           (feature->op && *feature->op == '{');
}

/* ---- widths ---- */

static bool restricts(const struct gcal_feature_constraint *stride)
{
    return stride->relation != GCAL_FEATURE_ANY &&
           stride->relation != GCAL_FEATURE_MULTIPLE;
}

bool gcal_feature_has_width(const struct gcal_feature *feature, size_t width)
{
    if (feature->width)
        return feature->width == width;
    for (int axis = 0; axis < GCAL_MAX_DIMS; axis++)
        if (restricts(&feature->lid_stride[axis]) ||
            restricts(&feature->gid_stride[axis]))
            return width <= 1;
    return true;
}

/* ---- tags ---- */

const char gcal_source_tag_prelude[] = "#ifndef GPUCAL_TAG\n"
                                       "#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                                       "#endif\n"
                                       "#line 1\n";

void gcal_tag_put(const char *text, bool capital, struct gcal_buf *out)
{
    for (; *text; text++) {
        char c = *text;

        if (isalnum((unsigned char)c)) {
            c = (char)(capital ? toupper((unsigned char)c) : c);
            gcal_buf_put(out, &c, 1);
        }
        capital = !isalnum((unsigned char)*text);
    }
}
