/* error.c - OpenCL errors as names and measurement statuses */
#include <stdio.h>

#include "kernels/base/error.h"
#include "calib/device/cuda/cuda.h"
#include "calib/device/private.h"

const char *gcal_device_error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        { CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND" },
        { CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM" },
        { CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
        { CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
        { CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
        { CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
        { CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE" },
        { CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
        { CL_INVALID_VALUE, "CL_INVALID_VALUE" },
        { CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE" },
        { CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED" },
        { CL_INVALID_IMAGE_DESCRIPTOR, "CL_INVALID_IMAGE_DESCRIPTOR" },
        { CL_INVALID_OPERATION, "CL_INVALID_OPERATION" },
        { CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
        { CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME" },
        { CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX" },
        { CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE" },
        { CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
        { CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
        { CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE" },
        { CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE" },
        { CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE" },
    };
    static char other[40];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].code == code)
            return names[i].name;
    if (gcal_cuda_error_name(code))
        return gcal_cuda_error_name(code);
    snprintf(other, sizeof(other), "OpenCL error %d", code);
    return other;
}

bool gcal_device_is_shortage(cl_int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE ||
           code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE;
}

int gcal_device_fail(enum gcal_measurement_status *status, struct gcal_error *err,
                     const char *what, cl_int code)
{
    *status = gcal_device_is_shortage(code) ? GCAL_MEASUREMENT_SKIPPED
                                            : GCAL_MEASUREMENT_LAUNCH_FAILED;
    return gcal_error_set(err, GCAL_EDEVICE, "%s: %s", what,
                          gcal_device_error_name(code));
}
