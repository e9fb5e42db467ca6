/* fake_cuda.c - a libcuda.so.1 with one GPU at fffe:3b:00.0, of 50 MB L2 cache, whose
 * multiprocessors hold 2048 threads, 32 blocks and 228 KiB of shared memory
 */
#include <string.h>

static int ready;

int cuInit(unsigned flags);
int cuDeviceGetByPCIBusId(int *device, const char *pci);
int cuDeviceGetAttribute(int *value, int attribute, int device);

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
             : attribute == 106 ? 32
                                : 0;
    return 0;
}
