/* fake_cuda.c - a libcuda.so.1 with one GPU at fffe:3b:00.0, of 50 MB L2 cache */
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
    *value = attribute == 38 && device == 7 ? 52428800 : 0;
    return 0;
}
