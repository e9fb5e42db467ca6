/* fake_cuda.c - a libcuda.so.1 with one GPU at fffe:3b:00.0, of 50 MB L2 cache, whose
 * multiprocessors hold 2048 threads, 32 blocks, 228 KiB of shared memory and 65536 registers;
 * its kernels have 72 registers
 *
 * What fake_nvrtc.c compiles runs on the host, one thread after the other, at once: launches
 * wait for nothing.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GOOD = 0, WRONG = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, NO_CONTEXT = 201 };

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
             : attribute == 75  ? 9
             : attribute == 76  ? 0
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
    if (*(const char *)image == '/') { /* a library, and the kernel in it */
        *module = dlopen(image, RTLD_NOW | RTLD_LOCAL);
        remove(image);
        return *module ? GOOD : NOT_FOUND;
    }
    *module = modules;
    snprintf(modules, sizeof(modules), "%s", (const char *)image);
    return current > 0 ? GOOD : NO_CONTEXT;
}

int cuModuleUnload(void *module)
{
    if (module != modules)
        return dlclose(module);
    modules[0] = '\0';
    return GOOD;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char entry[100];

    if (module != modules) {
        *function = dlsym(module, name);
        return *function ? GOOD : NOT_FOUND;
    }
    snprintf(entry, sizeof(entry), ".entry %s(", name);
    *function = strstr(module, entry);
    return *function ? GOOD : NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    *value = attribute == 4 ? 72 : 0;
    return function ? GOOD : NOT_FOUND;
}

/* ---- memory, streams, events and launches ---- */

int cuCtxSetCurrent(void *context);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuMemAlloc_v2(unsigned long long *memory, size_t size);
int cuMemFree_v2(unsigned long long memory);
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t n, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t n, void *stream);
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t n,
                         void *stream);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuLaunchKernel(void (*function)(const unsigned *grid, const unsigned *block,
                                    unsigned shared_bytes, void **arguments),
                   unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **arguments, void **extra);

int cuCtxSetCurrent(void *context)
{
    current = context == &contexts && contexts;
    return current ? GOOD : NO_CONTEXT;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    *stream = malloc(1);
    return flags == 1 && current ? GOOD : WRONG;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return GOOD;
}

int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return GOOD;
}

int cuEventCreate(void **event, unsigned flags)
{
    *event = calloc(1, sizeof(struct timespec));
    return flags ? WRONG : GOOD;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return GOOD;
}

int cuEventRecord(void *event, void *stream)
{
    return stream ? clock_gettime(CLOCK_MONOTONIC, event) : WRONG;
}

int cuEventSynchronize(void *event)
{
    return event ? GOOD : WRONG;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    const struct timespec *a = from, *b = to;

    *ms = (float)(1e3 * (double)(b->tv_sec - a->tv_sec) +
                  1e-6 * (double)(b->tv_nsec - a->tv_nsec));
    return a->tv_sec && b->tv_sec ? GOOD : WRONG;
}

int cuMemAlloc_v2(unsigned long long *memory, size_t size)
{
    void *bytes = malloc(size);

    *memory = (unsigned long long)bytes;
    return bytes ? GOOD : OUT_OF_MEMORY;
}

int cuMemFree_v2(unsigned long long memory)
{
    free((void *)memory);
    return GOOD;
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t n, void *stream)
{
    (void)stream;
    memcpy((void *)to, from, n);
    return GOOD;
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t n, void *stream)
{
    (void)stream;
    memcpy(to, (void *)from, n);
    return GOOD;
}

int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t n,
                         void *stream)
{
    (void)stream;
    memcpy((void *)to, (void *)from, n);
    return GOOD;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    return function && attribute == 8 && value <= 233472 ? GOOD : WRONG;
}

int cuLaunchKernel(void (*function)(const unsigned *grid, const unsigned *block,
                                    unsigned shared_bytes, void **arguments),
                   unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **arguments, void **extra)
{
    const unsigned grid[] = { grid_x, grid_y, grid_z };
    const unsigned block[] = { block_x, block_y, block_z };

    (void)stream, (void)extra;
    function(grid, block, shared_bytes, arguments);
    return GOOD;
}
