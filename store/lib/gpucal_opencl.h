/* gpucal_opencl.h - the published calibration of an OpenCL device
 *
 * Functions in the header, so that libgpucal does not depend on OpenCL: link with -lOpenCL.
 */
#ifndef GPUCAL_OPENCL_H
#define GPUCAL_OPENCL_H

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <gpucal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUCAL_OPENCL_ADDRESS_SIZE 64

/* Values of clGetDeviceInfo() by extension, which older OpenCL headers lack. */
enum {
    GPUCAL_OPENCL_UUID_KHR = 0x106a,
    GPUCAL_OPENCL_PCI_BUS_INFO_KHR = 0x410f,
    GPUCAL_OPENCL_PCI_BUS_NV = 0x4008,
    GPUCAL_OPENCL_PCI_SLOT_NV = 0x4009,
    GPUCAL_OPENCL_PCI_DOMAIN_NV = 0x400a,
    GPUCAL_OPENCL_TOPOLOGY_AMD = 0x4037
};

/* Returns whether clGetDeviceInfo() gives exactly 'size' bytes for 'what'. */
static inline int gpucal_opencl_query(cl_device_id id, cl_device_info what, void *value,
                                      size_t size)
{
    size_t has = 0;

    return clGetDeviceInfo(id, what, 0, NULL, &has) == CL_SUCCESS && has == size &&
           clGetDeviceInfo(id, what, size, value, NULL) == CL_SUCCESS;
}

/* 'address' gets "uuid:..." if the driver has a UUID, else "0000:3b:00.0", else "". */
static inline void gpucal_opencl_address(cl_device_id id,
                                         char address[GPUCAL_OPENCL_ADDRESS_SIZE])
{
    unsigned char uuid[16], topology[24], any = 0;
    cl_uint khr[4], bus, slot, domain = 0;
    size_t n = 0;
    int i;

    address[0] = '\0';
    if (gpucal_opencl_query(id, GPUCAL_OPENCL_UUID_KHR, uuid, sizeof(uuid))) {
        n = (size_t)sprintf(address, "uuid:");
        for (i = 0; i < 16; i++) {
            any |= uuid[i];
            n += (size_t)snprintf(address + n, GPUCAL_OPENCL_ADDRESS_SIZE - n, "%s%02x",
                                  i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                  uuid[i]);
        }
        if (any)
            return;
        address[0] = '\0';
    }
    if (gpucal_opencl_query(id, GPUCAL_OPENCL_PCI_BUS_INFO_KHR, khr, sizeof(khr))) {
        snprintf(address, GPUCAL_OPENCL_ADDRESS_SIZE, "%04x:%02x:%02x.%x", khr[0], khr[1],
                 khr[2], khr[3]);
    } else if (gpucal_opencl_query(id, GPUCAL_OPENCL_PCI_BUS_NV, &bus, sizeof(bus)) &&
               gpucal_opencl_query(id, GPUCAL_OPENCL_PCI_SLOT_NV, &slot, sizeof(slot))) {
        gpucal_opencl_query(id, GPUCAL_OPENCL_PCI_DOMAIN_NV, &domain, sizeof(domain));
        snprintf(address, GPUCAL_OPENCL_ADDRESS_SIZE, "%04x:%02x:%02x.%x", domain, bus,
                 slot >> 3, slot & 7);
    } else if (gpucal_opencl_query(id, GPUCAL_OPENCL_TOPOLOGY_AMD, topology,
                                   sizeof(topology))) {
        snprintf(address, GPUCAL_OPENCL_ADDRESS_SIZE, "0000:%02x:%02x.%x", topology[21],
                 topology[22], topology[23]);
    }
}

/* The calibrated device of 'node', which is this host, that is the OpenCL device 'id': by its
 * UUID or PCI address; a device without both, such as a CPU, by its name.
 */
static inline struct gpucal_device *
gpucal_opencl_device_open(const struct gpucal_store *store, const char *node,
                          cl_device_id id, struct gpucal_error *err)
{
    char address[GPUCAL_OPENCL_ADDRESS_SIZE], name[512] = "";

    gpucal_opencl_address(id, address);
    if (address[0])
        return gpucal_device_open_at(store, node, address, err);
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
    return gpucal_device_open(store, node, name, err);
}

#endif
