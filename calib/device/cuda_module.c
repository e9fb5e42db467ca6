/* cuda_module.c - registers of a kernel, from a program's PTX and the CUDA driver
 *
 * Its context stays open beside OpenCL's, because opening one takes longer than compiling
 * most kernels; nothing runs in it.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "calib/device/private.h"

enum { CUDA_SUCCESS = 0, FUNCTION_NUM_REGS = 4 };

struct gcal_device_cuda {
    int device;
    void *context;
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*find)(void **function, void *module, const char *name);
    int (*ask)(int *value, int attribute, void *function);
};

static bool find_functions(struct gcal_device_cuda *cuda, void *library)
{
    cuda->retain = (int (*)(void **, int))dlsym(library, "cuDevicePrimaryCtxRetain");
    cuda->release = (int (*)(int))dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    cuda->push = (int (*)(void *))dlsym(library, "cuCtxPushCurrent_v2");
    cuda->pop = (int (*)(void **))dlsym(library, "cuCtxPopCurrent_v2");
    cuda->load = (int (*)(void **, const void *))dlsym(library, "cuModuleLoadData");
    cuda->unload = (int (*)(void *))dlsym(library, "cuModuleUnload");
    cuda->find = (int (*)(void **, void *, const char *))dlsym(library, //
                                                               "cuModuleGetFunction");
    cuda->ask = (int (*)(int *, int, void *))dlsym(library, "cuFuncGetAttribute");
    return cuda->retain && cuda->release && cuda->push && cuda->pop && cuda->load &&
           cuda->unload && cuda->find && cuda->ask;
}

struct gcal_device_cuda *gcal_device_cuda_open(const char *pci)
{
    struct gcal_device_cuda *cuda = calloc(1, sizeof(*cuda));
    void *library = cuda ? gcal_device_cuda_find(pci, &cuda->device) : NULL;

    if (library && find_functions(cuda, library) &&
        cuda->retain(&cuda->context, cuda->device) == CUDA_SUCCESS)
        return cuda;
    free(cuda);
    return NULL;
}

void gcal_device_cuda_close(struct gcal_device_cuda *cuda)
{
    if (cuda)
        cuda->release(cuda->device);
    free(cuda);
}

uint64_t gcal_device_cuda_registers(struct gcal_device_cuda *cuda, const char *binary,
                                    const char *entry)
{
    void *module = NULL, *function = NULL, *before;
    int registers = 0;

    if (cuda->push(cuda->context) != CUDA_SUCCESS)
        return 0;
    if (cuda->load(&module, binary) == CUDA_SUCCESS) {
        if (cuda->find(&function, module, entry) != CUDA_SUCCESS ||
            cuda->ask(&registers, FUNCTION_NUM_REGS, function) != CUDA_SUCCESS)
            registers = 0;
        cuda->unload(module);
    }
    cuda->pop(&before);
    return registers > 0 ? (uint64_t)registers : 0;
}
