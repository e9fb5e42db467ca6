/* catalogue_limits.c - what of a generator's kernels a device can run */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/random.h"
#include "kernels/catalogue_private.h"
#include "kernels/clang.h"

const struct gcal_kernel_limits gcal_nominal_limits = {
    .cache_bytes = 4 << 20,
    .memory_bytes = 1 << 30,
    .fp16 = true,
    .fp64 = true,
};

const char *gcal_left_out_name(enum gcal_left_out reason)
{
    static const char *const names[] = {
        [GCAL_LEFT_OUT_WORK_GROUP] = "larger work-groups than the device takes",
        [GCAL_LEFT_OUT_LOCAL_MEMORY] = "more local memory than the device has",
        [GCAL_LEFT_OUT_FP16] = "float16, which the device does not have",
        [GCAL_LEFT_OUT_FP64] = "float64, which the device does not have",
        [GCAL_LEFT_OUT_FOOTPRINT] = "a footprint that is too small for any size",
    };

    return names[reason];
}

/* A dtype of an argument of the kernel's or of the generator's. */
static bool has_dtype(const struct gcal_setting *s, const struct gcal_kernel *kernel,
                      const char *dtype)
{
    for (size_t i = 0; i < kernel->n_args; i++)
        if (strcmp(kernel->args[i].dtype, dtype) == 0)
            return true;
    for (size_t i = 0; i < s->generator->n_arguments; i++)
        if (strcmp(s->values[i], dtype) == 0)
            return true;
    return false;
}

bool gcal_limits_allow(const struct gcal_kernel_limits *limits,
                       const struct gcal_setting *s, const struct gcal_kernel *kernel,
                       enum gcal_left_out *reason)
{
    size_t work_group = 1;

    for (size_t i = 0; i < kernel->n_dims; i++)
        work_group *= kernel->local_size[i];
    if (limits->max_work_group_size && work_group > limits->max_work_group_size)
        *reason = GCAL_LEFT_OUT_WORK_GROUP;
    else if (!limits->fp16 && has_dtype(s, kernel, "float16"))
        *reason = GCAL_LEFT_OUT_FP16;
    else if (!limits->fp64 && has_dtype(s, kernel, "float64"))
        *reason = GCAL_LEFT_OUT_FP64;
    else
        return true;
    return false;
}

/* ---- local memory ---- */

struct local_memory {
    const struct gcal_unit *unit;
    double bytes;
};

static enum CXChildVisitResult add_variable(CXCursor c, CXCursor parent,
                                            CXClientData data)
{
    struct local_memory *local = data;
    const struct gcal_clang *clang = local->unit->clang;

    (void)parent;
    if (clang->getCursorKind(c) == CXCursor_VarDecl) {
        CXType type = clang->getCursorType(c);
        long long bytes = clang->Type_getSizeOf(type);

        if (gcal_type_space(local->unit, type) == GCAL_SPACE_LOCAL && bytes > 0)
            local->bytes += (double)bytes;
    }
    return CXChildVisit_Recurse;
}

int gcal_local_bytes(const struct gcal_setting *s, const struct gcal_kernel *kernel,
                     double *bytes, struct gcal_error *err)
{
    struct gcal_count_request request = gcal_kernel_request(s, kernel);
    struct local_memory local = { 0 };
    struct gcal_unit *unit;
    CXCursor cursor;
    int rc;

    *bytes = 0;
    if (!strstr(kernel->source, "local "))
        return 0;
    if (!(unit = gcal_unit_parse(GCAL_LANGUAGE_OPENCL, request.source, request.file,
                                 request.build_options, err)))
        return -1;
    local.unit = unit;
    if ((rc = gcal_unit_kernel(unit, request.kernel, &cursor, err)) == 0)
        unit->clang->visitChildren(cursor, add_variable, &local);
    gcal_unit_close(unit);
    *bytes = local.bytes;
    return rc;
}
