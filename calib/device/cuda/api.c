/* api.c - the libraries of CUDA and HIP, loaded where they are installed */
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/device/cuda/private.h"

enum { OUT_OF_MEMORY = 2, LAUNCH_OUT_OF_RESOURCES = 701 };

/* Their errors, apart from all of OpenCL and its extensions. */
#define FIRST_CODE (-100000)

#define AT(member) offsetof(struct gcal_cuda_api, member)

/* By language; NULL: not needed there. */
static const struct {
    size_t at;
    const char *names[2];
} driver_functions[] = {
    { AT(Init), { "cuInit", "hipInit" } },
    { AT(DeviceGetByPCIBusId), { "cuDeviceGetByPCIBusId", "hipDeviceGetByPCIBusId" } },
    { AT(DeviceGetAttribute), { "cuDeviceGetAttribute", NULL } },
    { AT(DevicePrimaryCtxRetain),
      { "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain" } },
    { AT(CtxSetCurrent), { "cuCtxSetCurrent", "hipCtxSetCurrent" } },
    { AT(StreamCreate), { "cuStreamCreate", "hipStreamCreateWithFlags" } },
    { AT(StreamDestroy), { "cuStreamDestroy_v2", "hipStreamDestroy" } },
    { AT(StreamSynchronize), { "cuStreamSynchronize", "hipStreamSynchronize" } },
    { AT(EventCreate), { "cuEventCreate", "hipEventCreateWithFlags" } },
    { AT(EventDestroy), { "cuEventDestroy_v2", "hipEventDestroy" } },
    { AT(EventRecord), { "cuEventRecord", "hipEventRecord" } },
    { AT(EventSynchronize), { "cuEventSynchronize", "hipEventSynchronize" } },
    { AT(EventElapsedTime), { "cuEventElapsedTime", "hipEventElapsedTime" } },
    { AT(MemAlloc), { "cuMemAlloc_v2", "hipMalloc" } },
    { AT(MemFree), { "cuMemFree_v2", "hipFree" } },
    { AT(MemcpyHtoDAsync), { "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync" } },
    { AT(MemcpyDtoHAsync), { "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync" } },
    { AT(MemcpyDtoDAsync), { "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync" } },
    { AT(ModuleLoadData), { "cuModuleLoadData", "hipModuleLoadData" } },
    { AT(ModuleUnload), { "cuModuleUnload", "hipModuleUnload" } },
    { AT(ModuleGetFunction), { "cuModuleGetFunction", "hipModuleGetFunction" } },
    { AT(FuncGetAttribute), { "cuFuncGetAttribute", "hipFuncGetAttribute" } },
    { AT(FuncSetAttribute), { "cuFuncSetAttribute", NULL } },
    { AT(LaunchKernel), { "cuLaunchKernel", "hipModuleLaunchKernel" } },
}, compiler_functions[] = {
    { AT(CreateProgram), { "nvrtcCreateProgram", "hiprtcCreateProgram" } },
    { AT(DestroyProgram), { "nvrtcDestroyProgram", "hiprtcDestroyProgram" } },
    { AT(AddNameExpression), { "nvrtcAddNameExpression", "hiprtcAddNameExpression" } },
    { AT(CompileProgram), { "nvrtcCompileProgram", "hiprtcCompileProgram" } },
    { AT(GetProgramLogSize), { "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize" } },
    { AT(GetProgramLog), { "nvrtcGetProgramLog", "hiprtcGetProgramLog" } },
    { AT(GetLoweredName), { "nvrtcGetLoweredName", "hiprtcGetLoweredName" } },
    { AT(GetCodeSize), { "nvrtcGetCUBINSize", "hiprtcGetCodeSize" } },
    { AT(GetCode), { "nvrtcGetCUBIN", "hiprtcGetCode" } },
};

