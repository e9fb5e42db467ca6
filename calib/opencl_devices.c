/* opencl_devices.c - what devices there are, and their fingerprints */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/hash.h"
#include "calib/base/log.h"
#include "calib/opencl.h"

/* From vendors' extension headers, which not every system has. */
#define DEVICE_UUID_KHR            0x106A
#define DEVICE_PCI_BUS_INFO_KHR    0x410F
#define DEVICE_PCI_BUS_ID_NV       0x4008
#define DEVICE_PCI_SLOT_ID_NV      0x4009
#define DEVICE_PCI_DOMAIN_ID_NV    0x400A
#define DEVICE_WARP_SIZE_NV        0x4003
#define DEVICE_TOPOLOGY_AMD        0x4037
#define DEVICE_WAVEFRONT_WIDTH_AMD 0x4043

static char *device_text(cl_device_id id, cl_device_info what)
{
    size_t size = 0;
    char *text;

    if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS)
        return strdup("");
    if (!(text = calloc(1, size + 1)))
        return NULL;
    if (clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS)
        *text = '\0';
    return text;
}

static char *platform_text(cl_platform_id id, cl_platform_info what)
{
    char text[1024] = "";

    clGetPlatformInfo(id, what, sizeof(text) - 1, text, NULL);
    return strdup(text);
}

/* 0 where the device does not say. */
static uint64_t device_number(cl_device_id id, cl_device_info what)
{
    uint64_t value = 0; /* numbers of 4 and 8 bytes alike, on little-endian hosts */

    return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value
                                                                                : 0;
}

static bool has_extension(cl_device_id id, const char *name)
{
    char *all = device_text(id, CL_DEVICE_EXTENSIONS);
    bool found = all && strstr(all, name);

    free(all);
    return found;
}

static char *pci_address(cl_device_id id)
{
    uint32_t khr[4]; /* domain, bus, device, function */
    unsigned char amd[24];
    uint32_t bus, slot;

    if (has_extension(id, "cl_khr_pci_bus_info") &&
        clGetDeviceInfo(id, DEVICE_PCI_BUS_INFO_KHR, sizeof(khr), khr, NULL) ==
            CL_SUCCESS)
        return gcal_format("%04x:%02x:%02x.%x", khr[0], khr[1], khr[2], khr[3]);
    if (has_extension(id, "cl_nv_device_attribute_query") &&
        clGetDeviceInfo(id, DEVICE_PCI_BUS_ID_NV, 4, &bus, NULL) == CL_SUCCESS &&
        clGetDeviceInfo(id, DEVICE_PCI_SLOT_ID_NV, 4, &slot, NULL) == CL_SUCCESS)
        return gcal_format("%04x:%02x:%02x.%x",
                           (unsigned)device_number(id, DEVICE_PCI_DOMAIN_ID_NV), bus,
                           slot >> 3, slot & 7);
    if (has_extension(id, "cl_amd_device_attribute_query") &&
        clGetDeviceInfo(id, DEVICE_TOPOLOGY_AMD, sizeof(amd), amd, NULL) == CL_SUCCESS)
        return gcal_format("0000:%02x:%02x.%x", amd[21], amd[22], amd[23]);
    return strdup("");
}

/* What is the same for a physical device, whoever on the node looks. */
static char *unique_id(const struct gcal_opencl_device *d, size_t index)
{
    unsigned char uuid[16], any = 0;
    char hash[GCAL_HASH_TEXT_SIZE], *key, text[40];

    if (has_extension(d->id, "cl_khr_device_uuid") &&
        clGetDeviceInfo(d->id, DEVICE_UUID_KHR, sizeof(uuid), uuid, NULL) == CL_SUCCESS) {
        for (int i = 0; i < 16; i++) {
            any |= uuid[i];
            snprintf(text + 2 * i, 3, "%02x", uuid[i]);
        }
        if (any)
            return gcal_format("uuid:%s", text);
    }
    if (*d->info.pci)
        return gcal_format("pci:%s", d->info.pci);
    if (!(key = gcal_format("%s/%s/%zu", d->info.platform, d->info.name, index)))
        return NULL;
    gcal_hash(key, strlen(key), hash);
    free(key);
    return gcal_format("cl:%.16s", hash);
}

/* "nvidia-cuda-nvidia-h200-132cu": lower case, runs of other characters as one dash. */
static char *type_name(const struct gcal_device_info *info)
{
    char *text = gcal_format("%s-%s-%llucu", info->platform, info->name,
                             (unsigned long long)info->compute_units);
    size_t n = 0;

    for (char *c = text; c && *c; c++) {
        if (isalnum((unsigned char)*c))
            text[n++] = (char)tolower((unsigned char)*c);
        else if (n && text[n - 1] != '-')
            text[n++] = '-';
    }
    if (text)
        text[n] = '\0';
    return text;
}

static const char *kind_name(cl_device_id id)
{
    uint64_t type = device_number(id, CL_DEVICE_TYPE);

    return type & CL_DEVICE_TYPE_GPU           ? "gpu"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
           : type & CL_DEVICE_TYPE_CPU         ? "cpu"
                                               : "custom";
}

