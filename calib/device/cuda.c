/* cuda.c - the size of an NVIDIA GPU's L2 cache, from the CUDA driver
 *
 * NVIDIA's CL_DEVICE_GLOBAL_MEM_CACHE_SIZE counts the multiprocessors' first-level
 * caches, about 32 KB each; the cache that they share is hundreds of times larger.  Only
 * attributes are queried: without a context, OpenCL in the same process is not affected.
 */
#include <dlfcn.h>

#include "calib/device/private.h"

enum { CUDA_SUCCESS = 0, L2_CACHE_SIZE = 38 };

double gcal_device_cuda_cache_bytes(const char *pci)
{
    /* Never closed: the OpenCL driver may use the library, too. */
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned flags);
    int (*find)(int *device, const char *pci);
    int (*ask)(int *value, int attribute, int device);
    int device, bytes = 0;

    if (!library)
        return 0;
    init = (int (*)(unsigned))dlsym(library, "cuInit");
    find = (int (*)(int *, const char *))dlsym(library, "cuDeviceGetByPCIBusId");
    ask = (int (*)(int *, int, int))dlsym(library, "cuDeviceGetAttribute");
    if (!init || !find || !ask || init(0) != CUDA_SUCCESS ||
        find(&device, pci) != CUDA_SUCCESS ||
        ask(&bytes, L2_CACHE_SIZE, device) != CUDA_SUCCESS || bytes < 0)
        return 0;
    return bytes;
}
