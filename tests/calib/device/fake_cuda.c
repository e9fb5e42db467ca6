/* fake_cuda.c - a libcuda.so.1 with one GPU at fffe:3b:00.0, of 50 MB L2 cache, whose
 * multiprocessors hold 2048 threads, 32 blocks, 228 KiB of shared memory and 65536 registers;
 * its kernels have 72 registers
 */
#include <stdio.h>
#include <string.h>

enum { GOOD = 0, NOT_FOUND = 500, NO_CONTEXT = 201 };

static int ready, contexts, current;
static char modules[4096];

int cuInit(unsigned flags);
int cuDeviceGetByPCIBusId(int *device, const char *pci);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);

int cuInit(unsigned flags)
{
    ready = flags == 0;
    return 0;
}

int cuDeviceGetByPCIBusId(int *device, const char *pci)
{
    *device = 7;
    return ready && strcmp(pci, "fffe:3b:00.0") == 0 ? 0 : 101;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = device != 7        ? 0
             : attribute == 38  ? 52428800
             : attribute == 39  ? 2048
             : attribute == 81  ? 233472
             : attribute == 82  ? 65536
             : attribute == 106 ? 32
                                : 0;
    return 0;
}

/* ---- a context, and modules of PTX ---- */

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    contexts += device == 7;
    *context = &contexts;
    return contexts ? GOOD : NO_CONTEXT;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    contexts -= device == 7;
    return GOOD;
}

int cuCtxPushCurrent_v2(void *context)
{
    current += context == &contexts && contexts;
    return current ? GOOD : NO_CONTEXT;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = &contexts;
    current--;
    return GOOD;
}

int cuModuleLoadData(void **module, const void *image)
{
    *module = modules;
    snprintf(modules, sizeof(modules), "%s", (const char *)image);
    return current > 0 ? GOOD : NO_CONTEXT;
}

int cuModuleUnload(void *module)
{
    *(char *)module = '\0';
    return GOOD;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char entry[100];

    snprintf(entry, sizeof(entry), ".entry %s(", name);
    *function = strstr(module, entry);
    return *function ? GOOD : NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    *value = attribute == 4 ? 72 : 0;
    return function ? GOOD : NOT_FOUND;
}
