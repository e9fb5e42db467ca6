/* feature.c - feature names, taken apart */
#include "calib/model/feature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/expr.h"

#define MAX_NAME 512

const char *const gcal_feature_copy_direction_names[] = { "any", "to_device",
                                                          "from_device" };
const char *const gcal_feature_host_memory_names[] = { "any", "pageable", "pinned",
                                                       "mapped" };

struct reader {
    const char *name, *at;
    struct gcal_error *err;
};

static int fail(const struct reader *r, const char *what)
{
    return gcal_error_set(r->err, GCAL_EINPUT, "feature '%.200s': %s at '%.60s'", r->name,
                          what, r->at);
}

void gcal_feature_clear(struct gcal_feature *feature)
{
    free(feature->dtype);
    free(feature->op);
    free(feature->tag);
    free(feature->platform);
    free(feature->device);
    free(feature->afr.bound);
    for (int i = 0; i < GCAL_MAX_DIMS; i++) {
        free(feature->lid_stride[i].bound);
        free(feature->gid_stride[i].bound);
    }
    *feature = (struct gcal_feature){ 0 };
}

static bool accept(struct reader *r, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* The next 'length' characters as a text of their own. */
static int take(struct reader *r, size_t length, char **text)
{
    if (!(*text = strndup(r->at, length)))
        return gcal_error_memory(r->err);
    r->at += length;
    return 0;
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static int read_dtype(struct reader *r, char **dtype)
{
    const char *start = r->at;

    if (take(r, word_length(r->at), dtype) < 0)
        return -1;
    if (gcal_dtype_size(*dtype))
        return 0;
    r->at = start;
    return fail(r, "expected a data type such as float32");
}

static bool is_identifier(const char *at)
{
    return *at && strspn(at, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(at);
}

/* What stands behind f_op_ and f_index_: <dtype>_<op> */
static int read_op(struct reader *r, struct gcal_feature *f, enum gcal_feature_kind kind)
{
    f->kind = kind;
    if (read_dtype(r, &f->dtype) < 0)
        return -1;
    if (!accept(r, "_") || !is_identifier(r->at))
        return fail(r, "expected _<operation>");
    return take(r, strlen(r->at), &f->op);
}

/* [relation] expression, up to any character of 'end' that is in no bracket. */
static int read_constraint(struct reader *r, const char *end,
                           struct gcal_feature_constraint *constraint)
{
    static const struct {
        const char *text;
        enum gcal_feature_relation relation;
    } relations[] = { { ">=", GCAL_FEATURE_GE }, { "<=", GCAL_FEATURE_LE },
                      { ">", GCAL_FEATURE_GT },  { "<", GCAL_FEATURE_LT },
                      { "=", GCAL_FEATURE_EQ },  { "", GCAL_FEATURE_EQ } };
    struct gcal_error inner;
    struct gcal_expr *expr;
    size_t i = 0, length = 0;
    int depth = 0;

    while (!accept(r, relations[i].text))
        i++;
    constraint->relation = relations[i].relation;
    for (; r->at[length] && (depth > 0 || !strchr(end, r->at[length])); length++)
        depth += (r->at[length] == '(') - (r->at[length] == ')');
    if (take(r, length, &constraint->bound) < 0)
        return -1;
    if (!(expr = gcal_expr_parse(constraint->bound, &inner))) {
        r->at -= length;
        return gcal_error_set(r->err, GCAL_EINPUT,
                              "feature '%.200s': constraint '%.60s': %.200s", r->name,
                              constraint->bound, inner.text);
    }
    gcal_expr_destroy(expr);
    return 0;
}

/* {axis:constraint;..} */
static int read_strides(struct reader *r, struct gcal_feature_constraint *strides)
{
    if (accept(r, "{}"))
        return 0;
    if (!accept(r, "{"))
        return fail(r, "expected {axis:constraint;..}");
    do {
        int axis = *r->at - '0';

        if (axis < 0 || axis >= GCAL_MAX_DIMS || r->at[1] != ':')
            return fail(r, "expected an axis 0, 1 or 2 and ':'");
        if (strides[axis].relation != GCAL_FEATURE_ANY)
            return fail(r, "an axis that stands there already");
        r->at += 2;
        if (read_constraint(r, ";}", &strides[axis]) < 0)
            return -1;
    } while (accept(r, ";"));
    return accept(r, "}") ? 0 : fail(r, "expected ';' or '}'");
}

enum field { TAG, SPACE, DTYPE, DIRECTION, ATOMIC_OP, LSTRIDES, GSTRIDES, AFR };

static const char *const atomic_ops[] = { "add",  "sub",   "inc",    "dec", "xchg",
                                          "min",  "max",   "and",    "or",  "xor",
                                          "load", "store", "cmpxchg" };

static bool is_atomic_op(const char *at)
{
    size_t length = word_length(at);

    for (size_t i = 0; i < sizeof(atomic_ops) / sizeof(*atomic_ops); i++)
        if (strlen(atomic_ops[i]) == length && strncmp(at, atomic_ops[i], length) == 0)
            return true;
    return false;
}

static enum field which_field(const char *at, enum gcal_feature_kind kind)
{
    static const struct {
        const char *text;
        enum field field;
    } fields[] = { { "tag:", TAG },           { "lstrides:", LSTRIDES },
                   { "gstrides:", GSTRIDES }, { "afr:", AFR },
                   { "global", SPACE },       { "local", SPACE },
                   { "constant", SPACE },     { "load", DIRECTION },
                   { "store", DIRECTION } };

    if (kind == GCAL_FEATURE_ATOMIC && is_atomic_op(at))
        return ATOMIC_OP;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        if (strncmp(at, fields[i].text, strlen(fields[i].text)) == 0)
            return fields[i].field;
    return DTYPE;
}

static bool has_field(enum gcal_feature_kind kind, enum field field)
{
    return kind != GCAL_FEATURE_LOCAL_PASS || field == TAG || field == DTYPE ||
           field == DIRECTION;
}

static int read_tag(struct reader *r, struct gcal_feature *f)
{
    if (word_length(r->at) == 0)
        return fail(r, "expected a tag of letters and digits");
    return take(r, word_length(r->at), &f->tag);
}

static int read_field(struct reader *r, struct gcal_feature *f, enum field field)
{
    switch (field) {
    case TAG:
        accept(r, "tag:");
        return read_tag(r, f);
    case SPACE:
        f->space = accept(r, "global")  ? GCAL_FEATURE_SPACE_GLOBAL
                   : accept(r, "local") ? GCAL_FEATURE_SPACE_LOCAL
                                        : GCAL_FEATURE_SPACE_CONSTANT;
        accept(r, "constant");
        return 0;
    case DTYPE:
        return read_dtype(r, &f->dtype);
    case DIRECTION:
        f->direction = accept(r, "load") ? GCAL_FEATURE_LOAD : GCAL_FEATURE_STORE;
        accept(r, "store");
        return 0;
    case ATOMIC_OP:
        return take(r, word_length(r->at), &f->op);
    case LSTRIDES:
        accept(r, "lstrides:");
        return read_strides(r, f->lid_stride);
    case GSTRIDES:
        accept(r, "gstrides:");
        return read_strides(r, f->gid_stride);
    case AFR:
        accept(r, "afr:");
        return read_constraint(r, "", &f->afr);
    }
    return -1;
}

/* What stands behind f_mem_access, f_atomic and f_local_pass. */
static int read_access(struct reader *r, struct gcal_feature *f,
                       enum gcal_feature_kind kind)
{
    int last = -1;

    f->kind = kind;
    while (accept(r, "_")) {
        enum field field = which_field(r->at, kind);

        if ((int)field <= last)
            return fail(r, "fields come once, in the order tag, memory, data type, "
                           "direction or operation, lstrides, gstrides, afr, which is "
                           "not so");
        if (!has_field(kind, field))
            return fail(r, "expected a tag, a data type, load or store");
        last = (int)field;
        if (read_field(r, f, field) < 0)
            return -1;
        if (kind == GCAL_FEATURE_ATOMIC && f->space == GCAL_FEATURE_SPACE_CONSTANT)
            return fail(r, "constant memory has no atomics");
    }
    return *r->at ? fail(r, "expected '_' and a field") : 0;
}

/* What stands behind f_memory and f_onchip: [_tag:<name>] */
static int read_part(struct reader *r, struct gcal_feature *f,
                     enum gcal_feature_kind kind)
{
    f->kind = kind;
    if (accept(r, "_tag:") && read_tag(r, f) < 0)
        return -1;
    return *r->at ? fail(r, "expected nothing or _tag:<name>") : 0;
}

/* The one of 'names' that stands here behind '_', from the second on; 0 for none. */
static int read_word(struct reader *r, const char *const *names, int n)
{
    for (int i = 1; i < n; i++) {
        size_t length = strlen(names[i]);

        if (*r->at == '_' && strncmp(r->at + 1, names[i], length) == 0) {
            r->at += 1 + length;
            return i;
        }
    }
    return 0;
}

/* What stands behind f_transfer_bytes and f_transfer_copies. */
static int read_transfer(struct reader *r, struct gcal_feature *f,
                         enum gcal_feature_kind kind)
{
    f->kind = kind;
    f->way = (enum gcal_feature_copy_direction)read_word(
        r, gcal_feature_copy_direction_names, 3);
    f->host =
        (enum gcal_feature_host_memory)read_word(r, gcal_feature_host_memory_names, 4);
    return *r->at ? fail(r, "expected _to_device or _from_device, then _pageable, "
                            "_pinned or _mapped, or less of that,")
                  : 0;
}

/* f_cl_wall_time[_<platform>_<device>] */
static int read_wall_time(struct reader *r, struct gcal_feature *f)
{
    f->kind = GCAL_FEATURE_WALL_TIME;
    if (!*r->at)
        return 0;
    if (!accept(r, "_") || word_length(r->at) == 0)
        return fail(r, "expected _<platform>_<device>");
    if (take(r, word_length(r->at), &f->platform) < 0)
        return -1;
    if (!accept(r, "_") || !is_identifier(r->at))
        return fail(r, "expected _<device>");
    return take(r, strlen(r->at), &f->device);
}

static int read_feature(struct reader *r, struct gcal_feature *f)
{
    static const struct {
        const char *name;
        enum gcal_feature_kind kind;
    } plain[] = { { "f_sync_barrier_local", GCAL_FEATURE_BARRIER_LOCAL },
                  { "f_sync_kernel_launch", GCAL_FEATURE_KERNEL_LAUNCH },
                  { "f_thread_groups", GCAL_FEATURE_THREAD_GROUPS },
                  { "f_work_items", GCAL_FEATURE_WORK_ITEMS },
                  { "f_divergent_branch", GCAL_FEATURE_DIVERGENT_BRANCH },
                  { "f_local_memory_bytes", GCAL_FEATURE_LOCAL_MEMORY_BYTES },
                  { "f_private_array_bytes", GCAL_FEATURE_PRIVATE_ARRAY_BYTES } };

    if (strlen(r->name) > MAX_NAME)
        return fail(r, "the name is too long");
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        if (strcmp(r->name, plain[i].name) == 0) {
            f->kind = plain[i].kind;
            return 0;
        }
    if (accept(r, "f_op_"))
        return read_op(r, f, GCAL_FEATURE_OP);
    if (accept(r, "f_index_"))
        return read_op(r, f, GCAL_FEATURE_INDEX_OP);
    if (accept(r, "f_mem_access"))
        return read_access(r, f, GCAL_FEATURE_MEM_ACCESS);
    if (accept(r, "f_memory"))
        return read_part(r, f, GCAL_FEATURE_MEMORY);
    if (accept(r, "f_onchip"))
        return read_part(r, f, GCAL_FEATURE_ONCHIP);
    if (accept(r, "f_atomic"))
        return read_access(r, f, GCAL_FEATURE_ATOMIC);
    if (accept(r, "f_local_pass"))
        return read_access(r, f, GCAL_FEATURE_LOCAL_PASS);
    if (accept(r, "f_transfer_bytes"))
        return read_transfer(r, f, GCAL_FEATURE_TRANSFER_BYTES);
    if (accept(r, "f_transfer_copies"))
        return read_transfer(r, f, GCAL_FEATURE_TRANSFER_COPIES);
    if (accept(r, "f_cl_wall_time"))
        return read_wall_time(r, f);
    return gcal_error_set(r->err, GCAL_EINPUT,
                          "no feature '%.60s'; features are f_op_<dtype>_<op>, "
                          "f_index_<dtype>_<op>, f_mem_access..., f_atomic..., "
                          "f_local_pass..., f_divergent_branch, f_sync_barrier_local, "
                          "f_sync_kernel_launch, f_thread_groups, f_work_items, "
                          "f_local_memory_bytes, f_private_array_bytes, "
                          "f_memory..., f_onchip..., f_transfer_bytes..., "
                          "f_transfer_copies... and f_cl_wall_time",
                          r->name);
}

bool gcal_feature_is_op(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_OP || kind == GCAL_FEATURE_INDEX_OP ||
           kind == GCAL_FEATURE_ATOMIC;
}

bool gcal_feature_is_access(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_MEM_ACCESS || kind == GCAL_FEATURE_ATOMIC ||
           kind == GCAL_FEATURE_LOCAL_PASS;
}

bool gcal_feature_is_transfer(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_TRANSFER_BYTES || kind == GCAL_FEATURE_TRANSFER_COPIES;
}

bool gcal_feature_is_component(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_MEMORY || kind == GCAL_FEATURE_ONCHIP;
}

int gcal_feature_parse(const char *name, struct gcal_feature *feature,
                       struct gcal_error *err)
{
    struct reader r = { name, name, err };
    struct gcal_feature f = { 0 };

    if (read_feature(&r, &f) < 0) {
        gcal_feature_clear(&f);
        return -1;
    }
    *feature = f;
    return 0;
}
