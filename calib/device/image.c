/* image.c - images of a job, made from its buffers
 *
 * An argument that is an image has a buffer like others, with its texels one after another.
 * The image is made from it when the job is bound, and copied back for the check of results.
 */
#include <string.h>

#include "kernels/model/dtype.h"
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
    const cl_image_desc desc = {
        .image_type = arg->n_extents == 1   ? CL_MEM_OBJECT_IMAGE1D
                      : arg->n_extents == 2 ? CL_MEM_OBJECT_IMAGE2D
                                            : CL_MEM_OBJECT_IMAGE3D,
        .image_width = arg->extents[0],
        .image_height = arg->n_extents > 1 ? arg->extents[1] : 0,
        .image_depth = arg->n_extents > 2 ? arg->extents[2] : 0,
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

cl_int gcal_device_image_store(struct gcal_device *cl,
                               const struct gcal_device_job_arg *arg, cl_mem image,
                               cl_mem buffer)
{
    static const size_t origin[GCAL_MAX_DIMS] = { 0 };
    cl_int code = clEnqueueCopyImageToBuffer(cl->queue, image, buffer, origin,
                                             arg->extents, 0, 0, NULL, NULL);

    return code == CL_SUCCESS ? clFinish(cl->queue) : code;
}