/* A tiny kernel tells the preferred multiple of work-group sizes: where no vendor query
 * exists, that is how wide the device issues.
 */
static uint64_t preferred_multiple(cl_device_id id)
{
    static const char *source =
        "__kernel void p(__global int *a) { a[get_global_id(0)] = 1; }";
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    size_t multiple = 0;

    if (context)
        program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (program && clBuildProgram(program, 1, &id, "", NULL, NULL) == CL_SUCCESS)
        kernel = clCreateKernel(program, "p", NULL);
    if (kernel)
        clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof(multiple), &multiple, NULL);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    if (context)
        clReleaseContext(context);
    return multiple;
}

static uint64_t sub_group_size(cl_device_id id)
{
    uint64_t size = 0;

    if (has_extension(id, "cl_nv_device_attribute_query"))
        size = device_number(id, DEVICE_WARP_SIZE_NV);
    if (!size && has_extension(id, "cl_amd_device_attribute_query"))
        size = device_number(id, DEVICE_WAVEFRONT_WIDTH_AMD);
    if (!size)
        size = preferred_multiple(id);
    return size ? size : 1;
}

static int fill(struct gcal_opencl_device *d, size_t index, struct gcal_error *err)
{
    struct gcal_device_info *info = &d->info;

    info->platform = platform_text(d->platform, CL_PLATFORM_NAME);
    info->vendor = device_text(d->id, CL_DEVICE_VENDOR);
    info->name = device_text(d->id, CL_DEVICE_NAME);
    info->driver = device_text(d->id, CL_DRIVER_VERSION);
    info->version = device_text(d->id, CL_DEVICE_VERSION);
    info->device_type = strdup(kind_name(d->id));
    info->pci = pci_address(d->id);
    info->compute_units = device_number(d->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->max_work_group_size = device_number(d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->max_clock_hz =
        1e6 * (double)device_number(d->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->global_memory_bytes = (double)device_number(d->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_bytes = (double)device_number(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory_bytes = (double)device_number(d->id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->cache_bytes = (double)device_number(d->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->timer_resolution_s =
        1e-9 * (double)device_number(d->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    info->fp64 = device_number(d->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->fp16 = has_extension(d->id, "cl_khr_fp16");
    info->sub_group_size = sub_group_size(d->id);
    if (!info->platform || !info->vendor || !info->name || !info->driver ||
        !info->version || !info->device_type || !info->pci ||
        !(info->uid = unique_id(d, index)) || !(info->type = type_name(info)))
        return gcal_error_memory(err);
    return 0;
}

static bool listed_already(const struct gcal_opencl_device *devices, size_t count,
                           const struct gcal_device_info *info)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(devices[i].info.uid, info->uid) == 0 ||
            (*info->pci && strcmp(devices[i].info.pci, info->pci) == 0))
            return true;
    return false;
}

struct list {
    struct gcal_opencl_device *devices;
    size_t count, capacity;
};

static int add_device(struct list *list, cl_platform_id platform, cl_device_id id,
                      size_t index, struct gcal_error *err)
{
    struct gcal_opencl_device device = { .platform = platform, .id = id }, *moved;

    if (!device_number(id, CL_DEVICE_AVAILABLE) ||
        !device_number(id, CL_DEVICE_COMPILER_AVAILABLE)) {
        gcal_log(GCAL_LOG_WARN, "an OpenCL device that is not available is left out");
        return 0;
    }
    if (fill(&device, index, err) < 0)
        goto fail;
    if (listed_already(list->devices, list->count, &device.info)) {
        gcal_device_info_clear(&device.info);
        return 0;
    }
    if (!(moved = gcal_array_grow(list->devices, list->count, &list->capacity,
                                  sizeof(*moved), err)))
        goto fail;
    list->devices = moved;
    list->devices[list->count++] = device;
    return 0;
fail:
    gcal_device_info_clear(&device.info);
    return -1;
}

static int add_platform(struct list *list, cl_platform_id platform,
                        struct gcal_error *err)
{
    cl_device_id ids[64];
    cl_uint n = 0;

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &n) != CL_SUCCESS)
        return 0; /* a platform without a device */
    for (cl_uint i = 0; i < n && i < 64; i++)
        if (add_device(list, platform, ids[i], i, err) < 0)
            return -1;
    return 0;
}

int gcal_opencl_list(struct gcal_opencl_device **devices, size_t *count,
                     struct gcal_error *err)
{
    cl_platform_id platforms[32];
    struct list list = { 0 };
    cl_uint n = 0;
    cl_int code = clGetPlatformIDs(32, platforms, &n);

    if (code != CL_SUCCESS || n == 0)
        return gcal_error_set(
            err, GCAL_EDEVICE,
            "no OpenCL platform: install a driver with its .icd file in "
            "/etc/OpenCL/vendors (pocl-opencl-icd runs on any CPU)");
    for (cl_uint i = 0; i < n && i < 32; i++)
        if (add_platform(&list, platforms[i], err) < 0) {
            gcal_opencl_list_free(list.devices, list.count);
            return -1;
        }
    *devices = list.devices;
    *count = list.count;
    return 0;
}

void gcal_opencl_list_free(struct gcal_opencl_device *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i].info);
    free(devices);
}