/* Newest first: a driver runs what older compilers made. */
static const char *const libraries[2][2][6] = {
    { { "libcuda.so.1" },
      { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" } },
    { { "libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5" },
      { "libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5" } },
};

/* Folders of toolkits, which need not be on the loader's path. */
static const char *const toolkits[2] = { "/usr/local/cuda/lib64", "/opt/rocm/lib" };

static struct gcal_cuda_api loaded[2];
static struct gcal_error load_errors[2];

static void *open_library(int which, int part)
{
    const char *const *names = libraries[which][part];
    void *library = NULL;

    for (size_t i = 0; !library && i < 6 && names[i]; i++) {
        char *path = gcal_buf_format("%s/%s", toolkits[which], names[i]);

        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library && path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        free(path);
    }
    return library;
}

static int load_part(int which, int part, struct gcal_error *err)
{
    static const char *const packages[2][2] = {
        { "NVIDIA's driver (libcuda.so.1)",
          "NVRTC, which CUDA's toolkit has (libnvrtc.so)" },
        { "AMD's ROCm (libamdhip64.so)", "HIPRTC, which ROCm has (libhiprtc.so)" },
    };
    size_t n = part ? sizeof(compiler_functions) / sizeof(*compiler_functions)
                    : sizeof(driver_functions) / sizeof(*driver_functions);
    void *library = open_library(which, part);

    if (!library)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "measuring %s kernels needs %s: install it, or give its "
                              "folder in LD_LIBRARY_PATH",
                              which ? "HIP" : "CUDA", packages[which][part]);
    for (size_t i = 0; i < n; i++) {
        const char *name =
            part ? compiler_functions[i].names[which] : driver_functions[i].names[which];
        size_t at = part ? compiler_functions[i].at : driver_functions[i].at;
        void *found = name ? dlsym(library, name) : NULL;

        if (name && !found)
            return gcal_error_set(err, GCAL_EDEVICE,
                                  "%s is too old or too new: it has no function %s",
                                  packages[which][part], name);
        memcpy((char *)&loaded[which] + at, &found, sizeof(found));
    }
    return 0;
}

static void load(void)
{
    for (int which = 0; which < 2; which++)
        if (load_part(which, 0, &load_errors[which]) == 0 &&
            load_part(which, 1, &load_errors[which]) == 0 && loaded[which].Init(0) != 0)
            gcal_error_set(&load_errors[which], GCAL_EDEVICE,
                           "the %s driver finds no GPU", which ? "HIP" : "CUDA");
}

const struct gcal_cuda_api *gcal_cuda_api(enum gcal_source_language language,
                                          struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int which = language == GCAL_SOURCE_HIP;

    pthread_once(&once, load);
    if (!*load_errors[which].text)
        return &loaded[which];
    if (err)
        *err = load_errors[which];
    return NULL;
}

char *gcal_cuda_include_folder(const struct gcal_cuda_api *api)
{
    void *function;
    char *path, *folder = NULL;
    Dl_info at;

    memcpy(&function, &api->CompileProgram, sizeof(function));
    if (!dladdr(function, &at) || !(path = realpath(at.dli_fname, NULL)))
        return NULL;
    for (int up = 0; up < 5 && strcmp(path, "/") != 0; up++) { /* .../targets/x/lib */
        dirname(path);
        if ((folder = gcal_buf_format("%s/include", path)) && access(folder, F_OK) == 0)
            break;
        free(folder);
        folder = NULL;
    }
    free(path);
    return folder;
}

cl_int gcal_cuda_code(int error)
{
    return error == 0                         ? CL_SUCCESS
           : error == OUT_OF_MEMORY           ? CL_MEM_OBJECT_ALLOCATION_FAILURE
           : error == LAUNCH_OUT_OF_RESOURCES ? CL_OUT_OF_RESOURCES
                                              : FIRST_CODE - error;
}

const char *gcal_cuda_error_name(cl_int code)
{
    static const struct {
        int error;
        const char *what;
    } names[] = {
        { 1, "a wrong argument" },
        { 209, "no code for this GPU" },
        { 218, "code that the driver cannot read: is it older than the compiler?" },
        { 400, "a wrong handle" },
        { 500, "no such kernel" },
        { 700, "an access outside of memory" },
        { 702, "the launch took too long" },
        { 716, "an address that is not aligned" },
        { 719, "the launch failed" },
    };
    static char text[120];
    int error = FIRST_CODE - code;

    if (code > FIRST_CODE)
        return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].error == error) {
            snprintf(text, sizeof(text), "CUDA or HIP error %d: %s", error,
                     names[i].what);
            return text;
        }
    snprintf(text, sizeof(text), "CUDA or HIP error %d", error);
    return text;
}
