/* image.c - images of a job, made from its buffers
 *
 * An argument that is an image has a buffer like others, with its texels one after another.
 * The image is made from it when the job is bound, and copied back for the check of results.
 */
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/device/private.h"

static cl_image_format format_of(const struct gcal_device_job_arg *arg)
{
    static const struct {
        const char *dtype;
        cl_channel_type type;
    } types[] = {
        { "float32", CL_FLOAT },         { "float16", CL_HALF_FLOAT },
        { "uint8", CL_UNSIGNED_INT8 },   { "int8", CL_SIGNED_INT8 },
        { "uint16", CL_UNSIGNED_INT16 }, { "int16", CL_SIGNED_INT16 },
        { "uint32", CL_UNSIGNED_INT32 }, { "int32", CL_SIGNED_INT32 },
    };
    cl_image_format format = { arg->channels == 1   ? CL_R
                               : arg->channels == 2 ? CL_RG
                                                    : CL_RGBA,
                               0 };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(types[i].dtype, arg->dtype) == 0)
            format.image_channel_data_type = types[i].type;
    return format;
}

cl_mem gcal_device_image_create(struct gcal_device *cl,
                                const struct gcal_device_job_arg *arg, cl_mem buffer,
                                cl_int *code)
{
    static const size_t origin[GCAL_MAX_DIMS] = { 0 };
    const cl_image_format format = format_of(arg);
    unsigned n_dims = arg->n_extents - arg->layered;
    const cl_image_desc desc = {
        .image_type = n_dims == 1    ? (arg->layered ? CL_MEM_OBJECT_IMAGE1D_ARRAY
                                                     : CL_MEM_OBJECT_IMAGE1D)
                      : n_dims == 3  ? CL_MEM_OBJECT_IMAGE3D
                      : arg->layered ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                     : CL_MEM_OBJECT_IMAGE2D,
        .image_width = arg->extents[0],
        .image_height = n_dims > 1 ? arg->extents[1] : 0,
        .image_depth = n_dims > 2 ? arg->extents[2] : 0,
        .image_array_size = arg->layered ? arg->extents[n_dims] : 0,
    };
    cl_mem image =
        clCreateImage(cl->context, CL_MEM_READ_WRITE, &format, &desc, NULL, code);

    if (*code != CL_SUCCESS)
        return NULL;
    *code = clEnqueueCopyBufferToImage(cl->queue, buffer, image, 0, origin, arg->extents,
                                       0, NULL, NULL);
    if (*code == CL_SUCCESS)
        *code = clFinish(cl->queue);
    if (*code == CL_SUCCESS)
        return image;
    clReleaseMemObject(image);
    return NULL;
}

int gcal_device_image_fail(const struct gcal_device *cl,
                           const struct gcal_device_job_arg *arg, cl_int code,
                           enum gcal_measurement_status *status, struct gcal_error *err)
{
    static const cl_device_info most[][GCAL_MAX_DIMS] = {
        { CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, 0 },
        { CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
          CL_DEVICE_IMAGE3D_MAX_DEPTH },
    };
    unsigned n_dims = arg->n_extents - arg->layered;
    cl_bool supported = CL_TRUE;
    char what[160];

    clGetDeviceInfo(cl->id, CL_DEVICE_IMAGE_SUPPORT, sizeof(supported), &supported, NULL);
    if (!supported) {
        *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
        return gcal_error_set(err, GCAL_EDEVICE,
                              "argument '%.60s': the device does not support images",
                              arg->name);
    }
    for (unsigned d = 0; d < arg->n_extents; d++) {
        cl_device_info info =
            d == n_dims ? CL_DEVICE_IMAGE_MAX_ARRAY_SIZE : most[n_dims > 2][d];
        size_t limit = SIZE_MAX;

        if (clGetDeviceInfo(cl->id, info, sizeof(limit), &limit, NULL) == CL_SUCCESS &&
            arg->extents[d] > limit) {
            *status = GCAL_MEASUREMENT_SKIPPED;
            return gcal_error_set(err, GCAL_EDEVICE,
                                  "image '%.60s' has an extent of %zu, the device takes "
                                  "%zu",
                                  arg->name, arg->extents[d], limit);
        }
    }
    if (arg->kind == GCAL_ARG_SAMPLER)
        snprintf(what, sizeof(what), "sampler '%.60s'", arg->name);
    else
        snprintf(what, sizeof(what),
                 "image '%.60s' of %zu x %zu x %zu texels with %u channels of %s",
                 arg->name, arg->extents[0], arg->extents[1], arg->extents[2],
                 arg->channels, arg->dtype);
    return gcal_device_fail(status, err, what, code);
}

cl_sampler gcal_device_sampler_create(struct gcal_device *cl,
                                      const struct gcal_device_job_arg *arg, cl_int *code)
{
    unsigned bits = (unsigned)arg->value;

    return clCreateSampler(
        cl->context, bits & GCAL_SAMPLER_NORMALIZED ? CL_TRUE : CL_FALSE,
        bits & GCAL_SAMPLER_REPEAT   ? CL_ADDRESS_REPEAT
        : bits & GCAL_SAMPLER_BORDER ? CL_ADDRESS_CLAMP
                                     : CL_ADDRESS_CLAMP_TO_EDGE,
        bits & GCAL_SAMPLER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, code);
}

cl_int gcal_device_image_store(struct gcal_device *cl,
                               const struct gcal_device_job_arg *arg, cl_mem image,
                               cl_mem buffer)
{
    static const size_t origin[GCAL_MAX_DIMS] = { 0 };
    cl_int code = clEnqueueCopyImageToBuffer(cl->queue, image, buffer, origin,
                                             arg->extents, 0, 0, NULL, NULL);

    return code == CL_SUCCESS ? clFinish(cl->queue) : code;
}
