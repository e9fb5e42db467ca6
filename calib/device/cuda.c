/* cuda.c - what only the CUDA driver says of an NVIDIA GPU
 *
 * NVIDIA's CL_DEVICE_GLOBAL_MEM_CACHE_SIZE counts the multiprocessors' first-level
 * caches, about 32 KB each; the cache that they share is hundreds of times larger.  What
 * a multiprocessor holds at a time, OpenCL has no query for.  Only attributes are queried
 * here: without a context, OpenCL in the same process is not affected.
 */
#include <dlfcn.h>
#include <math.h>

#include "calib/device/private.h"

enum {
    CUDA_SUCCESS = 0,
    /* attributes of devices */
    L2_CACHE_SIZE = 38,
    MAX_THREADS_PER_MULTIPROCESSOR = 39,
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
};

struct cuda {
    int (*ask)(int *value, int attribute, int device);
    int device;
};

void *gcal_device_cuda_find(const char *pci, int *device)
{
    /* Never closed: the OpenCL driver may use the library, too. */
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned flags);
    int (*find)(int *device, const char *pci);

    if (!library)
        return NULL;
    init = (int (*)(unsigned))dlsym(library, "cuInit");
    find = (int (*)(int *, const char *))dlsym(library, "cuDeviceGetByPCIBusId");
    return init && find && init(0) == CUDA_SUCCESS && find(device, pci) == CUDA_SUCCESS
               ? library
               : NULL;
}

static bool open_cuda(struct cuda *cuda, const char *pci)
{
    void *library = gcal_device_cuda_find(pci, &cuda->device);

    if (!library)
        return false;
    cuda->ask = (int (*)(int *, int, int))dlsym(library, "cuDeviceGetAttribute");
    return cuda->ask;
}

/* 0 if the driver does not know it. */
static unsigned attribute(const struct cuda *cuda, int which)
{
    int value = 0;

    return cuda->ask(&value, which, cuda->device) == CUDA_SUCCESS && value > 0
               ? (unsigned)value
               : 0;
}

void gcal_device_cuda_ask(struct gcal_device_info *info)
{
    struct cuda cuda;
    unsigned registers;

    if (!*info->pci || !open_cuda(&cuda, info->pci))
        return;
    info->cache_bytes = fmax(info->cache_bytes, attribute(&cuda, L2_CACHE_SIZE));
    info->resident_work_items = attribute(&cuda, MAX_THREADS_PER_MULTIPROCESSOR);
    info->resident_work_groups = attribute(&cuda, MAX_BLOCKS_PER_MULTIPROCESSOR);
    info->unit_local_memory_bytes =
        attribute(&cuda, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    if ((registers = attribute(&cuda, MAX_REGISTERS_PER_MULTIPROCESSOR)))
        info->unit_registers = registers;
}
